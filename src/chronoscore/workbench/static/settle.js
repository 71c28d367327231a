// Settling by keys: digits answer what differs, and the next difference comes without a page load.
import { showEvidence } from "./article.js";
import { flash, listed } from "./keys.js";
import { drop, keep, kept } from "./storage.js";

/** @typedef {{ version: string, entries: [string, string][] }} Draft */

const viewer = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=viewer]"))?.content ?? "";
/** Fields that belong to the page that was shown, not to what the lead chose. */
const HIDDEN = ["csrf", "save", "version", "names"];
/** Whether names are shown, once the lead has pressed `w`; until then as the server says. @type {boolean | null} */
let named = null;
let busy = false;
/** Pages come as pages; what is refused comes as a message. */
const JSON_ERRORS = { accept: "application/json" };
/** The difference that is on the page. @type {Difference} */
let page;

/** @param {string} path */
const draftName = (path) => `chronoscore/settle/${viewer}${path}`;

/** @template {Element} T @param {string} selector @param {ParentNode} [within] @returns {T} */
const one = (selector, within = document) => /** @type {T} */ (within.querySelector(selector));

class Difference {
  constructor() {
    this.form = /** @type {HTMLFormElement} */ (one("#settle"));
    this.status = /** @type {HTMLElement} */ (one("#status"));
    this.note = /** @type {HTMLTextAreaElement} */ (one("textarea[name=note]"));
    this.reasons = /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll("input[name=reason]")]);
    this.criteria = /** @type {HTMLFieldSetElement[]} */ ([...this.form.querySelectorAll("fieldset.criterion")]);
    this.differing = this.criteria.filter((each) => each.classList.contains("differs"));
    this.path = new URL(this.form.action).pathname;
    const open = this.criteria.find((each) => !this.answered(each));
    this.current = open ?? this.differing[0] ?? this.criteria[0];
  }

  /** @param {HTMLFieldSetElement} criterion */
  radios(criterion) {
    return /** @type {HTMLInputElement[]} */ ([...criterion.querySelectorAll("input[type=radio]")]);
  }

  /** @param {HTMLFieldSetElement} criterion */
  answered(criterion) {
    return this.radios(criterion).some((radio) => radio.checked);
  }

  /** @param {string} text @param {string} [kind] */
  say(text, kind = "") {
    this.status.textContent = text;
    this.status.className = kind;
  }

  /** What the lead chose and typed. @returns {[string, string][]} */
  entries() {
    const all = /** @type {[string, string][]} */ ([...new FormData(this.form).entries()]);
    return all.filter(([name]) => !HIDDEN.includes(name));
  }

  /** @param {[string, string][]} entries */
  fill(entries) {
    for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (this.form.querySelectorAll("input[type=radio], input[type=checkbox]"))) {
      input.checked = entries.some(([name, value]) => name === input.name && value === input.value);
    }
    this.note.value = entries.find(([name]) => name === "note")?.[1] ?? "";
  }

  keepDraft() {
    const draft = { version: this.form.dataset.version ?? "", entries: this.entries() };
    keep(draftName(this.path), JSON.stringify(draft));
    this.say("not saved yet");
  }

  restoreDraft() {
    if (this.form.dataset.unsaved) return; // the server sent back what was typed
    /** @type {Draft | null} */
    let draft = null;
    try {
      draft = JSON.parse(kept(draftName(this.path)) ?? "null");
    } catch {
      drop(draftName(this.path));
    }
    if (!draft || JSON.stringify(draft.entries) === JSON.stringify(this.entries())) return;
    const { version, entries } = draft;
    if (version === this.form.dataset.version) {
      this.fill(entries);
      this.say("what you had not saved is back");
      return;
    }
    drop(draftName(this.path));
    this.say("This was settled elsewhere meanwhile: you see that.", "away");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Put mine back";
    button.addEventListener("click", () => {
      this.fill(entries);
      this.keepDraft();
    });
    this.status.append(" ", button);
  }

  /** Mark the criterion in focus, and show its guidance beside. @param {boolean} focus */
  mark(focus) {
    for (const each of this.criteria) each.classList.toggle("current", each === this.current);
    const guidance = /** @type {HTMLElement} */ (one("#guidance"));
    const title = document.createElement("h2");
    title.textContent = this.current.dataset.name ?? "";
    const parts = [...this.current.querySelectorAll(".guidance > :not(summary)")].map((part) => part.cloneNode(true));
    guidance.replaceChildren(title, ...parts);
    guidance.hidden = false;
    if (!focus) return;
    const folded = this.current.closest("details");
    if (folded) folded.open = true;
    this.current.focus({ preventScroll: true });
    this.current.scrollIntoView({ block: "nearest" });
  }

  /** @param {HTMLFieldSetElement} criterion */
  focus(criterion) {
    this.current = criterion;
    this.mark(true);
  }

  /** @param {number} by */
  move(by) {
    const folded = one(".alike", this.form);
    const reachable = folded && !(/** @type {HTMLDetailsElement} */ (folded).open) ? this.differing : this.criteria;
    const at = reachable.indexOf(this.current) + by;
    this.focus(reachable[Math.min(Math.max(at, 0), reachable.length - 1)] ?? this.current);
  }

  /** @param {string} digit */
  answer(digit) {
    const radios = this.radios(this.current);
    const radio = radios.find((each) => each.value === digit);
    if (!radio) {
      const scale = listed(radios.map((each) => each.value));
      this.refuse(this.current, `${digit} is not on the scale of ${this.current.dataset.name}: ${scale}.`);
      return;
    }
    const wasOpen = !this.answered(this.current);
    radio.checked = true;
    this.current.classList.remove("flash");
    this.keepDraft();
    const at = this.criteria.indexOf(this.current);
    const later = [...this.criteria.slice(at + 1), ...this.criteria.slice(0, at)];
    const open = later.find((each) => !this.answered(each));
    const following = this.differing[this.differing.indexOf(this.current) + 1];
    if (open) this.focus(open);
    else if (wasOpen || !following || !this.differing.includes(this.current)) save();
    else this.focus(following);
  }

  /** @param {HTMLElement} criterion @param {string} message */
  refuse(criterion, message) {
    flash(criterion);
    this.say(message, "away");
  }

  /** Show or hide who gave which answer. */
  showNames() {
    const field = /** @type {HTMLInputElement} */ (one("input[name=names]", this.form));
    const link = /** @type {HTMLAnchorElement} */ (one("#names"));
    const standard = /** @type {HTMLFormElement} */ (one("#default"));
    const shown = named ?? field.value === "yes";
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (this.form.querySelectorAll("[data-names]"))) {
      part.hidden = (part.dataset.names === "yes") !== shown;
    }
    field.value = shown ? "yes" : "no";
    /** @type {HTMLInputElement} */ (one("input[name=names]", standard)).value = field.value;
    standard.hidden = field.value === standard.dataset.standard;
    const key = one("kbd", link);
    link.replaceChildren(shown ? "Hide names " : "Show names ", key);
  }

  start() {
    for (const each of this.criteria) {
      each.tabIndex = -1;
      each.addEventListener("focusin", () => {
        this.current = each;
        this.mark(false);
      });
    }
    this.form.addEventListener("input", () => this.keepDraft());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      save();
    });
    one("#names").addEventListener("click", (event) => {
      event.preventDefault();
      toggleNames();
    });
    for (const link of document.querySelectorAll(".trail [rel], .buttons a")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        go(/** @type {HTMLAnchorElement} */ (link).href);
      });
    }
    const help = /** @type {HTMLDialogElement} */ (one("#help"));
    const button = /** @type {HTMLButtonElement} */ (one("#help-button"));
    button.hidden = false;
    button.addEventListener("click", () => help.showModal());
    this.showNames();
    this.restoreDraft();
    this.mark(true);
    showEvidence();
    document.documentElement.dataset.ready = "yes";
  }
}

