// Two tabs said different things of one event: both are shown, and one is chosen.

/** @typedef {import("./outbox.js").Answer} Answer */

/** @param {string} name @param {string} text */
function element(name, text) {
  const made = document.createElement(name);
  made.dir = "auto";
  made.textContent = text;
  return made;
}

/**
 * @param {HTMLFieldSetElement[]} criteria
 * @param {Answer} said what is saved
 * @param {Answer} mine what this tab wanted to save
 * @param {(chosen: Answer) => void} choose
 */
export function showClash(criteria, said, mine, choose) {
  const place = /** @type {HTMLElement} */ (document.getElementById("clash"));
  const unit = place.closest("form")?.dataset.unit ?? "event";
  const table = document.createElement("table");
  const head = document.createElement("tr");
  head.append(element("td", ""), element("th", "saved elsewhere"), element("th", "yours here"));
  table.append(head);
  /** @param {string} name @param {string} one @param {string} other */
  const row = (name, one, other) => {
    const made = document.createElement("tr");
    made.append(element("th", name), element("td", one), element("td", other));
    made.classList.toggle("differs", one !== other);
    table.append(made);
  };
  for (const one of criteria) {
    const field = one.dataset.field ?? "";
    const name = one.querySelector("legend")?.textContent ?? field;
    row(name, String(said.values[field] ?? "–"), String(mine.values[field] ?? "–"));
  }
  row("comment", said.comment, mine.comment);
  row("flag", said.flag ? "yes" : "no", mine.flag ? "yes" : "no");
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  for (const [text, chosen] of /** @type {[string, Answer][]} */ ([["Keep mine", mine], ["Take the other", said]])) {
    const button = /** @type {HTMLButtonElement} */ (element("button", text));
    button.type = "button";
    button.addEventListener("click", () => {
      place.hidden = true;
      place.replaceChildren();
      choose(chosen);
    });
    buttons.append(button);
  }
  place.replaceChildren(element("h2", `This ${unit} was saved elsewhere meanwhile`), table, buttons);
  place.hidden = false;
  place.scrollIntoView({ block: "nearest" });
}
