"""tilse text: a date, then a sentence a line, then 32 dashes.

tilse itself loses a last day without dashes, gives the text of a day to the next date where the
dashes between them are missing, and takes whatever is not quite a date or not quite dashes for a
sentence, all silently. Here each of these is a flaw with its line, which strict reading refuses
and lenient reading repairs.
"""

import re
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.refusal import NOT_IN_CALENDAR

DAY_END = "-" * 32
"""The line that ends each day."""
_SOME_DASHES = "-" * 10
"""What is taken for the end of a day, if only just."""
_LONGEST_DATE = 40
_DAY = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")

FlawKind = Literal["dashes", "beside", "within", "open", "outside", "calendar", "no day"]
FLAWS: dict[FlawKind, tuple[str, str]] = {
    "dashes": (
        f"a line of {{detail}} dashes, expected {len(DAY_END)} to end a day",
        "{count} line{s} of dashes end a day, not all of 32 or without blanks, first in {place}",
    ),
    "beside": (
        "text beside the dashes that end a day",
        "{count} day{s} with text beside the dashes at the end, first in {place}: read as a "
        "sentence",
    ),
    "within": (
        "a date within the day that begins in line {detail}; are the dashes before it missing?",
        "{count} date{s} within a day, first in {place}: the dashes before it are missing, and "
        "the day ends there",
    ),
    "open": (
        f"the last day is not closed by {len(DAY_END)} dashes; is the file cut?",
        f"the last day is not closed by {len(DAY_END)} dashes, and is read",
    ),
    "outside": (
        "text before a date: {detail!r:.42}",
        "{count} line{s} of text outside the days, first in {place}: left out",
    ),
    "calendar": (
        "{detail!r:.42} is not in the calendar",
        "{count} day{s} left out, first in {place}: '{first}' is not in the calendar",
    ),
    "no day": (
        "a line of dashes with no date before it",
        "{count} line{s} of dashes without a day, first in {place}: ignored",
    ),
}
"""For each kind of flaw, why strict reading refuses it, and the notice of lenient reading."""


class TilseDay(NamedTuple):
    """A day as it is written, and the line of its date."""

    line: int
    written: str
    texts: list[str]


class Flaw(NamedTuple):
    """Something that is not as the format has it."""

    line: int
    kind: FlawKind
    detail: str = ""


def days_of_text(
    lines: Iterable[tuple[int, str]], why_not: Callable[[str], str]
) -> tuple[list[TilseDay], list[Flaw]]:
    """Divide numbered lines into days, and return what is wrong with them as well.

    `why_not` returns why a text is no date, or an empty text. A day that is not in the calendar is
    a flaw and not among the days.

    >>> text = ["2011-02-11", "It began .", "-" * 31, "2011-02-12", "It went on ."]
    >>> days, flaws = days_of_text(enumerate(text, 1), lambda text: "" if "-" in text else "no")
    >>> [day.texts for day in days], [(flaw.line, flaw.kind) for flaw in flaws]
    ([['It began .'], ['It went on .']], [(3, 'dashes'), (5, 'open')])
    """
    days: list[TilseDay] = []
    flaws: list[Flaw] = []
    day: TilseDay | None = None
    number = 0
    for number, whole in lines:
        for text in filter(None, map(str.strip, whole.splitlines())):
            if _is_end(text):
                if day is None:
                    flaws.append(Flaw(number, "no day"))
                elif text != DAY_END:
                    flaws.append(Flaw(number, "dashes", str(text.count("-"))))
                day = None
                continue
            is_next = day is not None and _is_day(text)
            if is_next and day is not None:
                flaws.append(Flaw(number, "within", str(day.line)))
            if day is None or is_next:
                reason = why_not(text)
                day = TilseDay(number, text, [])
                if not reason:
                    days.append(day)
                elif reason == NOT_IN_CALENDAR:
                    flaws.append(Flaw(number, "calendar", text))
                else:
                    flaws.append(Flaw(number, "outside", text))
                    day = None
            elif text.endswith(_SOME_DASHES):
                flaws.append(Flaw(number, "beside"))
                day.texts.append(text.rstrip("-").rstrip())
                day = None
            else:
                day.texts.append(text)
    if day is not None:
        flaws.append(Flaw(number, "open"))
    return days, flaws


def is_sentence(text: str) -> bool:
    """Whether a line within a day is read as a sentence, and not as a date or the day's end.

    >>> is_sentence("It began ."), is_sentence("2011-02-11"), is_sentence("So" + "-" * 10)
    (True, False, False)
    """
    return not (_is_end(text) or _is_day(text) or text.endswith(_SOME_DASHES))


def _is_end(text: str) -> bool:
    dashes = "".join(text.split())
    return dashes.startswith(_SOME_DASHES) and not dashes.strip("-")


def _is_day(text: str) -> bool:
    """Whether a line is a day, even one that is not in the calendar."""
    if len(text) > _LONGEST_DATE or _DAY.fullmatch(text):
        return len(text) <= _LONGEST_DATE
    try:
        return Time.parse(text).is_day
    except TimeError:
        return False
