/* The matrix: a row for each case, a column for each system (or, where only one system has a case,
   for each metric). Darker is better; sorting, search and filters decide which rows stand where. */

const SHADES = 7;
const NAMES = 120; // pixels for the names of cases
const HEADING = 24; // letters of a name in a heading
const TIGHT_HEADING = 14;
const TIGHT = 72; // pixels of a column, from which on its heading stands upright
const SORTS = {
  difference: "largest difference", loss: "largest loss", score: "score", name: "name", file: "file",
};

class Matrix {
  constructor(board) {
    this.board = board;
    const { data } = board;
    this.rows = data.cases.map((name, place) => this.row(name, place));
    this.body = make("tbody", {});
    this.head = this.makeHead();
    this.table = make("table", { role: "grid", class: "matrix" },
      this.caption, make("thead", {}, this.head), this.body);
    this.box = make("div", { class: "matrix-box" }, this.table);
    this.scale = make("p", { class: "shades" });
    this.table.addEventListener("click", (event) => this.onClick(event));
    this.table.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.fit()).observe(this.box);
  }

  /* Cells are filled when something is chosen: they depend on it. */
  row(name, place) {
    const columns = this.board.columns.length + (this.board.bySystem ? 1 : 0);
    const title = make("th", { scope: "row", tabindex: -1, dir: "auto" }, name);
    const cells = Array.from({ length: columns }, () => make("td", { tabindex: -1 }));
    return make("tr", { "data-case": place }, title, ...cells);
  }

  show() {
    const { board } = this;
    this.fillHead();
    const scores = board.columns.map((_, column) =>
      board.data.cases.map((_case, place) => board.cellScore(place, column)));
    const spans = board.bySystem ? [span(scores.flat())] : scores.map(span);
    const texts = spans.map(shortNumber);
    this.rows.forEach((row, place) => {
      const name = board.data.cases[place];
      scores.forEach((column, at) => {
        const [of, text] = board.bySystem ? [spans[0], texts[0]] : [spans[at], texts[at]];
        const [system, metric] = board.pairOf(place, at);
        fillCell(row.cells[at + 1], column[place], of, text, board.data.metrics[metric].better,
          `${name}, ${board.data.systems[system] ?? ""}: ${board.data.metrics[metric].heading}`);
      });
      if (board.bySystem) this.fillDifference(row.cells[scores.length + 1], place, spans[0]);
    });
    this.fillScale(spans[0]);
    this.arrange();
  }

  /* Headings stay the same elements, so that the focus stays where it is. */
  makeHead() {
    const { board } = this;
    const { data } = board;
    const heads = board.columns.map((column) => {
      const name = board.bySystem ? data.systems[column.system] : data.metrics[column.metric].heading;
      const pick = make("button", { type: "button", class: "pick", dir: "auto", title: name });
      pick.addEventListener("click", () => board.pick(column));
      const parts = [pick, make("span", { class: "whole" })];
      if (board.bySystem) {
        const versus = make("button",
          { type: "button", class: "versus", "aria-label": `vs ${name}` }, "vs");
        versus.addEventListener("click", () => board.compareWith(column.system));
        parts.push(versus);
      }
      return make("th", { scope: "col" }, make("div", { class: "column-head" }, ...parts));
    });
    if (board.bySystem) heads.push(make("th", { scope: "col", class: "versus-head" }));
    const hint = board.bySystem
      ? "press a system to look at it, vs to compare it with another, a cell to see why"
      : "press a metric to sort by it, a cell to see why";
    this.caption = make("caption", {}, make("span", {}), make("span", { class: "how" }, ` – ${hint}`));
    return make("tr", {}, make("th", { scope: "col" }, data.level), ...heads);
  }

  fillNames(most) {
    const { state, data, bySystem, columns } = this.board;
    columns.forEach((column, at) => {
      const [pick] = this.head.cells[at + 1].firstChild.children;
      pick.textContent = shortName(pick.title, most);
      if (pick.textContent === pick.title) pick.removeAttribute("aria-label");
      else pick.setAttribute("aria-label", pick.title);
    });
    if (!bySystem) return;
    const names = [state.system, state.against].map((system) => data.systems[system]);
    const last = this.head.cells[columns.length + 1];
    const [one, other] = names.map((name) => named(shortName(name, most)));
    last.replaceChildren(one, " less ", other);
    last.title = names.join(" less ");
  }

  fillHead() {
    const { state, data, bySystem, columns } = this.board;
    columns.forEach((column, at) => {
      const [pick, whole, versus] = this.head.cells[at + 1].firstChild.children;
      const [system, metric] = [column.system ?? 0, column.metric ?? state.metric];
      pick.setAttribute("aria-pressed", bySystem ? state.system === system : state.metric === metric);
      versus?.setAttribute("aria-pressed", state.against === system);
      if (bySystem || data.systems.length === 1) whole.textContent = scoreText(data.wholes[system][metric]);
    });
    this.caption.firstChild.textContent = bySystem
      ? `${data.metrics[state.metric].heading} by ${data.level} and system` : `Scores by ${data.level}`;
  }

  fillDifference(cell, place, [low, high]) {
    const { state, data } = this.board;
    const difference = this.board.difference(place);
    cell.className = "difference";
    if (difference === null) {
      cell.textContent = "–";
      cell.removeAttribute("title");
      return;
    }
    const better = data.metrics[state.metric].better === "lower" ? -difference : difference;
    const share = high > low ? Math.abs(difference) / (high - low) : 0;
    const strength = share === 0 ? 0 : share < 0.15 ? 1 : share < 0.4 ? 2 : 3;
    if (strength) cell.classList.add(`${better < 0 ? "worse" : "better"}-${strength}`);
    cell.textContent = signedNumber(difference, high);
    const by = Math.abs(difference).toFixed(3);
    const words = better ? `${better < 0 ? "worse" : "better"} by ${by} than` : "the same as";
    cell.title = `${data.cases[place]}: ${data.systems[state.system]} ${words} ${data.systems[state.against]}`;
  }

  fillScale([low, high]) {
    const { board } = this;
    if (!board.bySystem || low === null) return this.scale.replaceChildren();
    const [from, to] = board.data.metrics[board.state.metric].better === "lower" ? [high, low] : [low, high];
    const boxes = Array.from({ length: SHADES }, (_, at) =>
      draw("rect", { x: 14 * at, width: 14, height: 12, class: `shade-${at}` }));
    return this.scale.replaceChildren(`worst ${scoreText(from)} `,
      draw("svg", { width: 14 * SHADES, height: 12, "aria-hidden": "true" }, ...boxes),
      ` ${scoreText(to)} best`);
  }

  /* Put the rows that are to be seen in their order, each with what is open below it. */
  arrange() {
    const { board } = this;
    const places = board.sorted(board.found());
    const rows = places.flatMap((place) => {
      const opened = board.opened.get(place);
      this.rows[place].cells[0].setAttribute("aria-expanded", Boolean(opened));
      this.rows[place].classList.toggle("is-open", Boolean(opened));
      return opened ? [this.rows[place], opened.row] : [this.rows[place]];
    });
    const here = document.activeElement; // rows that move lose it
    this.body.replaceChildren(...rows);
    if (this.body.contains(here)) here.focus({ preventScroll: true });
    if (!this.body.contains(this.reached ?? null)) this.reach(this.rows[places[0]]?.cells[0]);
    board.showCount(places.length);
    this.fit();
  }

  /* A table that is wider than the page scrolls in a box of its own, with its heads in sight. */
  fit() {
    const { box, table } = this;
    box.classList.remove("scrolls");
    const isTight = (box.clientWidth - NAMES) / this.head.cells.length < TIGHT;
    table.classList.toggle("tight", isTight);
    this.fillNames(isTight ? TIGHT_HEADING : HEADING);
    const isWide = table.scrollWidth > box.clientWidth + 1;
    box.classList.toggle("scrolls", isWide);
    if (isWide) {
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", this.caption.firstChild.textContent);
    } else for (const name of ["role", "aria-label"]) box.removeAttribute(name);
    box.style.setProperty("--room", `${box.clientWidth}px`);
  }

  reach(cell) {
    if (this.reached) this.reached.tabIndex = -1;
    this.reached = cell;
    if (cell) cell.tabIndex = 0;
  }

  cellOf(target) {
    const cell = target.closest("td, th");
    return cell?.parentNode?.parentNode === this.body && cell.parentNode.dataset.case ? cell : null;
  }

  onClick(event) {
    const cell = this.cellOf(event.target);
    if (!cell) return;
    this.reach(cell);
    this.press(cell);
  }

  press(cell) {
    const { board } = this;
    const column = cell.cellIndex - 1;
    const isColumn = column >= 0 && column < board.columns.length;
    board.toggle(Number(cell.parentNode.dataset.case), isColumn ? board.columns[column] : null);
  }

  /* Arrow keys go from cell to cell, Enter and the space bar open and close a case. */
  onKey(event) {
    const cell = this.cellOf(event.target);
    if (!cell || cell !== event.target || event.metaKey || event.altKey) return;
    const rows = [...this.body.children].filter((row) => row.dataset.case);
    const [row, column] = [rows.indexOf(cell.parentNode), cell.cellIndex];
    const last = cell.parentNode.cells.length - 1;
    const page = 10;
    const to = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [Math.min(row + page, rows.length - 1), column], PageUp: [Math.max(row - page, 0), column],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? rows.length - 1 : row, last],
    }[event.key];
    if (event.key === "Enter" || event.key === " ") this.press(cell);
    else if (!to) return;
    event.preventDefault();
    const next = to && rows[to[0]]?.cells[to[1]];
    if (!next) return;
    this.reach(next);
    next.focus();
  }
}

