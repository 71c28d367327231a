"""The metrics of candidate lists: the first choice, any limit, the rank of the answer."""

import math
from collections.abc import Mapping
from functools import partial
from itertools import zip_longest
from typing import cast

from chronoscore.annotations.candidates import (
    By,
    Candidates,
    FirstMatch,
    ListMatching,
    candidate_curve,
    count_lists,
    disambiguation,
    first_matches,
    match_lists,
    max_recall,
    reaches,
)
from chronoscore.annotations.curves import thresholds
from chronoscore.annotations.matching.comparing import SpanComparison, compare, count
from chronoscore.annotations.matching.meetings import SpanPairs
from chronoscore.annotations.matching.strategies import match_by
from chronoscore.annotations.metrics import (
    EXPLAINED,
    PRECISION_RECALL,
    SCORES,
    WHOLE_HITS,
    explain_pairs,
    integers,
    promise,
    shown,
    with_f,
)
from chronoscore.annotations.model import Document
from chronoscore.annotations.parameters import (
    SELECTING,
    STRATEGIES,
    THRESHOLDS,
    UNSCORED,
    SpanQuestion,
    selection_of,
)
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Parameter, RatioTable, Values
from chronoscore.errors import UsageError

NO_LIMIT = "none"
RANK_GRIDS: Mapping[str, tuple[int, ...]] = {
    "11": tuple(range(11)),
    # As the GATE plugin has them: ten ranks to 45, although its name says eleven to 50.
    "51": tuple(range(0, 50, 5)),
    "101": tuple(range(0, 101, 10)),
}
"""Ranks from 0 at which a list is cut."""


def _check_least(text: str) -> None:
    try:
        is_limit = text == NO_LIMIT or math.isfinite(float(text))
    except ValueError:
        is_limit = False
    if not is_limit:
        raise UsageError(f"parameter 'least' is '{text}', expected a score or {NO_LIMIT}")


_MATCHING = Parameter("matching", "word", "best", "how lists are given to targets", STRATEGIES)
_CITATION = "GATE Evaluation plugin (gate.ac.uk), Petrak: EvaluateTagging4Lists, its bugs removed"
_COUNTS = integers(
    targets="gold annotations",
    responses="lists with a visible candidate",
    correct_strict="matched, equal, same span",
    correct_partial="matched, equal, overlapping span",
    incorrect_strict="matched, not equal, same span",
    incorrect_partial="matched, not equal, overlapping span",
    single_correct_strict="correct strict, with no unmatched list at the target",
    single_correct_partial="correct partial, with no unmatched list at the target",
    targets_with_strict="targets that a visible candidate has the span of",
    targets_with_lenient="targets that a visible candidate overlaps",
)
_explained_laws = promise(Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED)
_curve_laws = promise(Law.ITEM_ORDER, Law.BOUNDED)
_of_lists = partial(Definition, setting=selection_of)
_of_matched_lists = partial(
    _of_lists,
    citation=_CITATION,
    statistics=_COUNTS,
    **with_f(PRECISION_RECALL, SCORES),
)


def _first_choices(candidates: Candidates, values: Values) -> tuple[SpanComparison, SpanPairs]:
    """Compare the first candidates of lists as responses, and match them."""
    selection = selection_of(values)
    firsts = tuple(held.candidates[0] for held in candidates.lists)
    question = SpanQuestion(features=selection.features, compare=selection.compare)
    comparison = compare(Document("", candidates.keys), Document("", firsts), question)
    return comparison, match_by(comparison, str(values["matching"]))


def _measure_best(candidates: Candidates, values: Values) -> Evidence:
    (row,) = count(*_first_choices(candidates, values)).tolist()
    return Evidence(tuple(row))


def _explain_best(candidates: Candidates, values: Values) -> list[Match]:
    _, matched = _first_choices(candidates, values)
    names = [f"{held.annotation.id}: {shown(held.candidates[0])}" for held in candidates.lists]
    return explain_pairs(matched.rows(), [shown(key) for key in candidates.keys], names)


BEST = _of_matched_lists(
    name="candidates-best",
    meaning="the first candidate of each list as its only answer, strict and lenient",
    parameters=(*SELECTING, _MATCHING),
    measure=_measure_best,
    explain=_explain_best,
    laws=_explained_laws,
    explained=EXPLAINED,
    hits=WHOLE_HITS,
)


def _limited(candidates: Candidates, values: Values) -> ListMatching:
    """Match lists by their candidates within the limits."""
    first, least = int(cast("int", values["first"])), str(values["least"])
    if least != NO_LIMIT:
        _need_scores(values)
    visible = {}
    for place, held in enumerate(candidates.lists):
        number = len(held.candidates[: first or None])
        if least != NO_LIMIT:
            number = min(number, sum(score >= float(least) for score in held.scores))
        visible[place] = number
    return match_lists(candidates, str(values["matching"]), visible)


