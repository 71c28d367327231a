"""Offsets from a zero, such as hours from admission or seconds of a video, in a declared unit.

An offset is an instant, one tick long, so that distances are exact; `a/b` includes both ends.
"""

import re
from decimal import ROUND_HALF_EVEN, Decimal

from chronoscore.elements.time import refusal
from chronoscore.elements.time.calendar import DASHES, SIGNS, TICKS, UNITS
from chronoscore.elements.time.refusal import TimeError
from chronoscore.elements.time.value import UNBOUNDED, Reading, Time
from chronoscore.errors import UsageError

ANOTHER = "{count} offset{s} in another spelling than a number, first '{first}'"
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
_DECIMAL = re.compile(rf"[+-]?{_NUMBER}(?:[eE][+-]?\d{{1,3}})?")
_CLOCK = re.compile(r"([+-]?)(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)")
_DURATION = re.compile(
    rf"([+-]?)P(?=.)(?:({_NUMBER})W)?(?:({_NUMBER})D)?"
    rf"(?:T(?=.)(?:({_NUMBER})H)?(?:({_NUMBER})M)?(?:({_NUMBER})S)?)?"
)
_CALENDAR_DURATION = re.compile(
    rf"[+-]?P(?:{_NUMBER}[YMWD])*{_NUMBER}[YM](?:{_NUMBER}[WD])*(?:T.+)?"
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_WITH_UNIT = re.compile(rf"([+-]?{_NUMBER}) ?([a-z]+)\.?")
_RANGE = re.compile(r"(\S+) to (\S+)|([\d.]+)-([\d.]+)")  # -5-2 and 5 - 2 may be differences
_MOST_TICKS = 10**24
_UNIT_WORDS = {
    word: sign
    for sign, words in {
        "h": "h hr hrs hour hours",
        "min": "min mins minute minutes",
        "s": "s sec secs second seconds",
        "ms": "ms millisecond milliseconds",
        "d": "d day days",
        "w": "w week weeks",
    }.items()
    for word in words.split()
}
_CALENDAR_WORDS = ("month", "months", "mo", "year", "years", "yr", "yrs", "y")


def sign_of(unit: str) -> str:
    """Return the sign of a unit, given by name or by sign.

    >>> sign_of("hour"), sign_of("min")
    ('h', 'min')
    """
    sign = UNITS.get(unit, unit)
    if sign not in SIGNS:
        raise UsageError(f"no unit of time '{unit}'; there are: {', '.join(UNITS)}")
    return sign


def read_offset(text: str, unit: str, *, lenient: bool = False) -> Reading:
    """Read an offset, or refuse it.

    >>> str(read_offset("1e3", "second").time), str(read_offset("2-3", "h", lenient=True).time)
    ('1000', '2/3')
    """
    if not unit:
        raise UsageError(f"offsets need a unit of time: {', '.join(UNITS)}")
    reader = _Offset(text, sign_of(unit))
    try:
        return Reading(reader.strict(text.strip()))
    except TimeError as refused:
        if lenient and refused.kind == reader.not_a_number:
            return Reading(reader.lenient(text.strip()), ANOTHER)
        raise


class _Offset:
    """Reads one text."""

    def __init__(self, text: str, unit: str) -> None:
        self.text = text
        self.unit = unit
        self.not_a_number = f"not a number of {unit}"

    def refuse(self, kind: str) -> TimeError:
        return TimeError.because(kind, self.text)

    def strict(self, written: str) -> Time:
        if not written:
            raise self.refuse(refusal.EMPTY)
        if "/" in written:
            return self._span(*written.partition("/")[::2])
        return self._instant(self._ticks(written))

    def _instant(self, ticks: int, qualifier: str = "") -> Time:
        if abs(ticks) > _MOST_TICKS:
            raise self.refuse(refusal.BEYOND_AXIS)
        return Time(ticks, ticks + 1, "us", qualifier=qualifier, axis="offset", unit=self.unit)

    def _span(self, first: str, last: str, qualifier: str = "") -> Time:
        if first in UNBOUNDED and last in UNBOUNDED:
            raise self.refuse(refusal.NO_BOUND)
        begin = None if first in UNBOUNDED else self._instant(self._ticks(first)).begin
        end = None if last in UNBOUNDED else self._instant(self._ticks(last)).end
        if begin is not None and end is not None and end <= begin:
            raise self.refuse(refusal.REVERSED)
        unknown = UNBOUNDED.get(first, ""), UNBOUNDED.get(last, "")
        return Time(
            *(begin, end, "us", "span", None, qualifier, unknown),
            axis="offset",
            unit=self.unit,
        )

    def _ticks(self, written: str, unit: str = "") -> int:
        """Read a number of the unit, a clock or an ISO duration, rounded half to even."""
        if _DECIMAL.fullmatch(written):
            return self._rounded(Decimal(written) * SIGNS[unit or self.unit])
        if match := _CLOCK.fullmatch(written):
            sign, hours, minutes, seconds = match.groups()
            ticks = (int(hours) * 60 + int(minutes)) * TICKS["minute"]
            total = ticks + Decimal(seconds) * TICKS["second"]
            return self._rounded(-total if sign == "-" else total)
        if match := _DURATION.fullmatch(written):
            sign, *numbers = match.groups()
            units = (TICKS[name] for name in ("week", "day", "hour", "minute", "second"))
            pairs = zip(numbers, units, strict=True)
            total = sum((Decimal(number or 0) * ticks for number, ticks in pairs), Decimal())
            return self._rounded(-total if sign == "-" else total)
        if _CALENDAR_DURATION.fullmatch(written):
            raise self.refuse(refusal.NO_FIXED_LENGTH)
        raise self.refuse(self.not_a_number)

    def _rounded(self, ticks: Decimal) -> int:
        if abs(ticks) > _MOST_TICKS:
            raise self.refuse(refusal.BEYOND_AXIS)
        return int(ticks.to_integral_value(ROUND_HALF_EVEN))

    def lenient(self, written: str) -> Time:
        """Read a number with marks around it, a range, or a number with its own unit."""
        bare = " ".join(written.translate(DASHES).rstrip("\\ ").split())
        qualifier = "~" if bare.startswith("~") else ""
        bare = bare.removeprefix("~").strip()
        if _THOUSANDS.fullmatch(bare):
            bare = bare.replace(",", "")
        if match := _WITH_UNIT.fullmatch(bare.lower()):
            if match[2] in _CALENDAR_WORDS:
                raise self.refuse(refusal.NO_FIXED_LENGTH)
            if match[2] in _UNIT_WORDS:
                return self._instant(self._ticks(match[1], _UNIT_WORDS[match[2]]), qualifier)
        if match := _RANGE.fullmatch(bare):
            first, last = (part for part in match.groups() if part)
            return self._span(first, last, qualifier)
        return self._instant(self._ticks(bare), qualifier)
