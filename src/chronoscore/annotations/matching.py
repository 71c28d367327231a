"""Which response belongs to which target: candidate pairs, strategies that choose, and counts.

A pair of a target (key) and a response has a value: 3 strict correct (coextensive and equal),
2 partial correct (overlapping and equal), 1 strict incorrect, 0 partial incorrect. Each target and
each response is used at most once, and strategies differ in which pairs they take. Sequences of
annotations belong to one document; pairs name their items by position.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, get_args

from chronoscore.annotations.model import (
    Annotation,
    Counts,
    FeatureValue,
    by_id,
    canonical,
    coextensive,
    empty_at,
    overlap_length,
    overlapping,
    overlaps,
    written,
)
from chronoscore.elements.assignment import maximum_assignment

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
    "empty_at_start",
    "equal",
    "gate",
]

FeatureComparison = Literal["equal", "text", "subsumes"]
Comparable: TypeAlias = tuple[type, FeatureValue] | str | None


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
    wanted, found = _profiles((key, response), features, how)
    return _agree(wanted, found, how)


def candidate_pairs(
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    features: tuple[str, ...],
    how: FeatureComparison,
) -> list[Pair]:
    """All pairs of a target and a response that are coextensive or overlap, with their values.

    Found by a sweep from left to right that keeps the spans still open on either side, so that the
    work is O(n log n + pairs) even where one span covers the whole document.
    """
    wanted = _profiles(keys, features, how)
    found = _profiles(responses, features, how)

    def pair(i: int, j: int) -> Pair:
        strict = coextensive(keys[i], responses[j])
        return Pair(i, j, 2 * _agree(wanted[i], found[j], how) + strict)

    pairs = [pair(i, j) for i, j in overlapping(keys, responses)]
    # Two empty spans at one place are coextensive but don't overlap.
    pairs += [pair(i, j) for i, j in empty_at(keys, responses) if keys[i].start == keys[i].end]
    return sorted(pairs)


def gate(
    pairs: Sequence[Pair], keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> list[Pair]:
    """The matching of the GATE Evaluation plugin: greedy by a conflict score that never changes.

    ``score(p) = value(p) - Σ value(q)`` over the other pairs q of p's target or p's response, that
    is ``3·value(p) - Σ values at the target - Σ values at the response``. Pairs are taken highest
    score first; of equal scores the later response wins, then the later target (start, end, id).
    It can pass over an exact and equal response; ``best`` can't.
    """
    at_key: dict[int, int] = defaultdict(int)
    at_response: dict[int, int] = defaultdict(int)
    for i, j, value in pairs:
        at_key[i] += value
        at_response[j] += value

    def rank(p: Pair) -> tuple[object, ...]:
        k, r = keys[p.key], responses[p.response]
        score = 3 * p.value - at_key[p.key] - at_response[p.response]
        return score, r.start, r.end, by_id(r), k.start, k.end, by_id(k)

    chosen: dict[int, Pair] = {}
    used: set[int] = set()
    for p in sorted(pairs, key=rank, reverse=True):
        if p.key not in chosen and p.response not in used:
            chosen[p.key] = p
            used.add(p.response)
    return sorted(chosen.values())


def best(
    pairs: Sequence[Pair], keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> list[Pair]:
    """The lexicographic optimum: most pairs of value 3, then of 2, of 1, of 0, then most overlap.

    Solved for each group of connected pairs alone. In a group, a pair of the highest value that
    shares neither side with another of that value is in every optimum: it is taken, and the rest
    falls apart into smaller groups. What has no such pair is an assignment problem. Items enter it
    in an order of their own (start, end, type, features, id), so that the order of the input
    decides nothing, not even among equally good answers.

    >>> keys = [Annotation("0", "T", 3, 7), Annotation("1", "T", 3, 4)]
    >>> responses = [Annotation("2", "T", 4, 6), Annotation("3", "T", 3, 7)]
    >>> pairs = candidate_pairs(keys, responses, (), "equal")
    >>> [[p.value for p in matcher(pairs, keys, responses)] for matcher in (best, gate)]
    [[3], [2, 2]]
    """
    chosen: list[Pair] = []
    groups = components(pairs)
    while groups:
        group = groups.pop()
        highest = max(p.value for p in group)
        certain = [
            c[0] for c in components([p for p in group if p.value == highest]) if len(c) == 1
        ]
        if not certain:
            chosen += _assigned(group, keys, responses)
            continue
        chosen += certain
        used_keys = {p.key for p in certain}
        used_responses = {p.response for p in certain}
        groups += components(
            [p for p in group if p.key not in used_keys and p.response not in used_responses]
        )
    return sorted(chosen)


MATCHERS: Mapping[str, Matcher] = MappingProxyType({"best": best, "gate": gate})


def counts(
    pairs: Sequence[Pair],
    matches: Sequence[Pair],
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
) -> Counts:
    """The base counters of a matching, from all candidate pairs and the pairs that were taken.

    A correct pair is single if no unmatched response lies at its target, where "at" is GATE's range
    query: what overlaps the target, and empty responses exactly at its start.
    """
    matched = {p.response for p in matches}
    crowded = {i for i, j, _ in pairs if j not in matched and overlaps(keys[i], responses[j])} | {
        i for i, j in empty_at_start(keys, responses) if j not in matched
    }
    by_value = [0, 0, 0, 0]
    single = [0, 0, 0, 0]
    for i, _, value in matches:
        by_value[value] += 1
        single[value] += i not in crowded
    return Counts(
        targets=len(keys),
        responses=len(responses),
        correct_strict=by_value[3],
        correct_partial=by_value[2],
        incorrect_strict=by_value[1],
        incorrect_partial=by_value[0],
        single_correct_strict=single[3],
        single_correct_partial=single[2],
        targets_with_strict=len({p.key for p in pairs if p.value % 2}),
        targets_with_lenient=len({p.key for p in pairs}),
    )


def empty_at_start(
    keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> list[tuple[int, int]]:
    """(target, response) where an empty response is exactly at the start of a target with text.

    They are no pairs, since they don't overlap, but GATE's range query finds them.
    """
    return [(i, j) for i, j in empty_at(keys, responses) if keys[i].start < keys[i].end]


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


def _profiles(
    annotations: Iterable[Annotation], features: tuple[str, ...], how: FeatureComparison
) -> list[tuple[Comparable, ...]]:
    """What is compared of each annotation, made once: the type, then the listed features."""
    if how not in get_args(FeatureComparison):
        raise ValueError(f"unknown comparison {how!r}; known: {get_args(FeatureComparison)}")

    def comparable(value: FeatureValue) -> Comparable:
        if value is None:
            return None
        if how == "text":
            return written(value)
        # Not-a-number is itself: a copy of the gold must be equal to it.
        return (float, "nan") if value != value else (type(value), value)  # noqa: PLR0124

    return [(a.type, *(comparable(a.features.get(name)) for name in features)) for a in annotations]


def _agree(
    wanted: tuple[Comparable, ...], found: tuple[Comparable, ...], how: FeatureComparison
) -> bool:
    if how == "subsumes":
        return all(w is None or w == f for w, f in zip(wanted, found, strict=True))
    return wanted == found


def _assigned(
    group: Sequence[Pair], keys: Sequence[Annotation], responses: Sequence[Annotation]
) -> Iterable[Pair]:
    """The optimum of one group as an assignment.

    There are at most n pairs, so with weights ``unit · (n + 1)^value`` no number of lower pairs
    outweighs a higher one, and ``unit`` is more than all overlaps together, which come last.
    Values that don't occur take up no power, to stay where floats are exact.
    """
    rows = sorted({p.key for p in group}, key=lambda i: canonical(keys[i]))
    columns = sorted({p.response for p in group}, key=lambda j: canonical(responses[j]))
    row_of = {i: row for row, i in enumerate(rows)}
    column_of = {j: column for column, j in enumerate(columns)}
    level = {value: power for power, value in enumerate(sorted({p.value for p in group}))}
    shared = {p: overlap_length(keys[p.key], responses[p.response]) for p in group}
    n = min(len(rows), len(columns))
    unit = n * max(shared.values()) + 1
    at: dict[tuple[int, int], Pair] = {}
    weights = [[0] * len(columns) for _ in rows]
    for p in group:
        row, column = row_of[p.key], column_of[p.response]
        at[row, column] = p
        weights[row][column] = unit * (n + 1) ** level[p.value] + shared[p]
    return [at[cell] for cell in maximum_assignment(weights)]