def _need_scores(values: Values) -> None:
    if values["score"] == UNSCORED:
        raise UsageError("a limit by score needs scores: name their feature with score=NAME")


def _explain_limited(candidates: Candidates, values: Values) -> list[Match]:
    matching = _limited(candidates, values)
    place_of = {j: place for place, j in enumerate(matching.responses)}
    lists = (
        (candidates.lists[j].annotation, response) for j, response in matching.responses.items()
    )
    names = [f"{holder.id}: {shown(response)}" for holder, response in lists]
    matched = [(i, place_of[j], value) for i, j, value in matching.matches]
    return explain_pairs(matched, [shown(key) for key in candidates.keys], names)


LIMITED = _of_matched_lists(
    name="candidates",
    meaning="a list is right if the answer is among its first candidates; each list is used once",
    parameters=(
        *SELECTING,
        _MATCHING,
        Parameter(
            "first", "integer", 0, "how many candidates of a list count; 0 means all", least=0
        ),
        Parameter(
            "least", "word", NO_LIMIT, "the score that a candidate must reach", check=_check_least
        ),
    ),
    measure=lambda lists, values: Evidence(count_lists(lists, _limited(lists, values)).values),
    explain=_explain_limited,
    laws=_explained_laws,
    explained=EXPLAINED,
)


def rank_levels(kind: str, longest: int) -> list[float]:
    """Return the levels of a curve over ranks: minus each rank, -1 for the first candidate alone.

    >>> rank_levels("all", 3), rank_levels("51", 0)[:3]
    ([-1.0, -2.0, -3.0], [-1.0, -6.0, -11.0])
    """
    ranks = range(longest) if kind == "all" else RANK_GRIDS[kind]
    return [-float(rank + 1) for rank in ranks]


def _measure_curve(candidates: Candidates, values: Values) -> Evidence:
    by = cast("By", values["by"])
    if by == "score":
        _need_scores(values)
        scores = [score for held in candidates.lists for score in held.scores]
        levels = thresholds(str(values["thresholds"]), scores)
    else:
        longest = max((len(held.candidates) for held in candidates.lists), default=0)
        levels = rank_levels(str(values["ranks"]), longest)
    (_, base), *steps = candidate_curve(candidates, str(values["matching"]), by, levels)
    return Evidence(base.values, steps=tuple((level, change.values) for level, change in steps))


CURVE = _of_matched_lists(
    name="candidates-curve",
    meaning="the scores of candidates by score threshold, or by rank (1 is written -1)",
    parameters=(
        *SELECTING,
        _MATCHING,
        Parameter("by", "word", "score", "what limits a list", ("score", "rank")),
        THRESHOLDS,
        Parameter(
            "ranks", "word", "all", "every rank that occurs, or the plugin's", ("all", *RANK_GRIDS)
        ),
    ),
    measure=_measure_curve,
    laws=_curve_laws,
    curve="best",
    shown=SCORES[:6],
)

_RANK_STATISTICS = (
    *integers(
        lists="lists with candidates",
        with_targets="lists at a target",
        match_lenient="lists that have the answer",
        match_strict="lists with an equal candidate of a target's span",
        match_partial="lists with an equal candidate that overlaps one",
        strict_at_first="lists whose first candidate is a strict match",
        partial_at_first="lists whose first candidate is a partial match",
    ),
    Statistic("reciprocal_strict", "real", "1 / rank of the first strict match, added up"),
    Statistic("reciprocal_lenient", "real", "1 / rank of the first match, added up"),
)


def _measure_rank(candidates: Candidates, _: Values) -> Evidence:
    firsts = first_matches(candidates)
    at_targets = [first for first in firsts if first.targets]
    strict = [first.strict for first in at_targets if first.strict is not None]
    partial = [first.partial for first in at_targets if first.partial is not None]
    lenient = [first.lenient for first in at_targets if first.lenient is not None]
    return Evidence(
        (
            len(firsts),
            len(at_targets),
            len(lenient),
            len(strict),
            len(partial),
            strict.count(0),
            partial.count(0),
            sum(1 / (place + 1) for place in strict),
            sum(1 / (place + 1) for place in lenient),
        )
    )


def _explain_rank(candidates: Candidates, _: Values) -> list[Match]:
    firsts = first_matches(candidates)
    return [_explain_list(candidates, first) for first in firsts if first.targets]


def _explain_list(candidates: Candidates, first: FirstMatch) -> Match:
    held = candidates.lists[first.place]
    target = shown(candidates.keys[candidates.targets[first.place][0]])
    place = first.lenient
    name = f"{held.annotation.id} {held.annotation.type}"
    if place is None:
        return Match("recall", "no match", 0.0, 1.0, gold=target, predicted=name)
    kind = "strict" if place == first.strict else "partial"
    return Match(
        "recall",
        f"{kind} match at rank {place + 1}",
        1 / (place + 1),
        1.0,
        gold=target,
        predicted=f"{name}: {shown(held.candidates[place])}",
        shared=held.scores[place] if held.scores else None,
    )


