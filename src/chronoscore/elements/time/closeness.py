"""How close two times are, from 0 to 1, by a rule with a name that can be written and parsed back.

The distance of two times is the mean of that of their begins and that of their ends: a month that
is given for a day is 15 days off, and one long entry can't be near everything. In days, times of
day count as their day; in any other unit they are compared as exactly as they are written.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.time.calendar import DAY, MONTHS, SIGNS, TICKS, UNITS
from chronoscore.elements.time.columns import Integers, cell_table, is_unbounded
from chronoscore.elements.time.value import Time
from chronoscore.errors import UsageError

Array = NDArray[np.float64]

_YEAR = 365.25 * DAY
"""A horizon of a year, in ticks."""
_LENGTH = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([a-z]*)", re.ASCII)
_WRITTEN = re.compile(r"([a-z]+)(?:\(([^()]*)\))?", re.ASCII)
_LENGTHS: Mapping[str, float] = {**TICKS, **SIGNS, "y": _YEAR, "year": _YEAR}
_UNITS = {**dict.fromkeys(UNITS), **dict.fromkeys(TICKS)}
_RULES: Mapping[str, tuple[str, ...]] = {
    "near": ("unit",),
    "exact": ("unit",),
    "within": ("length", "unit"),
    "linear": ("length", "unit"),
    "overlap": ("unit",),
    "log": ("unit", "horizon"),
    "level": ("level",),
}
"""The rules by name, and their parameters; the first may be given without its name."""
NAMES = (
    "near",
    "exact",
    "within(LENGTH)",
    "linear(LENGTH)",
    "overlap",
    "log(unit=hour,horizon=1y)",
    "level(month)",
)
"""How each rule is written."""


class Extents(NamedTuple):
    """The extents of some times, as columns."""

    first: Integers
    last: Integers
    is_dated: NDArray[np.bool_]
    is_week: NDArray[np.bool_]
    """Whether each was written as a week, which may touch two months."""
    is_offset: NDArray[np.bool_]
    grain: str
    """The size of the cells."""
    exact_offsets: bool = False
    """Whether the cells of offsets are ticks, whatever the grain is."""

    @classmethod
    def of(
        cls,
        times: Sequence[Time | None],
        grain: str,
        zone: int = 0,
        *,
        exact_offsets: bool = False,
    ) -> "Extents":
        """Number the cells of times; those of None are 0 and mean nothing."""
        is_dated = np.fromiter((time is not None for time in times), np.bool_, len(times))
        known = [time for time in times if time is not None]
        columns = np.zeros((3, len(times)), np.int64)
        columns[:, is_dated] = cell_table(grain, zone).look_up(known)
        if exact_offsets and columns[2].any():
            offsets = [time for time in known if time.axis == "offset"]
            columns[:, columns[2] != 0] = cell_table("tick", zone).look_up(offsets)
        is_week = np.zeros(len(times), np.bool_)
        is_week[is_dated] = [time.resolution == "week" for time in known]
        is_offset = columns[2].astype(np.bool_)
        return cls(columns[0], columns[1], is_dated, is_week, is_offset, grain, exact_offsets)

    def take(self, places: Integers) -> "Extents":
        """Return the extents of the times at these places."""
        return Extents(
            self.first[places],
            self.last[places],
            self.is_dated[places],
            self.is_week[places],
            self.is_offset[places],
            self.grain,
            self.exact_offsets,
        )


class Closeness(NamedTuple):
    """A rule that turns the distance of two times into a number from 0 to 1.

    >>> Closeness.parse("within(24h)").unit, Closeness.parse("within(3)").unit
    ('hour', 'day')
    """

    rule: str
    unit: str = "day"
    length: float = 0.0
    """Of `within` and `linear`, and the horizon of `log`, in the unit."""
    level: str = ""

    @classmethod
    def parse(cls, text: str) -> "Closeness":
        """Read a rule, or refuse it and list the rules."""
        written = _WRITTEN.fullmatch(text.replace(" ", ""))
        if written is None or written[1] not in _RULES:
            raise UsageError(
                f"closeness is '{text[:60]}', expected one of: {', '.join(NAMES)}; the unit of "
                "distances is a day unless unit=hour or another is given"
            )
        rule, names = written[1], _RULES[written[1]]
        values: dict[str, str] = {}
        for part in filter(None, (written[2] or "").split(",")):
            name, equals, value = part.rpartition("=")
            name = name if equals else names[0]
            if name not in names or name in values or not value:
                raise UsageError(f"closeness={text[:60]}: {rule} takes {', '.join(names)}, once")
            values[name] = value
        return cls._of(rule, values, text)

    @classmethod
    def _of(cls, rule: str, values: Mapping[str, str], text: str) -> "Closeness":
        unit = values.get("unit", "")
        if unit and unit not in _UNITS:
            raise UsageError(
                f"closeness={text[:60]}: no unit '{unit}'; there are: {', '.join(UNITS)}"
            )
        unit = unit.replace("millisecond", "ms")
        if rule == "level":
            level = values.get("level", "")
            if level not in (*MONTHS, "day", "week"):
                raise UsageError(f"closeness={text[:60]}: expected level(day), (month) or (year)")
            return cls(rule, level=level)
        if rule == "log":
            unit = unit or "hour"
            length, _ = _length(values.get("horizon", "1y"), unit, text)
            if length <= 0:
                raise UsageError(f"closeness={text[:60]}: the horizon must be above 0")
            return cls(rule, unit, length)
        if rule in ("within", "linear"):
            if "length" not in values:
                raise UsageError(f"closeness={text[:60]}: expected a length, as in {rule}(3)")
            length, unit = _length(values["length"], unit, text)
            return cls(rule, unit, length)
        return cls(rule, unit or "day")

    def grain(self) -> str:
        """Return the grain by which dates are compared: days, or as they are written."""
        return "day" if self.unit == "day" else "tick"

    def distance(self, one: Extents, other: Extents) -> Array:
        """Return the distance of pairs of times in the unit, infinite if it has no bound."""
        apart = np.abs(one.first - other.first)
        later = np.abs(one.last - other.last)
        has_bound = ~(is_unbounded(apart) | is_unbounded(later))
        in_ticks = np.full(len(apart), one.grain != "day")
        if one.exact_offsets:
            in_ticks |= one.is_offset | other.is_offset
        divisor = np.where(in_ticks, 2.0 * TICKS[self.unit], 2.0)
        return np.where(has_bound, (apart + later) / divisor, np.inf)

    def weights(self, one: Extents, other: Extents, level: tuple[Extents, Extents] | None) -> Array:
        """Return how close pairs of times are; 0 if one is undated, 1 if both are.

        `level` are the same times by the level of a rule that compares levels.
        """
        both = one.is_dated & other.is_dated
        if self.rule == "level":
            assert level is not None
            close = _same_level(*level)
        elif self.rule == "overlap":
            close = _overlap(one, other)
        else:
            close = _WEIGHTS[self.rule](self.distance(one, other), self.length)
        return np.where(both, close, ~(one.is_dated | other.is_dated))

    def __str__(self) -> str:
        """Write a rule that parses back to this one."""
        if self.rule == "level":
            return f"level({self.level})"
        unit = "" if self.unit == "day" else f"unit={self.unit}"
        if self.rule == "log":
            return f"log(unit={self.unit},horizon={self.length:g}{SIGN_OF[self.unit]})"
        length = f"{self.length:g}" if self.rule in ("within", "linear") else ""
        inside = ",".join(filter(None, (length, unit)))
        return f"{self.rule}({inside})" if inside else self.rule


SIGN_OF = {name.replace("millisecond", "ms"): sign for name, sign in UNITS.items()} | {"us": "us"}


def _length(written: str, unit: str, text: str) -> tuple[float, str]:
    """Return a length in its unit: that which is asked for, its own, or days."""
    found = _LENGTH.fullmatch(written)
    if found is None or (found[2] and found[2] not in _LENGTHS):
        raise UsageError(
            f"closeness={text[:60]}: '{written}' is no length of time, expected a number such as "
            "3, or one with a unit such as 24h"
        )
    if not found[2]:
        return float(found[1]), unit or "day"
    ticks = float(found[1]) * _LENGTHS[found[2]]
    if not unit:
        of_days = found[2] in ("d", "w", "day", "week", "y", "year")
        names = {sign: name for name, sign in SIGN_OF.items()}
        unit = "day" if of_days else names.get(found[2], found[2])
    return ticks / TICKS[unit], unit


def _same_level(one: Extents, other: Extents) -> Array:
    """Whether both are the same cells of a level; a week agrees with each month that it touches.

    At the level of days a week is coarser than the level, and equal only to itself.
    """
    same = (one.first == other.first) & (one.last == other.last)
    if one.grain not in MONTHS:
        return np.asarray(same, np.float64)
    for week, cell in ((one, other), (other, one)):
        inside = (week.first <= cell.first) & (cell.last <= week.last)
        same |= week.is_week & (cell.first == cell.last) & inside
    return np.asarray(same, np.float64)


def _overlap(one: Extents, other: Extents) -> Array:
    shared = np.minimum(one.last, other.last) - np.maximum(one.first, other.first) + 1
    covered = np.maximum(one.last, other.last) - np.minimum(one.first, other.first) + 1
    counts = (shared > 0) & ((shared == covered) | ~is_unbounded(covered))
    return np.asarray(np.where(counts, shared / covered, 0.0))


_WEIGHTS: Mapping[str, Callable[[Array, float], Array]] = {
    "near": lambda d, _: 1 / (d + 1),
    "exact": lambda d, _: (d == 0).astype(np.float64),
    "within": lambda d, length: (d <= length).astype(np.float64),
    "linear": lambda d, length: np.maximum(0.0, 1 - d / (length + 1)),
    "log": lambda d, horizon: np.maximum(0.0, 1 - np.log1p(d) / math.log1p(horizon)),
}


def check_closeness(text: str) -> None:
    """Refuse a rule that does not exist."""
    Closeness.parse(text)
