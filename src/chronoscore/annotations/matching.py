"""Which response belongs to which target in one document, for callers that have plain lists.

A pair of a target (key) and a response has a value: 3 strict correct (coextensive and equal),
2 partial correct (overlapping and equal), 1 strict incorrect, 0 partial incorrect. Each target and
each response is used at most once, and strategies differ in which pairs they take. Sequences of
annotations belong to one document; pairs name their items by position. The work is done in columns
(`pairing`, `strategies`, `counting`), as for whole corpora.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.counting import Compared, compared, count
from chronoscore.annotations.model import (
    Annotation,
    Counts,
    Document,
    overlap_length,
)
from chronoscore.annotations.pairing import meetings
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.question import FeatureComparison, Question, agree, profiler
from chronoscore.annotations.strategies import STRATEGIES, taken

__all__ = [
    "MATCHERS",
    "Counts",
    "FeatureComparison",
    "Matcher",
    "Pair",
    "best",
    "candidate_pairs",
    "components",
    "counts",
    "equal",
    "gate",
]


class Pair(NamedTuple):
    """A target and a response, by position, and what the pair is worth (3, 2, 1 or 0)."""

    key: int
    response: int
    value: int


Matcher: TypeAlias = Callable[
    [Sequence[Pair], Sequence[Annotation], Sequence[Annotation]], list[Pair]
]


def equal(
    key: Annotation, response: Annotation, features: tuple[str, ...], how: FeatureComparison
) -> bool:
    """Whether a response says the same as a target: same type, and all listed features agree.

    ``equal``: both have the value or both lack it, and kinds count: 1, 1.0, "1" and True are four
    values. ``text``: the same, of the values as GATE prints them ("1", "1.0", "1", "true").
    ``subsumes``: the listed features that the target has must be in the response with an equal
    value; what only the response has is no fault. A feature without a value (None) is absent.

    >>> key, *others = (Annotation("1", "T", 0, 1, {"n": n}) for n in (1, 1, 1.0, "1", True, None))
    >>> [equal(key, other, ("n",), "equal") for other in others]
    [True, False, False, False, False]
    >>> [equal(key, other, ("n",), "text") for other in others]
    [True, False, True, False, False]
    >>> [equal(other, key, ("n",), "subsumes") for other in others]
    [True, False, False, False, True]
    """
    profile = profiler(Question(features=features, compare=how))
    wanted, found = (profile(one.type, one.features) for one in (key, response))
    return agree(wanted, found, how)


def candidate_pairs(
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    features: tuple[str, ...],
    how: FeatureComparison,
) -> list[Pair]:
    """All pairs of a target and a response that are coextensive or overlap, with their values."""
    found = compared(_side(keys), _side(responses), Question(features=features, compare=how)).pairs
    columns = (found.key.tolist(), found.response.tolist(), found.value.tolist())
    return sorted(map(Pair, *columns))


def match(
    strategy: str,
    pairs: Sequence[Pair],
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
) -> list[Pair]:
    """The pairs that a strategy takes; see `strategies` for each of them.

    >>> keys = [Annotation("0", "T", 3, 7), Annotation("1", "T", 3, 4)]
    >>> responses = [Annotation("2", "T", 4, 6), Annotation("3", "T", 3, 7)]
    >>> pairs = candidate_pairs(keys, responses, (), "equal")
    >>> [[p.value for p in matcher(pairs, keys, responses)] for matcher in (best, gate)]
    [[3], [2, 2]]
    """
    # Values may be of the caller's own making, and then being alike is no promise.
    flags = taken(
        _arrays(pairs, keys, responses), _side(keys), _side(responses), strategy, alike=False
    )
    return sorted(pair for pair, good in zip(pairs, flags.tolist(), strict=True) if good)


MATCHERS: Mapping[str, Matcher] = MappingProxyType(
    {name: partial(match, name) for name in STRATEGIES}
)
best, gate = MATCHERS["best"], MATCHERS["gate"]


def counts(
    pairs: Sequence[Pair],
    matches: Sequence[Pair],
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
) -> Counts:
    """The base counters of a matching, from all candidate pairs and the pairs that were taken."""
    arrays = _arrays(pairs, keys, responses)
    left, right = _side(keys), _side(responses)
    met = meetings(left, right)
    met = type(met)(
        arrays.key,
        arrays.response,
        arrays.value % 2 == 1,
        arrays.overlap,
        met.near_key,
        met.near_response,
    )
    found = Compared(left, right, met, arrays, Question())
    (row,) = count(found, _arrays(matches, keys, responses)).tolist()
    return Counts(*row)


def components(pairs: Iterable[Pair]) -> list[list[Pair]]:
    """The pairs in connected groups: no target and no response is in two of them."""
    at_key: dict[int, list[Pair]] = defaultdict(list)
    at_response: dict[int, list[Pair]] = defaultdict(list)
    for p in pairs:
        at_key[p.key].append(p)
        at_response[p.response].append(p)
    groups = []
    for first in list(at_key):
        group: list[Pair] = []
        ahead = [first]
        while ahead:
            for p in at_key.pop(ahead.pop(), ()):
                group.append(p)
                ahead += (q.key for q in at_response.pop(p.response, ()) if q.key in at_key)
        if group:
            groups.append(group)
    return groups


def _side(annotations: Sequence[Annotation]) -> Columns:
    return Columns.of([Document("", tuple(annotations))])


def _arrays(
    pairs: Sequence[Pair], keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> Pairs:
    table = np.array(pairs, np.int64).reshape(-1, 3)
    shared = [overlap_length(keys[i], responses[j]) for i, j, _ in pairs]
    return Pairs(table[:, 0], table[:, 1], table[:, 2], np.array(shared, np.int64))
