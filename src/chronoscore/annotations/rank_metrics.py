"""Metrics of where the answer stands: reciprocal rank, accuracy among the first n, max recall."""

from collections import defaultdict

import numpy as np

from chronoscore.annotations.candidate_curves import FirstMatch, disambiguation, first_matches
from chronoscore.annotations.candidate_parameters import SELECTING, selection
from chronoscore.annotations.candidates import Candidates
from chronoscore.annotations.explaining import shown
from chronoscore.annotations.max_recall import max_recall, reaches
from chronoscore.annotations.model import Counts
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Values
from chronoscore.elements.ratios import Array, ratio

_LISTS = "GATE Evaluation plugin (gate.ac.uk), Petrak: EvaluateTagging4Lists, its bugs removed"
_MAX_RECALL = "GATE Evaluation plugin (gate.ac.uk), Petrak: EvaluateMaxRecall"


def _explained_laws(_: Values) -> frozenset[Law]:
    return frozenset({Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED})


def _curve_laws(_: Values) -> frozenset[Law]:
    return frozenset({Law.ITEM_ORDER, Law.BOUNDED})


def _measure_rank(found: Candidates, _: Values) -> Evidence:
    firsts = first_matches(found)
    there = [one for one in firsts if one.targets]
    strict = [one.strict for one in there if one.strict is not None]
    partial = [one.partial for one in there if one.partial is not None]
    lenient = [one.lenient for one in there if one.lenient is not None]
    return Evidence(
        (
            len(firsts),
            len(there),
            len(lenient),
            len(strict),
            len(partial),
            strict.count(0),
            partial.count(0),
            sum(1 / (place + 1) for place in strict),
            sum(1 / (place + 1) for place in lenient),
        )
    )


def _explain_rank(found: Candidates, _: Values) -> list[Match]:
    return [_first(found, one) for one in first_matches(found) if one.targets]


def _first(found: Candidates, one: FirstMatch) -> Match:
    held = found.lists[one.place]
    target = shown(found.keys[found.targets[one.place][0]])
    place = one.lenient
    name = f"{held.annotation.id} {held.annotation.type}"
    if place is None:
        return Match("recall", "no match", 0.0, 1.0, gold=target, predicted=name)
    kind = "strict" if place == one.strict else "partial"
    predicted = f"{name}: {shown(held.candidates[place])}"
    score = held.scores[place] if held.scores else None
    outcome = f"{kind} match at rank {place + 1}"
    return Match(
        "recall", outcome, 1 / (place + 1), 1.0, gold=target, predicted=predicted, shared=score
    )


def _rank_ratios(statistics: Array, _: Values) -> Array:
    there = statistics[..., 1]
    places = (7, 8, 5, 3, 2)
    return np.stack([ratio(statistics[..., place], there) for place in places], axis=-1)


_RANK_SCORES = ("strict_mrr", "lenient_mrr", "strict_first", "strict_anywhere", "lenient_anywhere")

RANK = Definition(
    name="candidates-rank",
    meaning="the mean reciprocal rank of the first right candidate, over lists at a target",
    citation="Voorhees 1999, The TREC-8 question answering track report; " + _LISTS,
    parameters=SELECTING,
    statistics=(
        Statistic("lists", "integer", "lists with candidates"),
        Statistic("with_targets", "integer", "lists at a target"),
        Statistic("match_lenient", "integer", "lists that have the answer"),
        Statistic("match_strict", "integer", "lists with an equal candidate of a target's span"),
        Statistic("match_partial", "integer", "lists with an equal candidate that overlaps one"),
        Statistic("strict_at_first", "integer", "lists whose first candidate is a strict match"),
        Statistic("partial_at_first", "integer", "lists whose first candidate is a partial match"),
        Statistic("reciprocal_strict", "real", "1 / rank of the first strict match, added up"),
        Statistic("reciprocal_lenient", "real", "1 / rank of the first match, added up"),
    ),
    components=_RANK_SCORES,
    scores=_RANK_SCORES,
    primary="lenient_mrr",
    setting=selection,
    measure=_measure_rank,
    explain=_explain_rank,
    ratios=_rank_ratios,
    laws=_explained_laws,
    explained={"recall": (("reciprocal_lenient",), ("with_targets",))},
)


def _measure_accuracy(found: Candidates, _: Values) -> Evidence:
    steps = [(level, _cells(change)) for level, change in disambiguation(found)]
    return Evidence((0, 0, 0, 0, 0), steps=tuple(steps))


