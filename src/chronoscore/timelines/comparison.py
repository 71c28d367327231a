"""Compute once what all timeline metrics need of a case: tokens, overlaps, distances."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import Case
from chronoscore.core.metric import Metric
from chronoscore.elements.text import Tokeniser, localised, raw, tokeniser
from chronoscore.elements.time import Time
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array
from chronoscore.timelines.model import Extent, References, Timeline, common
from chronoscore.timelines.ngrams import (
    GoldGrams,
    GramIndex,
    Integers,
    longest_common,
    ngrams,
    places,
    shared,
)

_SMALLEST = np.finfo(np.float64).tiny


RAW = "raw"
"""The name of the tokens that tilse aligns by, which is no text processing of metrics."""
EXTENTS = ("hausdorff", "overlap", "gap")
"""How a predicted time that covers several cells is compared: see `TimelineComparison.distance`."""
Item = TypeVar("Item")
_FAR = 2**60
"""The number of a cell that has no bound, or lies so far off that it makes no difference: whole
numbers, unlike floats, give no NaN where two such ends meet."""


class Setting(NamedTuple):
    """What a comparison depends on."""

    text: str
    """The text processing."""
    grain: str = "day"
    """The size of the cells in which times are compared, one of `elements.time.calendar.GRAINS`."""
    zone: int = 0
    """The zone of times that have none, in minutes; only for grains below a day."""


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

    def __init__(self, references: References, setting: Setting) -> None:
        super().__init__()
        self.setting = setting
        self.references = len(references)
        merged = [reference.merged(setting.grain, setting.zone) for reference in references]
        self._timelines = [timeline for timeline, _ in merged]
        self.days: list[tuple[int, tuple[str, ...]]]
        """Column and sentences of every day of every reference."""
        if len(merged) == 1:  # a short cut of what follows
            ((timeline, self.extents),) = merged
            self.dates = timeline.dates
            self.days = [(column, texts) for column, (_, texts) in enumerate(timeline.days)]
        else:
            self._unite(merged)
        self.axes = {day.axis for day in self.dates}

    def _unite(self, merged: Sequence[tuple[Timeline, list[Extent]]]) -> None:
        """Give days of several references that cover the same cells one column."""
        times: dict[Extent, list[Time]] = {}
        for timeline, extents in merged:
            for extent, day in zip(extents, timeline.dates, strict=True):
                times.setdefault(extent, []).append(day)
        self.extents = sorted(times)
        _, grain, zone = self.setting
        self.dates = tuple(common(times[extent], grain, zone) for extent in self.extents)
        column = {extent: place for place, extent in enumerate(self.extents)}
        self.days = [
            (column[extent], texts)
            for timeline, extents in merged
            for extent, (_, texts) in zip(extents, timeline.days, strict=True)
        ]

    @cached_property
    def bounds(self) -> tuple[Integers, Integers]:
        """The first and the last cell of each day."""
        return bounds(self.extents)

    @cached_property
    def has_single_cells(self) -> bool:
        """Whether no time covers several cells."""
        return all(first == last for first, last in self.extents)

    def tokens(self, text: str) -> list[tuple[int, list[str]]]:
        """Return column and tokens of every day of every reference."""
        tokenise = _tokeniser(text)
        return self.keep(text, lambda: [(column, tokenise(texts)) for column, texts in self.days])

    def grams(self, text: str, n: int) -> GoldGrams:
        """Return the n-grams of all days, numbered."""

        def make() -> GoldGrams:
            grams = [(column, ngrams(tokens, n)) for column, tokens in self.tokens(text)]
            return GoldGrams.of(grams, len(self.dates))

        return self.keep((text, n), make)

    @cached_property
    def documents(self) -> list[list[str]]:
        """The tokens of each reference, its days joined end to end."""
        texts = ([text for _, day in gold.days for text in day] for gold in self._timelines)
        return list(map(_tokeniser(self.setting.text), texts))


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
            Overlap(table, table, _sizes(days) * side.references, gold.totals)
            for table, days, side, gold in zip(tables, predicted, self.golds, golds, strict=True)
        ]


class TimelineComparison(Memory):
    """One predicted timeline against its references, under one text processing and grain."""

    def __init__(
        self,
        predicted: Timeline,
        extents: Sequence[Extent],
        gold: GoldSide,
        block: ComparisonBlock,
        place: int,
    ) -> None:
        super().__init__()
        self.predicted = predicted
        self.predicted_extents = extents
        self.gold = gold
        self._block = block
        self._place = place
        self.predicted_dates = predicted.dates
        self.gold_dates = gold.dates
        self.tokenise = tokeniser(gold.setting.text)
        self._wide = [row for row, (first, last) in enumerate(extents) if first != last]
        """The rows of the predicted times that cover several cells."""
        if len(gold.axes | {day.axis for day in self.predicted_dates}) > 1:
            raise UsageError("some times are offsets and others are not: they can't be compared")

    @cached_property
    def bounds(self) -> tuple[Integers, Integers]:
        """The first and the last cell of each predicted time."""
        return bounds(self.predicted_extents)

    def distance(self, extent: str = "hausdorff") -> Array:
        """Return the cells between each predicted (row) and each gold (column) time.

        It is 0 where they meet. With `extent="gap"` that is all; but then a predicted century has
        distance 0 to all its days. Otherwise a predicted time of several cells is as far as the
        farther of its two ends is from that of the gold (Hausdorff distance), infinitely far if
        only one of them has a bound there.
        """
        way = "gap" if extent == "gap" or not self._wide else "hausdorff"
        return self.keep(("distance", way), lambda: self._distance(way))

    def _distance(self, way: str) -> Array:
        (first, last), (gold_first, gold_last) = self.bounds, self.gold.bounds
        if self.has_single_cells:
            return np.abs(np.subtract.outer(first, gold_first)).astype(np.float64)
        after = np.subtract.outer(first, gold_last)
        before = np.subtract.outer(last, gold_first)
        distance = np.maximum(np.maximum(after, -before), 0).astype(np.float64)
        if way == "hausdorff":
            rows = self._wide
            begins = np.abs(np.subtract.outer(first[rows], gold_first))
            ends = np.abs(np.subtract.outer(last[rows], gold_last))
            apart = np.maximum(begins, ends)
            distance[rows] = np.where(is_unbounded(apart), np.inf, apart)
        return distance

    def with_overlap(self, weight: Array) -> Array:
        """Replace the weights of predicted times of several cells by their overlap with the gold.

        It is the share of common cells in those from the first to the last of both; 0 if that is
        not bounded, unless both are equal.
        """
        rows = self._wide
        if not rows:
            return weight
        (first, last), (gold_first, gold_last) = self.bounds, self.gold.bounds
        begins, ends = first[rows], last[rows]
        shared = np.minimum.outer(ends, gold_last) - np.maximum.outer(begins, gold_first) + 1
        covered = np.maximum.outer(ends, gold_last) - np.minimum.outer(begins, gold_first) + 1
        counts = (shared > 0) & ((shared == covered) | ~is_unbounded(covered))
        result = weight.copy()
        result[rows] = np.where(counts, shared / covered, 0.0)
        return result

    @property
    def has_single_cells(self) -> bool:
        """Whether no time covers several cells, so that times of distance 0 are equal."""
        return not self._wide and self.gold.has_single_cells

    @property
    def unequal(self) -> Array:
        """1 for each predicted (row) and gold (column) time that differ, else 0."""
        (first, last), (gold_first, gold_last) = self.bounds, self.gold.bounds
        differ = np.not_equal.outer(first, gold_first) | np.not_equal.outer(last, gold_last)
        return differ.astype(np.float64)

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
        return self._block.tokens(self.gold.setting.text)[self._place]

    def overlap(self, rouge: str) -> Overlap:
        """Count the n-grams, or for L the longest common subsequence, that pairs of days share."""
        if rouge == "L":
            return self.keep(rouge, self._sequences)
        return self._block.overlaps(self.gold.setting.text, int(rouge))[self._place]

    def _sequences(self) -> Overlap:
        shared = np.zeros((len(self.tokens), len(self.gold_dates)))
        gold = np.zeros(len(self.gold_dates))
        for column, tokens in self.gold.tokens(self.gold.setting.text):
            gold[column] += len(tokens)
            token_places = places(tokens)
            for row, predicted in enumerate(self.tokens):
                shared[row, column] += longest_common(token_places, len(tokens), predicted)
        return Overlap(shared, shared, _sizes(self.tokens) * self.gold.references, gold)

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
def gold_side(references: References, setting: Setting) -> GoldSide:
    """Prepare references, or return them as prepared for an earlier prediction."""
    return GoldSide(references, setting)


def compared_with(
    predicted: Sequence[Timeline], golds: Sequence[GoldSide]
) -> list[TimelineComparison]:
    """Compare each prediction with its gold, all in one block."""
    merged = [
        timeline.merged(gold.setting.grain, gold.setting.zone)
        for timeline, gold in zip(predicted, golds, strict=True)
    ]
    block = ComparisonBlock([timeline for timeline, _ in merged], golds)
    pairs = zip(merged, golds, strict=True)
    return [TimelineComparison(*side, gold, block, at) for at, (side, gold) in enumerate(pairs)]


def compare_many(
    cases: Sequence[Case[References, Timeline]], setting: Hashable
) -> list[TimelineComparison]:
    """Compare cases under one `Setting`, in one block, since timelines are short.

    Cases of different languages may be cut into tokens differently, and are then in different
    blocks.
    """
    places: dict[Setting, list[int]] = {}
    for place, case in enumerate(cases):
        places.setdefault(in_language(setting, case.tags.get("language", "")), []).append(place)
    compared: dict[int, TimelineComparison] = {}
    for local, several in places.items():
        golds = [gold_side(cases[place].gold, local) for place in several]
        predicted = [cases[place].predicted for place in several]
        compared |= zip(several, compared_with(predicted, golds), strict=True)
    return [compared[place] for place in range(len(cases))]


def tokeniser_of(metric: Metric, tags: Mapping[str, str]) -> Tokeniser:
    """Return the tokeniser by which a metric reads the sentences of a case with these tags."""
    return tokeniser(in_language(metric.setting, tags.get("language", "")).text)


def in_language(setting: Hashable, language: str = "") -> Setting:
    """Return the setting of a metric as it is for texts of a language."""
    assert isinstance(setting, Setting)
    return setting._replace(text=localised(setting.text, language)) if language else setting


def compare(case: Case[References, Timeline], setting: Hashable) -> TimelineComparison:
    """Compare a single case."""
    return compare_many([case], setting)[0]


def texts_by_day(
    case: Case[References, Timeline], settings: Iterable[Hashable]
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the sentences of each day of gold and prediction, by the names that matches use.

    Days that a grain merges have a name of their own.
    """
    gold: dict[str, tuple[str, ...]] = {}
    predicted: dict[str, tuple[str, ...]] = {}
    for setting in dict.fromkeys(in_language(one)._replace(text="") for one in settings):
        side = gold_side(case.gold, setting)
        texts: dict[str, tuple[str, ...]] = {}
        for column, sentences in side.days:
            name = str(side.dates[column])
            texts[name] = (*texts.get(name, ()), *sentences)
        gold |= texts
        timeline, _ = case.predicted.merged(setting.grain, setting.zone)
        predicted |= {str(day): sentences for day, sentences in timeline.days}
    return gold, predicted


def _tokeniser(text: str) -> Callable[[Iterable[str]], list[str]]:
    return raw if text == RAW else tokeniser(text)


def _sizes(days: Sequence[Sequence[str]]) -> Array:
    return np.array(list(map(len, days)), dtype=np.float64)


def bounds(extents: Sequence[Extent]) -> tuple[Integers, Integers]:
    """Return the first and the last cell of each extent as arrays."""
    firsts, lasts = [first for first, _ in extents], [last for _, last in extents]
    if extents and (min(firsts) < -_FAR or max(lasts) > _FAR):
        firsts, lasts = ([min(max(c, -_FAR), _FAR) for c in cells] for cells in (firsts, lasts))
    first = np.array(firsts, dtype=np.int64)
    return first, first if firsts == lasts else np.array(lasts, dtype=np.int64)


def is_unbounded(distance: Integers) -> NDArray[np.bool_]:
    """Whether distances are those of ends without a bound."""
    return distance >= _FAR // 2
