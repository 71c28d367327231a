"""A timeline: days in order, each with the sentences that tell what happened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from operator import itemgetter

from chronoscore.core.sources import odd_character, plain_ends
from chronoscore.elements.time import Time
from chronoscore.errors import DataError

Days = tuple[tuple[Time, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Days in ascending order, each once. A day without sentences is still a day.

    A day may be any time: a month where the source does not name the day, or an hour.

    >>> from datetime import date
    >>> timeline = Timeline.of({date(2011, 2, 11): ["Mubarak resigns."]})
    >>> [str(day) for day in timeline.dates]
    ['2011-02-11']
    """

    days: Days = ()

    @classmethod
    def of(cls, days: Mapping[date, Iterable[str]] | Mapping[Time, Iterable[str]]) -> "Timeline":
        """Make a timeline from a mapping of days to sentences."""
        times = {
            day if isinstance(day, Time) else Time.of(day): tuple(map(_plain, texts))
            for day, texts in days.items()
        }
        return cls(tuple(sorted(times.items(), key=itemgetter(0))))

    @property
    def dates(self) -> tuple[Time, ...]:
        """The days, ascending."""
        return tuple(day for day, _ in self.days)


def _plain(sentence: str) -> str:
    if odd := odd_character(sentence):
        raise DataError.of(f"the sentence {sentence[:40]!r} {odd}")
    return plain_ends(sentence).strip()


References = tuple[Timeline, ...]
"""The golds that a prediction is compared with at once; most protocols use one at a time."""
