// On pages between events: send what a lost connection has kept back, and say what is not saved.
import { flush, listen, waiting } from "./outbox.js";
import { noteOutcome, unsavedLinks } from "./status.js";

const place = document.getElementById("waiting");
const batch = location.pathname.match(/^\/judge\/[0-9]+\//)?.[0];
let had = waiting() > 0;

function show() {
  if (!place) return;
  const count = waiting();
  /** @type {(Node | string)[]} */
  const lines = [];
  if (count) lines.push(`Answers that wait in this browser to be saved: ${count}. Open their event again if this stays. `);
  else if (had) lines.push("All answers that waited in this browser are saved now. Reload to see them counted. ");
  // The first page names what could not be saved just now: drafts of long ago are of no use there.
  const links = unsavedLinks(batch ?? "/judge/", "", !batch);
  if (links.length) lines.push("Not saved, but kept in this browser: ", ...links.flatMap((link, at) => (at ? [", ", link] : [link])), ". Open the event to save it.");
  place.hidden = !lines.length;
  place.replaceChildren(...lines);
}

/** Whether an answer that waited could not be saved. */
listen(({ url }, outcome) => {
  noteOutcome(url, outcome);
  if (outcome.state === "clash" || outcome.state === "refused") had = false;
  show();
});
show();
flush();
