"""Counts of a matching for all documents at once: a row a document, a column a counter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chronoscore.annotations.columns import Columns, Flags, Integers
from chronoscore.annotations.model import COUNTERS
from chronoscore.annotations.nil import with_gold_clusters
from chronoscore.annotations.pairing import Meetings, covering, meetings
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.question import Question, chosen, equal
from chronoscore.annotations.strategies import taken


@dataclass(frozen=True, eq=False)
class Compared:
    """Two sides that take part, and all pairs of them that meet, with their values."""

    keys: Columns
    responses: Columns
    met: Meetings
    pairs: Pairs
    question: Question

    def matched(self, strategy: str) -> Pairs:
        """The pairs that a strategy takes."""
        alike = self.question.compare != "subsumes"
        return self.pairs.take(taken(self.pairs, self.keys, self.responses, strategy, alike=alike))

    @cached_property
    def overlapping(self) -> Flags:
        """Which pairs overlap: all but those of two empty spans."""
        flags: Flags = ~(self.met.coextensive & (self.pairs.overlap == 0))
        return flags


def compared(gold: Columns, predicted: Columns, question: Question) -> Compared:
    """Find the pairs that meet, and which of them are equal."""
    keys, responses = chosen(question, gold, aligned(gold, predicted))
    if question.nil == "clusters":
        responses = with_gold_clusters(keys, responses, question)
    met = meetings(keys, responses)
    if question.min_overlap:
        met = covering(met, keys.end - keys.start, question.min_overlap)
    value = 2 * equal(question, keys, responses)(met.key, met.response) + met.coextensive
    pairs = Pairs(met.key, met.response, value.astype(np.int64), met.overlap)
    return Compared(keys, responses, met, pairs, question)


def aligned(gold: Columns, predicted: Columns) -> Columns:
    """The prediction with the gold's table of documents; others are left out."""
    if predicted.documents == gold.documents:
        return predicted
    place = {name: n for n, name in enumerate(gold.documents)}
    known = np.array([place.get(name, -1) for name in predicted.documents], np.int64)
    document = known[predicted.document] if len(predicted) else predicted.document
    moved = Columns(
        gold.documents,
        document,
        predicted.start,
        predicted.end,
        predicted.label,
        predicted.score,
        predicted.labels,
        predicted.ids if predicted.ids is not None else _numbers(predicted),
    )
    return moved.take(document >= 0)


def _numbers(side: Columns) -> list[str]:
    """Ids written out, where they are the places in the document."""
    begins = np.searchsorted(side.document, side.document)
    return [str(number) for number in (np.arange(1, len(side) + 1) - begins).tolist()]


def count(compared: Compared, matched: Pairs) -> Integers:
    """The base counters of a matching by document."""
    keys, responses = compared.keys, compared.responses
    return count_by(compared, matched, keys.document, responses.document, len(keys.documents))


def count_by(
    compared: Compared, matched: Pairs, key_group: Integers, response_group: Integers, size: int
) -> Integers:
    """The base counters of a matching by any groups of targets and of responses.

    A correct pair is single if no unmatched response lies at its target, where "at" is GATE's range
    query: what overlaps the target, and empty responses exactly at its start.
    """
    pairs = compared.pairs

    def grouped(places: Flags) -> Integers:
        return np.bincount(key_group[places], minlength=size)

    strict, lenient = np.zeros((2, len(compared.keys)), np.bool_)
    strict[pairs.key[compared.met.coextensive]] = True
    lenient[pairs.key] = True
    # Group, value and whether it is single in one number, so that they are counted at once.
    kind = key_group[matched.key]
    kind *= 8
    kind += 2 * matched.value
    kind += ~crowded(compared, matched)[matched.key]
    table = np.bincount(kind, minlength=8 * size).reshape(size, 4, 2)
    all_of, single = table.sum(axis=2), table[:, :, 1]
    columns = {
        "targets": np.bincount(key_group, minlength=size),
        "responses": np.bincount(response_group, minlength=size),
        "correct_strict": all_of[:, 3],
        "correct_partial": all_of[:, 2],
        "incorrect_strict": all_of[:, 1],
        "incorrect_partial": all_of[:, 0],
        "single_correct_strict": single[:, 3],
        "single_correct_partial": single[:, 2],
        "targets_with_strict": grouped(strict),
        "targets_with_lenient": grouped(lenient),
    }
    return np.stack([columns[name] for name in COUNTERS], axis=1)


def crowded(compared: Compared, matched: Pairs) -> Flags:
    """Which targets have an unmatched response in their range."""
    free = np.ones(len(compared.responses), np.bool_)
    free[matched.response] = False
    crowd = np.zeros(len(compared.keys), np.bool_)
    crowd[compared.pairs.key[free[compared.pairs.response] & compared.overlapping]] = True
    crowd[compared.met.near_key[free[compared.met.near_response]]] = True
    return crowd
