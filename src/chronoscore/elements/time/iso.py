"""Strict spellings of the calendar: ISO 8601 and EDTF (ISO 8601-2) levels 0 and 1, and no others.

Midnight after a date is dropped unless it is known to be a time, since data sets write days so.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chronoscore.elements.time import refusal
from chronoscore.elements.time.calendar import (
    DAY,
    MONTHS,
    TICKS,
    day_number,
    days_in_month,
    month_begin,
    week_begin,
    weeks_in_year,
)
from chronoscore.elements.time.refusal import TimeError
from chronoscore.elements.time.value import RESOLUTIONS, UNBOUNDED, Reading, Time

BLANK_BEFORE_T = "{count} date{s} with a blank before T, first '{first}'"

_DATE = re.compile(r"(-?\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_BASIC = re.compile(r"(\d{4})(\d{2})(\d{2})")
_WEEK = re.compile(r"(-?\d{4})-?W(\d{2})(?:-?(\d))?")
_WEEK_OR_DIGIT = re.compile(r"(-?\d{4})-?W(\d{2}|(?<=-W)\d)(?:-?(\d))?")
_ORDINAL = re.compile(r"(-?\d{4})-(\d{3})")
_QUARTER = re.compile(r"(-?\d{4})-Q([1-4])")
_FAR_YEAR = re.compile(r"Y(-?)(\d+)")
_UNKNOWN = re.compile(r"(?=-?[\dX]{4}(?:-|$))(-?)(\d*)(X*)(?:-(\d{2}|XX)(?:-(\d{2}|XX))?)?")
_MIDNIGHT = re.compile(
    r"(?:(?P<blank>\s*)T| )00:00"
    r"(?::00(?:\.0+)?)?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$"
)
_MOMENT = re.compile(
    r"(?P<date>\S*\d)(?P<blank>\s+(?=T))?[T ](?P<hour>\d{1,2})"
    r"(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<fraction>\d+))?)?)?"
    r"(?:(?P<z>Z)|(?P<sign>[+-])(?P<zone_hour>\d{2})(?::?(?P<zone_minute>\d{2}))?)?"
)
_BASIC_MOMENT = re.compile(r"(\d{8}[T ]\d{2})(\d{2})(\d{2})?((?:\.\d+)?(?:Z|[+-].*)?)")
_BRACKETS = re.compile(r"\[([^\[\],.]*)\]")
"""One date in brackets, as some sheets write it: in EDTF a set of one."""
_LEVEL_2 = re.compile(
    r"(?:-?\d{4}|Y-?\d+(?:E\d+)?)S\d+|Y-?\d+E\d+|\[.+\]|-?[\dX]{4}(?:-[\dX]{2}){0,2}"
)
_QUALIFIERS = re.compile(r"[?~%]")
_DURATION = re.compile(r"-?P(?:\d|X|T)[\w.]*")
_REFERENCE = re.compile(r"(?:PAST|PRESENT|FUTURE)_REF")
_SEASONS, _LEVEL_2_SEASONS = range(21, 25), range(25, 42)
_LONG_YEAR = 5
_MOST_DIGITS = 10
_MS_DIGITS = 3


class StrictReader:
    """Reads one text, strictly except for what its words allow."""

    def __init__(
        self,
        text: str,
        *,
        midnight_is_time: bool = False,
        one_digit: bool = False,
    ) -> None:
        self.text = text
        self.midnight_is_time = midnight_is_time
        """Whether midnight after a day is a time, and not another way to write the day."""
        self.one_digit = one_digit
        """Whether a week or an hour may have one digit."""

    def refuse(self, kind: str) -> TimeError:
        """Return the refusal of the whole text."""
        return TimeError.because(kind, self.text)

    def read(self) -> Reading:
        """Read the text, or refuse it."""
        written = self.text.strip()
        if brackets := _BRACKETS.fullmatch(written):
            written = brackets[1].strip()
        if not written:
            raise self.refuse(refusal.EMPTY)
        if "/" in written:
            return self._interval(written)
        return self._single(written)

    def _interval(self, written: str) -> Reading:
        texts = written.split("/")
        if len(texts) != 2:
            raise self.refuse(refusal.NOT_A_DATE)
        unknown = [UNBOUNDED.get(text, "") for text in texts]
        if all(unknown):
            raise self.refuse(refusal.NO_BOUND)
        ends = [None if text in UNBOUNDED else self._single(text) for text in texts]
        times = [end.time for end in ends if end]
        if not self.midnight_is_time and any(time.is_moment for time in times):
            self.midnight_is_time = True
            return self._interval(written)
        if any(time.shape != "date" for time in times):
            raise self.refuse(refusal.LEVEL_2)
        zones = {time.zone for time in times} - {None}
        if len(zones) > 1:
            raise self.refuse("an interval in two zones")
        begin = ends[0].time.begin if ends[0] else None
        end = ends[1].time.end if ends[1] else None
        if begin is not None and end is not None and end <= begin:
            raise self.refuse(refusal.REVERSED)
        qualifiers = {time.qualifier for time in times} - {""}
        time = Time(
            begin,
            end,
            max((time.resolution for time in times), key=RESOLUTIONS.index),
            "span",
            zones.pop() if zones else None,
            "%" if len(qualifiers) > 1 else "".join(qualifiers),
            (unknown[0], unknown[1]),
        )
        return Reading(time, "".join({end.note for end in ends if end}))

    def _single(self, written: str) -> Reading:
        qualifier = written[-1] if written[-1] in "?~%" else ""
        bare = written.removesuffix(qualifier)
        midnight = _MIDNIGHT.search(bare)
        note = BLANK_BEFORE_T if midnight and midnight["blank"] else ""
        time = self._date(bare[: midnight.start()] if midnight else bare)
        if time is None or (midnight and self.midnight_is_time and time.is_day):
            time, note = self._moment(_BASIC_MOMENT.sub(_extended, bare))
        if time is None:
            raise self.refuse(self._why_not(bare))
        return Reading(replace(time, qualifier=qualifier) if qualifier else time, note)

    def _why_not(self, bare: str) -> str:
        """Tell why a text is no date, where more can be said than that."""
        if _DURATION.fullmatch(bare):
            return refusal.DURATION
        if _REFERENCE.fullmatch(bare):
            return refusal.REFERENCE
        if bare.startswith("{") and bare.endswith("}"):
            return "several dates"
        if _LEVEL_2.fullmatch(bare):
            return refusal.LEVEL_2
        without = _QUALIFIERS.sub("", bare)
        return refusal.LEVEL_2 if without != bare and self._date(without) else refusal.NOT_A_DATE

    def _date(self, bare: str) -> Time | None:
        """Read a date without a time of day; None if the text is none."""
        for pattern, read in self._forms:
            if match := pattern.fullmatch(bare):
                return read(*match.groups())
        return None

    @property
    def _forms(self) -> Sequence[tuple[re.Pattern[str], Callable[..., Time]]]:
        return (
            (_DATE, self._year_month_day),
            (_BASIC, self._year_month_day),
            (_WEEK_OR_DIGIT if self.one_digit else _WEEK, self._week),
            (_ORDINAL, self._day_of_year),
            (_QUARTER, self._quarter),
            (_FAR_YEAR, self._far_year),
            (_UNKNOWN, self._some_date),
        )

    def _year(self, digits: str) -> int:
        if digits.startswith("-") and int(digits) == 0:
            raise self.refuse("there is no year -0000")
        return int(digits)

    def _year_month_day(self, year: str, month: str | None, day: str | None) -> Time:
        number = self._year(year)
        if month is None:
            return months(number * 12, "year")
        if day is not None:
            if not (1 <= int(month) <= 12 and 1 <= int(day) <= days_in_month(number, int(month))):
                raise self.refuse(refusal.NOT_IN_CALENDAR)
            return _days(day_number(number, int(month), int(day)), 1, "day")
        if int(month) in _LEVEL_2_SEASONS:
            raise self.refuse(refusal.LEVEL_2)
        if int(month) in _SEASONS:  # spring is March to May, winter ends in the next year
            return months(number * 12 + 3 * (int(month) - 21) + 2, "season", 3)
        if not 1 <= int(month) <= 12:
            raise self.refuse(refusal.NOT_IN_CALENDAR)
        return months(number * 12 + int(month) - 1, "month")

    def _week(self, year: str, week: str, weekday: str | None) -> Time:
        number = self._year(year)
        if not 1 <= int(week) <= weeks_in_year(number) or int(weekday or 1) not in range(1, 8):
            raise self.refuse(refusal.NOT_IN_CALENDAR)
        monday = week_begin(number, int(week))
        return _days(monday + int(weekday) - 1, 1, "day") if weekday else _days(monday, 7, "week")

    def _day_of_year(self, year: str, day: str) -> Time:
        number = self._year(year)
        if not 1 <= int(day) <= day_number(number + 1, 1, 1) - day_number(number, 1, 1):
            raise self.refuse(refusal.NOT_IN_CALENDAR)
        return _days(day_number(number, 1, int(day)), 1, "day")

    def _quarter(self, year: str, quarter: str) -> Time:
        return months(self._year(year) * 12 + 3 * int(quarter) - 3, "quarter")

    def _far_year(self, sign: str, digits: str) -> Time:
        if len(digits) < _LONG_YEAR or digits.startswith("0"):
            raise self.refuse("a year of four digits is written without Y")
        if len(digits) > _MOST_DIGITS:
            raise self.refuse(refusal.BEYOND_AXIS)
        return months(int(sign + digits) * 12, "year")

    def _some_date(
        self, sign: str, digits: str, unknown: str, month: str | None, day: str | None
    ) -> Time:
        """Read a date whose last digits are not known."""
        written = [part for part in (month, day) if part]
        if not digits and set(written) <= {"XX"}:
            raise self.refuse(refusal.UNDATED)
        if written != sorted(written) or (unknown and set(written) - {"XX"}):
            raise self.refuse(refusal.LEVEL_2)  # a digit is known behind one that is not
        resolution = ("year", "month", "day")[len(written)]
        if unknown or month == "XX":
            years = sorted(int(f"{sign}{digits}{digit * len(unknown)}") for digit in "09")
            begin, end = month_begin(years[0] * 12), month_begin(years[1] * 12 + 12)
        else:
            known = self._year_month_day(sign + digits, month, None)
            if known.resolution != "month":
                raise self.refuse(refusal.NOT_IN_CALENDAR)
            begin, end = known.begin, known.end  # type: ignore[assignment]  # a month is bounded
        return Time(begin, end, resolution, "one-of")

    def _moment(self, bare: str) -> tuple[Time | None, str]:
        """Read a day with a time of day; None if the text is none."""
        match = _MOMENT.fullmatch(bare)
        if not match:
            return None, ""
        day = self._date(match["date"])
        if day is None or day.resolution != "day" or day.shape != "date":
            return None, ""
        assert day.begin is not None
        fields = [match[name] for name in ("hour", "minute", "second") if match[name]]
        fraction = match["fraction"]
        short = fields[1:] if self.one_digit else fields
        hour, minute, second = (*map(int, fields), 0, 0)[:3]
        if second == 60 and minute <= 59 and hour <= 23:
            raise self.refuse("a leap second is not on the axis")
        midnight = hour == 24 and not minute and not second and not int(fraction or 0)
        if (
            any(len(field) == 1 for field in short)
            or not (hour <= 23 or midnight)
            or max(minute, second) > 59
        ):
            raise self.refuse(refusal.NOT_A_TIME)
        resolution = ("hour", "minute", "second")[len(fields) - 1]
        ticks = day.begin + ((hour * 60 + minute) * 60 + second) * TICKS["second"]
        if fraction:
            resolution = "ms" if len(fraction) <= _MS_DIGITS else "us"
            ticks += int(fraction[:6].ljust(6, "0"))
        zone = self._zone(match)
        time = Time(ticks, ticks + TICKS[resolution], resolution, zone=zone)
        return time, BLANK_BEFORE_T if match["blank"] else ""

    def _zone(self, match: re.Match[str]) -> int | None:
        if match["z"]:
            return 0
        if not match["sign"]:
            return None
        hours, minutes = int(match["zone_hour"]), int(match["zone_minute"] or 0)
        if hours > 23 or minutes > 59:
            raise self.refuse("not an offset of a zone")
        return int(f"{match['sign']}{hours * 60 + minutes}")


def _days(first: int, number: int, resolution: str) -> Time:
    return Time(first * DAY, (first + number) * DAY, resolution)


def months(first: int, resolution: str, number: int = 0) -> Time:
    """Return the time from a month, counted from January of the year 0, as long as its resolution.

    >>> str(months(2011 * 12, "year"))
    '2011'
    """
    number = number or MONTHS[resolution]
    return Time(month_begin(first), month_begin(first + number), resolution)


def _extended(basic: re.Match[str]) -> str:
    """Write a time of day in the basic format with its colons."""
    hour, minute, second, rest = basic.groups(default="")
    return f"{hour}:{minute}{':' * bool(second)}{second}{rest}"
