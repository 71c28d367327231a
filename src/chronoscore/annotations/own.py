"""Functions of the user's own: what they give is looked at before it is used."""

import math
from collections.abc import Callable
from typing import Any

from chronoscore.core.errors import UsageError


def called(function: Callable[..., Any], name: str, *arguments: object) -> float:
    """The finite number that a function gives; anything else is said in words.

    >>> called(max, "builtins:max", 1, 2)
    2.0
    >>> called(max, "builtins:max", 1)
    Traceback (most recent call last):
    chronoscore.core.errors.UsageError: builtins:max failed: TypeError: 'int' object is not iterable
    """
    try:
        value = function(*arguments)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{name} failed: {type(error).__name__}: {error}") from error
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    raise UsageError(f"{name} gave {value!r}, expected a finite number")
