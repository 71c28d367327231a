"""tilse text: a date, then a sentence a line, then 32 dashes.

tilse itself loses a last day without dashes, gives the text of a day to the next date where the
dashes between them are missing, and takes whatever is not quite a date or not quite dashes for a
sentence, all silently. Here each of these is a flaw with its line, which strict reading refuses
and lenient reading repairs.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.dated.lists import listed
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.values import REPAIRED, Policies, TimelineBuilder
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.refusal import NOT_A_DATE

DAY_END = "-" * 32
"""The line that ends each day."""
_SOME_DASHES = "-" * 10
"""What is taken for the end of a day, if only just."""
_DAY_ENDS = re.compile(f"{DAY_END}-*")
_LONGEST_DATE = 40
_DAY = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}")

FlawKind = Literal["dashes", "beside", "within", "open", "outside", "date", "no day"]
NOTICES: dict[FlawKind, str] = {
    "dashes": "{count} line{s} of dashes that are not just 32, first in {place}: each ends a day",
    "beside": "{count} line{s} with text beside the dashes that end a day, first in {place}",
    "within": "{count} date{s} within a day, first in {place}: the day before ends there",
    "open": f"the last day is not closed by {len(DAY_END)} dashes, and is read",
    "outside": "{count} line{s} of text outside the days left out, first in {place}",
    "date": "{count} day{s} left out, first in {place}: '{first}' is no date",
    "no day": "{count} line{s} of dashes without a day ignored, first in {place}",
}
"""For each kind of flaw, the notice of lenient reading."""
LISTS = (
    "{count} day{s} with sentences that look like Python lists, first in {place}: read as they are "
    "(--lists splits them)"
)


def read_text(source: Source, problems: Problems, policies: Policies) -> Timeline | None:
    """Read tilse text, strictly or leniently; None if the file can't be read at all."""
    before = len(problems.problems)
    builder = TimelineBuilder(source, problems, policies, whole_days=True)
    days, flaws = days_of_text(source.lines(problems), builder.why_not)
    if len(problems.problems) > before:
        return None
    _report(flaws, source, problems, policies)
    lists: list[tuple[int, str]] = []
    for line, written, texts in days:
        several = [listed(text) or [text] for text in texts]
        sentences = [sentence for one in several for sentence in one]
        if sentences != texts:
            lists.append((line, ""))
        builder.enter(
            builder.period(written, line), sentences if policies.splits_lists else texts, line
        )
    if not policies.splits_lists:
        problems.count(LISTS, lists, source)
    return builder.timeline()


def _report(
    flaws: "Sequence[Flaw]", source: Source, problems: Problems, policies: Policies
) -> None:
    """Refuse the flaws of a text; lenient reading counts them, with one notice for each kind."""
    if problems.options.lenient:
        for kind, notice in NOTICES.items():
            places = [(flaw.line, flaw.text) for flaw in flaws if flaw.kind == kind]
            problems.count(notice, places, source)
            if places:
                problems.facts[REPAIRED, policies.role, kind] += len(places)
        return
    outside = 0
    for flaw in flaws:
        outside += flaw.kind == "outside"
        if flaw.kind != "outside" or outside == 1:  # else every line of another kind of file
            does = "leaves it out" if flaw.kind in ("outside", "date") else "accepts it"
            problems.problem(f"{flaw.message} (--lenient {does})", source, flaw.line)


class TilseDay(NamedTuple):
    """A day as it is written, and the line of its date."""

    line: int
    written: str
    texts: list[str]


class Flaw(NamedTuple):
    """Something that is not as the format has it; the message is that of strict reading."""

    line: int
    kind: FlawKind
    message: str
    text: str = ""


