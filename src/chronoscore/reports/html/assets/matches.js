/* A case as tables: what a judgement speaks of, outcomes, and every match. */

views.matches = (scene) => {
  const parts = scene.systems.flatMap((system) => {
    const { matches } = system;
    const none = make("p", { class: "none" }, `${scene.metric.label} has no matches here.`);
    const isCounted = new Set(matches.map((match) => match.outcome)).size < matches.length;
    const counts = isCounted ? [outcomeTable(scene, system)] : [];
    const blocks = [...factList(scene, system),
      ...(matches.length ? [...counts, matchTable(scene, system)] : [none])];
    return scene.systems.length > 1 ? [make("section", {}, make("h4", { dir: "auto" }, system.name), ...blocks)] : blocks;
  });
  return scene.systems.length > 1 ? [make("div", { class: "side-by-side" }, ...parts)] : parts;
};

/* What a judgement speaks of: the texts under the event's name, and those under NAME/part. */
function factList(scene, { predicted, matches }) {
  const event = (predicted[(matches[0] || {}).predicted] || {}).name;
  const part = (name) => (name === event ? "event"
    : name.startsWith(`${event}/`) ? name.slice(event.length + 1) : name);
  const facts = predicted.filter((item) => item.texts.length);
  if (!facts.length || scene.data.facts === false) return [];
  return [make("dl", { class: "facts" }, ...facts.map((item) => make("div", {},
    make("dt", { dir: "auto" }, part(item.name)), make("dd", { dir: "auto" }, item.texts.join("\n")))))];
}

function outcomeTable({ data }, { name, matches }) {
  const sums = new Map();
  for (const match of matches) {
    const sum = sums.get(match.outcome) || [0, 0, 0];
    sums.set(match.outcome, [sum[0] + 1, sum[1] + match.credit, sum[2] + match.possible]);
  }
  const rows = [...sums].map(([outcome, [number, credit, possible]]) =>
    [data.outcomes[outcome], number, credit, possible, possible - credit]);
  return plainTable(`${name}: outcomes`, ["outcome", "number", "credit", "possible", "lost"], rows);
}

function matchTable(scene, { name, predicted, matches }) {
  const apart = scene.data.apart ? `${scene.data.apart[scene.at][1]} apart` : "distance";
  const heads = ["gold", "predicted", "outcome", apart, "shared", "credit", "possible"];
  const known = (value) => (value < 0 ? "" : value);
  const rows = matches.map((match) => [
    match.gold < 0 ? "–" : scene.gold[match.gold].name,
    match.predicted < 0 ? "–" : predicted[match.predicted].name,
    scene.data.outcomes[match.outcome],
    known(match.distance), known(match.shared), match.credit, match.possible,
  ]);
  const empty = heads.map((_, at) => rows.every((row) => row[at] === "" || row[at] === "–"));
  const kept = (row) => row.filter((_, at) => !empty[at]);
  const side = scene.metric.sides.length ? ` of ${scene.side}` : "";
  return plainTable(`${name}, ${scene.metric.label}: matches${side}`, kept(heads), rows.map(kept));
}

/* The tables of all systems for those who open them, below a picture: made when they do. */
function foldedTables(scene) {
  const systems = scene.systems.filter(({ matches }) => matches.length);
  if (!systems.length) return [make("p", { class: "none" }, `${scene.metric.label} has no matches here.`)];
  const folded = make("details", { class: "more" }, make("summary", {}, "The same as a table"));
  folded.addEventListener("toggle",
    () => folded.append(...systems.map((one) => matchTable(scene, one))), { once: true });
  return [folded];
}
