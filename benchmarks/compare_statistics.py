"""Resampling: scipy's own bootstrap and permutation test doing the same."""

from pathlib import Path

import numpy as np

from benchmarks.frame import Comparison, Scale, group

SEED = 5
METRICS = 10
CASES: dict[Scale, int] = {"tiny": 8, "quick": 100, "full": 500}


def systems(folder: Path, scale: Scale) -> str:
    """Counts of two systems on the same cases for ten metrics."""
    _write(folder / "trial", 14)
    _write(folder, CASES[scale])
    return f"{METRICS} metrics, {CASES[scale]} cases, 10,000 resamples and 10,000 permutations"


def _write(folder: Path, cases: int) -> None:
    source = np.random.default_rng(SEED)
    gold = source.integers(5, 50, (METRICS, 1, cases)).repeat(2, axis=1)
    predicted = source.integers(5, 50, (METRICS, 2, cases))
    hits = source.binomial(np.minimum(gold, predicted), 0.4)
    folder.mkdir(parents=True, exist_ok=True)
    counts = np.stack([hits, predicted, hits, gold], axis=-1).astype(np.float64)
    np.save(folder / "counts.npy", counts)


GROUP = group(
    "statistics",
    "intervals and paired tests of F of mean P and mean R, against scipy",
    Comparison(
        what="F of mean P and mean R",
        make=systems,
        ours="statistics.py",
        theirs="scipy_statistics.py",
        peer="scipy",
        label="scipy.stats.bootstrap and permutation_test",
        note="the scores; what is drawn differs with the generator",
    ),
)
