/* The text of a document with its annotations as lines under the words. With one system a line is a
   pair of gold and prediction; with two, the gold is the first line and each system has one below.
   Where lines meet they lie under each other. Every line ends with a label, which says in words
   what its colour and its kind of line say. */

const AROUND = 200; // characters that stay to be seen on either side of what is not strictly correct
const SHORTEST_FOLD = 300;
const MOST_WRONG = 60; // lines that are not strictly correct and unfolded at first
const MOST_IN_FOLD = 150; // lines that one button opens
const QUOTED = 160; // characters of an annotation that are quoted
const SHORT_NAME = 12; // letters up to which a label has a system's own name
const KIND_OF_OUTCOME = {
  "correct strict": "correct-strict", "correct partial": "correct-partial",
  "incorrect strict": "incorrect", "incorrect partial": "incorrect",
  missing: "missing", spurious: "spurious",
};
const SHORT_OUTCOME = {
  "correct strict": "✓", "correct partial": "✓ partial", "incorrect strict": "incorrect",
};

const DEEPEST = 12; // lines that are drawn below each other

views.text = (scene) => {
  const pieces = scene.data.documents[scene.place];
  if (scene.systems.every(({ matches }) => !matches.length)) return views.matches(scene);
  if (!pieces) {
    const hint = "The text is not in this report: score with --texts PATH, and without --no-texts.";
    return [make("p", { class: "note" }, hint), ...views.matches(scene)];
  }
  scene.text = new PiecedText(pieces, scene.data.sizes[scene.place]);
  const marked = new MarkedText(scene);
  return [...textNotes(scene, marked.lines), marked.element, countTable(scene), ...foldedTables(scene)];
};

/* A text of which the page may have some stretches only. */
class PiecedText {
  constructor(pieces, size) {
    this.size = size; // in characters
    this.pieces = pieces.map(([start, first, text]) => ({ start, first, text, end: start + text.length }));
  }

  /* The piece with a place; that of the end of the text is the last one. */
  pieceAt(place) {
    return this.pieces.find(({ start, end }) => start <= place && place <= end);
  }

  slice(from, to) {
    const piece = this.pieceAt(from);
    return piece ? piece.text.slice(from - piece.start, to - piece.start) : "";
  }

  /* A place in characters, from one in the units of this script. */
  character(place) {
    const piece = this.pieceAt(place);
    return piece ? piece.first + [...piece.text.slice(0, place - piece.start)].length : place;
  }
}

function numberWords(number, noun) {
  return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
}

/* What of the text is not on the page, and what of the matches is not in the text. */
function textNotes({ text, systems, deep }, lines) {
  const notes = [];
  const here = text.pieces.reduce((sum, piece) => sum + [...piece.text].length, 0);
  if (here < text.size)
    notes.push(`The text has ${numberWords(text.size, "character")}. This page has the ${here.toLocaleString("en-US")} that are near annotations.`);
  const matches = systems.reduce((sum, system) => sum + system.matches.length, 0);
  const unplaced = matches - [...lines, ...deep].filter(({ system }) => system).length;
  if (deep.length)
    notes.push(`${numberWords(deep.length, "annotation")} would lie below ${DEEPEST} lines of others: see the table.`);
  if (unplaced)
    notes.push(`${numberWords(unplaced, "annotation")} can't be shown in this text, since the span is not within it: see the table.`);
  return notes.map((note) => make("p", { class: "note" }, note));
}

/* Where an item is and what its type is; null if that is not known. */
function spanOf(item, scene) {
  if (!item) return null;
  const { data, place } = scene;
  const numbers = item.side === "gold" ? data.goldSpans[place]
    : data.predictedSpans[scene.systems[item.side].system][place];
  const [start, end, type] = numbers.slice(3 * item.place, 3 * item.place + 3);
  return start < 0 || start === undefined ? null : { start, end, type: data.types[type] };
}

/* A match with what it is about. */
function readMatch(match, system, scene) {
  const [gold, predicted] = [scene.gold[match.gold], system.predicted[match.predicted]];
  const outcome = scene.data.outcomes[match.outcome];
  const isFull = match.credit >= match.possible;
  const kind = KIND_OF_OUTCOME[outcome] || (isFull ? "correct-strict" : !predicted ? "missing" : !gold ? "spurious" : "incorrect");
  return {
    match, system, gold, predicted, outcome, kind,
    goldSpan: spanOf(gold, scene), predictedSpan: spanOf(predicted, scene),
  };
}

