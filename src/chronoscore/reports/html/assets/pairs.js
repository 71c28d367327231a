/* Events in time, and below them what each system has for every gold event: dates, texts with the words
   marked that both sides have, and the numbers of the pair. */

const CLOSE = [1, 1 / 3, 1 / 8, 0]; // the steps of closeness, each from its number on
const MOST_PAIRS = 200; // events that are listed without being asked for
const SHORT_TEXT = 80; // letters of a text in the label of an event

views.pairs = (scene) => {
  const { data, place } = scene;
  scene.matching = data.pairing[scene.at];
  scene.pairing = data.pairings[scene.matching];
  if (!scene.pairing) return views.matches(scene); // no metric tells of all events
  scene.marks = marksOf(data, scene.pairing.processing);
  const tables = foldedTables(scene);
  const timed = (items, times) => items.map((item) => {
    const time = times[item.place];
    return { ...withTime(item, time, data.axis), time };
  });
  scene.gold = timed(scene.gold, data.goldTimes[place]);
  for (const system of scene.systems) {
    system.predicted = timed(system.predicted, data.predictedTimes[system.system][place]);
    Object.assign(system, matchingOf(scene, system));
  }
  scene.all = scene.systems.flatMap(({ pairs, attached }) => [...pairs, ...attached]);
  // The items that the matching speaks of: whole days may stand beside their events.
  const known = new Set(scene.systems.flatMap(({ missed, spurious }) => [...missed, ...spurious]));
  for (const item of scene.all.flatMap(({ ends }) => ends)) known.add(item);
  scene.gold = scene.gold.filter((item) => known.has(item));
  for (const system of scene.systems) system.predicted = system.predicted.filter((item) => known.has(item));
  return [pictureBlock(scene, eventPicture(scene)), ...pairLists(scene), ...tables];
};

/* What was matched in the case of a system: pairs, the events that belong to a pair, and others. */
function matchingOf({ data, gold, place, pairing, matching }, { system, number, predicted }) {
  const lists = data.matches[system][place];
  const [closeness, reused] = data.matchings[system][place][matching];
  const isPair = ({ outcome }) => data.outcomes[outcome].split(";")[0] === "matched";
  const isAttached = (match) => !isPair(match) && match.gold >= 0 && match.predicted >= 0;
  const credits = new Map();
  const keyOf = (match) => `${match.gold} ${match.predicted}`;
  pairing.metrics.forEach((metric, at) => {
    for (const match of matchesOf(lists[metric], "precision").filter(isPair))
      credits.set(keyOf(match), [...(credits.get(keyOf(match)) || []), [pairing.labels[at], match.credit]]);
  });
  const [ofPredicted, ofGold] = ["precision", "recall"].map((side) => matchesOf(lists[pairing.metrics[0]], side));
  const whole = (match) => ({
    ...match, number, ends: [gold[match.gold], predicted[match.predicted]], words: data.outcomes[match.outcome],
  });
  const pairs = ofPredicted.filter(isPair).map((match, at) => ({
    ...whole(match), isPair: true, closeness: closeness[at], credits: credits.get(keyOf(match)),
    isReused: reused.includes(match.predicted),
  }));
  const attached = [[ofPredicted, "predicted"], [ofGold, "gold"]].flatMap(([matches, own]) =>
    matches.filter(isAttached).map((match) => ({ ...whole(match), own })));
  const isAlone = (match) => !isPair(match) && !isAttached(match);
  return {
    pairs, attached,
    pairOf: new Map(pairs.map((pair) => [pair.ends[0], pair])),
    missed: new Set(ofGold.filter(isAlone).map((match) => gold[match.gold]).filter(Boolean)),
    spurious: new Set(ofPredicted.filter(isAlone).map((match) => predicted[match.predicted]).filter(Boolean)),
  };
}

/* The step of a pair's closeness, or the one after the last if a date is missing. */
function closeStep({ ends, closeness }) {
  return ends.every((event) => event.time) ? CLOSE.findIndex((least) => closeness >= least - 1e-6) : CLOSE.length;
}

