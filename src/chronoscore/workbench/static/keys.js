// Keys: digits answer and move on; letters do the rest. In a text field they are letters.

/**
 * @typedef {object} Page
 * @property {HTMLFormElement} form
 * @property {HTMLFieldSetElement[]} criteria
 * @property {(one: HTMLFieldSetElement) => HTMLInputElement[]} radios
 * @property {HTMLInputElement[]} chips
 * @property {HTMLTextAreaElement} comment
 * @property {HTMLInputElement} flag
 * @property {() => void} changed
 * @property {() => void} undo
 * @property {(text: string) => void} chip
 * @property {() => void} save
 * @property {(where: string) => void} go
 */

/** @param {Page} page */
export function startKeys(page) {
  const { criteria, radios } = page;
  const help = /** @type {HTMLDialogElement} */ (document.getElementById("help"));
  const open = criteria.findIndex((one) => !radios(one).some((radio) => radio.checked));
  let at = Math.max(open, 0);

  /** @param {boolean} focus */
  const mark = (focus) => {
    criteria.forEach((one, place) => one.classList.toggle("current", place === at));
    if (!focus) return;
    if (at >= criteria.length) document.getElementById("save")?.focus();
    else {
      criteria[at].focus({ preventScroll: true });
      criteria[at].scrollIntoView({ block: "nearest" });
    }
  };

  /** @param {string} digit */
  const answer = (digit) => {
    if (at >= criteria.length) return;
    const radio = radios(criteria[at]).find((one) => one.value === digit);
    if (!radio) return;
    radio.checked = true;
    at += 1;
    page.changed();
    mark(true);
  };

  const guidance = () => {
    const one = criteria[Math.min(at, criteria.length - 1)].querySelector("details");
    if (one) one.open = !one.open;
  };

  /** @param {number} by */
  const move = (by) => {
    at = Math.min(Math.max(at + by, 0), criteria.length - 1);
    mark(true);
  };

  /** @type {Record<string, () => void>} */
  const does = {
    c: () => {
      const { comment } = page;
      if (comment.value.trim() && !/[;\s]$/.test(comment.value)) comment.value += "; ";
      comment.focus();
      comment.setSelectionRange(comment.value.length, comment.value.length);
    },
    f: () => {
      page.flag.checked = !page.flag.checked;
      page.changed();
    },
    s: page.save,
    n: () => page.go(page.form.dataset.next ?? ""),
    p: () => page.go(page.form.dataset.previous ?? ""),
    u: page.undo,
    g: guidance,
    "?": () => (help.open ? help.close() : help.showModal()),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
    if (typing) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (help.open && event.key !== "?") return;
    if (event.key.startsWith("Arrow") && (target.matches("input") || target.closest(".article"))) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const chip = page.chips.find((one) => one.dataset.key === key);
    if (/^[0-9]$/.test(key)) answer(key);
    else if (does[key]) does[key]();
    else if (chip) page.chip(chip.value);
    else return;
    event.preventDefault();
  });

  criteria.forEach((one, place) => {
    one.tabIndex = -1;
    one.addEventListener("focusin", () => {
      at = place;
      mark(false);
    });
  });
  const button = /** @type {HTMLButtonElement | null} */ (document.getElementById("help-button"));
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
  }
  mark(false);
}