def _cells(change: Counts) -> tuple[int, ...]:
    return (
        change.targets,
        change.correct_strict,
        change.correct_partial,
        change.incorrect_strict,
        change.incorrect_partial,
    )


def _accuracy_ratios(statistics: Array, _: Values) -> Array:
    lists, strict, partial = (statistics[..., place] for place in range(3))
    return np.stack([ratio(strict, lists), ratio(strict + partial, lists)], axis=-1)


ACCURACY = Definition(
    name="candidates-accuracy",
    meaning="of the lists that have the answer, how many have it among the first n (written -n)",
    citation=_LISTS,
    parameters=SELECTING,
    statistics=(
        Statistic("lists", "integer", "lists that have the answer"),
        Statistic("correct_strict", "integer", "have it among the first n, of the same span"),
        Statistic("correct_partial", "integer", "have it among the first n, overlapping"),
        Statistic("incorrect_strict", "integer", "don't yet, the n-th has the list's own span"),
        Statistic("incorrect_partial", "integer", "don't yet, the n-th has another span"),
    ),
    components=("strict_accuracy", "lenient_accuracy"),
    scores=("strict_accuracy", "lenient_accuracy"),
    primary="strict_accuracy",
    setting=selection,
    measure=_measure_accuracy,
    ratios=_accuracy_ratios,
    laws=_curve_laws,
    curve="best",
)

_REACH = (
    Statistic("targets", "integer", "gold annotations"),
    Statistic("targets_with_list", "integer", "targets that a list overlaps"),
    Statistic("correct_strict", "integer", "targets with an answer of their span in a list"),
    Statistic("correct_lenient", "integer", "targets with an answer in a list"),
    Statistic("lists", "integer", "lists with candidates"),
    Statistic("lists_with_target", "integer", "lists that overlap a target"),
)
_REACH_SCORES = (
    "strict_recall",
    "lenient_recall",
    "strict_recall_in_lists",
    "lenient_recall_in_lists",
)


def _reach_ratios(statistics: Array, _: Values) -> Array:
    targets, with_list, strict, lenient = (statistics[..., place] for place in range(4))
    sides = ((strict, targets), (lenient, targets), (strict, with_list), (lenient, with_list))
    return np.stack([ratio(*side) for side in sides], axis=-1)


def _measure_reach(found: Candidates, _: Values) -> Evidence:
    most = max_recall(found)
    return Evidence(
        (
            most.targets,
            most.targets_with_list,
            most.correct_strict,
            most.correct_lenient,
            most.lists,
            most.lists_with_target,
        )
    )


def _explain_reach(found: Candidates, _: Values) -> list[Match]:
    return [
        Match(
            "recall",
            one.indicator if one.lenient is None else f"{one.indicator} at rank {one.lenient + 1}",
            float(one.lenient is not None),
            1.0,
            gold=shown(one.target),
        )
        for one in reaches(found)
    ]


def _measure_reach_curve(found: Candidates, _: Values) -> Evidence:
    most = max_recall(found)
    changes: dict[float, list[int]] = defaultdict(lambda: [0] * len(_REACH))
    for place, histogram in ((2, most.strict_by_rank), (3, most.lenient_by_rank)):
        for rank, many in enumerate(histogram, 1):
            if many:
                changes[-float(rank)][place] += many
    base = (most.targets, most.targets_with_list, 0, 0, most.lists, most.lists_with_target)
    steps = ((level, tuple(changes[level])) for level in sorted(changes, reverse=True))
    return Evidence(base, steps=tuple(steps))


MAX_RECALL = Definition(
    name="max-recall",
    meaning="the recall if the right candidate were always chosen: what the lists could give",
    citation=_MAX_RECALL,
    parameters=SELECTING,
    statistics=_REACH,
    components=_REACH_SCORES,
    scores=_REACH_SCORES,
    primary="strict_recall",
    setting=selection,
    measure=_measure_reach,
    explain=_explain_reach,
    ratios=_reach_ratios,
    laws=_explained_laws,
    explained={"recall": (("correct_lenient",), ("targets",))},
)
MAX_RECALL_CURVE = Definition(
    name="max-recall-curve",
    meaning="max-recall if lists are cut after n candidates (written -n)",
    citation=_MAX_RECALL,
    parameters=SELECTING,
    statistics=_REACH,
    components=_REACH_SCORES,
    scores=_REACH_SCORES,
    primary="strict_recall",
    setting=selection,
    measure=_measure_reach_curve,
    ratios=_reach_ratios,
    laws=_curve_laws,
    curve="best",
)


DEFINITIONS = (RANK, ACCURACY, MAX_RECALL, MAX_RECALL_CURVE)
