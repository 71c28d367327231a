"""`python -m benchmarks.simulate_judge [--runs N]`: do corrected means of a biased judge cover?

Draws items that a judge model and, for a sample, people have judged, from populations whose true
mean is known, and counts how often each nominal 95 % interval holds it: the judge's own mean of
everything, people alone, PPI++ and, for 0/1, Rogan and Gladen's correction. Then the same for the
difference of two systems, and for items that come in articles.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from chronoscore.statistics.calibration import (
    Corrected,
    LabelledSample,
    mean,
    ppi_difference,
    ppi_mean,
    rogan_gladen,
)
from chronoscore.statistics.ratios import Array

RUNS = 1_000
LABELS = (20, 50, 100, 200)
OTHERS = 900
BAR, AT = 0.92, 100
"""What PPI++ should cover at the least, and at how many labels."""
_STEPS = 48
Draw = Callable[[np.random.Generator, int], tuple[Array, Array]]


@dataclass(frozen=True)
class Population:
    """Where items come from: people's values and the judge's, and the true mean of the former."""

    name: str
    draw: Draw
    truth: float
    binary: bool


def generous(generator: np.random.Generator, items: int) -> tuple[Array, Array]:
    """A 0/1 criterion: the judge finds nearly all 1, and takes four in ten 0 for 1."""
    people = generator.random(items) < 0.6
    judge = generator.random(items) < np.where(people, 0.95, 0.4)
    return people.astype(float), judge.astype(float)


def severe(generator: np.random.Generator, items: int) -> tuple[Array, Array]:
    """A 0/1 criterion with many 1: the judge misses one in five."""
    people = generator.random(items) < 0.85
    judge = generator.random(items) < np.where(people, 0.8, 0.1)
    return people.astype(float), judge.astype(float)


def graded(generator: np.random.Generator, items: int) -> tuple[Array, Array]:
    """A score in 48ths: the judge's is higher, and nearer to its mean."""
    people = np.round(generator.beta(2, 1.5, items) * _STEPS) / _STEPS
    noisy = 0.35 + 0.6 * people + generator.normal(0, 0.12, items)
    return people, np.round(np.clip(noisy, 0, 1) * _STEPS) / _STEPS


POPULATIONS = (
    Population("0/1, generous judge", generous, 0.6, binary=True),
    Population("0/1, severe judge", severe, 0.85, binary=True),
    Population("score, generous judge", graded, 2 / 3.5, binary=False),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every table; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate_judge")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each cell, {RUNS} by default")
    runs = parser.parse_args(arguments).runs
    generator = np.random.default_rng(0)
    missed = _means(generator, runs)
    _differences(generator, runs)
    _articles(generator, runs)
    print(f"{time.process_time():.0f} s of CPU time.")
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


def _sample(
    generator: np.random.Generator, draw: Draw, labels: int
) -> tuple[LabelledSample, Array]:
    people, judge = draw(generator, labels + OTHERS)
    return LabelledSample(people[:labels], judge[:labels], judge[labels:]), judge


def _means(generator: np.random.Generator, runs: int) -> list[str]:
    rows, missed = [], []
    for one in POPULATIONS:
        for labels in LABELS:
            held: dict[str, list[tuple[bool, float]]] = {}
            for _ in range(runs):
                sample, judge = _sample(generator, one.draw, labels)
                found = {
                    "judge": mean(judge),
                    "people": mean(sample.people),
                    "PPI++": ppi_mean(sample),
                }
                if one.binary:
                    found["Rogan-Gladen"] = rogan_gladen(sample)
                for name, bounds in found.items():
                    held.setdefault(name, []).append(_holds(bounds, one.truth))
            rows.append([one.name, str(labels), *(_told(held.get(n)) for n in _METHODS)])
            share = np.mean([hit for hit, _ in held["PPI++"]])
            if labels == AT and share < BAR:
                missed.append(f"{one.name}, {labels} labels: PPI++ covers {share:.3f}, bar {BAR}")
    _print(f"Coverage (mean width) of nominal 95 % intervals of a mean, {OTHERS} items unlabelled",
           ["population", "labels", *_METHODS], rows)  # fmt: skip
    return missed


_METHODS = ("judge", "people", "PPI++", "Rogan-Gladen")


def _differences(generator: np.random.Generator, runs: int) -> None:
    """Two equal systems; the judge is generous to one and severe to the other."""

    def favoured(generator: np.random.Generator, items: int) -> tuple[Array, Array]:
        people = generator.random(items) < 0.6
        judge = generator.random(items) < np.where(people, 0.98, 0.55)
        return people.astype(float), judge.astype(float)

    rows = []
    for labels in LABELS:
        held: dict[str, list[tuple[bool, float]]] = {"judge": [], "PPI++": []}
        for _ in range(runs):
            one, first = _sample(generator, favoured, labels)
            two, second = _sample(generator, generous, labels)
            alone = ppi_difference(_people(first), _people(second))
            held["judge"].append(_holds(alone, 0.0))
            held["PPI++"].append(_holds(ppi_difference(one, two), 0.0))
        rows.append([str(labels), *(_told(held[n]) for n in ("judge", "PPI++"))])
    _print("The same of the difference of two equal systems, one of which the judge favours",
           ["labels of each", "judge", "PPI++"], rows)  # fmt: skip


def _people(values: Array) -> LabelledSample:
    return LabelledSample(values, np.zeros(len(values)), np.empty(0))


def _articles(generator: np.random.Generator, runs: int) -> None:
    """Items come in articles of five that are good or bad as a whole; articles are labelled."""
    rows = []
    for articles in (10, 20, 40):
        held: dict[str, list[tuple[bool, float]]] = {"items": [], "articles": []}
        for _ in range(runs):
            level = generator.normal(0, 1, articles * 10)
            quality = np.repeat(level, 5) + generator.normal(0, 1, articles * 50)
            people = (quality > 0).astype(float)
            judge = (quality + generator.normal(0.7, 1, len(quality)) > 0).astype(float)
            names = [str(at // 5) for at in range(len(quality))]
            cut = articles * 5
            columns = (people[:cut], judge[:cut], judge[cut:])
            held["items"].append(_holds(ppi_mean(LabelledSample(*columns)), 0.5))
            clustered = LabelledSample(*columns, (names[:cut], names[cut:]))
            held["articles"].append(_holds(ppi_mean(clustered), 0.5))
        rows.append([str(articles), *(_told(held[n]) for n in ("items", "articles"))])
    _print("PPI++ where one article of five items in ten is labelled, by unit of the error",
           ["labelled articles", "items", "articles"], rows)  # fmt: skip


def _holds(found: Corrected, truth: float) -> tuple[bool, float]:
    return found.low <= truth <= found.high, found.high - found.low


def _told(held: Sequence[tuple[bool, float]] | None) -> str:
    if not held:
        return ""
    hits, widths = zip(*held, strict=True)
    return f"{np.mean(hits):.3f} ({np.nanmean(widths):.2f})"


def _print(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [header, ["---"] * len(header), *rows]
    print(f"**{title}**\n")
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), end="\n\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
