"""The same numbers as two packages of others, on clusterings at random.

`scorch` has all but LEA. Its MUC says 0 on both sides where only one has no links, so MUC is
compared where both have some; its BLANC leaves a kind of link out as the reference scorer does.
Its CEAF divides by zero where no mention is shared.
`corefeval` (the package coreference-eval) has LEA, without singletons.
"""

import random
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from corefeval import Document
from corefeval import metrics as corefeval
from corefeval.metric import Metric
from scorch import scores as scorch

from chronoscore.core.case import Case
from chronoscore.ordering.coreference.family import FAMILY
from chronoscore.ordering.coreference.model import Clustering
from chronoscore.statistics.averaging import scores_of

Partition = list[list[str]]
CLUSTERINGS = 500
"""At least as many pairs are compared for every metric."""


def partition(chance: random.Random, least: int) -> Partition:
    """Some of thirty mentions, in clusters of many sizes, none smaller than `least`."""
    mentions = [f"m{number:02}" for number in range(30)]
    chosen = chance.sample(mentions, chance.randint(1, 30))
    homes = chance.randint(1, len(chosen))
    clusters: dict[int, list[str]] = {}
    for mention in chosen:
        clusters.setdefault(chance.randrange(homes), []).append(mention)
    return [cluster for cluster in clusters.values() if len(cluster) >= least]


def pairs(least: int) -> list[tuple[Partition, Partition]]:
    chance = random.Random(2014)
    made = [
        (partition(chance, least), partition(chance, least)) for _ in range(CLUSTERINGS * 3 // 2)
    ]
    return [(gold, predicted) for gold, predicted in made if gold and predicted]


def ours(metric: str, gold: Partition, predicted: Partition) -> tuple[float, float, float]:
    found = FAMILY.metric(metric)
    case = Case("c", Clustering.of(gold), Clustering.of(predicted))
    statistics = found.measure(FAMILY.compare(case, found.setting)).statistics
    linked = scores_of(found, np.array(statistics, dtype=float), "zero")
    return float(linked[1]), float(linked[0]), float(linked[2])


def share(gold: Partition, predicted: Partition) -> bool:
    return bool(set(chain(*gold)) & set(chain(*predicted)))


def has_links(partition: Partition) -> bool:
    return any(len(cluster) > 1 for cluster in partition)


SCORCH: dict[str, Callable[..., Any]] = {
    "muc": scorch.muc,
    "b3": scorch.b_cubed,
    "ceafm": scorch.ceaf_m,
    "ceafe": scorch.ceaf_e,
    "blanc": lambda gold, predicted: scorch.blanc(gold, predicted, fast=False),
}


@pytest.mark.parametrize("metric", SCORCH)
def test_scores_are_those_of_scorch(metric: str) -> None:
    compared = 0
    for gold, predicted in pairs(least=1):
        if metric == "muc" and not (has_links(gold) and has_links(predicted)):
            continue
        if metric.startswith("ceaf") and not share(gold, predicted):
            continue
        if metric == "blanc" and sum(map(len, gold)) == 1:
            continue  # without any link scorch asks whether the mentions are the same
        theirs = SCORCH[metric](list(map(set, gold)), list(map(set, predicted)))
        assert ours(metric, gold, predicted) == pytest.approx(theirs, abs=1e-9), (gold, predicted)
        compared += 1
    assert compared >= CLUSTERINGS


@pytest.mark.parametrize("metric", ["muc", "b3", "ceafe", "lea"])
def test_scores_without_singletons_are_those_of_corefeval(metric: str) -> None:
    function = {
        "muc": corefeval.muc,
        "b3": corefeval.b_cubed,
        "ceafe": corefeval.ceafe,
        "lea": corefeval.lea,
    }[metric]
    compared = 0
    for gold, predicted in pairs(least=2):
        theirs = Metric(function)
        # Its mentions are lists, such as [start, end].
        theirs.update(
            Document(
                predicted=[[[mention] for mention in cluster] for cluster in predicted],
                truth=[[[mention] for mention in cluster] for cluster in gold],
            )
        )
        precision, recall, f = theirs.get_prf()
        assert ours(metric, gold, predicted) == pytest.approx((recall, precision, f), abs=1e-9)
        compared += 1
    assert compared >= CLUSTERINGS


def test_conll_is_that_of_scorch() -> None:
    for gold, predicted in pairs(least=1):
        if has_links(gold) and has_links(predicted) and share(gold, predicted):
            theirs = scorch.conll2012(list(map(set, gold)), list(map(set, predicted)))
            assert ours("conll", gold, predicted)[2] == pytest.approx(theirs, abs=1e-9)
