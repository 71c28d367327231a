"""Times as columns: the first and the last cell of each, by a grain."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import repeat
from math import isinf
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.time.value import Cell, Time
from chronoscore.errors import UsageError

Integers = NDArray[np.int64]
_MOST_TIMES = 200_000
_FAR = 2**60
"""The number of a cell that has no bound: whole numbers, unlike floats, give no NaN where two such
ends meet."""
_LAST = _FAR // 3
"""The last cell that is not too far off: two such cells are nearer to each other than one of them
is to an end without a bound. Ticks reach 12,000 years from the origin of the axis, seconds 12
billion."""


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
        times = [*new.values()]
        extents = [time.cells(self._grain, self._zone) for time in times]
        firsts, lasts = [first for first, _ in extents], [last for _, last in extents]
        if min(firsts) < -_LAST or max(lasts) > _LAST:
            firsts = [*map(self._number, firsts, times)]
            lasts = [*map(self._number, lasts, times)]
        is_offset = [time.axis == "offset" for time in times]
        first = len(self._times)
        self._places |= zip(new, range(first, first + len(new)), strict=True)
        self._times += times
        self._columns = np.hstack([self._columns, np.array([firsts, lasts, is_offset], np.int64)])

    def _number(self, cell: Cell, time: Time) -> int:
        if isinf(cell):
            return _FAR if cell > 0 else -_FAR
        if abs(cell) > _LAST:
            raise UsageError(
                f"{time} is too far off to be compared by {self._grain}; "
                "compare by a coarser unit, such as day"
            )
        return int(cell)


@lru_cache(maxsize=16)
def cell_table(grain: str, zone: int = 0) -> CellTable:
    """Return the cells of times by a grain: one table for the whole process."""
    return CellTable(grain, zone)


def is_unbounded(distance: Integers) -> NDArray[np.bool_]:
    """Whether distances are those of ends without a bound."""
    return distance > 2 * _LAST
