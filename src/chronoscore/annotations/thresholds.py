"""Which score thresholds a curve has."""

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import UsageError

GRIDS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "11": tuple(n / 10 for n in range(11)),
        "21": tuple(n / 20 for n in range(21)),
        # As the GATE plugin really has them: its name says 0 to 1, its steps are a tenth of that.
        "51": (*(n / 500 for n in range(50)), 1.0),
    }
)
KINDS = ("all", "rounded", *GRIDS)


def thresholds(kind: str, scores: Iterable[float]) -> list[float]:
    """The thresholds of a curve, highest first, each once; +infinity is always added by the curve.

    ``all``: every score that occurs. ``rounded``: ``floor(100·score + 1/2) / 100`` of every score,
    which may lie above the score, and then the response is out at its own threshold. ``11`` and
    ``21``: 0 to 1 in steps of 0.1 and 0.05. ``51``: 0 to 0.098 in steps of 0.002, and 1. Or any
    numbers with strokes between them.

    >>> thresholds("rounded", [0.937, 0.5, 0.504])
    [0.94, 0.5]
    >>> thresholds("11", [])[:3]
    [1.0, 0.9, 0.8]
    >>> thresholds("0.25/0.75", [])
    [0.75, 0.25]
    """
    given = _given(kind)
    if given is not None:
        return sorted(set(given), reverse=True)
    if kind == "all":
        return sorted(set(scores), reverse=True)
    return sorted({_rounded(score) for score in scores}, reverse=True)


def check(kind: str) -> None:
    """Raise a usage error for what is no kind of thresholds."""
    _given(kind)


def levels(
    kind: str, document: NDArray[np.int64], score: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The threshold at which each response appears: the highest of its document that it reaches.

    NaN where it reaches none.
    """
    given = _given(kind)
    if given is not None:
        grid = np.array(sorted({-math.inf, *given}))
        found = grid[np.searchsorted(grid, score, "right") - 1]
        return np.where(np.isneginf(found), np.nan, found)
    if kind == "all":
        return score
    if not len(score):
        return score
    hundredths = np.floor(score * 100 + 0.5)
    reached = hundredths - (hundredths / 100 > score)  # out at its own: a lower one, if there is
    low = hundredths.min() - 1
    width = hundredths.max() - low + 1
    known = np.unique(document * width + (hundredths - low))
    at = known[
        np.maximum(np.searchsorted(known, document * width + (reached - low), "right") - 1, 0)
    ]
    found = at - document * width  # outside of 1 to width, it is another document's
    return np.where((found >= 1) & (found <= reached - low), (found + low) / 100, np.nan)


def _rounded(score: float) -> float:
    return math.floor(score * 100 + 0.5) / 100


def _given(kind: str) -> tuple[float, ...] | None:
    """The numbers of a grid, or None where they come from the scores."""
    if kind in GRIDS:
        return GRIDS[kind]
    if kind in KINDS:
        return None
    try:
        numbers = tuple(float(text) for text in kind.split("/"))
    except ValueError:
        numbers = ()
    if not numbers or not all(map(math.isfinite, numbers)):
        raise UsageError(
            f"thresholds are '{kind}', expected {', '.join(KINDS)}, or numbers such as 0.5/0.9"
        )
    return numbers
