"""Counts over score thresholds: which responses take part if only the surer ones do.

Pairs are found once. What happens in one connected group of them has no influence on another: a
pair that is a group of its own counts from its score downwards, and only larger groups are matched
again, once for each change in their visible responses. Each of these is a document of its own to
the matching, so that all of them are matched at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import Columns, Integers
from chronoscore.annotations.counting import Compared, count
from chronoscore.annotations.model import COUNTERS, Counts
from chronoscore.annotations.pairing import Meetings
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.thresholds import levels, thresholds
from chronoscore.core.errors import DataError
from chronoscore.core.steps import StepColumns

__all__ = ["Curve", "Steps", "ThresholdKind", "difference_curve", "thresholds"]

ThresholdKind: TypeAlias = str
Steps: TypeAlias = list[tuple[float, Counts]]
"""(threshold, change of the counts from the threshold above), highest first, from +infinity."""
Levels: TypeAlias = NDArray[np.float64]

_AT_ONCE = 2_000_000
"""So many pairs are matched again at a time, to bound the memory."""


@dataclass(frozen=True, eq=False)
class Curve:
    """How the counts change at which threshold in which document: by document, highest first.

    The sum of a document's changes down to t is what a matching of its responses with a score of
    at least t counts (without the targets, which are always there), and so the steps of documents
    can be added up although their thresholds differ. Where nothing changes there is no step.
    """

    document: Integers
    threshold: Levels
    change: Integers
    documents: int

    @property
    def steps(self) -> StepColumns:
        """The steps of each document, as rows keep them."""
        return StepColumns(self.document, self.threshold, self.change, self.documents)


def difference_curve(
    compared: Compared, matched: Callable[[Compared], Pairs], kind: ThresholdKind
) -> Curve:
    """How the counts change from threshold to threshold, if responses with score >= t take part."""
    keys, responses, pairs = compared.keys, compared.responses, compared.pairs
    _check_scores(responses)
    level = levels(kind, responses.document, responses.score)
    met = compared.met
    # Empty responses at a target's start are no pairs but decide whether it is single.
    key = np.concatenate([pairs.key, met.near_key])
    response = np.concatenate([pairs.response, met.near_response])
    at_key = np.bincount(key, minlength=len(keys))
    at_response = np.bincount(response, minlength=len(responses))
    alone = (at_key[pairs.key] == 1) & (at_response[pairs.response] == 1)
    lonely = np.flatnonzero(at_response == 0)
    parts = [
        (
            responses.document[pairs.response[alone]],
            level[pairs.response[alone]],
            _ALONE[pairs.value[alone]],
        ),
        (
            responses.document[lonely],
            level[lonely],
            np.broadcast_to(_SPURIOUS, (len(lonely), len(COUNTERS))),
        ),
    ]
    linked = np.ones(len(key), np.bool_)
    linked[: len(pairs)] = ~alone
    if linked.any():
        parts.append(_matched_again(compared, matched, level, key, response, linked))
    document, threshold, change = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _summed(document, threshold, change, len(keys.documents))


def _row(**counted: int) -> list[int]:
    return list(Counts(**counted).values)


_SPURIOUS = np.array(_row(responses=1), np.int64)
_ALONE = np.array(
    [
        _row(responses=1, incorrect_partial=1, targets_with_lenient=1),
        _row(responses=1, incorrect_strict=1, targets_with_strict=1, targets_with_lenient=1),
        _row(responses=1, correct_partial=1, single_correct_partial=1, targets_with_lenient=1),
        _row(
            responses=1,
            correct_strict=1,
            single_correct_strict=1,
            targets_with_strict=1,
            targets_with_lenient=1,
        ),
    ],
    np.int64,
)
"""What a response adds that is the only one at its target, by the value of the pair."""


def _summed(document: Integers, threshold: Levels, change: Integers, documents: int) -> Curve:
    """Add up the changes of one document and threshold; what reaches none is left out."""
    seen = ~np.isnan(threshold)
    document, threshold, change = document[seen], threshold[seen], change[seen]
    order = np.lexsort((-threshold, document))
    document, threshold = document[order], threshold[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (document[1:] != document[:-1]) | (threshold[1:] != threshold[:-1])
    first = np.flatnonzero(new)
    if not len(first):
        return Curve(document, threshold, change, documents)
    total = np.add.reduceat(change[order], first, axis=0)
    any_change = total.any(axis=1)
    kept = first[any_change]
    return Curve(document[kept], threshold[kept], total[any_change], documents)


@dataclass(frozen=True, eq=False)
class _Links:
    """Pairs of groups that are matched again, and from which step on each is there.

    ``key`` and ``response`` are places among the members; ``group`` is the link's.
    """

    key: Integers
    response: Integers
    group: Integers
    since: Integers
    real: NDArray[np.bool_]
    """Whether the two are a pair, and not only near."""


def _matched_again(
    compared: Compared,
    matched: Callable[[Compared], Pairs],
    level: Levels,
    key: Integers,
    response: Integers,
    linked: NDArray[np.bool_],
) -> tuple[Integers, Levels, Integers]:
    """The changes of all groups of connected pairs, at each level where a response appears."""
    from chronoscore.annotations.optimum import groups  # noqa: PLC0415 - only where needed

    places = np.flatnonzero(linked)
    own_keys, k = np.unique(key[places], return_inverse=True)
    own_responses, r = np.unique(response[places], return_inverse=True)
    group = groups(k, r)
    key_group, response_group = (
        np.empty(len(own_keys), np.int64),
        np.empty(len(own_responses), np.int64),
    )
    key_group[k], response_group[r] = group, group
    # The steps of a group are its distinct levels, highest first.
    own_level = level[own_responses]
    seen = np.flatnonzero(~np.isnan(own_level))
    order = seen[np.lexsort((-own_level[seen], response_group[seen]))]
    new = np.ones(len(order), np.bool_)
    g, t = response_group[order], own_level[order]
    new[1:] = (g[1:] != g[:-1]) | (t[1:] != t[:-1])
    step_group, step_level = g[new], t[new]
    step_count = np.bincount(step_group, minlength=int(group.max()) + 1)
    base = np.cumsum(step_count) - step_count
    since = np.full(len(own_responses), np.iinfo(np.int64).max // 2)
    since[order] = np.cumsum(new) - 1 - base[g]
    links = _Links(k, r, group, since[r], places < len(compared.pairs))
    cost = np.bincount(group, minlength=len(step_count))[step_group]
    rows = []
    for low, high in _chunks(cost):
        steps = _Steps(step_count, base, low, high)
        part = _as_documents(
            compared,
            links,
            own_keys,
            own_responses,
            key_group,
            response_group,
            since,
            places,
            steps,
        )
        rows.append(count(part, matched(part)))
    counted = np.concatenate(rows) if rows else np.empty((0, len(COUNTERS)), np.int64)
    before = np.zeros_like(counted)
    before[1:] = counted[:-1]
    first = base[step_count > 0]
    before[first] = 0
    change = counted - before
    change[:, COUNTERS.index("targets")] = 0
    home = np.empty(len(step_count), np.int64)
    home[key_group] = compared.keys.document[own_keys]
    return home[step_group], step_level, change


def _chunks(cost: Integers) -> Iterator[tuple[int, int]]:
    """Ranges of steps that are not too much at once."""
    if not len(cost):
        return
    number = np.cumsum(cost) // _AT_ONCE
    borders = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(cost)]
    yield from pairwise(borders)


@dataclass(frozen=True, eq=False)
class _Steps:
    """Some of the steps of all groups, which lie one after the other, from ``low`` to ``high``."""

    count: Integers
    base: Integers
    low: int
    high: int

    def copies(self, group: Integers, since: Integers) -> tuple[Integers, Integers]:
        """For items that are there from a step of their group on: each item again for each step.

        Gives (item, step counted from ``low``).
        """
        first = np.maximum(self.base[group] + since, self.low)
        last = np.minimum(self.base[group] + self.count[group], self.high)
        number = np.maximum(last - first, 0)
        item = np.repeat(np.arange(len(group), dtype=np.int64), number)
        skip = np.repeat(first - (np.cumsum(number) - number), number)
        return item, np.arange(len(item), dtype=np.int64) + skip - self.low


def _as_documents(
    compared: Compared,
    links: _Links,
    own_keys: Integers,
    own_responses: Integers,
    key_group: Integers,
    response_group: Integers,
    since: Integers,
    places: Integers,
    steps: _Steps,
) -> Compared:
    """The groups at each of some steps, every one as a document of its own."""
    size = steps.high - steps.low
    names = tuple([""] * size)
    key_item, key_step = steps.copies(key_group, np.zeros(len(own_keys), np.int64))
    response_item, response_step = steps.copies(response_group, since)
    link, link_step = steps.copies(links.group, links.since)
    key = _find(key_item, key_step, links.key[link], link_step, size)
    response = _find(response_item, response_step, links.response[link], link_step, size)
    real = links.real[link]
    pair = places[link[real]]
    pairs = replace(compared.pairs.take(pair), key=key[real], response=response[real])
    met = Meetings(
        pairs.key,
        pairs.response,
        compared.met.coextensive[pair],
        pairs.overlap,
        key[~real],
        response[~real],
    )
    return Compared(
        _moved(compared.keys, own_keys[key_item], key_step, names),
        _moved(compared.responses, own_responses[response_item], response_step, names),
        met,
        pairs,
        compared.question,
    )


def _find(item: Integers, step: Integers, wanted: Integers, at: Integers, size: int) -> Integers:
    """The place of (item, step) among copies, which are ordered by both."""
    return np.searchsorted(item * size + step, wanted * size + at)


def _moved(side: Columns, places: Integers, step: Integers, names: tuple[str, ...]) -> Columns:
    return replace(side.take(places), documents=names, document=step)


def _check_scores(responses: Columns) -> None:
    lacking = np.flatnonzero(~np.isfinite(responses.score))
    if len(lacking):
        first = int(lacking[0])
        document = responses.documents[int(responses.document[first])]
        shown = [responses.id_of(place) for place in lacking[:5].tolist()]
        raise DataError.of(
            f"document '{document}': a curve needs a finite score for every response; "
            f"without one: {', '.join(shown)}"
            + (f" and {len(lacking) - 5} more" if len(lacking) > 5 else "")
        )