/* The lines of a text: what they lie under, in which group of rows, and what their labels say. */
function linesOf(scene) {
  const isPair = scene.systems.length > 1;
  const lines = [];
  const targets = new Map(); // by the place of the gold
  for (const system of scene.systems) {
    for (const one of system.matches.map((match) => readMatch(match, system, scene))) {
      const { goldSpan, predictedSpan } = one;
      const spans = isPair ? [predictedSpan || goldSpan] : [goldSpan, predictedSpan];
      const known = spans.filter(Boolean);
      if (isPair && goldSpan && !targets.has(one.gold)) targets.set(one.gold, goldSpan);
      if (!known.length) continue;
      lines.push({
        ...one, group: isPair ? system.number + 1 : 0,
        start: Math.min(...known.map(({ start }) => start)), end: Math.max(...known.map(({ end }) => end)),
        parts: isPair || known.length < 2 ? [{ ...known[0], kind: one.kind }] : partsOf(goldSpan, predictedSpan, one.kind),
        isRight: one.kind === "correct-strict",
      });
    }
  }
  for (const [gold, span] of targets)
    lines.push({ gold, goldSpan: span, kind: "gold", outcome: "", group: 0, ...span, parts: [{ ...span, kind: "gold" }], isRight: true });
  setRows(lines, isPair);
  scene.deep = lines.filter(({ row }) => row >= DEEPEST);
  return lines.filter(({ row }) => row < DEEPEST);
}

/* A pair of spans as one line: what both have, and what only one of them has. */
function partsOf(gold, predicted, kind) {
  const within = (start, end, span) => span.start <= start && end <= span.end;
  const ends = [...new Set([gold.start, gold.end, predicted.start, predicted.end])].sort((a, b) => a - b);
  if (ends.length === 1) return [{ start: ends[0], end: ends[0], kind }];
  return ends.slice(1).map((end, at) => {
    const [ofGold, ofPredicted] = [gold, predicted].map((span) => within(ends[at], end, span));
    const only = ofGold ? `${kind} only-gold` : `${kind} only-predicted`;
    return { start: ends[at], end, kind: ofGold && ofPredicted ? kind : ofGold || ofPredicted ? only : "" };
  }).filter((part) => part.kind);
}

/* Lines that meet get rows of their own, the gold's first; what meets nothing has the first row. */
function setRows(lines, isPair) {
  lines.sort((a, b) => a.start - b.start || b.end - a.end || a.group - b.group);
  const settle = (cluster) => {
    let base = 0;
    for (const group of [0, 1, 2]) {
      if (isPair) base = Math.max(base, group);
      const ends = [];
      for (const line of cluster.filter((one) => one.group === group)) {
        const free = ends.findIndex((end) => end <= line.start);
        const row = free < 0 ? ends.length : free;
        ends[row] = line.end;
        line.row = base + row;
      }
      base += ends.length;
    }
  };
  let cluster = [];
  let end = -1;
  for (const line of lines) {
    if (line.start >= end) {
      settle(cluster);
      cluster = [];
    }
    cluster.push(line);
    end = Math.max(end, line.end);
  }
  settle(cluster);
}

/* The stretches that are folded: those without anything that is not strictly correct, and of a text
   with very much that is not, all behind its beginning. */
function foldsOf(text, lines) {
  const folds = [];
  const wrong = lines.filter((line) => !line.isRight).slice(0, MOST_WRONG);
  for (const piece of text.pieces) {
    const kept = wrong.filter((line) => line.start <= piece.end && line.end >= piece.start)
      .map((line) => [keptStart(line.start, piece), keptEnd(line.end, piece)]);
    if (!kept.length) kept.push([piece.start, keptEnd(piece.start, piece)]);
    kept.sort((a, b) => a[0] - b[0]);
    let from = piece.start;
    for (const [start, end] of [...kept, [piece.end, piece.end]]) {
      if (start - from >= SHORTEST_FOLD) folds.push(...partsOfFold({ from, to: start }, piece, lines));
      from = Math.max(from, end);
    }
  }
  return folds.map((fold) => withoutCuts(fold, lines)).filter(({ from, to }) => to - from >= SHORTEST_FOLD);
}