function span(scores) {
  let [low, high] = [null, null];
  for (const score of scores) {
    if (typeof score !== "number") continue;
    if (low === null || score < low) low = score;
    if (high === null || score > high) high = score;
  }
  return [low, high];
}

/* Two or three digits of what lies between 0 and 1, else as many as fit a cell. */
function shortNumber([low, high]) {
  if (low === null || (low >= -1 && high <= 1))
    return (score) => score.toFixed(high < 0.1 ? 3 : 2).replace(/^(-?)0\./, "$1.");
  return high < 100 ? (score) => score.toFixed(1) : (score) => score.toFixed(0);
}

function signedNumber(value, high) {
  const text = shortNumber([0, high])(Math.abs(value));
  return `${value < 0 ? "−" : value > 0 ? "+" : "±"}${text}`;
}

function fillCell(cell, score, [low, high], text, better, about) {
  const isKnown = typeof score === "number";
  let shade = SHADES >> 1;
  if (isKnown && high > low) {
    const share = better === "lower" ? (high - score) / (high - low) : (score - low) / (high - low);
    shade = Math.min(SHADES - 1, Math.floor(share * SHADES));
  }
  cell.className = isKnown ? `shade-${shade}` : "none";
  cell.textContent = isKnown ? text(score) : score === null ? "undef." : "–";
  if (score === undefined) cell.removeAttribute("title");
  else cell.title = `${about} ${scoreText(score)}`;
}
