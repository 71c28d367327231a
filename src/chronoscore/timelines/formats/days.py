"""The days of a timeline as they are read, under the policies for odd dates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from chronoscore.core.reading import Reading
from chronoscore.elements.periods import Period
from chronoscore.timelines.model import Timeline

Collection = dict[str, dict[str, Timeline]]
"""Timelines by topic and, within a topic, by name."""

Role = Literal["gold", "predicted"]


def said(texts: str | Sequence[str]) -> Sequence[str]:
    """The sentences of a day; a blank text in place of them is a day without sentences.

    >>> said("It began."), said(" "), said(["One.", "Two."])
    (['It began.'], [], ['One.', 'Two.'])
    """
    if isinstance(texts, str):
        return [texts] if texts.strip() else []
    return texts


class Policies:
    """What to do with dates that are repeated, or that are only a month or a year.

    A gold may have any number of summaries of a day. In a prediction a repeated date is doubtful:
    papers join them, or take the first or the last.
    """

    def __init__(self, options: Mapping[str, str], role: Role) -> None:
        self.dates = options.get("dates", "error")
        repeated = options.get("repeated", "auto")
        self.chosen = repeated != "auto"
        self.repeated = "join" if role == "gold" or repeated == "auto" else repeated
        self.accepted: dict[str, Period] = {}
        """Dates that were read under these policies: most come again and again."""


class DayBook:
    """Collects the days of one timeline from one file, or from a value that has a name."""

    def __init__(self, path: object, reading: Reading, policies: Policies) -> None:
        self.path = path
        self.reading = reading
        self.policies = policies
        self.days: dict[Period, list[str]] = {}
        self.repeats = 0

    def period(
        self, written: str, line: int | None, line_of: Callable[[str], int | None] | None = None
    ) -> Period | None:
        """Read a date under the policy for months and years; what is wrong is noted.

        `line_of` finds the line of what is wrong where that takes a search.
        """
        accepted = self.policies.accepted.get(written)
        if accepted is None:
            accepted = self._accepted(written, line or (line_of(written) if line_of else None))
            if accepted is not None:
                self.policies.accepted[written] = accepted
        return accepted

    def _accepted(self, written: str, line: int | None) -> Period | None:
        try:
            period = Period.parse(written)
        except ValueError as error:
            self.reading.problem(str(error), self.path, line)
            return None
        return self.settled(period, written, line)

    def settled(self, period: Period, written: str, line: int | None) -> Period | None:
        """Put a month or a year under the policy for them; one that is refused is noted."""
        if period.is_day or self.policies.dates == "interval":
            return period
        if self.policies.dates == "first-day":
            return Period.day(period.first)
        only = "month" if period.first.month == period.last.month else "year"
        self.reading.problem(
            f"'{written}' is only a {only}, expected YYYY-MM-DD; "
            "--dates first-day or interval accepts it",
            self.path,
            line,
        )
        return None

    def enter(self, period: Period, texts: Sequence[str]) -> None:
        """Add an entry; of entries with the same date, all or one is kept."""
        if period not in self.days:
            self.days[period] = list(texts)
            return
        self.repeats += 1
        if self.policies.repeated == "join":
            self.days[period] += texts
        elif self.policies.repeated == "last":
            self.days[period] = list(texts)

    def told(self) -> str:
        """What becomes of entries with the same date, in words."""
        if self.policies.repeated == "join":
            return "the texts are joined"
        return f"only the {self.policies.repeated} counts"

    def tell_repeats(self) -> None:
        """Say once for the whole file that dates were repeated and entries were dropped."""
        if self.repeats and self.policies.repeated != "join":
            message = f"{{count}} entries repeat a date, {self.told()} of each date"
            self.reading.tally(message, (), self.path, count=self.repeats)

    def timeline(self) -> Timeline:
        """The timeline that was read."""
        return Timeline.of(self.days)