function linesIn({ from, to }, lines) {
  return lines.filter((line) => line.start >= from && line.end <= to);
}

/* A fold in parts that can be opened one by one. */
function partsOfFold({ from, to }, piece, lines) {
  const inside = linesIn({ from, to }, lines);
  const parts = [];
  for (let at = MOST_IN_FOLD; at < inside.length; at += MOST_IN_FOLD) {
    const end = keptStart(inside[at].start, piece);
    if (end - from < SHORTEST_FOLD) continue;
    parts.push({ from, to: end });
    from = end;
  }
  return [...parts, { from, to }];
}

/* Begin with a line, a sentence or a word, and end with one. */
function keptStart(place, piece) {
  const from = place - AROUND - piece.start;
  if (from <= 0) return piece.start;
  const before = piece.text.slice(from, place - piece.start);
  const found = /\n|[.!?。！？؟]\s+/.exec(before) || /\s/.exec(before);
  return unsplit(piece, from + (found ? found.index + found[0].length : 0));
}

function keptEnd(place, piece) {
  const to = place + AROUND - piece.start;
  if (to >= piece.text.length) return piece.end;
  const after = piece.text.slice(place - piece.start, to);
  const found = [...after.matchAll(/\n|[.!?。！？؟](?=\s)/g)].pop() || [...after.matchAll(/\s/g)].pop();
  return unsplit(piece, place - piece.start + (found ? found.index + found[0].length : after.length));
}

/* A place that is not within a character of two units. */
function unsplit(piece, at) {
  return piece.start + (/[\udc00-\udfff]/.test(piece.text[at] || "") ? at - 1 : at);
}

/* A fold that cuts no short annotation. */
function withoutCuts({ from, to }, lines) {
  for (const { start, end } of lines) {
    if (end - start > AROUND) continue;
    if (start < from && end > from) from = end;
    if (start < to && end > to) to = start;
  }
  return { from, to };
}

/* The text with its lines, labels and folds, and the panel that speaks of one of them. */
class MarkedText {
  constructor(scene) {
    this.scene = scene;
    this.lines = linesOf(scene);
    this.folds = foldsOf(scene.text, this.lines);
    this.lineOf = new WeakMap(); // by element
    this.box = make("div", { class: "running", role: "group",
      "aria-label": `${scene.name}: its text with annotations` });
    this.panel = make("div", { class: "panel", "aria-live": "polite" },
      make("p", { class: "hint" }, "Point at a line or a label, or reach it with Tab, to read what both sides say."));
    for (const event of ["pointerover", "focusin", "click"])
      this.box.addEventListener(event, ({ target }) => this.point(target));
    this.fill();
    this.element = make("div", { class: "beside with-text" },
      make("div", {}, ...this.key(), this.box), this.panel);
  }

  /* Which system has which line. */
  key() {
    const { systems } = this.scene;
    if (systems.length < 2) return [];
    const who = systems.flatMap((system) => {
      const short = this.nameOf(system);
      return [", ", ...(short === system.name ? [] : [`${short} is `]), named(system.name)];
    });
    return [make("p", { class: "note" }, "Lines from top to bottom: gold", ...who)];
  }

  nameOf({ name, number }) {
    const areShort = this.scene.systems.every((one) => one.name.length <= SHORT_NAME);
    return areShort ? name : "AB"[number];
  }

  /* Write the text: paragraphs of plain stretches, of stretches with lines, and of folds. */
  fill() {
    this.elements = new Map(this.lines.map((line) => [line, []]));
    this.unlabelled = new Set(this.lines);
    this.paragraph = null;
    this.box.replaceChildren();
    const { pieces, size } = this.scene.text;
    let character = 0;
    for (const piece of pieces) {
      this.absent(piece.first - character);
      let at = piece.start;
      for (const fold of this.folds.filter(({ from }) => from >= piece.start && from < piece.end)) {
        this.stretch(at, fold.from);
        this.append(this.foldButton(fold));
        at = fold.to;
      }
      this.stretch(at, piece.end);
      character = piece.first + [...piece.text].length;
    }
    this.absent(size - character);
  }

