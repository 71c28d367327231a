"""The metrics of timelines: ROUGE of aligned days, whole timelines and gold days, and dates."""

import re
from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Literal, NamedTuple

import numpy as np

from chronoscore.core.evidence import Match, Statistic
from chronoscore.core.evidence_table import Measured
from chronoscore.core.functions import is_name
from chronoscore.core.metric import (
    USUAL_LAWS,
    BrokenLaw,
    Definition,
    Law,
    Parameter,
    Values,
    text_of,
)
from chronoscore.elements.assignment import EXACT_IN_FLOAT, maximum_assignment
from chronoscore.elements.similarity import BY_TOKENS
from chronoscore.elements.text import KNOWN, check_mode, full_mode, stop_list, version
from chronoscore.elements.text.columns import Integers, ngram_totals, shared_ngrams
from chronoscore.elements.time.calendar import BELOW_DAY, GRAINS
from chronoscore.elements.time.columns import is_unbounded
from chronoscore.elements.time.parameters import cells_in, check_length, zone_minutes
from chronoscore.elements.time.value import Extent
from chronoscore.errors import UsageError
from chronoscore.statistics.ratios import Array, ratio
from chronoscore.timelines.alignment import (
    ASSIGNMENTS,
    COSTS,
    KERNELS,
    MEANING_COST,
    SIMILARITY_COST,
    align,
    meaning_overlap,
)
from chronoscore.timelines.comparison import (
    EXTENTS,
    ComparisonBlock,
    Overlap,
    Setting,
    TimelineComparison,
)

Side = Literal["precision", "recall"]

_MARTSCHAT = (
    "Martschat and Markert 2017, Improving ROUGE for Timeline Summarization, EACL "
    "(computed there by tilse on ROUGE-1.5.5, Lin 2004)"
)
_TIME_WEIGHT = 0.5
_LENGTH = re.compile("0*[1-9][0-9]?")


def check_rouge(word: str) -> None:
    """Refuse a value of `rouge` that is neither a length of n-grams nor L."""
    if word != "L" and not _LENGTH.fullmatch(word):
        raise UsageError(f"parameter 'rouge' is '{word[:40]}', expected 1 to 99, or L")


ROUGE = Parameter(
    "rouge", "word", "1", "length of the n-grams, or L for the longest sequence", check=check_rouge
)
_ROUGE_UNITS = {"1": "single words", "2": "pairs of words", "L": "words in the same order"}
_ALIGNED = "ROUGE of aligned days, weighted by their distance"
_ALIGNED_BY = {
    "date": "date",
    "date+text": "date and text",
    MEANING_COST: "date and meaning",
    SIMILARITY_COST: "similarity",
}
_CONCATENATED = "ROUGE of the two timelines as one document each; dates play no part"
_OF_DATES = "mean over gold days of the ROUGE F1 with the predicted text of the same date"


def _aligned(values: Values) -> str:
    """Say by what days are aligned.

    >>> _aligned({"cost": "date+text", "assign": "many-to-one"})
    'ROUGE of days that are aligned by date and text, weighted by their distance'
    >>> _aligned({"cost": "date+text", "assign": "same-day"})
    'ROUGE of days with the same date'
    """
    if values["assign"] == "same-day":
        return "ROUGE of days with the same date"
    by = _ALIGNED_BY.get(str(values["cost"]), "a function")
    return f"ROUGE of days that are aligned by {by}, weighted by their distance"


def _with_rouge(meaning: str, values: Values) -> str:
    """Say which ROUGE it is.

    >>> _with_rouge("ROUGE of days", {"rouge": "2"})
    'ROUGE-2 (pairs of words) of days'
    """
    rouge = text_of(values, "rouge")
    units = _ROUGE_UNITS.get(rouge, f"{rouge} words in a row")
    return meaning.replace("ROUGE", f"ROUGE-{rouge} ({units})", 1)


