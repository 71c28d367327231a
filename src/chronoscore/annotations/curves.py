"""Counts over score thresholds: which responses take part if only the surer ones do."""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from types import MappingProxyType
from typing import Literal, TypeAlias

from chronoscore.annotations.matching import Matcher, Pair, components, counts, empty_at_start
from chronoscore.annotations.model import Annotation, Counts

ThresholdKind = Literal["all", "rounded", "11", "21", "51"]

Steps: TypeAlias = list[tuple[float, Counts]]
"""(threshold, change of the counts from the threshold above), highest first, from +infinity."""

_GRIDS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "11": tuple(n / 10 for n in range(11)),
        "21": tuple(n / 20 for n in range(21)),
        # As the GATE plugin really has them: its name says 0 to 1, its steps are a tenth of that.
        "51": (*(n / 500 for n in range(50)), 1.0),
    }
)


def thresholds(kind: ThresholdKind, scores: Iterable[float]) -> list[float]:
    """The thresholds of a curve, highest first, each once; +infinity is always added by the curve.

    ``all``: every score that occurs. ``rounded``: ``floor(100·score + 1/2) / 100`` of every score,
    which may lie above the score, and then the response is out at its own threshold. ``11`` and
    ``21``: 0 to 1 in steps of 0.1 and 0.05. ``51``: 0 to 0.098 in steps of 0.002, and 1.

    >>> thresholds("rounded", [0.937, 0.5, 0.504])
    [0.94, 0.5]
    >>> thresholds("11", [])[:3]
    [1.0, 0.9, 0.8]
    """
    if kind in _GRIDS:
        return sorted(_GRIDS[kind], reverse=True)
    if kind == "all":
        return sorted(set(scores), reverse=True)
    if kind == "rounded":
        return sorted({math.floor(score * 100 + 0.5) / 100 for score in scores}, reverse=True)
    raise ValueError(f"unknown thresholds {kind!r}; known: all, rounded, {', '.join(_GRIDS)}")


def difference_curve(
    pairs: Sequence[Pair],
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    matcher: Matcher,
    thresholds: Iterable[float],
) -> Steps:
    """How the counts change from threshold to threshold, if responses with score >= t take part.

    Begins with +infinity (all targets, no responses). The sum of the steps down to t is what a
    matching of the responses with score >= t counts, and so steps of documents can be added up
    although their thresholds differ. Thresholds at which nothing changes are left out.

    Candidate pairs are those of all responses. What happens in one connected group of them has no
    influence on another: a pair that is a group of its own counts from its score downwards, and
    only larger groups are matched again, once for each change in their visible responses.

    >>> from chronoscore.annotations.matching import best, candidate_pairs
    >>> keys = [Annotation("k", "T", 0, 4)]
    >>> responses = [Annotation("a", "T", 0, 3, score=0.9), Annotation("b", "T", 0, 4, score=0.4)]
    >>> pairs = candidate_pairs(keys, responses, (), "equal")
    >>> steps = difference_curve(pairs, keys, responses, best, [0.4, 0.9])
    >>> [(t, c.responses, c.correct_strict, c.correct_partial) for t, c in steps]
    [(inf, 0, 0, 0), (0.9, 1, 0, 1), (0.4, 1, 1, -1)]
    >>> difference_curve([], [], keys, best, [0.5])
    Traceback (most recent call last):
    ValueError: a curve needs a finite score for every response; without one: k
    """
    _check_scores(responses)
    levels = sorted(set(thresholds))
    # The threshold at which each response appears; None if it is below all of them.
    appears = [_highest_not_above(levels, r.score) for r in responses]
    changes: dict[float, Counts] = defaultdict(Counts)

    # Empty responses at a target's start are no pairs but decide whether it is single.
    near = [Pair(i, j, -1) for i, j in empty_at_start(keys, responses)]
    lonely = set(range(len(responses)))
    for group in components([*pairs, *near]):
        lonely.difference_update(p.response for p in group)
        if len(group) == 1 and group[0].value >= 0:
            level = appears[group[0].response]
            if level is not None:
                changes[level] += _ALONE[group[0].value]
        else:
            for level, change in _match_again(group, keys, responses, matcher, appears):
                changes[level] += change
    for j in lonely:
        level = appears[j]
        if level is not None:
            changes[level] += _SPURIOUS
    nothing = Counts()
    steps = [(t, changes[t]) for t in sorted(changes, reverse=True) if changes[t] != nothing]
    return [(math.inf, Counts(targets=len(keys))), *steps]


def cumulative(steps: Steps) -> Steps:
    """The counts at each threshold of a curve, from its steps."""
    return [*zip((t for t, _ in steps), accumulate(change for _, change in steps), strict=True)]


_SPURIOUS = Counts(responses=1)
_ALONE: Mapping[int, Counts] = MappingProxyType(
    {
        3: Counts(
            responses=1,
            correct_strict=1,
            single_correct_strict=1,
            targets_with_strict=1,
            targets_with_lenient=1,
        ),
        2: Counts(responses=1, correct_partial=1, single_correct_partial=1, targets_with_lenient=1),
        1: Counts(responses=1, incorrect_strict=1, targets_with_strict=1, targets_with_lenient=1),
        0: Counts(responses=1, incorrect_partial=1, targets_with_lenient=1),
    }
)
"""What a response adds that is the only one at its target, by the value of the pair."""


def _match_again(
    group: Sequence[Pair],
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    matcher: Matcher,
    appears: Sequence[float | None],
) -> Iterable[tuple[float, Counts]]:
    """The changes of one group of connected pairs, matched wherever a response of it appears."""
    targets = {i: place for place, i in enumerate(sorted({p.key for p in group}))}
    group_keys = [keys[i] for i in targets]
    members = sorted({p.response for p in group})
    before = Counts(targets=len(targets))
    for level in sorted({t for j in members if (t := appears[j]) is not None}, reverse=True):
        visible = [j for j in members if (t := appears[j]) is not None and t >= level]
        place_of = {j: place for place, j in enumerate(visible)}
        group_responses = [responses[j] for j in visible]
        visible_pairs = [
            Pair(targets[i], place_of[j], value)
            for i, j, value in group
            if j in place_of and value >= 0
        ]
        matches = matcher(visible_pairs, group_keys, group_responses)
        now = counts(visible_pairs, matches, group_keys, group_responses)
        yield level, now - before
        before = now


def _highest_not_above(levels: Sequence[float], score: float | None) -> float | None:
    place = 0 if score is None else bisect_right(levels, score)
    return levels[place - 1] if place else None


def _check_scores(responses: Sequence[Annotation]) -> None:
    lacking = [r.id for r in responses if r.score is None or not math.isfinite(r.score)]
    if lacking:
        raise ValueError(
            f"a curve needs a finite score for every response; without one: {', '.join(lacking)}"
        )
