"""Tables of evaluators: how each pair agrees, who is severe, and what they disagree on."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.core.evidence import Rows
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.rubric.agreement import articles, rated
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement, count_chips
from chronoscore.statistics.agreement import disagreements, pairs, severities

MOST_EVENTS = 10


def rater_tables(
    systems: Mapping[str, Rows],
    codebook: Codebook,
    comments: Mapping[tuple[str, str], Sequence[str]],
) -> list[Table]:
    """All tables; `comments` are what was said of each (system, event), and by whom."""
    return [
        _pairs(systems, codebook),
        _severities(systems, codebook),
        _disagreements(systems, codebook, comments),
    ]


def chip_table(judgements: Mapping[str, Sequence[Judgement]], codebook: Codebook) -> Table:
    """How often each of the codebook's frequent comments was made, by system."""
    counted = {system: count_chips(made, codebook) for system, made in judgements.items()}
    return Table(
        "frequent comments",
        (Column("comment"), *map(Column, counted)),
        tuple(
            (chip.text, *(counts[chip.text] for counts in counted.values()))
            for chip in codebook.chips
        ),
    )


def _pairs(systems: Mapping[str, Rows], codebook: Codebook) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for criterion, ratings, _ in rated(systems, codebook)[:-1]:
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


def _severities(systems: Mapping[str, Rows], codebook: Codebook) -> Table:
    clusters = articles(systems)
    rows: list[tuple[Cell, ...]] = []
    for criterion, ratings, _ in rated(systems, codebook):
        scale = codebook.denominator if criterion == codebook.score else 1
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
    systems: Mapping[str, Rows],
    codebook: Codebook,
    comments: Mapping[tuple[str, str], Sequence[str]],
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for criterion, ratings, _ in rated(systems, codebook)[:-1]:
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
