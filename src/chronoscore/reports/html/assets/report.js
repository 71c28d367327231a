/* What is chosen, the table of cases, the cases that are open, and the small things of the page. */

const data = JSON.parse(document.getElementById("data").textContent);
const tools = document.getElementById("tools");
const table = document.getElementById("scores-by-case");
const chosen = { system: 0, metric: 0, side: "recall" };
const PRINTED = 20; // cases that are drawn for print if none was opened
const pictured = Boolean(data.pictured); // cases have pictures of their days

/* ---- cases ---- */

function days(items, side) {
  return items.map(([name, ...numbers]) => {
    const day = { side, name, words: name, texts: numbers.map((at) => data.texts[at]) };
    const place = pictured && data.axis.times[name];
    if (!place) return day; // it has no place in time
    const [first, last, near, far, words] = place;
    return { ...day, span: [first, last], near, far, words: words || tickWords({ near, far }) };
  });
}

function viewOf(place) {
  const { system, metric, side } = chosen;
  return {
    gold: days(data.gold[place], "gold"),
    predicted: days(data.predicted[system][place], "predicted"),
    matches: matchesOf(data.matches[system][place][metric], side),
    metric: data.metrics[metric],
    unit: pictured ? data.units[metric] : "",
    apart: pictured ? data.apart[metric] : [],
    outcomes: data.outcomes,
    marks: marksOf(data.processing?.[metric]),
    side,
  };
}

function scoreText(score) {
  return score === false ? "–" : score === null ? "undefined" : score.toFixed(3);
}

function drawCase(element) {
  const place = Number(element.dataset.case);
  const inside = element.querySelector(".inside");
  const view = viewOf(place);
  const parts = [];
  if (pictured) parts.push(drawPicture(element, view));
  else parts.push(...factList(view), outcomeTable(view));
  const losses = pictured ? data.losses[chosen.system][place][chosen.metric] : [];
  const loss = losses[chosen.side === "precision" ? 0 : 1];
  if (loss) parts.push(lossBlock(loss, chosen.side, view.unit));
  if (view.matches.length) parts.push(matchTable(view));
  else parts.push(make("p", { class: "none" }, `${view.metric.label} has no matches here.`));
  inside.replaceChildren(...parts);
  element.dataset.drawn = `${chosen.system} ${chosen.metric} ${chosen.side}`;
}

function drawPicture(element, view) {
  const frame = make("div", { class: "frame" });
  const panel = make("div", { class: "panel", "aria-live": "polite" },
    make("p", { class: "hint" }, "Point at a day or a link, or reach it with Tab, to read what both sides say."));
  const width = Math.max(480, element.clientWidth - (window.innerWidth > 1000 ? 372 : 32));
  const show = (thing, marks) => {
    for (const [other, mark] of marks)
      mark.classList.toggle("on", other === thing || touches(other, thing, view));
    fillPanel(panel, thing, view);
  };
  const drawn = picture(view.gold, view.predicted, view.matches, view.side, width, data.axis.cell,
    (thing) => label(thing, view), show);
  if (!drawn) return make("p", { class: "none" }, "There are no days on either side.");
  const name = data.cases[Number(element.dataset.case)];
  drawn.svg.setAttribute("aria-label",
    `${name}: gold and predicted days of ${data.systems[chosen.system]}, ${view.metric.label} ${view.side}`);
  frame.append(drawn.svg);
  const note = drawn.even ? "Time runs evenly." : "Close days are drawn apart and long gaps shortened.";
  frame.append(make("p", { class: "note" }, note));
  return make("div", { class: "beside" }, frame, panel);
}

function touches(one, other, view) {
  const ends = (match) => [view.gold[match.gold], view.predicted[match.predicted]];
  if (!one.side && other.side) return ends(one).includes(other);
  if (one.side && !other.side) return ends(other).includes(one);
  return one.side && other.side
    && view.matches.some((match) => ends(match).includes(one) && ends(match).includes(other));
}

/* ---- tables of matches ---- */