TEXT = Parameter(
    "text",
    "word",
    "rouge155",
    f"how text becomes tokens: {', '.join(KNOWN[:-1])} or {KNOWN[-1]}",
    check=check_mode,
    version=version,
)
STOP = Parameter(
    "stop", "word", "", "a file of words that are left out, one or more a line", complete=stop_list
)
BETA = Parameter("beta", "number", 1.0, "weight of recall in F", least=0)
GRAIN = Parameter(
    "grain",
    "word",
    "day",
    "the size of the cells in which times are compared; entries of the same cells are one entry",
    tuple(GRAINS),
)
ZONE = Parameter(
    "zone",
    "word",
    "+00:00",
    "the zone of times that name none, for grains below a day",
    check=zone_minutes,
)
EXTENT = Parameter(
    "extent",
    "word",
    "hausdorff",
    "how a predicted time of several cells is compared: by its farther end, by the share of common "
    "cells, or by the gap alone, so that a wide one costs nothing",
    EXTENTS,
)
ANY_TEXT = "rouge155"
"""The text processing of metrics that need no text: others use this comparison anyway."""


def _setting(values: Values) -> Setting:
    """Return what the comparison depends on; from a day on the zone plays no part."""
    text = ANY_TEXT
    if "text" in values:
        text = full_mode(text_of(values, "text"), stop=text_of(values, "stop"))
    grain = str(values.get("grain", "day"))
    zone = zone_minutes(text_of(values, "zone")) if grain in BELOW_DAY else 0
    return Setting(text, grain, zone)


def _overlap(block: ComparisonBlock, values: Values) -> Overlap:
    if values["overlap"] == "meaning":
        return meaning_overlap(block, text_of(values, "model"))
    return block.overlap(str(values["rouge"]))


def _measure_alignment(block: ComparisonBlock, values: Values) -> Measured:
    """Add up what aligned days share, weighted by their distance."""
    overlap = _overlap(block, values)
    aligned = align(block, values)
    statistics = []
    for chosen, cases, shared, total in (
        (aligned.to_gold, block.rows, overlap.shared, overlap.predicted),
        (aligned.to_predicted, block.columns, overlap.found, overlap.gold),
    ):
        days = np.flatnonzero(chosen >= 0)
        cells = chosen[days]
        # From left to right, as tilse adds: bit for bit its numbers.
        credit = np.bincount(cases[days], aligned.weight[cells] * shared[cells], len(block))
        statistics += [credit, np.bincount(cases, total, len(block))]
    return Measured(np.stack(statistics, axis=1))


def _explain_alignment(comparison: TimelineComparison, values: Values) -> list[Match]:
    """Return for each day of both sides the day that it is aligned with, and its credit."""
    block = comparison.block
    overlap, aligned = comparison.overlap_here(_overlap(block, values)), align(block, values)
    distances = comparison.distance(text_of(values, "extent"))
    weights = comparison.table(aligned.weight)
    grain = comparison.setting.grain
    sides = {
        "precision": (overlap.shared, overlap.predicted),
        "recall": (overlap.found, overlap.gold),
    }
    partners = comparison.partners(aligned.to_gold, aligned.to_predicted)
    matches = []
    for side, place, cell, predicted, gold in _days_with_partners(comparison, *partners):
        table, totals = sides[side]
        distance, weight, shared = (
            float(values_of_pairs[cell]) if cell else 0.0
            for values_of_pairs in (distances, weights, table)
        )
        if cell is None:
            outcome = "not aligned"
        elif not shared:
            outcome = "nothing shared"
        else:
            outcome = f"same {grain}" if distance == 0 else f"other {grain}"
        matches.append(
            Match(
                side=side,
                outcome=outcome,
                credit=weight * shared,
                possible=float(totals[place]),
                gold=gold,
                predicted=predicted,
                distance=distance if cell and distance < inf else None,
                weight=weight,
                shared=shared,
            )
        )
    return matches


