"""Our side of agreement: alpha on four scales, of given resamples, or with a bootstrap interval."""

import json
import sys
from pathlib import Path

import numpy as np

from benchmarks.stopwatch import drive
from chronoscore.statistics.agreement import SCALES, alpha, resampled
from chronoscore.statistics.ratings import Ratings


def work(folder: Path) -> dict[str, float]:
    """From the long table (unit, rater, value); a resample is a row of weights."""
    table = json.loads((folder / "long.json").read_text(encoding="utf-8"))
    ratings = Ratings.of((unit, rater, value) for unit, rater, value in table)
    numbers: dict[str, float] = {scale: float(alpha(ratings, scale)()) for scale in SCALES}
    if "bootstrap" in sys.argv:
        number = int((folder / "resamples.txt").read_text(encoding="utf-8"))
        [estimate] = resampled([alpha(ratings, "ordinal")], method="bootstrap", resamples=number)
        assert estimate.low < numbers["ordinal"] < estimate.high
        return numbers
    units = len(ratings.units)
    draws = np.fromfile(folder / "draws.bin", dtype=np.intc).reshape(-1, units)
    weights = np.zeros((len(draws), units))
    for row, draw in zip(weights, draws, strict=True):
        row[:] = np.bincount(draw, minlength=units)
    values = alpha(ratings, "ordinal")(weights)
    return numbers | {f"resample {n}": float(value) for n, value in enumerate(values)}


if __name__ == "__main__":
    drive(work)
