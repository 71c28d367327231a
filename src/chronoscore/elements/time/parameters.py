"""How metrics write lengths of time and zones: `tolerance=36h`, `zone=+05:30`."""

import re

from chronoscore.elements.time.calendar import MONTHS, SIGNS, TICKS
from chronoscore.errors import UsageError

_FIXED = {**TICKS, **SIGNS}
"""The units of fixed length by name and by sign, in ticks."""
_LENGTH = re.compile(r"([0-9]{1,12})([a-z]*)", re.ASCII)
_ZONE = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


def check_length(written: str) -> None:
    """Refuse a length that is neither a whole number nor one of a unit.

    >>> check_length("36h")
    """
    _length(written)


def _length(written: str) -> tuple[int, str]:
    """Return the number and the unit of a length."""
    match = _LENGTH.fullmatch(written)
    if match is None or match[2] not in ("", *_FIXED, *MONTHS):
        units = ", ".join((*SIGNS, *MONTHS))
        raise UsageError(
            f"'{written[:40]}' is no length of time: expected a whole number, or one with a unit "
            f"({units}), such as 36h"
        )
    return int(match[1]), match[2]


def cells_in(length: int | str, grain: str) -> int:
    """Return how many cells of a grain a length is; a plain number is a number of cells.

    >>> cells_in(3, "day"), cells_in("36h", "hour"), cells_in("1year", "month")
    (3, 36, 12)
    """
    if isinstance(length, int):
        return length
    number, unit = _length(length)
    if not unit or not number:
        return number
    units, grains = (_FIXED, {"tick": 1, **TICKS}) if unit in _FIXED else (MONTHS, MONTHS)
    if grain not in grains or number * units[unit] % grains[grain]:
        raise UsageError(f"{length} is not a whole number of cells of grain={grain}")
    return number * units[unit] // grains[grain]


def zone_minutes(zone: str) -> int:
    """Return the minutes east of UTC.

    >>> zone_minutes("+05:30"), zone_minutes("-03:00")
    (330, -180)
    """
    match = _ZONE.fullmatch(zone)
    if match is None:
        raise UsageError(f"'{zone[:40]}' is no zone, expected hours east of UTC such as +05:30")
    minutes = int(match[2]) * 60 + int(match[3])
    return -minutes if match[1] == "-" else minutes
