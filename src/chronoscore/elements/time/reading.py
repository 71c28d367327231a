"""Read a time by the rules of its file: strictly or leniently, of the calendar or as an offset.

What can be read in two ways is refused by all rules, and nothing is taken from today, the locale
or the other values.
"""

from datetime import date
from functools import partial
from typing import NamedTuple

from chronoscore.elements.time.calendar import DATE_ORDERS
from chronoscore.elements.time.iso import StrictReader
from chronoscore.elements.time.refusal import EMPTY, NOT_A_DATE, NOT_IN_CALENDAR, TimeError
from chronoscore.elements.time.value import DIALECTS, Dialect, Reading, Time, iso_day
from chronoscore.errors import UsageError

_LONGEST = 200
"""The most characters that a time may have, so that no text takes long to refuse."""

# Most files need none of `lenient`, `timex3` and `offsets`: they are imported when they are used.


class Rules(NamedTuple):
    """How the times of a file are read."""

    lenient: bool = False
    dialect: Dialect = "calendar"
    unit: str = ""
    """The unit of offsets."""
    date_order: str = ""
    """dmy or mdy, where 01/02/2011 is to be read."""
    midnight_is_time: bool = False
    """Whether midnight after a day is a time: it is in a file that has other times of day."""

    def strict(self, text: str, *, one_digit: bool = False) -> Reading:
        """Read a time of the calendar strictly, except that a week or an hour may be short."""
        reader: type[StrictReader] = StrictReader
        if self.dialect == "timex3":
            from chronoscore.elements.time.timex3 import Timex3Reader  # noqa: PLC0415

            reader = Timex3Reader
        midnight = self.midnight_is_time
        return reader(text, midnight_is_time=midnight, one_digit=one_digit).read()


STRICT = Rules()


def read_day(text: str) -> date:
    """Read a day, or the day of a time of day; refuse what is longer, or not in Python's calendar.

    >>> read_day("2011-1-5"), read_day("2011-01-05T13:45Z")
    (datetime.date(2011, 1, 5), datetime.date(2011, 1, 5))
    """
    time = Time.parse(text)
    first, last = time.cells()
    if first != last:
        raise too_coarse(text, time, "YYYY-MM-DD")
    if Time.of(time.first).cells() != (first, last):
        raise TimeError.because(NOT_IN_CALENDAR, text)
    return time.first


def too_coarse(text: str, time: Time, expected: str) -> TimeError:
    """Return the refusal of a time that is right, and less exact than is needed."""
    kind = {"span": "an interval", "one-of": "not exact"}.get(time.shape)
    return TimeError.because(kind or f"only a {time.resolution}", text, f", expected {expected}")


def read_time(text: str, rules: Rules = STRICT) -> Reading:
    """Read a time, or refuse it.

    >>> reading = read_time("2022-04-03 T00:00:00")
    >>> str(reading.time), reading.note.format(count=1, s="", first="2022-04-03 T00:00:00")
    ('2022-04-03', "1 date with a blank before T, first '2022-04-03 T00:00:00'")
    """
    if len(text.strip()) > _LONGEST:
        raise TimeError.because(NOT_A_DATE, text)
    if rules.dialect == "offset":
        from chronoscore.elements.time.offsets import read_offset  # noqa: PLC0415

        return read_offset(text, rules.unit, lenient=rules.lenient)
    if rules.dialect not in DIALECTS:
        raise UsageError(f"no dialect '{rules.dialect}'; there are: {', '.join(DIALECTS)}")
    if rules.unit:
        raise UsageError("a unit of time is for offsets, not for the calendar")
    if rules.date_order and rules.date_order not in DATE_ORDERS:
        raise UsageError(f"no order of dates '{rules.date_order}'; there are: dmy, mdy")
    if day := iso_day(text):
        return Reading(day)
    try:
        return rules.strict(text)
    except TimeError as refused:
        reading = None if refused.kind == EMPTY else _otherwise(text, rules)
        if reading is None:
            raise
        return reading


def _otherwise(text: str, rules: Rules) -> Reading | None:
    """Read what the strict reading refused as far as the rules allow."""
    from chronoscore.elements.time.lenient import read_lenient, read_ordered  # noqa: PLC0415

    if rules.date_order and (ordered := read_ordered(text, rules.date_order, rules.strict)):
        return ordered
    if not rules.lenient:
        return None
    strict = partial(rules.strict, one_digit=True)
    # Values of TIMEX3 are written by programs, never in words.
    return strict(text) if rules.dialect == "timex3" else read_lenient(text, strict)
