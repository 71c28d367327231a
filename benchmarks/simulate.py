"""`python -m benchmarks.simulate [--runs N] [--quick] [--record]`: do intervals cover?

Draws thousands of small collections from populations whose true scores are known, and counts how
often Chronoscore's intervals hold the true score and how often its tests reject. A full run is
compared with the recorded one, from which the tables of the documentation are written.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import isnan

from benchmarks.simulation.batches import (
    Batch,
    bootstrap,
    by_effective,
    coverage,
    differs,
    plain_jackknife,
    rejected,
)
from benchmarks.simulation.populations import SCORES, Population, Score, drawn, hard, real
from benchmarks.simulation.record import Shares, load, markdown, save
from chronoscore.reports.intervals import FEW
from chronoscore.statistics.intervals import Bounds, interval
from chronoscore.statistics.significance import paired_bootstrap, permutation_test

RUNS, QUICK = 5_000, 100
FEWER = 5
"""By how much runs are fewer where each of them resamples, which takes longest."""
RESAMPLES = 1_000
"""Of the bootstrap here; Chronoscore makes 10,000."""
DRAWS = 999
"""Of the permutation test above 12 topics, and of the paired bootstrap."""
SIZES = (2, 3, 4, 5, 6, 9, 15, 20, 30, 50)
RESAMPLED = (4, 6, 9, 15, 20, 30, 50)
TESTED = (4, 6, 9, 15, 30)
WEIGHED = (9, 20, 50)
"""Topics of the table by n_eff."""
GAINS = (0.01, 0.02, 0.03, 0.05, 0.08, 0.10)
GAINED = 9
"""Topics of the table of power."""

Cell = tuple[Population, Score]


METHODS: dict[str, tuple[Callable[[Batch], Bounds], tuple[int, ...]]] = {
    "auto": (lambda sample: interval(sample, sample.estimate()), SIZES),
    "logit": (lambda sample: interval(sample, sample.estimate(), method="logit"), SIZES),
    "jackknife with n - 1 degrees of freedom": (plain_jackknife, SIZES),
    "bootstrap": (lambda sample: bootstrap(sample, RESAMPLES), RESAMPLED),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table; 1 if a full run is not what is recorded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate", description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each cell, {RUNS} by default")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} runs of each cell")
    parser.add_argument("--record", action="store_true", help="keep a full run for the docs")
    chosen = parser.parse_args(arguments)
    runs = QUICK if chosen.quick else chosen.runs
    populations = [drawn(), *real(), *hard()]
    complete = len(real()) == 2
    if not complete:
        print("Real timelines are not here, and are left out (set CHRONOSCORE_VECTORS).\n")
    cells = [
        (population, score)
        for population in populations
        for score in SCORES
        if score.metric in population.rows
    ]
    _check(populations[0], 5)
    tables = {
        **_intervals(cells, runs),
        "n_eff": _effective(cells, runs),
        **_tests(cells, max(runs // FEWER, 1)),
    }
    print(f"{time.process_time():.0f} s of CPU time.")
    if runs < RUNS or not complete:
        print(f"Too little to compare with the record: it takes {RUNS:,} runs of all populations.")
        return 0
    if chosen.record:
        save(tables)
        print("Recorded: run `make reference` to write the tables of the documentation.")
        return 0
    recorded = load()
    apart = [line for name, table in tables.items() for line in table.apart(recorded[name])]
    for line in apart:
        print(f"not as recorded: {line}")
    return 1 if apart else 0


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


def _intervals(cells: Sequence[Cell], runs: int) -> dict[str, Shares]:
    tables = {}
    for name, (bounds, sizes) in METHODS.items():
        own = max(runs // FEWER, 1) if name == "bootstrap" else runs
        found = {
            _name(population, score): [
                coverage(population.all(score), score, n, own, bounds) for n in sizes
            ]
            for population, score in cells
        }
        columns = tuple(map(str, sizes))
        shares, widths = (
            {cell: [pair[at] for pair in pairs] for cell, pairs in found.items()} for at in (0, 1)
        )
        title = f"Share of nominal 95 % intervals that hold the true score, {name}, by topics"
        tables[name] = Shares(title, own, columns, shares)
        _print(title, tables[name].lines())
        _print(f"Mean width of these intervals, {name}", markdown(columns, widths))
    return tables


def _effective(cells: Sequence[Cell], runs: int) -> Shares:
    columns = [f"{n}: {what}" for n in WEIGHED for what in ("n_eff < 6", "covers", "else covers")]
    found = {
        _name(population, score): [
            by_effective(population.all(score), score, n, runs, FEW) for n in WEIGHED
        ]
        for population, score in cells
        if score.rule == "sum"
    }
    parts = [
        round(part * runs)
        for row in found.values()
        for few, below, above in row
        for part, covered in ((few, below), (1 - few, above))
        if not isnan(covered)
    ]
    table = Shares(
        "Share of `auto` intervals that hold, by topics and n_eff",
        runs,
        tuple(columns),
        {name: [share for shares in row for share in shares] for name, row in found.items()},
        fewest=min(parts, default=0),
    )
    _print(table.title, table.lines())
    return table


def _tests(cells: Sequence[Cell], runs: int) -> dict[str, Shares]:
    tests = {
        "permutation": partial(permutation_test, draws=DRAWS),
        "paired bootstrap": partial(paired_bootstrap, draws=DRAWS),
    }
    tables = {
        name: Shares(
            f"Equal systems called different at 0.05, {name} test, by topics",
            runs,
            tuple(map(str, TESTED)),
            {_name(*cell): [rejected(*cell, n, runs, test) for n in TESTED] for cell in cells},
        )
        for name, test in tests.items()
    }
    tables["power"] = Shares(
        f"Different systems called different at 0.05, {GAINED} topics, by gain in P and R",
        runs,
        tuple(f"{gain:.2f}" for gain in GAINS),
        {
            _name(*cell): [
                rejected(*cell, GAINED, runs, tests["permutation"], gain) for gain in GAINS
            ]
            for cell in cells
        },
    )
    for table in tables.values():
        _print(table.title, table.lines())
    return tables


def _name(population: Population, score: Score) -> str:
    return f"{population.name}, {score.label}"


def _print(title: str, lines: Sequence[str]) -> None:
    print(f"**{title}**\n")
    print("\n".join(lines), end="\n\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
