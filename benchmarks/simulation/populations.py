"""Populations of topics whose true scores are known: drawn once, or counted on real timelines."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.environments import ROOT
from chronoscore.core.case import Case
from chronoscore.core.metric import Metric
from chronoscore.elements.dated.model import Timeline
from chronoscore.families import family
from chronoscore.statistics import Undefined
from chronoscore.statistics.averaging import Rule, finish, phi
from chronoscore.statistics.exact import exact_sum
from chronoscore.statistics.ratios import Array
from chronoscore.timelines.comparison import Setting, compare

POLICY: Undefined = "zero"
SEED = 20
SIZE = 200_000
"""Topics of a population that is drawn: so many that it is as good as endless."""
F1 = 2


@dataclass(frozen=True)
class Score:
    """A score whose intervals are tried: a metric under one average."""

    label: str
    metric: Metric
    rule: Rule
    path: str

    def of(self, rows: Array) -> float:
        """The true value, of all topics of a population."""
        sums = exact_sum(phi(self.metric, rows, self.rule, POLICY, linked=False))
        return float(finish(self.metric, sums, self.rule, POLICY)[F1])


ALIGNED, DATES = (family("timelines").metric(name) for name in ("align+m:1", "date-f1"))
MEAN_PR = "gold+topic:mean-pr>trial:mean-f"
SCORES = (
    Score("micro F", ALIGNED, "sum", "micro"),
    Score("mean-pr F", ALIGNED, "mean-pr", MEAN_PR),
    Score("mean-pr Date-F1", DATES, "mean-pr", MEAN_PR),
)


@dataclass(frozen=True)
class Population:
    """Topics, each with the counts of two systems[topic, system, count] under each metric.

    Runs draw topics with replacement, so that what all its topics score is the true value.
    """

    name: str
    rows: dict[Metric, Array]

    def all(self, score: Score) -> Array:
        """The counts[row, count] of both systems: a row for each vector of real timelines."""
        return self.rows[score.metric].reshape(-1, 4)


def drawn() -> Population:
    """Topics by chance: beta-binomial, with a difficulty that both systems share.

    A topic has sizes (log-normal), and a rate of precision and one of recall around its own
    difficulty; each system's rates vary around the topic's (beta), and its hits around its rates
    (binomial). Long timelines are easier, so that sizes matter. The spread is like that between
    the topics of Crisis and Timeline17.
    """
    source = np.random.default_rng(SEED)
    return Population(
        "beta-binomial",
        {
            ALIGNED: _two_systems(source, (0.10, 0.13), sizes=(1000.0, 700.0), same_hits=False),
            DATES: _two_systems(source, (0.40, 0.45), sizes=(45.0, 40.0), same_hits=True),
        },
    )


def hard() -> list[Population]:
    """Populations that are hard to cover.

    - skewed: sizes are log-normal (sigma 1), scores Beta(0.4, 1.6), so that most topics score near
      0 and a few high.
    - one in six at 0: the topics of `drawn`, of which both systems fail on one in six.
    - heavy-tailed: sizes are Pareto(1.3), whose variance is infinite, and large topics are harder:
      the odds of a hit fall with size to the power of 0.2. A few large topics, which most
      collections lack, decide the pooled score.
    """
    source = np.random.default_rng(SEED + 1)
    shared = source.normal(size=(SIZE, 1))
    skewed = _ordered_as(source.beta(0.4, 1.6, size=(SIZE, 2)), _correlated(source, shared))
    sizes = np.ceil(50 * np.exp(source.normal(size=(SIZE, 1))))
    failed = source.random(size=(SIZE, 1)) < 1 / 6
    failing = {metric: np.array(rows, np.float64) for metric, rows in drawn().rows.items()}
    for rows in failing.values():
        rows[..., [0, 2]] *= ~failed[..., np.newaxis]
    large = 1 + source.pareto(1.3, size=(SIZE, 1))
    harder = 1 / (1 + large**0.2 * np.exp(0.5 * _correlated(source, shared)))
    return [
        Population("skewed", {ALIGNED: _even(skewed, sizes)}),
        Population("one in six at 0", failing),
        Population("heavy-tailed", {ALIGNED: _even(harder, 20 * large)}),
    ]


def _correlated(source: np.random.Generator, shared: Array) -> Array:
    """Normal numbers of two systems, which share half of their variance on each topic."""
    return np.asarray(np.sqrt(0.5) * (shared + source.normal(size=(len(shared), 2))))


def _ordered_as(values: Array, like: Array) -> Array:
    """The values of each column, put in the order of another column."""
    ranks = np.argsort(np.argsort(like, axis=0), axis=0)
    return np.take_along_axis(np.sort(values, axis=0), ranks, axis=0)


def _even(scores: Array, sizes: Array) -> Array:
    """Counts whose precision and recall are both the score, on as much text as the gold has."""
    hits, whole = scores * sizes, np.broadcast_to(sizes, scores.shape)
    return np.stack([hits, whole, hits, whole], axis=-1)


def _two_systems(
    source: np.random.Generator,
    means: tuple[float, float],
    *,
    sizes: tuple[float, float],
    same_hits: bool,
) -> Array:
    large = source.normal(size=(SIZE, 1))
    predicted, gold = (
        np.ceil(size * np.exp(0.6 * (0.7 * large + 0.7 * source.normal(size=(SIZE, 1)))))
        for size in sizes
    )
    ease = 0.4 * source.normal(size=(SIZE, 1)) + 0.1 * large
    precision, recall = (_rates(source, mean, ease) for mean in means)
    found = source.binomial(gold.astype(int), recall)
    if same_hits:
        # What is found is found on both sides: precision is that of the number of wrong ones.
        wrong = source.negative_binomial(np.maximum(found, 1), precision)
        return np.stack([found, found + wrong, found, np.broadcast_to(gold, found.shape)], axis=-1)
    hits = source.binomial(predicted.astype(int), precision)
    shape = hits.shape
    return np.stack(
        [hits, np.broadcast_to(predicted, shape), found, np.broadcast_to(gold, shape)], axis=-1
    ).astype(np.float64)


def _rates(source: np.random.Generator, mean: float, ease: Array) -> Array:
    """Rates of two systems on each topic: beta-distributed around the topic's own."""
    middle = 1 / (1 + (1 - mean) / mean * np.exp(-ease))
    strength = 60
    around = np.broadcast_to(middle, (len(ease), 2))
    return np.clip(source.beta(strength * around, strength * (1 - around)), 1e-3, 1 - 1e-3)


