"""Count a matching of all documents at once: a row for each document, a column for each counter."""

import numpy as np

from chronoscore.annotations.columns import Flags, Integers
from chronoscore.annotations.matching.comparing import SpanComparison, SpanPairs
from chronoscore.annotations.model import COUNTERS


def count(comparison: SpanComparison, matched: SpanPairs) -> Integers:
    """Return the base counters of a matching by document."""
    keys, responses = comparison.keys, comparison.responses
    return count_by(comparison, matched, keys.document, responses.document, len(keys.documents))


def count_by(
    comparison: SpanComparison,
    matched: SpanPairs,
    key_group: Integers,
    response_group: Integers,
    size: int,
) -> Integers:
    """Return the base counters of a matching by any groups of targets and of responses.

    A correct pair is single if no unmatched response lies at its target, where "at" is GATE's range
    query: responses that overlap the target, and empty responses exactly at its start.
    """
    pairs = comparison.pairs
    strict, lenient = np.zeros((2, len(comparison.keys)), np.bool_)
    strict[pairs.key[comparison.coextensive]] = True
    lenient[pairs.key] = True
    # One number holds group, value and whether the pair is single, so that one pass counts all.
    kind = key_group[matched.key]
    kind *= 8
    kind += 2 * matched.value
    kind += ~unmatched_nearby(comparison, matched)[matched.key]
    table = np.bincount(kind, minlength=8 * size).reshape(size, 4, 2)
    by_value, single = table.sum(axis=2), table[:, :, 1]
    columns = {
        "targets": np.bincount(key_group, minlength=size),
        "responses": np.bincount(response_group, minlength=size),
        "correct_strict": by_value[:, 3],
        "correct_partial": by_value[:, 2],
        "incorrect_strict": by_value[:, 1],
        "incorrect_partial": by_value[:, 0],
        "single_correct_strict": single[:, 3],
        "single_correct_partial": single[:, 2],
        "targets_with_strict": np.bincount(key_group[strict], minlength=size),
        "targets_with_lenient": np.bincount(key_group[lenient], minlength=size),
    }
    return np.stack([columns[name] for name in COUNTERS], axis=1)


def unmatched_nearby(comparison: SpanComparison, matched: SpanPairs) -> Flags:
    """Return which targets have an unmatched response in their range."""
    free = np.ones(len(comparison.responses), np.bool_)
    free[matched.response] = False
    pairs = comparison.pairs
    nearby = np.zeros(len(comparison.keys), np.bool_)
    nearby[pairs.key[free[pairs.response] & comparison.overlapping]] = True
    nearby[comparison.near_key[free[comparison.near_response]]] = True
    return nearby