def _days_with_partners(
    comparison: TimelineComparison, to_gold: Sequence[int], to_predicted: Sequence[int]
) -> Iterator[tuple[Side, int, tuple[int, int] | None, str, str]]:
    """Yield each day of both sides: its side, its index there, its cell in tables, and both dates.

    A day whose partner is -1 has no cell, and the other date is empty.
    """
    predicted, gold = ([*map(str, s)] for s in (comparison.predicted_dates, comparison.gold_dates))
    for row, column in enumerate(to_gold):
        cell = (row, column) if column >= 0 else None
        yield "precision", row, cell, predicted[row], gold[column] if cell else ""
    for column, row in enumerate(to_predicted):
        cell = (row, column) if row >= 0 else None
        yield "recall", column, cell, predicted[row] if cell else "", gold[column]


def _alignment_laws(values: Values) -> frozenset[Law]:
    laws = {Law.ITEM_ORDER, Law.EXPLAINED}
    if any(is_name(str(values[name])) for name in ("cost", "kernel", "assign")):
        return frozenset(laws)
    laws.add(Law.BOUNDED)
    if values["extent"] == "gap":
        laws.add(Law.SWAP)
    published = values["overlap"] == "ngrams" and values["assign"] in ASSIGNMENTS
    # By similarity a day costs nothing on its own date only, if a wrong date costs anything.
    dated = values["kernel"] != "flat" and values["time_weight"] != 0
    unique = values["cost"] == "date" or values["assign"] == "same-day"
    unique = unique or (values["cost"] == SIMILARITY_COST and dated)
    nearest = values["assign"] == "many-to-one" and values["tie"] == "nearest"
    if published and (unique or nearest):
        laws.add(Law.IDENTITY)
    return frozenset(laws)


def _check_share(word: str) -> None:
    if float(word) > 1:
        raise UsageError(f"parameter 'time_weight' is {word}, expected 0 to 1")


def _check_cost(values: Values) -> None:
    """Refuse parameters of cost=similarity with another cost, where they change nothing."""
    for name, default in (("similarity", BY_TOKENS[0]), ("time_weight", _TIME_WEIGHT)):
        if values["cost"] != SIMILARITY_COST and values[name] != default:
            raise UsageError(
                f"parameter '{name}' changes nothing with cost={values['cost']}: "
                f"write cost={SIMILARITY_COST} too, or leave it out"
            )


ALIGN = Definition(
    name="align",
    meaning=_ALIGNED,
    meaning_with=lambda values: _with_rouge(_aligned(values), values),
    citation=_MARTSCHAT,
    parameters=(
        ROUGE,
        TEXT,
        STOP,
        Parameter(
            "cost",
            "function",
            "date",
            "what a match costs: its distance, and the difference of the texts or their meaning; "
            "or the lack of similarity, of which a wrong date takes a share",
            (*COSTS, MEANING_COST, SIMILARITY_COST),
        ),
        Parameter(
            "similarity",
            "word",
            BY_TOKENS[0],
            "how alike two texts are for cost=similarity: shared words by rarity, or ROUGE",
            BY_TOKENS,
        ),
        Parameter(
            "time_weight",
            "number",
            _TIME_WEIGHT,
            "the share of a similarity that a wrong date can take for cost=similarity, from 0 "
            "(text alone) to 1",
            least=0,
            check=_check_share,
        ),
        Parameter(
            "assign",
            "function",
            "one-to-one",
            "each day once, or several to one, or only the same date",
            tuple(ASSIGNMENTS),
        ),
        Parameter(
            "tie",
            "word",
            "first",
            "which of equally cheap days is taken in many-to-one: the first, as published, or the "
            "nearest",
            ("first", "nearest"),
        ),
        Parameter(
            "kernel", "function", "reciprocal", "the weight of a distance: 1/(d+1)", tuple(KERNELS)
        ),
        EXTENT,
        Parameter(
            "overlap",
            "word",
            "ngrams",
            "what is shared: n-grams, or the words of sentences that mean the same",
            ("ngrams", "meaning"),
        ),
        Parameter(
            "model", "function", "wordllama", "the embedding for cost and overlap of meaning"
        ),
        GRAIN,
        ZONE,
        BETA,
    ),
    presets={
        "align": {},
        "agreement": {"assign": "same-day"},
        "align+": {"cost": "date+text"},
        "align+m:1": {"cost": "date+text", "assign": "many-to-one"},
    },
    statistics=(
        Statistic("precision_credit", "real", "shared n-grams of predicted days, weighed"),
        Statistic("predicted_total", "integer", "n-grams of predicted days"),
        Statistic("recall_credit", "real", "shared n-grams of gold days, weighed"),
        Statistic("gold_total", "integer", "n-grams of gold days"),
    ),
    check=_check_cost,
    setting=_setting,
    measure_batch=_measure_alignment,
    explain=_explain_alignment,
    laws=_alignment_laws,
    item="day",
    broken=(
        BrokenLaw(
            Law.IDENTITY,
            "A copy of a gold with two days of equal text can score below 1, since a day may be "
            "aligned with the other one: align+m:1(tie=nearest) repairs it.",
        ),
        BrokenLaw(
            Law.SWAP,
            "A predicted day has distance 0 to the gold month that contains it, but a predicted "
            "month is up to 30 days from a gold day: a wide answer must not pay. It holds for "
            "times of one cell, and with extent=gap.",
        ),
    ),
)


