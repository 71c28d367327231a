/* The board of cases: the tools, the matrix, and the cases that are open in it. What is chosen is the
   address of the page, so that a link shows the same. */

/* How a case is drawn, by the name that the data give: a function from a scene to elements. */
const views = {};
const FEW = 12; // cases up to which the worst is open at first
const LISTED = 40; // letters of a name in a list
const MATCH = 8; // numbers that a match has

/* The matches of one side as objects; both sides' count for either. Without a side, all of them. */
function matchesOf(lists, side) {
  const found = [];
  const kinds = { precision: [0, 2], recall: [1, 2] }[side] || [2, 1, 0];
  for (const numbers of lists ? kinds.map((kind) => lists[kind]) : []) {
    for (let at = 0; at < numbers.length; at += MATCH) {
      const [gold, predicted, distance, shared, possible, credit, outcome, alone] =
        numbers.slice(at, at + MATCH);
      found.push({ gold, predicted, distance, shared, possible, credit, outcome, alone });
    }
  }
  return found;
}

class CaseBoard {
  constructor(element, data) {
    this.element = element;
    this.id = element.dataset.board;
    this.data = data;
    this.systems = data.order.filter((one) => data.cases.some((_, place) => this.has(one, place)));
    const having = data.cases.map((_, place) => this.systems.filter((one) => this.has(one, place)));
    this.owners = having.map(([first]) => first);
    this.bySystem = having.some((several) => several.length > 1);
    this.columns = this.bySystem ? this.systems.map((system) => ({ system }))
      : data.metrics.map((_, metric) => ({ metric }));
    this.hasMatches = data.matches.some((cases) => cases.some((one) => one.some((lists) => lists.some((l) => l.length))));
    const sort = this.bySystem ? "difference" : this.hasMatches ? "loss" : "score";
    const [best, second] = this.systems;
    const first = data.first ?? (this.bySystem ? second : best ?? 0); // whom the page is about
    const other = this.systems.find((one) => one !== first);
    this.defaults = {
      metric: 0, side: "recall", sort, reverse: false, find: "", tags: {},
      system: first, against: this.bySystem ? other : -1,
    };
    this.state = { ...this.defaults };
    this.opened = new Map(); // by place
    const byName = [...data.cases.keys()].sort((a, b) =>
      data.cases[a].localeCompare(data.cases[b], "en", { numeric: true }) || a - b);
    this.nameOrder = new Map(byName.map((place, at) => [place, at]));
    this.legend = element.querySelector(".legend"); // it comes with every case that is open
    this.legend?.remove();
    this.matrix = new Matrix(this);
    this.tools = this.makeTools();
    element.prepend(this.tools, this.matrix.scale, this.matrix.box);
    this.read(addressed().id === this.id ? addressed().words : new URLSearchParams(), true);
  }

  /* ---- scores ---- */

  /* The system and the metric that a cell speaks of. */
  pairOf(place, at) {
    const { system, metric } = this.columns[at];
    return [system ?? this.owners[place], metric ?? this.state.metric];
  }

  cellScore(place, at) {
    const [system, metric] = this.pairOf(place, at);
    return this.data.scores[system]?.[place]?.[metric];
  }

  scoreOf(place, system) {
    const score = this.data.scores[system]?.[place]?.[this.state.metric];
    return typeof score === "number" ? score : null;
  }

  subject(place) {
    return this.bySystem ? this.state.system : this.owners[place];
  }

  difference(place) {
    const scores = [this.state.system, this.state.against].map((system) => this.scoreOf(place, system));
    return scores.includes(null) ? null : scores[0] - scores[1];
  }

  lossOf(place) {
    const lists = this.data.matches[this.subject(place)]?.[place]?.[this.state.metric];
    if (!lists || !lists.some((numbers) => numbers.length)) return null;
    const { sides } = this.data.metrics[this.state.metric];
    return matchesOf(lists, sides.length ? this.state.side : "")
      .reduce((lost, { possible, credit }) => lost + possible - credit, 0);
  }

  /* ---- which rows, and in which order: the worst first ---- */

  found() {
    const { find, tags } = this.state;
    const folded = (text) => text.normalize("NFKC").toLowerCase();
    const wanted = folded(find).split(/\s+/).filter(Boolean);
    const hasWords = (name) => wanted.every((word) => name.includes(word));
    const has = (place) => hasWords(folded(this.data.cases[place]))
      && this.data.tags.every(({ name, values }) => tags[name] === undefined || values[place] === tags[name]);
    return [...this.data.cases.keys()].filter(has);
  }

