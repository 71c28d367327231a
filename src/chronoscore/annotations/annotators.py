"""How far annotators agree on spans: F1 between each two of them.

Chance agreement on where spans are is unknown, since nobody counts the spans that no annotator
marked; as their number grows, kappa approaches the F1 of the pair. *Hripcsak and Rothschild 2005,
Agreement, the F-Measure, and Reliability in Information Retrieval.*
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.matching.comparing import compare_columns, count
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.metrics import SPANS
from chronoscore.annotations.model import Document
from chronoscore.annotations.parameters import question_of
from chronoscore.core.metric import Metric
from chronoscore.statistics.intervals import Bounds, jackknife_t
from chronoscore.statistics.ratios import Array, ratio

SCORES = ("strict", "lenient")
Documents = Mapping[str, Document]


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Two annotators and their counts, a row for each document that both have.

    A row is: spans that both have (strict, lenient), spans of the first, spans of the second.
    """

    one: str
    other: str
    documents: tuple[str, ...]
    counts: Array


@dataclass(frozen=True, eq=False)
class F1WithInterval:
    """Strict and lenient F1, with an interval over documents."""

    f1: Array
    bounds: Bounds


def pairwise(sets: Mapping[str, Documents], metric: Metric | None = None) -> list[Pairwise]:
    """Match the documents of every pair of annotators; `metric` is a `spans` metric."""
    spans = metric or SPANS()
    pairs = []
    for first, second in combinations(sets, 2):
        shared = tuple(name for name in sets[first] if name in sets[second])
        gold = Columns.of([sets[first][name] for name in shared], shared)
        predicted = Columns.of([sets[second][name] for name in shared], shared)
        comparison = compare_columns(gold, predicted, question_of(spans.values))
        rows = count(comparison, match(comparison, spans.values)).astype(np.float64)
        targets, responses, strict, partial = rows.T[:4]
        counts = np.stack([strict, strict + partial, targets, responses], axis=1)
        pairs.append(Pairwise(first, second, shared, counts))
    return pairs


def pair_f1(pair: Pairwise, level: float = 0.95) -> F1WithInterval:
    """Return the F1 of one pair, over the pooled counts of all documents."""
    return pooled_f1([pair], level)


def mean_f1(pairs: Sequence[Pairwise], level: float = 0.95) -> F1WithInterval:
    """Return the mean F1 of all pairs; a pair without spans has no F1 and does not count."""
    table = _table(pairs)
    total = table.sum(axis=1)
    return _with_interval(_mean(_f1(total)), _mean(_f1(total[:, np.newaxis] - table)), level)


def pooled_f1(pairs: Sequence[Pairwise], level: float = 0.95) -> F1WithInterval:
    """Return the F1 over the pooled counts of all pairs."""
    table = _table(pairs).sum(axis=0)
    total = table.sum(axis=0)
    return _with_interval(_f1(total), _f1(total - table), level)


def _f1(counts: Array) -> Array:
    """2 · spans of both / (spans of the first + spans of the second), strict and lenient."""
    spans = counts[..., 2] + counts[..., 3]
    return np.stack([ratio(2 * counts[..., at], spans) for at in (0, 1)], axis=-1)


def _mean(values: Array) -> Array:
    """Return the mean over pairs (the first axis), without undefined values."""
    defined = ~np.isnan(values)
    return ratio(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0).astype(np.float64))


def _table(pairs: Sequence[Pairwise]) -> Array:
    """Return counts[pair, document], 0 where the two do not share the document."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair.documents))
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(pairs), len(names), 4))
    for row, pair in enumerate(pairs):
        table[row, [place[name] for name in pair.documents]] = pair.counts
    return table


def _with_interval(estimate: Array, left_out: Array, level: float) -> F1WithInterval:
    if len(left_out) > 1 and not np.isnan(left_out).any():
        return F1WithInterval(estimate, jackknife_t(left_out, estimate, level))
    undefined = np.full_like(estimate, np.nan)
    return F1WithInterval(estimate, Bounds(undefined, undefined, "jackknife-t"))
