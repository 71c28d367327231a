"""What is asked of two sets of annotations: which take part, and when two of them are equal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers, Label
from chronoscore.annotations.model import FeatureValue, written
from chronoscore.core.errors import UsageError

FeatureComparison = Literal["equal", "text", "subsumes", "span"]
"""By value and kind; as text; only what the target has; or not at all, types included."""
Comparable: TypeAlias = tuple[type, object] | str | None
Profile: TypeAlias = tuple[str, tuple[Comparable, ...]]

EVERY_SET = "*"


@dataclass(frozen=True)
class Question:
    """Who takes part, and what is compared. Metrics with equal questions share one comparison.

    ``types`` are names that both sides share, or ``K=R`` for a type that is K in the gold and R in
    the prediction; none means all, by their own names. ``features`` are compared for every type,
    or only for one, as ``Type:feature``, and may have two names as well. ``within`` is
    ``set:type``: only spans at an annotation of that type, in that set of the gold document, take
    part. ``min_overlap`` is the percentage of a target that a response must cover to meet it; 0
    means a character.
    """

    types: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    compare: FeatureComparison = "equal"
    gold_set: str = EVERY_SET
    predicted_set: str = EVERY_SET
    within: str = ""
    containment: Literal["overlapping", "contained", "coextensive"] = "overlapping"
    nil: Literal["none", "absent", "clusters"] = "none"
    nil_value: str = "NIL"
    min_overlap: float = 0.0

    def __post_init__(self) -> None:
        type_map(self.types)
        compared_features(self.features)
        if self.within and self.within.count(":") < 1:
            raise UsageError(f"'{self.within}' is not set:type, such as Key:Sentence")


def type_map(types: Sequence[str]) -> dict[str, str]:
    """The gold's name of each type of the prediction.

    >>> type_map(["Place", "Person=Per"])
    {'Place': 'Place', 'Per': 'Person'}
    """
    found: dict[str, str] = {}
    for text in types:
        gold, equals, predicted = text.partition("=")
        predicted = predicted if equals else gold
        if not gold or not predicted:
            raise UsageError(f"'{text}' is not a type, or GOLD=PREDICTED")
        if gold in found.values() or predicted in found:
            raise UsageError(f"a type is named twice: '{text}'")
        found[predicted] = gold
    return found


@dataclass(frozen=True)
class Features:
    """Which features are compared: (name in the gold, name in the prediction)."""

    common: tuple[tuple[str, str], ...]
    special: Mapping[str, tuple[tuple[str, str], ...]]

    def of(self, type_: str) -> tuple[tuple[str, str], ...]:
        """Those of a type, by its name in the gold."""
        return (*self.common, *self.special.get(type_, ()))


def compared_features(features: Sequence[str]) -> Features:
    """The features compared for every type, and those for one type only.

    >>> compared_features(["id", "Person:gender", "class=kind"])
    Features(common=(('id', 'id'), ('class', 'kind')), special={'Person': (('gender', 'gender'),)})
    """
    if len(set(features)) != len(features):
        raise UsageError(f"a feature is listed twice: {', '.join(features)}")
    common: list[tuple[str, str]] = []
    special: dict[str, tuple[tuple[str, str], ...]] = {}
    for text in features:
        type_, colon, name = text.rpartition(":")
        gold, equals, predicted = name.partition("=")
        if (colon and not type_) or not gold or (equals and not predicted):
            raise UsageError(f"'{text}' is not a feature, TYPE:FEATURE, or GOLD=PREDICTED")
        pair = (gold, predicted or gold)
        if colon:
            special[type_] = (*special.get(type_, ()), pair)
        else:
            common.append(pair)
    return Features(tuple(common), special)


def profiler(
    question: Question, side: int = 0
) -> Callable[[str, Mapping[str, FeatureValue]], Profile]:
    """What is compared of an annotation: the type, then the features that count for it.

    The side is 0 for the gold and 1 for the prediction, whose features may have other names.
    """
    features = compared_features(question.features)
    text = question.compare == "text"
    if question.compare == "span":
        return lambda *_: ("", ())

    def profile(type_: str, values: Mapping[str, FeatureValue]) -> Profile:
        names = features.of(type_)
        return type_, tuple([_comparable(values.get(pair[side]), text) for pair in names])

    return profile


def agree(wanted: Profile, found: Profile, how: FeatureComparison) -> bool:
    """Whether a response says the same as a target, by their profiles."""
    if how != "subsumes":
        return wanted == found
    return wanted[0] == found[0] and all(
        w is None or w == f for w, f in zip(wanted[1], found[1], strict=True)
    )


def _comparable(value: FeatureValue, text: bool) -> Comparable:
    if value is None:
        return None
    if text:
        return written(value)
    if isinstance(value, list | tuple):
        return (list, tuple(_comparable(item, text) for item in value))
    # Not-a-number is itself: a copy of the gold must be equal to it.
    return (float, "nan") if value != value else (type(value), value)  # noqa: PLR0124


def chosen(question: Question, gold: Columns, predicted: Columns) -> tuple[Columns, Columns]:
    """The annotations of either side that take part, and the types by their gold names."""
    known = type_map(question.types)
    if question.predicted_set == question.gold_set == EVERY_SET and not (
        known or question.within or question.nil == "absent"
    ):
        return gold, predicted
    gold_types = set(known.values())

    def takes_part(label: Label, name: str, types: set[str], side: int) -> bool:
        in_set = name in (EVERY_SET, label.set)
        return in_set and (not types or label.type in types) and not _is_nil(label, question, side)

    keep_key = _by_label(gold, lambda one: takes_part(one, question.gold_set, gold_types, 0))
    keep_response = _by_label(
        predicted, lambda one: takes_part(one, question.predicted_set, set(known), 1)
    )
    if question.within:
        set_, _, type_ = question.within.partition(":")
        places = gold.take(_by_label(gold, lambda one: (one.set, one.type) == (set_, type_)))
        keep_response &= _inside(predicted, places, question.containment)
        if not (question.gold_set in (EVERY_SET, set_) and gold_types == {type_}):
            keep_key &= _inside(gold, places, question.containment)
    return gold.take(keep_key), predicted.take(keep_response)


def _is_nil(label: Label, question: Question, side: int) -> bool:
    """Whether a label is one of those that stand for nothing, where these are to be left out."""
    return question.nil == "absent" and nil_text(label, question, side) == question.nil_value


def nil_text(label: Label, question: Question, side: int) -> str | None:
    """The value that says whether a label is NIL: that of its first feature compared."""
    type_ = type_map(question.types).get(label.type, label.type) if side else label.type
    names = compared_features(question.features).of(type_)
    if not names:
        return None
    value = label.features.get(names[0][side])
    return "" if value is None else written(value)


def _by_label(side: Columns, test: Callable[[Label], bool]) -> Flags:
    good = np.fromiter((test(label) for label in side.labels), np.bool_, len(side.labels))
    flags: Flags = good[side.label] if len(side) else np.zeros(0, np.bool_)
    return flags


def _inside(side: Columns, places: Columns, how: str) -> Flags:
    """Which spans overlap, are contained in, or are coextensive with one of the places.

    Overlapping is GATE's range query: empty spans exactly at a place's start are found as well.
    """
    from chronoscore.annotations.pairing import meetings  # noqa: PLC0415 - it needs the columns

    met = meetings(places, side)
    inside = np.zeros(len(side), np.bool_)
    good = np.ones(len(met.key), np.bool_)
    start, end = places.start[met.key], places.end[met.key]
    own_start, own_end = side.start[met.response], side.end[met.response]
    if how == "contained":
        good = (start <= own_start) & (own_start < end) & (own_end <= end)
    elif how == "coextensive":
        good = met.coextensive
    else:
        good = ~((start == end) & met.coextensive)
    inside[met.response[good]] = True
    if how != "coextensive":
        inside[met.near_response] = True
    return inside


def equal(
    question: Question, gold: Columns, predicted: Columns
) -> Callable[[Integers, Integers], Flags]:
    """A function that says for places of targets and responses whether they are equal.

    Labels are few where spans are many, and so profiles are made and compared once a label.
    """
    names = type_map(question.types)
    codes: dict[Profile, int] = {}
    wanted, found = (
        np.array(
            [
                codes.setdefault(profile(rename.get(one.type, one.type), one.features), len(codes))
                for one in side.labels
            ],
            np.int64,
        )
        for side, rename, profile in (
            (gold, {}, profiler(question)),
            (predicted, names, profiler(question, 1)),
        )
    )
    profiles = list(codes)

    def same(key: Integers, response: Integers) -> Flags:
        left, right = wanted[gold.label[key]], found[predicted.label[response]]
        if question.compare != "subsumes":
            return np.asarray(left == right, np.bool_)
        both, inverse = np.unique(left * len(profiles) + right, return_inverse=True)
        answers = [
            agree(profiles[pair // len(profiles)], profiles[pair % len(profiles)], "subsumes")
            for pair in both.tolist()
        ]
        return np.array(answers, np.bool_)[inverse]

    return same
