"""A budget of memory: what would take more is refused before it is made.

Some small files ask for far more than their size: spans that all overlap make a pair of each two,
two long timelines a table of all pairs of days, and a packed file may unpack to a thousand times
its size. Each is counted first, and compared with one limit.
"""

import os
import re

from chronoscore.core.errors import DataError, UsageError

VARIABLE = "CHRONOSCORE_MAX_MEMORY"
DEFAULT = "1G"
HELD_TIMES = 8
"""About how many bytes a byte of a file takes once it is read."""
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)B?", re.IGNORECASE)


def limit() -> int:
    """The bytes that one step may take; the environment variable sets it for all processes."""
    written = os.environ.get(VARIABLE) or DEFAULT
    found = _SIZE.fullmatch(written.strip(" "))
    if found is None or not int(found[1]):
        raise UsageError(f"{VARIABLE} is '{written}', expected a size such as 500M or 4G")
    return int(found[1]) * _UNITS[found[2].upper()]


def check(needed: int, what: str, path: object = "", advice: str = "") -> None:
    """Refuse what needs more bytes than the budget; `what` names it, `advice` another way out."""
    allowed = limit()
    if needed > allowed:
        other = f"{advice}, or " if advice else ""
        raise DataError.of(
            f"{what}: {shown(needed)} of memory, more than the {shown(allowed)} allowed; {other}"
            f"set the environment variable {VARIABLE}={shown(2 * needed).replace(' ', '')}",
            path,
        )


def shown(size: int) -> str:
    """A size in words, rounded up.

    >>> shown(900), shown(3 << 20), shown(2_400_000_000)
    ('900 B', '3072 KB', '2289 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if size < 10_000:
            return f"{size} {unit}"
        size = -(-size // 1024)
    return f"{size} TB"
