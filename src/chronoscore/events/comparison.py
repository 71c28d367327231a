"""Compare the events of many cases at once: similarity, closeness, and one matching for them all.

A block has the events of all its cases end to end. A cell is a pair of a predicted and a gold event
of one case, and a pair is a cell that is matched.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.block import CaseBlock
from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence
from chronoscore.core.functions import allowed, is_name
from chronoscore.core.metric import Metric
from chronoscore.elements import similarity
from chronoscore.elements.dated.model import DatedEvent, References, Timeline
from chronoscore.elements.similarity import Cells
from chronoscore.elements.text import Tokeniser, localised, tokeniser
from chronoscore.elements.text.columns import Documents, Integers, TokenColumns, vocabulary
from chronoscore.elements.text.sequences import common_lengths
from chronoscore.elements.time import Time
from chronoscore.elements.time.closeness import Closeness, Extents
from chronoscore.errors import UsageError
from chronoscore.events.matching import match
from chronoscore.events.model import events_of, names_of, order
from chronoscore.events.verdicts import table_of

Array = NDArray[np.float64]
Item = TypeVar("Item")
SIMILARITIES = (*similarity.BY_TOKENS, "exact", "meaning", "mix")
"""What decides that two texts tell one event, the default first."""
_PLACES = 12
"""The decimal places by which similarities are compared with the threshold."""


class EventSetting(NamedTuple):
    """What a comparison depends on."""

    unit: str = "sentence"
    similarity: str = "rarity"
    tokens: str = "content"
    model: str = "wordllama"
    verdicts: str = ""
    otherwise: str = "similarity"
    closeness: str = "near"
    zone: int = 0
    labels: str = "ignore"
    time_weight: float = 0.5
    threshold: float = 0.22
    match: str = "best"
    inside: float = 0.6
    gain: float = 0.1


class EventSide:
    """One side of all cases: its events, end to end and sorted within a case."""

    def __init__(self, cases: Sequence[tuple[DatedEvent, ...]]) -> None:
        self.events = [*chain.from_iterable(cases)]
        sizes = np.fromiter(map(len, cases), np.int64, count=len(cases))
        self.case: Integers = np.repeat(np.arange(len(cases)), sizes)
        self.sizes = sizes
        self.keys = [normalize("NFC", event.text).strip() for event in self.events]
        """The texts by which events are the same."""

    def times(self) -> list[Time | None]:
        """Return the time of each event."""
        return [event.time for event in self.events]


class Matched(NamedTuple):
    """The pairs of all cases, in order of the predicted events."""

    cell: Integers
    row: Integers
    column: Integers
    case: Integers

    def of_case(self, case: int) -> slice:
        """Return the places of the pairs of a case."""
        return slice(*np.searchsorted(self.case, [case, case + 1]).tolist())


class EventBlock(CaseBlock["EventComparison"]):
    """Predictions and their golds, compared under one setting; each may be looked at alone."""

    def __init__(
        self,
        predicted: Sequence[Timeline],
        golds: Sequence[References],
        setting: EventSetting,
        languages: Sequence[str] = (),
        topics: Sequence[str] = (),
    ) -> None:
        self.setting = setting
        self.timelines = [*predicted]
        self.golds = [*golds]
        self.topics = topics
        self.languages = languages
        super().__init__()
        seen: dict[int, tuple[DatedEvent, ...]] = {}

        def events(timeline: Timeline) -> tuple[DatedEvent, ...]:
            if id(timeline) not in seen:
                seen[id(timeline)] = events_of(timeline, setting.unit)
            return seen[id(timeline)]

        self.predicted = EventSide([events(timeline) for timeline in predicted])
        self.gold = EventSide([events(references[0]) for references in golds])
        self.cells = Cells(self.predicted.case, self.gold.case, len(predicted))
        self.closeness_rule = Closeness.parse(setting.closeness)

    def __len__(self) -> int:
        return self.cells.number

    def comparison(self, place: int) -> "EventComparison":
        """Return the comparison of one case."""
        return EventComparison(self, place)

    def sums(self, cases: Integers, values: Array | Integers | None = None) -> Array:
        """Add up values by case; without values, count."""
        return np.bincount(cases, values, len(self)).astype(np.float64)

    # Times

    @cached_property
    def extents(self) -> tuple[Extents, Extents]:
        """The times of both sides by the grain of the closeness."""
        return self._extents("")

    def _extents(self, grain: str) -> tuple[Extents, Extents]:
        times, zone = self.predicted.times() + self.gold.times(), self.setting.zone
        is_offset = np.array([one is not None and one.axis == "offset" for one in times], np.bool_)
        if is_offset.any():
            self._check_axes(is_offset, times)
        exact_offsets = not grain
        grain = grain or self.closeness_rule.grain()
        both = Extents.of(times, grain, zone, exact_offsets=exact_offsets)
        middle = len(self.predicted.events)
        return both.take(np.arange(middle)), both.take(np.arange(middle, len(times)))

    def _check_axes(self, is_offset: NDArray[np.bool_], times: Sequence[Time | None]) -> None:
        cases = np.concatenate([self.predicted.case, self.gold.case])
        is_dated = np.array([time is not None for time in times])
        offsets, dated = self.sums(cases[is_offset]), self.sums(cases[is_dated])
        if ((offsets > 0) & (offsets < dated)).any():
            raise UsageError("some times are offsets and others are not: they can't be compared")

    @cached_property
    def closeness(self) -> Array:
        """How close the times of each cell are; 0 where its labels disagree."""
        return self._closeness(self.cells.row, self.cells.column)

    def _closeness(self, row: Integers, column: Integers) -> Array:
        predicted, gold = self.extents
        rule, level = self.closeness_rule, None
        if rule.rule == "level":
            by_level = self.keep("level", lambda: self._extents(rule.level))
            level = (by_level[0].take(row), by_level[1].take(column))
        close = rule.weights(predicted.take(row), gold.take(column), level)
        return close * self.labels_agree(row, column)

    def labels_agree(self, row: Integers, column: Integers) -> Array:
        """Whether the labels of pairs agree, as the setting has it."""
        if self.setting.labels == "ignore":
            return np.ones(len(row))
        ways = [_labels(side.events) for side in (self.predicted, self.gold)]
        numbers: dict[frozenset[str], int] = {}
        ids = [[numbers.setdefault(labels, len(numbers)) for labels in way] for way in ways]
        distinct = [*numbers]
        agree = np.array(
            [[_agree(one, other, self.setting.labels) for other in distinct] for one in distinct]
        ).reshape(len(distinct), len(distinct))
        rows, columns = (np.array(one, np.int64) for one in ids)
        return agree[rows[row], columns[column]].astype(np.float64)

    @cached_property
    def distance(self) -> Array:
        """How far the times of each pair are apart, in the unit of the closeness."""
        pairs, (predicted, gold) = self.matched, self.extents
        return self.closeness_rule.distance(predicted.take(pairs.row), gold.take(pairs.column))

    @cached_property
    def both_dated(self) -> NDArray[np.bool_]:
        """Whether both events of each pair have a date."""
        predicted, gold = self.extents
        return predicted.is_dated[self.matched.row] & gold.is_dated[self.matched.column]

    @property
    def same_date(self) -> NDArray[np.bool_]:
        """Whether both events of each pair have the same date."""
        return np.asarray(self.both_dated & (self.distance == 0), np.bool_)

    # Texts

    @cached_property
    def tokens(self) -> tuple[TokenColumns, TokenColumns]:
        """The tokens of the events of both sides."""
        predicted, gold = self.predicted, self.gold
        return self.read(predicted.keys, predicted.case), self.read(gold.keys, gold.case)

    def read(self, texts: Sequence[str], cases: Integers) -> TokenColumns:
        """Return the tokens of texts of these cases, each as its language asks for."""
        modes = [localised(self.setting.tokens, language) for language in self.languages]
        if len({*modes}) < 2:
            mode = modes[0] if modes else self.setting.tokens
            return vocabulary(tokeniser(mode)).read(Documents([(text,) for text in texts]))
        places: dict[str, list[int]] = {}
        for at, case in enumerate(cases.tolist()):
            places.setdefault(modes[case], []).append(at)
        parts = [
            vocabulary(tokeniser(mode)).read(Documents([(texts[at],) for at in found]))
            for mode, found in places.items()
        ]
        order_of = np.argsort([*chain.from_iterable(places.values())])
        return TokenColumns.together(parts).take(order_of)

    @cached_property
    def same_text(self) -> NDArray[np.bool_]:
        """Whether the texts of each cell are the same."""
        numbers: dict[str, int] = {}
        sides = [
            np.array([numbers.setdefault(key, len(numbers)) for key in side.keys], np.int64)
            for side in (self.predicted, self.gold)
        ]
        return np.asarray(sides[0][self.cells.row] == sides[1][self.cells.column], np.bool_)

    @cached_property
    def similarity(self) -> Array:
        """How alike the texts of each cell are, by the similarity of the setting."""
        name, setting = self.setting.similarity, self.setting
        if setting.verdicts and setting.otherwise == "0":
            values = np.zeros(len(self.cells))
        else:
            values = self._user_similarity(name) if is_name(name) else self._similarity(name)
            values[self.same_text] = 1.0
        if setting.verdicts:
            values = np.where(self.has_verdict, self._verdicts[0], values)
        return values

    @cached_property
    def _verdicts(self) -> tuple[Array, Array]:
        """What verdicts say of each cell, NaN where there is none, and where they contradict."""
        values, wrong = np.zeros(len(self.cells)), np.zeros(len(self.cells))
        tables = zip(self.cells.tables(values), self.cells.tables(wrong), strict=True)
        for case, ((rows, columns, table), (_, _, contradicted)) in enumerate(tables):
            topic = self.topics[case] if self.topics else ""
            sides = self.predicted.events[rows], self.gold.events[columns]
            if table.size:
                table[:], contradicted[:] = table_of(self.setting.verdicts, topic, *sides)
        return values, wrong

    @property
    def has_verdict(self) -> NDArray[np.bool_]:
        """Whether each cell has a verdict."""
        return ~np.isnan(self._verdicts[0])

    @property
    def is_contradicted(self) -> NDArray[np.bool_]:
        """Whether a verdict says of each cell that the same event is told wrongly."""
        return self._verdicts[1] > 0

    def _similarity(self, name: str) -> Array:
        if name == "exact":
            return self._same_when_folded()
        if name == "meaning":
            return self._meaning()
        if name == "mix":
            return (self._meaning() + self._similarity("rarity")) / 2
        return similarity.similarity(name, *self.tokens, self.cells)

    def _same_when_folded(self) -> Array:
        """Return 1 where the texts of a cell are the same but for upper and lower case."""
        numbers: dict[str, int] = {}
        row, column = (
            np.array([numbers.setdefault(k.casefold(), len(numbers)) for k in side.keys], np.int64)
            for side in (self.predicted, self.gold)
        )
        return np.asarray(row[self.cells.row] == column[self.cells.column], np.float64)

    def _meaning(self) -> Array:
        from chronoscore.elements.embedding import load  # noqa: PLC0415 - large, and seldom used

        embed = load(self.setting.model)

        def cosines(rows: slice, columns: slice) -> Array:
            predicted, gold = embed(self.predicted.keys[rows]), embed(self.gold.keys[columns])
            return np.clip(np.asarray(predicted @ gold.T, np.float64), 0.0, 1.0)

        return self._by_case(cosines)

    def _by_case(self, make: Callable[[slice, slice], Array]) -> Array:
        """Return values that are made case by case, from its predicted and its gold events."""
        values = np.zeros(len(self.cells))
        for rows, columns, table in self.cells.tables(values):
            if table.size:
                table[:] = make(rows, columns)
        return values

    def _user_similarity(self, name: str) -> Array:
        function = allowed(name)

        def similarities(rows: slice, columns: slice) -> Array:
            one, other = self.predicted.keys[rows], self.gold.keys[columns]
            both = _matrix(name, function, one, other), _matrix(name, function, other, one).T
            return np.asarray((both[0] + both[1]) / 2)

        return self._by_case(similarities)

    # Matching

    @cached_property
    def together(self) -> Array:
        """Text and time together: S = T (1 - time_weight + time_weight W)."""
        share = self.setting.time_weight
        if share == 0:
            return self.similarity
        values = self.closeness * share
        values += 1 - share
        values *= self.similarity
        return values

    @cached_property
    def is_possible(self) -> NDArray[np.bool_]:
        """Whether text and time of each cell exceed the threshold."""
        return _exceeds(self.together, self.setting.threshold)

    @cached_property
    def credit(self) -> Array:
        """What each cell is worth beyond the threshold; above 0 where a pair is possible."""
        return _beyond(self.setting.threshold, self.together, self.is_possible)

    def matched_cells(self, threshold: float) -> Integers:
        """Return the cells that are matched under another threshold than that of the setting."""
        return self._match(_beyond(threshold, self.together, _exceeds(self.together, threshold)))

    def _match(self, credit: Array) -> Integers:
        return match(self.cells, credit, self.closeness, self._gold_first, self.setting.match)

    @cached_property
    def matched(self) -> Matched:
        """The pairs."""
        cells, chosen = self.cells, self._match(self.credit)
        row = cells.row[chosen]
        return Matched(chosen, row, cells.column[chosen], cells.predicted_cases[row])

    def _gold_first(self, case: int) -> bool:
        """Whether the list of gold events of a case is smaller than that of the predicted ones."""
        cells = self.cells
        rows = slice(*cells.predicted_starts[case : case + 2])
        columns = slice(*cells.gold_starts[case : case + 2])
        gold = [order(event) for event in self.gold.events[columns]]
        return gold < [order(event) for event in self.predicted.events[rows]]

    @cached_property
    def timed(self) -> Array:
        """The closeness of each pair, but 1 where the gold has no date to ask for."""
        pairs, (predicted, gold) = self.matched, self.extents
        agree = self.labels_agree(pairs.row, pairs.column)
        close = self.closeness[pairs.cell]
        has_gold = gold.is_dated[pairs.column]
        closeness = np.where(predicted.is_dated[pairs.row], close, 0.0)
        return np.asarray(np.where(has_gold, closeness, agree), np.float64)

    @cached_property
    def quality(self) -> Array:
        """How near the words of each pair are: the mean of ROUGE-1 and ROUGE-L F1."""
        row, column = self.matched.row, self.matched.column
        predicted, gold = self.tokens
        total = (predicted.sizes[row] + gold.sizes[column]).astype(np.float64)
        common = common_lengths(predicted, row, gold, column) + self.shared_words("1")
        is_known = (predicted.sizes[row] > 0) & (gold.sizes[column] > 0)
        quality: Array = np.divide(common, total, out=np.zeros(len(row)), where=is_known)
        quality[self.same_text[self.matched.cell]] = 1.0
        return quality

    def shared_words(self, rouge: str) -> Integers:
        """Count the n-grams, or for L the words in sequence, that each pair shares."""
        return self.keep(("shared", rouge), lambda: self._shared_words(rouge))

    def _shared_words(self, rouge: str) -> Integers:
        row, column = self.matched.row, self.matched.column
        predicted, gold = self.tokens
        if rouge == "L":
            return common_lengths(predicted, row, gold, column)
        pairs = np.arange(len(row))
        alone = Cells(pairs, pairs, len(row))
        shared = similarity.shared_counts(predicted.take(row), gold.take(column), alone, int(rouge))
        return shared.astype(np.int64)


def _exceeds(together: Array, threshold: float) -> NDArray[np.bool_]:
    return np.asarray(np.round(together, _PLACES) > threshold, np.bool_)


def _beyond(threshold: float, together: Array, is_possible: NDArray[np.bool_]) -> Array:
    beyond = (together - threshold) / (1 - threshold)
    return np.asarray(np.where(is_possible, beyond, 0.0), np.float64)


def _labels(events: Iterable[DatedEvent]) -> list[frozenset[str]]:
    return [frozenset(map(str.casefold, event.labels)) for event in events]


_COMPATIBLE = {
    frozenset({"contains-1"}): {frozenset({"begins-on"}), frozenset({"ends-on"})},
}
"""Labels that agree with others: a day that a treatment contains may be its first or its last."""


def _agree(one: frozenset[str], other: frozenset[str], way: str) -> bool:
    if one == other:
        return True
    if way == "strict":
        return False
    return other in _COMPATIBLE.get(one, ()) or one in _COMPATIBLE.get(other, ())


def _matrix(
    name: str, function: Callable[..., Any], one: Sequence[str], other: Sequence[str]
) -> Array:
    """Call a user's similarity and check what it returns."""
    try:
        answer = function([*one], [*other])
    except Exception as error:
        raise UsageError(f"similarity {name} failed: {type(error).__name__}: {error}") from error
    try:
        values = np.asarray(answer, np.float64)
    except (TypeError, ValueError):
        raise UsageError(
            f"similarity {name} returned {type(answer).__name__}, expected a table of numbers"
        ) from None
    if values.shape != (len(one), len(other)):
        raise UsageError(
            f"similarity {name} returned an array of shape {values.shape}, expected "
            f"{(len(one), len(other))}: one row a text of the first list"
        )
    if not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= 1):
        raise UsageError(f"similarity {name} returned values that are not between 0 and 1")
    return values


