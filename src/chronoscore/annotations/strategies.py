"""Which pairs are taken where a target or a response has several: the strategies of matching.

A pair that has its target and its response for itself is taken by every strategy, and only the
conflicting rest is ordered or solved. See `pairs` for what a value means.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers
from chronoscore.annotations.optimum import best
from chronoscore.annotations.pairs import Conflict, Pairs

Strategy: TypeAlias = Callable[[Conflict], Flags]


def taken(
    pairs: Pairs, keys: Columns, responses: Columns, strategy: str, *, alike: bool = True
) -> Flags:
    """Choose pairs so that each target and each response is used once; which ones are taken.

    ``alike`` says that equal annotations are equal to the same ones, as with all comparisons but
    the one that only asks for what the target has.
    """
    at_key = np.bincount(pairs.key, minlength=len(keys))
    at_response = np.bincount(pairs.response, minlength=len(responses))
    chosen: Flags = (at_key[pairs.key] == 1) & (at_response[pairs.response] == 1)
    rest = np.flatnonzero(~chosen)
    if len(rest):
        by_label = strategy == "best"
        numbered = replace(
            pairs.take(rest),
            key=_numbered(keys, pairs.key[rest], by_label),
            response=_numbered(responses, pairs.response[rest], by_label),
        )
        by_id = keys.id_ranks(pairs.key[rest]), responses.id_ranks(pairs.response[rest])
        chosen[rest] = STRATEGIES[strategy](Conflict(numbered, alike, *by_id))
    return chosen


def _numbered(side: Columns, places: Integers, by_label: bool) -> Integers:
    own, inverse = np.unique(places, return_inverse=True)
    return side.ranks(own, by_label=by_label)[inverse]


def gate(conflict: Conflict) -> Flags:
    """The matching of the GATE Evaluation plugin: greedy by a conflict score that never changes.

    ``score(p) = value(p) - Σ value(q)`` over the other pairs q of p's target or p's response, that
    is ``3·value(p) - Σ values at the target - Σ values at the response``. Pairs are taken highest
    score first; of equal scores the later response wins, then the later target (start, end, id).
    It can pass over an exact and equal response; ``best`` can't.
    """
    pairs = conflict.pairs
    at_key = np.bincount(pairs.key, pairs.value).astype(np.int64)
    at_response = np.bincount(pairs.response, pairs.value).astype(np.int64)
    score = 3 * pairs.value - at_key[pairs.key] - at_response[pairs.response]
    return _greedy(pairs, np.lexsort((pairs.key, pairs.response, score))[::-1])


def response_order(conflict: Conflict) -> Flags:
    """The notes' first strategy: response after response takes its best target still free.

    The best is strict correct, else partial correct with the longest overlap, else strict
    incorrect, else partial incorrect with the longest overlap; of equals the first by id.
    """
    p = conflict.pairs
    return _greedy(p, np.lexsort((conflict.key_id, -p.overlap, -p.value, p.response)))


def target_order(conflict: Conflict) -> Flags:
    """The notes' second strategy: target after target takes its best response still free."""
    p = conflict.pairs
    return _greedy(p, np.lexsort((conflict.response_id, -p.overlap, -p.value, p.key)))


def _greedy(pairs: Pairs, order: Integers) -> Flags:
    """Take pairs in this order, if both sides are still free."""
    used_key = bytearray(int(pairs.key.max()) + 1)
    used_response = bytearray(int(pairs.response.max()) + 1)
    chosen = np.zeros(len(pairs), np.bool_)
    found = []
    ordered = zip(
        order.tolist(), pairs.key[order].tolist(), pairs.response[order].tolist(), strict=True
    )
    for place, key, response in ordered:
        if not used_key[key] and not used_response[response]:
            used_key[key] = used_response[response] = 1
            found.append(place)
    chosen[found] = True
    return chosen


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "best": best,
        "gate": gate,
        "response-order": response_order,
        "target-order": target_order,
    }
)
