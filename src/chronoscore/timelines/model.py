"""A timeline: days in order, each with the sentences that tell what happened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Timeline:
    """Days in ascending order, each day once. A day without sentences is still a day."""

    days: tuple[tuple[date, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, days: Mapping[date, Iterable[str]]) -> "Timeline":
        """Make a timeline from a mapping of days to sentences."""
        return cls(tuple((day, tuple(text.strip() for text in days[day])) for day in sorted(days)))

    @property
    def dates(self) -> tuple[date, ...]:
        """The days, ascending."""
        return tuple(day for day, _ in self.days)


References = tuple[Timeline, ...]
"""The golds that a prediction is set against together; most protocols take one at a time."""