class EventComparison:
    """One prediction against its gold: a case of a block."""

    def __init__(self, block: EventBlock, place: int) -> None:
        self.block = block
        self.place = place
        cells = block.cells
        self.rows = slice(*cells.predicted_starts[place : place + 2].tolist())
        self.columns = slice(*cells.gold_starts[place : place + 2].tolist())

    @property
    def predicted(self) -> list[DatedEvent]:
        """The predicted events."""
        return self.block.predicted.events[self.rows]

    @property
    def gold(self) -> list[DatedEvent]:
        """The gold events."""
        return self.block.gold.events[self.columns]

    @cached_property
    def names(self) -> tuple[list[str], list[str]]:
        """The names of the events of both sides."""
        block, unit = self.block, self.block.setting.unit
        return (
            names_of(self.predicted, block.timelines[self.place], unit),
            names_of(self.gold, block.golds[self.place][0], unit),
        )

    @property
    def pairs(self) -> slice:
        """The places of its pairs among those of the block."""
        return self.block.matched.of_case(self.place)

    def evidence(self, metric: Metric) -> Evidence:
        """Return what a metric counts in this case."""
        return self.block.evidence(metric, self.place)


_latest: list[tuple[tuple[object, ...], EventBlock]] = []
"""The block that was made last: metrics that differ only in the unit share it for records."""


