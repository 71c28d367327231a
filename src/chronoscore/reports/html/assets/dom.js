/* Small things that every script of a page uses: elements, numbers and tables. Texts are text nodes:
   nothing of the data is parsed as markup. */

const SVG = "http://www.w3.org/2000/svg";

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* A word or a name of the data, in the direction of its script. */
function named(text, kind = "") {
  return make("bdi", kind ? { class: kind } : {}, text);
}

/* A long name, shortened in the middle: names often differ at their ends. */
function shortName(name, most) {
  const letters = [...name];
  if (letters.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(-end).join("")}`;
}

function rounded(value) {
  return String(Math.round(value * 100) / 100);
}

/* Three digits as Python writes them: a number that lies between two goes to the even one. */
function threeDigits(value) {
  const [scaled, below] = [value * 1000, Math.floor(value * 1000)];
  return (scaled - below === 0.5 && below % 2 === 0 ? below / 1000 : value).toFixed(3);
}

/* A score as it is written everywhere: false if its metric is not known here, null if undefined. */
function scoreText(score) {
  return score === false ? "–" : score === null || score === undefined ? "undefined" : threeDigits(score);
}

function plainTable(caption, heads, rows) {
  const numeric = heads.map((_, at) => rows.every((row) => row[at] === "" || typeof row[at] === "number"));
  const cell = (value, at) => make("td", numeric[at] ? { class: "number" } : { dir: "auto" },
    typeof value === "number" ? rounded(value) : value);
  return make("div", { class: "wide", role: "group", tabindex: 0, "aria-label": caption },
    make("table", {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...heads.map((head, at) =>
        make("th", { scope: "col", ...(numeric[at] ? { class: "number" } : {}) }, head)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
}

/* A choice among texts; `change` is called with the value of the one that was chosen. */
function choice(label, options, value, change) {
  const list = make("select", { "aria-label": label }, ...options.map(([key, text]) => make("option", { value: key }, text)));
  list.value = String(value);
  list.addEventListener("change", () => change(list.value));
  return make("label", {}, make("span", {}, label), list);
}

/* A button that shows what a long list leaves out at first. */
function showAll(text, act) {
  const button = make("button", { type: "button", class: "show-all" }, text);
  button.addEventListener("click", act);
  return button;
}
