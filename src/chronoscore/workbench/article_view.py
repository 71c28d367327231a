"""The judge page's view of an article: evidence and times marked, a calendar, keys of chips."""

from calendar import Calendar, month_name
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise

from chronoscore.core.event import Event
from chronoscore.elements.dates import Period, parse_day
from chronoscore.rubric.codebook import Chip, Codebook
from chronoscore.rubric.dates.expressions import find
from chronoscore.rubric.dates.meanings import Candidate
from chronoscore.rubric.formats import Article

PAGE_KEYS = frozenset("cfsnpug?0123456789")
"""Comment, flag, save, next, previous, undo, guidance, help, and the answers."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text with the same marks; a time carries its possible meanings."""

    text: str
    evidence: bool = False
    means: tuple[Candidate, ...] = ()

    @property
    def days(self) -> str:
        """The possible meanings for the calendar: periods as FIRST..LAST."""
        return " ".join(f"{one.first}..{one.last}" for one in self.means)

    @property
    def meanings(self) -> str:
        """The possible meanings in words."""
        return "; ".join(f"{one}: {one.reading}" for one in self.means)


@dataclass(frozen=True)
class ArticleView:
    """An event beside its article, which may be missing."""

    event: Event
    article: Article | None

    @cached_property
    def published(self) -> date | None:
        """The day of publication, if it is known."""
        try:
            return parse_day(self.article.published) if self.article else None
        except ValueError:
            return None

    @cached_property
    def pieces(self) -> list[TextPiece]:
        """The article, cut where marks begin and end."""
        if self.article is None:
            return []
        text = self.article.text
        times = [
            (one.start, one.end, one.candidates)
            for one in (find(text, self.published) if self.published else ())
            if one.kind in ("date", "bound")
        ]
        start, end = (min(edge, len(text)) for edge in self.event.span or (0, 0))
        edges = {0, len(text), start, end}
        edges.update(edge for first, last, _ in times for edge in (first, last))
        pieces = []
        for first, last in pairwise(sorted(edges)):
            means = next((m for a, b, m in times if a <= first and last <= b), ())
            pieces.append(TextPiece(text[first:last], start <= first and last <= end, means))
        return pieces

    @property
    def times(self) -> list[TextPiece]:
        """The expressions of time, each once."""
        seen: dict[str, TextPiece] = {}
        for piece in self.pieces:
            if piece.means:
                seen.setdefault(piece.text.casefold(), piece)
        return list(seen.values())

    @property
    def days(self) -> tuple[str, str] | None:
        """The first and last day of the event's date, which may be a month or a year."""
        try:
            period = Period.parse(self.event.date or "")
        except ValueError:
            return None
        return period.first.isoformat(), period.last.isoformat()

    @property
    def month(self) -> str:
        """The month of publication, empty if it is not known."""
        day = self.published
        return f"{month_name[day.month]} {day.year}" if day else ""

    @property
    def weeks(self) -> list[list[date | None]]:
        """The month of publication: weeks from Monday, None outside the month."""
        day = self.published
        if day is None:
            return []
        weeks = Calendar().monthdayscalendar(day.year, day.month)  # the other one fails in 9999
        return [[day.replace(day=d) if d else None for d in week] for week in weeks]


def chip_keys(codebook: Codebook) -> list[tuple[Chip, str]]:
    """Each chip with its key, or a free letter of its text where the page uses that key, or none.

    >>> from chronoscore.rubric.codebook import event_quality
    >>> [key for _, key in chip_keys(event_quality())]
    ['d', 'a', 'r', 't']
    """
    wanted = [chip.key.lower() for chip in codebook.chips]
    taken = {*PAGE_KEYS, *wanted}
    pairs = []
    for chip, key in zip(codebook.chips, wanted, strict=True):
        free = key
        if key in PAGE_KEYS:
            letters = (c for c in chip.text.lower() if c.isascii() and c.isalpha())
            free = next((c for c in letters if c not in taken), "")
            taken.add(free)
        pairs.append((chip, free))
    return pairs
