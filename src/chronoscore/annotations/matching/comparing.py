"""Compare two sides: which annotations take part, which of them overlap, which pairs are equal.

A matching of a comparison is counted for all documents at once.

NIL clusters: an entity linker writes NIL1, NIL2, ... for things that are in no knowledge base. It
chooses the numbers freely, so they can't be compared with the gold's. In each document, clusters of
the two sides are assigned to each other so that as many coextensive annotations of one type as
possible agree.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chronoscore.annotations.columns import (
    Columns,
    Flags,
    Integers,
    Label,
    document_digest,
    label_codes,
    marked,
)
from chronoscore.annotations.matching.assignment import assigned
from chronoscore.annotations.matching.meetings import (
    SpanPairs,
    TooManyPairsError,
    at_places,
    meetings,
)
from chronoscore.annotations.model import COUNTERS, Annotation, Document, written
from chronoscore.annotations.parameters import (
    EVERY_SET,
    Profile,
    SpanQuestion,
    agree,
    compared_features,
    profiler,
    type_map,
)
from chronoscore.core.case import Case
from chronoscore.core.evidence_table import Batch
from chronoscore.statistics.labels import labelled


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


SPANS_AT_ONCE, PAIRS_AT_ONCE = 1 << 15, 1 << 18
"""Spans and pairs of the documents that are compared at once; a single document may have more."""


class SpanSides:
    """The gold and the prediction of many documents."""

    def __init__(self, make: Callable[[], tuple[Columns, Columns]]) -> None:
        self._make = make

    @cached_property
    def columns(self) -> tuple[Columns, Columns]:
        """The columns of gold and prediction, computed at first use."""
        return self._make()

    def blocks(self, question: SpanQuestion) -> Iterator[SpanComparison]:
        """Yield the comparisons of blocks of documents, so that the pairs of one are in memory.

        Blocks with too many pairs are halved. Nothing is kept for the next metric: comparing
        again takes little time, compared with reading.
        """
        gold, predicted = self.columns
        sides, documents = (gold, same_documents(gold, predicted)), len(gold.documents)
        spans = sum(np.bincount(side.document, minlength=documents) for side in sides)
        ends = np.flatnonzero(np.diff(np.cumsum(spans) // SPANS_AT_ONCE)) + 1
        waiting = [*pairwise((0, *ends.tolist(), documents))][::-1]
        while waiting:
            first, last = waiting.pop()
            keys, responses = (side.of_documents(first, last) for side in sides)
            most = PAIRS_AT_ONCE if last - first > 1 else None
            try:
                yield compare_columns(keys, responses, question, most)
            except TooManyPairsError:
                middle = (first + last) // 2
                waiting += [(middle, last), (first, middle)]


def batch_of(cases: Sequence[Case[Document, Document]]) -> Batch:
    """Return the cases as a batch, whose columns are computed only if they are measured at once."""
    ids = tuple(case.id for case in cases)

    def sides() -> tuple[list[Document], list[Document]]:
        return [case.gold for case in cases], [case.predicted for case in cases]

    def columns() -> tuple[Columns, Columns]:
        # A document with several golds is several cases, so the ids of cases name the documents.
        gold, predicted = (Columns.of(side, ids) for side in sides())
        return gold, predicted

    def digests() -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
        gold, predicted = (np.array([*map(document_digest, side)], "S16") for side in sides())
        return gold, predicted

    tags = labelled([case.tags for case in cases])
    return Batch([*ids], tags, SpanSides(columns), cases.__getitem__, digests)


def compare(gold: Document, predicted: Document, question: SpanQuestion) -> SpanComparison:
    """Compare the two sides of one document."""
    names = (gold.id,)
    return compare_columns(Columns.of([gold], names), Columns.of([predicted], names), question)


def compare_columns(
    gold: Columns, predicted: Columns, question: SpanQuestion, most: int | None = None
) -> SpanComparison:
    """Find the annotations that take part, the pairs that overlap, and which pairs are equal.

    More than `most` pairs raise `TooManyPairsError`.
    """
    keys, responses = _taking_part(question, gold, same_documents(gold, predicted))
    if question.nil == "clusters":
        responses = _with_gold_clusters(keys, responses, question)
    pairs, near_key, near_response = meetings(keys, responses, most)
    equal = equality(question, keys, responses)(pairs.key, pairs.response)
    pairs = replace(pairs, value=pairs.value + 2 * equal)
    if question.min_overlap:
        # As a product: a quotient would lose 29 of 100 characters at 29 percent to rounding.
        # Empty spans at one place cover each other.
        length = (keys.end - keys.start)[pairs.key]
        covered = 100 * pairs.overlap >= question.min_overlap * length
        pairs = pairs.take(pairs.coextensive | covered)
        near_key = near_response = np.empty(0, np.int64)
    return SpanComparison(keys, responses, pairs, near_key, near_response, question)


def same_documents(gold: Columns, predicted: Columns) -> Columns:
    """Return the prediction with the gold's table of documents, without other documents."""
    if predicted.documents == gold.documents:
        return predicted
    place = {name: n for n, name in enumerate(gold.documents)}
    gold_place = np.array([place.get(name, -1) for name in predicted.documents], np.int64)
    document = gold_place[predicted.document]
    order = np.argsort(document, kind="stable")
    moved = replace(predicted, documents=gold.documents, document=document)
    return moved.take(order[document[order] >= 0])


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
        is_nil = question.nil == "absent" and nil_text(label, question, side) == question.nil_value
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
    return np.array([*map(test, side.labels)], np.bool_)[side.label]