function toggleNames() {
  const field = /** @type {HTMLInputElement} */ (one("input[name=names]", page.form));
  named = field.value !== "yes";
  page.showNames();
}

/**
 * Put the difference of an answer in the place of this one; any other page is opened as such.
 * @param {Response} answer
 * @param {boolean} remember whether the browser's history gets the address
 */
async function show(answer, remember) {
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!next.querySelector("#settle") || !next.querySelector("#save")) {
    location.assign(answer.url);
    return;
  }
  const url = new URL(answer.url);
  const problem = next.querySelector("#settle")?.hasAttribute("data-unsaved");
  if (remember && !problem) history.pushState(null, "", url.pathname + url.search);
  document.title = next.title;
  for (const part of ["main", ".trail"]) one(part).replaceWith(document.adoptNode(one(part, next)));
  page = new Difference();
  page.start();
}

/**
 * Ask the server, and show what it answers; keys wait until then.
 * @param {() => Promise<Response>} request
 * @param {string} failure what to do if it fails
 * @param {boolean} [remember]
 */
async function exchange(request, failure, remember = true) {
  if (busy) return;
  busy = true;
  try {
    const answer = await request();
    if ((answer.headers.get("content-type") ?? "").includes("json")) {
      page.say(`${(await answer.json()).message} ${failure}`, "away");
      return;
    }
    if (answer.redirected) drop(draftName(page.path)); // only what was saved leads elsewhere
    await show(answer, remember);
  } catch {
    page.say(`No connection. ${failure}`, "away");
  } finally {
    busy = false;
  }
}

