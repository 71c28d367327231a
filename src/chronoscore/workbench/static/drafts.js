// What was chosen and not saved yet, kept in this browser under the event's address.
import { viewer } from "./session.js";
import { drop, keep, kept, names } from "./storage.js";

/** @typedef {import("./outbox.js").Answer} Answer */

const ALL = `chronoscore/draft/${viewer}`;

/**
 * @param {string} url
 * @param {Answer} answer
 */
export const keepDraft = (url, answer) => keep(ALL + url, JSON.stringify(answer));

/** @param {string} url */
export const dropDraft = (url) => drop(ALL + url);

/**
 * @param {string} url
 * @returns {Answer | null}
 */
export function draftOf(url) {
  try {
    return JSON.parse(kept(ALL + url) ?? "null");
  } catch {
    return null;
  }
}

/** Drop the draft of an event if it says what is saved now. @param {string} url @param {Answer} saved */
export function dropSaved(url, saved) {
  const draft = draftOf(url);
  if (draft && alike(draft, saved)) dropDraft(url);
}

/** The addresses with a draft that begin like this, by place. @param {string} start */
export const draftsUnder = (start) =>
  names(ALL + start).map((name) => name.slice(ALL.length)).sort((one, other) => placeOf(one) - placeOf(other));

/** The place of an event in its batch, which ends its address. @param {string} url */
export const placeOf = (url) => Number(url.split("/").pop());

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
