"""A comparison of spans, in one document or in all of a batch, and what its metrics count."""

from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import Columns, Integers
from chronoscore.annotations.counting import Compared, compared, count
from chronoscore.annotations.curves import Curve, difference_curve
from chronoscore.annotations.model import COUNTERS, Annotation, Document
from chronoscore.annotations.own import called
from chronoscore.annotations.pairing import meetings
from chronoscore.annotations.parameters import matched_by
from chronoscore.annotations.question import Question
from chronoscore.core.case import Case
from chronoscore.core.errors import UsageError
from chronoscore.core.functions import allowed
from chronoscore.core.metric import Values, text_of


class Sides:
    """The gold and the prediction of many documents, and what was compared of them last."""

    def __init__(self, make: Callable[[], tuple[Columns, Columns]]) -> None:
        self._make = make
        self._last: tuple[Question, Compared] | None = None

    @cached_property
    def columns(self) -> tuple[Columns, Columns]:
        """Gold and prediction, made when they are first asked for."""
        return self._make()

    def compared(self, question: Question) -> Compared:
        """The comparison that a question asks for; metrics of one question share it."""
        if self._last is None or self._last[0] != question:
            self._last = question, compared(*self.columns, question)
        return self._last[1]


def compare(case: Case[Document, Document], setting: Hashable) -> Compared:
    """Find all pairs of annotations that meet, and which of them are equal."""
    assert isinstance(setting, Question)
    gold, predicted = Columns.of([case.gold]), Columns.of([case.predicted])
    return compared(gold, replace(predicted, documents=gold.documents), setting)


def counted(found: Compared, values: Values) -> Integers:
    """The counters of `spans`, a row a document."""
    return count(found, matched_by(found, values))


def curve(found: Compared, values: Values) -> Curve:
    """The steps of `spans-curve`."""
    if values["matching"] == "scored" and values["candidates"] == "all":
        raise UsageError("a curve is of pairs that overlap: candidates=all has none")
    return difference_curve(found, partial(matched_by, values=values), str(values["thresholds"]))


def curve_base(found: Compared) -> Integers:
    """What is counted above all thresholds: the targets."""
    rows = np.zeros((len(found.keys.documents), len(COUNTERS)), np.int64)
    rows[:, COUNTERS.index("targets")] = np.bincount(found.keys.document, minlength=len(rows))
    return rows


BY_TARGET = (
    "targets",
    *(
        f"{how}_{what}"
        for how in ("strict", "lenient")
        for what in ("correct", "wrong", "none", "many")
    ),
    "elsewhere",
    "overlapping_targets",
)


def by_target(found: Compared, _: Values) -> Integers:
    """What each target has for a response: one that is right or wrong, none, or many."""
    keys, responses, pairs = found.keys, found.responses, found.pairs
    documents = len(keys.documents)

    def by_document(places: Integers | NDArray[np.bool_]) -> Integers:
        return np.bincount(keys.document[places], minlength=documents)

    columns = [np.bincount(keys.document, minlength=documents)]
    for outcome in target_outcomes(found):
        columns += [by_document(outcome == what) for what in range(4)]
    elsewhere = np.ones(len(responses), np.bool_)
    elsewhere[pairs.response] = False
    columns.append(np.bincount(responses.document[elsewhere], minlength=documents))
    columns.append(by_document(_with_company(keys)))
    return np.stack(columns, axis=1)


def target_outcomes(found: Compared) -> tuple[Integers, Integers]:
    """Of each target, strict and lenient: 0 one right response, 1 one wrong, 2 none, 3 many."""
    pairs, size = found.pairs, len(found.keys)
    outcomes = []
    for near in (found.met.coextensive, np.ones(len(pairs), np.bool_)):
        number = np.bincount(pairs.key[near], minlength=size)
        right = np.bincount(pairs.key[near & (pairs.value >= 2)], minlength=size)
        outcomes.append(np.select([number == 0, number > 1, right == 1], [2, 3, 0], 1))
    return outcomes[0], outcomes[1]


def _with_company(keys: Columns) -> NDArray[np.bool_]:
    """Which targets meet another target."""
    met = meetings(keys, keys)
    other = met.key[met.key != met.response]
    company = np.zeros(len(keys), np.bool_)
    company[other] = True
    return company


LOSSES = ("0-1", "lenient-0-1")


def lost(found: Compared, values: Values) -> NDArray[np.float64]:
    """The loss in each document: (loss, the worst possible, targets).

    The worst is that every target is missed and every response is spurious.
    """
    taken = matched_by(found, values)
    keys, responses = found.keys, found.responses
    name = text_of(values, "loss")
    left, right = np.ones(len(keys)), np.ones(len(responses))
    if name in LOSSES:
        pair = (taken.value < (3 if name == "0-1" else 2)).astype(np.float64)
    else:
        golds, answers = _annotations(keys), _annotations(responses)
        loss = allowed(name)
        left = np.array([_loss(loss, name, one, None) for one in golds])
        right = np.array([_loss(loss, name, None, one) for one in answers])
        both = zip(taken.key.tolist(), taken.response.tolist(), strict=True)
        pair = np.array([_loss(loss, name, golds[k], answers[r]) for k, r in both])
    missed, spurious = left.copy(), right.copy()
    missed[taken.key] = pair
    spurious[taken.response] = 0.0
    size = len(keys.documents)

    def total(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
        both = ((keys.document, one), (responses.document, two))
        return np.asarray(sum(np.bincount(*side, size) for side in both), np.float64)

    targets = np.bincount(keys.document, minlength=size).astype(np.float64)
    return np.stack([total(missed, spurious), total(left, right), targets], axis=1)


def _annotations(side: Columns) -> list[Annotation]:
    return [side.annotation(place) for place in range(len(side))]


def _loss(loss: Callable[..., Any], name: str, *both: Annotation | None) -> float:
    value = called(loss, name, *both)
    if value < 0:
        raise UsageError(f"{name} gave {value:g}, expected a loss of 0 or more")
    return value