class _Days:
    """Divides lines into days."""

    def __init__(self, why_not: Callable[[str], str]) -> None:
        self.days: list[TilseDay] = []
        self.flaws: list[Flaw] = []
        self._why_not = why_not
        self._day: TilseDay | None = None
        """The day that is open; one that is left out is open until it ends, too."""
        self._outside = False
        """Whether the text before was outside the days."""

    def add(self, line: int, text: str) -> None:
        """Read a line that is not blank."""
        if _is_end(text) or not (DAY_END in text or text.endswith(_SOME_DASHES)):
            self._add_plain(line, text)
            return
        self._flaw(line, "beside", "text beside the dashes that end a day")
        before, *others = _DAY_ENDS.split(text)
        if self._day is not None and (sentence := before.rstrip("-").rstrip()):
            self._day.texts.append(sentence)
        for other in others or [""]:
            self._end()
            if after := other.rstrip("-").strip():
                self._add_plain(line, after)

    def _add_plain(self, line: int, text: str) -> None:
        """Read a line that is the end of a day, a date, or a sentence."""
        if _is_end(text):
            if self._day is None and not self._outside:
                self._flaw(line, "no day", "a line of dashes with no date before it")
            elif text != DAY_END:
                blanks = " and blanks" * (set(text) != {"-"})
                message = (
                    f"a line of {text.count('-')} dashes{blanks}, expected {len(DAY_END)} to end a "
                    "day"
                )
                self._flaw(line, "dashes", message)
            self._end()
        elif self._day is None:
            self._begin(line, text)
        elif _is_day(text):
            self._flaw(
                line,
                "within",
                f"a date within the day that begins in line {self._day.line}; are the dashes "
                "before it missing?",
            )
            self._begin(line, text)
        else:
            self._day.texts.append(text)

    def close(self, line: int) -> None:
        """Report a last day that is still open in the last line."""
        if self._day is not None:
            message = f"the last day is not closed by {len(DAY_END)} dashes; is the file cut?"
            self._flaw(line, "open", message)

    def _begin(self, line: int, written: str) -> None:
        reason = self._why_not(written)
        day = TilseDay(line, written, [])
        self._outside = False
        if not reason:
            self.days.append(day)
            self._day = day
            return
        message = TimeError.because(reason, written).problems[0].message
        if reason != NOT_A_DATE and written[:1] in "-0123456789":
            self._day = day
            self._flaw(line, "date", message, written)
        else:
            self._outside = True
            self._flaw(line, "outside", message, written)

    def _end(self) -> None:
        self._day, self._outside = None, False

    def _flaw(self, line: int, kind: FlawKind, message: str, text: str = "") -> None:
        self.flaws.append(Flaw(line, kind, message, text))


def days_of_text(
    lines: Iterable[tuple[int, str]], why_not: Callable[[str], str]
) -> tuple[list[TilseDay], list[Flaw]]:
    """Divide numbered lines into days, and return what is wrong with them as well.

    `why_not` returns why a text is no date, or an empty text. A day with a wrong date is a flaw
    and not among the days.

    >>> text = ["2011-02-11", "It began .", "-" * 31, "2011-02-12", "It went on ."]
    >>> days, flaws = days_of_text(enumerate(text, 1), lambda text: "" if "-" in text else "no")
    >>> [day.texts for day in days], [(flaw.line, flaw.kind) for flaw in flaws]
    ([['It began .'], ['It went on .']], [(3, 'dashes'), (5, 'open')])
    """
    divided, number = _Days(why_not), 0
    for number, line in lines:
        for text in filter(None, map(str.strip, line.splitlines())):
            divided.add(number, text)
    divided.close(number)
    return divided.days, divided.flaws


def is_sentence(text: str) -> bool:
    """Whether a line within a day is read as a sentence, and not as a date or the day's end.

    >>> is_sentence("It began ."), is_sentence("2011-02-11"), is_sentence("So" + "-" * 10)
    (True, False, False)
    """
    return not (DAY_END in text or text.endswith(_SOME_DASHES) or _is_end(text) or _is_day(text))


def _is_end(text: str) -> bool:
    dashes = "".join(text.split())
    return dashes.startswith(_SOME_DASHES) and not dashes.strip("-")


def _is_day(text: str) -> bool:
    """Whether a line is a day, even one that is not in the calendar."""
    if len(text) > _LONGEST_DATE or text[0] not in "+-0123456789":  # most lines: be quick
        return False
    if _DAY.fullmatch(text):
        return True
    try:
        return Time.parse(text).is_day
    except TimeError:
        return False