  sorted(places) {
    const { sort, reverse, metric } = this.state;
    const sign = this.data.metrics[metric].better === "lower" ? -1 : 1;
    const scaled = (value, by) => (value === null ? null : by * value);
    const value = {
      difference: (place) => scaled(this.difference(place), sign),
      loss: (place) => scaled(this.lossOf(place), -1),
      score: (place) => scaled(this.scoreOf(place, this.subject(place)), sign),
      name: (place) => this.nameOrder.get(place),
      file: (place) => place,
    }[sort];
    const values = new Map(places.map((place) => [place, value(place)]));
    return places.sort((a, b) => {
      const [one, two] = [values.get(a), values.get(b)];
      if (one === null || two === null) return (one === null) - (two === null) || a - b; // at the end
      return (reverse ? two - one : one - two) || a - b;
    });
  }

  /* ---- choosing ---- */

  makeTools() {
    const { data, state } = this;
    const parts = [];
    if (this.bySystem && data.metrics.length > 1) {
      const options = data.metrics.map((metric, at) => [at, metric.label]);
      parts.push(choice("Metric", options, state.metric, (value) => this.change({ metric: Number(value) })));
      this.metricChoice = parts[parts.length - 1].lastChild;
    }
    if (data.metrics.some((metric) => metric.sides.length)) parts.push(this.makeSides());
    const sorts = Object.keys(SORTS).filter((sort) =>
      (sort !== "difference" || this.bySystem) && (sort !== "loss" || this.hasMatches));
    const order = choice("Sort by", sorts.map((sort) => [sort, SORTS[sort]]), state.sort,
      (sort) => this.change({ sort, reverse: false }));
    this.sortChoice = order.lastChild;
    this.turn = make("button", { type: "button", class: "turn", "aria-label": "Turn the order round" }, "⇅");
    this.turn.addEventListener("click", () => this.change({ reverse: !this.state.reverse }));
    parts.push(make("div", { class: "joined" }, order, this.turn));
    this.tagChoices = data.tags.map(({ name, values }) => {
      const options = [...new Set(values)].sort().map((value) => [`=${value}`, value || "(none)"]);
      const one = choice(name, [["", "all"], ...options], "", (value) =>
        this.change({ tags: { ...this.state.tags, [name]: value ? value.slice(1) : undefined } }));
      parts.push(one);
      return one.lastChild;
    });
    this.search = make("input", { type: "search", placeholder: "part of a name", dir: "auto" });
    this.search.addEventListener("input", () => this.change({ find: this.search.value }, false));
    parts.push(make("label", {}, make("span", {}, "Find"), this.search));
    this.count = make("output", { class: "count" });
    this.copy = make("button", { type: "button", class: "copy-link" }, "Copy link");
    this.copy.addEventListener("click", () => {
      this.write(); // another part of the page may have the address
      copyText(location.href, this.copy, () => { this.copy.textContent = "Copy it from the address bar"; });
    });
    const form = make("form", { class: "tools", "aria-label": `${data.level}s of ${data.family}` },
      ...parts, this.count, this.copy);
    form.addEventListener("submit", (event) => event.preventDefault());
    return form;
  }

  makeSides() {
    const sides = ["precision", "recall"].map((side) => {
      const radio = make("input", { type: "radio", name: `${this.id}-side`, value: side });
      radio.addEventListener("change", () => this.change({ side }));
      return make("label", {}, radio, make("span", {}, side));
    });
    this.sides = sides.map((side) => side.firstChild);
    return make("fieldset", {}, make("legend", {}, "Side"), make("div", { class: "switch" }, ...sides));
  }

  change(changes, isWhole = true) {
    Object.assign(this.state, changes);
    this.settle();
    if (isWhole) {
      this.showTools();
      this.matrix.show();
      for (const one of this.opened.values()) {
        if ("system" in changes || "against" in changes) this.follow(one);
        this.drawCase(one);
      }
    } else this.matrix.arrange();
    this.write();
  }

  /* An open case shows the two systems that were chosen last, if they have it. */
  follow(one) {
    const { system, against } = this.state;
    if (this.has(system, one.place)) one.system = system;
    if (this.has(against, one.place) && against !== one.system) one.against = against;
    else if (one.against === one.system) one.against = -1;
  }

  /* A side that the metric has; two systems that differ. */
  settle() {
    const { state, data } = this;
    const { sides } = data.metrics[state.metric];
    if (sides.length && !sides.includes(state.side)) [state.side] = sides;
    if (this.bySystem && state.against === state.system)
      state.against = this.systems.find((one) => one !== state.system);
  }

