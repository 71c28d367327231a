"""Tables of annotations by analysis, and with every counter."""

from collections.abc import Mapping, Sequence

import numpy as np

from chronoscore.annotations.model import COUNTERS, Counts
from chronoscore.core.family import Undefined
from chronoscore.core.metric import Metric
from chronoscore.elements.ratios import Array
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.statistics.averaging import scores_of

_COUNTS = COUNTERS[:6]
_DERIVED = (
    "correct_lenient",
    "incorrect_lenient",
    "single_correct_lenient",
    "missing_strict",
    "missing_lenient",
    "spurious_strict",
    "spurious_lenient",
    "true_missing_strict",
    "true_missing_lenient",
    "true_spurious_strict",
    "true_spurious_lenient",
    "true_missing_in_responses_strict",
    "true_missing_in_responses_lenient",
)


def parts_table(
    caption: str,
    labels: Sequence[str],
    parts: Sequence[tuple[Sequence[str], Array]],
    metric: Metric,
    undefined: Undefined,
) -> Table:
    """The counts and scores of parts, then of all together (micro) and their mean (macro)."""
    places = [metric.scores.index(name) for name in metric.shown]
    counts = np.array([row for _, row in parts]).reshape(len(parts), len(COUNTERS))
    scores = scores_of(metric, counts.astype(np.float64), undefined)[:, places]
    whole = counts.sum(axis=0)
    micro = scores_of(metric, whole.astype(np.float64), undefined)[places]
    named = [metric.scores[place] for place in places]
    columns = [Column(name) for name in (*labels, *(n.replace("_", " ") for n in _COUNTS))]
    columns += [Column(name.replace("_", " ")) for name in named]
    rows: list[tuple[Cell, ...]] = [
        (*name, *_integers(row), *_cells(own))
        for (name, row), own in zip(parts, scores, strict=True)
    ]
    blank = [""] * (len(labels) - 1)
    rows.append(("all (micro)", *blank, *_integers(whole), *_cells(micro)))
    defined = ~np.isnan(scores)
    number = defined.sum(axis=0)
    total = np.where(defined, scores, 0.0).sum(axis=0)
    means = np.divide(total, number, out=np.full(len(number), np.nan), where=number > 0)
    rows.append(("mean (macro)", *blank, *["-"] * len(_COUNTS), *_cells(means)))
    return Table(caption, tuple(columns), tuple(rows))


def counters_table(systems: Mapping[str, Sequence[float]]) -> Table:
    """Every count of the notes, derived ones too; what is spurious are the false positives."""
    names = (*COUNTERS, *_DERIVED)
    counted = {name: Counts(*(int(value) for value in row)) for name, row in systems.items()}
    return Table(
        "all counts",
        (Column("count"), *(Column(name) for name in counted)),
        tuple(
            (name.replace("_", " "), *(getattr(own, name) for own in counted.values()))
            for name in names
        ),
        ("spurious strict and lenient are the false positives of AnnDiff",),
    )


def _integers(row: Array) -> list[int]:
    return [int(value) for value in row[: len(_COUNTS)].tolist()]


def _cells(scores: Array) -> list[float | None]:
    return [None if value != value else value for value in scores.tolist()]  # noqa: PLR0124
