"""What the ordering family talks about: rows of a timeline, timelines, temporal links."""

from dataclasses import dataclass, field
from typing import NamedTuple

UNKNOWN_DATE = "XXXX-XX-XX"
"""The anchor of an event whose date nobody knows."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a timeline: a position, a time anchor, and the mentions of one event.

    Position 0 means that the event could not be placed. The anchor is an opaque string: ``2005``
    and ``2005-06`` are simply different. ``line`` is the row as it was written, because the
    official order of rows is taken over that text, with its spaces and leading zeros; it may be
    left out, and two rows that say the same are equal however they were written.
    """

    position: int
    anchor: str
    mentions: tuple[str, ...]
    line: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        r"""The row as it was written, or as the tab format would write it.

        >>> Row(2, "2007", ("11778-4-pass",)).text
        '2\t2007\t11778-4-pass'
        """
        return self.line or "\t".join((str(self.position), self.anchor, *self.mentions))


@dataclass(frozen=True, slots=True)
class Timeline:
    """The rows of one target entity, in the order in which they were written."""

    rows: tuple[Row, ...]


class Link(NamedTuple):
    """A temporal relation between two entities (events or times), as in TimeML: a TLINK."""

    source: str
    target: str
    relation: str
