/* The picture of a case: gold and predicted days as two lanes on a time axis, and what was aligned. */

const MATCH = 8; // numbers a match has
const SVG = "http://www.w3.org/2000/svg";
const CLOSEST = 18; // pixels between two days that can still be told apart and pointed at
const LANES = { gold: 44, predicted: 204 };
const AXIS = 246;
const LEFT = 98;
const RIGHT = 28;
const RADIUS = 6.5;
const ARROW = 36; // pixels for the ends of what has no bound

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* What stands below the axis; what the mark before it says already may be left out. */
function tickWords(day, shared = "") {
  return day.near && day.far === shared ? day.near : [day.near, day.far].filter(Boolean).join(" ");
}

const LENGTHS = [ // in words, of so many days, from more than so many days on
  ["year", 365.25, 730], ["month", 30.44, 120], ["week", 7, 44], ["day", 1, 2],
  ["hour", 1 / 24, 2 / 24], ["minute", 1 / 1440, 2 / 1440], ["second", 1 / 86400, 2 / 86400],
  ["millisecond", 1 / 864e5, 2 / 864e5], ["microsecond", 1 / 864e8, 0],
];

function gapWords(days) {
  const [name, length] = LENGTHS.find(([, , least]) => days > least);
  return `${Math.round(days / length)} ${name}s`;
}

/* Cells to pixels: evenly if all days can be told apart, else long gaps are drawn shorter. */
function timeScale(days, width, cell) {
  const ends = days.flatMap((day) => day.span).filter((end) => end !== null);
  const points = [...new Set(ends)].sort((a, b) => a - b);
  const gaps = points.slice(1).map((point, at) => point - points[at]);
  const arrows = [0, 1].map((end) => (days.some((day) => day.span[end] === null) ? ARROW : 0));
  const [left, right] = [LEFT + arrows[0], RIGHT + arrows[1]];
  const room = width - left - right;
  const total = points[points.length - 1] - points[0];
  const even = !gaps.length || (Math.min(...gaps) * room) / total >= CLOSEST;
  // The gentlest shortening that fits; if none does, the picture is wider than the page.
  const add = (numbers) => numbers.reduce((a, b) => a + b, 0) || 1;
  const ways = [1, 0.5, 0.25, 0.1].map((by) => gaps.map((gap) => 1 + by * Math.log2(gap)));
  const fits = (way) => room / add(way) >= CLOSEST;
  const weights = even ? gaps : ways.find(fits) || ways[ways.length - 1];
  const unit = even ? room / add(weights) : Math.max(room / add(weights), CLOSEST);
  const places = [gaps.length ? left : left + room / 2];
  weights.forEach((weight, at) => places.push(places[at] + weight * unit));
  const where = new Map(points.map((point, at) => [point, places[at]]));
  const whole = Math.max(width, places[places.length - 1] + right);
  const edges = { left: LEFT - 20, right: whole - 8 };
  return { x: (point) => where.get(point), even, width: whole, edges, points, gaps, cell };
}

function farness(distance) {
  return distance <= 0 ? 0 : distance <= 2 ? 1 : distance <= 7 ? 2 : 3;
}

/* The matches of one side as objects; both sides' count for either. */
function matchesOf(lists, side) {
  const found = [];
  for (const numbers of [lists[side === "precision" ? 0 : 1], lists[2]]) {
    for (let at = 0; at < numbers.length; at += MATCH) {
      const [gold, predicted, distance, shared, possible, credit, outcome, alone] =
        numbers.slice(at, at + MATCH);
      found.push({ gold, predicted, distance, shared, possible, credit, outcome, alone });
    }
  }
  return found;
}

function axis(scale, days) {
  const marks = [
    draw("line", { x1: LEFT - 20, x2: scale.width - 8, y1: AXIS, y2: AXIS, class: "axis-line" }),
  ];
  let end = -Infinity;
  let shared = "";
  const named = new Map(days.map((day) => [day.span[0] ?? day.span[1], day]));
  for (const [point, day] of [...named].sort((a, b) => a[0] - b[0])) {
    const x = scale.x(point);
    marks.push(draw("line", { x1: x, x2: x, y1: AXIS, y2: AXIS + 4, class: "axis-line" }));
    const text = tickWords(day, shared);
    const half = text.length * 3.2 + 5;
    const middle = Math.max(half, Math.min(x, scale.width - half)); // within the picture
    if (middle - half < end) continue;
    marks.push(draw("line", { x1: x, x2: x, y1: LANES.gold, y2: AXIS, class: "guide" }));
    marks.push(draw("text", { x: middle, y: AXIS + 19, "text-anchor": "middle" }, text));
    end = middle + half;
    shared = day.far;
  }
  if (!scale.even) {
    scale.gaps.forEach((gap, at) => {
      const [from, to] = [scale.x(scale.points[at]), scale.x(scale.points[at + 1])];
      if (gap < 45 || to - from < 56) return;
      const middle = (from + to) / 2;
      const d = `M${middle - 5} ${AXIS + 4}l4 -8M${middle + 1} ${AXIS + 4}l4 -8`;
      marks.push(draw("path", { d, class: "break" }));
      const text = { x: middle, y: AXIS - 9, "text-anchor": "middle", class: "gap" };
      marks.push(draw("text", text, gapWords(gap * scale.cell)));
    });
  }
  return draw("g", { "aria-hidden": "true", class: "axis" }, ...marks);
}