function plainTable(caption, heads, rows) {
  const numeric = heads.map((_, at) => rows.every((row) => row[at] === "" || typeof row[at] === "number"));
  const cell = (value, at) =>
    make("td", numeric[at] ? { class: "number" } : {}, typeof value === "number" ? rounded(value) : value);
  return make("div", { class: "wide", role: "region", tabindex: 0, "aria-label": caption },
    make("table", {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...heads.map((head, at) =>
        make("th", { scope: "col", ...(numeric[at] ? { class: "number" } : {}) }, head)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
}

/* What a judgement speaks of: the texts under the event's name, and those under NAME/part. */
function factList(view) {
  const event = (view.predicted[(view.matches[0] || {}).predicted] || {}).name;
  const named = (name) => (name === event ? "event"
    : name.startsWith(`${event}/`) ? name.slice(event.length + 1) : name);
  const told = view.predicted.filter((item) => item.texts.length);
  if (!told.length || data.facts === false) return [];
  return [make("dl", { class: "facts" }, ...told.map((item) =>
    make("div", {}, make("dt", {}, named(item.name)), make("dd", {}, item.texts.join("\n")))))];
}

function outcomeTable(view) {
  const sums = new Map();
  for (const match of view.matches) {
    const sum = sums.get(match.outcome) || [0, 0, 0];
    sums.set(match.outcome, [sum[0] + 1, sum[1] + match.credit, sum[2] + match.possible]);
  }
  const rows = [...sums].map(([outcome, [number, credit, possible]]) =>
    [data.outcomes[outcome], number, credit, possible, possible - credit]);
  return plainTable("Outcomes", ["outcome", "number", "credit", "possible", "lost"], rows);
}

function matchTable(view) {
  const apart = pictured ? `${view.apart[1]} apart` : "distance";
  const heads = ["gold", "predicted", "outcome", apart, "shared", "credit", "possible"];
  const known = (value) => (value < 0 ? "" : value);
  const rows = view.matches.map((match) => [
    match.gold < 0 ? "–" : view.gold[match.gold].name,
    match.predicted < 0 ? "–" : view.predicted[match.predicted].name,
    data.outcomes[match.outcome],
    known(match.distance), known(match.shared), match.credit, match.possible,
  ]);
  const empty = heads.map((_, at) => rows.every((row) => row[at] === "" || row[at] === "–"));
  const kept = (row) => row.filter((_, at) => !empty[at]);
  const caption = `${view.metric.label}: matches${view.metric.sides.length ? ` of ${view.side}` : ""}`;
  const inner = plainTable(caption, kept(heads), rows.map(kept));
  return pictured
    ? make("details", { class: "more" }, make("summary", {}, "The same as a table"), inner)
    : inner;
}

/* ---- what is chosen ---- */

function refresh() {
  const { system, metric } = chosen;
  const sides = data.metrics[metric].sides;
  if (sides.length && !sides.includes(chosen.side)) chosen.side = sides[0];
  for (const radio of tools.querySelectorAll("[name=side]")) {
    radio.disabled = sides.length > 0 && !sides.includes(radio.value);
    radio.checked = radio.value === chosen.side;
  }
  table.querySelector(".chosen").textContent = data.systems[system];
  for (const row of table.tBodies[0].rows) {
    const scores = data.scores[system][Number(row.dataset.case)];
    row.hidden = !scores; // a case that this system does not have
    (scores || []).forEach((score, at) => {
      row.cells[at + 1].textContent = scoreText(score);
      row.cells[at + 1].classList.toggle("none", typeof score !== "number");
    });
  }
  for (const element of document.querySelectorAll(".case")) {
    const scores = data.scores[system][Number(element.dataset.case)];
    element.hidden = !scores;
    if (!scores) continue;
    const score = scores[metric];
    element.querySelector("summary .value").textContent =
      `${data.systems[system]}: ${data.metrics[metric].heading} ${scoreText(score)}`;
    if (element.open) drawCase(element);
  }
  sortAgain();
}

function onChoice(event) {
  const { name, value } = event.target;
  chosen[name] = name === "side" ? value : Number(value);
  refresh();
}

/* ---- sorting ---- */

const sorted = { column: -1, descending: false };

function sortAgain() {
  if (sorted.column < 0) return;
  const value = (row) => {
    const place = Number(row.dataset.case);
    if (!sorted.column) return place;
    const score = (data.scores[chosen.system][place] || [])[sorted.column - 1];
    return typeof score === "number" ? score : null;
  };
  const sign = sorted.descending ? -1 : 1;
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => {
    const [one, two] = [value(a), value(b)];
    if (one === null || two === null) return (one === null) - (two === null); // undefined is last
    return sign * (one - two) || Number(a.dataset.case) - Number(b.dataset.case);
  });
  body.append(...rows);
}

function onSort(column) {
  sorted.descending = sorted.column === column ? !sorted.descending : column > 0;
  sorted.column = column;
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const order = sorted.descending ? "descending" : "ascending";
    head.setAttribute("aria-sort", at === column ? order : "none");
  });
  sortAgain();
}

/* ---- opening, theme, copying, printing ---- */

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || !target.matches(".case")) return;
  target.open = true;
  target.querySelector("summary").focus({ preventScroll: true });
  target.scrollIntoView();
}

function copySignature(button) {
  const block = button.closest("figure").querySelector("pre");
  getSelection().selectAllChildren(block);
  const done = () => { button.textContent = "Copied"; };
  const selected = () => { button.textContent = "Selected"; };
  if (navigator.clipboard) navigator.clipboard.writeText(block.textContent).then(done, selected);
  else selected();
}

const cases = [...document.querySelectorAll(".case")];
for (const element of cases)
  element.addEventListener("toggle", () => { if (element.open) drawCase(element); });
tools.addEventListener("change", onChoice);
tools.addEventListener("submit", (event) => event.preventDefault());
tools.reset();
[...table.tHead.querySelectorAll("button")].forEach((button, column) =>
  button.addEventListener("click", () => onSort(column)));
for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", () => copySignature(button));
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", () => {
  const shown = cases.filter((element) => !element.hidden);
  if (shown.length > PRINTED && shown.some((element) => element.open)) return;
  for (const element of shown.slice(0, PRINTED)) {
    element.open = true;
    if (!element.dataset.drawn) drawCase(element);
  }
});
let resized = 0;
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's address bar comes and goes
  width = innerWidth;
  clearTimeout(resized);
  resized = setTimeout(() => cases.filter((element) => element.open).forEach(drawCase), 150);
});
if (pictured && cases.length) cases[0].open = true;
refresh();
openTarget();
