"""Random clusterings, and our scores of them, for both packages of coreference."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from peers.comparing import Chance

from chronoscore.core.case import Case
from chronoscore.ordering.coreference.family import FAMILY
from chronoscore.ordering.coreference.model import Clustering
from chronoscore.statistics.averaging import scores_of
from chronoscore.statistics.ratios import Array

Partition = list[list[str]]
Document = tuple[Partition, Partition]
"""The gold clusters and the predicted ones."""


def partition(chance: Chance, most: int) -> Partition:
    """Draw clusters of up to `most` mentions: of many sizes, all single, one only, or none."""
    number = int(chance.integers(0, most + 1))
    mentions = [f"m{one:02}" for one in chance.permutation(most)[:number].tolist()]
    homes = int(chance.choice([1, max(1, number // 3), max(1, number), 40]))
    clusters: dict[int, list[str]] = {}
    for mention in mentions:
        clusters.setdefault(int(chance.integers(homes)), []).append(mention)
    return list(clusters.values())


def draw_document(chance: Chance) -> Document:
    """Draw a gold, and a prediction that is unrelated, near it, or equal to it."""
    most = int(chance.choice([1, 3, 8, 20]))
    gold = partition(chance, most)
    kind = chance.integers(4)
    if kind == 0:
        return gold, [list(cluster) for cluster in gold]
    if kind == 1 and len(gold) > 1:  # two clusters merged, and one mention lost
        merged = [gold[0] + gold[1], *(list(one) for one in gold[2:])]
        return gold, [cluster for cluster in [merged[0][1:], *merged[1:]] if cluster]
    return gold, partition(chance, most)


def statistics_of(name: str, document: Document) -> Array:
    """Return our additive statistics of one document."""
    metric = FAMILY.metric(name)
    gold, predicted = map(Clustering.of, document)
    case = Case("c", gold, predicted)
    return np.array(metric.measure(FAMILY.compare(case, metric.setting)).statistics, np.float64)


def our_scores(name: str, documents: Sequence[Document]) -> list[float]:
    """Return precision, recall and F of documents that are added up, 0 where undefined."""
    sums = np.sum([statistics_of(name, one) for one in documents], axis=0)
    linked: Any = scores_of(FAMILY.metric(name), sums, "zero")
    return [float(one) for one in linked[:3]]


def without_singletons(clusters: Partition) -> Partition:
    """Return the clusters of two mentions or more."""
    return [cluster for cluster in clusters if len(cluster) > 1]


def share_mentions(document: Document) -> bool:
    """Whether a mention is on both sides."""
    gold, predicted = (set(chain(*side)) for side in document)
    return bool(gold & predicted)
