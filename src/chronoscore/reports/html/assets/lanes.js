/* The picture of a case in time: the gold's days and those of one or two systems as lanes on a time
   axis, with what was aligned. With two systems the gold is in the middle. */

const CLOSEST = 18; // pixels between two days that can still be told apart and pointed at
const FIRST_LANE = 44;
const NEXT_LANE = 160; // pixels from lane to lane
const BELOW = 42; // from the last lane to the axis
const LEFT = 110;
const RIGHT = 28;
const RADIUS = 6.5;
const ARROW = 36; // pixels for the ends of what has no bound
const NAME = 14; // letters of a system's name beside its lane

views.lanes = (scene) => {
  const { data } = scene;
  const side = scene.side === "precision" ? 0 : 1;
  const timed = (items) => items.map((item) => withTime(item, data.axis));
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
  return [pictureBlock(scene), make("div", { class: "side-by-side" }, ...bars), ...foldedTables(scene)];
};

/* A day with its place on the axis; without one if its name is no time. */
function withTime(item, axis) {
  const place = axis.times[item.name];
  if (!place) return { ...item, words: item.name };
  const [first, last, near, far, words] = place;
  return { ...item, span: [first, last], near, far, words: words || tickWords({ near, far }) };
}

function pictureBlock(scene) {
  const panel = make("div", { class: "panel", "aria-live": "polite" },
    make("p", { class: "hint" }, "Point at a day or a link, or reach it with Tab, to read what all sides say."));
  const width = Math.max(480, scene.width - (scene.width > 900 ? 352 : 0));
  const show = (thing, marks) => {
    for (const [other, mark] of marks)
      mark.classList.toggle("on", other === thing || touches(other, thing, scene));
    fillPanel(panel, thing, scene);
  };
  const drawn = picture(scene, width, show);
  if (!drawn) return make("p", { class: "none" }, "There are no days on either side.");
  const names = scene.systems.map(({ name }) => name).join(" and ");
  drawn.svg.setAttribute("aria-label",
    `${scene.name}: gold days and those of ${names}, ${scene.metric.label} ${scene.side}`);
  const note = drawn.even ? "Time runs evenly." : "Close days are drawn apart and long gaps shortened.";
  const frame = make("div", { class: "frame", tabindex: 0, role: "group", "aria-label": `${scene.name}: days in time` },
    drawn.svg, make("p", { class: "note" }, note));
  return make("div", { class: "beside" }, frame, panel);
}