/* ---- the picture ---- */

function eventPicture(scene) {
  const matched = new Set(scene.systems.flatMap(({ pairs }) => pairs.flatMap(({ ends }) => ends)));
  const isAlone = (event) => (event.side === "gold" ? scene.systems.every(({ missed }) => missed.has(event))
    : scene.systems[event.side].spurious.has(event));
  return {
    nouns: "events",
    hint: "Point at an event or a link, or reach it with Tab, to read what all sides say.",
    isAlone,
    isOpen: (event) => !matched.has(event),
    lineOf: (match) => {
      if (!match.isPair) return { kind: "attached-line", width: 1 };
      const step = closeStep(match);
      return step < CLOSE.length ? { kind: `far-${step}`, width: 2.5 } : { kind: "nothing", width: 2 };
    },
    label: (thing) => eventLabel(thing, scene),
    fill: (panel, thing) => {
      const golds = thing.ends ? [thing.ends[0]] : thing.side === "gold" ? [thing]
        : scene.all.filter(({ ends }) => ends[1] === thing).map(({ ends }) => ends[0]);
      panel.replaceChildren(...(golds.length ? [...new Set(golds)].map((gold) => pairBlock("div", gold, scene))
        : [eventBlock(thing, scene, "spurious", () => null)]));
    },
  };
}

function eventLabel(thing, scene) {
  if (thing.ends) {
    const [gold, predicted] = thing.ends;
    return `Gold ${gold.words} with ${ownerOf(predicted, scene)} ${predicted.words}: ${thing.words}`;
  }
  const text = thing.texts.join(" ");
  const words = new Set(scene.all.filter(({ ends }) => ends.includes(thing)).map((match) =>
    (match.isPair ? "matched" : match.words)));
  const alone = thing.side === "gold" ? "missed" : "spurious";
  const short = text.length > SHORT_TEXT ? `${text.slice(0, SHORT_TEXT)}…` : text;
  return `${ownerOf(thing, scene)} ${thing.words}, ${[...words].join(", ") || alone}: ${short}`;
}

/* ---- the pairs ---- */

/* One system: its pairs, and what is left over. Two: every gold event, and what is spurious. */
function pairLists(scene) {
  const { systems } = scene;
  const isTwo = systems.length > 1;
  const golds = isTwo ? scene.gold : scene.gold.filter((gold) => systems[0]?.pairOf.has(gold));
  const left = systems.map((system) => leftOver(system.spurious, scene,
    isTwo ? ["spurious of ", named(system.name)] : ["spurious"]));
  if (!isTwo && systems.length) left.unshift(leftOver(systems[0].missed, scene, ["missed"]));
  const listed = left.filter(Boolean);
  return [
    ...(isTwo ? [markKey(systems)] : []),
    ...(golds.length ? [longList("ol", "pairs", golds, (gold) => pairBlock("li", gold, scene))] : []),
    ...(listed.length ? [make("div", { class: "left-over" }, ...listed)] : []),
  ];
}

function markKey([one, two]) {
  return make("p", { class: "note" }, "Words of the gold are marked if ", make("mark", {}, "both"), " have them, only ",
    make("mark", { class: "only-0", dir: "auto" }, one.name), " or only ",
    make("mark", { class: "only-1", dir: "auto" }, two.name), ".");
}

/* A list whose end is built when it is asked for. */
function longList(kind, name, items, build) {
  const list = make(kind, { class: name }, ...items.slice(0, MOST_PAIRS).map(build));
  if (items.length <= MOST_PAIRS) return list;
  const button = showAll(`Show all ${items.length} events`, () => {
    const rest = items.slice(MOST_PAIRS).map(build);
    list.append(...rest);
    rest[0].tabIndex = -1;
    rest[0].focus();
    button.remove();
  });
  return make("div", {}, list, button);
}

function leftOver(events, scene, words) {
  if (!events.size) return null;
  return make("section", {}, make("h4", {}, ...words, `: ${events.size}`),
    longList("ul", "", [...events], (event) => make("li", {}, eventBlock(event, scene, "", () => null))));
}

