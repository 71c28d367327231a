"""Everything that timeline metrics need of one case, computed once: tokens, overlaps, distances."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from chronoscore.core.case import Case
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import Array
from chronoscore.elements.text import Tokeniser, tokeniser, words
from chronoscore.elements.text.subsequence import longest_common, places
from chronoscore.timelines.model import References, Timeline
from chronoscore.timelines.ngrams import GoldGrams, Index, ngrams, shared

_SMALLEST = np.finfo(np.float64).tiny


class Kind(NamedTuple):
    """A kind of n-gram: of which tokens, and how long."""

    text: str
    n: int = 1

    @property
    def tokenise(self) -> Tokeniser:
        """How text becomes tokens."""
        return words.raw if self == RAW else tokeniser(self.text)


RAW = Kind("raw")
"""What tilse aligns by; no name of a text processing."""


class Shared(NamedTuple):
    """What pairs of days share, predicted days in rows, and what each day has."""

    table: Array
    predicted: Array
    gold: Array


class Overlap(NamedTuple):
    """What all pairs of days share, and what each side has.

    With N references, what is shared is added up over them, and what was predicted counts N
    times: a reference that lacks the day is an empty document, as in ROUGE-1.5.5.
    """

    shared: Array
    """As precision sees it, predicted days in rows and gold days in columns."""
    found: Array
    """As recall sees it; the same, except for overlaps of meaning."""
    predicted: Array
    gold: Array


class GoldSide:
    """The references of a case, prepared once and compared with any number of predictions."""

    def __init__(self, references: References, text: str) -> None:
        self.references = references
        self.text = text
        self.dates = tuple(sorted({day for gold in references for day in gold.dates}))
        self.bounds = period_bounds(self.dates)
        self.column = {day: place for place, day in enumerate(self.dates)}
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Compute something about the golds once."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def tokens(self, tokenise: Tokeniser) -> list[tuple[int, list[str]]]:
        """Column and tokens of every day of every reference."""
        return [
            (self.column[day], tokenise(texts))
            for reference in self.references
            for day, texts in reference.days
        ]

    def grams(self, kind: Kind) -> GoldGrams:
        """Number the n-grams."""

        def make() -> GoldGrams:
            days = self.keep(kind.text, lambda: self.tokens(kind.tokenise))
            found = [(column, ngrams(tokens, kind.n)) for column, tokens in days]
            return GoldGrams.of(found, len(self.dates))

        made: GoldGrams = self.keep(kind, make)
        return made


class Block:
    """Predictions that are compared together: what days share is counted for all at once."""

    def __init__(self, predicted: Sequence[Timeline], golds: Sequence[GoldSide]) -> None:
        self.predicted = predicted
        self.golds = golds
        self._tokens: dict[str, list[list[list[str]]]] = {}
        self._shared: dict[Kind, list[Shared]] = {}

    def tokens(self, kind: Kind) -> list[list[list[str]]]:
        """The tokens of each day of each prediction."""
        if kind.text not in self._tokens:
            tokenise = kind.tokenise
            self._tokens[kind.text] = [
                [tokenise(texts) for _, texts in timeline.days] for timeline in self.predicted
            ]
        return self._tokens[kind.text]

    def shared(self, kind: Kind) -> list[Shared]:
        """What pairs of days share, for each prediction."""
        if kind not in self._shared:
            golds = [gold.grams(kind) for gold in self.golds]
            predicted = self.tokens(kind)
            if kind.n > 1:
                predicted = [[ngrams(tokens, kind.n) for tokens in days] for days in predicted]
            tables = shared(golds, self._index(golds, kind), predicted)
            self._shared[kind] = [
                Shared(table, np.array(list(map(len, days)), dtype=np.float64), gold.totals)
                for table, days, gold in zip(tables, predicted, golds, strict=True)
            ]
        return self._shared[kind]

    def _index(self, golds: Sequence[GoldGrams], kind: Kind) -> Index:
        several = {id(gold): gold for gold in golds}
        if len(several) > 1:
            return Index.of(list(several.values()))
        # A single gold may be met by any number of blocks.
        made: Index = self.golds[0].keep(("index", kind), lambda: Index.of(golds[:1]))
        return made


class Comparison:
    """One predicted timeline against its references, under one kind of text processing."""

    def __init__(
        self, predicted: Timeline, gold: GoldSide, block: Block | None = None, place: int = 0
    ) -> None:
        self.predicted = predicted
        self.gold = gold
        self._block = block or Block((predicted,), (gold,))
        self._place = place
        self.predicted_dates = predicted.dates
        self.gold_dates = gold.dates
        self.tokenise = tokeniser(gold.text)
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Compute something about this pair once, for all metrics that need it."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

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
        return all(day.is_day for day in (*self.predicted_dates, *self.gold_dates))

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
        """How alike the texts of two days are, for choosing what to align: F1 of raw tokens.

        tilse aligns by this quick measure, whatever the final score counts.
        """
        shared, size, total = self._block.shared(RAW)[self._place]
        # 2PR/(P+R) with P = h/p and R = h/m, in tilse's order of operations; 0 where h is 0,
        # since what is divided by is then made 1, or else very small.
        p = shared / np.maximum(size * len(self.gold.references), 1)[:, np.newaxis]
        r = shared / np.maximum(total, 1)
        return np.asarray(2 * p * r / np.maximum(p + r, _SMALLEST))

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The tokens of each predicted day."""
        return self._block.tokens(Kind(self.gold.text))[self._place]

    @property
    def gold_tokens(self) -> list[tuple[int, list[str]]]:
        """Column and tokens of every day of every reference."""
        kept: list[tuple[int, list[str]]] = self.gold.keep(
            self.gold.text, lambda: self.gold.tokens(self.tokenise)
        )
        return kept

    @property
    def _gold_documents(self) -> list[list[str]]:
        """The tokens of each reference, its days laid end to end."""
        references = self.gold.references
        kept: list[list[str]] = self.gold.keep(
            "documents",
            lambda: [self.tokenise([t for _, texts in r.days for t in texts]) for r in references],
        )
        return kept

    def overlap(self, rouge: str) -> Overlap:
        """N-grams, or for L the longest common subsequence, that pairs of days share."""
        made: Overlap = self.keep(
            rouge, lambda: self._sequences() if rouge == "L" else self._ngrams(int(rouge))
        )
        return made

    def _ngrams(self, n: int) -> Overlap:
        return self._overlap(*self._block.shared(Kind(self.gold.text, n))[self._place])

    def _sequences(self) -> Overlap:
        shared = np.zeros((len(self.tokens), len(self.gold_dates)))
        gold = np.zeros(len(self.gold_dates))
        for column, tokens in self.gold_tokens:
            gold[column] += len(tokens)
            where = places(tokens)
            for row, own in enumerate(self.tokens):
                shared[row, column] += longest_common(where, len(tokens), own)
        sizes = np.array(list(map(len, self.tokens)), dtype=np.float64)
        return self._overlap(shared, sizes, gold)

    def _overlap(self, shared: Array, sizes: Array, gold: Array) -> Overlap:
        return Overlap(shared, shared, sizes * len(self.gold.references), gold)

    def whole(self, rouge: str) -> tuple[int, int, int]:
        """What the two timelines share as one document each, and what each side has.

        N-grams run across days: the texts are simply laid end to end.
        """
        own = list(chain.from_iterable(self.tokens))
        shared = gold = predicted = 0
        for other in self._gold_documents:
            if rouge == "L":
                shared += longest_common(places(other), len(other), own)
                predicted += len(own)
                gold += len(other)
            else:
                mine, theirs = ngrams(own, int(rouge)), ngrams(other, int(rouge))
                shared += (Counter(mine) & Counter(theirs)).total()
                predicted += len(mine)
                gold += len(theirs)
        return shared, predicted, gold


