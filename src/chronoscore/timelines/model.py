"""A timeline: days in order, each with the sentences that tell what happened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from chronoscore.core.sources import odd_character, plain_ends
from chronoscore.elements.dates import Period
from chronoscore.errors import DataError

Days = tuple[tuple[Period, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Days in ascending order, each once. A day without sentences is still a day.

    A day may be a month or a year where the source does not name the day.

    >>> from datetime import date
    >>> timeline = Timeline.of({date(2011, 2, 11): ["Mubarak resigns."]})
    >>> [str(day) for day in timeline.dates]
    ['2011-02-11']
    """

    days: Days = ()

    @classmethod
    def of(cls, days: Mapping[date, Iterable[str]] | Mapping[Period, Iterable[str]]) -> "Timeline":
        """Make a timeline from a mapping of days to sentences."""
        periods = {
            day if isinstance(day, Period) else Period(day, day): tuple(map(_plain, texts))
            for day, texts in days.items()
        }
        return cls(tuple(sorted(periods.items())))

    @property
    def dates(self) -> tuple[Period, ...]:
        """The days, ascending."""
        return tuple(day for day, _ in self.days)


def _plain(sentence: str) -> str:
    if odd := odd_character(sentence):
        raise DataError.of(f"the sentence {sentence[:40]!r} {odd}")
    return plain_ends(sentence).strip()


References = tuple[Timeline, ...]
"""The golds that a prediction is compared with at once; most protocols use one at a time."""
