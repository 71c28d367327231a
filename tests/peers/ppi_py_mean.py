"""ppi_py: the prediction-powered mean with its interval, as `calibrate` computes it."""

from collections.abc import Iterator
from math import isnan
from typing import NamedTuple

import numpy as np
from peers.comparing import Chance, Check, Comparison, Raised, outcome
from ppi_py import classical_mean_ci, ppi_mean_ci, ppi_mean_pointestimate

from chronoscore.statistics.calibration import LabelledSample, mean, ppi_mean
from chronoscore.statistics.ratios import Array

TOLERANCE = 1e-12
CONSTANT = (
    "is undefined where the judge gives every item the same value; we then use people alone, whose "
    "mean and classical interval this is"
)
ONE_LABEL = "gives an interval from one labelled item, where we give none"
LEVELS = (0.8, 0.9, 0.95, 0.99)
NAMES = ("mean", "lower bound", "upper bound")


class Given(NamedTuple):
    """Values of labelled items by people and the judge, of others by the judge, and options."""

    people: Array
    judge: Array
    others: Array
    weight: float | None
    level: float


def draw(chance: Chance) -> Given:
    """Binary, whole or real values; judges that are good, useless, contrary or constant."""
    n, others = int(chance.integers(1, 40)), int(chance.integers(1, 120))
    truth = chance.normal(size=n + others) + chance.choice([0.0, 5.0])
    judge = chance.choice([1.0, 1.0, 0.2, 0.0, -1.0]) * truth
    judge = judge + chance.choice([0.1, 1.0]) * chance.normal(size=n + others)
    kind = chance.integers(4)
    if kind == 0:
        truth, judge = (truth > truth.mean()) * 1.0, (judge > judge.mean()) * 1.0
    elif kind == 1:
        truth, judge = np.round(truth), np.round(judge)
    elif kind == 2 and chance.random() < 0.3:
        judge = np.full(n + others, 3.0)
    weight = [None, None, 0.0, 1.0, float(chance.random())][chance.integers(5)]
    level = float(chance.choice(LEVELS))
    return Given(truth[:n], judge[:n], judge[n:], weight, level)


def compare(given: Given) -> Iterator[Comparison]:
    people, judge, others, weight, level = given
    found = ppi_mean(LabelledSample(people, judge, others), weight=weight, level=level)

    def theirs() -> tuple[float, ...]:
        point = ppi_mean_pointestimate(people, judge, others, lam=weight)
        low, high = ppi_mean_ci(people, judge, others, alpha=1 - level, lam=weight)
        return tuple(float(np.squeeze(one)) for one in (point, low, high))

    answer = outcome(theirs)
    kind = "tuned" if weight is None else "given"
    constant = weight is None and np.ptp(np.concatenate([judge, others])) == 0
    for at, (name, ours) in enumerate(
        zip(NAMES, (found.value, found.low, found.high), strict=True)
    ):
        other = answer if isinstance(answer, Raised) else answer[at]
        quantity = f"{name}, weight {kind}"
        if at and len(people) == 1:
            yield Comparison(quantity, ours, other, reason=ONE_LABEL, holds=isnan(ours))
        elif constant and (isinstance(other, Raised) or isnan(other)):
            low, high = classical_mean_ci(people, alpha=1 - level)
            classical = (float(people.mean()), float(low), float(high))[at]
            holds = abs(ours - classical) <= TOLERANCE * max(1.0, abs(classical))
            yield Comparison(quantity, ours, other, reason=CONSTANT, holds=holds)
        else:
            yield Comparison(quantity, ours, other, TOLERANCE)
    if len(people) > 1:
        alone = mean(people, level=level)
        bounds = classical_mean_ci(people, alpha=1 - level)
        for name, ours, other in zip(NAMES[1:], (alone.low, alone.high), bounds, strict=True):
            yield Comparison(f"{name}, people alone", ours, float(other), TOLERANCE)


CHECKS = (Check("prediction-powered mean", draw, compare, 4000),)
