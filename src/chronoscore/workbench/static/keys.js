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
 * @property {(text: string, kind?: string) => void} say
 * @property {() => void} finished called when the last criterion was answered by its key
 * @property {Record<string, () => void>} [keys] more keys, or others for the same letters
 */

/** A list as it is read out: 1, 2 or 3. @param {string[]} values */
export const listed = (values) => values.join(", ").replace(/, ([^,]*)$/, " or $1");

/** Show a criterion as the one that something is wrong with. @param {HTMLElement} one */
export function flash(one) {
  one.classList.remove("flash");
  void one.offsetWidth; // so that the animation begins again
  one.classList.add("flash");
}

/**
 * @param {Page} page
 * @param {AbortSignal} signal ends it, when another event is shown
 */
export function startKeys(page, signal) {
  const { criteria, radios } = page;
  const help = /** @type {HTMLDialogElement} */ (document.getElementById("help"));
  const open = criteria.findIndex((one) => !radios(one).some((radio) => radio.checked));
  let at = Math.max(open, 0);

  /** @param {boolean} focus */
  const mark = (focus) => {
    criteria.forEach((one, place) => one.classList.toggle("current", place === at));
    if (!focus) return;
    if (at < criteria.length) {
      criteria[at].focus({ preventScroll: true });
      criteria[at].scrollIntoView({ block: "nearest" });
    }
  };

  /** @param {string} digit */
  const answer = (digit) => {
    if (at >= criteria.length) {
      page.say("All criteria have an answer: s saves, ↑ goes back to one.");
      return;
    }
    const radio = radios(criteria[at]).find((one) => one.value === digit);
    if (!radio) {
      flash(criteria[at]);
      page.say(`${digit} is not on this scale: ${listed(radios(criteria[at]).map((one) => one.value))}`, "away");
      return;
    }
    criteria[at].classList.remove("flash");
    radio.checked = true;
    at += 1;
    page.changed();
    mark(true);
    if (at === criteria.length) page.finished();
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
    ...page.keys,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.getElementById("main")?.inert) return; // the next event is on its way
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
    // A key that is held down must not run through the events.
    if (event.repeat && !key.startsWith("Arrow")) return;
    if (/^[0-9]$/.test(key)) answer(key);
    else if (does[key]) does[key]();
    else if (chip) page.chip(chip.value);
    else return;
    event.preventDefault();
  }, { signal });

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
  return {
    /** Move to a criterion and show that it has no answer. @param {HTMLFieldSetElement} one */
    show: (one) => {
      at = criteria.indexOf(one);
      mark(true);
      flash(one);
    },
  };
}
