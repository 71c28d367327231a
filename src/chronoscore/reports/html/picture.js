"use strict";
/* The picture of a case: gold and predicted days as two lanes on a time axis, and what was aligned. */

const MATCH = 8; // numbers a match has
const SVG = "http://www.w3.org/2000/svg";
const DAY = 86400000;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const CLOSEST = 18; // pixels between two days that can still be told apart and pointed at
const LANES = { gold: 44, predicted: 204 };
const AXIS = 246;
const LEFT = 98;
const RIGHT = 28;
const RADIUS = 6.5;

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* First and last day of "2011", "2011-02" or "2011-02-05", in days since 1970. */
function period(name) {
  const [year, month, day] = name.split("-").map(Number);
  const at = (y, m, d) => {
    const date = new Date(0);
    date.setUTCFullYear(y, m, d);
    return Math.round(date.getTime() / DAY);
  };
  if (day) return [at(year, month - 1, day), at(year, month - 1, day)];
  if (month) return [at(year, month - 1, 1), at(year, month, 0)];
  return [at(year, 0, 1), at(year, 11, 31)];
}

function dateWords(name, year = true) {
  const [y, m, d] = name.split("-");
  const parts = [d ? String(Number(d)) : "", m ? MONTHS[m - 1] : "", year || !m ? y : ""];
  return parts.filter(Boolean).join(" ");
}

function gapWords(days) {
  if (days > 730) return `${Math.round(days / 365.25)} years`;
  if (days > 120) return `${Math.round(days / 30.44)} months`;
  return `${Math.round(days / 7)} weeks`;
}

/* Days to pixels: evenly if all days can be told apart, else long gaps are drawn shorter. */
function timeScale(days, width) {
  const points = [...new Set(days.flatMap((day) => day.span))].sort((a, b) => a - b);
  const gaps = points.slice(1).map((point, at) => point - points[at]);
  const room = width - LEFT - RIGHT;
  const total = points[points.length - 1] - points[0];
  const even = !gaps.length || (Math.min(...gaps) * room) / total >= CLOSEST;
  // The gentlest shortening that fits; if none does, the picture is wider than the page.
  const add = (numbers) => numbers.reduce((a, b) => a + b, 0) || 1;
  const ways = [1, 0.5, 0.25, 0.1].map((by) => gaps.map((gap) => 1 + by * Math.log2(gap)));
  const fits = (way) => room / add(way) >= CLOSEST;
  const weights = even ? gaps : ways.find(fits) || ways[ways.length - 1];
  const unit = even ? room / add(weights) : Math.max(room / add(weights), CLOSEST);
  const places = [gaps.length ? LEFT : LEFT + room / 2];
  weights.forEach((weight, at) => places.push(places[at] + weight * unit));
  const where = new Map(points.map((point, at) => [point, places[at]]));
  const right = places[places.length - 1] + RIGHT;
  return { x: (point) => where.get(point), even, width: Math.max(width, right), points, gaps };
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
  let year = "";
  const named = new Map(days.map((day) => [day.span[0], day.name]));
  for (const [point, name] of [...named].sort((a, b) => a[0] - b[0])) {
    const x = scale.x(point);
    const same = name.slice(0, 4) === year;
    marks.push(draw("line", { x1: x, x2: x, y1: AXIS, y2: AXIS + 4, class: "axis-line" }));
    const text = dateWords(name, !same);
    const half = text.length * 3.2 + 5;
    if (x - half < end) continue;
    marks.push(draw("line", { x1: x, x2: x, y1: LANES.gold, y2: AXIS, class: "guide" }));
    marks.push(draw("text", { x, y: AXIS + 19, "text-anchor": "middle" }, text));
    end = x + half;
    year = name.slice(0, 4);
  }
  if (!scale.even) {
    scale.gaps.forEach((gap, at) => {
      const [from, to] = [scale.x(scale.points[at]), scale.x(scale.points[at + 1])];
      if (gap < 45 || to - from < 56) return;
      const middle = (from + to) / 2;
      const d = `M${middle - 5} ${AXIS + 4}l4 -8M${middle + 1} ${AXIS + 4}l4 -8`;
      marks.push(draw("path", { d, class: "break" }));
      const text = { x: middle, y: AXIS - 9, "text-anchor": "middle", class: "gap" };
      marks.push(draw("text", text, gapWords(gap)));
    });
  }
  return draw("g", { "aria-hidden": "true", class: "axis" }, ...marks);
}

function dayMark(day, scale, open, alone, label) {
  const y = LANES[day.side];
  const [from, to] = day.span.map(scale.x);
  const state = `${open ? " open" : ""}`;
  const marks = [];
  let middle = from;
  if (to > from) {
    middle = (from + to) / 2;
    const top = day.side === "gold" ? y - 22 : y + 12;
    marks.push(
      draw("rect", { x: from - 5, y: top, width: to - from + 10, height: 10, rx: 5, class: `dot${state}` }),
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
function picture(gold, predicted, matches, side, width, tell, show) {
  const days = [...gold, ...predicted];
  if (!days.length) return null;
  const scale = timeScale(days, width);
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
    .filter((match) => gold[match.gold] && predicted[match.predicted])
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
