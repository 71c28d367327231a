# mypy: ignore-errors
"""scipy's side: one paired permutation test with as many permutations, vectorised."""

import numpy as np

from benchmarks.peers.scipy_shared import f_of_means, swap
from benchmarks.stopwatch import drive

DRAWS = 1000


def work(folder):
    """Counts[system, case, 4] to p; the numbers are the scores."""
    pair = np.load(folder / "counts.npy")[0]
    precision, recall = pair[..., 0] / pair[..., 1], pair[..., 2] / pair[..., 3]
    swap(precision, recall, DRAWS, max(1, 2_000_000 // precision.shape[1]))
    return {
        name: float(f_of_means(precision[place], recall[place]))
        for place, name in enumerate(("one", "two"))
    }


drive(work)
