/* An order of events: columns of positions, the gold's and those of one or two systems, with lines
   between the places of matched events. With two systems the gold is in the middle. */

const ORDER_ROW = 26; // the height of a row in pixels, which order.css has too
const ORDER_MOST = 300; // rows of a column that are drawn without being asked for
const SHARED_START = 6; // letters from which on a beginning that all names share is left out
const ORDER_NARROW = 640; // pixels below which two systems stand one below the other

views.order = (scene) => {
  const isNarrow = scene.systems.length > 1 && scene.width < ORDER_NARROW;
  const groups = isNarrow ? scene.systems.map((system) => [system]) : [scene.systems];
  const orders = groups.map((systems) => orderOf(scene, systems));
  if (orders.every(({ gold, sides }) => !gold.length && sides.every(({ events }) => !events.length)))
    return views.matches(scene); // scored without texts
  return [...orders.map((order) => orderPicture(order)), ...foldedTables(scene)];
};

/* The events of a side: items with a position and an anchor. Others are links between them. */
function placedEvents(items, data) {
  const undated = new Set(data.undated.map((at) => data.texts[at]));
  return items.filter(({ texts }) => texts.length === 2).map(({ name, place, texts: [position, anchor] }) =>
    ({ name, place, position: Number(position), anchor: undated.has(anchor) ? "undated" : anchor }));
}

/* How much all names begin with: a column has no room for what tells none of them apart. */
function sharedStart(names) {
  let shared = names[0] ?? "";
  for (const name of names) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  const end = Math.max(...["-", "_", "/", ":", "."].map((mark) => shared.lastIndexOf(mark))) + 1;
  return names.length > 1 && end >= SHARED_START ? end : 0;
}

/* The columns from top to bottom. Simultaneous events come in the order of the other side, so that
   only what is out of order crosses other lines. */
function orderOf(scene, systems) {
  const { data } = scene;
  const sides = systems.map(({ system, name, predicted }) => {
    const events = placedEvents(predicted, data);
    const positions = new Map(events.map((event) => [event.name, event.position]));
    const places = new Set(data.moved[system][scene.place]);
    const moved = new Set(events.filter(({ place }) => places.has(place)).map((event) => event.name));
    return { name, events, positions, moved };
  });
  const by = (values) => (a, b) => {
    const [one, two] = [a, b].map(values);
    const at = one.findIndex((value, place) => value !== two[place]);
    return at < 0 ? 0 : one[at] < two[at] ? -1 : 1;
  };
  const last = (value) => value ?? Infinity;
  const gold = placedEvents(scene.gold, data).sort(by((event) =>
    [event.position, ...sides.map(({ positions }) => last(positions.get(event.name))), event.name]));
  const rows = new Map(gold.map((event, row) => [event.name, row]));
  for (const { events } of sides)
    events.sort(by((event) => [event.position, last(rows.get(event.name)), event.name]));
  const all = [gold, ...sides.map(({ events }) => events)].flat();
  const start = sharedStart(all.map(({ name }) => name));
  for (const event of all) event.short = start ? `…${event.name.slice(start)}` : event.name;
  return { gold, rows, sides };
}

function orderPicture(order, most = ORDER_MOST) {
  const { gold, rows, sides } = order;
  const isPair = sides.length > 1;
  const summaries = sides.map((side) => orderSummary(side, order));
  const goldColumn = orderColumn("gold", gold, most, sides.map((side) => (event) =>
    (!side.positions.has(event.name) ? "missing" : side.moved.has(event.name) ? "moved" : "")), sides);
  const columns = sides.map((side) => orderColumn(side.name, side.events, most, [(event) =>
    (!rows.has(event.name) ? "spurious" : side.moved.has(event.name) ? "moved" : "")]));
  const lines = sides.map((side, at) =>
    orderLines(order, side, most, isPair && !at, `${side.name}: ${summaries[at]}`));
  const parts = isPair ? [columns[0], lines[0], goldColumn, lines[1], columns[1]] : [goldColumn, lines[0], columns[0]];
  const figure = make("figure", { class: "orders" },
    make("figcaption", {}, ...sides.map((side, at) =>
      make("p", {}, make("b", { dir: "auto" }, side.name), `: ${summaries[at]}`))),
    make("div", { class: isPair ? "order of-2" : "order" }, ...parts));
  const longest = Math.max(gold.length, ...sides.map(({ events }) => events.length));
  if (longest > most)
    figure.append(showAll(`Show all ${longest} rows`, () => {
      const whole = orderPicture(order, longest);
      whole.tabIndex = -1;
      figure.replaceWith(whole);
      whole.focus();
    }));
  return figure;
}

function orderSummary({ events, moved }, { gold, rows }) {
  const matched = events.filter(({ name }) => rows.has(name)).length;
  const undated = [gold, events].map((some) => some.filter(({ anchor }) => anchor === "undated").length);
  return `${matched} matched, ${moved.size} of them out of order, ${gold.length - matched} missing, `
    + `${events.length - matched} spurious`
    + (undated.some(Boolean) ? `; undated: ${undated[0]} gold, ${undated[1]} predicted` : "");
}

/* A column; `marksOf` say what became of an event, for each system beside it, the left one first. */
function orderColumn(name, events, most, marksOf, sides = []) {
  const isBetween = marksOf.length > 1;
  let above = null;
  const rows = events.slice(0, most).map((event) => {
    const words = marksOf.map((markOf) => markOf(event));
    const marks = words.map((word, at) => word && make("span", { class: `mark ${word}` }, word,
      ...(isBetween ? [make("span", { class: "unseen" }, ` in ${sides[at].name}`)] : [])));
    const again = event.position === above ? " again" : "";
    above = event.position;
    const left = isBetween ? marks.shift() : "";
    const isAlone = words.every((word) => ["missing", "spurious"].includes(word));
    return make("li", { class: isAlone ? "alone" : "", title: `${event.position}  ${event.name}  ${event.anchor}` },
      ...(left ? [left] : []),
      make("span", { class: `position${again}` }, event.position),
      make("span", { class: "mention", dir: "auto" }, event.short),
      make("span", { class: "anchor" }, event.anchor),
      ...marks.filter(Boolean));
  });
  const more = events.length > most ? [make("li", { class: "more" }, `and ${events.length - most} more`)] : [];
  return make("div", { class: "column" }, make("p", { class: "column-name", dir: "auto" }, name),
    make("ol", { "aria-label": `order of ${name}` }, ...rows, ...more));
}

/* The lines between the gold and a system, which is left of it or right. */
function orderLines({ rows, gold }, { events, moved }, most, isLeft, label) {
  const middle = (row) => ORDER_ROW * row + ORDER_ROW / 2;
  const lines = events.slice(0, most).flatMap(({ name }, row) => {
    const other = rows.get(name);
    if (other === undefined || other >= most) return [];
    const [y1, y2] = isLeft ? [row, other] : [other, row];
    const kind = moved.has(name) ? "moved" : "kept";
    return [draw("line", { x1: "0%", x2: "100%", y1: middle(y1), y2: middle(y2), class: kind })];
  });
  lines.sort((a, b) => a.classList.contains("moved") - b.classList.contains("moved")); // on top
  const longest = Math.max(1, ...[gold, events].map((some) => Math.min(most + 1, some.length)));
  return draw("svg", { height: ORDER_ROW * longest, role: "img", "aria-label": label }, ...lines);
}
