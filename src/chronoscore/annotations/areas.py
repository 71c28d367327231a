"""What a whole curve over thresholds is worth: average precision and areas.

Points are (responses, correct ones) from the highest threshold down. A lower threshold can lose a
correct pair, since responses are matched anew; what is lost is then taken off again.
"""

import numpy as np

from chronoscore.annotations.model import COUNTERS
from chronoscore.elements.ratios import Array

_KINDS = ("average_precision", "area", "eleven_point", "roc_area")
AREAS = tuple(f"{how}_{kind}" for how in ("strict", "lenient") for kind in _KINDS)


def areas(statistics: Array) -> Array:
    """The areas of a curve from its counters[t, k], strict and lenient; NaN where undefined."""
    column = {name: statistics[:, place] for place, name in enumerate(COUNTERS)}
    strict = column["correct_strict"]
    found = []
    for correct in (strict, strict + column["correct_partial"]):
        targets = float(column["targets"][0]) if len(correct) else 0.0
        found += [
            average_precision(column["responses"], correct, targets),
            area(column["responses"], correct, targets),
            eleven_point(column["responses"], correct, targets),
            roc_area(column["responses"], correct),
        ]
    return np.array(found)


def average_precision(responses: Array, correct: Array, targets: float) -> float:
    """Precision at each point, weighted by the recall it adds.

    >>> average_precision(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0]), 2)
    0.75
    """
    seen = responses > 0
    if not targets or not seen.any():
        return np.nan if not targets else 0.0
    gained = np.diff(correct[seen], prepend=0.0)
    return float((gained * correct[seen] / responses[seen]).sum() / targets)


def area(responses: Array, correct: Array, targets: float) -> float:
    """The area under precision over recall, without drawing straight lines between points.

    From one point to the next the wrong responses grow in proportion to the correct ones (Davis and
    Goadrich 2006), so that precision is ``x / (a·x + b)`` for x correct ones. The area has a closed
    form, ``x/a - b/a²·ln(a·x + b)``. Before the first point, precision is that of the first point.

    >>> round(area(np.array([1.0, 4.0]), np.array([1.0, 2.0]), 2), 4)  # a straight line: 0.875
    0.8207
    """
    if not targets:
        return np.nan
    x = np.concatenate([[0.0], correct])
    n = np.concatenate([[0.0], responses])
    moved = np.diff(x) != 0
    x0, x1, n0, n1 = x[:-1][moved], x[1:][moved], n[:-1][moved], n[1:][moved]
    slope = (n1 - n0) / (x1 - x0)
    start = n0 - slope * x0
    through_origin = np.isclose(start, 0.0)
    flat = np.isclose(slope, 0.0)
    a = np.where(flat, 1.0, slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = (x1 - x0) / a - start / a**2 * (np.log(n1) - np.log(n0))
        level = (x1**2 - x0**2) / (2 * start)
    parts = np.where(through_origin, (x1 - x0) / a, np.where(flat, level, curved))
    return float(parts.sum() / targets)


def eleven_point(responses: Array, correct: Array, targets: float) -> float:
    """The mean of the highest precision at a recall of at least 0, 0.1, ... 1."""
    if not targets:
        return np.nan
    seen = responses > 0
    precision, recall = correct[seen] / responses[seen], correct[seen] / targets
    reached = (precision[recall >= level - 1e-12] for level in np.arange(11) / 10)
    return float(np.mean([one.max(initial=0.0) for one in reached]))


def roc_area(responses: Array, correct: Array) -> float:
    """The area under the ROC curve of scored responses: the correct ones against the others.

    Undefined if all responses are of one kind. A target that is not found has no score, and so this
    says how well scores sort the responses, not how many targets are found.
    """
    wrong = responses - correct
    if not len(responses) or not correct[-1] or not wrong[-1]:
        return np.nan
    up = np.concatenate([[0.0], correct / correct[-1]])
    along = np.concatenate([[0.0], wrong / wrong[-1]])
    return float(np.trapezoid(up, along))
