"""Compute once what all timeline metrics need of a case: tokens, overlaps, distances."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np

from chronoscore.core.case import Case
from chronoscore.core.metric import Metric
from chronoscore.elements.text import Tokeniser, localised, raw, tokeniser
from chronoscore.elements.time import Time
from chronoscore.statistics.ratios import Array
from chronoscore.timelines.model import References, Timeline
from chronoscore.timelines.ngrams import (
    GoldGrams,
    GramIndex,
    longest_common,
    ngrams,
    places,
    shared,
)

_SMALLEST = np.finfo(np.float64).tiny


RAW = "raw"
"""The name of the tokens that tilse aligns by, which is no text processing of metrics."""
Item = TypeVar("Item")


class Overlap(NamedTuple):
    """How much all pairs of days share, and how much each side has.

    With N references, shares are added up over them, and each predicted day counts N times: a
    reference that lacks the day is an empty document, as in ROUGE-1.5.5.
    """

    shared: Array
    """The share that precision counts, predicted days in rows and gold days in columns."""
    found: Array
    """The share that recall counts; the same, except for overlaps of meaning."""
    predicted: Array
    gold: Array


class Memory:
    """A base class that caches values computed from its instance."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """Return the value of a key, which `make` computes at the first call."""
        if key not in self._values:
            self._values[key] = make()
        item: Item = self._values[key]
        return item


class GoldSide(Memory):
    """The references of a case, prepared once and compared with any number of predictions."""

    def __init__(self, references: References, text: str) -> None:
        super().__init__()
        self.references = references
        self.text = text
        self.dates = tuple(sorted({day for gold in references for day in gold.dates}))
        self.bounds = period_bounds(self.dates)
        self.column = {day: place for place, day in enumerate(self.dates)}

    def tokens(self, text: str) -> list[tuple[int, list[str]]]:
        """Return column and tokens of every day of every reference."""
        tokenise = _tokeniser(text)
        days = (day for reference in self.references for day in reference.days)
        return self.keep(text, lambda: [(self.column[day], tokenise(texts)) for day, texts in days])

    def grams(self, text: str, n: int) -> GoldGrams:
        """Return the n-grams of all days, numbered."""

        def make() -> GoldGrams:
            grams = [(column, ngrams(tokens, n)) for column, tokens in self.tokens(text)]
            return GoldGrams.of(grams, len(self.dates))

        return self.keep((text, n), make)

    @cached_property
    def documents(self) -> list[list[str]]:
        """The tokens of each reference, its days joined end to end."""
        texts = ([text for _, day in gold.days for text in day] for gold in self.references)
        return list(map(_tokeniser(self.text), texts))


class ComparisonBlock(Memory):
    """Predictions that are compared in one pass over all their n-grams."""

    def __init__(self, predicted: Sequence[Timeline], golds: Sequence[GoldSide]) -> None:
        super().__init__()
        self.predicted = predicted
        self.golds = golds

    def tokens(self, text: str) -> list[list[list[str]]]:
        """Return the tokens of each day of each prediction."""
        tokenise = _tokeniser(text)
        predictions = self.predicted
        return self.keep(text, lambda: [[tokenise(t) for _, t in p.days] for p in predictions])

    def overlaps(self, text: str, n: int) -> list[Overlap]:
        """Return how much pairs of days share, for each prediction."""
        return self.keep((text, n), lambda: self._overlaps(text, n))

    def _overlaps(self, text: str, n: int) -> list[Overlap]:
        golds = [gold.grams(text, n) for gold in self.golds]
        predicted = self.tokens(text)
        if n > 1:
            predicted = [[ngrams(tokens, n) for tokens in days] for days in predicted]
        distinct = list({id(gold): gold for gold in golds}.values())
        if len(distinct) == 1:  # any number of blocks may use its index
            index = self.golds[0].keep(("index", text, n), lambda: GramIndex.of(distinct))
        else:
            index = GramIndex.of(distinct)
        tables = shared(golds, index, predicted)
        return [
            Overlap(table, table, _sizes(days) * len(side.references), gold.totals)
            for table, days, side, gold in zip(tables, predicted, self.golds, golds, strict=True)
        ]


class TimelineComparison(Memory):
    """One predicted timeline against its references, under one kind of text processing."""

    def __init__(
        self,
        predicted: Timeline,
        gold: GoldSide,
        block: ComparisonBlock | None = None,
        place: int = 0,
    ) -> None:
        super().__init__()
        self.predicted = predicted
        self.gold = gold
        self._block = block or ComparisonBlock((predicted,), (gold,))
        self._place = place
        self.predicted_dates = predicted.dates
        self.gold_dates = gold.dates
        self.tokenise = tokeniser(gold.text)

    @cached_property
    def distance(self) -> Array:
        """Days between each predicted (row) and each gold (column) period; 0 if they meet."""
        first, last = period_bounds(self.predicted_dates)
        gold_first, gold_last = self.gold.bounds
        after = np.subtract.outer(first, gold_last)
        before = np.subtract.outer(last, gold_first)
        return np.asarray(np.maximum(np.maximum(after, -before), 0.0))

    @property
    def has_days_only(self) -> bool:
        """Whether every date is a day, so that dates of distance 0 are equal."""
        return all(day.resolution == "day" for day in (*self.predicted_dates, *self.gold_dates))

    @property
    def unequal(self) -> Array:
        """1 for each predicted (row) and gold (column) period that differ, else 0."""
        table = np.ones((len(self.predicted_dates), len(self.gold_dates)))
        for row, day in enumerate(self.predicted_dates):
            if day in self.gold.column:
                table[row, self.gold.column[day]] = 0
        return table

    @cached_property
    def likeness(self) -> Array:
        """How alike the texts of two days are, as the alignment sees it: F1 of raw tokens.

        tilse aligns by this quick measure, whichever tokens the final score counts.
        """
        overlap = self._block.overlaps(RAW, 1)[self._place]
        # 2PR/(P+R) with P = h/p and R = h/m, in tilse's order of operations; 0 where h is 0,
        # since each divisor is then at least 1 or a very small number.
        p = overlap.shared / np.maximum(overlap.predicted, 1)[:, np.newaxis]
        r = overlap.shared / np.maximum(overlap.gold, 1)
        return np.asarray(2 * p * r / np.maximum(p + r, _SMALLEST))

    @property
    def tokens(self) -> list[list[str]]:
        """The tokens of each predicted day."""
        return self._block.tokens(self.gold.text)[self._place]

    def overlap(self, rouge: str) -> Overlap:
        """Count the n-grams, or for L the longest common subsequence, that pairs of days share."""
        if rouge == "L":
            return self.keep(rouge, self._sequences)
        return self._block.overlaps(self.gold.text, int(rouge))[self._place]

    def _sequences(self) -> Overlap:
        shared = np.zeros((len(self.tokens), len(self.gold_dates)))
        gold = np.zeros(len(self.gold_dates))
        for column, tokens in self.gold.tokens(self.gold.text):
            gold[column] += len(tokens)
            token_places = places(tokens)
            for row, predicted in enumerate(self.tokens):
                shared[row, column] += longest_common(token_places, len(tokens), predicted)
        return Overlap(shared, shared, _sizes(self.tokens) * len(self.gold.references), gold)

    def whole(self, rouge: str) -> tuple[int, int, int]:
        """Count what the two timelines share as one document each, and what each side has.

        N-grams run across days: the texts are simply joined end to end.
        """
        predicted = list(chain.from_iterable(self.tokens))
        if rouge == "L":
            grams, references = predicted, self.gold.documents
            common = [longest_common(places(r), len(r), predicted) for r in references]
        else:
            grams, *references = (
                ngrams(document, int(rouge)) for document in (predicted, *self.gold.documents)
            )
            common = [(Counter(grams) & Counter(other)).total() for other in references]
        return sum(common), len(grams) * len(references), sum(map(len, references))


@lru_cache(maxsize=256)
def gold_side(references: References, text: str) -> GoldSide:
    """Prepare references, or return them as prepared for an earlier prediction."""
    return GoldSide(references, text)


def compared_with(
    predicted: Sequence[Timeline], golds: Sequence[GoldSide]
) -> list[TimelineComparison]:
    """Compare each prediction with its gold, all in one block."""
    block = ComparisonBlock(predicted, golds)
    pairs = zip(predicted, golds, strict=True)
    return [TimelineComparison(*pair, block, place) for place, pair in enumerate(pairs)]


def compare_many(
    cases: Sequence[Case[References, Timeline]], setting: Hashable
) -> list[TimelineComparison]:
    """Compare cases under one text processing, in one block, since timelines are short.

    Cases of different languages may be cut into tokens differently, and are then in different
    blocks.
    """
    places: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        places.setdefault(_localised(setting, case.tags), []).append(place)
    compared: dict[int, TimelineComparison] = {}
    for text, several in places.items():
        golds = [gold_side(cases[place].gold, text) for place in several]
        predicted = [cases[place].predicted for place in several]
        compared |= zip(several, compared_with(predicted, golds), strict=True)
    return [compared[place] for place in range(len(cases))]


def tokeniser_of(metric: Metric, tags: Mapping[str, str]) -> Tokeniser:
    """Return the tokeniser by which a metric reads the sentences of a case with these tags."""
    return tokeniser(_localised(metric.setting, tags))


def _localised(setting: Hashable, tags: Mapping[str, str]) -> str:
    return localised(str(setting), tags.get("language", ""))


def compare(case: Case[References, Timeline], setting: Hashable) -> TimelineComparison:
    """Compare a single case."""
    return compare_many([case], setting)[0]


def _tokeniser(text: str) -> Callable[[Iterable[str]], list[str]]:
    return raw if text == RAW else tokeniser(text)


def _sizes(days: Sequence[Sequence[str]]) -> Array:
    return np.array(list(map(len, days)), dtype=np.float64)


def period_bounds(days: Sequence[Time]) -> tuple[Array, Array]:
    """Return the first and the last cell of each time."""
    cells = np.array([day.cells() for day in days], dtype=np.float64).reshape(-1, 2)
    return cells[:, 0], cells[:, 1]
