// The judge page: answers by mouse or by key. It goes from event to event without loading a page,
// since the next ones are fetched ahead and answers are saved on the way.
import { showEvidence } from "./article.js";
import { startCalendar } from "./calendar.js";
import { placeOf } from "./drafts.js";
import { openEvent } from "./event.js";
import { startKeys } from "./keys.js";
import { flush, listen, waitingFor } from "./outbox.js";
import { fetchAhead, keepPage, noteSaved, pageOf, ready } from "./pages.js";
import { refreshForms } from "./session.js";
import { noteOutcome, say, sayAside, sayNew, showUnsent } from "./status.js";

const PATIENCE = 3000;
const BATCH = location.pathname.replace(/[^/]*$/, "");

/** Whether an address is that of an event in this batch. @param {string} path */
const isEvent = (path) => path.startsWith(BATCH) && /^[0-9]+$/.test(path.slice(BATCH.length));

/** @param {string} name */
const part = (name) => /** @type {HTMLElement} */ (document.querySelector(name));

/** @type {import("./event.js").OpenEvent} */
let event;

/** What to call an event of this batch, such as "pair 3". @param {string} url */
const nameOf = (url) => `${event.form.dataset.unit} ${placeOf(url)}`;

/** @type {ReturnType<typeof startKeys>} */
let keys;
let listeners = new AbortController();
/** Whether each event that was open here counts as judged. @type {Map<string, boolean>} */
const counted = new Map();
/** Counts the changes of the page, so that one that took long does not undo a later one. */
let turn = 0;

/** Bring the event in the page to life. */
function start() {
  listeners = new AbortController();
  event = openEvent();
  counted.set(event.url, event.counts());
  const { form } = event;
  keys = startKeys(
    {
      ...event,
      chip: event.addChip,
      save: () => goOn(form.dataset.next ?? "", true),
      go: (where) => goOn(where, false),
      say,
      finished: () => {
        if (form.dataset.goOn) goOn(form.dataset.next ?? "", true);
        else document.getElementById("save")?.focus();
      },
    },
    listeners.signal,
  );
  form.addEventListener("submit", (submission) => {
    submission.preventDefault();
    if (submission.submitter?.getAttribute("value") === "stay") event.save();
    else goOn(form.dataset.next ?? "", true);
  });
  // One click answers a single question and goes on; arrow keys only move between its answers.
  form.addEventListener("click", (click) => {
    const radio = click.target instanceof Element && click.target.matches("input[type=radio]");
    if (form.dataset.goOn && click.detail && radio) goOn(form.dataset.next ?? "", true);
  });
  startCalendar();
  showEvidence();
  showUnsent(BATCH, event.url);
  fetchAhead(BATCH, placeOf(event.url), Number(form.dataset.last));
}

