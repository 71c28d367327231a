// A page to look at: the calendar works, and answers that still wait are sent.
import { showEvidence } from "./article.js";
import { startCalendar } from "./calendar.js";
import { flush } from "./outbox.js";

startCalendar();
showEvidence();
flush();
