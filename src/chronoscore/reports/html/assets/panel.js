/* The panel beside a picture: the texts of the days, with the words that several sides have marked. */

const WORD = /[0-9A-Za-z\u00c0-\u1fff\u2070-\uffff]+/g;
const MOST_WORDS = 30; // that are listed of what a side missed

/* The numbers of the tokens of each word, and the places of tokens where they are no words, for one
   kind of text processing. */
const marksOfKinds = new Map();
function marksOf(data, kind) {
  const known = marksOfKinds.get(data) || marksOfKinds.set(data, new Map()).get(data);
  if (!known.has(kind)) {
    const { words = [], places = {}, ignored = [] } = data.marks?.[kind] || {};
    const tokens = new Map();
    words.forEach((group, token) => {
      for (const word of group) tokens.set(word, [...(tokens.get(word) || []), token]);
    });
    const exact = new Map(Object.entries(places).map(([at, ends]) => [data.texts[at], ends]));
    known.set(kind, { tokens, exact, ignored: new Set(ignored) });
  }
  return known.get(kind);
}

/* The pieces of a text that have tokens: where they begin and end, and the numbers of the tokens. */
function piecesOf(text, { tokens, exact }) {
  const ends = exact.get(text)
    || [...text.matchAll(WORD)].flatMap((found) => [found.index, found.index + found[0].length]);
  const pieces = [];
  for (let at = 0; at < ends.length; at += 2) {
    const [start, end] = [ends[at], ends[at + 1]];
    pieces.push({ start, end, tokens: tokens.get(text.slice(start, end)) || [] });
  }
  return pieces;
}

function tokenSet(texts, marks) {
  return new Set(texts.flatMap((text) => piecesOf(text, marks).flatMap((piece) => piece.tokens)));
}

/* A sentence with the pieces marked that others have: `kindOf` gives the kind of a piece's mark from
   its tokens, or nothing. Text nodes only: nothing is parsed. */
function marked(text, marks, kindOf) {
  const runs = []; // pieces may overlap or touch
  for (const { start, end, tokens } of piecesOf(text, marks)) {
    const kind = kindOf(tokens);
    if (kind === null) continue;
    const last = runs[runs.length - 1];
    if (last && start <= last.end && kind === last.kind) last.end = Math.max(last.end, end);
    else if (!last || start >= last.end) runs.push({ start, end, kind });
  }
  const line = make("p", { dir: "auto" });
  let from = 0;
  for (const { start, end, kind } of runs) {
    line.append(text.slice(from, start), make("mark", kind ? { class: kind } : {}, text.slice(start, end)));
    from = end;
  }
  line.append(text.slice(from));
  return line;
}

/* The kind of a piece's mark, by the tokens of one or two others: none, or the one that alone has it. */
function markedBy(sets) {
  return (tokens) => {
    const by = sets.map((set) => tokens.some((token) => set.has(token)));
    if (!by.some(Boolean)) return null;
    return by.every(Boolean) ? "" : `only-${by.indexOf(true)}`;
  };
}

/* What a match earned, in words. */
function matchWords(match, { unit, apart: [one, several], data }) {
  const earned = match.shared >= 0
    ? `${rounded(match.shared)} of ${rounded(match.possible)} ${unit} shared`
    : data.outcomes[match.outcome];
  if (match.distance <= 0 && match.shared >= 0) return `${earned}, same ${one}`;
  if (match.shared < 0) return `${earned}, counts ${rounded(match.credit)} of ${rounded(match.possible)}`;
  const apart = `${match.distance} ${match.distance === 1 ? one : several} apart`;
  return match.shared > 0 ? `${earned}, ${apart}: counts ${rounded(match.credit)}` : `${earned}, ${apart}`;
}

/* Whose a day is, in words. */
function ownerOf(day, scene) {
  if (day.side === "gold") return "gold";
  return scene.systems.length > 1 ? scene.systems[day.side].name : "predicted";
}

function dayBlock(day, scene, kindOf) {
  const kind = day.side === "gold" ? "gold" : "predicted";
  const block = make("section", { class: `text ${kind}` },
    make("h4", {}, named(ownerOf(day, scene)), make("span", {}, day.words)));
  if (!day.texts.length) block.append(make("p", { class: "none" }, "no text"));
  for (const text of day.texts) block.append(marked(text, scene.marks, kindOf));
  return block;
}