/* The days at both ends of a match. */
function endsOf(match, scene) {
  return [scene.gold[match.gold], scene.systems[match.number].predicted[match.predicted]];
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

function axis(scale, days, y, top) {
  const marks = [draw("line", { x1: LEFT - 20, x2: scale.width - 8, y1: y, y2: y, class: "axis-line" })];
  let end = -Infinity;
  let shared = "";
  const named = new Map(days.map((day) => [day.span[0] ?? day.span[1], day]));
  for (const [point, day] of [...named].sort((a, b) => a[0] - b[0])) {
    const x = scale.x(point);
    marks.push(draw("line", { x1: x, x2: x, y1: y, y2: y + 4, class: "axis-line" }));
    const text = tickWords(day, shared);
    const half = text.length * 3.2 + 5;
    const middle = Math.max(half, Math.min(x, scale.width - half)); // within the picture
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

/* A day in its lane; spans lie above their lane, in the last lane below it. */
function dayMark(day, lane, scale, isOpen, isAlone, label) {
  const { y, isLast } = lane;
  const [first, last] = day.span;
  const from = first === null ? scale.edges.left : scale.x(first);
  const to = last === null ? scale.edges.right : scale.x(last);
  const kind = isOpen ? "dot open" : "dot";
  const marks = [];
  let middle = from;
  if (to > from) {
    middle = (from + to) / 2;
    const top = isLast ? y + 12 : y - 22;
    const bar = first === null || last === null
      ? draw("path", { d: arrow(from - 5, to + 5, top + 5, first === null, last === null), class: kind })
      : draw("rect", { x: from - 5, y: top, width: to - from + 10, height: 10, rx: 5, class: kind });
    marks.push(bar, draw("line", { x1: middle, x2: middle, y1: isLast ? top : top + 10, y2: y, class: "stem" }));
    if (isAlone) marks.push(cross(middle, top + 5));
  } else {
    marks.push(draw("circle", { cx: from, cy: y, r: 12, class: "touch" }));
    marks.push(draw("circle", { cx: from, cy: y, r: RADIUS, class: kind }));
    if (isAlone) marks.push(cross(from, y));
  }
  day.x = middle;
  const side = day.side === "gold" ? "gold" : "predicted";
  return draw("g", { class: `day ${side}`, "data-lane": lane.at, tabindex: 0, role: "button", "aria-label": label }, ...marks);
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

function linkMark(match, [gold, predicted], lanes, most, label) {
  const [from, to] = [gold, predicted].map((day) => lanes.get(day.side).y);
  const away = from < to ? RADIUS : -RADIUS;
  const [top, bottom] = [from + away, to - away];
  const middle = (top + bottom) / 2;
  const d = `M${gold.x} ${top}C${gold.x} ${middle} ${predicted.x} ${middle} ${predicted.x} ${bottom}`;
  const nothing = match.shared < 0 ? !match.credit : match.shared === 0;
  const width = nothing ? 1 : match.shared < 0 ? 2.5 : 1.5 + (6 * match.shared) / most;
  const kind = nothing ? "nothing" : `far-${farness(match.distance)}`;
  return draw(
    "g",
    { class: "link", "data-system": match.number, tabindex: 0, role: "button", "aria-label": label },
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
    [side, { at, name, y: FIRST_LANE + NEXT_LANE * at, isLast: at === order.length - 1 }]));
}

/* Draw days and matches; `show` is called with the day or match that is pointed at. */
function picture(scene, width, show) {
  const { gold, side } = scene;
  const days = [...gold, ...scene.systems.flatMap(({ predicted }) => predicted)].filter((day) => day.span);
  if (!days.length) return null;
  const scale = timeScale(days, width, scene.data.axis.cell);
  const lanes = lanesOf(scene);
  const linked = new Set();
  const alone = new Map();
  for (const match of matchesOfAll(scene)) {
    const [own, other] = endsOf(match, scene);
    if (own && other) linked.add(own).add(other);
    const lone = side === "recall" ? own : other;
    if (match.alone) alone.set(lone, (alone.get(lone) || 0) + 1);
  }
  // A gold day stands alone if no system has it.
  const isAlone = (day) => alone.get(day) >= (day.side === "gold" ? scene.systems.length : 1);
  const marks = new Map();
  const add = (thing, element) => {
    marks.set(thing, element);
    for (const event of ["pointerenter", "focus", "click"])
      element.addEventListener(event, () => show(thing, marks));
    return element;
  };
  const drawnDays = days.map((day) => add(day,
    dayMark(day, lanes.get(day.side), scale, isAlone(day) || !linked.has(day), isAlone(day), label(day, scene))));
  const most = Math.max(1, ...matchesOfAll(scene).map((match) => match.shared));
  const drawnLinks = matchesOfAll(scene)
    .map((match) => [match, endsOf(match, scene)])
    .filter(([, ends]) => ends.every((day) => day?.span))
    .map(([match, ends]) => add(match, linkMark(match, ends, lanes, most, label(match, scene))));
  const named = [...lanes.values()].map(({ name, y }) => {
    return draw("g", { "aria-hidden": "true", class: "lane" },
      draw("title", {}, name),
      draw("line", { x1: LEFT - 20, x2: scale.width - 8, y1: y, y2: y }),
      draw("text", { x: 0, y: y + 4 }, shortName(name, NAME)));
  });
  const last = FIRST_LANE + NEXT_LANE * (lanes.size - 1) + BELOW;
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
