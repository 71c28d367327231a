"""Resampling: scipy's own bootstrap and permutation test; and we alone on a million cases."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.frame import Bench, Comparison, Cost, Group, Row, Scale, growth, start

SEED = 5
METRICS = 10
CASES: dict[Scale, int] = {"tiny": 8, "quick": 100, "full": 500}
SWAPPED: dict[Scale, int] = {"tiny": 20, "quick": 5_000, "full": 50_000}
MANY: dict[Scale, int] = {"tiny": 200, "quick": 10_000, "full": 1_000_000}

ENDING = ".chronoscore"
"""Of saved results, which names their encoding."""


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


def _many(bench: Bench, what: str, cases: int, topics: int) -> Cost:
    arguments = (what, str(cases), str(topics), ENDING)
    return bench.drive_ours("statistics_many.py", bench.folder("many"), arguments)


def alone(bench: Bench) -> Iterator[Row]:
    """What no peer is measured on: summaries of a million cases, three metrics."""
    cases = MANY[bench.scale]
    for what, topics, text in (
        ("summarise", cases, "averages, intervals and a breakdown by ten kinds"),
        ("compare", cases, "two systems compared"),
        ("compare", cases // 1000 or 20, "two systems compared"),
    ):
        label = f"{text}, 3 metrics, {cases:,} cases in {topics:,} units"
        cost = _many(bench, what, cases, topics)
        yield Row(label, "none", cost, remark="the process makes the data, too")


def saved_results(bench: Bench) -> Iterator[Row]:
    """Results of two systems: written, one of them loaded, and both compared by the command."""
    cases = MANY[bench.scale]
    folder = bench.folder("many")
    text = f"result of {cases:,} rows, 3 metrics, {ENDING}"
    made = _many(bench, "save", cases, cases)
    paths = [folder / f"{name}{ENDING}" for name in ("one", "two")]
    size = f"{paths[0].stat().st_size / 1e6:,.0f} MB each; the process makes the data, too"
    yield Row(f"two saved, each a {text}", "none", made, remark=size)
    loaded = _many(bench, "load", cases, cases)
    yield Row(f"chronoscore.load of a {text}", "none", loaded, remark="bar: 3 s at 1,000,000")
    command = [str(bench.own_python()), "-m", "chronoscore", "compare", *map(str, paths)]
    compared = start(command, bench.repeats)
    bar = "bar: 20 s of the process at 1,000,000"
    yield Row(f"chronoscore compare of two, each a {text}", "none", compared, remark=bar)
    shutil.rmtree(folder)


def growth_in_cases(bench: Bench) -> Iterator[Row]:
    """Summaries of more and more cases, each a unit."""
    most = MANY[bench.scale]
    sizes = (most // 4, most // 2, most)
    yield growth(
        "averages, intervals and a breakdown",
        "cases",
        sizes,
        lambda cases: _many(bench, "summarise", cases, cases),
    )


GROUP = Group(
    "statistics",
    "intervals and paired tests against scipy; a million cases; saved results",
    COMPARISONS,
    (alone, growth_in_cases, saved_results),
)
