"""The metrics of candidate lists: the first choice, any limit, where the answer stands."""

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from chronoscore.annotations.candidate_curves import (
    RANK_GRIDS,
    candidate_curve,
    first_pairs,
    firsts_of,
    rank_levels,
)
from chronoscore.annotations.candidate_parameters import SELECTING, selection
from chronoscore.annotations.candidates import UNSCORED, By, Candidates, Selection
from chronoscore.annotations.explaining import OUTCOMES, shown
from chronoscore.annotations.list_matching import counted, matched_lists
from chronoscore.annotations.matching import MATCHERS, Pair, counts
from chronoscore.annotations.model import COUNTERS, WHOLE_HITS, Annotation
from chronoscore.annotations.thresholds import check, thresholds
from chronoscore.core.errors import UsageError
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Parameter, Values
from chronoscore.elements.ratios import Array, f_measure, ratio

NO_LIMIT = "none"


def _finite(text: str) -> None:
    try:
        good = text == NO_LIMIT or math.isfinite(float(text))
    except ValueError:
        good = False
    if not good:
        raise UsageError(f"parameter 'least' is '{text}', expected a score or {NO_LIMIT}")


_MATCHING = Parameter("matching", "word", "best", "how lists are given to targets", tuple(MATCHERS))
_CITATION = "GATE Evaluation plugin (gate.ac.uk), Petrak: EvaluateTagging4Lists, its bugs removed"

_MEANINGS = (
    "gold annotations",
    "lists with a visible candidate",
    "matched, equal, same span",
    "matched, equal, overlapping span",
    "matched, not equal, same span",
    "matched, not equal, overlapping span",
    "correct strict, with no unmatched list at the target",
    "correct partial, with no unmatched list at the target",
    "targets that a visible candidate has the span of",
    "targets that a visible candidate overlaps",
)
_COUNTS = tuple(
    Statistic(name, "integer", meaning) for name, meaning in zip(COUNTERS, _MEANINGS, strict=True)
)
_COMPONENTS = ("strict_precision", "strict_recall", "lenient_precision", "lenient_recall")
_SCORES = (
    "strict_precision",
    "strict_recall",
    "strict_f1",
    "lenient_precision",
    "lenient_recall",
    "lenient_f1",
    "average_f1",
)


def _ratios(statistics: Array, _: Values) -> Array:
    targets, responses, strict, partial = (statistics[..., place] for place in range(4))
    lenient = strict + partial
    sides = ((strict, responses), (strict, targets), (lenient, responses), (lenient, targets))
    return np.stack([ratio(*side) for side in sides], axis=-1)


def _derive(components: Array, _: Values) -> Array:
    strict_p, strict_r, lenient_p, lenient_r = np.moveaxis(components, -1, 0)
    strict, lenient = f_measure(strict_p, strict_r), f_measure(lenient_p, lenient_r)
    mean = (strict + lenient) / 2
    return np.stack([strict_p, strict_r, strict, lenient_p, lenient_r, lenient, mean], axis=-1)


def _explained(
    keys: Sequence[Annotation], names: Sequence[str], matches: Sequence[Pair]
) -> list[Match]:
    """What became of each target and of each list, the latter by name."""
    found = [
        Match(
            side="both",
            outcome=OUTCOMES[p.value],
            credit=float(p.value >= 2),
            possible=1.0,
            gold=shown(keys[p.key]),
            predicted=names[p.response],
        )
        for p in matches
    ]
    used, given = {p.key for p in matches}, {p.response for p in matches}
    found += [
        Match("recall", "missing", 0.0, 1.0, gold=shown(key))
        for place, key in enumerate(keys)
        if place not in used
    ]
    return found + [
        Match("precision", "spurious", 0.0, 1.0, predicted=name)
        for place, name in enumerate(names)
        if place not in given
    ]


def _names(found: Candidates, lists: Sequence[int], chosen: Sequence[Annotation]) -> list[str]:
    """Name lists and the candidates that stand for them."""
    return [
        f"{found.lists[j].annotation.id}: {shown(one)}"
        for j, one in zip(lists, chosen, strict=True)
    ]


def _best_matches(found: Candidates, values: Values) -> tuple[list[Pair], list[Pair]]:
    chosen = cast("Selection", selection(values))
    pairs = first_pairs(found, chosen.features, chosen.compare)
    return pairs, MATCHERS[str(values["matching"])](pairs, found.keys, firsts_of(found))


def _measure_best(found: Candidates, values: Values) -> Evidence:
    pairs, matches = _best_matches(found, values)
    return Evidence(counts(pairs, matches, found.keys, firsts_of(found)).values)


