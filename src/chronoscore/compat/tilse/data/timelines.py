"""tilse's timelines: days and their sentences, one timeline or several references."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, TextIO

Day = Any
"""A `datetime.date`; tilse never checks, and neither does this."""

SEPARATOR = "-" * 32


class Timeline:
    """Days and their sentences, each stripped.

    >>> from datetime import date
    >>> timeline = Timeline({date(2011, 2, 11): [" Mubarak resigns . "]})
    >>> timeline[date(2011, 2, 11)], timeline[date(2011, 2, 12)]
    (['Mubarak resigns .'], '')
    """

    def __init__(
        self, dates_to_summaries: Mapping[Day, Iterable[str]], filename: Any = None
    ) -> None:
        self.dates_to_summaries: dict[Day, list[str]] = {
            day: [sentence.strip() for sentence in sentences]
            for day, sentences in dates_to_summaries.items()
        }
        self.filename = filename

    def __str__(self) -> str:
        lines: list[str] = []
        for day in sorted(self.dates_to_summaries):
            lines += [str(day), *self.dates_to_summaries[day], SEPARATOR]
        return "".join(f"{line}\n" for line in lines)

    def __eq__(self, other: Any) -> bool:
        return bool(self.dates_to_summaries == other.dates_to_summaries)

    __hash__ = None  # type: ignore[assignment]  # as in tilse: equal by content, which may change

    def __lt__(self, other: object) -> bool:
        return str(self) < str(other)

    def __iter__(self) -> Iterator[Day]:
        return iter(self.dates_to_summaries)

    def __getitem__(self, item: Hashable) -> Sequence[str]:
        """Return the sentences of a day; an empty text, not a list, for a day without an entry."""
        return self.dates_to_summaries.get(item, "")

    def __len__(self) -> int:
        return len(self.dates_to_summaries)

    def get_dates(self) -> set[Day]:
        """Return the days."""
        return set(self.dates_to_summaries)

    def get_number_of_sentences(self) -> int:
        """Return how many sentences all days have together."""
        return sum(map(len, self.dates_to_summaries.values()))

    @staticmethod
    def from_file(my_file: TextIO) -> "Timeline":
        """Read the text format of Timeline17, with as few checks as tilse.

        A day counts only once its line of 32 dashes is read, under the last date before that line
        or else under None, and replaces an earlier day of that date.
        `chronoscore.score` reads the same files and reports problems.
        """
        days: dict[Day, list[str]] = {}
        day: Day = None
        sentences: list[str] = []
        for line in map(str.strip, my_file.readlines()):
            if line == SEPARATOR:
                # Blank lines are dropped at both ends only; a day without lines has one empty one.
                days[day] = "\n".join(sentences).strip().split("\n")
                day, sentences = None, []
                continue
            try:
                day = datetime.strptime(line, "%Y-%m-%d").date()  # noqa: DTZ007  # only a date
            except ValueError:
                sentences.append(line)
        return Timeline(days, my_file.name)

    @staticmethod
    def from_sent_objects(date_sent_mapping: Mapping[Day, Iterable[object]]) -> "Timeline":
        """Return a timeline of sentences that are objects, written by their `__str__`."""
        return Timeline({day: map(str, texts) for day, texts in date_sent_mapping.items()})


class GroundTruth:
    """The reference timelines that a prediction is compared with."""

    def __init__(self, timelines: Sequence[Timeline]) -> None:
        self.timelines = timelines

    def get_dates(self) -> set[Day]:
        """Return the days that any reference has."""
        return {day for timeline in self.timelines for day in timeline.dates_to_summaries}

    def __str__(self) -> str:
        return "".join(f"{number}\n\n{timeline}\n\n" for number, timeline in self._numbered())

    def __getitem__(self, item: Hashable) -> dict[str, Sequence[str]]:
        """Return the sentences of a day in each reference, by the reference's number as a text."""
        return {number: timeline[item] for number, timeline in self._numbered()}

    def _numbered(self) -> Iterable[tuple[str, Timeline]]:
        return ((str(number), timeline) for number, timeline in enumerate(self.timelines))