  showTools() {
    const { state, data } = this;
    if (this.metricChoice) this.metricChoice.value = String(state.metric);
    const { sides } = data.metrics[state.metric];
    for (const radio of this.sides || []) {
      radio.checked = radio.value === state.side;
      radio.disabled = sides.length > 0 && !sides.includes(radio.value);
    }
    this.sortChoice.value = state.sort;
    this.turn.setAttribute("aria-pressed", state.reverse);
    this.tagChoices.forEach((list, at) => {
      const value = state.tags[data.tags[at].name];
      list.value = value === undefined ? "" : `=${value}`;
    });
    if (this.search.value !== state.find) this.search.value = state.find;
  }

  showCount(number) {
    const all = this.data.cases.length;
    const what = all === 1 ? this.data.counted : `${this.data.counted}s`;
    this.count.textContent = number === all ? `${all} ${what}` : `${number} of ${all} ${what}`;
  }

  /* A heading was pressed. */
  pick(column) {
    if (!this.bySystem) this.change({ metric: column.metric, sort: "score", reverse: false });
    else if (column.system === this.state.against) // they change places
      this.change({ system: column.system, against: this.state.system, sort: "difference", reverse: false });
    else this.change({ system: column.system, sort: "difference", reverse: false });
  }

  compareWith(system) {
    if (system === this.state.system)
      this.change({ system: this.state.against, against: system, sort: "difference", reverse: false });
    else this.change({ against: system, sort: "difference", reverse: false });
  }

  /* ---- the address ---- */

  write() {
    const { state, defaults, data } = this;
    const words = new URLSearchParams();
    const put = (name, text) => { if (state[name] !== defaults[name]) words.set(name, text); };
    put("metric", data.metrics[state.metric].label);
    put("side", state.side);
    put("system", data.systems[state.system]);
    put("against", data.systems[state.against]);
    put("sort", state.sort);
    put("reverse", "yes");
    put("find", state.find);
    for (const [name, value] of Object.entries(state.tags)) if (value !== undefined) words.set(`tag.${name}`, value);
    for (const one of this.opened.values()) {
      words.append("open", data.cases[one.place]);
      words.append("shows", this.bySystem ? data.systems[one.system] : data.metrics[this.metricOf(one)].label);
      if (this.bySystem) words.append("versus", data.systems[one.against] ?? "");
    }
    if (!this.opened.size && this.isOpenAtFirst()) words.set("open", "");
    setAddress(this.id, words);
    this.copy.textContent = "Copy link"; // of what is shown now
  }

  isOpenAtFirst() {
    return this.data.cases.length <= FEW;
  }

  /* Take what the address says; words that nothing here has are left out. */
  read(words, isFirst = false) {
    const { data } = this;
    const state = { ...this.defaults, tags: {} };
    const take = (name, place) => { if (words.has(name) && place >= 0) state[name] = place; };
    const labelled = (label) => data.metrics.findIndex((metric) => metric.label === label);
    take("metric", labelled(words.get("metric")));
    take("system", data.systems.indexOf(words.get("system")));
    take("against", data.systems.indexOf(words.get("against")));
    if (["precision", "recall"].includes(words.get("side"))) state.side = words.get("side");
    if ([...this.sortChoice.options].some((option) => option.value === words.get("sort")))
      state.sort = words.get("sort");
    state.reverse = words.has("reverse");
    state.find = words.get("find") || "";
    for (const { name, values } of data.tags) {
      const value = words.get(`tag.${name}`);
      if (values.includes(value)) state.tags[name] = value;
    }
    this.state = state;
    this.settle();
    this.opened.clear();
    const [shows, versus] = ["shows", "versus"].map((name) => words.getAll(name));
    words.getAll("open").forEach((name, at) => {
      const place = data.cases.indexOf(name);
      if (place < 0) return;
      const system = data.systems.indexOf(shows[at]);
      const against = versus[at] === undefined ? undefined : data.systems.indexOf(versus[at]);
      this.open(place, this.bySystem ? { system, against } : { metric: labelled(shows[at]) });
    });
    if (isFirst && !words.has("open") && this.isOpenAtFirst()) {
      const [worst] = this.sorted(this.found());
      if (worst !== undefined) this.open(worst);
    }
    this.showTools();
    this.matrix.show();
    for (const one of this.opened.values()) this.drawCase(one);
    const first = words.get("open") ? this.opened.values().next().value : null;
    if (!first) return;
    const title = this.matrix.rows[first.place].cells[0];
    title.scrollIntoView();
    if (!isFirst) title.focus({ preventScroll: true });
  }

  /* ---- the cases that are open ---- */

  has(system, place) {
    return Boolean(this.data.scores[system]?.[place]);
  }

