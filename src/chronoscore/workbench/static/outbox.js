// Answers on their way: kept in this browser until the server has acknowledged them.
import { drop, keep, kept } from "./storage.js";

/**
 * @typedef {{ version: number, values: Record<string, number | null>, comment: string, flag: boolean }} Answer
 * @typedef {Answer & { save: string }} Sent
 * @typedef {{ url: string, body: Sent }} Letter
 * @typedef {Answer & { complete: boolean, at: string }} Said
 * @typedef {{ state: "saved", said: Said } | { state: "clash", said: Said, mine: Sent }
 *   | { state: "away", message: string } | { state: "refused", message: string, stays: boolean }} Outcome
 */

/** @param {string} name */
const meta = (name) => /** @type {HTMLMetaElement | null} */ (document.querySelector(`meta[name=${name}]`))?.content ?? "";

const BOX = `chronoscore/outbox/${meta("viewer")}`;

/** @returns {Letter[]} */
function letters() {
  try {
    const found = JSON.parse(kept(BOX) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** @param {Letter[]} all */
function hold(all) {
  if (all.length) keep(BOX, JSON.stringify(all));
  else drop(BOX);
}

/** How many answers wait to be sent. */
export const waiting = () => letters().length;

/** A name that no other save has; works without https too. */
export function fresh() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Put an answer in the box: from now on it survives a reload.
 * @param {string} url
 * @param {Answer} answer
 */
export function put(url, answer) {
  hold([...letters(), { url, body: { ...answer, save: fresh() } }]);
}

/**
 * @param {Letter} letter
 * @returns {Promise<Outcome>}
 */
async function deliver(letter) {
  let answer;
  try {
    answer = await fetch(letter.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": meta("csrf") },
      body: JSON.stringify(letter.body),
      keepalive: true,
    });
  } catch {
    return { state: "away", message: "" };
  }
  const content = await answer.json().catch(() => ({}));
  if (answer.status >= 500 || answer.status === 429) return { state: "away", message: content.message ?? "" };
  if (answer.ok) return { state: "saved", said: content };
  if (answer.status === 409) return { state: "clash", said: content, mine: letter.body };
  // Without a session, or with a form that is out of date, it can still be saved later.
  const stays = answer.status === 401 || answer.status === 403;
  return { state: "refused", message: content.message ?? `refused (${answer.status})`, stays };
}

/**
 * Send all that waits, in order. What the server refuses for want of a session stays in the box;
 * a clash is taken out and handed to the page that it is about.
 * @param {(url: string, outcome: Outcome) => void} [tell]
 * @returns {Promise<boolean>} whether the box is empty
 */
export async function flush(tell) {
  for (let all = letters(); all.length; all = letters()) {
    const [first] = all;
    const outcome = await deliver(first);
    tell?.(first.url, outcome);
    if (outcome.state === "away") return false;
    if (outcome.state === "refused" && outcome.stays) return false;
    const rest = letters().filter((one) => one.body.save !== first.body.save);
    if (outcome.state === "saved") {
      for (const one of rest) if (one.url === first.url) one.body.version = outcome.said.version;
    }
    hold(rest);
  }
  return true;
}