def _measure_whole(block: ComparisonBlock, values: Values) -> Measured:
    shared, predicted, gold = block.whole(str(values["rouge"])).T
    return Measured(np.stack([shared, predicted, shared, gold], axis=1))


def _explain_whole(comparison: TimelineComparison, values: Values) -> list[Match]:
    whole = comparison.block.whole(str(values["rouge"]))
    shared, predicted, gold = whole[comparison.place].tolist()
    sides: Sequence[tuple[Side, int]] = (("precision", predicted), ("recall", gold))
    return [
        Match(
            side=side,
            outcome="all days as one document",
            credit=float(shared),
            possible=float(total),
            shared=float(shared),
        )
        for side, total in sides
    ]


CONCAT = Definition(
    name="concat",
    meaning=_CONCATENATED,
    meaning_with=lambda values: _with_rouge(_CONCATENATED, values),
    citation=_MARTSCHAT,
    parameters=(ROUGE, TEXT, STOP, BETA),
    statistics=(
        Statistic("precision_credit", "integer", "shared n-grams"),
        Statistic("predicted_total", "integer", "n-grams of the prediction"),
        Statistic("recall_credit", "integer", "shared n-grams"),
        Statistic("gold_total", "integer", "n-grams of the gold"),
    ),
    setting=_setting,
    measure_batch=_measure_whole,
    explain=_explain_whole,
    laws=lambda _: USUAL_LAWS,
)


# ROUGE of each gold summary against the prediction of its date


class _SummaryScores(NamedTuple):
    """The gold summaries of all cases, one after the other."""

    day: Integers
    """The gold day of each."""
    row: Integers
    """The predicted day of the same date, or -1."""
    f1: Array
    """F1 of the two, 0 if there is no prediction of the date."""

    def within(self, days: slice) -> "_SummaryScores":
        """Return the summaries of these gold days."""
        is_within = (self.day >= days.start) & (self.day < days.stop)
        return _SummaryScores(*(column[is_within] for column in self))


def _summary_scores(block: ComparisonBlock, values: Values) -> _SummaryScores:
    n = int(str(values["rouge"]))
    return block.keep(("summaries", n), lambda: _score_summaries(block, n))


def _score_summaries(block: ComparisonBlock, n: int) -> _SummaryScores:
    sizes = np.fromiter(map(len, block.gold.texts), np.int64, count=len(block.gold.texts))
    day = np.repeat(block.gold.day, sizes)
    row = block.same_time[day]
    documents = [(text,) for texts in block.gold.texts for text in texts]
    gold = block.read(documents, block.columns[day])
    predicted, _ = block.tokens(block.setting.text)
    compared = np.flatnonzero(row >= 0)
    order = compared[np.argsort(row[compared], kind="stable")]
    golds = gold.take(order)
    shared = np.zeros(len(day))
    for found in shared_ngrams(predicted, golds, n, np.arange(len(block.rows)), row[order]):
        np.add.at(shared, order[found.gold], found.times)
    predicted_ngrams = np.append(ngram_totals(predicted, n), 0)[row]
    precision = ratio_or_zero(shared, predicted_ngrams)
    recall = ratio_or_zero(shared, ngram_totals(gold, n))
    return _SummaryScores(day, row, ratio_or_zero(2 * precision * recall, precision + recall))


