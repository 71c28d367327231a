"""How far annotators agree on spans: F1 between each two of them.

Chance agreement on where spans are can't be told, since nobody counts the spans that all left
alone; as their number grows, kappa approaches the F1 of the pair. *Hripcsak and Rothschild 2005,
Agreement, the F-Measure, and Reliability in Information Retrieval.*
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from chronoscore.annotations.metrics import SPANS
from chronoscore.annotations.model import COUNTERS, Document
from chronoscore.annotations.spans import compare
from chronoscore.core.case import Case
from chronoscore.core.metric import Metric
from chronoscore.elements.ratios import Array, ratio
from chronoscore.statistics.intervals import Bounds, jackknife_t

SCORES = ("strict", "lenient")
Documents = Mapping[str, Document]


@dataclass(frozen=True, eq=False)
class Pairwise:
    """Two annotators, and for each document that both have: found by both (strict, lenient), spans
    of the one, spans of the other.
    """

    one: str
    other: str
    documents: tuple[str, ...]
    counts: Array


@dataclass(frozen=True, eq=False)
class Sure:
    """Strict and lenient F1, with an interval over documents."""

    f1: Array
    bounds: Bounds


def pairwise(sets: Mapping[str, Documents], metric: Metric | None = None) -> list[Pairwise]:
    """Match the documents of each two annotators, each two once; `metric` is one of spans."""
    chosen = metric or SPANS()
    places = [COUNTERS.index(name) for name in ("correct_strict", "correct_partial")]
    sides = [COUNTERS.index(name) for name in ("targets", "responses")]
    made = []
    for one, other in combinations(sets, 2):
        shared = tuple(name for name in sets[one] if name in sets[other])
        rows = []
        for name in shared:
            case = Case(name, sets[one][name], sets[other][name])
            found = chosen.measure(compare(case, chosen.setting)).statistics
            strict, partial = (found[place] for place in places)
            rows.append([strict, strict + partial, *(found[place] for place in sides)])
        counts = np.array(rows, dtype=np.float64).reshape(-1, 4)
        made.append(Pairwise(one, other, shared, counts))
    return made


def pair_f1(pair: Pairwise, level: float = 0.95) -> Sure:
    """F1 of one pair, all documents pooled."""
    total = pair.counts.sum(axis=0)
    return _sure(_f1(total), _f1(total - pair.counts), level)


def mean_f1(pairs: Sequence[Pairwise], level: float = 0.95) -> Sure:
    """The mean of the F1 of all pairs; a pair without spans has none and is left out."""
    table = _table(pairs)
    total = table.sum(axis=1)
    return _sure(_mean(_f1(total)), _mean(_f1(total[:, np.newaxis] - table)), level)


def pooled_f1(pairs: Sequence[Pairwise], level: float = 0.95) -> Sure:
    """F1 of the counts of all pairs together."""
    table = _table(pairs).sum(axis=0)
    total = table.sum(axis=0)
    return _sure(_f1(total), _f1(total - table), level)


def _f1(counts: Array) -> Array:
    """2 · found by both / (spans of the one + spans of the other), strict and lenient."""
    whole = counts[..., 2] + counts[..., 3]
    return np.stack([ratio(2 * counts[..., at], whole) for at in (0, 1)], axis=-1)


def _mean(values: Array) -> Array:
    """The mean over pairs (the first axis), of those that are defined."""
    there = ~np.isnan(values)
    return ratio(np.where(there, values, 0.0).sum(axis=0), there.sum(axis=0).astype(np.float64))


def _table(pairs: Sequence[Pairwise]) -> Array:
    """The counts of all pairs by document, 0 where a pair does not share it."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair.documents))
    place = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(pairs), len(names), 4))
    for row, pair in enumerate(pairs):
        table[row, [place[name] for name in pair.documents]] = pair.counts
    return table


def _sure(estimate: Array, left_out: Array, level: float) -> Sure:
    defined = not np.isnan(left_out).any() and len(left_out) > 1
    if defined:
        return Sure(estimate, jackknife_t(left_out, estimate, level))
    nothing = np.full_like(estimate, np.nan)
    return Sure(estimate, Bounds(nothing, nothing, "jackknife-t"))
