// One event in the page: its answer, what is not saved of it, and what becomes of its saves.
import { showClash } from "./clash.js";
import { alike, draftOf, dropDraft, keepDraft } from "./drafts.js";
import { flush, put, waitingFor, withdraw } from "./outbox.js";
import { receiptOf } from "./pages.js";
import { say } from "./status.js";

/**
 * @typedef {import("./outbox.js").Answer} Answer
 * @typedef {import("./outbox.js").Letter} Letter
 * @typedef {import("./outbox.js").Outcome} Outcome
 * @typedef {ReturnType<typeof openEvent>} OpenEvent
 */

/** The saves that were entered in this tab. @type {Set<string>} */
const ours = new Set();

/** @param {HTMLFieldSetElement} one */
const radios = (one) => /** @type {HTMLInputElement[]} */ ([...one.querySelectorAll("input[type=radio]")]);

/** @param {HTMLFieldSetElement} one */
const titleOf = (one) => one.querySelector("legend")?.textContent ?? one.dataset.field ?? "";

/** Bring the form of the page to life. */
export function openEvent() {
  const form = /** @type {HTMLFormElement} */ (document.getElementById("judge"));
  const url = form.dataset.url ?? "";
  const comment = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
  const flag = /** @type {HTMLInputElement} */ (form.querySelector("input[name=flag]"));
  const chips = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[name=chip]")]);
  const criteria = /** @type {HTMLFieldSetElement[]} */ ([...form.querySelectorAll("fieldset.criterion")]);
  const clash = /** @type {HTMLElement} */ (document.getElementById("clash"));
  let version = Number(form.dataset.version);

  /** @param {(radio: HTMLInputElement) => boolean} isChosen */
  function valuesWhere(isChosen) {
    /** @type {Record<string, number | null>} */
    const values = {};
    for (const one of criteria) {
      const chosen = radios(one).find(isChosen);
      values[one.dataset.field ?? ""] = chosen ? Number(chosen.value) : null;
    }
    return values;
  }

  /** What the form says now. @returns {Answer} */
  function current() {
    const values = valuesWhere((radio) => radio.checked);
    return { version, values, comment: comment.value.replace(/[;\s]+$/, "").trim(), flag: flag.checked };
  }

  /** What the form said when the server sent it; browsers may have put back what was typed since. @returns {Answer} */
  function received() {
    const values = valuesWhere((radio) => radio.defaultChecked);
    return { version, values, comment: comment.defaultValue, flag: flag.defaultChecked };
  }

  /** Put an answer into the form. @param {Answer} answer */
  function fill(answer) {
    for (const one of criteria) {
      const value = answer.values[one.dataset.field ?? ""] ?? null;
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

  fill(received());
  /** What the server has. A form that it sent back unsaved holds what was typed. @type {Answer} */
  let saved = form.dataset.unsaved ? { version, values: {}, comment: "", flag: false } : current();
  const receipt = receiptOf(url);
  if (receipt && receipt.version > version) {
    // The page is from before the last save, and there was no connection to fetch it again.
    saved = receipt;
    version = receipt.version;
    fill(saved);
  }
  /** The last answer that is on its way. @type {Letter | null} */
  let pending = waitingFor(url);
  /** The last save that this form rests on, if the server may not have acknowledged it yet. */
  let after = pending?.body.save ?? "";
  /** What the form said before each change that was not saved. @type {Answer[]} */
  const before = [];
  let shown = current();
  let asked = false;

  /** What need not be sent again. @returns {Answer} */
  const sent = () => pending?.body ?? saved;

  /** Keep what the form says, if it is not saved. */
  function keepUnsaved() {
    const present = current();
    if (alike(present, saved) && !pending) dropDraft(url);
    else keepDraft(url, present);
  }

  function changed() {
    const present = current();
    if (alike(present, shown)) return;
    before.push(shown);
    shown = present;
    asked = false;
    keepUnsaved();
    say(alike(present, sent()) ? "" : "not saved yet");
  }

  /** @param {string} text */
  function addChip(text) {
    const pieces = comment.value.split(";").map((piece) => piece.trim()).filter(Boolean);
    const rest = pieces.filter((piece) => piece.toLowerCase() !== text.toLowerCase());
    comment.value = (rest.length < pieces.length ? rest : [text, ...pieces]).join("; ");
    tick();
    changed();
  }

  /** @param {Answer} theirs */
  function choose(theirs) {
    say("saved elsewhere meanwhile", "away");
    const mine = current();
    version = theirs.version;
    saved = theirs;
    pending = null;
    showClash(criteria, theirs, mine, (chosen) => {
      fill(chosen);
      shown = current();
      before.length = 0;
      if (chosen === theirs) {
        withdraw(url);
        dropDraft(url);
        say("took the other", "good");
      } else save();
    });
  }

  /** Hear what became of a save of this event. @param {Letter} letter @param {Outcome} outcome */
  function heard(letter, outcome) {
    const mine = ours.has(letter.body.save);
    if (outcome.state === "saved") {
      // What another tab saved stays a conflict, until the evaluator has seen it.
      if (!mine || outcome.said.version < version) return;
      if (pending?.body.save === letter.body.save) pending = null;
      version = outcome.said.version;
      saved = outcome.said;
      if (!before.length && !pending && !alike(current(), saved)) {
        fill(saved);
        shown = current();
      }
      if (pending) return;
      keepUnsaved();
      if (alike(current(), saved)) {
        before.length = 0;
        say("saved", "good");
      } else say("not saved yet");
    } else if (outcome.state === "away") {
      const why = outcome.message || "No connection:";
      say(`${why} Your answer is kept in this browser and sent again by itself.`, "away");
    } else if (outcome.state === "refused") {
      if (!outcome.stays && pending?.body.save === letter.body.save) pending = null;
      say(`Not saved: ${outcome.message}`, "away");
    } else if (mine) choose(outcome.said);
  }

  /**
   * Put the answer on its way, if it is not there.
   * @returns {boolean} whether it is kept in the browser, or nothing had to be kept
   */
  function save() {
    const answer = current();
    if (alike(answer, sent())) {
      if (!pending) dropDraft(url);
      say(pending ? "saving ..." : version ? "saved" : "nothing to save", version && !pending ? "good" : "");
      return true;
    }
    const drafted = keepDraft(url, answer);
    const { letter, lasts } = put(url, answer, after);
    ours.add(letter.body.save);
    pending = letter;
    after = letter.body.save;
    before.length = 0;
    shown = answer;
    say("saving ...");
    return drafted && lasts;
  }

  /** The criteria that have no answer. */
  const open = () => criteria.filter((one) => !radios(one).some((radio) => radio.checked));

  /**
   * Whether the event may be left; if something is missing, asks once.
   * @param {boolean} saving whether the evaluator wants to save, rather than to pass by
   * @returns {HTMLFieldSetElement | null} the first criterion without an answer, if this asks
   */
  function asks(saving) {
    const missing = open();
    if (asked || !missing.length) return null;
    const answer = current();
    const begun = missing.length < criteria.length || answer.comment !== "";
    if (saving ? !begun && answer.flag : !begun || alike(answer, sent())) return null;
    asked = true;
    const names = missing.length === criteria.length ? "any criterion" : missing.map(titleOf).join(", ");
    say(`No answer yet for ${names}. Press again to go on without.`, "away");
    return missing[0];
  }

  function undo() {
    const last = before.pop();
    if (last) {
      fill({ ...last, version });
      shown = current();
      asked = false;
      keepUnsaved();
      say(alike(shown, sent()) ? "undone" : "undone, not saved yet");
    } else if (pending) {
      say("still saving: undo it when it is saved");
      flush();
    } else if (version) {
      dropDraft(url);
      /** @type {HTMLFormElement | null} */ (document.getElementById("undo"))?.requestSubmit();
    } else say("nothing to undo");
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

  if (form.dataset.unsaved) keepDraft(url, shown);
  const draft = draftOf(url);
  if (pending) {
    ours.add(after);
    fill(draft ?? pending.body);
    shown = current();
    if (!alike(shown, pending.body)) before.push(pending.body);
    say(alike(shown, pending.body) ? "saving ..." : "your unsaved answers are back");
  } else if (draft && !alike(draft, saved)) {
    fill(draft);
    shown = current();
    if (draft.version === version) {
      before.push(saved);
      say("your unsaved answers are back");
    } else choose(saved);
  } else if (draft) dropDraft(url);

  return {
    url, form, criteria, radios, chips, comment, flag, changed, undo, addChip, heard, save, asks,
    /** Whether its last save is on its way. */
    pending: () => pending !== null,
    isSaved: () => alike(current(), saved),
    /** Whether two versions wait for a choice. */
    undecided: () => !clash.hidden,
    /** What counts as judged in the head of the page. */
    counts: () => saved.flag || (Object.keys(saved.values).length > 0 && Object.values(saved.values).every((value) => value !== null)),
  };
}
