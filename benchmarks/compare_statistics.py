"""Resampling: scipy's own bootstrap and permutation test; and we alone on a million cases."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.environments import MissingError
from benchmarks.frame import Bench, Comparison, FailedError, Group, Row, Scale, compare

SEED = 5
METRICS = 10
CASES: dict[Scale, int] = {"tiny": 8, "quick": 100, "full": 500}
SWAPPED: dict[Scale, int] = {"tiny": 20, "quick": 5_000, "full": 50_000}
MANY: dict[Scale, int] = {"tiny": 200, "quick": 50_000, "full": 1_000_000}


def systems(folder: Path, scale: Scale) -> str:
    """Counts of two systems on the same cases for ten metrics."""
    _write(folder / "trial", 14)
    _write(folder, CASES[scale])
    return f"{METRICS} metrics, {CASES[scale]} cases, 10,000 resamples and 10,000 permutations"


def swaps(folder: Path, scale: Scale) -> str:
    """Counts of two systems on very many cases for one metric."""
    _write(folder / "trial", 14, metrics=1)
    _write(folder, SWAPPED[scale], metrics=1)
    return f"{SWAPPED[scale]:,} cases, 1,000 permutations"


def _write(folder: Path, cases: int, metrics: int = METRICS) -> None:
    source = np.random.default_rng(SEED)
    gold = source.integers(5, 50, (metrics, 1, cases)).repeat(2, axis=1)
    predicted = source.integers(5, 50, (metrics, 2, cases))
    hits = source.binomial(np.minimum(gold, predicted), 0.4)
    folder.mkdir(parents=True, exist_ok=True)
    counts = np.stack([hits, predicted, hits, gold], axis=-1).astype(np.float64)
    np.save(folder / "counts.npy", counts)


COMPARISONS = (
    Comparison(
        what="F of mean P and mean R",
        make=systems,
        ours="statistics.py",
        theirs="scipy_statistics.py",
        peer="scipy",
        label="scipy.stats.bootstrap and permutation_test",
        note="the scores; what is drawn differs with the generator",
    ),
    Comparison(
        what="one paired test",
        make=swaps,
        ours="statistics_swaps.py",
        theirs="scipy_swaps.py",
        peer="scipy",
        label="scipy.stats.permutation_test",
        note="the scores; what is drawn differs with the generator",
    ),
)


def alone(bench: Bench) -> Iterator[Row]:
    """What no peer is measured on: summaries of a million cases, three metrics."""
    cases = MANY[bench.scale]
    wanted = (
        ("summarise", cases, "averages, intervals and a breakdown by ten kinds"),
        ("compare", cases, "two systems compared"),
        ("compare", cases // 1000 or 20, "two systems compared"),
        ("saved", cases, "two systems saved as JSON, loaded and compared"),
    )
    for what, topics, told in wanted:
        label = f"{told}, 3 metrics, {cases:,} cases in {topics:,} units"
        try:
            arguments = (what, str(cases), str(topics))
            ours = bench.drive_ours("statistics_many.py", bench.folder("nothing"), arguments)
        except (FailedError, MissingError) as error:
            yield Row(label, "–", remark=f"our side failed: {error}", wrong=True)
        else:
            yield Row(label, "–", ours, remark="we alone; the process makes the data, too")


def _rows(bench: Bench) -> Iterator[Row]:
    yield from (compare(comparison, bench) for comparison in COMPARISONS)
    yield from alone(bench)


GROUP = Group(
    "statistics",
    "intervals and paired tests against scipy; summaries of a million cases",
    _rows,
    COMPARISONS,
)
