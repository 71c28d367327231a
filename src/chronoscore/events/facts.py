"""Facts of matched events, matched one to one within each pair."""

from collections.abc import Sequence
from itertools import chain
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from chronoscore.core import budget
from chronoscore.elements.similarity import Cells, ngram_f1, sequence_f1
from chronoscore.elements.text.columns import Integers
from chronoscore.events.comparison import EventBlock, EventSide
from chronoscore.events.matching import match

Array = NDArray[np.float64]
SCOPES = ("event", "timeline")
"""Where a fact is looked for: within the matched event, or in the whole timeline."""
_PLACES = 12
_BYTES_A_CELL = 110


def fact_counts(block: EventBlock, threshold: float, scope: str) -> Array:
    """Count the facts that are matched, the predicted ones and the gold ones, by case.

    Facts are too few texts to be compared by rarity: they are compared by the mean of ROUGE-1 and
    ROUGE-L F1.
    """
    by_event = scope == "event"
    facts = _facts(block.predicted, block.matched.row if by_event else None)
    gold = _facts(block.gold, block.matched.column if by_event else None)
    cells = Cells(facts[1], gold[1], len(block.matched.row) if by_event else len(block))
    cases = block.matched.case if by_event else np.arange(len(block))
    budget.check(len(cells) * _BYTES_A_CELL, f"{len(cells):,} pairs of facts are compared")
    words, gold_words = (block.read(texts, cases[groups]) for texts, groups in (facts, gold))
    alike = (ngram_f1(words, gold_words, cells, 1) + sequence_f1(words, gold_words, cells)) / 2
    alike[_same(facts[0], gold[0], cells)] = 1.0
    alike[np.round(alike, _PLACES) <= threshold] = threshold
    chosen = match(cells, (alike - threshold) / (1 - threshold), np.zeros(len(cells)), _never)
    matched = block.sums(cases[cells.predicted_cases[cells.row[chosen]]])
    predicted, golds = (
        block.sums(side.case, np.array([len(event.facts) for event in side.events], np.int64))
        for side in (block.predicted, block.gold)
    )
    return np.stack([matched, predicted, golds], axis=1)


def _same(facts: Sequence[str], gold: Sequence[str], cells: Cells) -> NDArray[np.bool_]:
    """Whether the texts of each cell are the same, also where they have no tokens."""
    numbers: dict[str, int] = {}
    row, column = (
        np.array([numbers.setdefault(normalize("NFC", one), len(numbers)) for one in side], np.intp)
        for side in (facts, gold)
    )
    return np.asarray(row[cells.row] == column[cells.column], np.bool_)


def _never(_: int) -> bool:
    return False


def _facts(side: EventSide, events: Integers | None) -> tuple[list[str], Integers]:
    """Return the facts of events, and the pair, or else the case, that each belongs to."""
    places = np.arange(len(side.events)) if events is None else events
    several = [side.events[at].facts for at in places.tolist()]
    sizes = np.fromiter(map(len, several), np.int64, count=len(several))
    groups = side.case if events is None else np.arange(len(places))
    return [*chain.from_iterable(several)], np.repeat(groups, sizes)
