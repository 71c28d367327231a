"""The metrics of matched events: one matching, and what each pair is worth.

Precision, recall and "given the match" are one sum of credits over the predicted events, the gold
events, or the pairs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.evidence import Match, Statistic
from chronoscore.core.evidence_table import Measured
from chronoscore.core.metric import (
    USUAL_LAWS,
    BrokenLaw,
    Definition,
    Law,
    Parameter,
    RatioTable,
    Values,
    text_of,
)
from chronoscore.elements.dated.model import DatedEvent
from chronoscore.elements.text import KNOWN, check_mode, full_mode, stop_list, version
from chronoscore.elements.text.columns import ngram_totals
from chronoscore.elements.text.conflicts import conflicts
from chronoscore.elements.time import Time
from chronoscore.elements.time.closeness import NAMES, check_closeness
from chronoscore.elements.time.parameters import zone_minutes
from chronoscore.elements.treatment import treatment_days
from chronoscore.errors import UsageError
from chronoscore.events.comparison import SIMILARITIES, EventBlock, EventComparison, EventSetting
from chronoscore.events.facts import SCOPES, fact_counts
from chronoscore.events.groups import ALONE, PART, REPEAT, EventGroups, groups_of
from chronoscore.events.matching import METHODS
from chronoscore.events.model import UNITS
from chronoscore.events.order import order_counts
from chronoscore.events.verdicts import verdict_file

Array = NDArray[np.float64]
Credit = Callable[[EventBlock, Values], Array]
"""What each pair of a block is worth."""

_OURS = "Chronoscore; see docs/events.md for the formulas and how far they follow people"


def _check_share(name: str, *, below_one: bool = False) -> Callable[[str], None]:
    def check(word: str) -> None:
        number = float(word)
        if number > 1 or (below_one and number == 1):
            expected = "0 or more and below 1" if below_one else "0 to 1"
            raise UsageError(f"parameter '{name}' is {word}, expected {expected}")

    return check


PARAMETERS = (
    Parameter(
        "unit",
        "word",
        "sentence",
        "what an event is in files by day: a sentence, a whole day, or an entry as it is; records "
        "of a file of events are events",
        UNITS,
    ),
    Parameter(
        "similarity",
        "function",
        "rarity",
        "what decides that two texts tell one event: shared words by rarity, ROUGE, the same text, "
        "an embedding, or its mean with rarity",
        SIMILARITIES,
        named=True,
    ),
    Parameter(
        "tokens",
        "word",
        "content",
        f"how text becomes tokens: {', '.join(KNOWN[:-1])} or {KNOWN[-1]}",
        check=check_mode,
        version=version,
        named=True,
    ),
    Parameter(
        "stop",
        "word",
        "",
        "a file of words that are left out, one or more a line",
        complete=stop_list,
    ),
    Parameter("model", "function", "wordllama", "the embedding of similarity=meaning and mix"),
    Parameter(
        "verdicts",
        "word",
        "",
        "a file of verdicts on pairs of events, which count in place of the similarity",
        complete=verdict_file,
    ),
    Parameter(
        "otherwise",
        "word",
        "similarity",
        "what counts for pairs without a verdict: the similarity of their texts, or 0",
        ("similarity", "0"),
    ),
    Parameter(
        "closeness",
        "word",
        "near",
        f"how close two times are: {', '.join(NAMES)}; near is 1/(d+1) in days",
        check=check_closeness,
        named=True,
    ),
    Parameter(
        "zone",
        "word",
        "+00:00",
        "the zone of times that name none, where closeness has a unit below a day",
        check=zone_minutes,
    ),
    Parameter(
        "labels",
        "word",
        "ignore",
        "whether labels must agree for a pair to earn credit for its time: not at all, exactly, or "
        "so that contains-1 agrees with begins-on and ends-on",
        ("ignore", "strict", "compatible"),
    ),
    Parameter(
        "time_weight",
        "number",
        0.5,
        "the share of a match that a wrong time can take, from 0 (text alone) to 1",
        least=0,
        check=_check_share("time_weight"),
        named=True,
    ),
    Parameter(
        "threshold",
        "number",
        0.22,
        "what text and time together must exceed for two events to be a possible pair",
        least=0,
        check=_check_share("threshold", below_one=True),
        named=True,
    ),
    Parameter(
        "match",
        "word",
        "best",
        "how events are matched: the best one to one, or greedily as T2S2 does",
        METHODS,
    ),
    Parameter(
        "inside",
        "number",
        0.6,
        "the share of an unmatched event's words, in order, that a matched event must have for it "
        "to be a part of it",
        least=0,
        check=_check_share("inside"),
    ),
    Parameter(
        "gain",
        "number",
        0.1,
        "the share of a matched event's words that a part must add; else it is a repeat",
        least=0,
        check=_check_share("gain"),
    ),
)
BETA = Parameter("beta", "number", 1.0, "weight of recall in F", least=0)
EMPTY = Parameter(
    "empty",
    "word",
    "undefined",
    "what a case without gold events is: undefined as elsewhere, right if nothing is predicted "
    "(agree), or left out (skip)",
    ("undefined", "agree", "skip"),
)


def setting_of(values: Values) -> EventSetting:
    """Return what the comparison depends on."""
    return EventSetting(
        unit=text_of(values, "unit"),
        similarity=text_of(values, "similarity"),
        tokens=full_mode(text_of(values, "tokens"), stop=text_of(values, "stop")),
        model=text_of(values, "model"),
        verdicts=text_of(values, "verdicts"),
        otherwise=text_of(values, "otherwise"),
        closeness=text_of(values, "closeness"),
        zone=zone_minutes(text_of(values, "zone")),
        labels=text_of(values, "labels"),
        time_weight=_number(values, "time_weight"),
        threshold=_number(values, "threshold"),
        match=text_of(values, "match"),
        inside=_number(values, "inside"),
        gain=_number(values, "gain"),
    )


def _number(values: Values, name: str) -> float:
    value = values[name]
    assert isinstance(value, int | float)
    return float(value)


# Credits


def _one(block: EventBlock, _: Values) -> Array:
    return np.ones(len(block.matched.cell))


def _timed(block: EventBlock, _: Values) -> Array:
    return block.timed


def _soft(block: EventBlock, _: Values) -> Array:
    return block.credit[block.matched.cell]


def _same_date(block: EventBlock, values: Values) -> Array:
    tolerance = _number(values, "tolerance")
    return (block.both_dated & (block.distance <= tolerance)).astype(np.float64)


def _every(block: EventBlock, _: Values) -> tuple[Array, Array]:
    """Count what each event may earn: all events count alike."""
    return np.ones(len(block.predicted.case)), np.ones(len(block.gold.case))


def _dated(block: EventBlock, _: Values) -> tuple[Array, Array]:
    """Count only events with a date."""
    predicted, gold = block.extents
    return predicted.is_dated.astype(np.float64), gold.is_dated.astype(np.float64)


Possible = Callable[[EventBlock, Values], tuple[Array, Array]]


def _matched_metric(
    name: str,
    meaning: str,
    credit: Credit,
    statistic: Statistic,
    *,
    possible: Possible = _every,
    totals: tuple[Statistic, Statistic] = (
        Statistic("predicted", "integer", "predicted events"),
        Statistic("gold", "integer", "gold events"),
    ),
    parameters: tuple[Parameter, ...] = (),
    laws: Callable[[Values], frozenset[Law]],
    broken: tuple[BrokenLaw, ...] = (),
) -> Definition:
    """Define a metric by what each pair is worth: precision, recall and F follow."""

    def measure(block: EventBlock, values: Values) -> Measured:
        predicted, gold = possible(block, values)
        sums = (
            block.sums(block.matched.case, credit(block, values)),
            block.sums(block.predicted.case, predicted),
            block.sums(block.gold.case, gold),
        )
        return Measured(_without_gold(np.stack(sums, axis=1), block, text_of(values, "empty")))

    def explain(comparison: EventComparison, values: Values) -> Iterator[Match]:
        block, empty = comparison.block, text_of(values, "empty")
        if empty != "undefined" and not comparison.gold:
            if empty == "skip":
                return iter(())
            if not comparison.predicted:
                return iter([Match("both", "nothing to find, and nothing predicted", 1.0, 1.0)])
        return _matches(comparison, credit(block, values), possible(block, values))

    return Definition(
        name=name,
        meaning=meaning,
        citation=_OURS,
        parameters=(*PARAMETERS, *parameters, EMPTY, BETA),
        statistics=(statistic, *totals),
        ratio_table={
            "precision": ({statistic.name: 1.0}, totals[0].name),
            "recall": ({statistic.name: 1.0}, totals[1].name),
        },
        setting=setting_of,
        measure_batch=measure,
        explain=explain,
        laws=laws,
        broken=broken,
    )


def _without_gold(sums: Array, block: EventBlock, empty: str) -> Array:
    """Count cases without gold events as the parameter `empty` says."""
    if empty == "undefined":
        return sums
    has_none = block.gold.sizes == 0
    if empty == "skip":
        return np.where(has_none[:, None], 0.0, sums)
    is_silent = has_none & (block.predicted.sizes == 0)
    return np.where(is_silent[:, None], 1.0, sums)


_SPLIT, _REPEAT, _SPURIOUS = "part of a matched event", "repeats a matched event", "spurious"
_MERGED, _GOLD_REPEAT, _MISSED = "merged into a matched event", "repeated in the gold", "missed"
_OUTCOMES: Mapping[str, Mapping[int, str]] = {
    "precision": {PART: _SPLIT, REPEAT: _REPEAT, ALONE: _SPURIOUS},
    "recall": {PART: _MERGED, REPEAT: _GOLD_REPEAT, ALONE: _MISSED},
}


def _matches(
    comparison: EventComparison, credit: Array, possible: tuple[Array, Array]
) -> Iterator[Match]:
    """Yield every event of both sides: its pair with its credit, or what became of it."""
    block, pairs = comparison.block, comparison.pairs
    rows, columns = comparison.rows, comparison.columns
    predicted, gold = comparison.names
    groups, places = groups_of(block), range(pairs.start, pairs.stop)
    of_row = dict(zip(block.matched.row[pairs].tolist(), places, strict=True))
    of_column = dict(zip(block.matched.column[pairs].tolist(), places, strict=True))
    sides: Sequence[tuple[Literal["precision", "recall"], slice, dict[int, int], EventGroups]] = (
        ("precision", rows, of_row, groups[0]),
        ("recall", columns, of_column, groups[1]),
    )
    for side, events, pair_of, group in sides:
        is_recall = side == "recall"
        for at in range(events.start, events.stop):
            earns = float(possible[is_recall][at])
            pair = pair_of.get(at)
            if pair is None:
                other = int(group.owner[at])
                names = _names(comparison, at, other, is_recall)
                yield Match(
                    side=side,
                    outcome=_OUTCOMES[side][int(group.kind[at])],
                    credit=0.0,
                    possible=earns,
                    gold=names[1],
                    predicted=names[0],
                )
                continue
            yield _pair(comparison, side, pair, (predicted, gold), float(credit[pair]), earns)


def _pair(
    comparison: EventComparison,
    side: Literal["precision", "recall", "both"],
    pair: int,
    names: tuple[Sequence[str], Sequence[str]],
    credit: float,
    possible: float = 1.0,
) -> Match:
    """Say what a pair is worth, and why."""
    block = comparison.block
    row, column = int(block.matched.row[pair]), int(block.matched.column[pair])
    cell, distance = block.matched.cell[pair], float(block.distance[pair])
    return Match(
        side=side,
        outcome=block.keep(("outcome", pair), partial(_outcome, comparison, pair)),
        credit=credit,
        possible=possible,
        gold=names[1][column - comparison.columns.start],
        predicted=names[0][row - comparison.rows.start],
        distance=distance if block.both_dated[pair] and np.isfinite(distance) else None,
        weight=float(block.closeness[cell]),
        shared=float(block.similarity[cell]),
    )


def _names(comparison: EventComparison, at: int, other: int, is_recall: bool) -> tuple[str, str]:
    """Return the names of an unmatched event and of the one that it belongs to, if any."""
    predicted, gold = comparison.names
    row, column = (other, at) if is_recall else (at, other)
    return (
        predicted[row - comparison.rows.start] if row >= 0 else "",
        gold[column - comparison.columns.start] if column >= 0 else "",
    )


def _outcome(comparison: EventComparison, pair: int) -> str:
    """Say that a pair is matched, and in what its texts conflict; no score reads that."""
    block, pairs = comparison.block, comparison.block.matched
    row, column = int(pairs.row[pair]), int(pairs.column[pair])
    flags = [*conflicts(block.predicted.events[row].text, block.gold.events[column].text)]
    if block.setting.verdicts and block.is_contradicted[pairs.cell[pair]]:
        flags.append("verdict")
    return f"matched; conflict: {', '.join(flags)}" if flags else "matched"


_JUDGED = frozenset({Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED})
"""What holds whatever verdicts say."""
_GIVEN = frozenset({Law.IDENTITY, Law.ITEM_ORDER, Law.BOUNDED})


def _laws(usual: frozenset[Law]) -> Callable[[Values], frozenset[Law]]:
    """Return which laws hold by the parameters, of those that hold by default."""

    def laws(values: Values) -> frozenset[Law]:
        known = usual & _JUDGED if values["verdicts"] else usual
        return known - {Law.SWAP} if values.get("empty") == "skip" else known

    return laws


_MATCHED_LAWS = USUAL_LAWS | {Law.MORE_IS_BETTER}
_VERDICTS = (
    BrokenLaw(
        Law.IDENTITY,
        "With verdicts=FILE, a verdict may call a copy of a gold event different from it.",
    ),
)
_SKIPPED = BrokenLaw(
    Law.SWAP,
    "With empty=skip, predictions without a gold are left out, and golds without a prediction are "
    "not.",
)

EVENT_F1 = _matched_metric(
    "event-f1",
    "events that were found, whatever their dates, one to one",
    _one,
    Statistic("matched", "integer", "pairs"),
    laws=_laws(_MATCHED_LAWS),
    broken=(*_VERDICTS, _SKIPPED),
)
EVENT_TIMED = _matched_metric(
    "event-timed",
    "events that were found, each worth the closeness of its date; a gold event without a date "
    "accepts any, and a predicted one without earns nothing where the gold has one",
    _timed,
    Statistic("timed", "real", "closeness of dates, over pairs"),
    laws=_laws(_MATCHED_LAWS - {Law.SWAP}),
    broken=(
        *_VERDICTS,
        BrokenLaw(
            Law.SWAP,
            "A gold event without a date accepts any date, but a predicted one without a date "
            "earns nothing where the gold has one. The law holds where all events have dates.",
        ),
    ),
)
EVENT_SOFT = _matched_metric(
    "event-soft",
    "events that were found, each worth the amount by which text and time together exceed the "
    "threshold: a guard against texts that barely match",
    _soft,
    Statistic("credit", "real", "credit beyond the threshold, over pairs"),
    laws=_laws(_MATCHED_LAWS),
    broken=(*_VERDICTS, _SKIPPED),
)
EVENT_DATE = _matched_metric(
    "event-date",
    "events that were found with the exact date, of those that have a date",
    _same_date,
    Statistic("same_date", "integer", "pairs with the same date"),
    possible=_dated,
    totals=(
        Statistic("dated_predicted", "integer", "predicted events with a date"),
        Statistic("dated_gold", "integer", "gold events with a date"),
    ),
    parameters=(
        Parameter(
            "tolerance",
            "number",
            0.0,
            "by how much a date may be off, in the unit of closeness",
            least=0,
        ),
    ),
    laws=_laws(_MATCHED_LAWS),
    broken=(*_VERDICTS, _SKIPPED),
)


def _not_contradicted(block: EventBlock, _: Values) -> Array:
    return (~block.is_contradicted[block.matched.cell]).astype(np.float64)


def _measure_strict(block: EventBlock, values: Values) -> Measured:
    cases = block.matched.case
    sums = (
        block.sums(cases, _not_contradicted(block, values)),
        block.sums(block.predicted.case),
        block.sums(block.gold.case),
        block.sums(cases, block.has_verdict[block.matched.cell].astype(np.float64)),
        block.sums(cases),
    )
    return Measured(np.stack(sums, axis=1))


EVENT_STRICT = Definition(
    name="event-strict",
    meaning="event-f1 without the pairs that a verdict calls contradicted; `judged` is the share "
    "of pairs that have a verdict",
    citation=_OURS,
    parameters=(*PARAMETERS, BETA),
    statistics=(
        Statistic("upheld", "integer", "pairs that no verdict contradicts"),
        Statistic("predicted", "integer", "predicted events"),
        Statistic("gold", "integer", "gold events"),
        Statistic("judged", "integer", "pairs with a verdict"),
        Statistic("matched", "integer", "pairs"),
    ),
    ratio_table={
        "precision": ({"upheld": 1.0}, "predicted"),
        "recall": ({"upheld": 1.0}, "gold"),
        "judged": ({"judged": 1.0}, "matched"),
    },
    setting=setting_of,
    measure_batch=_measure_strict,
    explain=lambda one, values: _matches(
        one, _not_contradicted(one.block, values), _every(one.block, values)
    ),
    laws=lambda _: _JUDGED,
)


# Salience


def _measure_salience(block: EventBlock, _: Values) -> Measured:
    weights, pairs = _salience(block), block.matched
    earned = weights[pairs.column]
    sums = (
        block.sums(pairs.case, earned),
        block.sums(pairs.case, earned * block.credit[pairs.cell]),
        block.sums(block.gold.case, weights),
    )
    return Measured(np.stack(sums, axis=1))


def _salience(block: EventBlock) -> Array:
    """Return the weight of each gold event: its own, or the share of golds that tell it."""
    tellings, golds = np.ones(len(block.gold.case)), np.ones(len(block))
    setting = block.setting._replace(verdicts="")  # they are on predictions
    for case, references in enumerate(block.golds):
        if len(references) > 1:
            languages = [*block.languages[case : case + 1]] * (len(references) - 1)
            golds_of = [references[:1]] * (len(references) - 1)
            compared = EventBlock(references[1:], golds_of, setting, languages)
            golds[case] += len(references) - 1
            # The gold events of each of these cases are those of the case, in the same order.
            first = compared.cells.gold_starts[compared.matched.case]
            at = block.cells.gold_starts[case] + compared.matched.column - first
            np.add.at(tellings, at, 1)
    weights = [event.weight for event in block.gold.events]
    shares = tellings / golds[block.gold.case]
    return np.array([s if w is None else w for s, w in zip(shares, weights, strict=True)])


SALIENT_RECALL = Definition(
    name="salient-recall",
    meaning="recall of events by their weight: the field `weight` of a gold event, or the share of "
    "the topic's golds that tell it; `soft` counts the credit beyond the threshold",
    citation=_OURS,
    parameters=PARAMETERS,
    statistics=(
        Statistic("weight_matched", "real", "weight of matched gold events"),
        Statistic("weight_credit", "real", "the same, each by its credit"),
        Statistic("weight", "real", "weight of gold events"),
    ),
    ratio_table={
        "recall": ({"weight_matched": 1.0}, "weight"),
        "soft": ({"weight_credit": 1.0}, "weight"),
    },
    setting=setting_of,
    measure_batch=_measure_salience,
    laws=_laws(_GIVEN | {Law.MORE_IS_BETTER}),
    broken=_VERDICTS,
    explained={},
)


# Facts


def _measure_facts(block: EventBlock, values: Values) -> Measured:
    counts = fact_counts(block, _number(values, "threshold_facts"), text_of(values, "scope"))
    return Measured(counts)


EVENT_FACTS = Definition(
    name="event-facts",
    meaning="facts that were found, of all facts on either side; a fact that stands under the "
    "wrong event earns nothing unless scope=timeline",
    citation=_OURS,
    parameters=(
        *PARAMETERS,
        Parameter(
            "threshold_facts",
            "number",
            0.5,
            "what ROUGE-1L of two facts must exceed for them to be a possible pair",
            least=0,
            check=_check_share("threshold_facts", below_one=True),
        ),
        Parameter("scope", "word", "event", "where a fact of an event is looked for", SCOPES),
        BETA,
    ),
    statistics=(
        Statistic("facts_matched", "integer", "pairs of facts"),
        Statistic("facts_predicted", "integer", "facts of predicted events"),
        Statistic("facts_gold", "integer", "facts of gold events"),
    ),
    ratio_table={
        "precision": ({"facts_matched": 1.0}, "facts_predicted"),
        "recall": ({"facts_matched": 1.0}, "facts_gold"),
    },
    setting=setting_of,
    measure_batch=_measure_facts,
    laws=_laws(_GIVEN | {Law.SWAP}),
    broken=_VERDICTS,
    explained={},
)


# Days of treatment


def _measure_treatment(block: EventBlock, _: Values) -> Measured:
    days = [treatment_days(_treatments(one.gold), _treatments(one.predicted)) for one in block]
    return Measured(np.array(days, np.float64).reshape(len(block), 4))


def _treatments(events: Iterable[DatedEvent]) -> Iterator[tuple[str, str, Time]]:
    """Yield the drug, the relation and the time of events that have all three."""
    for event in events:
        if event.time is not None:
            yield from ((event.text, label, event.time) for label in event.labels)


TREATMENT_SPAN = Definition(
    name="treatment-span",
    meaning="days of treatment that both sides know: from each begins-on to its ends-on, and the "
    "days that are named alone; the text of an event is the drug, its label the relation",
    citation="Chronoscore, in place of the range rule of ChemoTimelines (Yao et al. 2024)",
    parameters=(PARAMETERS[0], BETA),
    statistics=(
        Statistic("shared", "integer", "days of treatment on both sides"),
        Statistic("predicted_days", "integer", "predicted days of treatment"),
        Statistic("gold_days", "integer", "gold days of treatment"),
        Statistic("vague", "integer", "tuples of both sides that name no days"),
    ),
    ratio_table={
        "precision": ({"shared": 1.0}, "predicted_days"),
        "recall": ({"shared": 1.0}, "gold_days"),
    },
    setting=lambda values: EventSetting(unit=text_of(values, "unit")),
    measure_batch=_measure_treatment,
    laws=lambda _: frozenset({Law.IDENTITY, Law.SWAP, Law.ITEM_ORDER, Law.BOUNDED}),
    explained={},
)


# Words of matched events


def _check_rouge(word: str) -> None:
    if word != "L" and not (word.isdecimal() and 1 <= int(word) <= 99):
        raise UsageError(f"parameter 'rouge' is '{word[:40]}', expected 1 to 99, or L")


def _words(block: EventBlock, values: Values) -> Array:
    return block.shared_words(str(values["rouge"])).astype(np.float64)


def _word_totals(block: EventBlock, values: Values) -> tuple[Array, Array]:
    """Count the n-grams of each event; those of ROUGE-L are its words."""
    n = 1 if values["rouge"] == "L" else int(str(values["rouge"]))
    predicted, gold = (ngram_totals(side, n).astype(np.float64) for side in block.tokens)
    return predicted, gold


EVENT_ROUGE = _matched_metric(
    "event-rouge",
    "ROUGE of matched events: the words that pairs share, of all words; unmatched events share "
    "nothing",
    _words,
    Statistic("shared_words", "integer", "n-grams that pairs share"),
    possible=_word_totals,
    totals=(
        Statistic("words_predicted", "integer", "n-grams of predicted events"),
        Statistic("words_gold", "integer", "n-grams of gold events"),
    ),
    parameters=(
        Parameter(
            "rouge",
            "word",
            "1",
            "length of the n-grams, or L for the longest sequence",
            check=_check_rouge,
        ),
    ),
    laws=_laws(_MATCHED_LAWS),
    broken=(*_VERDICTS, _SKIPPED),
)


# Order


def _measure_order(block: EventBlock, _: Values) -> Measured:
    return Measured(order_counts(block)[:, [0, 1, 3, 4]])


EVENT_ORDER = Definition(
    name="event-order",
    meaning="pairs of events in the right order, of all pairs of which one ends before the other "
    "begins; half for events that the other side does not order",
    citation=_OURS,
    parameters=(*PARAMETERS, BETA),
    statistics=(
        Statistic("concordant_predicted", "real", "predicted pairs that the gold has so"),
        Statistic("pairs_predicted", "integer", "pairs of predicted events that are in an order"),
        Statistic("concordant_gold", "real", "gold pairs that the prediction has so"),
        Statistic("pairs_gold", "integer", "pairs of gold events that are in an order"),
    ),
    setting=setting_of,
    measure_batch=_measure_order,
    laws=_laws(_GIVEN | {Law.SWAP}),
    explained={},
    broken=(
        *_VERDICTS,
        BrokenLaw(
            Law.MORE_IS_BETTER,
            "One more right event is in an order with spurious ones as well, so that precision "
            "can fall; recall never does.",
        ),
    ),
)


# Given the match


def _mean_over_pairs(
    name: str,
    meaning: str,
    total: tuple[Statistic, Callable[[EventBlock, Values], Array]],
    whole: tuple[Statistic, Callable[[EventBlock], Array]],
    *,
    better: Literal["higher", "lower"] = "higher",
    laws: frozenset[Law] = _GIVEN,
) -> Definition:
    """Define a mean over pairs, with their number."""
    top, bottom = total[0], whole[0]

    def measure(block: EventBlock, values: Values) -> Measured:
        cases = block.matched.case
        sums = block.sums(cases, total[1](block, values)), block.sums(cases, whole[1](block))
        return Measured(np.stack(sums, axis=1))

    is_share = better == "higher"  # a distance is no credit

    def explain(comparison: EventComparison, values: Values) -> Iterator[Match]:
        block = comparison.block
        return _pairs(comparison, total[1](block, values), whole[1](block))

    return Definition(
        name=name,
        meaning=meaning,
        citation=_OURS,
        parameters=PARAMETERS,
        statistics=(top, bottom),
        ratio_table={"mean": ({top.name: 1.0}, bottom.name)},
        setting=setting_of,
        measure_batch=measure,
        explain=explain if is_share else lambda _, __: (),
        better=better,
        ranges=lambda _: {} if is_share else {"mean": (0.0, np.inf)},
        laws=_laws(laws | ({Law.EXPLAINED} if is_share else set())),
        broken=_VERDICTS if Law.IDENTITY in laws else (),
        explained={"both": ((top.name,), (bottom.name,))} if is_share else {},
    )


def _pairs(comparison: EventComparison, credit: Array, possible: Array) -> Iterator[Match]:
    """Yield the pairs alone, each with what it adds to a mean."""
    for pair in range(comparison.pairs.start, comparison.pairs.stop):
        if possible[pair]:
            yield _pair(comparison, "both", pair, comparison.names, float(credit[pair]))


_PAIRS = (
    Statistic("matched", "integer", "pairs"),
    lambda block: np.ones(len(block.matched.cell)),
)
_DATED_PAIRS = (
    Statistic("dated", "integer", "pairs of which both events have a date"),
    lambda block: block.both_dated.astype(np.float64),
)


def _days_off(block: EventBlock, _: Values) -> Array:
    has_bound = block.both_dated & np.isfinite(block.distance)
    return np.where(has_bound, block.distance, 0.0)


TEXT_QUALITY = _mean_over_pairs(
    "text-quality",
    "how similar the words of matched events are, given the match: the mean of ROUGE-1 and "
    "ROUGE-L F1",
    (Statistic("quality", "real", "ROUGE-1L, over pairs"), lambda block, _: block.quality),
    _PAIRS,
)
SIMILARITY = _mean_over_pairs(
    "event-similarity",
    "how alike the texts of matched events are by the similarity that matched them",
    (
        Statistic("text", "real", "similarity, over pairs"),
        lambda block, _: block.similarity[block.matched.cell],
    ),
    _PAIRS,
)
DATE_ACCURACY = _mean_over_pairs(
    "date-accuracy",
    "the share of matched events with the exact date, of those with a date on both sides",
    (
        Statistic("same_date", "integer", "pairs with the same date"),
        lambda block, _: block.same_date.astype(np.float64),
    ),
    _DATED_PAIRS,
)
DAYS_OFF = _mean_over_pairs(
    "time-off",
    "how far the dates of matched events are off on average, in the unit of closeness (days)",
    (Statistic("distance", "real", "distance of times, over pairs"), _days_off),
    (
        Statistic("dated", "integer", "pairs whose times have a distance"),
        lambda block: (block.both_dated & np.isfinite(block.distance)).astype(np.float64),
    ),
    better="lower",
    laws=frozenset({Law.ITEM_ORDER}),
)


def _measure_concordance(block: EventBlock, _: Values) -> Measured:
    return Measured(order_counts(block)[:, [3, 5]])


CONCORDANCE = Definition(
    name="concordance",
    meaning="the share of pairs of matched events in the gold's order, given the match; half for "
    "events that the prediction does not order",
    citation="Harrell et al. 1982 for survival times; here over matched events",
    parameters=PARAMETERS,
    statistics=(
        Statistic("concordant_gold", "real", "gold pairs that the prediction has so"),
        Statistic("pairs_gold_matched", "integer", "pairs of matched gold events in an order"),
    ),
    ratio_table={"mean": ({"concordant_gold": 1.0}, "pairs_gold_matched")},
    setting=setting_of,
    measure_batch=_measure_concordance,
    laws=_laws(_GIVEN),
    broken=_VERDICTS,
    explained={},
)


def _measure_median(block: EventBlock, _: Values) -> Measured:
    """Count the distances of each case, and the signed ones: later is above 0."""
    predicted, gold = block.extents
    pairs = block.matched
    signs = np.sign(
        predicted.first[pairs.row]
        + predicted.last[pairs.row]
        - gold.first[pairs.column]
        - gold.last[pairs.column]
    )
    steps = []
    for case in range(len(block)):
        at = np.arange(*np.searchsorted(pairs.case, [case, case + 1]))
        at = at[block.both_dated[at] & np.isfinite(block.distance[at])]
        far = block.distance[at]
        signed = far * signs[at]
        every = sorted({*far.tolist(), *signed.tolist()}, reverse=True)
        counts = [(int((far == d).sum()), int((signed == d).sum())) for d in every]
        steps.append(tuple(zip(every, counts, strict=True)))
    return Measured(np.zeros((len(block), 2)), steps if any(steps) else ())


TIME_OFF_MEDIAN = Definition(
    name="time-off-median",
    meaning="the median of how far the dates of matched events are off, in the unit of closeness, "
    "and of the signed distance, which is above 0 where the prediction is too late; over all pairs",
    citation=_OURS,
    parameters=PARAMETERS,
    statistics=(
        Statistic("distances", "integer", "pairs whose times have a distance"),
        Statistic("signed", "integer", "the same, by the signed distance"),
    ),
    components=("median", "signed"),
    primary="median",
    ratios=lambda statistics, _: np.full_like(statistics, np.nan),
    better="lower",
    setting=setting_of,
    measure_batch=_measure_median,
    ranges=lambda _: {"median": (0.0, np.inf)},
    laws=lambda _: frozenset({Law.ITEM_ORDER}),
    explained={},
    curve="median",
)


# Groups


def _group_counts(block: EventBlock) -> Mapping[str, Array]:
    """Count matched, split, repeated, merged and reused events by case."""
    predicted, gold = groups_of(block)
    number = len(block)
    return {
        "matched": block.sums(block.matched.case),
        "split": predicted.by_case(PART, block.predicted.case, number),
        "repeat": predicted.by_case(REPEAT, block.predicted.case, number),
        "merged": gold.by_case(PART, block.gold.case, number),
        "gold_repeat": gold.by_case(REPEAT, block.gold.case, number),
        "reused": block.keep("reused", lambda: _reused(block)),
        "predicted": block.predicted.sizes.astype(np.float64),
        "gold": block.gold.sizes.astype(np.float64),
        "short": block.sums(block.gold.case, (block.tokens[1].sizes < SHORT).astype(np.float64)),
    }


def _reused(block: EventBlock) -> Array:
    """Count matched predicted events whose text is matched with another gold text as well."""
    pairs = block.matched
    golds: dict[tuple[int, str], set[str]] = {}
    keys = [
        (case, block.predicted.keys[row])
        for case, row in zip(pairs.case.tolist(), pairs.row.tolist(), strict=True)
    ]
    for key, column in zip(keys, pairs.column.tolist(), strict=True):
        golds.setdefault(key, set()).add(block.gold.keys[column])
    reused = np.array([len(golds[key]) > 1 for key in keys], np.bool_)
    return block.sums(pairs.case[reused])


def _measured_groups(names: Sequence[str]) -> Callable[[EventBlock, Values], Measured]:
    def measure(block: EventBlock, _: Values) -> Measured:
        counts = _group_counts(block)
        return Measured(np.stack([counts[name] for name in names], axis=1))

    return measure


SHORT = 6
"""Tokens below which an event is a fragment, which few similarities recognise."""
_MEANINGS = {
    "matched": "pairs",
    "split": "unmatched predicted events that are a part of a matched gold event",
    "repeat": "unmatched predicted events that repeat a matched one",
    "merged": "unmatched gold events that are a part of a matched predicted event",
    "gold_repeat": "unmatched gold events that repeat a matched one",
    "reused": "matched predicted events whose text is matched with another gold text as well",
    "predicted": "predicted events",
    "gold": "gold events",
    "short": "gold events of fewer than 6 tokens",
}


def _of_groups(
    name: str, meaning: str, counted: Sequence[str], table: RatioTable, **further: object
) -> Definition:
    return Definition(
        name=name,
        meaning=meaning,
        citation=_OURS,
        parameters=(*PARAMETERS, *((BETA,) if "precision" in table else ())),
        statistics=tuple(Statistic(one, "integer", _MEANINGS[one]) for one in counted),
        ratio_table=table,
        setting=setting_of,
        measure_batch=_measured_groups(counted),
        explained={},
        **further,  # type: ignore[arg-type]  # fields of the definition
    )


EVENT_GROUPED = _of_groups(
    "event-grouped",
    "events that were found, also in other portions: as parts of one, or merged into one",
    ("matched", "split", "merged", "predicted", "gold"),
    {
        "precision": ({"matched": 1.0, "split": 1.0}, "predicted"),
        "recall": ({"matched": 1.0, "merged": 1.0}, "gold"),
    },
    laws=_laws(_GIVEN | {Law.SWAP}),
    broken=(
        *_VERDICTS,
        BrokenLaw(
            Law.MORE_IS_BETTER,
            "A part of one gold event may lie inside the new event as well, and add nothing to it: "
            "then it is a repeat of that, and precision falls.",
        ),
    ),
)
EVENT_RATES = _of_groups(
    "event-rates",
    "what became of the other events: shares of the predicted events that are spurious, repeats, "
    "parts, or reused for several gold events, and of the gold events that are missed or merged",
    ("matched", "split", "repeat", "reused", "predicted", "merged", "gold_repeat", "gold", "short"),
    {
        "spurious": (
            {"predicted": 1.0, "matched": -1.0, "split": -1.0, "repeat": -1.0},
            "predicted",
        ),
        "repeat": ({"repeat": 1.0}, "predicted"),
        "reused": ({"reused": 1.0}, "predicted"),
        "split": ({"split": 1.0}, "predicted"),
        "missed": (
            {"gold": 1.0, "matched": -1.0, "merged": -1.0, "gold_repeat": -1.0},
            "gold",
        ),
        "merge": ({"merged": 1.0}, "gold"),
    },
    primary="spurious",
    better="lower",
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.BOUNDED}),
)


def _measure_portions(block: EventBlock, _: Values) -> Measured:
    counts = _group_counts(block)
    predicted, gold = counts["matched"] + counts["split"], counts["matched"] + counts["merged"]
    return Measured(np.stack([predicted, gold], axis=1))


PORTIONS = Definition(
    name="portions",
    meaning="how finely events are divided: above 1 in smaller portions than in the gold, below 1 "
    "in larger ones",
    citation=_OURS,
    parameters=PARAMETERS,
    statistics=(
        Statistic("predicted_portions", "integer", "matched and split predicted events"),
        Statistic("gold_portions", "integer", "matched and merged gold events"),
    ),
    ratio_table={"mean": ({"predicted_portions": 1.0}, "gold_portions")},
    setting=setting_of,
    measure_batch=_measure_portions,
    ranges=lambda _: {"mean": (0.0, np.inf)},
    laws=_laws(frozenset({Law.IDENTITY, Law.ITEM_ORDER})),
    broken=_VERDICTS,
    explained={},
)


DEFINITIONS = (
    EVENT_F1,
    EVENT_TIMED,
    EVENT_SOFT,
    EVENT_DATE,
    EVENT_STRICT,
    EVENT_FACTS,
    SALIENT_RECALL,
    TREATMENT_SPAN,
    EVENT_ROUGE,
    EVENT_ORDER,
    TEXT_QUALITY,
    SIMILARITY,
    DATE_ACCURACY,
    DAYS_OFF,
    TIME_OFF_MEDIAN,
    CONCORDANCE,
    EVENT_GROUPED,
    EVENT_RATES,
    PORTIONS,
)
