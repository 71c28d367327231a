"""A budget of memory: a step that would take more is refused before it starts.

Some small files need far more memory than their size: spans that all overlap give a pair for each
two, two long timelines give a table of all pairs of days, and a packed file may unpack to a
thousand times its size. The bytes are estimated first, and compared with one limit.
"""

import os
import re

from chronoscore.errors import DataError, UsageError

VARIABLE = "CHRONOSCORE_MAX_MEMORY"
DEFAULT = "1G"
HELD_TIMES = 8
"""About how many bytes a byte of a file takes once it is read."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)B?", re.IGNORECASE)


def limit() -> int:
    """Return how many bytes one step may take, from the environment variable or the default."""
    written = os.environ.get(VARIABLE) or DEFAULT
    match = _SIZE.fullmatch(written.strip(" "))
    if match is None or not int(match[1]):
        raise UsageError(f"{VARIABLE} is '{written}', expected a size such as 500M or 4G")
    return int(match[1]) * _UNITS[match[2].upper()]


def check(needed: int, what: str, path: object = "", advice: str = "") -> None:
    """Refuse a step that needs more bytes than the budget; `advice` names another way out."""
    allowed = limit()
    if needed > allowed:
        choice = f"{advice}, or " if advice else ""
        raise DataError.of(
            f"{what}: {shown(needed)} of memory, more than the {shown(allowed)} allowed; {choice}"
            f"set the environment variable {VARIABLE}={shown(2 * needed).replace(' ', '')}",
            path,
        )


def shown(size: int) -> str:
    """Write a size with its unit, rounded up.

    >>> shown(900), shown(3 << 20), shown(2_400_000_000)
    ('900 B', '3072 KB', '2289 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if size < 10_000:
            return f"{size} {unit}"
        size = -(-size // 1024)
    return f"{size} TB"
