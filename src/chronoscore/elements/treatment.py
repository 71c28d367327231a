"""Days of treatment: what begins, ends and single mentions of a drug say about its days.

For each drug, begins are taken by their first day and ends by their last. A begin takes the first
end on or after it that comes before the next begin, and all days from the one to the other are
days of treatment: a course. A begin or an end that is left alone gives its own days, and a mention
(`contains-1`) its day. A mention of more than one day, such as a month, gives none and is `vague`:
it says that the drug was taken on some of these days, and not on which.

Courses are kept as first and last days, so that a course of two hundred years costs no more than
one of a week.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from math import inf, isinf
from typing import Final, NamedTuple

from chronoscore.elements.time import Time
from chronoscore.errors import UsageError

BEGINS, ENDS, MENTION = "begins-on", "ends-on", "contains-1"
RELATIONS: Final = (BEGINS, ENDS, MENTION)
Treatment = tuple[str, str, Time]
"""A drug, one of `RELATIONS`, and when."""
Days = tuple[int, int]
"""The first and the last day, as numbers."""


class TreatmentDays(NamedTuple):
    """The days of treatment of both sides, summed over drugs."""

    shared: int
    predicted: int
    gold: int
    vague: int
    """Tuples of both sides that name no days."""


def treatment_days(gold: Iterable[Treatment], predicted: Iterable[Treatment]) -> TreatmentDays:
    """Count the days of treatment that both sides, and each of them, are certain of.

    Precision is ``shared / predicted``, recall ``shared / gold``. Names of drugs and relations are
    compared without regard to case.

    >>> day = Time.parse
    >>> gold = [("Taxol", "begins-on", day("2013-01-01")), ("Taxol", "ends-on", day("2013-01-10"))]
    >>> said = [("taxol", "contains-1", day("2013-01-10")), ("taxol", "contains-1", day("2013-02"))]
    >>> treatment_days(gold, said)
    TreatmentDays(shared=1, predicted=1, gold=10, vague=1)
    """
    sides = [list(gold), list(predicted)]
    axes = {time.axis for _, _, time in chain(*sides)}
    if len(axes) > 1:
        raise UsageError("some times are dates and others offsets: days can't be compared")
    (gold_days, gold_vague), (predicted_days, predicted_vague) = map(_days_by_drug, sides)
    return TreatmentDays(
        sum(
            shared_days(days, predicted_days[drug])
            for drug, days in gold_days.items()
            if drug in predicted_days
        ),
        sum(map(length, predicted_days.values())),
        sum(map(length, gold_days.values())),
        gold_vague + predicted_vague,
    )


def _days_by_drug(treatments: Iterable[Treatment]) -> tuple[dict[str, list[Days]], int]:
    """Return the days of each drug, and how many tuples say none."""
    extents: defaultdict[str, dict[str, list[Days]]] = defaultdict(
        lambda: {relation: [] for relation in RELATIONS}
    )
    vague = 0
    for drug, relation, time in treatments:
        first, last = time.cells("day")
        kind = relation.casefold()
        if (
            isinf(first)
            or isinf(last)
            or kind not in RELATIONS
            or (kind == MENTION and first < last)
        ):
            vague += 1
        else:
            extents[drug.casefold()][kind].append((int(first), int(last)))
    days = {
        drug: united([*courses(kinds[BEGINS], kinds[ENDS]), *kinds[MENTION]])
        for drug, kinds in extents.items()
    }
    return days, vague


def courses(begins: Iterable[Days], ends: Iterable[Days]) -> list[Days]:
    """Pair begins with ends; what finds no partner stands for its own days.

    >>> courses([(1, 1), (20, 20), (30, 30)], [(5, 5), (9, 9), (40, 46)])
    [(1, 5), (20, 20), (30, 46), (9, 9)]
    """
    opening = sorted(begins)
    closing = sorted(ends, key=lambda days: (days[1], days[0]))
    following = [*(first for first, _ in opening[1:]), inf]
    found: list[Days] = []
    alone: list[Days] = []
    at = 0
    for begin, next_first in zip(opening, following, strict=False):
        while at < len(closing) and closing[at][1] < begin[0]:
            alone.append(closing[at])
            at += 1
        if at < len(closing) and closing[at][1] < next_first:
            found.append((begin[0], closing[at][1]))
            at += 1
        else:
            found.append(begin)
    return [*found, *alone, *closing[at:]]


def united(extents: Iterable[Days]) -> list[Days]:
    """Return the same days as extents in order that share no day.

    >>> united([(5, 9), (1, 3), (8, 12), (4, 4)])
    [(1, 12)]
    """
    merged: list[Days] = []
    for first, last in sorted(extents):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def length(extents: Iterable[Days]) -> int:
    """Count the days of extents that share none.

    >>> length([(1, 3), (8, 8)])
    4
    """
    return sum(last - first + 1 for first, last in extents)


def shared_days(one: Sequence[Days], other: Sequence[Days]) -> int:
    """Count the days that two lists of united extents have in common.

    >>> shared_days([(1, 5), (8, 20)], [(4, 9)])
    4
    """
    shared = here = there = 0
    while here < len(one) and there < len(other):
        first = max(one[here][0], other[there][0])
        last = min(one[here][1], other[there][1])
        shared += max(0, last - first + 1)
        if one[here][1] < other[there][1]:
            here += 1
        else:
            there += 1
    return shared
