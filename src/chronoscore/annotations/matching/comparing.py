"""Compare two sides: which annotations take part, which of them overlap, which pairs are equal.

NIL clusters: an entity linker writes NIL1, NIL2, ... for things that are in no knowledge base. It
chooses the numbers freely, so they can't be compared with the gold's. In each document, clusters of
the two sides are assigned to each other so that as many coextensive annotations of one type as
possible agree.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import Columns, Flags, Integers, Label, LabelCoder
from chronoscore.annotations.matching.assignment import heaviest
from chronoscore.annotations.matching.meetings import at_places, meetings
from chronoscore.annotations.model import Document, written
from chronoscore.annotations.parameters import (
    EVERY_SET,
    Profile,
    SpanQuestion,
    agree,
    compared_features,
    profiler,
    type_map,
)
from chronoscore.core.case import Case, digest
from chronoscore.core.evidence_table import Batch
from chronoscore.statistics.labels import labelled


@dataclass(frozen=True, eq=False)
class SpanPairs:
    """Pairs of a target and a response in columns, by their places on either side.

    ``value`` is 3 for strict correct (coextensive and equal), 2 partial correct, 1 strict
    incorrect, 0 partial incorrect; ``overlap`` is the number of characters shared.
    """

    key: Integers
    response: Integers
    value: Integers
    overlap: Integers

    def __len__(self) -> int:
        return len(self.key)

    def take(self, places: Integers | Flags) -> "SpanPairs":
        """Return the pairs at these places."""
        return SpanPairs(
            self.key[places], self.response[places], self.value[places], self.overlap[places]
        )

    def rows(self) -> list[tuple[int, int, int]]:
        """Return the pairs as (key, response, value), in order."""
        columns = self.key.tolist(), self.response.tolist(), self.value.tolist()
        return sorted(zip(*columns, strict=True))


@dataclass(frozen=True, eq=False)
class SpanComparison:
    """The annotations that take part, and all pairs that overlap or are coextensive.

    ``near_key`` and ``near_response`` are no pairs: an empty response exactly at the start of a
    target with text, which a range query finds.
    """

    keys: Columns
    responses: Columns
    pairs: SpanPairs
    near_key: Integers
    near_response: Integers
    question: SpanQuestion

    @cached_property
    def coextensive(self) -> Flags:
        """Which pairs start and end at the same places."""
        flags: Flags = self.pairs.value % 2 == 1
        return flags

    @cached_property
    def overlapping(self) -> Flags:
        """Which pairs overlap: all but those of two empty spans."""
        flags: Flags = ~(self.coextensive & (self.pairs.overlap == 0))
        return flags


class SpanSides:
    """The gold and the prediction of many documents, and their latest comparison."""

    def __init__(self, make: Callable[[], tuple[Columns, Columns]]) -> None:
        self._make = make
        self._latest: SpanComparison | None = None

    @cached_property
    def columns(self) -> tuple[Columns, Columns]:
        """The columns of gold and prediction, computed at first use."""
        return self._make()

    def compare(self, question: SpanQuestion) -> SpanComparison:
        """Return the comparison that a question asks for; metrics with one question share it."""
        if self._latest is None or self._latest.question != question:
            self._latest = compare_columns(*self.columns, question)
        return self._latest


def batch_of(cases: Sequence[Case[Document, Document]]) -> Batch:
    """Return the cases as a batch, whose columns are computed only if they are measured at once."""
    ids = tuple(case.id for case in cases)

    def columns() -> tuple[Columns, Columns]:
        # A document with several golds is several cases, so the ids of cases name the documents.
        return (
            Columns.of([case.gold for case in cases], ids),
            Columns.of([case.predicted for case in cases], ids),
        )

    def digests() -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
        return (
            np.array([digest(case.gold).encode() for case in cases], "S16"),
            np.array([digest(case.predicted).encode() for case in cases], "S16"),
        )

    tags = labelled([case.tags for case in cases])
    return Batch([*ids], tags, SpanSides(columns), cases.__getitem__, digests)


def compare(gold: Document, predicted: Document, question: SpanQuestion) -> SpanComparison:
    """Compare the two sides of one document."""
    names = (gold.id,)
    return compare_columns(Columns.of([gold], names), Columns.of([predicted], names), question)


def compare_columns(gold: Columns, predicted: Columns, question: SpanQuestion) -> SpanComparison:
    """Find the annotations that take part, the pairs that overlap, and which pairs are equal."""
    keys, responses = _taking_part(question, gold, same_documents(gold, predicted))
    if question.nil == "clusters":
        responses = _with_gold_clusters(keys, responses, question)
    overlaps = meetings(keys, responses)
    value = (
        2 * equality(question, keys, responses)(overlaps.key, overlaps.response)
        + overlaps.coextensive
    )
    pairs = SpanPairs(overlaps.key, overlaps.response, value.astype(np.int64), overlaps.overlap)
    near = overlaps.near_key, overlaps.near_response
    if question.min_overlap:
        # As a product: a quotient would lose 29 of 100 characters at 29 percent to rounding.
        # Empty spans at one place cover each other.
        length = (keys.end - keys.start)[pairs.key]
        covered = 100 * pairs.overlap >= question.min_overlap * length
        pairs = pairs.take(overlaps.coextensive | covered)
        near = np.empty(0, np.int64), np.empty(0, np.int64)
    return SpanComparison(keys, responses, pairs, *near, question)


def same_documents(gold: Columns, predicted: Columns) -> Columns:
    """Return the prediction with the gold's table of documents, without other documents."""
    if predicted.documents == gold.documents:
        return predicted
    place = {name: n for n, name in enumerate(gold.documents)}
    gold_place = np.array([place.get(name, -1) for name in predicted.documents], np.int64)
    document = gold_place[predicted.document] if len(predicted) else predicted.document
    moved = replace(predicted, documents=gold.documents, document=document)
    return moved.take(document >= 0)


