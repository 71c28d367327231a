# mypy: ignore-errors
"""scipy's side of resampling: a bootstrap interval of each system and a paired permutation test."""

import numpy as np
from scipy.stats import bootstrap, permutation_test

from benchmarks.stopwatch import drive


def f_of_means(precision, recall, axis=-1):
    """F of mean P and mean R, over any leading axes."""
    p, r = precision.mean(axis=axis), recall.mean(axis=axis)
    return 2 * p * r / (p + r)


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

        def difference(one, two, axis=-1, p=precision, r=recall):
            """Indices of the two systems' cases, since scipy swaps single numbers only."""
            flat_p, flat_r = p.ravel(), r.ravel()
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
            n_resamples=10_000,
            batch=500,
            rng=0,
        )
    return numbers


drive(work)