def ratio_or_zero(part: Array, whole: Array | Integers) -> Array:
    """Divide, 0 where there is nothing to divide by."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)


def _measure_exact(block: ComparisonBlock, values: Values) -> Measured:
    day, _, f1 = _summary_scores(block, values)
    case = block.columns[day]
    sums = np.bincount(case, f1, len(block)), np.bincount(case, minlength=len(block))
    return Measured(np.stack(sums, axis=1))


def _explain_exact(comparison: TimelineComparison, values: Values) -> list[Match]:
    block, columns = comparison.block, comparison.columns
    grain = comparison.setting.grain
    matches = []
    scores = _summary_scores(block, values).within(columns)
    for day, row, score in zip(*map(np.ndarray.tolist, scores), strict=True):
        name = str(comparison.predicted_dates[row - comparison.rows.start]) if row >= 0 else ""
        matches.append(
            Match(
                side="recall",
                outcome=f"same {grain}" if name else f"no prediction of this {grain}",
                credit=score,
                possible=1.0,
                gold=str(comparison.gold_dates[day - columns.start]),
                predicted=name,
            )
        )
    return matches


def _ngrams_only(word: str) -> None:
    check_rouge(word)
    if word == "L":
        raise UsageError("exact-date counts n-grams: give rouge as a number")


EXACT_DATE = Definition(
    name="exact-date",
    meaning=_OF_DATES,
    meaning_with=lambda values: _with_rouge(_OF_DATES, values),
    citation="the reading of alignment-based ROUGE in the evaluation notes of SUnSET (Sim et "
    "al. 2025)",
    parameters=(
        Parameter("rouge", "word", "1", "length of the n-grams", check=_ngrams_only),
        replace(TEXT, default="plain"),
        STOP,
        GRAIN,
        ZONE,
    ),
    statistics=(
        Statistic("f1_sum", "real", "F1 added up over gold summaries"),
        Statistic("summaries", "integer", "gold summaries"),
    ),
    ratio_table={"f1": ({"f1_sum": 1.0}, "summaries")},
    setting=_setting,
    measure_batch=_measure_exact,
    explain=_explain_exact,
    item="day",
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}),
    broken=(
        BrokenLaw(
            Law.IDENTITY,
            "A gold day with two summaries: the prediction is both together, and each of them "
            "alone is only a part of it, so that a copy scores below 1.",
        ),
    ),
    explained={"recall": (("f1_sum",), ("summaries",))},
)


# Metrics of dates alone, without their texts


def _tolerance(values: Values) -> int:
    """Return the tolerance in cells."""
    length = values["tolerance"]
    assert isinstance(length, int | str)
    return cells_in(length, text_of(values, "grain"))


def _number_of_hits(predicted: Sequence[Extent], gold: Sequence[Extent], tolerance: int) -> int:
    """Count the hits of a maximum matching: each date once, as many hits as possible.

    A date is a hit where the gold's extent, widened by the tolerance, contains the predicted one.
    Predicted dates come in order of their first cell; each takes, of the free golds that begin
    early enough, the one that ends first but late enough. The golds that stay free begin early
    enough and end later, so they fit every later date that the chosen one would fit.
    """
    waiting = deque(gold)
    ends: list[float] = []  # of the free golds that begin early enough, ascending
    hits = 0
    for first, last in predicted:
        while waiting and waiting[0][0] - tolerance <= first:
            insort(ends, waiting.popleft()[1])
        chosen = bisect_left(ends, last - tolerance)
        if chosen < len(ends):
            del ends[chosen]
            hits += 1
    return hits


def _matched(comparison: TimelineComparison, tolerance: int) -> list[tuple[int, int]]:
    """Choose a maximum matching that reads well: most equal dates, then the least cells apart."""
    predicted, gold = comparison.block.predicted, comparison.block.gold
    rows, columns = comparison.rows, comparison.columns
    early = np.subtract.outer(predicted.first[rows], gold.first[columns])
    late = np.subtract.outer(predicted.last[rows], gold.last[columns])
    hit = (early >= -tolerance) & (late <= tolerance)
    if not hit.any():
        return []
    apart = np.abs(early) + np.abs(late)
    is_equal = apart == 0
    most = min(hit.shape)
    # Ends without a bound and fine grains make distances that are too large for the solver.
    farthest = apart[hit & ~is_unbounded(apart)].max(initial=0)
    apart = np.minimum(apart, farthest + 1)
    apart //= int(apart[hit].max()) // max(1, EXACT_IN_FLOAT // (8 * most**3)) + 1
    farthest = int(apart[hit].max())
    equal_counts = most * farthest + 1
    hit_counts = most * (equal_counts + farthest) + 1
    weights = hit_counts + equal_counts * is_equal + (farthest - apart)
    return maximum_assignment(np.where(hit, weights, 0))


def _measure_dates(block: ComparisonBlock, values: Values) -> Measured:
    tolerance = _tolerance(values)
    if not tolerance and block.has_single_cells:
        hits = np.bincount(block.columns[block.same_time >= 0], minlength=len(block))
    else:
        hits = np.array(
            [
                _number_of_hits(
                    one.extents(one.predicted_dates), one.extents(one.gold_dates), tolerance
                )
                for one in block
            ]
        )
    return Measured(np.stack([hits, block.predicted.sizes, hits, block.gold.sizes], axis=1))


def _explain_dates(comparison: TimelineComparison, values: Values) -> list[Match]:
    to_gold = dict(_matched(comparison, _tolerance(values)))
    distances = comparison.distance("gap")
    to_predicted = {column: row for row, column in to_gold.items()}
    partners = (
        [to_gold.get(row, -1) for row in range(len(comparison.predicted_dates))],
        [to_predicted.get(column, -1) for column in range(len(comparison.gold_dates))],
    )
    unmatched = {"precision": "spurious date", "recall": "missed date"}
    return [
        Match(
            side=side,
            outcome="date found" if cell else unmatched[side],
            credit=1.0 if cell else 0.0,
            possible=1.0,
            predicted=predicted,
            gold=gold,
            distance=float(distances[cell]) if cell else None,
        )
        for side, _, cell, predicted, gold in _days_with_partners(comparison, *partners)
    ]


def _counts(items: str) -> tuple[Statistic, ...]:
    return (
        Statistic("precision_credit", "integer", f"predicted {items}"),
        Statistic("predicted_total", "integer", "predicted, in all"),
        Statistic("recall_credit", "integer", f"gold {items}"),
        Statistic("gold_total", "integer", "gold, in all"),
    )


DATE_F1 = Definition(
    name="date-f1",
    meaning="dates that are right, exactly or within a number of days, one to one; a month or "
    "a year of the gold contains its days, but a predicted month or year is no hit for a day",
    citation="Martschat and Markert 2018, A Temporally Sensitive Submodularity Framework for "
    "Timeline Summarization, CoNLL",
    parameters=(
        Parameter(
            "tolerance",
            "length",
            0,
            "by how many cells of the grain a date may be off, or by how much time: 36h",
            least=0,
            check=check_length,
        ),
        GRAIN,
        ZONE,
        BETA,
    ),
    statistics=_counts("dates that the other side has"),
    check=_tolerance,
    setting=_setting,
    measure_batch=_measure_dates,
    explain=_explain_dates,
    item="day",
    laws=lambda _: USUAL_LAWS - {Law.SWAP},
    broken=(
        BrokenLaw(
            Law.SWAP,
            "A predicted day is a hit for the gold month that contains it, but a predicted month "
            "is no hit for a gold day.",
        ),
        BrokenLaw(
            Law.MORE_IS_BETTER,
            "A day already serves the only gold, a month: the month itself, predicted as well, is "
            "one date too many.",
        ),
    ),
)


def _period(extents: Sequence[Extent]) -> range:
    """Return the cells from the first to the last; an end without a bound is left out."""
    ends = [int(cell) for extent in extents for cell in extent if abs(cell) < inf]
    return range(min(ends), max(ends) + 1) if ends else range(0)


def _measure_period(block: ComparisonBlock, _: Values) -> Measured:
    """Count the cells of the two periods, from the first date to the last, and the common ones."""
    rows = []
    for one in block:
        predicted, gold = map(_period, map(one.extents, (one.predicted_dates, one.gold_dates)))
        shared = range(max(predicted.start, gold.start), min(predicted.stop, gold.stop))
        rows.append(
            [max(0, cells.stop - cells.start) for cells in (shared, predicted, shared, gold)]
        )
    return Measured(np.array(rows, np.float64))


DATE_PERIOD = Definition(
    name="date-period",
    meaning="how much of the period from first to last date is in the other's: of the gold's "
    "(recall), of the predicted one (precision)",
    citation="Chronoscore",
    parameters=(GRAIN, ZONE, BETA),
    statistics=_counts("days of the period that are in the other's"),
    primary="recall",
    setting=_setting,
    measure_batch=_measure_period,
    laws=lambda _: USUAL_LAWS - {Law.EXPLAINED},
)


def _nearest(comparison: TimelineComparison, values: Values) -> tuple[Array, Array]:
    """Return the cells from each predicted date to the nearest gold date, and the reverse.

    A date that is infinitely far from all others has no distance, as where there are no others.
    """
    distance = comparison.distance(text_of(values, "extent"))
    if not distance.size:
        return np.empty(0), np.empty(0)
    to_gold, to_predicted = distance.min(axis=1), distance.min(axis=0)
    if comparison.block.has_single_cells:
        return to_gold, to_predicted
    return to_gold[to_gold < inf], to_predicted[to_predicted < inf]


def _measure_distance(block: ComparisonBlock, values: Values) -> Measured:
    nearest = [_nearest(one, values) for one in block]
    rows = [[int(p.sum()), len(p), int(g.sum()), len(g)] for p, g in nearest]
    return Measured(np.array(rows, np.float64))


DATE_DISTANCE = Definition(
    name="date-distance",
    meaning="mean days from a predicted date to the nearest gold date, and from gold to predicted",
    citation="Chronoscore",
    parameters=(replace(EXTENT, choices=("hausdorff", "gap")), GRAIN, ZONE),
    statistics=(
        Statistic("predicted_days", "integer", "days off, over predicted dates"),
        Statistic("predicted_dates", "integer", "predicted dates, where there is a gold"),
        Statistic("gold_days", "integer", "days off, over gold dates"),
        Statistic("gold_dates", "integer", "gold dates, where there is a prediction"),
    ),
    components=("from_predicted", "from_gold"),
    primary="from_gold",
    better="lower",
    setting=_setting,
    measure_batch=_measure_distance,
    ranges=lambda _: {"from_predicted": (0.0, inf), "from_gold": (0.0, inf)},
    laws=lambda _: frozenset({Law.ITEM_ORDER}),
)


def _measure_histogram(block: ComparisonBlock, values: Values) -> Measured:
    steps = []
    for one in block:
        to_gold, to_predicted = _nearest(one, values)
        days = sorted({*to_gold.tolist(), *to_predicted.tolist()}, reverse=True)
        counts = [(int((to_gold == d).sum()), int((to_predicted == d).sum())) for d in days]
        steps.append(tuple(zip(days, counts, strict=True)))
    return Measured(np.zeros((len(block), 2)), steps if any(steps) else ())


DATE_DISTANCE_MEDIAN = replace(
    DATE_DISTANCE,
    name="date-distance-median",
    meaning="median days from a predicted date to the nearest gold date, and from gold to "
    "predicted, over all dates of all timelines",
    statistics=DATE_DISTANCE.statistics[1::2],
    measure_batch=_measure_histogram,
    ratios=lambda statistics, _: ratio(np.zeros_like(statistics), np.zeros_like(statistics)),
    explained={},
    curve="median",
)


DEFINITIONS = (
    ALIGN,
    CONCAT,
    EXACT_DATE,
    DATE_F1,
    DATE_PERIOD,
    DATE_DISTANCE,
    DATE_DISTANCE_MEDIAN,
)
