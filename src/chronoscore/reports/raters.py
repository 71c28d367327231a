"""Tables of evaluators: how each pair agrees, who is severe, and what they disagree on."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.core.evidence import Rows
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.rubric.agreement import articles, rated
from chronoscore.statistics.agreement import disagreements, pairs, severities

MOST_EVENTS = 10


def rater_tables(
    systems: Mapping[str, Rows], comments: Mapping[tuple[str, str], Sequence[str]]
) -> list[Table]:
    """All tables; `comments` are what was said of each (system, event), and by whom."""
    return [_pairs(systems), _severities(systems), _disagreements(systems, comments)]


def _pairs(systems: Mapping[str, Rows]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for criterion, ratings, _ in rated(systems)[:-1]:
        found = pairs(ratings)
        for first, one in enumerate(found.raters):
            for second in range(first + 1, len(found.raters)):
                place = first, second
                rows.append(
                    (
                        criterion,
                        one,
                        found.raters[second],
                        int(found.shared[place]),
                        _number(found.percent[place]),
                        _number(found.kappa[place]),
                    )
                )
    names = ("criterion", "one", "other", "events", "percent", "kappa")
    return Table("each pair of evaluators", tuple(map(Column, names)), tuple(rows))


def _severities(systems: Mapping[str, Rows]) -> Table:
    clusters = articles(systems)
    rows: list[tuple[Cell, ...]] = []
    for criterion, ratings, _ in rated(systems):
        scale = 48 if criterion == "EQS" else 1
        for found in severities(ratings, clusters, method="jackknife"):
            low, high = found.low / scale, found.high / scale
            sure = "-" if np.isnan(low) else f"{low:+.3f} to {high:+.3f}"
            rows.append((criterion, found.rater, _number(found.mean / scale), sure, found.units))
    names = ("criterion", "evaluator", "above the mean", "interval", "events")
    return Table(
        "how generous each evaluator is",
        tuple(map(Column, names)),
        tuple(rows),
        ("above 0: gives higher values than the others on the same events",),
    )


def _disagreements(
    systems: Mapping[str, Rows], comments: Mapping[tuple[str, str], Sequence[str]]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for criterion, ratings, _ in rated(systems)[:-1]:
        for found in disagreements(ratings)[:MOST_EVENTS]:
            if found.variance > 0:
                system, _, event = found.unit.partition(": ")
                said = "; ".join(comments.get((system, event), ()))
                rows.append((criterion, system, event, found.mean, said))
    names = ("criterion", "system", "event", "mean", "comments")
    return Table(
        f"what they disagree on most (up to {MOST_EVENTS} events a criterion)",
        tuple(map(Column, names)),
        tuple(rows),
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