def compare_many(cases: Sequence[Case[References, Timeline]], setting: Hashable) -> EventBlock:
    """Compare cases under one setting; texts are read as the languages of the cases ask for."""
    assert isinstance(setting, EventSetting)
    timelines = [timeline for case in cases for timeline in (case.predicted, *case.gold)]
    if all(timeline.events or not timeline.dates for timeline in timelines):
        setting = setting._replace(unit="sentence")  # records are events, whatever the unit
    languages = tuple(case.tags.get("language", "") for case in cases)
    topics = tuple(case.tags.get("topic", "") for case in cases)
    key = (*map(id, timelines), setting, languages, topics)
    for made_of, block in [*_latest]:
        if made_of == key:
            return block
    block = EventBlock(
        [case.predicted for case in cases],
        [case.gold for case in cases],
        setting,
        languages if any(languages) else (),
        topics,
    )
    _latest[:] = [(key, block)]  # it holds the timelines, so that no other has their identity
    return block


def compare(case: Case[References, Timeline], setting: Hashable) -> EventComparison:
    """Compare a single case."""
    return compare_many([case], setting)[0]


def tokeniser_of(metric: Metric, tags: Mapping[str, str]) -> Tokeniser:
    """Return the tokeniser by which a metric reads the events of a case with these tags."""
    setting = metric.setting
    assert isinstance(setting, EventSetting)
    return tokeniser(localised(setting.tokens, tags.get("language", "")))