/** Put another page's event in the place of this one. @param {Document} page */
function swap(page) {
  listeners.abort();
  const judged = part(".trail progress").getAttribute("value") ?? "0";
  for (const name of ["main", ".trail"]) {
    part(name).replaceWith(document.importNode(/** @type {Element} */ (page.querySelector(name)), true));
  }
  part(".trail progress").setAttribute("value", judged);
  document.title = page.title;
  refreshForms(part("main"));
  sayNew(part(".event").getAttribute("aria-label") ?? "");
  start();
  scrollTo(0, 0);
  const heading = part(".event h1");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * Show an event: at once if its page is here. Without a connection the present one stays.
 * @param {string} url
 * @returns {Promise<"shown" | "away" | "left">} "left" if the browser goes elsewhere meanwhile
 */
async function show(url) {
  turn += 1;
  const begun = turn;
  let page = ready(url);
  if (!page) {
    const main = part("main");
    const focus = document.activeElement;
    main.inert = true;
    say("opening ...");
    const fetched = await pageOf(url);
    if (begun !== turn) return "left";
    main.inert = false;
    if (fetched.state === "other") {
      location.assign(url);
      return "left";
    }
    if (fetched.state === "away") {
      if (focus instanceof HTMLElement) focus.focus({ preventScroll: true });
      say(`No connection: ${nameOf(url)} can't be shown yet. Answers are kept in this browser; try again.`, "away");
      return "away";
    }
    page = fetched.page;
  }
  swap(page);
  return "shown";
}

/** Leave the events, once what is on its way has arrived. @param {string} where */
async function leave(where) {
  turn += 1;
  const begun = turn;
  part("main").inert = true;
  const empty = await Promise.race([flush(), new Promise((done) => setTimeout(done, PATIENCE, true))]);
  if (begun !== turn) return;
  part("main").inert = false;
  if (empty && !event.undecided()) location.assign(where);
}

/**
 * Save, and go to another event. Asks once if answers are missing.
 * @param {string} where
 * @param {boolean} saving whether the evaluator wants to save, rather than to pass by
 */
async function goOn(where, saving) {
  if (!where) return;
  if (event.undecided()) {
    say("Choose one of the two versions first.", "away");
    document.getElementById("clash")?.querySelector("button")?.focus();
    return;
  }
  const missing = event.asks(saving);
  if (missing) {
    keys.show(missing);
    return;
  }
  const left = event;
  if (!event.save()) {
    // Where the browser keeps nothing, only an acknowledgement makes it safe to go on.
    part("main").inert = true;
    await flush();
    part("main").inert = false;
    if (event !== left || !event.isSaved()) return;
  }
  if (!isEvent(where)) {
    await leave(where);
    return;
  }
  if ((await show(where)) !== "shown") return;
  history.pushState(null, "", where);
  if (left.pending()) sayAside(`saving ${nameOf(left.url)} ...`, "", false);
  else if (saving && left.isSaved()) sayAside(`${nameOf(left.url)} saved`, "good");
}

/** Count an event that is judged now. @param {string} url @param {boolean} judged */
function count(url, judged) {
  const known = counted.get(url);
  if (known === undefined || known === judged) return;
  counted.set(url, judged);
  const bar = /** @type {HTMLProgressElement} */ (part(".trail progress"));
  bar.setAttribute("value", String(bar.value + (judged ? 1 : -1)));
}

/** Say what became of a save of an event that is not in the page.
 * @param {string} name
 * @param {import("./outbox.js").Outcome} outcome
 * @param {boolean} changed whether a later save of it is still on its way
 */
function tellOfOther(name, outcome, changed) {
  if (outcome.state === "saved") {
    if (!changed) sayAside(`${name} saved`, "good");
  } else if (outcome.state === "away") {
    sayAside(`${outcome.message || "No connection:"} Your answers are kept in this browser and sent again by themselves.`, "away");
  } else if (outcome.state === "clash") {
    sayAside(`${name} was saved elsewhere meanwhile: open it and choose`, "away");
  } else sayAside(`${name} is not saved: ${outcome.message}`, "away");
}

listen((letter, outcome) => {
  const { url } = letter;
  if (outcome.state === "saved" || outcome.state === "clash") {
    noteSaved(url, outcome.said);
    count(url, outcome.said.complete || outcome.said.flag);
  }
  noteOutcome(url, outcome);
  if (url === event.url) event.heard(letter, outcome);
  else tellOfOther(nameOf(url), outcome, waitingFor(url) !== null);
  showUnsent(BATCH, event.url, outcome.state === "away" || outcome.state === "refused");
});

document.addEventListener("click", (click) => {
  const link = click.target instanceof Element ? click.target.closest("a") : null;
  if (!link || click.defaultPrevented || click.button || click.ctrlKey || click.metaKey || click.shiftKey || click.altKey) return;
  if (link.origin !== location.origin || link.hash || !isEvent(link.pathname)) return;
  click.preventDefault();
  goOn(link.pathname, false);
});

addEventListener("popstate", async () => {
  if (location.pathname === event.url || !isEvent(location.pathname)) return;
  if ((await show(location.pathname)) === "away") history.pushState(null, "", event.url);
});

// After a new login in another tab, what waited for a session can be sent.
addEventListener("focus", () => flush());
addEventListener("storage", () => showUnsent(BATCH, event.url));

history.scrollRestoration = "manual";
// A page that shows a conflict or an answer that could not be saved is for this once.
if (!document.querySelector("#conflict, [data-unsaved]")) {
  keepPage(location.pathname, /** @type {Document} */ (document.cloneNode(true)));
}
start();
flush();
document.documentElement.dataset.ready = "yes";
