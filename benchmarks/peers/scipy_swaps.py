# mypy: ignore-errors
"""scipy's side: one paired permutation test with as many permutations, vectorised."""

import numpy as np
from scipy.stats import permutation_test

from benchmarks.stopwatch import drive

DRAWS = 1000


def f_of_means(precision, recall, axis=-1):
    """F of mean P and mean R, over any leading axes."""
    p, r = precision.mean(axis=axis), recall.mean(axis=axis)
    return 2 * p * r / (p + r)


def work(folder):
    """Counts[system, case, 4] to p; the numbers are the scores."""
    pair = np.load(folder / "counts.npy")[0]
    precision, recall = pair[..., 0] / pair[..., 1], pair[..., 2] / pair[..., 3]
    flat_p, flat_r = precision.ravel(), recall.ravel()

    def difference(one, two, axis=-1):
        """Indices of the two systems' cases, since scipy swaps single numbers only."""
        first, second = one.astype(int), two.astype(int)
        return f_of_means(flat_p[first], flat_r[first], axis) - f_of_means(
            flat_p[second], flat_r[second], axis
        )

    cases = precision.shape[1]
    permutation_test(
        (np.arange(cases, dtype=float), np.arange(cases, 2 * cases, dtype=float)),
        difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=DRAWS,
        batch=max(1, 2_000_000 // cases),
        rng=0,
    )
    return {
        name: float(f_of_means(precision[place], recall[place]))
        for place, name in enumerate(("one", "two"))
    }


drive(work)
