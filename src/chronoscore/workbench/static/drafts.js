// What was chosen and not saved yet, kept in this browser under the event's address.
import { drop, keep, kept } from "./storage.js";

/** @typedef {import("./outbox.js").Answer} Answer */

const viewer = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=viewer]"))?.content ?? "";

/** @param {string} url */
const name = (url) => `chronoscore/draft/${viewer}${url}`;

/**
 * @param {string} url
 * @param {Answer} answer
 */
export const keepDraft = (url, answer) => keep(name(url), JSON.stringify(answer));

/** @param {string} url */
export const dropDraft = (url) => drop(name(url));

/**
 * @param {string} url
 * @returns {Answer | null}
 */
export function draftOf(url) {
  try {
    return JSON.parse(kept(name(url)) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Whether two answers say the same, whatever version they rest on.
 * @param {Answer} one
 * @param {Answer} other
 */
export function alike(one, other) {
  const fields = new Set([...Object.keys(one.values), ...Object.keys(other.values)]);
  return (
    one.comment.trim() === other.comment.trim() &&
    one.flag === other.flag &&
    [...fields].every((field) => (one.values[field] ?? null) === (other.values[field] ?? null))
  );
}