RANK = _of_lists(
    name="candidates-rank",
    meaning="the mean reciprocal rank of the first right candidate, over lists at a target",
    citation="Voorhees 1999, The TREC-8 question answering track report; " + _CITATION,
    parameters=SELECTING,
    statistics=_RANK_STATISTICS,
    ratio_table={
        "strict_mrr": ({"reciprocal_strict": 1.0}, "with_targets"),
        "lenient_mrr": ({"reciprocal_lenient": 1.0}, "with_targets"),
        "strict_first": ({"strict_at_first": 1.0}, "with_targets"),
        "strict_anywhere": ({"match_strict": 1.0}, "with_targets"),
        "lenient_anywhere": ({"match_lenient": 1.0}, "with_targets"),
    },
    primary="lenient_mrr",
    measure=_measure_rank,
    explain=_explain_rank,
    laws=_explained_laws,
    explained={"recall": (("reciprocal_lenient",), ("with_targets",))},
)

_ACCURACY_STATISTICS = integers(
    lists="lists that have the answer",
    correct_strict="have it among the first n, of the same span",
    correct_partial="have it among the first n, overlapping",
    incorrect_strict="don't yet, the n-th has the list's own span",
    incorrect_partial="don't yet, the n-th has another span",
)


def _measure_accuracy(candidates: Candidates, _: Values) -> Evidence:
    changes = disambiguation(candidates)
    steps = tuple((level, (change.targets, *change.values[2:6])) for level, change in changes)
    return Evidence((0, 0, 0, 0, 0), steps=steps)


ACCURACY = _of_lists(
    name="candidates-accuracy",
    meaning="of the lists that have the answer, how many have it among the first n (written -n)",
    citation=_CITATION,
    parameters=SELECTING,
    statistics=_ACCURACY_STATISTICS,
    ratio_table={
        "strict_accuracy": ({"correct_strict": 1.0}, "lists"),
        "lenient_accuracy": ({"correct_strict": 1.0, "correct_partial": 1.0}, "lists"),
    },
    measure=_measure_accuracy,
    laws=_curve_laws,
    curve="best",
)

_REACH = integers(
    targets="gold annotations",
    targets_with_list="targets that a list overlaps",
    correct_strict="targets with an answer of their span in a list",
    correct_lenient="targets with an answer in a list",
    lists="lists with candidates",
    lists_with_target="lists that overlap a target",
)
_REACH_RATIOS: RatioTable = {
    "strict_recall": ({"correct_strict": 1.0}, "targets"),
    "lenient_recall": ({"correct_lenient": 1.0}, "targets"),
    "strict_recall_in_lists": ({"correct_strict": 1.0}, "targets_with_list"),
    "lenient_recall_in_lists": ({"correct_lenient": 1.0}, "targets_with_list"),
}


def _measure_reach(candidates: Candidates, _: Values) -> Evidence:
    most = max_recall(candidates)
    return Evidence(tuple(getattr(most, statistic.name) for statistic in _REACH))


def _explain_reach(candidates: Candidates, _: Values) -> list[Match]:
    matches = []
    for reach in reaches(candidates):
        place = reach.lenient
        outcome = reach.indicator if place is None else f"{reach.indicator} at rank {place + 1}"
        credit = float(place is not None)
        matches.append(Match("recall", outcome, credit, 1.0, gold=shown(reach.target)))
    return matches


def _measure_reach_curve(candidates: Candidates, _: Values) -> Evidence:
    most = max_recall(candidates)
    base = (most.targets, most.targets_with_list, 0, 0, most.lists, most.lists_with_target)
    found = zip_longest(most.strict_by_rank, most.lenient_by_rank, fillvalue=0)
    steps = ((-float(rank), (0, 0, *number, 0, 0)) for rank, number in enumerate(found, 1))
    return Evidence(base, steps=tuple(step for step in steps if any(step[1])))


_of_reach = partial(
    _of_lists,
    citation="GATE Evaluation plugin (gate.ac.uk), Petrak: EvaluateMaxRecall",
    parameters=SELECTING,
    statistics=_REACH,
    ratio_table=_REACH_RATIOS,
)
MAX_RECALL = _of_reach(
    name="max-recall",
    meaning="the recall if the right candidate were always chosen: what the lists could give",
    measure=_measure_reach,
    explain=_explain_reach,
    laws=_explained_laws,
    explained={"recall": (("correct_lenient",), ("targets",))},
)
MAX_RECALL_CURVE = _of_reach(
    name="max-recall-curve",
    meaning="max-recall if lists are cut after n candidates (written -n)",
    measure=_measure_reach_curve,
    laws=_curve_laws,
    curve="best",
)

DEFINITIONS = (BEST, LIMITED, CURVE, RANK, ACCURACY, MAX_RECALL, MAX_RECALL_CURVE)