/* Fill the panel for a day (with all that is aligned with it) or for one match. */
function fillPanel(panel, thing, scene) {
  const isDay = thing.side !== undefined;
  const links = isDay
    ? matchesOfAll(scene).filter((match) => endsOf(match, scene).includes(thing))
    : [thing];
  const days = { gold: new Set(), 0: new Set(), 1: new Set() };
  if (isDay) days[thing.side].add(thing);
  for (const match of links)
    for (const day of endsOf(match, scene)) if (day) days[day.side].add(day);
  const tokensOf = (side) => tokenSet([...days[side]].flatMap((day) => day.texts), scene.marks);
  const gold = tokensOf("gold");
  const found = scene.systems.map(({ number }) => tokensOf(number));
  const isPair = found.length > 1 && days.gold.size > 0;
  const ofGold = isPair ? markedBy(found) : markedBy([new Set(found.flatMap((set) => [...set]))]);
  const ofSystem = markedBy([gold]);
  const sentences = links
    .filter((match) => endsOf(match, scene).every(Boolean))
    .map((match) => make("p", { class: "told" },
      ...(scene.systems.length > 1 ? [named(scene.systems[match.number].name), ": "] : []),
      matchWords(match, scene)));
  if (!sentences.length) sentences.push(make("p", { class: "told" }, aloneWords(thing, links, scene)));
  panel.replaceChildren(
    ...sentences,
    ...[...days.gold].map((day) => dayBlock(day, scene, ofGold)),
    ...(isPair ? [foundWords([...days.gold].flatMap((day) => day.texts), found, scene)] : []),
    ...scene.systems.flatMap(({ number }) => [...days[number]].map((day) => dayBlock(day, scene, ofSystem))),
  );
}

/* Which of the gold's words only one of two systems found, and which neither. */
function foundWords(texts, found, scene) {
  const words = { 0: new Set(), 1: new Set(), neither: new Set() };
  for (const text of texts) {
    for (const { start, end, tokens } of piecesOf(text, scene.marks)) {
      const by = found.map((set) => tokens.some((token) => set.has(token)));
      const key = by[0] && by[1] ? null : by[0] ? 0 : by[1] ? 1 : "neither";
      const word = text.slice(start, end);
      if (key !== null && !scene.marks.ignored.has(word)) words[key].add(word);
    }
  }
  const names = { 0: scene.systems[0].name, 1: scene.systems[1].name };
  const rows = Object.entries(words).filter(([, several]) => several.size).map(([key, several]) => {
    const listed = [...several].slice(0, MOST_WORDS).join(" ");
    const more = several.size > MOST_WORDS ? ` and ${several.size - MOST_WORDS} more` : "";
    const who = key === "neither" ? ["missed by both"] : ["only ", named(names[key])];
    return make("div", { class: key === "neither" ? "" : `only-${key}` },
      make("dt", {}, ...who), make("dd", { dir: "auto" }, `${listed}${more}`));
  });
  return make("dl", { class: "found-words" }, ...rows);
}

function aloneWords(thing, links, scene) {
  const other = thing.side === "gold" ? "prediction" : "gold day";
  const lost = links.length ? `: all ${rounded(links[0].possible)} ${scene.unit} are lost` : "";
  return `No ${other} is aligned with it${lost}`;
}

/* The label of a day or a link for those who hear the picture. */
function label(thing, scene) {
  if (thing.side === undefined) {
    const [gold, predicted] = endsOf(thing, scene);
    if (!gold || !predicted) return "";
    return `Gold ${gold.words} with ${ownerOf(predicted, scene)} ${predicted.words}: ${matchWords(thing, scene)}`;
  }
  const aligned = matchesOfAll(scene)
    .filter((match) => { const ends = endsOf(match, scene); return ends.includes(thing) && ends.every(Boolean); }).length;
  const state = aligned ? `aligned with ${aligned} day${aligned === 1 ? "" : "s"}` : "nothing aligned";
  return `${ownerOf(thing, scene)} ${thing.words}, ${state}`;
}

/* The loss of one side of a case: a bar, and the numbers that add up. */
function lossBlock(parts, { side, unit }, name) {
  const names = ["counted", "wrong day", "wrong words", side === "recall" ? "missing" : "spurious"];
  const possible = parts.reduce((a, b) => a + b, 0);
  const bar = draw("svg", { class: "stack", width: "100%", height: 14, "aria-hidden": "true" });
  const list = make("dl", { class: "parts" });
  let from = 0;
  parts.forEach((part, at) => {
    const share = possible ? Math.max(part, 0) / possible : 0;
    const size = { x: `${100 * from}%`, width: `${100 * share}%`, height: 14 };
    bar.append(draw("rect", { ...size, class: `part-${at}` }));
    from += share;
    const swatch = draw("svg", { class: "swatch", width: 10, height: 10, "aria-hidden": "true" },
      draw("rect", { width: 10, height: 10, rx: 2, class: `part-${at}` }));
    const number = make("dd", { "data-part": part }, rounded(part));
    list.append(make("div", {}, make("dt", {}, swatch, names[at]), number));
  });
  const ratio = possible ? (parts[0] / possible).toFixed(3) : "undefined, 0/0";
  const title = make("p", { class: "told" },
    ...(name ? [named(name), ": "] : []),
    make("b", {}, `${side} ${ratio}`),
    `: ${rounded(parts[0])} of ${rounded(possible)} ${unit} counted, ${rounded(possible - parts[0])} lost`);
  return make("div", { class: "loss", "data-possible": possible }, title, bar, list);
}