function dayMark(day, scale, open, alone, label) {
  const y = LANES[day.side];
  const [first, last] = day.span;
  const from = first === null ? scale.edges.left : scale.x(first);
  const to = last === null ? scale.edges.right : scale.x(last);
  const state = `${open ? " open" : ""}`;
  const marks = [];
  let middle = from;
  if (to > from) {
    middle = (from + to) / 2;
    const top = day.side === "gold" ? y - 22 : y + 12;
    const bar = first === null || last === null
      ? draw("path", { d: arrow(from - 5, to + 5, top + 5, first === null, last === null), class: `dot${state}` })
      : draw("rect", { x: from - 5, y: top, width: to - from + 10, height: 10, rx: 5, class: `dot${state}` });
    marks.push(
      bar,
      draw("line", { x1: middle, x2: middle, y1: day.side === "gold" ? top + 10 : top, y2: y, class: "stem" }),
    );
    if (alone) marks.push(cross(middle, top + 5));
  } else {
    marks.push(draw("circle", { cx: from, cy: y, r: 12, class: "touch" }));
    marks.push(draw("circle", { cx: from, cy: y, r: RADIUS, class: `dot${state}` }));
    if (alone) marks.push(cross(from, y));
  }
  day.x = middle;
  const attributes = { class: `day ${day.side}`, tabindex: 0, role: "button", "aria-label": label };
  return draw("g", attributes, ...marks);
}

/* The outline of a bar with a head at each end that has no bound. */
function arrow(from, to, y, left, right) {
  const begin = left ? `M${from + 9} ${y + 5}v4L${from} ${y}l9 -9v4` : `M${from} ${y + 5}v-10`;
  return begin + (right ? `L${to - 9} ${y - 5}v-4L${to} ${y}l-9 9v-4Z` : `L${to} ${y - 5}v10Z`);
}

function cross(x, y) {
  const d = `M${x - 3} ${y - 3}l6 6M${x + 3} ${y - 3}l-6 6`;
  return draw("path", { d, class: "cross" });
}

function linkMark(match, gold, predicted, most, label) {
  const [top, bottom] = [LANES.gold + RADIUS, LANES.predicted - RADIUS];
  const middle = (top + bottom) / 2;
  const d = `M${gold.x} ${top}C${gold.x} ${middle} ${predicted.x} ${middle} ${predicted.x} ${bottom}`;
  const nothing = match.shared < 0 ? !match.credit : match.shared === 0;
  const width = nothing ? 1 : match.shared < 0 ? 2.5 : 1.5 + (6 * match.shared) / most;
  const kind = nothing ? "nothing" : `far-${farness(match.distance)}`;
  return draw(
    "g",
    { class: "link", tabindex: 0, role: "button", "aria-label": label },
    draw("path", { d, class: "touch" }),
    draw("path", { d, class: `line ${kind}`, "stroke-width": width.toFixed(2) }),
  );
}

/* Draw the days and matches of one side; `tell(day or match)` gives words, `show` is called with it. */
function picture(gold, predicted, matches, side, width, cell, tell, show) {
  const days = [...gold, ...predicted].filter((day) => day.span);
  if (!days.length) return null;
  const scale = timeScale(days, width, cell);
  const linked = new Set();
  const alone = new Set();
  for (const match of matches) {
    const [own, other] = [gold[match.gold], predicted[match.predicted]];
    if (own && other) linked.add(own).add(other);
    if (match.alone) alone.add(side === "recall" ? own : other);
  }
  const marks = new Map();
  const add = (thing, element) => {
    marks.set(thing, element);
    for (const event of ["pointerenter", "focus", "click"])
      element.addEventListener(event, () => show(thing, marks));
    return element;
  };
  const drawnDays = days.map((day) => {
    const lone = alone.has(day);
    return add(day, dayMark(day, scale, lone || !linked.has(day), lone, tell(day)));
  });
  const most = Math.max(1, ...matches.map((match) => match.shared));
  const drawnLinks = matches
    .filter((match) => gold[match.gold]?.span && predicted[match.predicted]?.span)
    .map((match) =>
      add(match, linkMark(match, gold[match.gold], predicted[match.predicted], most, tell(match))));
  const lanes = ["gold", "predicted"].map((name) =>
    draw("g", { "aria-hidden": "true", class: "lane" },
      draw("line", { x1: LEFT - 20, x2: scale.width - 8, y1: LANES[name], y2: LANES[name] }),
      draw("text", { x: 0, y: LANES[name] + 4 }, name)));
  const height = AXIS + 30;
  const size = { width: scale.width, height, viewBox: `0 0 ${scale.width} ${height}` };
  const svg = draw("svg", { ...size, role: "group", class: "picture" },
    axis(scale, days), ...lanes, ...drawnDays, ...drawnLinks);
  svg.addEventListener("keydown", (event) => walk(event, svg));
  return { svg, even: scale.even };
}

/* Arrow keys go along the days of a lane, and up and down between the lanes. */
function walk(event, svg) {
  const here = event.target.closest(".day");
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const lane = { ArrowUp: "gold", ArrowDown: "predicted" }[event.key];
  if (!here || (!step && !lane)) return;
  event.preventDefault();
  const own = [...svg.querySelectorAll(here.classList.contains("gold") ? ".day.gold" : ".day.predicted")];
  const box = (element) => element.getBoundingClientRect().x;
  const near = (a, b) => Math.abs(box(a) - box(here)) - Math.abs(box(b) - box(here));
  const next = step
    ? own[own.indexOf(here) + step]
    : [...svg.querySelectorAll(`.day.${lane}`)].sort(near)[0];
  if (next) next.focus();
}
