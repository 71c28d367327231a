"""The strategies of matching: which pairs to choose where a target or a response has several.

Every strategy chooses a pair that shares neither its target nor its response, and only conflicting
pairs are ordered or solved. `SpanPairs` says what a value means.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers, marked
from chronoscore.annotations.matching.assignment import assigned
from chronoscore.annotations.matching.comparing import SpanComparison, equality
from chronoscore.annotations.matching.meetings import SpanPairs, check_pairs
from chronoscore.annotations.matching.optimum import best
from chronoscore.annotations.model import Annotation, coextensive, overlap_length
from chronoscore.core.functions import allowed
from chronoscore.core.metric import Values, text_of
from chronoscore.errors import UsageError

PairScore: TypeAlias = Callable[[Annotation, Annotation], float]


def match(comparison: SpanComparison, values: Values) -> SpanPairs:
    """Return the pairs that the parameters of a metric choose."""
    if values["matching"] != "scored":
        return match_by(comparison, str(values["matching"]))
    if values["candidates"] == "all" and comparison.question.min_overlap:
        raise UsageError("min_overlap is of pairs that overlap: candidates=all takes all pairs")
    return _match_by_score(comparison, text_of(values, "alignment"), str(values["candidates"]))


def match_by(comparison: SpanComparison, strategy: str) -> SpanPairs:
    """Return the pairs that a strategy chooses."""
    symmetric = comparison.question.compare != "subsumes"
    keys, responses, pairs = comparison.keys, comparison.responses, comparison.pairs
    chosen = choose(pairs, keys, responses, strategy, symmetric=symmetric)
    return pairs if chosen.all() else pairs.take(chosen)


def choose(
    pairs: SpanPairs, keys: Columns, responses: Columns, strategy: str, *, symmetric: bool
) -> Flags:
    """Choose pairs so that each target and each response is used at most once.

    ``symmetric`` says that equality is symmetric and transitive, so that equal spans can stand for
    each other, as with all comparisons but ``subsumes``.
    """
    at_key = np.bincount(pairs.key, minlength=len(keys))
    at_response = np.bincount(pairs.response, minlength=len(responses))
    if max(at_key.max(initial=0), at_response.max(initial=0)) <= 1:
        return np.ones(len(pairs), np.bool_)
    chosen: Flags = (at_key[pairs.key] == 1) & (at_response[pairs.response] == 1)
    rest = np.flatnonzero(~chosen)
    # Targets and responses are numbered by document, start, end and id; `best` puts type and
    # features before the id, so that ids decide only between equal annotations.
    conflict = replace(
        pairs.take(rest),
        key=_ranks(keys, pairs.key[rest], by_label=strategy == "best"),
        response=_ranks(responses, pairs.response[rest], by_label=strategy == "best"),
    )
    if strategy == "best":
        chosen[rest] = best(conflict, symmetric=symmetric)
    else:
        key_id = keys.id_ranks(pairs.key[rest])
        response_id = responses.id_ranks(pairs.response[rest])
        chosen[rest] = _greedy(conflict, ORDERS[strategy](conflict, key_id, response_id))
    return chosen


def _ranks(side: Columns, places: Integers, *, by_label: bool) -> Integers:
    items, inverse = np.unique(places, return_inverse=True)
    return side.ranks(items, by_label=by_label)[inverse]


def gate_order(pairs: SpanPairs, _: Integers, __: Integers) -> Integers:
    """Order pairs as the GATE Evaluation plugin does: by a conflict score that never changes.

    ``score(p) = value(p) - Σ value(q)`` over the other pairs q of p's target or p's response, that
    is ``3·value(p) - Σ values at the target - Σ values at the response``. Pairs are taken highest
    score first; of equal scores the later response wins, then the later target (start, end, id).
    Unlike ``best``, this order can miss an equal response of the same span.
    """
    at_key = np.bincount(pairs.key, pairs.value).astype(np.int64)
    at_response = np.bincount(pairs.response, pairs.value).astype(np.int64)
    score = 3 * pairs.value - at_key[pairs.key] - at_response[pairs.response]
    return np.lexsort((pairs.key, pairs.response, score))[::-1]


def response_order(pairs: SpanPairs, key_id: Integers, _: Integers) -> Integers:
    """Order pairs by response: each takes its best free target (the notes' first strategy).

    The best is strict correct, else partial correct with the longest overlap, else strict
    incorrect, else partial incorrect with the longest overlap; of equals the first by id.
    """
    return np.lexsort((key_id, -pairs.overlap, -pairs.value, pairs.response))


def target_order(pairs: SpanPairs, _: Integers, response_id: Integers) -> Integers:
    """Order pairs by target: each takes its best free response (the notes' second strategy)."""
    return np.lexsort((response_id, -pairs.overlap, -pairs.value, pairs.key))


ORDERS: Mapping[str, Callable[[SpanPairs, Integers, Integers], Integers]] = {
    "gate": gate_order,
    "response-order": response_order,
    "target-order": target_order,
}
"""The functions that order pairs for a greedy strategy, from pairs and the ranks of their ids."""


def _greedy(pairs: SpanPairs, order: Integers) -> Flags:
    """Take pairs in this order, if both sides are still free."""
    used_key = bytearray(int(pairs.key.max()) + 1)
    used_response = bytearray(int(pairs.response.max()) + 1)
    places = []
    ordered = zip(
        order.tolist(), pairs.key[order].tolist(), pairs.response[order].tolist(), strict=True
    )
    for place, key, response in ordered:
        if not used_key[key] and not used_response[response]:
            used_key[key] = used_response[response] = 1
            places.append(place)
    return marked(len(pairs), np.array(places, np.int64))


def share(gold: Annotation, response: Annotation) -> float:
    """Return the share of characters in common: 1 for the same span, 0 for no overlap.

    >>> share(Annotation("1", "T", 0, 4), Annotation("2", "T", 2, 6))
    0.3333333333333333
    """
    if coextensive(gold, response):
        return 1.0
    length = max(gold.end, response.end) - min(gold.start, response.start)
    return overlap_length(gold, response) / length


PAIR_SCORES: Mapping[str, PairScore] = {"share": share, "characters": overlap_length}
"""The functions that score a pair, by the name of the alignment."""


def _match_by_score(comparison: SpanComparison, alignment: str, candidates: str) -> SpanPairs:
    """Return the pairs of greatest total score; a pair with a score of 0 or less is never chosen.

    Over ``all`` pairs, a response can be matched with a target elsewhere in the document. That is
    a partial match, since the score says that the two belong together.
    """
    score = PAIR_SCORES.get(alignment) or allowed(alignment)
    pairs = comparison.pairs if candidates == "overlap" else _all_pairs(comparison)
    key = _ranks(comparison.keys, pairs.key, by_label=True)
    response = _ranks(comparison.responses, pairs.response, by_label=True)
    order = np.lexsort((response, key))
    sides = (comparison.keys, pairs.key[order]), (comparison.responses, pairs.response[order])
    golds, answers = (
        {place: side.annotation(place) for place in np.unique(places).tolist()}
        for side, places in sides
    )
    ordered = zip(*(places.tolist() for _, places in sides), strict=True)
    weights = [call_user_function(score, alignment, golds[i], answers[j]) for i, j in ordered]
    positive = order[np.array(weights) > 0]
    columns = key[positive].tolist(), response[positive].tolist(), [w for w in weights if w > 0]
    return pairs.take(positive[assigned([*zip(*columns, strict=True)])])


def _all_pairs(comparison: SpanComparison) -> SpanPairs:
    """Return every pair of a target and a response of one document, with values and overlaps."""
    keys, responses = comparison.keys, comparison.responses
    by_document = np.argsort(responses.document, kind="stable")
    begins = np.searchsorted(responses.document[by_document], np.arange(len(keys.documents) + 1))
    count = np.diff(begins)[keys.document]
    check_pairs(count, keys)
    key = np.repeat(np.arange(len(keys), dtype=np.int64), count)
    skip = np.repeat(begins[keys.document] - (np.cumsum(count) - count), count)
    response = by_document[np.arange(len(key)) + skip]
    start, end = keys.start[key], keys.end[key]
    first, last = responses.start[response], responses.end[response]
    value = 2 * equality(comparison.question, keys, responses)(key, response)
    value += (start == first) & (end == last)
    overlap = np.minimum(end, last) - np.maximum(start, first)
    return SpanPairs(key, response, value.astype(np.int64), np.maximum(overlap, 0))


def call_user_function(function: Callable[..., Any], name: str, *arguments: object) -> float:
    """Call a user's function and return its finite number; anything else is a usage error.

    >>> call_user_function(max, "builtins:max", 1, 2)
    2.0
    >>> call_user_function(max, "builtins:max", 1)
    Traceback (most recent call last):
    chronoscore.errors.UsageError: builtins:max failed: TypeError: 'int' object is not iterable
    """
    try:
        value = function(*arguments)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{name} failed: {type(error).__name__}: {error}") from error
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    raise UsageError(f"{name} gave {value!r}, expected a finite number")