  append(...nodes) {
    if (!this.paragraph) {
      this.paragraph = make("p", { dir: "auto" });
      this.rows = 0;
      this.box.append(this.paragraph);
    }
    this.paragraph.append(...nodes);
  }

  absent(number) {
    if (number > 0)
      this.append(make("span", { class: "absent", dir: "ltr" }, `… ${numberWords(number, "character")}, not on this page …`));
  }

  /* A stretch of text, cut wherever a line begins or ends. */
  stretch(from, to) {
    const lines = this.lines.filter((line) => line.start <= to && line.end >= from);
    const parts = lines.flatMap((line) => line.parts.map((part) => ({ ...part, line })))
      .filter((part) => part.start < to && part.end > from)
      .sort((a, b) => a.start - b.start);
    const places = lines.flatMap((line) => [line.start, line.end, ...line.parts.map(({ start }) => start)]);
    const cuts = [...new Set([from, ...places.filter((place) => place > from && place < to), to])].sort((a, b) => a - b);
    const ending = new Map();
    for (const line of lines) ending.set(line.end, [...(ending.get(line.end) || []), line]);
    let next = 0;
    let active = [];
    this.labels((ending.get(from) || []).filter((line) => line.start === from));
    for (let at = 0; at + 1 < cuts.length; at += 1) {
      const [start, end] = [cuts[at], cuts[at + 1]];
      while (next < parts.length && parts[next].start <= start) active.push(parts[next++]);
      active = active.filter((part) => part.end > start);
      for (const line of this.scene.text.slice(start, end).split(/(?<=\n)/)) {
        this.append(active.length ? this.underlined(line, active) : line);
        this.makeRoom(active);
        if (line.endsWith("\n")) this.paragraph = null;
      }
      this.labels(ending.get(end) || []);
    }
  }

  /* The shortest annotation is innermost, so that it is the one that is pointed at. */
  underlined(text, parts) {
    const inside = [...parts].sort((a, b) => (a.line.end - a.line.start) - (b.line.end - b.line.start));
    let node = text;
    for (const { kind, line } of inside) {
      node = make("span", { class: `under ${kind}` }, node);
      node.style.setProperty("--row", line.row);
      this.lineOf.set(node, line);
      this.elements.get(line).push(node);
    }
    return node;
  }

  /* Lines of a paragraph are as far apart as its rows need. */
  makeRoom(parts) {
    const rows = Math.max(this.rows, ...parts.map(({ line }) => line.row));
    if (rows > this.rows) this.paragraph.style.setProperty("--rows", rows);
    this.rows = rows;
  }

  labels(lines) {
    const here = lines.filter((line) => this.unlabelled.delete(line)).sort((a, b) => a.row - b.row);
    if (!here.length) return;
    const glue = "\u2060"; // labels stay with the word before them, and with a full stop behind them
    const labels = here.flatMap((line) => [" ", this.label(line)]).slice(1);
    this.append(make("span", { class: "labels" }, glue, ...labels, glue));
  }

  label(line) {
    const { goldSpan, predictedSpan, outcome, system, kind } = line;
    const isPair = this.scene.systems.length > 1;
    const type = [goldSpan, predictedSpan].filter(Boolean).map((span) => span.type);
    const types = isPair && system ? (goldSpan && goldSpan.type === predictedSpan?.type ? [] : type.slice(-1))
      : [[...new Set(type)].join(" → ")];
    const owner = system ? (isPair ? this.nameOf(system) : "") : "gold";
    const shown = [owner, ...(kind === "missing" && isPair ? [] : types), SHORT_OUTCOME[outcome] || outcome];
    const spoken = [system?.name, outcome, quoted(line, this.scene)].filter(Boolean).join(", ");
    // No button element: before and behind one, a browser may break the line.
    const label = make("span", { role: "button", tabindex: 0, class: `span-label ${kind}`, dir: "auto" },
      ...shown.filter(Boolean).flatMap((text) => ["\u00a0", isPlain(text) ? text : named(text)]).slice(1),
      make("span", { class: "unseen" }, ` ${spoken}`));
    this.lineOf.set(label, line);
    this.elements.get(line).push(label);
    return label;
  }