/** Settle, and show the next difference. */
async function save() {
  const { form } = page;
  const open = page.criteria.find((each) => !page.answered(each));
  if (open) {
    page.focus(open);
    page.refuse(open, `Choose a value for ${open.dataset.name}.`);
    return;
  }
  page.say("saving ...");
  const body = new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form).entries()]));
  const send = () => fetch(form.action, { method: "POST", body, headers: JSON_ERRORS });
  await exchange(send, "This is not saved: it stays in the form. Settle it again.");
}

/** Open another difference without saving; what was chosen here stays in this browser. @param {string} url */
const go = (url) => exchange(() => fetch(url, { headers: JSON_ERRORS }), "Try again.");

/** @param {string} relation */
const follow = (relation) => go(/** @type {HTMLAnchorElement} */ (one(`.trail [rel=${relation}]`)).href);

/** @type {Record<string, () => void>} */
const does = {
  s: save,
  Enter: save,
  n: () => follow("next"),
  p: () => follow("prev"),
  w: toggleNames,
  r: () => page.reasons[0]?.focus(),
  c: () => page.note.focus(),
  Escape: () => page.mark(true),
  "?": () => {
    const help = /** @type {HTMLDialogElement} */ (one("#help"));
    if (help.open) help.close();
    else help.showModal();
  },
  ArrowDown: () => page.move(1),
  ArrowUp: () => page.move(-1),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.matches("textarea")) {
    if (event.key === "Escape") page.mark(true);
    return;
  }
  if (/** @type {HTMLDialogElement} */ (one("#help")).open && event.key !== "?") return;
  if (event.key === "Enter" && target.closest("a, button, summary")) return;
  if (event.key.startsWith("Arrow") && (target.matches("input") || target.closest(".article"))) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const reason = target.matches("input[name=reason]") && page.reasons[Number(key) - 1];
  if (busy || (event.repeat && !key.startsWith("Arrow"))) {
    event.preventDefault(); // a key that is held down must not answer the next event
    return;
  }
  if (/^[0-9]$/.test(key)) {
    if (reason) {
      reason.checked = !reason.checked;
      page.keepDraft();
    } else page.answer(key);
  } else if (does[key]) does[key]();
  else return;
  event.preventDefault();
});
addEventListener("popstate", () => {
  exchange(() => fetch(location.href, { headers: JSON_ERRORS }), "Reload the page.", false);
});

page = new Difference();
page.start();