def _explain_best(found: Candidates, values: Values) -> list[Match]:
    firsts = firsts_of(found)
    names = _names(found, range(len(found.lists)), firsts)
    return _explained(found.keys, names, _best_matches(found, values)[1])


def _limited(found: Candidates, values: Values) -> dict[int, int]:
    """How many candidates of each list are seen, by the places of lists."""
    first, least = int(cast("int", values["first"])), str(values["least"])
    if least != NO_LIMIT:
        _need_scores(values)
    seen = {}
    for place, one in enumerate(found.lists):
        many = len(one.candidates) if first == 0 else min(first, len(one.candidates))
        if least != NO_LIMIT:
            many = min(many, sum(score >= float(least) for score in one.scores))
        seen[place] = many
    return seen


def _need_scores(values: Values) -> None:
    if values["score"] == UNSCORED:
        raise UsageError("a limit by score needs scores: name their feature with score=NAME")


def _measure_limited(found: Candidates, values: Values) -> Evidence:
    matcher = MATCHERS[str(values["matching"])]
    made = matched_lists(found, matcher, _limited(found, values))
    return Evidence(counted(found, made).values)


def _explain_limited(found: Candidates, values: Values) -> list[Match]:
    made = matched_lists(found, MATCHERS[str(values["matching"])], _limited(found, values))
    return _explained(found.keys, _names(found, made.lists, made.responses), made.matches)


def _measure_curve(found: Candidates, values: Values) -> Evidence:
    by = cast("By", values["by"])
    if by == "score":
        _need_scores(values)
        scores = [score for one in found.lists for score in one.scores]
        levels = thresholds(str(values["thresholds"]), scores)
    else:
        longest = max((len(one.candidates) for one in found.lists), default=0)
        levels = rank_levels(str(values["ranks"]), longest)
    (_, base), *steps = candidate_curve(found, MATCHERS[str(values["matching"])], by, levels)
    return Evidence(base.values, steps=tuple((level, change.values) for level, change in steps))


_BOTH = {
    "precision": (("correct_strict", "correct_partial"), ("responses",)),
    "recall": (("correct_strict", "correct_partial"), ("targets",)),
}


def _laws(_: Values) -> frozenset[Law]:
    return frozenset({Law.ITEM_ORDER, Law.BOUNDED, Law.EXPLAINED})


BEST = Definition(
    name="candidates-best",
    meaning="the first candidate of each list as its only answer, strict and lenient",
    citation=_CITATION,
    parameters=(*SELECTING, _MATCHING),
    statistics=_COUNTS,
    components=_COMPONENTS,
    scores=_SCORES,
    primary="strict_f1",
    setting=selection,
    measure=_measure_best,
    explain=_explain_best,
    ratios=_ratios,
    derive=_derive,
    laws=_laws,
    explained=_BOTH,
    hits=WHOLE_HITS,
)
LIMITED = Definition(
    name="candidates",
    meaning="a list is right if the answer is among its first candidates; each list is used once",
    citation=_CITATION,
    parameters=(
        *SELECTING,
        _MATCHING,
        Parameter(
            "first", "integer", 0, "how many candidates of a list count; 0 means all", least=0
        ),
        Parameter(
            "least", "word", NO_LIMIT, "the score that a candidate must reach", check=_finite
        ),
    ),
    statistics=_COUNTS,
    components=_COMPONENTS,
    scores=_SCORES,
    primary="strict_f1",
    setting=selection,
    measure=_measure_limited,
    explain=_explain_limited,
    ratios=_ratios,
    derive=_derive,
    laws=_laws,
    explained=_BOTH,
)
CURVE = Definition(
    name="candidates-curve",
    meaning="the scores of candidates by score threshold, or by rank (1 is written -1)",
    citation=_CITATION,
    parameters=(
        *SELECTING,
        _MATCHING,
        Parameter("by", "word", "score", "what limits a list", ("score", "rank")),
        Parameter(
            "thresholds",
            "word",
            "all",
            "every score that occurs, these rounded to 0.01, the plugin's grids 11, 21 and 51, "
            "or numbers such as 0.5/0.9",
            check=check,
        ),
        Parameter(
            "ranks", "word", "all", "every rank that occurs, or the plugin's", ("all", *RANK_GRIDS)
        ),
    ),
    statistics=_COUNTS,
    components=_COMPONENTS,
    scores=_SCORES,
    primary="strict_f1",
    setting=selection,
    measure=_measure_curve,
    ratios=_ratios,
    derive=_derive,
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.BOUNDED}),
    curve="best",
    shown=_SCORES[:6],
)

DEFINITIONS = (BEST, LIMITED, CURVE)
