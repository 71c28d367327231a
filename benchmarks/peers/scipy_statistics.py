# mypy: ignore-errors
"""scipy's side of resampling: a bootstrap interval of each system and a paired permutation test."""

import numpy as np
from scipy.stats import bootstrap

from benchmarks.peers.scipy_shared import f_of_means, swap
from benchmarks.stopwatch import drive


def work(folder):
    """All metrics, 10,000 resamples and permutations each, vectorised as scipy offers it."""
    numbers = {}
    for number, pair in enumerate(np.load(folder / "counts.npy")):
        precision, recall = pair[..., 0] / pair[..., 1], pair[..., 2] / pair[..., 3]
        for place, label in ((0, "one"), (1, "two")):
            rows = (precision[place], recall[place])
            bootstrap(
                rows,
                f_of_means,
                paired=True,
                vectorized=True,
                n_resamples=10_000,
                batch=500,
                method="percentile",
                rng=0,
            )
            numbers[f"{number} {label}"] = float(f_of_means(*rows))
        swap(precision, recall, 10_000, 500)
    return numbers


drive(work)
