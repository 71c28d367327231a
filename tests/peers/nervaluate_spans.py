"""nervaluate: its four schemes, by type and with a least overlap, on flat and other documents.

Where a span overlaps several of the other side, `ent_type` and `partial` depend on how spans are
paired, which the two packages define otherwise: only `strict` and `exact` are compared there.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Any, NamedTuple

from nervaluate.evaluator import Evaluator
from peers.comparing import Chance, Check, Comparison
from peers.spans import Spans, counts_and_scores, scores_by_type

from chronoscore.annotations.family import FAMILY

TOLERANCE = 1e-12
OURS = {
    "strict": ("spans", "strict"),
    "exact": ("spans(compare=span)", "strict"),
    "ent_type": ("spans", "lenient"),
    "partial": ("spans(compare=span)", "partial"),
}
PARTS = ("precision", "recall", "f1")
KINDS = ("A", "B")
ROUNDED = (
    "divides before it compares, so that an overlap of exactly the least percentage is lost to "
    "rounding"
)
ORDER = (
    "where spans overlap several others, each prediction takes what comes first; in the best order "
    "of predictions its strict and exact scores are ours"
)


class Given(NamedTuple):
    """Both sides of a document, and the least overlap in percent of the gold span."""

    gold: Spans
    predicted: Spans
    least: int


def draw_flat(chance: Chance) -> Given:
    """Draw spans with gaps between them: nothing meets two of the other side."""
    gold: Spans = []
    predicted: Spans = []
    least = int(chance.choice([1, 1, 29, int(chance.integers(1, 101))]))
    for place in range(2, 2 + 120 * int(chance.integers(0, 8)), 120):
        what = chance.integers(6)
        end = place + int(chance.choice([int(chance.integers(1, 12)), 100]))
        if what != 0:
            gold.append((str(chance.choice(KINDS)), place, end))
        if what == 1:
            continue
        start = place if what in (2, 3) else int(chance.integers(place - 1, end))
        last = end if what == 2 else int(chance.integers(max(start, place) + 1, end + 2))
        if what == 5 and end - place == 100:  # exactly the least overlap, or one less
            start, last = place, place + max(1, least - int(chance.integers(2)))
        predicted.append((str(chance.choice(KINDS)), start, last))
    return Given(gold, predicted, least)


def draw_overlapping(chance: Chance) -> Given:
    """Draw few spans at random: nested, overlapping and equal ones on both sides."""

    def side() -> Spans:
        drawn = []
        for _ in range(int(chance.integers(0, 5))):
            start = int(chance.integers(0, 10))
            drawn.append((str(chance.choice(KINDS)), start, start + int(chance.integers(1, 6))))
        return drawn

    return Given(side(), side(), 1)


def their_answer(gold: Spans, predicted: Spans, least: int) -> Any:
    """Return the results of nervaluate, whose ends are the last character."""
    sides = (
        [[{"label": kind, "start": start, "end": end - 1} for kind, start, end in side]]
        for side in (gold, predicted)
    )
    return Evaluator(
        *sides, tags=[*KINDS], loader="dict", min_overlap_percentage=float(least)
    ).evaluate()


def named(name: str, least: int) -> str:
    """Name our metric with the least overlap."""
    metric = FAMILY.metric(name)
    return str(metric.definition(**{**metric.values, "min_overlap": least}))


def lost_to_rounding(given: Given) -> bool:
    """Whether some pair overlaps by exactly the least percentage, and less as a float."""
    for _, start, end in given.gold:
        for _, first, last in given.predicted:
            common, size = min(end, last) - max(start, first), end - start
            if common * 100 == given.least * size and common / size * 100.0 < given.least:
                return True
    return False


def compare_flat(given: Given) -> Iterator[Comparison]:
    found = their_answer(*given)
    lost = lost_to_rounding(given)

    def same(quantity: str, ours: float, theirs: float) -> Comparison:
        one = Comparison(quantity, ours, theirs, TOLERANCE)
        if one.unexplained and lost:
            return Comparison(quantity, ours, theirs, reason=ROUNDED)
        return one

    for scheme, (name, how) in OURS.items():
        metric = named(name, given.least)
        counts, scores = counts_and_scores(metric, given.gold, given.predicted)
        theirs = found["overall"][scheme]
        for part in PARTS:
            yield same(f"{scheme}, overall", scores[f"{how}_{part}"], getattr(theirs, part))
        pairs = sum(counts[one] for one in counts if one.startswith(("correct", "incorrect")))
        yield same("missed", counts["targets"] - pairs, theirs.missed)
        yield same("spurious", counts["responses"] - pairs, theirs.spurious)
        by_type = scores_by_type(metric, given.gold, given.predicted)
        for kind, ours in by_type.items():
            for part in PARTS:
                other = getattr(found["entities"][kind][scheme], part)
                yield same(f"{scheme}, by type", ours[f"{how}_{part}"], other)


def compare_overlapping(given: Given) -> Iterator[Comparison]:
    gold, predicted, least = given
    found = their_answer(gold, predicted, least)["overall"]
    best: dict[str, int] = {}
    for scheme in ("strict", "exact"):
        name, how = OURS[scheme]
        counts, scores = counts_and_scores(named(name, least), gold, predicted)
        for part in PARTS:
            ours, theirs = scores[f"{how}_{part}"], getattr(found[scheme], part)
            one = Comparison(f"{scheme}, overlapping", ours, theirs, TOLERANCE)
            if one.unexplained:
                if scheme not in best:
                    best[scheme] = max(
                        their_answer(gold, [*order], least)["overall"][scheme].correct
                        for order in permutations(predicted)
                    )
                holds = best[scheme] == counts["correct_strict"] > found[scheme].correct
                one = Comparison(one.quantity, ours, theirs, reason=ORDER, holds=holds)
            yield one


CHECKS = (
    Check("flat documents", draw_flat, compare_flat, 1500),
    Check("overlapping spans", draw_overlapping, compare_overlapping, 1500),
)
