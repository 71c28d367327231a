"""The time axis of a page: the places of times in numbers and words, so that no script reads dates.

Numbers count cells from the earliest time of the page. A cell is the longest unit, up to a day, in
which all times begin and end; of the calendar, none that is shorter than what metrics compare.
"""

from collections.abc import Iterable
from typing import Any, Final

from chronoscore.elements.time import Time, TimeError
from chronoscore.elements.time.calendar import DAY, TICKS, civil, iso_week
from chronoscore.elements.time.offsets import sign_of

_CELLS: Final = ("day", "hour", "minute", "second", "ms", "us")
_MONTHS: Final = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_SEASONS: Final = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_CLOCK: Final = {"hour": 2, "minute": 5, "second": 8, "ms": 12, "us": 15}
"""How many characters of 13:45:30.000000 are known."""


def times_of(names: Iterable[str], unit: str = "") -> dict[str, Time]:
    """Read the names that are times; `unit` is that of offsets, empty for the calendar.

    >>> [*times_of(["2011-02", "e1"])], [*times_of(["-72", "e1"], "hour")]
    (['2011-02'], ['-72'])
    """
    times: dict[str, Time] = {}
    for name in names:
        try:
            times[name] = _read(name, unit)
        except TimeError:
            continue
    return times


def _read(name: str, unit: str) -> Time:
    return Time.parse(name, lenient=True, dialect="offset" if unit else "calendar", unit=unit)


def time_axis(names: Iterable[str], unit: str = "", grain: str = "tick") -> dict[str, Any]:
    """Return the size of a cell in days, and where on the axis each time lies.

    A time has its first and last cell (None where it has no bound), what stands below the axis
    where it begins, in two parts of which neighbours may share the second, and its name in words
    where it does not begin with that.

    >>> axis = time_axis(["2011-02-11", "2011-02", "2011-02-11/.."])
    >>> axis["cell"], axis["times"]["2011-02-11"], axis["times"]["2011-02"]
    (1.0, (10, 10, '11 Feb', '2011'), (0, 27, 'Feb', '2011'))
    >>> axis["times"]["2011-02-11/.."]
    (10, None, '11 Feb', '2011', 'from 11 Feb 2011')
    """
    times = times_of(names, unit)
    bounds = {name: _bounds(time) for name, time in times.items()}
    ticks = [tick for ends in bounds.values() for tick in ends if tick is not None]
    least = 1 if unit else min(TICKS.get(grain, 1), DAY)
    sizes = [TICKS[size] for size in _CELLS if TICKS[size] >= least]
    cell = next((size for size in sizes if not any(tick % size for tick in ticks)), least)
    origin = min(ticks, default=0) // cell
    length = 0 if unit else 1  # an offset is a point on the axis, a day is a cell

    def place(name: str) -> tuple[Any, ...]:
        begin, end = bounds[name]
        first = None if begin is None else begin // cell - origin
        last = None if end is None else (end - length) // cell - origin
        return first, last, *_labels(times[name], unit)

    return {"cell": cell / DAY, "times": {name: place(name) for name in times}}


def _bounds(time: Time) -> tuple[int | None, int | None]:
    """Return begin and end in UTC; the end of offsets is included."""
    moved = (time.zone or 0) * TICKS["minute"]
    last = 1 if time.axis == "offset" else 0
    return (
        None if time.begin is None else time.begin - moved,
        None if time.end is None else time.end - moved - last,
    )


def _labels(time: Time, unit: str) -> tuple[str, ...]:
    if time.shape != "span":
        return _label(time)
    texts = str(time).removeprefix("~").split("/")
    ends = [None if text in ("", "..") else _label(_read(text, unit)) for text in texts]
    begin, end = (" ".join(filter(None, label or ())) for label in ends)
    words = f"{begin} – {end}" if begin and end else f"from {begin}" if begin else f"until {end}"
    unknown = ", end not known" if time.open[1] == "unknown" else ""
    unknown = ", begin not known" if time.open[0] == "unknown" else unknown
    label = ends[0] or ends[1]
    assert label is not None
    return *label, words + unknown


def _label(time: Time) -> tuple[str, str]:
    """Write a time as what tells it from its neighbours, and what it may share with them."""
    if time.axis == "offset":
        return f"{time} {sign_of(time.unit)}", ""
    near, far = _calendar_label(time)
    if time.qualifier:
        about = "" if time.qualifier == "?" else "c. "
        uncertain = "" if time.qualifier == "~" else "?"
        near, far = f"{about}{near}{' ' * bool(near and far)}{far}{uncertain}", ""
    return near, far


def _calendar_label(time: Time) -> tuple[str, str]:
    begin = time.begin or 0
    day = civil(begin // DAY)
    month, year = _MONTHS[day.month - 1], _year(day.year)
    if time.shape == "one-of":
        return str(time).rstrip("?~%"), ""
    if time.is_moment:
        return _clock(time, begin), f"on {day.day} {month} {year}"
    if time.resolution == "week":
        iso_year, week = iso_week(begin // DAY)
        return f"week {week}", _year(iso_year)
    near = {
        "day": f"{day.day} {month}",
        "month": month,
        "quarter": f"Q{day.month // 3 + 1}",
        "season": _SEASONS.get(day.month, ""),
        "year": "",
    }.get(time.resolution)
    return (str(time).rstrip("?~%"), "") if near is None else (near, year)


def _clock(time: Time, begin: int) -> str:
    seconds, fraction = divmod(begin % DAY, TICKS["second"])
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
    zone = ""
    if time.zone is not None:
        hours, minutes = divmod(abs(time.zone), 60)
        zone = f" {'-' if time.zone < 0 else '+'}{hours:02}:{minutes:02}" if time.zone else " UTC"
    return f"{clock[: _CLOCK[time.resolution]]}{'h' * (time.resolution == 'hour')}{zone}"


def _year(year: int) -> str:
    """Write a year as people do: there is no year 0, and early years need a word."""
    if year < 1:
        return f"{1 - year} BC"
    return str(year) if year > 999 else f"AD {year}"
