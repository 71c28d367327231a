"""Compare many cases at once: their days as columns, and all pairs of days that may be aligned.

A block has the days of all its cases end to end. A cell is a pair of a predicted and a gold day of
one case; the cells of a case are a table with predicted days in rows and gold days in columns, and
the tables of all cases are end to end as well. Whatever is computed from a block is computed for
all its cases in a few passes over such columns. A `TimelineComparison` shows one case of a block.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeVar
from unicodedata import normalize

import numpy as np

from chronoscore.core.block import CaseBlock
from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence
from chronoscore.core.metric import Metric
from chronoscore.elements.dated.model import References, Timeline, common
from chronoscore.elements.similarity import Cells, similarity
from chronoscore.elements.text import RAW as RAW_TOKENS
from chronoscore.elements.text import Tokeniser, localised, tokeniser
from chronoscore.elements.text.columns import (
    Documents,
    Integers,
    TokenColumns,
    add_up,
    ends_from_zero,
    ngram_totals,
    ranges,
    shared_ngrams,
    summed,
    vocabulary,
)
from chronoscore.elements.text.sequences import longest_common, places
from chronoscore.elements.time import Time
from chronoscore.elements.time.columns import cell_table, is_unbounded
from chronoscore.elements.time.value import Extent
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array

RAW = "raw"
"""The name of the tokens that tilse aligns by, which is no text processing of metrics."""
EXTENTS = ("hausdorff", "overlap", "gap")
"""How a predicted time that covers several cells is compared: see `ComparisonBlock.distance`."""
Item = TypeVar("Item")
_SMALLEST = np.finfo(np.float64).tiny


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
    """The share that precision counts: of each cell, or as a table of a case."""
    found: Array
    """The share that recall counts; the same, except for overlaps of meaning."""
    predicted: Array
    gold: Array


class Calendar(NamedTuple):
    """The days of cases, end to end, as cells of the calendar by a grain."""

    first: Integers
    last: Integers
    """The cells that each day covers."""
    starts: Integers
    """Where the days of each case begin, and where the last ones end."""
    is_offset: Integers
    """Whether each day is on an axis of offsets."""
    has_single_cells: bool
    """Whether no day covers several cells."""

    @classmethod
    def of(cls, times: Sequence[tuple[Time, ...]], setting: Setting) -> "Calendar":
        """Number the cells of the days of each case."""
        table = cell_table(setting.grain, setting.zone)
        first, last, is_offset = table.look_up([*chain.from_iterable(times)])
        starts = ends_from_zero(np.fromiter(map(len, times), np.int64, count=len(times)))
        return cls(first, last, starts, is_offset, bool((first == last).all()))

    def out_of_order(self) -> list[int]:
        """Return the cases whose days do not ascend by their cells."""
        first, last = self.first, self.last
        ascends = np.ones(len(first), np.bool_)
        np.greater(first[1:], first[:-1], out=ascends[1:])
        if not self.has_single_cells:
            ascends[1:] |= (first[1:] == first[:-1]) & (last[1:] > last[:-1])
        ascends[self.starts[:-1][np.diff(self.starts) > 0]] = True
        places_of_days = np.searchsorted(self.starts, np.flatnonzero(~ascends), side="right") - 1
        return sorted({*places_of_days.tolist()})  # quicker to import than numpy.unique


class Side(NamedTuple):
    """One side of all cases: its days and their texts, end to end."""

    times: list[tuple[Time, ...]]
    """The days of each case."""
    cells: Calendar
    texts: list[tuple[str, ...]]
    """Documents: the sentences of each day of each reference."""
    day: Integers
    """The day of each document."""
    references: Integers
    """Where the documents of each reference begin, and where the last ones end."""
    case_of_reference: Integers

    @classmethod
    def of(cls, cases: Sequence[References], setting: Setting) -> "Side":
        """Put the days of cases end to end; days that cover the same cells become one."""
        if any(len(references) != 1 for references in cases):
            return cls._united(cases, setting)
        timelines = [references[0] for references in cases]
        cells = Calendar.of([timeline.dates for timeline in timelines], setting)
        if unmerged := cells.out_of_order():
            for place in unmerged:
                timelines[place], _ = timelines[place].merged(setting.grain, setting.zone)
            cells = Calendar.of([timeline.dates for timeline in timelines], setting)
        texts = [*chain.from_iterable([timeline.texts for timeline in timelines])]
        return cls(
            [timeline.dates for timeline in timelines],
            cells,
            texts,
            np.arange(len(texts)),
            cells.starts,
            np.arange(len(cases)),
        )

    @classmethod
    def _united(cls, cases: Sequence[References], setting: Setting) -> "Side":
        united = [_united(references, setting) for references in cases]
        times = [dates for dates, _, _ in united]
        cells = Calendar.of(times, setting)
        columns = [np.array(places, np.int64) for _, places, _ in united]
        first = np.repeat(cells.starts[:-1], [*map(len, columns)])
        documents = [texts for _, _, by_reference in united for texts in by_reference]
        sizes = np.fromiter(map(len, documents), np.int64, count=len(documents))
        return cls(
            times,
            cells,
            [*chain.from_iterable(documents)],
            first + np.concatenate(columns),
            ends_from_zero(sizes),
            np.repeat(np.arange(len(cases)), [*map(len, cases)]),
        )

    @property
    def starts(self) -> Integers:
        """Where the days of each case begin, and where the last ones end."""
        return self.cells.starts

    @property
    def sizes(self) -> Integers:
        """How many days each case has."""
        return np.diff(self.starts)

    @property
    def case(self) -> Integers:
        """The case of each day."""
        return np.repeat(np.arange(len(self.times)), self.sizes)

    @property
    def first(self) -> Integers:
        """The first cell of each day."""
        return self.cells.first

    @property
    def last(self) -> Integers:
        """The last cell of each day."""
        return self.cells.last


def _united(
    references: References, setting: Setting
) -> tuple[tuple[Time, ...], list[int], list[tuple[tuple[str, ...], ...]]]:
    """Unite the days of several references that cover the same cells.

    Return the days, the place of the day of each document, and the documents by reference.
    """
    merged = [reference.merged(setting.grain, setting.zone) for reference in references]
    times: dict[Extent, list[Time]] = {}
    for timeline, extents in merged:
        for extent, day in zip(extents, timeline.dates, strict=True):
            times.setdefault(extent, []).append(day)
    column = {extent: place for place, extent in enumerate(sorted(times))}
    days = tuple(common(times[extent], setting.grain, setting.zone) for extent in column)
    columns = [column[extent] for _, extents in merged for extent in extents]
    return days, columns, [timeline.texts for timeline, _ in merged]


class ComparisonBlock(CaseBlock["TimelineComparison"]):
    """Predictions and their golds, compared under one setting; each may be looked at alone."""

    def __init__(
        self,
        predicted: Sequence[Timeline],
        golds: Sequence[References],
        setting: Setting,
        languages: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.setting = setting
        self.modes = [localised(setting.text, language) for language in languages]
        """The text processing of each case, where the language may matter."""
        self.predicted = Side.of([(timeline,) for timeline in predicted], setting)
        self.gold = Side.of(golds, setting)
        self.references = np.fromiter(map(len, golds), np.int64, count=len(golds))
        self.rows = self.predicted.case
        """The case of each predicted day."""
        self.columns = self.gold.case
        """The case of each gold day."""
        self.row_starts = ends_from_zero(self.gold.sizes[self.rows])
        """Where the cells of each predicted day begin, and where the last ones end."""
        self._check_axes()

    def _check_axes(self) -> None:
        cases = np.concatenate([self.rows, self.columns])
        offsets = np.concatenate([self.predicted.cells.is_offset, self.gold.cells.is_offset])
        if offsets.any():
            of_case = np.bincount(cases, offsets, len(self))
            if ((of_case > 0) & (of_case < np.bincount(cases, minlength=len(self)))).any():
                raise UsageError(
                    "some times are offsets and others are not: they can't be compared"
                )

    def __len__(self) -> int:
        return len(self.predicted.times)

    def comparison(self, place: int) -> "TimelineComparison":
        """Return the comparison of one case."""
        return TimelineComparison(self, place)

    # The cells

    @cached_property
    def row(self) -> Integers:
        """The predicted day of each cell."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.row_starts))

    @cached_property
    def column(self) -> Integers:
        """The gold day of each cell."""
        return ranges(self.gold.starts[self.rows], np.diff(self.row_starts))

    @cached_property
    def by_column(self) -> tuple[Integers, Integers]:
        """All cells in order of their gold days, and where those of each gold day begin."""
        case = self.columns
        sizes = self.predicted.sizes[case]
        row = ranges(self.predicted.starts[case], sizes)
        column = np.repeat(np.arange(len(case)) - self.gold.starts[case], sizes)
        return self.row_starts[row] + column, ends_from_zero(sizes)

    @cached_property
    def starts(self) -> Integers:
        """Where the cells of each case begin, and where the last ones end."""
        return self.row_starts[self.predicted.starts]

    @cached_property
    def same_time(self) -> Integers:
        """The predicted day that covers the same cells of the calendar as each gold day, or -1."""
        keys = [
            np.stack([case, side.first, side.last])
            for case, side in ((self.rows, self.predicted), (self.columns, self.gold))
        ]
        both = np.concatenate(keys, axis=1)
        order = np.lexsort(both[::-1])  # equal days come in pairs, the predicted one first
        ordered = both[:, order]
        second = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).all(axis=0)) + 1
        row, column = order[second - 1], order[second] - len(self.rows)
        is_pair = (row < len(self.rows)) & (column >= 0)
        found = np.full(len(self.columns), -1, np.int64)
        found[column[is_pair]] = row[is_pair]
        return found

    @cached_property
    def has_single_cells(self) -> bool:
        """Whether no time covers several cells, so that times of distance 0 are equal."""
        return self.predicted.cells.has_single_cells and self.gold.cells.has_single_cells

    @cached_property
    def _wide(self) -> Integers:
        """The cells of predicted times that cover several cells of the calendar."""
        if self.predicted.cells.has_single_cells:
            return np.empty(0, np.int64)
        return np.flatnonzero((self.predicted.first != self.predicted.last)[self.row])

    def distance(self, extent: str = "hausdorff") -> Array:
        """Return the cells between the predicted and the gold time of each pair.

        It is 0 where they meet. With `extent="gap"` that is all; but then a predicted century has
        distance 0 to all its days. Otherwise a predicted time of several cells is as far as the
        farther of its two ends is from that of the gold (Hausdorff distance), infinitely far if
        only one of them has a bound there.
        """
        way = "gap" if extent == "gap" or not len(self._wide) else "hausdorff"
        return self.keep(("distance", way), lambda: self._distance(way))

    def _distance(self, way: str) -> Array:
        predicted, gold, row, column = self.predicted, self.gold, self.row, self.column
        if self.has_single_cells:
            apart = np.abs(predicted.first[row] - gold.first[column])
            return np.asarray(apart, np.float64)
        after = predicted.first[row] - gold.last[column]
        before = gold.first[column] - predicted.last[row]
        distance: Array = np.maximum(np.maximum(after, before), 0).astype(np.float64)
        if way == "hausdorff":
            row, column = row[self._wide], column[self._wide]
            apart = np.maximum(
                np.abs(predicted.first[row] - gold.first[column]),
                np.abs(predicted.last[row] - gold.last[column]),
            )
            distance[self._wide] = np.where(is_unbounded(apart), np.inf, apart)
        return distance

    def with_overlap(self, weight: Array) -> Array:
        """Replace the weights of predicted times of several cells by their overlap with the gold.

        It is the share of common cells in those from the first to the last of both; 0 if that is
        not bounded, unless both are equal.
        """
        if not len(self._wide):
            return weight
        row, column = self.row[self._wide], self.column[self._wide]
        first, last = self.predicted.first[row], self.predicted.last[row]
        gold_first, gold_last = self.gold.first[column], self.gold.last[column]
        shared = np.minimum(last, gold_last) - np.maximum(first, gold_first) + 1
        covered = np.maximum(last, gold_last) - np.minimum(first, gold_first) + 1
        counts = (shared > 0) & ((shared == covered) | ~is_unbounded(covered))
        result = weight.copy()
        result[self._wide] = np.where(counts, shared / covered, 0.0)
        return result

    @property
    def unequal(self) -> Array:
        """1 for each pair of times that differ in a case where some time covers several cells."""
        row, column, predicted, gold = self.row, self.column, self.predicted, self.gold
        differ = (predicted.first[row] != gold.first[column]) | (
            predicted.last[row] != gold.last[column]
        )
        has_wide = np.zeros(len(self), np.bool_)  # no other case may change the costs of a case
        for cases, side in ((self.rows, predicted), (self.columns, gold)):
            has_wide[cases[side.first != side.last]] = True
        return np.asarray(differ & has_wide[self.rows][row], np.float64)

    # The texts

    def tokens(self, text: str) -> tuple[TokenColumns, TokenColumns]:
        """Return the tokens of all documents of both sides."""
        return self.keep(("tokens", text), lambda: self._tokens(text))

    def _tokens(self, text: str) -> tuple[TokenColumns, TokenColumns]:
        documents, places_of = self._documents
        modes = dict.fromkeys(self.modes) if text == self.setting.text else {}
        if len(modes) > 1:
            cases = np.concatenate([self.rows, self._case_of_document])
            both = self.read([*self.predicted.texts, *self.gold.texts], cases)
        else:
            (mode,) = modes or (text,)
            both = vocabulary(_tokeniser(mode)).read(documents)
            both = both if places_of is None else both.take(places_of)
        middle = len(self.predicted.texts)
        return both.between(0, middle), both.between(middle, middle + len(self.gold.texts))

    @cached_property
    def _documents(self) -> tuple[Documents, Integers | None]:
        """All documents, and their places among these, as a gold may have many predictions."""
        texts = [*self.predicted.texts, *self.gold.texts]
        identities = [*map(id, texts)]
        distinct = dict(zip(identities, texts, strict=True))
        if len(distinct) == len(texts):
            return Documents(texts), None
        place = dict(zip(distinct, range(len(distinct)), strict=True))
        places_of = np.fromiter(map(place.__getitem__, identities), np.int64, count=len(texts))
        return Documents([*distinct.values()]), places_of

    def read(self, documents: Sequence[Sequence[str]], cases: Integers) -> TokenColumns:
        """Read documents of these cases, each as its language asks for."""
        if not self.modes:
            return vocabulary(_tokeniser(self.setting.text)).read(Documents(documents))
        by_mode: dict[str, list[int]] = {}
        for place, case in enumerate(cases.tolist()):
            by_mode.setdefault(self.modes[case], []).append(place)
        order = np.array([*chain.from_iterable(by_mode.values())], np.int64)
        parts = [
            vocabulary(_tokeniser(mode)).read(Documents([documents[at] for at in found]))
            for mode, found in by_mode.items()
        ]
        return TokenColumns.together(parts).take(np.argsort(order))

    @cached_property
    def _case_of_document(self) -> Integers:
        """The case of each document of the gold."""
        return np.repeat(self.gold.case_of_reference, np.diff(self.gold.references))

    def overlap(self, rouge: str, text: str = "") -> Overlap:
        """Count the n-grams, or for L the longest common subsequence, that pairs of days share."""
        text = text or self.setting.text
        make = self._sequences if rouge == "L" else self._overlap
        return self.keep((rouge, text), lambda: make(rouge, text))

    def _overlap(self, rouge: str, text: str) -> Overlap:
        n = int(rouge)
        predicted, gold = self.tokens(text)
        column = self.gold.day - self.gold.starts[self._case_of_document]
        shared = np.zeros(self.row_starts[-1])
        for found in shared_ngrams(predicted, gold, n, self.rows, self._case_of_document):
            add_up(shared, self.row_starts[found.predicted] + column[found.gold], found.times)
        return self._with_totals(shared, ngram_totals(predicted, n), ngram_totals(gold, n))

    def _with_totals(self, shared: Array, predicted: Integers, gold: Integers) -> Overlap:
        return Overlap(
            shared,
            shared,
            (predicted * self.references[self.rows]).astype(np.float64),
            summed(self.gold.day, gold, len(self.gold.first)),
        )

    def _sequences(self, _: str, text: str) -> Overlap:
        predicted, gold = self.tokens(text)
        shared = np.zeros(self.row_starts[-1])
        rows = [tokens.tolist() for tokens in predicted.documents()]
        for place, tokens in enumerate(gold.documents()):
            case = self._case_of_document[place]
            column = self.gold.day[place] - self.gold.starts[case]
            token_places = places(tokens.tolist())
            for row in range(*self.predicted.starts[case : case + 2]):
                cell = self.row_starts[row] + column
                shared[cell] += longest_common(token_places, len(tokens), rows[row])
        return self._with_totals(shared, predicted.sizes, gold.sizes)

    @cached_property
    def likeness(self) -> Array:
        """How alike the texts of two days are, as the alignment sees it: F1 of raw tokens.

        tilse aligns by this quick measure, whichever tokens the final score counts.
        """
        overlap = self.overlap("1", RAW)
        # 2PR/(P+R) with P = h/p and R = h/m, in tilse's order of operations; 0 where h is 0,
        # since each divisor is then at least 1 or a very small number.
        p = overlap.shared / np.maximum(overlap.predicted, 1)[self.row]
        r = overlap.shared / np.maximum(overlap.gold, 1)[self.column]
        both = p + r
        np.maximum(both, _SMALLEST, out=both)
        for change, other in ((np.multiply, 2), (np.multiply, r), (np.divide, both)):
            change(p, other, out=p)
        return p

    def similarity(self, name: str) -> Array:
        """How alike the texts of two days are, by one of `elements.similarity.BY_TOKENS`.

        Each reference is compared as if it were the only one, and the one that is most like the
        predicted day counts. Equal texts are as alike as can be, even if they have no tokens.
        """
        return self.keep(("similarity", name), lambda: self._similarity(name))

    def _similarity(self, name: str) -> Array:
        case, number = self.gold.case_of_reference, len(self.gold.case_of_reference)
        sizes = self.predicted.sizes[case]
        days = ranges(self.predicted.starts[case], sizes)
        cells = Cells(
            np.repeat(np.arange(number), sizes),
            np.repeat(np.arange(number), np.diff(self.gold.references)),
            number,
        )
        predicted, gold = self.tokens(self.setting.text)
        # Rounding must not make other words more alike than the same text.
        alike = np.minimum(similarity(name, predicted.take(days), gold, cells), 1.0)
        numbers: dict[str, int] = {}
        predicted_texts, gold_texts = (
            np.array([numbers.setdefault(_joined(texts), len(numbers)) for texts in side], np.int64)
            for side in (self.predicted.texts, self.gold.texts)
        )
        row = days[cells.row]
        alike[predicted_texts[row] == gold_texts[cells.column]] = 1.0
        column = (self.gold.day - self.gold.starts[self._case_of_document])[cells.column]
        most = np.zeros(self.row_starts[-1])
        np.maximum.at(most, self.row_starts[row] + column, alike)
        return most

    def whole(self, rouge: str) -> Integers:
        """Count what two timelines share as one document each, and what each side has, by case.

        N-grams run across days: the texts are simply joined end to end.
        """
        return self.keep(("whole", rouge), lambda: self._whole(rouge))

    def _whole(self, rouge: str) -> Integers:
        predicted, gold = self.tokens(self.setting.text)
        predicted = predicted.joined(self.predicted.starts)
        gold = gold.joined(self.gold.references)
        case_of_reference = self.gold.case_of_reference
        if rouge == "L":
            predicted_words = [tokens.tolist() for tokens in predicted.documents()]
            references = [tokens.tolist() for tokens in gold.documents()]
            pairs = zip(case_of_reference.tolist(), references, strict=True)
            common = [longest_common(places(r), len(r), predicted_words[case]) for case, r in pairs]
            shared = summed(case_of_reference, np.array(common, np.int64), len(self))
            sizes = predicted.sizes, gold.sizes
        else:
            n = int(rouge)
            shared = np.zeros(len(self))
            for found in shared_ngrams(predicted, gold, n, np.arange(len(self)), case_of_reference):
                add_up(shared, found.predicted, found.times)
            sizes = ngram_totals(predicted, n), ngram_totals(gold, n)
        totals = np.bincount(case_of_reference, sizes[1], minlength=len(self))
        return np.stack([shared, sizes[0] * self.references, totals], axis=1).astype(np.int64)


