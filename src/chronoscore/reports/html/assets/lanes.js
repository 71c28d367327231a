/* The picture of a case in time: the items of the gold and of one or two systems (days, or events) as
   lanes on a time axis, with links between them. With two systems the gold is in the middle. Items of
   one time are stacked; those without a time stand apart, at the right end. */

const CLOSEST = 18; // pixels between two items that can still be told apart and pointed at
const STACK_ROW = 16; // pixels from row to row of items that are stacked
const UNDATED_ROWS = 6; // of items without a time, before they fill another column
const FIRST_LANE = 44;
const NEXT_LANE = 160; // pixels from lane to lane
const BELOW = 42; // from the last lane to the axis
const LEFT = 110;
const RIGHT = 28;
const RADIUS = 6.5;
const ARROW = 36; // pixels for the ends of what has no bound
const NAME = 12; // letters of a system's name beside its lane

views.lanes = (scene) => {
  const { data } = scene;
  const side = scene.side === "precision" ? 0 : 1;
  const timed = (items) => items.map((item) => withTime(item, item.name, data.axis));
  scene.gold = timed(scene.gold);
  for (const system of scene.systems) {
    system.predicted = timed(system.predicted);
    system.loss = data.losses[system.system][scene.place][scene.at][side];
  }
  scene.unit = data.units[scene.at];
  scene.apart = data.apart[scene.at];
  scene.marks = marksOf(data, data.processing[scene.at]);
  const losses = scene.systems.filter(({ loss }) => loss);
  const bars = losses.map((system) => lossBlock(system.loss, scene, losses.length > 1 ? system.name : ""));
  return [pictureBlock(scene, dayPicture(scene)), make("div", { class: "side-by-side" }, ...bars), ...foldedTables(scene)];
};

/* What the picture of days shows: see `pictureBlock`. */
function dayPicture(scene) {
  const linked = new Set();
  const alone = new Map();
  for (const match of matchesOfAll(scene)) {
    const [own, other] = endsOf(match, scene);
    if (own && other) linked.add(own).add(other);
    const lone = scene.side === "recall" ? own : other;
    if (match.alone) alone.set(lone, (alone.get(lone) || 0) + 1);
  }
  // A gold day stands alone if no system has it.
  const isAlone = (day) => alone.get(day) >= (day.side === "gold" ? scene.systems.length : 1);
  const most = Math.max(1, ...matchesOfAll(scene).map((match) => match.shared));
  return {
    nouns: "days",
    hint: "Point at a day or a link, or reach it with Tab, to read what all sides say.",
    isAlone,
    isOpen: (day) => isAlone(day) || !linked.has(day),
    lineOf: (match) => dayLine(match, most),
    label: (thing) => label(thing, scene),
    fill: (panel, thing) => fillPanel(panel, thing, scene),
  };
}

function dayLine(match, most) {
  const nothing = match.shared < 0 ? !match.credit : match.shared === 0;
  return {
    kind: nothing ? "nothing" : `far-${farness(match.distance)}`,
    width: nothing ? 1 : match.shared < 0 ? 2.5 : 1.5 + (6 * match.shared) / most,
  };
}

/* An item with the place of its time on the axis; without one if it is no time, or none. */
function withTime(item, time, axis) {
  const place = axis.times[time];
  if (!place) return { ...item, words: time || "no date" };
  const [first, last, near, far, words] = place;
  return { ...item, span: [first, last], near, far, words: words || tickWords({ near, far }) };
}

/* The picture beside a panel. `shown` says what the picture shows: the nouns for its items, the hint in
   the panel, which items are open or stand alone, the kind and the width of a match's line, the label
   of an item or a match, and how the panel is filled for it. */
