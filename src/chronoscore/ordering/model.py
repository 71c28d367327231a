"""The data of the ordering family: rows of a timeline, timelines, temporal links."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from chronoscore.core.evidence import Match
from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.refusal import UNDATED

Side = Literal["precision", "recall"]
SIDES: tuple[Side, Side] = ("precision", "recall")

UNKNOWN_DATE = "XXXX-XX-XX"
"""The anchor of an event whose date is unknown."""
_UNKNOWN = re.compile(r"[X-]*")


@lru_cache(maxsize=1 << 16)
def read_anchor(anchor: str) -> Time | TimeError | None:
    """Return the time that an anchor names, None if it is undated, or why it is no time.

    Anchors are values of TIMEX3; `XXX-XX-XX`, which occurs, is undated too.

    >>> str(read_anchor("2007-10-XX")), read_anchor("XXXX-XX-XX")
    ('2007-10-XX', None)
    >>> print(read_anchor("PRESENT_REF"))
    'PRESENT_REF' is a reference, not a time
    """
    if _UNKNOWN.fullmatch(anchor):
        return None
    try:
        return Time.parse(anchor, lenient=True, dialect="timex3")
    except TimeError as refused:
        return None if refused.kind == UNDATED else refused.with_traceback(None)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """One row of a timeline: a position, a time anchor, and the mentions of one event.

    Position 0 means that the event could not be placed. Anchors are compared as they are written:
    ``2005`` and ``2005-06`` are simply different. ``line`` is the row as it was written, because
    the official scorer sorts rows by that text, with its spaces and leading zeros; it may be left
    out, and two rows of the same content are equal, even if they are written differently.
    """

    position: int
    anchor: str
    mentions: tuple[str, ...]
    line: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        r"""The row as it was written, or as the tab format would write it.

        >>> TimelineRow(2, "2007", ("11778-4-pass",)).text
        '2\t2007\t11778-4-pass'
        """
        return self.line or "\t".join((str(self.position), self.anchor, *self.mentions))


@dataclass(frozen=True, slots=True)
class TargetTimeline:
    """The rows of one target entity, in the order in which they were written."""

    rows: tuple[TimelineRow, ...]


class Link(NamedTuple):
    """A temporal relation between two entities (events or times), as in TimeML: a TLINK."""

    source: str
    target: str
    relation: str


def match_of(
    side: Side, item: str, other: str, outcome: str, credit: float, possible: float = 1.0
) -> Match:
    """Make a match of one side: `item` is predicted for precision, and gold for recall."""
    gold, predicted = (item, other) if side == "recall" else (other, item)
    return Match(side, outcome, credit, possible, gold, predicted)
