/* The panel beside a picture: the texts of the days, with the words that both sides have marked. */

const WORD = /[0-9A-Za-z\u00c0-\u1fff\u2070-\uffff]+/g;

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* The numbers of the tokens of each word, and the places of tokens where they are no words, for one
   kind of text processing. */
const marksOfKinds = new Map();
function marksOf(kind) {
  if (!marksOfKinds.has(kind)) {
    const { words = [], places = {} } = data.marks?.[kind] || {};
    const tokens = new Map();
    words.forEach((group, token) => {
      for (const word of group) tokens.set(word, [...(tokens.get(word) || []), token]);
    });
    const exact = new Map(Object.entries(places).map(([at, ends]) => [data.texts[at], ends]));
    marksOfKinds.set(kind, { tokens, exact });
  }
  return marksOfKinds.get(kind);
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

/* A sentence with the pieces marked that the other side has. Text nodes only: nothing is parsed. */
function marked(text, marks, others) {
  const runs = []; // pieces may overlap or touch
  for (const { start, end, tokens } of piecesOf(text, marks)) {
    if (!tokens.some((token) => others.has(token))) continue;
    const last = runs[runs.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else runs.push([start, end]);
  }
  const line = make("p", { dir: "auto" });
  let from = 0;
  for (const [start, end] of runs) {
    line.append(text.slice(from, start), make("mark", {}, text.slice(start, end)));
    from = end;
  }
  line.append(text.slice(from));
  return line;
}

function rounded(value) {
  return String(Math.round(value * 100) / 100);
}

/* What a match earned, in words. */
function matchWords(match, { unit, apart: [one, several], outcomes }) {
  const earned = match.shared >= 0
    ? `${rounded(match.shared)} of ${rounded(match.possible)} ${unit} shared`
    : outcomes[match.outcome];
  if (match.distance <= 0 && match.shared >= 0) return `${earned}, same ${one}`;
  if (match.shared < 0) return `${earned}, counts ${rounded(match.credit)} of ${rounded(match.possible)}`;
  const apart = `${match.distance} ${match.distance === 1 ? one : several} apart`;
  return match.shared > 0 ? `${earned}, ${apart}: counts ${rounded(match.credit)}` : `${earned}, ${apart}`;
}

function dayBlock(day, others, view) {
  const block = make("section", { class: `text ${day.side}` },
    make("h5", {}, day.side, make("span", {}, day.words)));
  if (!day.texts.length) block.append(make("p", { class: "none" }, "no text"));
  for (const text of day.texts) block.append(marked(text, view.marks, others));
  return block;
}

/* Fill the panel for a day (with all that is aligned with it) or for one match. */
function fillPanel(panel, thing, view) {
  const { gold, predicted, matches } = view;
  const links = thing.side
    ? matches.filter((match) => gold[match.gold] === thing || predicted[match.predicted] === thing)
    : [thing];
  const sides = { gold: new Set(), predicted: new Set() };
  if (thing.side) sides[thing.side].add(thing);
  for (const match of links) {
    if (gold[match.gold]) sides.gold.add(gold[match.gold]);
    if (predicted[match.predicted]) sides.predicted.add(predicted[match.predicted]);
  }
  const tokens = {};
  for (const side of ["gold", "predicted"])
    tokens[side] = tokenSet([...sides[side]].flatMap((day) => day.texts), view.marks);
  const told = links
    .filter((match) => gold[match.gold] && predicted[match.predicted])
    .map((match) => make("p", { class: "told" }, matchWords(match, view)));
  if (!told.length) told.push(make("p", { class: "told" }, aloneWords(thing, links, view)));
  panel.replaceChildren(
    ...told,
    ...[...sides.gold].map((day) => dayBlock(day, tokens.predicted, view)),
    ...[...sides.predicted].map((day) => dayBlock(day, tokens.gold, view)),
  );
}

function aloneWords(day, links, view) {
  const other = day.side === "gold" ? "prediction" : "gold day";
  const lost = links.length ? `: all ${rounded(links[0].possible)} ${view.unit} are lost` : "";
  return `No ${other} is aligned with it${lost}`;
}

/* The label of a day or a link for those who hear the picture. */
function label(thing, view) {
  const { gold, predicted, matches } = view;
  if (!thing.side) {
    const days = [gold[thing.gold].words, predicted[thing.predicted].words];
    return `Gold ${days[0]} with predicted ${days[1]}: ${matchWords(thing, view)}`;
  }
  const own = matches.filter((m) => gold[m.gold] === thing || predicted[m.predicted] === thing);
  const aligned = own.filter((match) => gold[match.gold] && predicted[match.predicted]).length;
  const state = aligned ? `aligned with ${aligned} day${aligned === 1 ? "" : "s"}` : "nothing aligned";
  return `${thing.side} ${thing.words}, ${state}`;
}

/* The loss of one side of a case: a bar, and the numbers that add up. */
function lossBlock(parts, side, unit) {
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
    make("b", {}, `${side} ${ratio}`),
    `: ${rounded(parts[0])} of ${rounded(possible)} ${unit} counted, ${rounded(possible - parts[0])} lost`);
  return make("div", { class: "loss", "data-possible": possible }, title, bar, list);
}
