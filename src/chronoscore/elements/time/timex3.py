"""The spellings of TIMEX3 values that ISO does not have; only readers of TimeML use them."""

import re
from dataclasses import replace

from chronoscore.elements.time.calendar import DAY, week_begin
from chronoscore.elements.time.iso import StrictReader, months
from chronoscore.elements.time.refusal import NO_YEAR_0, UNDATED
from chronoscore.elements.time.value import Time

_LONG = re.compile(r"\d{1,3}")
_LONG_UNITS = ("millennium", "century", "decade")
_PART = re.compile(r"(.+)T(MO|MI|AF|EV|NI|DT)")
_UNKNOWN_TIME = re.compile(r"(.+)TXX(?::XX)*|(.*X.*)T\d{2}(?::\d{2})*")
_OF_YEAR = re.compile(r"(-?\d{4})-(?:(SP|SU|FA|WI)|H([12])|(QX)|WXX(?:-[1-7])?|W\d{2}-WE)")
_NO_DAY = re.compile(r"T(?:MO|MI|AF|EV|NI|DT|\d{2}(?::\d{2})*)")
_SEASONS = ("SP", "SU", "FA", "WI")


class Timex3Reader(StrictReader):
    """Reads the `value` of a TIMEX3."""

    def _date(self, bare: str) -> Time | None:
        time = super()._date(bare) if not bare.startswith("XXXX") else None
        return time or self._timex3_only(bare)

    def _timex3_only(self, bare: str) -> Time | None:
        """Read what only TIMEX3 knows."""
        if bare.startswith("XXXX"):
            raise self.refuse(UNDATED)
        if bare.startswith("FY"):
            raise self.refuse("a fiscal year has no fixed begin")
        if _NO_DAY.fullmatch(bare):
            raise self.refuse("a time of day without a day")
        if bare.startswith("BC") and bare[2:6].isdecimal():
            if not int(bare[2:6]):
                raise self.refuse(NO_YEAR_0)
            return self._date(f"{1 - int(bare[2:6]):05d}{bare[6:]}".replace("00000", "0000", 1))
        if _LONG.fullmatch(bare):
            unit = _LONG_UNITS[len(bare) - 1]
            return months(
                int(bare) * {"millennium": 12000, "century": 1200, "decade": 120}[unit], unit
            )
        if match := _PART.fullmatch(bare):
            day = self._date(match[1])
            return replace(day, part=match[2]) if day and day.shape == "date" else day
        if match := _UNKNOWN_TIME.fullmatch(bare):
            return self._date(match[1] or match[2])
        return self._of_year(bare)

    def _of_year(self, bare: str) -> Time | None:
        """Read a season, a half, a weekend, or an unknown week or quarter of a year."""
        match = _OF_YEAR.fullmatch(bare)
        if match is None:
            return None
        year = int(match[1])
        if match[2]:
            return months(year * 12 + 3 * _SEASONS.index(match[2]) + 2, "season", 3)
        if match[3]:
            return months(year * 12 + 6 * int(match[3]) - 6, "half")
        if match[4]:
            return replace(months(year * 12, "year"), resolution="quarter", shape="one-of")
        if bare.endswith("-WE"):
            week = self._date(bare.removesuffix("-WE"))
            assert week is not None
            assert week.begin is not None
            return Time(week.begin + 5 * DAY, week.end, "weekend")
        begin, end = (week_begin(number, 1) * DAY for number in (year, year + 1))
        return Time(begin, end, "day" if bare[-1].isdigit() else "week", "one-of")