def real() -> list[Population]:
    """The counts of two published systems on Crisis and on Timeline17, where they are here."""
    home = Path(os.environ.get("CHRONOSCORE_VECTORS", ROOT.parent / "shared" / "vectors"))
    found = []
    for name in ("crisis", "timeline17"):
        path = home / "real" / "timelines" / f"{name}.json"
        if path.exists():
            found.append(_counted(name, json.loads(path.read_text(encoding="utf-8"))))
    return found


def _counted(name: str, vectors: Sequence[dict[str, Any]]) -> Population:
    """Each gold with the output of two systems is a topic here: the two are vectors of a name."""
    by_gold: dict[str, dict[str, dict[str, Any]]] = {}
    for vector in vectors:
        gold, _, system = vector["name"].rpartition("_")
        by_gold.setdefault(gold, {})[system] = vector
    rows: dict[Metric, list[list[tuple[float, ...]]]] = {ALIGNED: [], DATES: []}
    for _, systems in sorted(by_gold.items()):
        compared = [_compared(vector) for _, vector in sorted(systems.items())]
        for metric, counted in rows.items():
            counted.append([metric.measure(each).statistics for each in compared])
    return Population(name, {metric: np.array(each, float) for metric, each in rows.items()})


def _compared(vector: dict[str, Any]) -> Any:
    golds = tuple(_timeline(reference) for reference in vector["references"])
    return compare(Case(vector["name"], golds, _timeline(vector["predicted"])), Setting("rouge155"))


def _timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline.of({date.fromisoformat(day): texts for day, texts in days.items()})
