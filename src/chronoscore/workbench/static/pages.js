// Pages of events, fetched ahead of need and kept for the way back.
import { placeOf } from "./drafts.js";
import { meta, takeToken, viewer } from "./session.js";

/**
 * @typedef {import("./outbox.js").Said} Said
 * @typedef {{ state: "page", page: Document } | { state: "away" } | { state: "other" }} Fetched
 */

const PATIENCE = 20000;
const AHEAD = 3;
const BEHIND = 3;

/** @type {Map<string, Document>} */
const pages = new Map();
/** Pages whose answer was saved since they were fetched. @type {Set<string>} */
const outdated = new Set();
/** What this browser knows to be saved. @type {Map<string, Said>} */
const receipts = new Map();
/** @type {Map<string, Promise<Fetched>>} */
const coming = new Map();

/** Remember what is saved now, unless something newer is known. @param {string} url @param {Said} said */
export function noteSaved(url, said) {
  if ((receipts.get(url)?.version ?? 0) <= said.version) receipts.set(url, said);
  outdated.add(url);
}

/** @param {string} url */
export const receiptOf = (url) => receipts.get(url);

/** The page of an event, if it is here and up to date as far as is known. @param {string} url */
export const ready = (url) => (outdated.has(url) ? undefined : pages.get(url));

/** Keep the page that the browser has loaded. @param {string} url @param {Document} page */
export function keepPage(url, page) {
  pages.set(url, page);
  document.documentElement.dataset.pages = [...pages.keys()].map(placeOf).join(" ");
}

/** @param {string} url @returns {Promise<Fetched>} */
async function load(url) {
  outdated.delete(url);
  let answer;
  let text;
  try {
    answer = await fetch(url, { headers: { accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    text = await answer.text();
  } catch {
    outdated.add(url);
    return { state: "away" };
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  // A login page, a refusal, another person's page or a batch that was submitted is loaded in full.
  const usable = answer.ok && !answer.redirected && page.querySelector("#judge #save") && meta("viewer", page) === viewer;
  if (!usable) {
    pages.delete(url);
    return { state: "other" };
  }
  takeToken(page);
  keepPage(url, page);
  return { state: "page", page };
}

/** Fetch the page of an event, once even if asked twice. @param {string} url @returns {Promise<Fetched>} */
function fetchPage(url) {
  const begun = coming.get(url) ?? load(url).finally(() => coming.delete(url));
  coming.set(url, begun);
  return begun;
}

/**
 * The page of an event: from memory, else from the server, else what memory has of old.
 * @param {string} url
 * @returns {Promise<Fetched>}
 */
export async function pageOf(url) {
  const here = ready(url);
  if (here) return { state: "page", page: here };
  const fetched = await fetchPage(url);
  const old = pages.get(url);
  return fetched.state === "away" && old ? { state: "page", page: old } : fetched;
}

/** Fetch the pages that come next, and forget those that are far away.
 * @param {string} start the batch's address, which the places follow
 * @param {number} place
 * @param {number} last
 */
export function fetchAhead(start, place, last) {
  for (const url of pages.keys()) {
    if (placeOf(url) < place - BEHIND || placeOf(url) > place + AHEAD) pages.delete(url);
  }
  for (let next = place + 1; next <= Math.min(place + AHEAD, last); next += 1) {
    if (!ready(start + next)) fetchPage(start + next);
  }
}