/* A gold event beside what each system has for it. */
function pairBlock(kind, gold, scene) {
  const { systems, marks } = scene;
  const answers = systems.map((system) => system.pairOf.get(gold)
    || system.attached.find(({ own, ends }) => own === "gold" && ends[0] === gold));
  const found = answers.map((match) => tokenSet(match ? match.ends[1].texts : [], marks));
  return make(kind, { class: `pair of-${systems.length}` },
    eventBlock(gold, scene, "", markedBy(found)),
    ...systems.map((system, at) => answerBlock(gold, answers[at], system, scene)));
}

function answerBlock(gold, match, system, scene) {
  if (!match) {
    const who = scene.systems.length > 1 ? [make("b", { dir: "auto" }, system.name), " "] : [];
    return make("div", { class: "answer" }, make("p", { class: "when" }, ...who, badge("missed", "quiet")));
  }
  const [, predicted] = match.ends;
  const ofGold = markedBy([tokenSet(gold.texts, scene.marks)]);
  if (!match.isPair) return make("div", { class: "answer" }, eventBlock(predicted, scene, match.words, ofGold));
  const parts = system.attached.filter(({ own, ends }) => own === "predicted" && ends[0] === gold)
    .map(({ ends, words }) => eventBlock(ends[1], scene, words, ofGold));
  if (scene.systems.length === 1) { // with two, every gold event has a block of its own
    const ofPredicted = markedBy([tokenSet(predicted.texts, scene.marks)]);
    parts.push(...system.attached.filter(({ own, ends }) => own === "gold" && ends[1] === predicted)
      .map(({ ends, words }) => eventBlock(ends[0], scene, words, ofPredicted)));
  }
  return make("div", { class: `answer close-${closeStep(match)}` },
    eventBlock(predicted, scene, "", ofGold), measures(match, scene),
    ...(parts.length ? [make("ul", { class: "attached" }, ...parts.map((part) => make("li", {}, part)))] : []));
}

/* Whose an event is, its date and its text; `word` says what became of it. */
function eventBlock(event, scene, word, kindOf) {
  const id = event.time && event.name.startsWith(event.time) ? "" : event.name;
  const texts = event.texts.filter(Boolean).map((text) => marked(text, scene.marks, kindOf));
  return make("div", { class: "telling" },
    make("p", { class: "when" }, make("b", { dir: "auto" }, ownerOf(event, scene)), ...(word ? [" ", badge(word, "quiet")] : []),
      make("span", { class: "date" }, event.words), ...(id ? [make("span", { class: "id", dir: "auto" }, id)] : [])),
    ...(texts.length ? texts : [make("p", { class: "none" }, "no text")]));
}

function badge(text, kind = "") {
  return make("span", { class: `badge ${kind}` }, text);
}

/* How far the dates of a pair are apart, its conflicts, and its numbers. */
function measures(pair, { pairing, data }) {
  const [one, several] = data.apart[pairing.metrics[0]];
  const undated = ["gold", "predicted"].filter((_, at) => !pair.ends[at].time);
  const unbounded = ["no bound", `${undated[0]} has no date`, "no dates"][undated.length];
  const far = Number(pair.distance.toPrecision(4));
  const apart = pair.distance < 0 ? unbounded : pair.distance === 0 ? (one === "day" ? "same date" : "same time")
    : `${far} ${far === 1 ? one : several} apart`;
  const conflicts = pair.words.split("conflict: ")[1]?.split(", ") || [];
  const badges = [...conflicts.map((conflict) => `conflict: ${conflict}`), ...(pair.isReused ? ["reused text"] : [])];
  const numbers = (rows) => make("dl", {}, ...rows.map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value.toFixed(3)))));
  return make("div", { class: "measures" },
    make("p", { class: "apart" }, apart),
    ...badges.map((text) => make("p", {}, badge(text))),
    numbers([...(pair.shared < 0 ? [] : [["similarity", pair.shared]]), ["closeness", pair.closeness]]),
    make("div", {}, make("p", { class: "of" }, "credit of"), numbers(pair.credits)));
}