def texts_by_event(
    case: Case[References, Timeline], settings: Iterable[Hashable]
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the texts of gold and predicted events by the names that matches use."""
    gold, predicted = _named(case, settings)
    return (
        {name: (event.text,) for name, event in gold.items()},
        {name: (event.text,) for name, event in predicted.items()},
    )


def times_by_event(
    case: Case[References, Timeline], settings: Iterable[Hashable]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the times of events that have one, by the same names."""
    gold, predicted = _named(case, settings)
    return (
        {name: str(event.time) for name, event in gold.items() if event.time is not None},
        {name: str(event.time) for name, event in predicted.items() if event.time is not None},
    )


def _named(
    case: Case[References, Timeline], settings: Iterable[Hashable]
) -> tuple[dict[str, DatedEvent], dict[str, DatedEvent]]:
    """Return gold and predicted events by name."""
    units = dict.fromkeys(setting.unit for setting in settings if isinstance(setting, EventSetting))
    sides: tuple[dict[str, DatedEvent], dict[str, DatedEvent]] = {}, {}
    for unit in units:
        for timeline, by_name in zip((case.gold[0], case.predicted), sides, strict=True):
            events = events_of(timeline, unit)
            by_name.update(zip(names_of(events, timeline, unit), events, strict=True))
    return sides
