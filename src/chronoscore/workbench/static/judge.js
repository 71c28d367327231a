// The judge page: answers by mouse or by key, saved without leaving it, and never lost.
import { startCalendar } from "./calendar.js";
import { showClash } from "./clash.js";
import { alike, draftOf, dropDraft, keepDraft } from "./drafts.js";
import { startKeys } from "./keys.js";
import { flush, put } from "./outbox.js";

/**
 * @typedef {import("./outbox.js").Answer} Answer
 * @typedef {import("./outbox.js").Outcome} Outcome
 */

const form = /** @type {HTMLFormElement} */ (document.getElementById("judge"));
const url = form.dataset.url ?? "";
const status = /** @type {HTMLElement} */ (document.getElementById("status"));
const comment = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
const flag = /** @type {HTMLInputElement} */ (form.querySelector("input[name=flag]"));
const chips = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[name=chip]")]);
const criteria = /** @type {HTMLFieldSetElement[]} */ ([...form.querySelectorAll("fieldset.criterion")]);
let version = Number(form.dataset.version);
let wait = 1000;

/** @param {HTMLFieldSetElement} one */
const radios = (one) => /** @type {HTMLInputElement[]} */ ([...one.querySelectorAll("input[type=radio]")]);

/** What the form says now. @returns {Answer} */
function current() {
  /** @type {Record<string, number | null>} */
  const values = {};
  for (const one of criteria) {
    const chosen = radios(one).find((radio) => radio.checked);
    values[one.dataset.field ?? ""] = chosen ? Number(chosen.value) : null;
  }
  return { version, values, comment: comment.value.replace(/[;\s]+$/, "").trim(), flag: flag.checked };
}

/** Put an answer into the form. @param {Answer} answer */
function fill(answer) {
  for (const one of criteria) {
    const value = answer.values[one.dataset.field ?? ""];
    for (const radio of radios(one)) radio.checked = value !== null && Number(radio.value) === value;
  }
  comment.value = answer.comment;
  flag.checked = answer.flag;
  tick();
}

/** Chips are what the comment holds. */
function tick() {
  for (const chip of chips) chip.checked = comment.value.toLowerCase().includes(chip.value.toLowerCase());
}

/** @param {string} text @param {string} [kind] */
function say(text, kind = "") {
  status.textContent = text;
  status.className = kind;
}

/** What the server has. A form that it sent back unsaved holds what was typed. */
let saved = form.dataset.unsaved ? { version, values: {}, comment: "", flag: false } : current();
/** What the form said before each change that was not saved. @type {Answer[]} */
const before = [];
let shown = current();

function changed() {
  const present = current();
  if (alike(present, shown)) return;
  before.push(shown);
  shown = present;
  if (alike(present, saved)) dropDraft(url);
  else keepDraft(url, present);
  say(alike(present, saved) ? "" : "not saved yet");
}

/** @param {string} text */
function addChip(text) {
  const parts = comment.value.split(";").map((part) => part.trim()).filter(Boolean);
  const rest = parts.filter((part) => part.toLowerCase() !== text.toLowerCase());
  comment.value = (rest.length < parts.length ? rest : [text, ...parts]).join("; ");
  tick();
  changed();
}

/** @param {string} at @param {Outcome} outcome */
function heard(at, outcome) {
  if (at !== url) return;
  if (outcome.state === "saved") {
    version = outcome.said.version;
    saved = outcome.said;
    wait = 1000;
    if (alike(current(), saved)) dropDraft(url);
    say("saved", "good");
  } else if (outcome.state === "away") {
    const why = outcome.message || "No connection:";
    say(`${why} Your answer is kept in this browser and sent again by itself.`, "away");
    setTimeout(again, wait);
    wait = Math.min(2 * wait, 30000);
  } else if (outcome.state === "refused") {
    say(`Not saved: ${outcome.message}`, "away");
  } else {
    say("saved elsewhere meanwhile", "away");
    const { said, mine } = outcome;
    version = said.version;
    saved = said;
    showClash(criteria, said, mine, (chosen) => {
      fill(chosen);
      shown = current();
      if (chosen === said) {
        dropDraft(url);
        say("took the other", "good");
      } else save("");
    });
  }
}

let sending = false;
async function again() {
  if (sending) return false;
  sending = true;
  try {
    return await flush(heard);
  } finally {
    sending = false;
  }
}

/** Save, then go where asked if that was acknowledged. @param {string} then */
async function save(then) {
  const answer = current();
  if (!alike(answer, saved)) {
    keepDraft(url, answer);
    put(url, answer);
    say("saving ...");
    const held = version;
    await again();
    if (!alike(answer, saved) || version === held) return;
    before.length = 0;
  } else {
    dropDraft(url);
    say(version ? "saved" : "nothing to save", version ? "good" : "");
  }
  if (then) location.assign(then);
}

function undo() {
  const last = before.pop();
  if (last) {
    fill({ ...last, version });
    shown = current();
    if (alike(shown, saved)) dropDraft(url);
    else keepDraft(url, shown);
    say(alike(shown, saved) ? "undone" : "undone, not saved yet");
  } else if (version) {
    dropDraft(url);
    /** @type {HTMLFormElement | null} */ (document.getElementById("undo"))?.requestSubmit();
  }
}

form.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.name === "chip") addChip(target.value);
  else changed();
});
comment.addEventListener("input", () => {
  tick();
  changed();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const stay = /** @type {SubmitEvent} */ (event).submitter?.getAttribute("value") === "stay";
  save(stay ? "" : (form.dataset.next ?? ""));
});
addEventListener("online", again);

if (form.dataset.unsaved) keepDraft(url, shown);
const draft = draftOf(url);
if (draft && !alike(draft, saved)) {
  if (draft.version === version) {
    fill(draft);
    before.push(saved);
    shown = current();
    say("your unsaved answers are back");
  } else {
    heard(url, { state: "clash", said: saved && { ...saved, version, complete: false, at: "" }, mine: { ...draft, save: "" } });
  }
} else if (draft) dropDraft(url);

startKeys({
  form,
  criteria,
  radios,
  chips,
  comment,
  flag,
  changed,
  undo,
  chip: addChip,
  save: () => save(form.dataset.next ?? ""),
  go: (where) => {
    if (where) save(where);
  },
});
startCalendar();
again();
document.documentElement.dataset.ready = "yes";
