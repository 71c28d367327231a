# mypy: ignore-errors
"""krippendorff's side of agreement: alpha on four scales, and of resamples of the units."""

import json

import krippendorff
import numpy as np

from benchmarks.stopwatch import drive


def work(folder):
    """From the matrix of raters x units, NaN where there is no rating."""
    rows = json.loads((folder / "matrix.json").read_text(encoding="utf-8"))
    matrix = np.array(rows, dtype=np.float64)  # null becomes NaN
    numbers = {
        scale: float(krippendorff.alpha(matrix, level_of_measurement=scale))
        for scale in ("nominal", "ordinal", "interval", "ratio")
    }
    draws = np.fromfile(folder / "draws.bin", dtype=np.intc).reshape(-1, matrix.shape[1])
    for n, draw in enumerate(draws):
        value = krippendorff.alpha(matrix[:, draw], level_of_measurement="ordinal")
        numbers[f"resample {n}"] = float(value)
    return numbers


drive(work)