def _taking_part(
    question: SpanQuestion, gold: Columns, predicted: Columns
) -> tuple[Columns, Columns]:
    """Return the annotations of either side that take part."""
    types = type_map(question.types)
    if question.predicted_set == question.gold_set == EVERY_SET and not (
        types or question.within or question.nil == "absent"
    ):
        return gold, predicted
    gold_types = set(types.values())

    def takes_part(side: int, label: Label, name: str, names: set[str]) -> bool:
        in_set = name in (EVERY_SET, label.set) and (not names or label.type in names)
        is_nil = question.nil == "absent" and _nil_text(label, question, side) == question.nil_value
        return in_set and not is_nil

    keep_key = _by_label(gold, lambda label: takes_part(0, label, question.gold_set, gold_types))
    keep_response = _by_label(
        predicted, lambda label: takes_part(1, label, question.predicted_set, set(types))
    )
    if question.within:
        set_, _, type_ = question.within.partition(":")
        places = gold.take(_by_label(gold, lambda label: (label.set, label.type) == (set_, type_)))
        keep_response &= at_places(predicted, places, question.containment)
        if not (question.gold_set in (EVERY_SET, set_) and gold_types == {type_}):
            keep_key &= at_places(gold, places, question.containment)
    return gold.take(keep_key), predicted.take(keep_response)


def _by_label(side: Columns, test: Callable[[Label], bool]) -> Flags:
    selected = np.fromiter((test(label) for label in side.labels), np.bool_, len(side.labels))
    flags: Flags = selected[side.label] if len(side) else np.zeros(0, np.bool_)
    return flags


def _nil_feature(label: Label, question: SpanQuestion, side: int) -> str | None:
    """Return the feature that says whether a label is NIL: the first compared one, or None."""
    type_ = type_map(question.types).get(label.type, label.type) if side else label.type
    names = compared_features(question.features).of(type_)
    return names[0][side] if names else None


