# mypy: ignore-errors
"""What both of scipy's sides do: F of means, and a paired permutation test of it."""

import numpy as np
from scipy.stats import permutation_test


def f_of_means(precision, recall, axis=-1):
    """F of mean P and mean R, over any leading axes."""
    p, r = precision.mean(axis=axis), recall.mean(axis=axis)
    return 2 * p * r / (p + r)


def swap(precision, recall, draws, batch):
    """Test the difference of two systems, whose cases are in rows."""
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
        n_resamples=draws,
        batch=batch,
        rng=0,
    )
