"""Matching by any score of a pair: an assignment over the pairs that meet, or over all pairs."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from chronoscore.annotations.assigning import heaviest
from chronoscore.annotations.columns import Columns, Integers
from chronoscore.annotations.counting import Compared
from chronoscore.annotations.model import Annotation, overlap_length
from chronoscore.annotations.own import called
from chronoscore.annotations.pairing import check_pairs
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.question import equal
from chronoscore.core.functions import allowed

Score: TypeAlias = Callable[[Annotation, Annotation], float]


def share(gold: Annotation, response: Annotation) -> float:
    """How much of what both cover is shared: 1 for the same span, 0 for none.

    >>> share(Annotation("1", "T", 0, 4), Annotation("2", "T", 2, 6))
    0.3333333333333333
    """
    if (gold.start, gold.end) == (response.start, response.end):
        return 1.0
    whole = max(gold.end, response.end) - min(gold.start, response.start)
    return overlap_length(gold, response) / whole


def characters(gold: Annotation, response: Annotation) -> float:
    """How many characters are shared."""
    return overlap_length(gold, response)


ALIGNMENTS: dict[str, Score] = {"share": share, "characters": characters}


def scored(compared: Compared, alignment: str, candidates: str) -> Pairs:
    """The pairs of greatest total score; those with a score of 0 or less are never taken.

    Over ``all`` pairs a response can be given to a target elsewhere in the document: it is then
    a partial match, since the score says that the two belong together.
    """
    score = ALIGNMENTS.get(alignment) or allowed(alignment)
    pairs = compared.pairs if candidates == "overlap" else _all_pairs(compared)
    documents = compared.keys.document[pairs.key]
    order = np.lexsort(
        (
            _ranks(compared.responses, pairs.response),
            _ranks(compared.keys, pairs.key),
            documents,
        )
    )
    borders = np.flatnonzero(np.diff(documents[order])) + 1
    found = [
        places[list(_best_of(compared, pairs.take(places), score, alignment))]
        for places in np.split(order, borders)
        if len(places)
    ]
    return pairs.take(np.concatenate(found) if found else np.empty(0, np.int64))


def _ranks(side: Columns, places: Integers) -> Integers:
    own, inverse = np.unique(places, return_inverse=True)
    return side.ranks(own, by_label=True)[inverse]


def _best_of(compared: Compared, pairs: Pairs, score: Score, name: str) -> Iterator[int]:
    """The places of the pairs taken in one document, whose pairs are in order."""
    keys = {place: n for n, place in enumerate(dict.fromkeys(pairs.key.tolist()))}
    ranked = np.unique(pairs.response)
    ranked = ranked[np.argsort(_ranks(compared.responses, ranked))]
    responses = {place: n for n, place in enumerate(ranked.tolist())}
    golds = {place: compared.keys.annotation(place) for place in keys}
    predicted = {place: compared.responses.annotation(place) for place in responses}
    rows: list[list[tuple[int, float]]] = [[] for _ in keys]
    at: dict[tuple[int, int], int] = {}
    cells = zip(pairs.key.tolist(), pairs.response.tolist(), strict=True)
    for place, (key, response) in enumerate(cells):
        weight = called(score, name, golds[key], predicted[response])
        if weight > 0:
            rows[keys[key]].append((responses[response], weight))
            at[keys[key], responses[response]] = place
    for row, column in enumerate(heaviest(rows, len(responses))):
        if column >= 0:
            yield at[row, column]


def _all_pairs(compared: Compared) -> Pairs:
    """Every target with every response of its document; those that meet keep their values."""
    keys, responses = compared.keys, compared.responses
    by_document = np.argsort(responses.document, kind="stable")
    begins = np.searchsorted(responses.document[by_document], np.arange(len(keys.documents) + 1))
    count = np.diff(begins)[keys.document]
    check_pairs(count, keys)
    key = np.repeat(np.arange(len(keys), dtype=np.int64), count)
    skip = np.repeat(begins[keys.document] - (np.cumsum(count) - count), count)
    response = by_document[np.arange(len(key)) + skip]
    same = (keys.start[key] == responses.start[response]) & (
        keys.end[key] == responses.end[response]
    )
    value = 2 * equal(compared.question, keys, responses)(key, response) + same
    overlap = np.minimum(keys.end[key], responses.end[response]) - np.maximum(
        keys.start[key], responses.start[response]
    )
    return Pairs(key, response, value.astype(np.int64), np.maximum(overlap, 0))