class TimelineComparison:
    """One predicted timeline against its references: a case of a block, with tables of its own."""

    def __init__(self, block: ComparisonBlock, place: int) -> None:
        self.block = block
        self.place = place
        self.setting = block.setting
        self.predicted_dates = block.predicted.times[place]
        self.gold_dates = block.gold.times[place]

    def table(self, values: Array) -> Array:
        """Return the values of this case's cells: predicted days in rows, gold days in columns."""
        return values[slice(*self.block.starts[self.place : self.place + 2])].reshape(self.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """How many predicted and gold days there are."""
        return len(self.predicted_dates), len(self.gold_dates)

    @property
    def has_cells(self) -> bool:
        """Whether both sides have days."""
        return bool(self.predicted_dates and self.gold_dates)

    @property
    def rows(self) -> slice:
        """Its predicted days among those of the block."""
        return slice(*self.block.predicted.starts[self.place : self.place + 2])

    @property
    def columns(self) -> slice:
        """Its gold days among those of the block."""
        return slice(*self.block.gold.starts[self.place : self.place + 2])

    def evidence(self, metric: Metric) -> Evidence:
        """Return what a metric counts in this case."""
        return self.block.evidence(metric, self.place)

    def partners(self, to_gold: Integers, to_predicted: Integers) -> tuple[list[int], list[int]]:
        """Return the gold day of each predicted day, and the reverse, from cells of the block."""
        width, start = max(1, len(self.gold_dates)), self.block.starts[self.place]
        rows, columns = to_gold[self.rows] - start, to_predicted[self.columns] - start
        return (
            np.where(to_gold[self.rows] >= 0, rows % width, -1).tolist(),
            np.where(to_predicted[self.columns] >= 0, columns // width, -1).tolist(),
        )

    def extents(self, times: Sequence[Time]) -> list[Extent]:
        """Return the cells of the calendar that times cover, infinite where there is no bound."""
        return [time.cells(self.setting.grain, self.setting.zone) for time in times]

    @property
    def predicted_texts(self) -> list[tuple[str, ...]]:
        """The sentences of each predicted day."""
        return self.block.predicted.texts[self.rows]

    @property
    def gold_texts(self) -> list[tuple[int, tuple[str, ...]]]:
        """The place of the day and the sentences of every day of every reference."""
        gold = self.block.gold
        first, last = np.searchsorted(gold.case_of_reference, [self.place, self.place + 1])
        documents = slice(gold.references[first], gold.references[last])
        day = gold.day[documents] - gold.starts[self.place]
        return [*zip(day.tolist(), gold.texts[documents], strict=True)]

    @property
    def references(self) -> int:
        """How many golds there are."""
        return int(self.block.references[self.place])

    @cached_property
    def tokenise(self) -> Tokeniser:
        """The tokeniser of this case."""
        modes = self.block.modes
        return _tokeniser(modes[self.place] if modes else self.setting.text)

    def distance(self, extent: str = "hausdorff") -> Array:
        """Return the cells between each predicted (row) and each gold (column) time."""
        return self.table(self.block.distance(extent))

    @property
    def likeness(self) -> Array:
        """How alike the texts of each predicted (row) and each gold (column) day are."""
        return self.table(self.block.likeness)

    def overlap(self, rouge: str) -> Overlap:
        """Count what each predicted (row) and each gold (column) day share, and have."""
        return self.overlap_here(self.block.overlap(rouge))

    def overlap_here(self, overlap: Overlap) -> Overlap:
        """Return the part of an overlap of the block that is of this case."""
        return Overlap(
            self.table(overlap.shared),
            self.table(overlap.found),
            overlap.predicted[self.rows],
            overlap.gold[self.columns],
        )


def compare_many(cases: Sequence[Case[References, Timeline]], setting: Hashable) -> ComparisonBlock:
    """Compare cases under one `Setting`; texts are read as the languages of the cases ask for."""
    assert isinstance(setting, Setting)
    languages = [case.tags.get("language", "") for case in cases]
    return ComparisonBlock(
        [case.predicted for case in cases],
        [case.gold for case in cases],
        setting,
        languages if any(languages) else (),
    )


def compare(case: Case[References, Timeline], setting: Hashable) -> TimelineComparison:
    """Compare a single case."""
    return compare_many([case], setting)[0]


def tokeniser_of(metric: Metric, tags: Mapping[str, str]) -> Tokeniser:
    """Return the tokeniser by which a metric reads the sentences of a case with these tags."""
    return tokeniser(in_language(metric.setting, tags.get("language", "")).text)


def in_language(setting: Hashable, language: str = "") -> Setting:
    """Return the setting of a metric as it is for texts of a language."""
    assert isinstance(setting, Setting)
    return setting._replace(text=localised(setting.text, language)) if language else setting


def texts_by_day(
    case: Case[References, Timeline], settings: Iterable[Hashable]
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the sentences of each day of gold and prediction, by the names that matches use.

    Days that a grain merges have a name of their own.
    """
    gold: dict[str, tuple[str, ...]] = {}
    predicted: dict[str, tuple[str, ...]] = {}
    for setting in dict.fromkeys(in_language(one)._replace(text="") for one in settings):
        compared = compare(case, setting)
        texts: dict[str, tuple[str, ...]] = {}
        for place, sentences in compared.gold_texts:
            name = str(compared.gold_dates[place])
            texts[name] = (*texts.get(name, ()), *sentences)
        gold |= texts
        names = map(str, compared.predicted_dates)
        predicted |= zip(names, compared.predicted_texts, strict=True)
    return gold, predicted


def _joined(texts: Sequence[str]) -> str:
    """Join the sentences of a day; two days have the same text if this is equal."""
    return normalize("NFC", " ".join(texts)).strip()


def _tokeniser(text: str) -> Tokeniser:
    return RAW_TOKENS if text == RAW else tokeniser(text)