function pictureBlock(scene, shown) {
  const reach = { tabindex: 0, role: "group", "aria-label": `What all sides say in ${scene.name}` }; // it may scroll
  const panel = make("div", { class: "panel", "aria-live": "polite", ...reach }, make("p", { class: "hint" }, shown.hint));
  const width = Math.max(480, scene.width - (scene.width > 900 ? 352 : 0));
  const show = (thing, marks) => {
    for (const [other, mark] of marks)
      mark.classList.toggle("on", other === thing || touches(other, thing, scene));
    shown.fill(panel, thing);
  };
  const drawn = picture(scene, width, shown, show);
  if (!drawn) return make("p", { class: "none" }, `There are no ${shown.nouns} with a time.`);
  const names = scene.systems.map(({ name }) => name).join(" and ");
  const side = scene.metric.sides.length ? ` ${scene.side}` : "";
  drawn.svg.setAttribute("aria-label",
    `${scene.name}: gold ${shown.nouns} and those of ${names}, ${scene.metric.label}${side}`);
  const note = drawn.even ? "Time runs evenly." : `Close ${shown.nouns} are drawn apart and long gaps shortened.`;
  const frame = make("div", { class: "frame", tabindex: 0, role: "group", "aria-label": `${scene.name}: ${shown.nouns} in time` },
    drawn.svg, make("p", { class: "note" }, note));
  return make("div", { class: "beside" }, frame, panel);
}

/* The items at both ends of a match. */
function endsOf(match, scene) {
  return match.ends || [scene.gold[match.gold], scene.systems[match.number].predicted[match.predicted]];
}

function touches(one, other, scene) {
  const isDay = (thing) => thing.side !== undefined;
  if (!isDay(one) && isDay(other)) return endsOf(one, scene).includes(other);
  if (isDay(one) && !isDay(other)) return endsOf(other, scene).includes(one);
  return isDay(one) && isDay(other) && matchesOfAll(scene).some((match) => {
    const ends = endsOf(match, scene);
    return ends.includes(one) && ends.includes(other);
  });
}