  foldButton(fold) {
    const { text } = this.scene;
    const size = text.character(fold.to) - text.character(fold.from);
    const inside = linesIn(fold, this.lines);
    const wrong = new Set(inside.filter((line) => !line.isRight).map((line) => line.gold || line));
    const right = inside.filter((line) => line.group === 0 && line.isRight && !wrong.has(line.gold)).length;
    const counts = [numberWords(size, "character")];
    if (right) counts.push(numberWords(right, "correct annotation"));
    if (wrong.size) counts.push(numberWords(wrong.size, "other"));
    const button = make("button", { type: "button", class: "fold", dir: "ltr", "aria-expanded": "false" },
      `… ${counts.join(", ")} …`);
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      this.folds = this.folds.filter((one) => one !== fold);
      this.fill();
      this.focusAt(fold.from);
    });
    return button;
  }

  /* The first label behind a place, or the text itself. */
  focusAt(place) {
    const tags = [...this.box.querySelectorAll(".span-label")];
    const first = tags.find((tag) => this.lineOf.get(tag).end > place);
    if (!first) this.box.setAttribute("tabindex", -1);
    (first || this.box).focus({ preventScroll: true });
  }

  /* Show what is pointed at, with all that has the same target. */
  point(target) {
    const found = target.closest(".span-label, .under");
    const line = found && this.lineOf.get(found);
    if (!line || line === this.pointed) return;
    this.pointed = line;
    const isNear = (other) => other === line || (line.gold && other.gold === line.gold);
    for (const [other, elements] of this.elements)
      for (const element of elements) element.classList.toggle("on", isNear(other));
    const matches = this.lines.filter((other) => other.system && isNear(other));
    this.panel.replaceChildren(
      ...matches.map((one) => this.creditLine(one)),
      ...(line.gold ? [this.sideBlock(line.gold, line.goldSpan, "gold")] : []),
      ...matches.filter(({ predicted }) => predicted)
        .map((one) => this.sideBlock(one.predicted, one.predictedSpan, this.scene.systems.length > 1 ? one.system.name : "predicted")),
    );
  }

  creditLine({ system, outcome, match }) {
    const apart = match.distance > 0 ? `, start and end are ${numberWords(match.distance, "character")} off` : "";
    return make("p", { class: "told" }, ...(this.scene.systems.length > 1 ? [named(system.name), ": "] : []),
      make("b", {}, outcome), `${apart}: counts ${rounded(match.credit)} of ${rounded(match.possible)}`);
  }

  sideBlock(item, span, owner) {
    const { text } = this.scene;
    const places = span ? `${text.character(span.start)}–${text.character(span.end)}` : "";
    return make("section", { class: `text ${owner === "gold" ? "gold" : "predicted"}` },
      make("h4", {}, named(owner), make("span", {}, places)),
      ...(span ? [make("p", {}, make("b", { dir: "auto" }, span.type)), make("p", { class: "quoted", dir: "auto" }, excerpt(text.slice(span.start, span.end)))] : []),
      ...item.texts.map((fact) => make("p", { dir: "auto" }, fact)),
      make("p", { class: "note", dir: "auto" }, item.name));
  }
}

/* Whether a text needs no direction of its own: thousands of those take their time. */
function isPlain(text) {
  return /^[\x20-\x7e✓→]*$/.test(text);
}

function excerpt(words) {
  const characters = [...words];
  return characters.length > QUOTED ? `${characters.slice(0, QUOTED).join("")}…` : words;
}

function quoted({ start, end }, { text }) {
  return excerpt(text.slice(start, end).replace(/\s+/g, " "));
}

/* How often each system has each outcome. */
function countTable({ name, data, systems }) {
  const order = Object.keys(KIND_OF_OUTCOME);
  const rank = (outcome) => (order.indexOf(data.outcomes[outcome]) + order.length + 1) % (order.length + 1);
  const found = [...new Set(systems.flatMap(({ matches }) => matches.map(({ outcome }) => outcome)))];
  const rows = found.sort((a, b) => rank(a) - rank(b) || a - b).map((outcome) => [data.outcomes[outcome],
    ...systems.map(({ matches }) => matches.filter((match) => match.outcome === outcome).length)]);
  return plainTable(`${name}: annotations by outcome`, ["outcome", ...systems.map((system) => system.name)], rows);
}
