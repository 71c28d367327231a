// On pages between events: send what a lost connection has kept back, and say so.
import { flush, waiting } from "./outbox.js";

const place = document.getElementById("waiting");
if (waiting() && place) {
  place.hidden = false;
  const say = (/** @type {boolean} */ sent) => {
    place.textContent = sent
      ? "All answers that waited in this browser are saved now. Reload to see them counted."
      : `Answers that wait in this browser to be saved: ${waiting()}. Open their event again if this stays.`;
  };
  const go = async () => say(await flush());
  addEventListener("online", go);
  go();
}