/* The matches of all systems, each with the number of its system. */
function matchesOfAll(scene) {
  scene.all ??= scene.systems.flatMap(({ matches, number }) => matches.map((match) => ({ ...match, number })));
  return scene.all;
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

/* Cells to pixels: evenly if all times can be told apart, else long gaps are drawn shorter. The right
   end is kept free for columns of items without a time. */
function timeScale(days, width, cell, columns) {
  const ends = days.flatMap((day) => day.span).filter((end) => end !== null);
  const points = [...new Set(ends)].sort((a, b) => a - b);
  const gaps = points.slice(1).map((point, at) => point - points[at]);
  const arrows = [0, 1].map((end) => (days.some((day) => day.span[end] === null) ? ARROW : 0));
  const apart = columns ? Math.max(64, CLOSEST * (columns + 1)) : 0;
  const [left, right] = [LEFT + arrows[0], RIGHT + arrows[1] + apart];
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
  const edges = { left: LEFT - 20, right: whole - apart - 8 };
  const undated = (column) => whole - RADIUS - 8 - CLOSEST * column;
  return { x: (point) => where.get(point), even, width: whole, edges, undated, points, gaps, cell };
}

function farness(distance) {
  return distance <= 0 ? 0 : distance <= 2 ? 1 : distance <= 7 ? 2 : 3;
}

function axis(scale, days, y, top) {
  const { left, right } = scale.edges;
  const marks = [draw("line", { x1: left, x2: right, y1: y, y2: y, class: "axis-line" })];
  if (right < scale.width - 8)
    marks.push(draw("text", { x: scale.width - 4, y: y + 19, "text-anchor": "end" }, "undated"));
  let end = -Infinity;
  let shared = "";
  const named = new Map(days.map((day) => [day.span[0] ?? day.span[1], day]));
  for (const [point, day] of [...named].sort((a, b) => a[0] - b[0])) {
    const x = scale.x(point);
    marks.push(draw("line", { x1: x, x2: x, y1: y, y2: y + 4, class: "axis-line" }));
    const text = tickWords(day, shared);
    const half = text.length * 3.2 + 5;
    const middle = Math.max(half, Math.min(x, right + 8 - half)); // within the axis
    if (middle - half < end) continue;
    marks.push(draw("line", { x1: x, x2: x, y1: top, y2: y, class: "guide" }));
    marks.push(draw("text", { x: middle, y: y + 19, "text-anchor": "middle" }, text));
    end = middle + half;
    shared = day.far;
  }
  if (!scale.even) {
    scale.gaps.forEach((gap, at) => {
      const [from, to] = [scale.x(scale.points[at]), scale.x(scale.points[at + 1])];
      if (gap < 45 || to - from < 56) return;
      const middle = (from + to) / 2;
      const d = `M${middle - 5} ${y + 4}l4 -8M${middle + 1} ${y + 4}l4 -8`;
      marks.push(draw("path", { d, class: "break" }));
      const text = { x: middle, y: y - 9, "text-anchor": "middle", class: "gap" };
      marks.push(draw("text", text, gapWords(gap * scale.cell)));
    });
  }
  return draw("g", { "aria-hidden": "true", class: "axis" }, ...marks);
}

/* Give every item of a lane its place: from where to where, and the lowest row in which it touches no
   other. Points come first, so that what lasts is stacked on them. Return how high the stack is. */
function stack(items, scale) {
  const rows = [];
  const ends = ({ span: [first, last] }) =>
    [first === null ? scale.edges.left : scale.x(first), last === null ? scale.edges.right : scale.x(last)];
  const timed = items.filter((item) => item.span);
  for (const item of timed) [item.from, item.to] = ends(item);
  timed.sort((a, b) => (a.to > a.from) - (b.to > b.from) || a.from - b.from);
  for (const item of timed) {
    const isFree = (row) => row.every(({ from, to }) => item.from > to + 2 * RADIUS || item.to < from - 2 * RADIUS);
    const found = rows.findIndex(isFree);
    item.row = found < 0 ? rows.length : found;
    (rows[item.row] ||= []).push(item);
  }
  const undated = items.filter((item) => !item.span);
  undated.forEach((item, at) => {
    item.from = item.to = scale.undated(Math.floor(at / UNDATED_ROWS));
    item.row = at % UNDATED_ROWS;
  });
  for (const item of items) item.x = (item.from + item.to) / 2;
  return Math.max(0, ...items.map(({ row }) => row));
}

/* An item in its row: a dot, or a bar for what lasts. */
function dayMark(day, lane, isOpen, isAlone, text) {
  const { from, to, x, y } = day;
  const kind = isOpen ? "dot open" : "dot";
  const marks = [];
  if (to > from) {
    const [first, last] = day.span;
    marks.push(first === null || last === null
      ? draw("path", { d: arrow(from - 5, to + 5, y, first === null, last === null), class: kind })
      : draw("rect", { x: from - 5, y: y - 5, width: to - from + 10, height: 10, rx: 5, class: kind }));
  } else {
    marks.push(draw("circle", { cx: x, cy: y, r: lane.isStacked ? STACK_ROW / 2 : 12, class: "touch" }));
    marks.push(draw("circle", { cx: x, cy: y, r: RADIUS, class: kind }));
  }
  if (isAlone) marks.push(cross(x, y));
  const side = day.side === "gold" ? "gold" : "predicted";
  return draw("g", { class: `day ${side}`, "data-lane": lane.at, tabindex: 0, role: "button", "aria-label": text }, ...marks);
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

function linkMark(match, [gold, predicted], { kind, width }, text) {
  const away = gold.y < predicted.y ? RADIUS : -RADIUS;
  const [top, bottom] = [gold.y + away, predicted.y - away];
  const middle = (top + bottom) / 2;
  const d = `M${gold.x} ${top}C${gold.x} ${middle} ${predicted.x} ${middle} ${predicted.x} ${bottom}`;
  return draw(
    "g",
    { class: "link", "data-system": match.number, tabindex: 0, role: "button", "aria-label": text },
    draw("path", { d, class: "touch" }),
    draw("path", { d, class: `line ${kind}`, "stroke-width": width.toFixed(2) }),
  );
}

/* The lanes from top to bottom, by whose days they have: the gold, or the number of a system. */
function lanesOf(scene) {
  const [one, two] = scene.systems.map(({ name, number }) => [number, name]);
  const gold = ["gold", "gold"];
  const order = two ? [one, gold, two] : [gold, [0, scene.data.systems.length > 1 && one ? one[1] : "predicted"]];
  return new Map(order.map(([side, name], at) =>
    [side, { at, name, isLast: at === order.length - 1 }]));
}

/* Stack the items of the lanes: upwards, in the last lane downwards. Return where the axis is. */
function stackLanes(lanes, items, scale) {
  let y = FIRST_LANE;
  for (const [side, lane] of lanes) {
    const own = items.filter((item) => item.side === side);
    const height = STACK_ROW * stack(own, scale);
    lane.isStacked = height > 0;
    lane.y = lane.isLast ? y : y + height;
    for (const item of own) item.y = lane.y + (lane.isLast ? 1 : -1) * STACK_ROW * item.row;
    y = lane.isLast ? lane.y + height + BELOW : lane.y + NEXT_LANE;
  }
  return y;
}

/* Draw items and matches; `show` is called with the one that is pointed at. */
function picture(scene, width, shown, show) {
  const items = [...scene.gold, ...scene.systems.flatMap(({ predicted }) => predicted)];
  const days = items.filter((item) => item.span);
  if (!days.length) return null;
  const lanes = lanesOf(scene);
  const undated = [...lanes.keys()].map((side) => items.filter((item) => item.side === side && !item.span).length);
  const columns = Math.ceil(Math.max(...undated) / UNDATED_ROWS);
  const scale = timeScale(days, width, scene.data.axis.cell, columns);
  const last = stackLanes(lanes, items, scale);
  const marks = new Map();
  const add = (thing, element) => {
    marks.set(thing, element);
    for (const event of ["pointerenter", "focus", "click"])
      element.addEventListener(event, () => show(thing, marks));
    return element;
  };
  const drawnDays = items.map((item) => add(item,
    dayMark(item, lanes.get(item.side), shown.isOpen(item), shown.isAlone(item), shown.label(item))));
  const drawnLinks = matchesOfAll(scene)
    .map((match) => [match, endsOf(match, scene)])
    .filter(([, ends]) => ends.every(Boolean))
    .map(([match, ends]) => add(match, linkMark(match, ends, shown.lineOf(match), shown.label(match))));
  const named = [...lanes.values()].map(({ name, y }) => {
    return draw("g", { "aria-hidden": "true", class: "lane" },
      draw("title", {}, name),
      draw("line", { x1: LEFT - 20, x2: scale.width - 8, y1: y, y2: y }),
      draw("text", { x: 0, y: y + 4 }, shortName(name, NAME)));
  });
  const height = last + 30;
  const size = { width: scale.width, height, viewBox: `0 0 ${scale.width} ${height}` };
  const svg = draw("svg", { ...size, role: "group", class: "picture" },
    axis(scale, days, last, FIRST_LANE), ...named, ...drawnDays, ...drawnLinks);
  svg.addEventListener("keydown", (event) => walk(event, svg));
  return { svg, even: scale.even };
}

/* Arrow keys go along the days of a lane, and up and down between the lanes. */
function walk(event, svg) {
  const here = event.target.closest(".day");
  const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!here || (!along && !across)) return;
  event.preventDefault();
  const lane = Number(here.dataset.lane);
  const daysOf = (at) => [...svg.querySelectorAll(`.day[data-lane="${at}"]`)];
  const box = (element) => element.getBoundingClientRect().x;
  const near = (a, b) => Math.abs(box(a) - box(here)) - Math.abs(box(b) - box(here));
  const next = along ? daysOf(lane)[daysOf(lane).indexOf(here) + along] : daysOf(lane + across).sort(near)[0];
  if (next) next.focus();
}