@lru_cache(maxsize=256)
def gold_side(references: References, text: str) -> GoldSide:
    """Prepare references, or take them as they were prepared for an earlier prediction."""
    return GoldSide(references, text)


def compare(case: Case[References, Timeline], setting: Hashable) -> Comparison:
    """Compare a case under a kind of text processing."""
    return Comparison(case.predicted, gold_side(case.gold, str(setting)))


def compared_with(predicted: Sequence[Timeline], golds: Sequence[GoldSide]) -> list[Comparison]:
    """Compare each prediction with its gold, all of them together."""
    block = Block(predicted, golds)
    return [
        Comparison(timeline, gold, block, place)
        for place, (timeline, gold) in enumerate(zip(predicted, golds, strict=True))
    ]


def compare_many(
    cases: Sequence[Case[References, Timeline]], setting: Hashable
) -> list[Comparison]:
    """Compare cases together, which takes less where timelines are short."""
    golds = [gold_side(case.gold, str(setting)) for case in cases]
    return compared_with([case.predicted for case in cases], golds)


def period_bounds(days: Sequence[Period]) -> tuple[Array, Array]:
    """The first and the last day of each period, as ordinals."""
    first = np.array([day.first.toordinal() for day in days], dtype=np.float64)
    return first, np.array([day.last.toordinal() for day in days], dtype=np.float64)
