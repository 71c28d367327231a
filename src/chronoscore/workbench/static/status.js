// What the page says of itself: beside the button, to screen readers, and what waits in the head.
import { draftsUnder, placeOf } from "./drafts.js";
import { waiting, waitingFor } from "./outbox.js";

/** Whether the line shown is about this event, rather than about one that was left. */
let ofEvent = false;

/** @param {string} text @param {string} kind */
function write(text, kind) {
  const line = document.getElementById("status");
  if (!line) return;
  line.textContent = text;
  line.className = kind;
}

/** The line in the form changes with the event; screen readers follow one that stays. @param {string} text */
function announce(text) {
  const announcement = document.getElementById("announcement");
  if (announcement) announcement.textContent = text;
}

/** Say something about the event in the page. @param {string} text @param {string} [kind] */
export function say(text, kind = "") {
  ofEvent = text !== "";
  write(text, kind);
  announce(text);
}

/** Say something about answers on their way, unless there is something to say about this event.
 * @param {string} text
 * @param {string} [kind]
 * @param {boolean} [aloud]
 */
export function sayAside(text, kind = "", aloud = true) {
  if (ofEvent) return;
  write(text, kind);
  if (aloud) announce(text);
}

/** Announce another event, of which there is nothing to say yet. @param {string} text */
export function sayNew(text) {
  ofEvent = false;
  write("", "");
  announce(text);
}

/** Why an answer was not saved, by address. @type {Map<string, string>} */
const reasons = new Map();

/** Remember why an answer was not saved, or that it is. @param {string} url @param {import("./outbox.js").Outcome} outcome */
export function noteOutcome(url, outcome) {
  if (outcome.state === "saved") reasons.delete(url);
  if (outcome.state === "clash") reasons.set(url, "saved elsewhere meanwhile");
  if (outcome.state === "refused") reasons.set(url, outcome.message);
}

/**
 * Links to events with answers that are neither saved nor on their way.
 * @param {string} start how their addresses begin
 * @param {string} [except] the event in the page
 * @param {boolean} [refused] only those that could not be saved while this page is open
 */
export function unsavedLinks(start, except = "", refused = false) {
  const urls = draftsUnder(start).filter((url) => url !== except && !waitingFor(url) && (!refused || reasons.has(url)));
  return urls.map((url) => {
    const link = document.createElement("a");
    link.href = url;
    link.textContent = `event ${placeOf(url)}`;
    const item = document.createElement("span");
    item.append(link, reasons.get(url) ? ` (${reasons.get(url)})` : "");
    return item;
  });
}

let trouble = false;

/** Show how many answers wait and which were not saved.
 * @param {string} start
 * @param {string} shown
 * @param {boolean} [stuck] whether sending has just failed
 */
export function showUnsent(start, shown, stuck) {
  const place = document.getElementById("unsent");
  if (!place) return;
  const count = waiting();
  trouble = count > 0 && (stuck ?? trouble);
  /** @type {(Node | string)[]} */
  const parts = [];
  if (trouble || count > 1) parts.push(count === 1 ? "1 answer waits to be sent" : `${count} answers wait to be sent`);
  const links = unsavedLinks(start, shown);
  if (links.length) {
    const list = document.createElement("span");
    list.append("Not saved: ", ...links.flatMap((link, at) => (at ? [", ", link] : [link])));
    parts.push(list);
  }
  place.hidden = !parts.length;
  place.replaceChildren(...parts.flatMap((part, at) => (at ? [" · ", part] : [part])));
}
