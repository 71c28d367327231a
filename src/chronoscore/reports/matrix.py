"""The table that people read first: systems in rows, metrics in columns.

It is what a terminal, a paper and a notebook show; each draws the same `ScoreMatrix`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from chronoscore.core.names import is_whole
from chronoscore.core.result import Interval, MetricInfo, ResultDocument, Summary
from chronoscore.errors import UsageError
from chronoscore.reports.result_tables import case_groups, short

if TYPE_CHECKING:
    from chronoscore.core.contrast import Contrast, Ranked

SIGNIFICANT = 0.05
DAGGER = "†"
"""Marks a system that differs from the baseline."""
MOST_DIGITS = 9
BEST, SECOND = 1, 2


class ScoreCell(msgspec.Struct, frozen=True):
    """A cell: a score, how sure it is, and how it compares with the others of its column."""

    value: float | None
    interval: Interval | None = None
    letters: str = ""
    """Systems that share a letter do not differ significantly; or a dagger, with a baseline."""
    place: int = 0
    """`BEST` or `SECOND` of its column; 0 for all others. Equal scores share a place."""
    printed: str = ""
    """The digits of a published score, which may be fewer than those of the table."""

    def number(self, digits: int) -> str | None:
        """Write the score; a published one never gets more digits than were printed.

        >>> ScoreCell(0.2, printed="0.20").number(3), ScoreCell(0.2).number(3)
        ('0.20', '0.200')
        """
        if self.value is None:
            return None
        printed_places = len(self.printed.partition(".")[2])
        return self.printed if 0 < printed_places <= digits else f"{self.value:.{digits}f}"


class ScoreColumn(msgspec.Struct, frozen=True):
    """One score of one metric."""

    metric: MetricInfo
    score: str
    """The name of the score, such as precision."""

    @property
    def is_main(self) -> bool:
        """Whether it is the score that the metric is known by."""
        return self.score == self.metric.primary

    @property
    def label(self) -> str:
        """The heading below that of the metric, such as P."""
        return short(self.score)

    @property
    def higher_is_better(self) -> bool:
        """Which end of the range is the good one."""
        return self.metric.better == "higher"


class PublishedScores(msgspec.Struct, frozen=True):
    """Other people's numbers for one system."""

    system: str
    scores: Mapping[str, float | None]
    """By columns: the label of a metric, or another score of it, such as AR-1.precision."""
    protocol: str = ""
    """What they were scored by; empty if that is not stated."""
    source: str = ""
    """Where they were published."""
    printed: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The digits as printed, where they are known."""


class ScoreRow(msgspec.Struct, frozen=True):
    """A system, or a part of the cases of a system."""

    system: str
    scores: tuple[ScoreCell, ...]
    part: str = ""
    """The group of cases, such as topic=egypt; empty for all cases."""
    units: Mapping[str, int] | None = None
    """How many of each level were averaged; None where that is not known."""
    published: PublishedScores | None = None
    """Where its scores are from, unless they were measured in this run."""
    is_ranked: bool = True
    """Whether it takes part in the ranking: not, if it is a gold scored against others, or
    published scores that are not known to be of the same protocol."""


class ScoreMatrix(msgspec.Struct, frozen=True):
    """All systems under all metrics."""

    result: ResultDocument
    columns: tuple[ScoreColumn, ...]
    rows: tuple[ScoreRow, ...]
    digits: int = 3
    contrast: Contrast | None = None
    """The test whose letters the scores carry, where one was asked for."""


def score_matrix(
    result: ResultDocument,
    *,
    columns: str | Sequence[str] = (),
    full: bool = False,
    parts: bool = True,
    contrast: Contrast | None = None,
    by_value: Sequence[Contrast] = (),
    published: Sequence[PublishedScores] = (),
    digits: int = 3,
) -> ScoreMatrix:
    """Make the matrix of a result.

    `columns` are labels or names of metrics, with or without their parameters, in the order
    wanted; a score other than the main one is written after a dot, as in AR-1.precision. Without
    `columns`, there is the main score of every metric, or all scores that are shown if `full`.
    `parts` also shows the groups of cases, and `by_value` are contrasts on the items that have a
    value, each a part as well. `published` are rows of other people's numbers.
    """
    if not is_whole(digits) or not 1 <= digits <= MOST_DIGITS:
        raise UsageError(f"digits is {digits!r}, expected a number from 1 to {MOST_DIGITS}")
    names = (columns,) if isinstance(columns, str) else columns
    chosen = tuple(_columns(result, names, full))
    rows = [
        ScoreRow(
            system.name,
            tuple(_scores(chosen, system.name, summaries, contrast)),
            part,
            next(iter(summaries.values())).units,
            is_ranked=system.is_ranked,
        )
        for system, part, summaries in case_groups(result)
        if parts or not part
    ]
    rows += _value_rows(result, chosen, by_value)
    rows += [
        ScoreRow(
            one.system,
            tuple(_published_cell(one, column) for column in chosen),
            published=one,
            is_ranked=bool(result.protocol) and one.protocol == result.protocol,
        )
        for one in published
    ]
    values = [cell.value for row in rows if row.published for cell in row.scores]
    if published and not any(value is not None for value in values):
        known = ", ".join(dict.fromkeys(name for one in published for name in one.scores))
        raise UsageError(f"no column of this table has a published result; there are: {known}")
    return ScoreMatrix(result, chosen, tuple(_ranked(chosen, rows, digits)), digits, contrast)


def _columns(result: ResultDocument, names: Sequence[str], full: bool) -> Iterator[ScoreColumn]:
    if not names:
        for metric in result.metrics:
            of_curve = (metric.primary, "threshold") if metric.curve == "best" else metric.shown
            for score in of_curve if full else (metric.primary,):
                yield ScoreColumn(metric, score)
        return
    by_name = {metric.name.partition("(")[0]: metric for metric in reversed(result.metrics)}
    by_name |= {name: metric for metric in result.metrics for name in (metric.label, metric.name)}
    for name in names:
        of_metric, _, score = name.rpartition(".")
        if name in by_name:
            yield ScoreColumn(by_name[name], by_name[name].primary)
        elif of_metric in by_name:
            yield ScoreColumn(by_name[of_metric], _score_named(by_name[of_metric], score))
        else:
            labels = ", ".join(metric.label for metric in result.metrics)
            raise UsageError(f"there is no metric '{name}' in this result; there are: {labels}")


def _score_named(metric: MetricInfo, name: str) -> str:
    """Find a score by its name or its heading."""
    found = [score for score in metric.scores if name in (score, short(score))]
    if not found:
        raise UsageError(
            f"{metric.label} has no score '{name}'; it has: {', '.join(metric.scores)}"
        )
    return found[0]


def _scores(
    columns: Sequence[ScoreColumn],
    system: str,
    summaries: Mapping[str, Summary],
    contrast: Contrast | None,
) -> Iterator[ScoreCell]:
    for column in columns:
        summary = summaries[column.metric.name]
        cell = ScoreCell(summary.scores[column.score], summary.intervals.get(column.score))
        if contrast is not None:
            # A contrast has intervals of its own, by the options of that call.
            cell = replace(cell, interval=None)
            ranked = None if summary.group else _ranked_in(contrast, column, system)
            if ranked is not None:
                letters = letters_of(contrast, column.metric.name, system)
                cell = replace(cell, interval=ranked.interval, letters=letters)
        yield cell


def _ranked_in(contrast: Contrast, column: ScoreColumn, system: str) -> Ranked | None:
    """The place of a system by the test of a column's metric; None if the column has no test."""
    metrics = (one for one in contrast.metrics if one.name == column.metric.name)
    ranking = next((one.ranking for one in metrics if column.is_main), ())
    return next((one for one in ranking if one.system == system), None)


