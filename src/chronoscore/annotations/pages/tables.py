"""Printed tables of annotations: by analysis, by value, confusion, ranks, and every counter."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.annotations.annotators import mean_of_defined, scores_as_cells
from chronoscore.annotations.breakdown import (
    MISSING,
    OF_TARGET,
    SPURIOUS,
    TYPE,
    Confusion,
    Group,
    in_order,
)
from chronoscore.annotations.candidates import Candidates, FirstMatch
from chronoscore.annotations.differences import contingency, outcomes_of
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.metrics import type_shown
from chronoscore.annotations.model import COUNTERS, Counts
from chronoscore.annotations.parameters import SpanQuestion
from chronoscore.core.evidence import NO_VALUE, Match
from chronoscore.core.evidence_table import Batch
from chronoscore.core.metric import Metric
from chronoscore.core.names import parse
from chronoscore.core.result import CaseMatches, MetricInfo, ResultDocument, Summary
from chronoscore.reports.matches import WAYS, change_tables
from chronoscore.reports.result_tables import FamilyTables
from chronoscore.reports.table import Cell, Table, spaced
from chronoscore.statistics import Undefined
from chronoscore.statistics.averaging import scores_of
from chronoscore.statistics.ratios import Array

_COUNTS = COUNTERS[:6]
_RANKED = ("candidates-accuracy", "max-recall-curve")


_CHANGED = (
    *("correct_lenient", "incorrect_lenient"),
    *("missing_strict", "missing_lenient", "true_missing_strict", "true_missing_lenient"),
    *("spurious_strict", "spurious_lenient", "true_spurious_strict", "true_spurious_lenient"),
)
"""Derived counts that the tables of changes show."""


def analysis_table(
    caption: str,
    analyses: Mapping[str, Array],
    metric: Metric,
    undefined: Undefined,
    remarks: Sequence[str],
) -> Table:
    """Return the counts and scores of analyses, of all together (micro), and their mean (macro)."""
    places = [metric.scores.index(name) for name in metric.shown]
    counts = np.array([*analyses.values()]).reshape(len(analyses), len(COUNTERS))
    scores = scores_of(metric, counts.astype(np.float64), undefined)[:, places]
    pooled = counts.sum(axis=0)
    micro = scores_of(metric, pooled.astype(np.float64), undefined)[places]
    rows: list[list[Cell]] = [
        [name, *map(int, row[: len(_COUNTS)].tolist()), *scores_as_cells(row_scores)]
        for name, row, row_scores in zip(
            [*analyses, "all (micro)"], [*counts, pooled], [*scores, micro], strict=True
        )
    ]
    rows.append(["mean (macro)", *["-"] * len(_COUNTS), *scores_as_cells(mean_of_defined(scores))])
    return Table.of(caption, ["analysis", *map(spaced, (*_COUNTS, *metric.shown))], rows, remarks)


def counters_table(systems: Mapping[str, Sequence[float]]) -> Table:
    """Return the table of every count, base and derived; spurious are the false positives."""
    columns = [Counts(*map(int, row)).with_derived() for row in systems.values()]
    return Table.of(
        "all counts",
        ["count", *systems],
        ((spaced(name), *(column[name] for column in columns)) for name in columns[0]),
        ["spurious strict and lenient are the false positives of AnnDiff"],
    )


def confusion_table(system: str, cells: Confusion, features: Sequence[str] = (TYPE,)) -> Table:
    """Return gold in rows, prediction in columns; missing and spurious come last."""
    what = ", ".join("type" if name == TYPE else name for name in features)
    return _confusion(f"{system}: {what} of targets and their responses", cells)


def confusion_of_types(matches: Mapping[tuple[str, str, str], Sequence[Match]]) -> list[Table]:
    """Return the confusion of types of each system, from its matches by (system, case, metric).

    Each system has one table: that of its first metric of spans.
    """
    cells: dict[str, Counter[tuple[Group, Group]]] = {}
    first: dict[str, str] = {}
    for (system, _, metric), case_matches in matches.items():
        if metric.partition("(")[0] != "spans" or first.setdefault(system, metric) != metric:
            continue
        cells.setdefault(system, Counter()).update(
            (
                (type_shown(match.gold),) if match.gold else SPURIOUS,
                (type_shown(match.predicted),) if match.predicted else MISSING,
            )
            for match in case_matches
        )
    return [
        _confusion(f"{system}: types of targets and their responses", counts)
        for system, counts in cells.items()
    ]


def _confusion(caption: str, cells: Confusion) -> Table:
    groups = in_order({group for cell in cells for group in cell} - {MISSING, SPURIOUS})
    rows: list[list[Cell]] = [
        ["/".join(gold), *(cells.get((gold, predicted), 0) for predicted in (*groups, MISSING))]
        for gold in (*groups, SPURIOUS)
    ]
    rows[-1][-1] = "-"  # nothing is both missing and spurious
    columns = ["gold", *(("/".join(group), "predicted") for group in (*groups, MISSING))]
    return Table.of(caption, columns, rows)


def rank_table(system: str, accuracy: Summary) -> Table:
    """Return how many lists have their first match at each rank, from the curve of the accuracy."""
    rows: list[list[Cell]] = []
    strict = lenient = 0
    for point in accuracy.curve:
        _, exact, partial, *_ = (int(number) for number in point.statistics)
        scores = (point.scores["strict_accuracy"], point.scores["lenient_accuracy"])
        first = (exact - strict, exact + partial - lenient)
        rows.append([int(-point.threshold), *first, *scores])
        strict, lenient = exact, exact + partial
    groups = ("first match here", "accuracy so far")
    columns = [(how, group) for group in groups for how in ("strict", "lenient")]
    remark = "of the lists that have the answer; a rank without a change is left out"
    return Table.of(f"{system}: rank of the first match", ["rank", *columns], rows, [remark])


def first_match_table(
    system: str, documents: Sequence[tuple[Candidates, Sequence[FirstMatch]]]
) -> Table:
    """Return for every list its number of targets, and rank and score of its first match."""
    rows: list[list[Cell]] = []
    for document, firsts in documents:
        for first in firsts:
            held = document.lists[first.place]
            places = (first.strict, first.partial)
            ranks = ("" if at is None else at + 1 for at in places)
            scores = ("" if at is None or not held.scores else held.scores[at] for at in places)
            name, span = held.annotation.id, f"{held.annotation.start}-{held.annotation.end}"
            rows.append([document.document, name, span, first.targets, *ranks, *scores])
    groups = ("rank of first match", "score of first match")
    columns = [(how, group) for group in groups for how in ("strict", "partial")]
    return Table.of(
        f"{system}: first matches", ["document", "list", "span", "targets", *columns], rows
    )


def reference_tables(
    result: ResultDocument,
    matches: Sequence[CaseMatches],
    reference: str,
    batches: Mapping[str, Batch] | None = None,
    metrics: Sequence[Metric] = (),
) -> list[Table]:
    """Return tables of the changes from a reference to each other system.

    With the documents (`batches`) and the `metrics` that were measured on them, the tables also
    count targets that are right and have no unmatched response, as the GATE plugin does.
    """
    measured = {str(metric): metric for metric in metrics}

    def alone(info: MetricInfo, old: str, new: str) -> dict[str, tuple[int, ...]]:
        metric = measured.get(info.name)
        question = metric.setting if metric else None
        if metric is None or batches is None or not {old, new} <= batches.keys():
            return {}
        if type(question) is not SpanQuestion or "matching" not in metric.values:
            return {}
        sides = []
        for name in (old, new):
            outcomes = [
                outcome
                for block in batches[name].columns.blocks(question)
                for outcome in outcomes_of(block, match(block, metric.values))
            ]
            sides.append(dict(zip(batches[name].ids, outcomes, strict=True)))
        before, after = sides
        pairs = [(before[case], after[case]) for case in before if case in after]
        return {
            f"{name}, alone": contingency(pairs, strict=strict) for name, strict in WAYS.items()
        }

    return change_tables(FAMILY, result, matches, reference, alone)


def _derived_counts(counts: Mapping[str, int | float]) -> dict[str, int | float]:
    if not set(COUNTERS) <= counts.keys():
        return {}
    derived = Counts(*(int(counts[name]) for name in COUNTERS)).with_derived()
    return {name: derived[name] for name in _CHANGED}


def _by_rank(metric: str) -> bool:
    """Whether the levels of a metric's curve are ranks, by its name.

    >>> _by_rank("candidates-curve(list=L,by=rank)"), _by_rank("candidates-curve(list=L)")
    (True, False)
    """
    name, values = parse(metric)
    return name in _RANKED or (name == "candidates-curve" and values.get("by") == "rank")


def _value_remarks(metric: MetricInfo, whole: Summary, values: Sequence[Summary]) -> list[str]:
    """Say whose value a response counts under, and how that changes the numbers."""
    names = list(values[0].group)
    if names[0].startswith(OF_TARGET):
        return [
            "a response counts under the value of its target, or under (none) if it has no target "
            "(--by-side target)"
        ]
    remarks = ["a response counts under its own value (--by-side response)"]
    place = {statistic.name: at for at, statistic in enumerate(metric.statistics)}
    correct = [place[name] for name in ("correct_strict", "correct_partial") if name in place]
    mixed = sum(whole.statistics[at] - sum(v.statistics[at] for v in values) for at in correct)
    if mixed:
        remarks.append(
            f"correct pairs of two different values: {mixed}; each counts as incorrect under the "
            "value of its target, and as correct in all"
        )
    for name in names if "responses" in place else ():
        response_values = {v.group[name] for v in values if v.statistics[place["responses"]]}
        if response_values == {NO_VALUE}:
            remarks.append(
                f"no response has a value of {name}: --by-side target counts it under its target's"
            )
    return remarks


TABLES = FamilyTables(
    by_rank=_by_rank, derived_counts=_derived_counts, value_remarks=_value_remarks
)
