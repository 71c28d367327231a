"""Times as columns: the first and the last cell of each, by a grain."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.time.value import Extent, Time

Integers = NDArray[np.int64]
_MOST_TIMES = 200_000
_FAR = 2**60
"""The number of a cell that has no bound, or lies so far off that it makes no difference: whole
numbers, unlike floats, give no NaN where two such ends meet."""


class CellTable:
    """The cells of times by a grain, found when they are first met.

    Times are known by identity: readers give equal dates one object.
    """

    def __init__(self, grain: str, zone: int) -> None:
        self._grain, self._zone = grain, zone
        self._lock = Lock()
        self._clear()

    def _clear(self) -> None:
        self._places: dict[int, int] = {}
        self._times: list[Time] = []  # as long as they are here, no other object has their identity
        self._columns = np.empty((3, 0), np.int64)

    def look_up(self, times: list[Time]) -> Integers:
        """Return the first cells of times, the last ones, and whether each is an offset."""
        identities = [*map(id, times)]
        with self._lock:
            if len(self._times) > _MOST_TIMES:
                self._clear()
            at = np.fromiter(map(self._places.get, identities, repeat(-1)), np.int64, len(times))
            if at.min(initial=0) < 0:
                self._add({identities[place]: times[place] for place in np.flatnonzero(at < 0)})
                at = np.fromiter(map(self._places.__getitem__, identities), np.int64, len(times))
            return self._columns[:, at]

    def _add(self, new: Mapping[int, Time]) -> None:
        cells = bounds([time.cells(self._grain, self._zone) for time in new.values()])
        is_offset = np.array([time.axis == "offset" for time in new.values()], np.int64)
        first = len(self._times)
        self._places |= zip(new, range(first, first + len(new)), strict=True)
        self._times += new.values()
        self._columns = np.hstack([self._columns, np.stack([*cells, is_offset])])


@lru_cache(maxsize=16)
def cell_table(grain: str, zone: int = 0) -> CellTable:
    """Return the cells of times by a grain: one table for the whole process."""
    return CellTable(grain, zone)


def bounds(extents: Sequence[Extent]) -> tuple[Integers, Integers]:
    """Return the first and the last cell of each extent."""
    firsts, lasts = [first for first, _ in extents], [last for _, last in extents]
    if extents and (min(firsts) < -_FAR or max(lasts) > _FAR):
        firsts, lasts = ([min(max(c, -_FAR), _FAR) for c in cells] for cells in (firsts, lasts))
    return np.array(firsts, dtype=np.int64), np.array(lasts, dtype=np.int64)


def is_unbounded(distance: Integers) -> NDArray[np.bool_]:
    """Whether distances are those of ends without a bound."""
    return distance >= _FAR // 2