def _nil_text(label: Label, question: SpanQuestion, side: int) -> str | None:
    name = _nil_feature(label, question, side)
    if name is None:
        return None
    value = label.features.get(name)
    return "" if value is None else written(value)


def equality(
    question: SpanQuestion, gold: Columns, predicted: Columns
) -> Callable[[Integers, Integers], Flags]:
    """Return a function that says for places of targets and responses whether they are equal.

    Many spans have few labels, so the profiles are computed and compared once for each label.
    """
    codes: dict[Profile, int] = {}

    def coded(side: int, columns: Columns, rename: dict[str, str]) -> Integers:
        profile_of = profiler(question, side)
        profiles = (
            profile_of(rename.get(label.type, label.type), label.features)
            for label in columns.labels
        )
        return np.array([codes.setdefault(profile, len(codes)) for profile in profiles], np.int64)

    of_gold, of_predicted = coded(0, gold, {}), coded(1, predicted, type_map(question.types))
    profiles = list(codes)

    def equal(key: Integers, response: Integers) -> Flags:
        target, answer = of_gold[gold.label[key]], of_predicted[predicted.label[response]]
        if question.compare != "subsumes":
            return np.asarray(target == answer, np.bool_)
        pairs, inverse = np.unique(target * len(profiles) + answer, return_inverse=True)
        answers = [
            agree(profiles[pair // len(profiles)], profiles[pair % len(profiles)], "subsumes")
            for pair in pairs.tolist()
        ]
        return np.array(answers, np.bool_)[inverse]

    return equal


def _with_gold_clusters(keys: Columns, responses: Columns, question: SpanQuestion) -> Columns:
    """Return the responses with their NIL clusters renamed to the gold's.

    A cluster without a gold cluster must not equal any gold value: NUL precedes its name.
    """
    renamed = type_map(question.types)
    gold_clusters, clusters = _clusters(keys, question, 0), _clusters(responses, question, 1)
    overlaps = meetings(keys, responses)
    shared: dict[int, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for key, response in zip(
        overlaps.key[overlaps.coextensive].tolist(),
        overlaps.response[overlaps.coextensive].tolist(),
        strict=True,
    ):
        target, answer = keys.labels[keys.label[key]], responses.labels[responses.label[response]]
        if (
            key in gold_clusters
            and response in clusters
            and target.type == renamed.get(answer.type, answer.type)
        ):
            shared[int(keys.document[key])][gold_clusters[key], clusters[response]] += 1
    names = {document: _assigned_clusters(weights) for document, weights in shared.items()}
    coder, codes = LabelCoder(), []
    for place, code in enumerate(responses.label.tolist()):
        label = responses.labels[code]
        if place in clusters:
            cluster = clusters[place]
            gold = names.get(int(responses.document[place]), {}).get(cluster, "\0" + cluster)
            feature = _nil_feature(label, question, 1)
            assert feature is not None
            label = label._replace(features={**label.features, feature: gold})
        codes.append(coder.code(*label))
    return replace(responses, label=np.array(codes, np.int64), labels=coder.labels)


def _clusters(columns: Columns, question: SpanQuestion, side: int) -> dict[int, str]:
    """Return the cluster of each annotation that is in one, by place."""
    names = {
        code: text
        for code, label in enumerate(columns.labels)
        if (text := _nil_text(label, question, side)) and text.startswith(question.nil_value)
    }
    codes = enumerate(columns.label.tolist())
    return {place: names[code] for place, code in codes if code in names}


def _assigned_clusters(weights: dict[tuple[str, str], int]) -> dict[str, str]:
    golds = sorted({gold for gold, _ in weights})
    predicted = sorted({cluster for _, cluster in weights})
    rows = [
        [(golds.index(gold), n) for (gold, name), n in sorted(weights.items()) if name == cluster]
        for cluster in predicted
    ]
    answer = heaviest(rows, len(golds))
    return {name: golds[at] for name, at in zip(predicted, answer, strict=True) if at >= 0}
