"""The algebra of temporal relations: what two of them in a row leave possible.

TimeML's relations are those of Allen (1983, "Maintaining knowledge about temporal intervals")
without the two overlaps, which no annotator may write, but which can be the case. The table of
compositions is not written down but counted: three intervals have six ends, so that all that can
be the case between them is found among intervals with ends from 0 to 5.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations, product
from types import MappingProxyType

from chronoscore.ordering.graph import INVERSE, RELATIONS

Relations = frozenset[str]

OVERLAPS = {"OVERLAPS": "OVERLAPPED_BY", "OVERLAPPED_BY": "OVERLAPS"}
"""What may be the case between two entities though TimeML has no word for it."""
ALLEN = (*(relation for relation in RELATIONS if relation != "IDENTITY"), *OVERLAPS)
"""Allen's thirteen relations under the names of TimeML; exactly one holds of any two intervals."""

_ENDS = 6
_Interval = tuple[int, int]


def between(one: _Interval, two: _Interval) -> str:
    """The relation of one interval to another.

    >>> between((0, 2), (2, 5)), between((1, 2), (0, 5)), between((0, 2), (1, 5))
    ('IBEFORE', 'IS_INCLUDED', 'OVERLAPS')
    """
    points = (*one, *two)
    for relation in ALLEN[: -len(OVERLAPS)]:
        holds = all(
            points[left] < points[right] if sign == "<" else points[left] == points[right]
            for left, sign, right in RELATIONS[relation]
        )
        if holds:
            return relation
    return "OVERLAPS" if one < two else "OVERLAPPED_BY"


@cache
def table() -> Mapping[tuple[str, str], Relations]:
    """For each two relations, x to y and y to z, all that x may be to z."""
    intervals = list(combinations(range(_ENDS), 2))
    known = {pair: between(*pair) for pair in product(intervals, repeat=2)}
    found: dict[tuple[str, str], set[str]] = {}
    for x, y, z in product(intervals, repeat=3):
        found.setdefault((known[x, y], known[y, z]), set()).add(known[x, z])
    return MappingProxyType({pair: frozenset(possible) for pair, possible in found.items()})


def compose(first: str, second: str) -> Relations:
    """All that x may be to z where x is ``first`` to y, and y ``second`` to z.

    >>> compose("BEFORE", "BEGINS")
    frozenset({'BEFORE'})
    >>> sorted(compose("BEFORE", "IS_INCLUDED"))
    ['BEFORE', 'BEGINS', 'IBEFORE', 'IS_INCLUDED', 'OVERLAPS']
    """
    return table()[_meant(first), _meant(second)]


def inverse(relation: str) -> str:
    """The same relation seen from the other end."""
    return OVERLAPS.get(relation) or INVERSE[relation]


def _meant(relation: str) -> str:
    return "SIMULTANEOUS" if relation == "IDENTITY" else relation