def _nil_feature(item: Label | Annotation, question: SpanQuestion, side: int) -> str | None:
    """Return the feature that says whether an item is NIL: the first compared one, or None."""
    type_ = type_map(question.types).get(item.type, item.type) if side else item.type
    names = compared_features(question.features).of(type_)
    return names[0][side] if names else None


def nil_text(item: Label | Annotation, question: SpanQuestion, side: int) -> str | None:
    """Return the value of that feature as text, empty if it is absent; None without a feature."""
    name = _nil_feature(item, question, side)
    if name is None:
        return None
    value = item.features.get(name)
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
    pairs = meetings(keys, responses).pairs
    same = pairs.take(pairs.coextensive)
    shared: dict[int, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for key, response, _ in same.rows():
        target, answer = keys.labels[keys.label[key]], responses.labels[responses.label[response]]
        if (
            key in gold_clusters
            and response in clusters
            and target.type == renamed.get(answer.type, answer.type)
        ):
            shared[int(keys.document[key])][gold_clusters[key], clusters[response]] += 1
    names = {document: _assigned_clusters(weights) for document, weights in shared.items()}
    items = [responses.labels[code] for code in responses.label.tolist()]
    for place, cluster in clusters.items():
        gold = names.get(int(responses.document[place]), {}).get(cluster, "\0" + cluster)
        feature = _nil_feature(items[place], question, 1)
        assert feature is not None
        items[place] = items[place]._replace(features={**items[place].features, feature: gold})
    codes, labels = label_codes(items)
    return replace(responses, label=codes, labels=labels)


def _clusters(columns: Columns, question: SpanQuestion, side: int) -> dict[int, str]:
    """Return the cluster of each annotation that is in one, by place."""
    names = {
        code: text
        for code, label in enumerate(columns.labels)
        if (text := nil_text(label, question, side)) and text.startswith(question.nil_value)
    }
    codes = enumerate(columns.label.tolist())
    return {place: names[code] for place, code in codes if code in names}


def _assigned_clusters(weights: dict[tuple[str, str], int]) -> dict[str, str]:
    cells = sorted((cluster, gold, number) for (gold, cluster), number in weights.items())
    return {cells[place][0]: cells[place][1] for place in assigned(cells)}


def count(comparison: SpanComparison, matched: SpanPairs) -> Integers:
    """Return the base counters of a matching by document."""
    keys, responses = comparison.keys, comparison.responses
    return count_by(comparison, matched, keys.document, responses.document, len(keys.documents))


def count_by(
    comparison: SpanComparison,
    matched: SpanPairs,
    key_group: Integers,
    response_group: Integers,
    size: int,
) -> Integers:
    """Return the base counters of a matching by any groups of targets and of responses.

    A correct pair is single if no unmatched response lies at its target, where "at" is GATE's range
    query: responses that overlap the target, and empty responses exactly at its start.
    """
    pairs = comparison.pairs
    # One number holds the group of a target, and whether a response overlaps it (1) or has its
    # span (2); another the group and value of a pair, and whether it is single. Each is one pass.
    kind = 3 * key_group
    kind[pairs.key] += 1
    kind[pairs.key[pairs.coextensive]] += 1
    without, partial, strict = np.bincount(kind, minlength=3 * size).reshape(size, 3).T
    kind = key_group[matched.key]
    kind *= 8
    kind += 2 * matched.value
    kind += ~unmatched_nearby(comparison, matched)[matched.key]
    table = np.bincount(kind, minlength=8 * size).reshape(size, 4, 2)
    single = table[:, :, 1]
    by_value = table[:, :, 0] + single
    columns = {
        "targets": without + partial + strict,
        "responses": np.bincount(response_group, minlength=size),
        "correct_strict": by_value[:, 3],
        "correct_partial": by_value[:, 2],
        "incorrect_strict": by_value[:, 1],
        "incorrect_partial": by_value[:, 0],
        "single_correct_strict": single[:, 3],
        "single_correct_partial": single[:, 2],
        "targets_with_strict": strict,
        "targets_with_lenient": partial + strict,
    }
    return np.stack([columns[name] for name in COUNTERS], axis=1)


def unmatched_nearby(comparison: SpanComparison, matched: SpanPairs) -> Flags:
    """Return which targets have an unmatched response in their range."""
    pairs = comparison.pairs
    if matched is pairs and not len(comparison.near_key):  # as where no spans are in the way
        return np.zeros(len(comparison.keys), np.bool_)
    free = ~marked(len(comparison.responses), matched.response)
    nearby = marked(len(comparison.keys), pairs.key[free[pairs.response] & pairs.overlapping])
    nearby[comparison.near_key[free[comparison.near_response]]] = True
    return nearby
