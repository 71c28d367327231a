// A small calendar: the day of publication, the event's date, and what an expression may mean.
import { keep, kept } from "./storage.js";

/** @typedef {{ first: string, last: string, reading: string }} Meaning */

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

// The ends of the calendar stand for "no first day" and "no last day".
const FIRST_DAY = "0001-01-01";
const LAST_DAY = "9999-12-31";

/** @param {number} value @param {number} width */
const padded = (value, width) => String(value).padStart(width, "0");

/**
 * The weeks of a month from Monday, as days of the form 2011-01-25 or "" outside it.
 * @param {number} year
 * @param {number} month from 1
 */
function weeks(year, month) {
  const first = new Date(Date.UTC(2000, month - 1, 1));
  first.setUTCFullYear(year); // years below 100 would be taken for 19xx
  const days = new Date(first);
  days.setUTCMonth(month, 0);
  const blanks = (first.getUTCDay() + 6) % 7;
  const cells = Array.from({ length: blanks }, () => "");
  for (let day = 1; day <= days.getUTCDate(); day += 1) {
    cells.push(`${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`);
  }
  while (cells.length % 7) cells.push("");
  return Array.from({ length: cells.length / 7 }, (_, at) => cells.slice(7 * at, 7 * at + 7));
}

/** The days of a meaning; "by Monday" has no first day and "after Monday" no last one.
 * @param {Meaning} one
 */
function written(one) {
  if (one.first === one.last) return one.first;
  if (one.first === FIRST_DAY) return `up to ${one.last}`;
  return one.last === LAST_DAY ? `from ${one.first} on` : `${one.first} to ${one.last}`;
}

const FOLDED = "chronoscore/calendar-folded";

/** Bring the calendar of the page to life, if it has one. */
export function startCalendar() {
  const home = /** @type {HTMLDetailsElement | null} */ (document.getElementById("calendar"));
  if (!home) return;
  home.open = kept(FOLDED) !== "yes";
  // The event "toggle" comes later, perhaps after the next event has taken this one's place.
  home.querySelector("summary")?.addEventListener("click", () => keep(FOLDED, home.open ? "yes" : "no"));
  const published = home.dataset.published ?? "";
  /** @type {Meaning[]} */
  let meanings = [];
  let [year, month] = published.split("-").map(Number);

  const draw = () => {
    /** @type {HTMLElement} */ (home.querySelector(".month")).textContent = `${MONTHS[month - 1]} ${year}`;
    const rows = weeks(year, month).map((week) => {
      const row = document.createElement("tr");
      for (const day of week) row.append(cell(day));
      return row;
    });
    /** @type {HTMLElement} */ (home.querySelector("tbody")).replaceChildren(...rows);
  };

  /** @param {string} day */
  const cell = (day) => {
    const made = document.createElement("td");
    if (!day) return made;
    made.textContent = String(Number(day.slice(-2)));
    made.dataset.day = day;
    made.classList.toggle("published", day === published);
    const { first = "", last = "" } = home.dataset;
    made.classList.toggle("event-day", first !== "" && first <= day && day <= last);
    made.classList.toggle("candidate", meanings.some((one) => one.first <= day && day <= one.last));
    return made;
  };

  /** @param {string} day */
  const turnTo = (day) => {
    [year, month] = day.split("-").map(Number);
    draw();
  };

  /** @param {string} said @param {Meaning[]} found */
  const show = (said, found) => {
    home.open = true;
    keep(FOLDED, "no");
    meanings = found;
    const lines = found.map((one) => {
      const line = document.createElement("li");
      const days = document.createElement("b");
      days.textContent = written(one);
      line.append(days, ` ${one.reading}`);
      return line;
    });
    if (!lines.length) {
      const line = document.createElement("li");
      line.textContent = `“${said}” is not understood as a time`;
      lines.push(line);
    }
    document.getElementById("means")?.replaceChildren(...lines);
    const [likeliest] = found;
    turnTo((likeliest?.first === FIRST_DAY ? likeliest.last : likeliest?.first) ?? published);
  };

  for (const button of home.querySelectorAll(".step")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      const at = year * 12 + month - 1 + Number(button.dataset.step);
      if (at < 12 || at >= 120000) return;
      [year, month] = [Math.floor(at / 12), (at % 12) + 1];
      draw();
    });
  }
  for (const mark of document.querySelectorAll("mark.time")) {
    if (!(mark instanceof HTMLElement)) continue;
    mark.addEventListener("click", () => {
      const meanings = (mark.dataset.meanings ?? "").split("; ");
      const days = (mark.dataset.days ?? "").split(" ");
      const found = days.map((pair, at) => {
        const [first, last] = pair.split("..");
        return { first, last, reading: (meanings[at] ?? "").replace(/^[^:]*: /, "") };
      });
      const input = home.querySelector("input[name=said]");
      if (input instanceof HTMLInputElement) input.value = mark.textContent ?? "";
      show(mark.textContent ?? "", found);
    });
  }
  const form = document.getElementById("resolve");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const input = form.querySelector("input");
    const said = input?.value.trim() ?? "";
    if (!said) return;
    const query = new URLSearchParams({ published, said, language: home.dataset.language ?? "" });
    try {
      const answer = await fetch(`/dates?${query}`, { headers: { accept: "application/json" } });
      if (answer.ok) show(said, (await answer.json()).means);
    } catch {
      // without a connection the calendar stays as it is
    }
  });
}
