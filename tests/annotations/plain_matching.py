"""One document as plain lists: pairs, strategies, counts and outcomes, for tests to hold to.

Sequences of annotations belong to one document; pairs name their items by position.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.differences import Outcomes, outcomes_of
from chronoscore.annotations.matching.comparing import SpanComparison, compare_columns, count
from chronoscore.annotations.matching.meetings import SpanPairs, meetings
from chronoscore.annotations.matching.strategies import choose, match_by
from chronoscore.annotations.model import Annotation, Counts, Document, overlap_length
from chronoscore.annotations.parameters import (
    STRATEGIES,
    FeatureComparison,
    SpanQuestion,
    agree,
    profiler,
)

Spans: TypeAlias = Sequence[Annotation]


class Pair(NamedTuple):
    """A target and a response, by position, and what the pair is worth (3, 2, 1 or 0)."""

    key: int
    response: int
    value: int


Matcher: TypeAlias = Callable[[Sequence[Pair], Spans, Spans], list[Pair]]


def equal(
    key: Annotation, response: Annotation, features: tuple[str, ...], how: FeatureComparison
) -> bool:
    """Whether a response says the same as a target: same type, and all listed features agree.

    >>> key, *others = (Annotation("1", "T", 0, 1, {"n": n}) for n in (1, 1, 1.0, "1", True, None))
    >>> [equal(key, other, ("n",), "equal") for other in others]
    [True, False, False, False, False]
    >>> [equal(key, other, ("n",), "text") for other in others]
    [True, False, True, False, False]
    >>> [equal(other, key, ("n",), "subsumes") for other in others]
    [True, False, False, False, True]
    """
    profile = profiler(SpanQuestion(features=features, compare=how))
    return agree(profile(key.type, key.features), profile(response.type, response.features), how)


def compared(
    keys: Spans, responses: Spans, features: tuple[str, ...] = (), how: FeatureComparison = "equal"
) -> SpanComparison:
    """The comparison of one document."""
    return compare_columns(
        side(keys), side(responses), SpanQuestion(features=features, compare=how)
    )


def candidate_pairs(
    keys: Spans, responses: Spans, features: tuple[str, ...], how: FeatureComparison
) -> list[Pair]:
    """All pairs of a target and a response that are coextensive or overlap, with their values."""
    return [Pair(*row) for row in compared(keys, responses, features, how).pairs.rows()]


def match(strategy: str, pairs: Sequence[Pair], keys: Spans, responses: Spans) -> list[Pair]:
    """The pairs that a strategy takes.

    >>> keys = [Annotation("0", "T", 3, 7), Annotation("1", "T", 3, 4)]
    >>> responses = [Annotation("2", "T", 4, 6), Annotation("3", "T", 3, 7)]
    >>> pairs = candidate_pairs(keys, responses, (), "equal")
    >>> [[p.value for p in matcher(pairs, keys, responses)] for matcher in (best, gate)]
    [[3], [2, 2]]
    """
    columns = side(keys), side(responses)
    flags = choose(arrays(pairs, keys, responses), *columns, strategy=strategy, symmetric=False)
    return sorted(pair for pair, good in zip(pairs, flags.tolist(), strict=True) if good)


MATCHERS: dict[str, Matcher] = {name: partial(match, name) for name in STRATEGIES}
best, gate = MATCHERS["best"], MATCHERS["gate"]


def counts(pairs: Sequence[Pair], matches: Sequence[Pair], keys: Spans, responses: Spans) -> Counts:
    """The base counters of a matching, from all candidate pairs and the pairs that were taken."""
    left, right = side(keys), side(responses)
    met = meetings(left, right)
    own = arrays(pairs, keys, responses)
    found = SpanComparison(left, right, own, met.near_key, met.near_response, SpanQuestion())
    (row,) = count(found, arrays(matches, keys, responses)).tolist()
    return Counts(*row)


def outcomes(
    keys: Spans,
    responses: Spans,
    features: tuple[str, ...] = (),
    how: FeatureComparison = "equal",
    matching: str = "best",
) -> Outcomes:
    """Match one document and sort its annotations by what became of them."""
    found = compared(keys, responses, features, how)
    (only,) = outcomes_of(found, match_by(found, matching))
    return only


def side(annotations: Spans) -> Columns:
    return Columns.of([Document("", tuple(annotations))])


def arrays(pairs: Sequence[Pair], keys: Spans, responses: Spans) -> SpanPairs:
    table = np.array(pairs, np.int64).reshape(-1, 3)
    shared = [overlap_length(keys[i], responses[j]) for i, j, _ in pairs]
    return SpanPairs(table[:, 0], table[:, 1], table[:, 2], np.array(shared, np.int64))
