// A project's page: numbers that refresh themselves, a batch worked out.

import { say } from "./copy.js";

const SECONDS = 10;

// Numbers that refresh themselves

const steps = document.getElementById("steps");
/** @type {number | undefined} */
let timer;
let asOf = new Date();

/** Whether somebody is at work in there. @param {Element} element */
function busy(element) {
  return element.contains(document.activeElement) || element.querySelector("details[open], dialog[open]") !== null;
}

/** @param {Element} list */
function keys(list) {
  return [...list.querySelectorAll("[data-row]")].map((row) => row.getAttribute("data-row")).join(" ");
}

/** Put newer numbers in place of older ones; what has the focus or an open menu stays. @param {Document} newer */
function replace(newer) {
  for (const list of newer.querySelectorAll("[data-rows]")) {
    const here = document.querySelector(`[data-rows="${list.getAttribute("data-rows")}"]`);
    if (here && keys(here) !== keys(list) && !busy(here)) here.innerHTML = list.innerHTML;
  }
  for (const part of newer.querySelectorAll("[data-live]")) {
    const here = document.querySelector(`[data-live="${part.getAttribute("data-live")}"]`);
    if (here && here.innerHTML !== part.innerHTML && !busy(here)) here.innerHTML = part.innerHTML;
  }
}

/** @param {boolean} lost @param {string} text */
function connection(lost, text) {
  document.getElementById("refreshed")?.classList.toggle("lost", lost);
  say("refreshed", text);
}

/** @returns {Promise<boolean>} whether to go on */
async function refresh() {
  try {
    const answer = await fetch(steps?.dataset.progress ?? "", { headers: { accept: "text/html" } });
    if (answer.redirected || answer.status === 401) {
      connection(true, "Your session has ended: reload this page.");
      return false;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    asOf = new Date();
    connection(false, `Refreshed every ${SECONDS} seconds.`);
  } catch {
    const time = asOf.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    connection(true, `The connection is lost: these numbers are from ${time}. Trying again every ${SECONDS} seconds.`);
  }
  return true;
}

function wait() {
  clearTimeout(timer);
  timer = document.hidden ? undefined : window.setTimeout(tick, SECONDS * 1000);
}

async function tick() {
  clearTimeout(timer);
  timer = undefined;
  if (await refresh()) wait();
}

if (steps) {
  connection(false, `Refreshed every ${SECONDS} seconds.`);
  document.addEventListener("visibilitychange", () => (document.hidden ? wait() : tick()));
  wait();
}

// A batch worked out while its form is filled in

const plan = document.getElementById("plan");
const draft = document.getElementById("draft");
let asked = 0;

async function workOut() {
  if (!(plan instanceof HTMLFormElement) || !draft) return;
  const turn = ++asked;
  for (const button of draft.querySelectorAll("button")) button.disabled = true;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(plan)) fields.append(name, String(value));
  let text = "";
  try {
    const answer = await fetch(`${draft.dataset.draft}?${fields}`, { headers: { accept: "text/html" } });
    if (answer.ok && !answer.redirected) text = await answer.text();
  } catch {
    // it is said below
  }
  if (turn !== asked) return;
  if (text) draft.innerHTML = text;
  else draft.textContent = "This can't be worked out now: check the numbers and the connection.";
}

if (plan && draft) {
  const button = document.getElementById("work-out");
  if (button) button.hidden = true;
  plan.addEventListener("change", workOut);
  plan.addEventListener("submit", (event) => {
    event.preventDefault();
    workOut();
  });
}
document.documentElement.dataset.cockpit = "ready";