def letters_of(contrast: Contrast, name: str, system: str) -> str:
    """The letters of a system under a metric, or a dagger if it differs from the baseline."""
    for metric in contrast.metrics:
        if metric.name == name:
            if contrast.baseline:
                p = [pair.p_corrected for pair in metric.pairs if system in (pair.one, pair.two)]
                differs = any(one is not None and one < SIGNIFICANT for one in p)
                return DAGGER if differs and system != contrast.baseline else ""
            return next((one.letters for one in metric.ranking if one.system == system), "")
    return ""


def _value_rows(
    result: ResultDocument, columns: Sequence[ScoreColumn], contrasts: Sequence[Contrast]
) -> Iterator[ScoreRow]:
    """The rows of systems on the items that have a value; each contrast is of some metrics."""
    by_part: dict[str, list[Contrast]] = {}
    for contrast in contrasts:
        part = ", ".join(f"{tag}={value}" for tag, value in contrast.group.items())
        by_part.setdefault(part, []).append(contrast)
    for part, several in by_part.items():
        for system in result.systems:
            cells = tuple(_value_cell(several, column, system.name) for column in columns)
            yield ScoreRow(system.name, cells, part, is_ranked=system.is_ranked)


def _value_cell(contrasts: Sequence[Contrast], column: ScoreColumn, system: str) -> ScoreCell:
    for contrast in contrasts:
        if ranked := _ranked_in(contrast, column, system):
            letters = letters_of(contrast, column.metric.name, system)
            return ScoreCell(ranked.score, ranked.interval, letters)
    return ScoreCell(None)


def _published_cell(row: PublishedScores, column: ScoreColumn) -> ScoreCell:
    label = column.metric.label
    names = [f"{label}.{column.score}", f"{label}.{column.label}", *[label] * column.is_main]
    name = next((name for name in names if name in row.scores), "")
    return ScoreCell(row.scores.get(name), printed=row.printed.get(name, ""))


def _ranked(
    columns: Sequence[ScoreColumn], rows: Sequence[ScoreRow], digits: int
) -> Iterator[ScoreRow]:
    """Mark the best and the second of each column and part, as far as the digits tell them apart.

    Where all systems are equal, nothing is marked.
    """
    places: dict[tuple[int, int], int] = {}
    for part in dict.fromkeys(row.part for row in rows):
        rivals = [n for n, row in enumerate(rows) if row.part == part and row.is_ranked]
        for at, column in enumerate(columns):
            values = {
                n: round(value, digits)
                for n in rivals
                if (value := rows[n].scores[at].value) is not None
            }
            order = sorted(set(values.values()), reverse=column.higher_is_better)
            for n, value in values.items():
                place = order.index(value) + 1
                if len(order) > 1 and place <= SECOND:
                    places[n, at] = place
    for n, row in enumerate(rows):
        scores = (
            replace(score, place=places.get((n, at), 0)) for at, score in enumerate(row.scores)
        )
        yield replace(row, scores=tuple(scores))
