// Answers on their way: kept in this browser until the server has acknowledged them.
//
// Each letter has an entry of its own and never changes, so that two tabs can't undo each other's
// work: the same letter sent twice is one save, and an entry is removed only by its name. A letter
// names the save that it follows (`after`), so that an answer can be changed before the first
// version of it is acknowledged.
import { dropSaved } from "./drafts.js";
import { meta, takeToken, viewer } from "./session.js";
import { drop, keep, kept, names } from "./storage.js";

/**
 * @typedef {{ version: number, values: Record<string, number | null>, comment: string, flag: boolean }} Answer
 * @typedef {Answer & { save: string, after?: string }} Sent
 * @typedef {{ url: string, body: Sent }} Letter
 * @typedef {Answer & { complete: boolean, at: string }} Said
 * @typedef {{ state: "saved", said: Said } | { state: "clash", said: Said }
 *   | { state: "away", message: string } | { state: "refused", message: string, stays: boolean }} Outcome
 * @typedef {(letter: Letter, outcome: Outcome) => void} Listener
 */

const BOX = `chronoscore/outbox/${viewer}`;
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
const PATIENCE = 20000;

/** The names of all letters, the oldest first. */
const entries = () => names(`${BOX}/`);

/** @param {string} entry @returns {Letter | null} */
function read(entry) {
  try {
    const letter = JSON.parse(kept(entry) ?? "");
    return typeof letter.body.save === "string" && letter.url ? letter : null;
  } catch {
    return null;
  }
}

/** @param {Letter} letter @returns {boolean} whether it outlives the page */
function post(letter) {
  const last = Number(entries().pop()?.slice(BOX.length + 1).split("-")[0] ?? 0);
  const number = Math.max(Date.now(), last + 1); // whatever the clock does, the order stays
  return keep(`${BOX}/${String(number).padStart(15, "0")}-${letter.body.save}`, JSON.stringify(letter));
}

/** Letters of the first version of this page were one list. */
function takeOldList() {
  try {
    for (const letter of JSON.parse(kept(BOX) ?? "[]")) post(letter);
  } catch {
    // what can't be read can't be sent
  }
  drop(BOX);
}
if (kept(BOX) !== null) takeOldList();

/** How many answers wait to be sent. */
export const waiting = () => entries().length;

/** The last answer about an event that waits to be sent. @param {string} url @returns {Letter | null} */
export function waitingFor(url) {
  return entries().map(read).filter((letter) => letter?.url === url).pop() ?? null;
}

/** Take out what waits about an event. @param {string} url */
export function withdraw(url) {
  for (const entry of entries()) if (read(entry)?.url === url) drop(entry);
}

/** A name that no other save has; works without https too. */
function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Put an answer in the box and begin to send it.
 * @param {string} url
 * @param {Answer} answer
 * @param {string} after the save of this browser that it replaces, if that is not acknowledged yet
 * @returns {{ letter: Letter, lasts: boolean }} the letter, and whether it outlives the page
 */
export function put(url, answer, after) {
  const letter = { url, body: { ...answer, save: fresh(), after } };
  const lasts = post(letter);
  flush();
  return { letter, lasts };
}

/** @type {Listener[]} */
const listeners = [];
const tabs = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(BOX);
tabs?.addEventListener("message", ({ data }) => {
  for (const one of listeners) one(data.letter, data.outcome);
});

/** Hear what becomes of each letter, whichever tab has sent it. @param {Listener} listener */
export const listen = (listener) => listeners.push(listener);

/** @param {Letter} letter @param {Outcome} outcome */
function tell(letter, outcome) {
  for (const one of listeners) one(letter, outcome);
  if (outcome.state !== "away") tabs?.postMessage({ letter, outcome });
}

/** @param {Letter} letter */
async function send(letter) {
  return fetch(letter.url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": meta("csrf") },
    body: JSON.stringify(letter.body),
    keepalive: true,
    signal: AbortSignal.timeout(PATIENCE),
  });
}

/** After a new login, forms of earlier pages are out of date: ask for the token of today. @param {string} url */
async function renewToken(url) {
  const answer = await fetch(url, { headers: { accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
  if (answer.ok && !answer.redirected) takeToken(new DOMParser().parseFromString(await answer.text(), "text/html"));
}

/**
 * @param {Letter} letter
 * @returns {Promise<Outcome>}
 */
async function deliver(letter) {
  let answer;
  let content;
  try {
    const token = meta("csrf");
    answer = await send(letter);
    if (answer.status === 403) {
      if (token === meta("csrf")) await renewToken(letter.url);
      if (token !== meta("csrf")) answer = await send(letter);
    }
    content = await answer.json().catch(() => null);
  } catch {
    return { state: "away", message: "" };
  }
  if (answer.status >= 500 || answer.status === 429) return { state: "away", message: content?.message ?? "" };
  // Only what can be read is an acknowledgement: a proxy may answer anything.
  if (answer.ok) return content ? { state: "saved", said: content } : { state: "away", message: "" };
  if (answer.status === 409 && content?.values) return { state: "clash", said: content };
  // Without a session, or with a form that is out of date, it can still be saved later.
  const stays = answer.status === 401 || answer.status === 403;
  return { state: "refused", message: content?.message ?? `refused (${answer.status})`, stays };
}

/** Send all that waits, in order. @returns {Promise<boolean>} whether the box is empty */
async function sendAll() {
  for (let [first] = entries(); first; [first] = entries()) {
    const letter = read(first);
    const outcome = letter && (await deliver(letter));
    const stays = outcome?.state === "away" || (outcome?.state === "refused" && outcome.stays);
    if (!stays) drop(first);
    // A draft stays while a later save of its event waits, which may still be refused.
    if (letter && outcome?.state === "saved" && !waitingFor(letter.url)) dropSaved(letter.url, outcome.said);
    if (letter && outcome) tell(letter, outcome);
    if (outcome?.state === "away") retry();
    else wait = FIRST_WAIT;
    if (stays) return false;
  }
  return true;
}

let wait = FIRST_WAIT;
/** @type {number | undefined} */
let timer;
function retry() {
  clearTimeout(timer);
  timer = setTimeout(flush, wait);
  wait = Math.min(2 * wait, LONGEST_WAIT);
}

/** One tab sends at a time, where the browser can say so. @returns {Promise<boolean>} */
const inTurn = () => (navigator.locks ? navigator.locks.request(BOX, sendAll) : sendAll());

let more = false;
/** @type {Promise<boolean> | null} */
let running = null;

/**
 * Send all that waits, now. What the server refuses for want of a session stays in the box; what is
 * in conflict or can't be saved is taken out, and the listeners hear of it.
 * @returns {Promise<boolean>} whether the box is empty
 */
export function flush() {
  more = true;
  running ??= (async () => {
    try {
      let empty = true;
      while (more && empty) {
        more = false;
        empty = await inTurn();
      }
      return empty;
    } finally {
      running = null;
    }
  })();
  return running;
}
addEventListener("online", flush);
