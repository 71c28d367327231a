"""`python -m benchmarks.simulate [--runs N] [--quick]`: do intervals cover, do tests hold?

Draws thousands of small collections from populations whose true scores are known, and counts how
often Chronoscore's intervals hold the true score and how often its tests reject.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from benchmarks.simulation.batches import (
    Batch,
    bootstrap,
    coverage,
    differs,
    plain_jackknife,
    rejected,
)
from benchmarks.simulation.populations import SCORES, Population, Score, drawn, real
from chronoscore.statistics.intervals import Bounds, interval
from chronoscore.statistics.significance import paired_bootstrap, permutation_test

RUNS, QUICK = 5_000, 500
RESAMPLES = 1_000
"""Of the bootstrap here; Chronoscore makes 10,000."""
DRAWS = 999
"""Of the permutation test above 12 topics, and of the paired bootstrap."""
FEW, MANY = (2, 3, 4, 5), (4, 6, 9, 15, 30, 50)
TESTED = (4, 6, 9, 15, 30)
GAINS = (0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.10)
BARS = {4: 0.88, 9: 0.92, 15: 0.93, 30: 0.93, 50: 0.93}
"""What `auto` should cover at the least, by the number of topics."""
SIZE_BAR = 0.06

Cell = tuple[Population, Score]


METHODS: dict[str, Callable[[Batch], Bounds]] = {
    "auto": lambda sample: interval(sample, sample.estimate()),
    "jackknife with n - 1 degrees of freedom": plain_jackknife,
    "bootstrap": lambda sample: bootstrap(sample, RESAMPLES),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each cell, {RUNS} by default")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} runs, a few seconds")
    chosen = parser.parse_args(arguments)
    runs = QUICK if chosen.quick else chosen.runs
    populations = [drawn(), *real()]
    if len(populations) == 1:
        print("Real timelines are not here, and are left out (set CHRONOSCORE_VECTORS).\n")
    cells = [(population, score) for population in populations for score in SCORES]
    _check(populations[-1], 5)
    missed = _intervals(cells, runs)
    missed += _tests(cells, runs)
    _power(cells, runs)
    print(f"{time.process_time():.0f} s of CPU time.")
    if runs < RUNS:
        print(f"Too few runs to hold against the bars: it takes {RUNS:,}.")
        return 0
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _check(population: Population, runs: int) -> None:
    farthest = max(
        differs(population, score, number, runs, DRAWS)
        for score in SCORES
        for number in (4, 15, 31)
    )
    print(
        "Runs go through Chronoscore's own functions, many at once. On "
        f"{3 * runs * len(SCORES)} of them bounds and p-values were computed one by one too: they "
        f"differ by {farthest:.0e} at most.\n"
    )
    if farthest > 1e-12:
        raise SystemExit("batches are not what Chronoscore computes")


def _intervals(cells: Sequence[Cell], runs: int) -> list[str]:
    missed = []
    for name, bounds in METHODS.items():
        sizes = sorted({*FEW, *MANY}) if name != "bootstrap" else MANY
        rows, widths = [], []
        for population, score in cells:
            found = {n: coverage(population.all(score), score, n, runs, bounds) for n in sizes}
            start = (population.name, score.label)
            rows.append([*start, *(f"{share:.3f}" for share, _ in found.values())])
            widths.append([*start, *(f"{wide:.2f}" for _, wide in found.values())])
            if name == "auto":
                missed += [
                    f"{population.name}, {score.label}, {n} topics: covers {found[n][0]:.3f}, "
                    f"bar {bar}"
                    for n, bar in BARS.items()
                    if found[n][0] < bar
                ]
        header = ["population", "score", *map(str, sizes)]
        _print(
            f"Coverage of nominal 95 % intervals, {name}, by topics ({runs:,} runs)", header, rows
        )
        _print(f"Mean width of these intervals, {name}", header, widths)
    return missed


def _tests(cells: Sequence[Cell], runs: int) -> list[str]:
    missed = []
    tests = {
        "paired permutation": partial(permutation_test, draws=DRAWS),
        "paired bootstrap": partial(paired_bootstrap, draws=DRAWS),
    }
    for name, test in tests.items():
        rows = []
        for population, score in cells:
            found = {n: rejected(population, score, n, runs, test) for n in TESTED}
            rows.append([population.name, score.label, *(f"{x:.3f}" for x in found.values())])
            if name == "paired permutation":
                missed += [
                    f"{population.name}, {score.label}, {n} topics: {name} rejects {share:.3f} of "
                    f"equal systems, bar {SIZE_BAR}"
                    for n, share in found.items()
                    if share > SIZE_BAR
                ]
        header = ["population", "score", *map(str, TESTED)]
        _print(f"Equal systems called different at 0.05, {name}, by topics", header, rows)
    return missed


def _power(cells: Sequence[Cell], runs: int) -> None:
    test = partial(permutation_test, draws=DRAWS)
    rows = [
        [
            population.name,
            score.label,
            *(
                f"{rejected(population, score, 9, max(runs // 5, 1), test, gain):.2f}"
                for gain in GAINS
            ),
        ]
        for population, score in cells
    ]
    header = ["population", "score", *(f"{gain:.2f}" for gain in GAINS)]
    _print("Different systems called different at 0.05, 9 topics, by gain in P and R", header, rows)


def _print(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [header, ["---"] * len(header), *rows]
    print(f"**{title}**\n")
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), end="\n\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
