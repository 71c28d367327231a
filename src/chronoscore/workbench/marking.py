"""An article with its evidence and expressions of time marked, and a calendar beside it."""

from calendar import Calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from chronoscore.core.event import Event
from chronoscore.elements.dates import parse_day
from chronoscore.elements.periods import Period
from chronoscore.rubric.dates import Candidate, find
from chronoscore.rubric.formats import Article

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is marked alike; expressions of time carry what they may mean."""

    text: str
    evidence: bool = False
    means: tuple[Candidate, ...] = ()

    @property
    def days(self) -> str:
        """What it may mean, for the calendar: periods as FIRST..LAST."""
        return " ".join(f"{one.first}..{one.last}" for one in self.means)

    @property
    def told(self) -> str:
        """What it may mean, in words."""
        return "; ".join(f"{one}: {one.reading}" for one in self.means)


@dataclass(frozen=True, slots=True)
class Month:
    """A page of the calendar: weeks from Monday, None outside the month."""

    name: str
    first: str
    weeks: tuple[tuple[date | None, ...], ...]


def published_on(article: Article | None) -> date | None:
    """The day an article came out, if it is known."""
    try:
        return parse_day(article.published) if article and article.published else None
    except ValueError:
        return None


def pieces(article: Article, event: Event) -> list[Piece]:
    """Cut an article where marks begin and end."""
    text, day = article.text, published_on(article)
    times = [
        (one.start, one.end, one.candidates)
        for one in (find(text, day) if day else ())
        if one.kind in ("date", "bound")
    ]
    start, end = event.span or (0, 0)
    start, end = min(start, len(text)), min(end, len(text))
    edges = {0, len(text), start, end}
    edges.update(edge for first, last, _ in times for edge in (first, last))
    ordered = sorted(edges)
    made = []
    for first, last in pairwise(ordered):
        means = next((m for a, b, m in times if a <= first and last <= b), ())
        made.append(Piece(text[first:last], start <= first and last <= end, means))
    return made


def expressed(cut: Sequence[Piece]) -> list[Piece]:
    """The expressions of time, each once."""
    found: dict[str, Piece] = {}
    for piece in cut:
        if piece.means:
            found.setdefault(piece.text.casefold(), piece)
    return list(found.values())


def days_of(written: str | None) -> tuple[str, str] | None:
    """The first and last day of an event's date, which may be a month or a year."""
    try:
        period = Period.parse(written or "")
    except ValueError:
        return None
    return period.first.isoformat(), period.last.isoformat()


def month_of(day: date) -> Month:
    """The page of a calendar that a day is on."""
    weeks = Calendar().monthdayscalendar(day.year, day.month)  # the other one fails in 9999
    inside = tuple(tuple(day.replace(day=d) if d else None for d in week) for week in weeks)
    return Month(f"{MONTHS[day.month - 1]} {day.year}", f"{day:%Y-%m}", inside)