  open(place, { system = -1, against, metric = -1 } = {}) {
    const inside = make("div", { class: "inside" });
    const cells = this.columns.length + (this.bySystem ? 2 : 1);
    const row = make("tr", { class: "opened" }, make("td", { colspan: cells }, inside));
    const { state } = this;
    const fit = (one) => this.has(one, place);
    const shown = this.bySystem ? [system, state.system, this.owners[place]].find(fit) : this.owners[place];
    const other = [against, state.against, state.system].find((one) => one === -1 || (one !== shown && fit(one)));
    this.opened.set(place, {
      place, row, inside, system: shown,
      against: this.bySystem ? other ?? -1 : -1,
      metric: this.bySystem || metric < 0 ? null : metric,
    });
  }

  /* Open a case, or show another system or metric in it; close it if it shows that already. */
  toggle(place, pressed = null) {
    const one = this.opened.get(place);
    const column = pressed && (!this.bySystem || this.has(pressed.system, place)) ? pressed : null;
    const isOther = one && column && (this.bySystem ? one.system !== column.system : this.metricOf(one) !== column.metric);
    if (!one) this.open(place, column || {});
    else if (isOther && this.bySystem) {
      if (one.against === column.system) one.against = one.system;
      one.system = column.system;
    } else if (isOther) one.metric = column.metric;
    else this.opened.delete(place);
    this.matrix.arrange();
    if (this.opened.has(place)) this.drawCase(this.opened.get(place));
    this.write();
  }

  metricOf(one) {
    return one.metric ?? this.state.metric;
  }

  sceneOf(one) {
    const { data, state } = this;
    const metric = this.metricOf(one);
    const { sides } = data.metrics[metric];
    const side = sides.length && !sides.includes(state.side) ? sides[0] : state.side;
    const shown = [one.system, one.against].filter((system) => system >= 0 && data.scores[system]?.[one.place]);
    return {
      data, place: one.place, name: data.cases[one.place], at: metric, metric: data.metrics[metric], side,
      gold: itemsOf(data, data.gold[one.place], "gold"),
      systems: shown.map((system, number) => ({
        number, system, name: data.systems[system],
        predicted: itemsOf(data, data.predicted[system][one.place], number),
        matches: matchesOf(data.matches[system][one.place]?.[metric], sides.length ? side : ""),
        score: data.scores[system][one.place][metric],
      })),
      width: (one.inside.clientWidth || this.matrix.box.clientWidth) - parseFloat(getComputedStyle(one.inside).paddingLeft || 0),
    };
  }

  drawCase(one) {
    const scene = this.sceneOf(one);
    const parts = this.hasMatches ? views[this.data.view](scene)
      : [make("p", {}, this.data.unexplained || "There is nothing to explain: no item was matched or missed.")];
    const legend = this.legend && this.hasMatches ? [this.legend.cloneNode(true)] : [];
    one.inside.replaceChildren(this.caseHead(one, scene), ...parts, ...legend);
  }

  caseHead(one, scene) {
    const close = make("button", { type: "button", class: "close", "aria-label": `Close ${scene.name}` }, "×");
    close.addEventListener("click", () => {
      this.toggle(one.place);
      this.matrix.rows[one.place].cells[0].focus();
    });
    const scores = scene.systems.map(({ name, score }) => make("span", { class: "case-score" },
      named(name), `: ${scene.metric.heading} ${scoreText(score)}`));
    const parts = [make("h3", { dir: "auto" }, scene.name)];
    if (this.bySystem) {
      const options = this.systems.filter((system) => this.has(system, one.place))
        .map((system) => [system, shortName(this.data.systems[system], LISTED)]);
      const show = (name) => (value) => {
        const other = name === "system" ? "against" : "system";
        if (one[other] === Number(value)) one[other] = one[name];
        one[name] = Number(value);
        this.drawCase(one);
        this.write();
        one.inside.querySelector(`[data-choice=${name}]`).focus();
      };
      const lists = [
        choice("System", options, one.system, show("system")),
        choice("against", [[-1, "none"], ...options], one.against, show("against")),
      ];
      lists[0].lastChild.dataset.choice = "system";
      lists[1].lastChild.dataset.choice = "against";
      parts.push(make("div", { class: "case-choice" }, ...lists));
    }
    return make("header", { class: "case-head" }, ...parts, make("p", { class: "case-scores" }, ...scores), close);
  }
}

/* The items of one side, `side` being gold or the number of a system. */
function itemsOf(data, items, side) {
  return (items || []).map(([name, ...numbers], place) =>
    ({ side, place, name, texts: numbers.map((at) => data.texts[at]) }));
}

/* Copy a text, and say so on the button; `failed` says what else to do. */
function copyText(text, button, failed) {
  const done = () => { button.textContent = "Copied"; };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, failed);
  else failed();
}
