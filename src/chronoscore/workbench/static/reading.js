// A page to look at: the calendar works, and answers that still wait are sent.
import { startCalendar } from "./calendar.js";
import { flush } from "./outbox.js";

startCalendar();
flush();
