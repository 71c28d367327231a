"""Numbers as files write them: ASCII digits, within the range that arrays and JSON can hold.

Python's own `int` and `float` accept more than a file may mean (digits of other scripts, blanks
such as \\x1c, underscores, any size), and what they return may not fit into an array.
"""

import math
import re
from typing import Annotated, TypeAlias

import msgspec

LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**63 - 1
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=LEAST_WHOLE, le=MOST_WHOLE)]
"""A whole number of a record: one that 64 bits hold."""
BLANKS = " \t"
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_REAL = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?"
)


def whole_number(text: str) -> int | None:
    """The whole number that a text is, or None; the sign is kept, so that -1 can be reported.

    >>> [whole_number(text) for text in ("12", " -3", "1.5", "²", "3\\x1c", "1_0", "9" * 19)]
    [12, -3, None, None, None, None, None]
    """
    plain = text.strip(BLANKS)
    if not _WHOLE.fullmatch(plain):
        return None
    number = int(plain)
    return number if LEAST_WHOLE <= number <= MOST_WHOLE else None


def real_number(value: object) -> float | None:
    """The finite number that a value is or that its text writes, or None.

    >>> [real_number(value) for value in (1, "0.5", "1e-3", True, "x", "nan", "1e999", 10**400)]
    [1.0, 0.5, 0.001, None, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        value = value.strip(BLANKS)
        if not _REAL.fullmatch(value):
            return None
    try:
        number = float(value)
    except OverflowError:  # a whole number that no float can hold
        return None
    return number if math.isfinite(number) else None


def by_size(digits: str) -> tuple[int, str]:
    """A sort key of digits by the number that they write, however many they are.

    >>> by_size("007") == by_size("7") < by_size("10") < by_size("9" * 5000)
    True
    """
    plain = digits.lstrip("0")
    return len(plain), plain


def fits(value: object) -> bool:
    """Whether a value is no whole number that 64 bits don't hold.

    >>> [fits(value) for value in (2**63 - 1, 2**63, "text")]
    [True, False, True]
    """
    return type(value) is not int or LEAST_WHOLE <= value <= MOST_WHOLE
