"""A result in print, in every format; on a terminal the matrix of systems and metrics."""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from chronoscore.core.family import Family
from chronoscore.core.names import short_signature
from chronoscore.core.result import Agreement, ResultDocument, encode
from chronoscore.reports.intervals import intervals_in_words
from chronoscore.reports.matrix import (
    BEST,
    ScoreCell,
    ScoreColumn,
    ScoreMatrix,
    ScoreRow,
    score_matrix,
)
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.result_tables import (
    LEFT_OUT_FIRST,
    LEFT_OUT_SECOND,
    FamilyTables,
    averaged_levels,
    breakdown_tables,
    conditions,
    conventions,
    curve_tables,
    plain,
    tables_of,
    undefined_in_words,
    undefined_labels,
)
from chronoscore.reports.table import Cell, Column, Several, Table, plural, shown
from chronoscore.reports.terminal import score_text

_MOST_NAMED = 4
"""Systems of undefined scores that are named."""


def render(
    family: Family, result: ResultDocument, how: str, *, styled: bool = False, full: bool = False
) -> str:
    """Render a result as text, JSON, plain lines, or CSV: the scores alone, and those by value.

    `styled` and `full` are for text, see `result_text`.
    """
    if how == "json":
        return encode(result).decode()
    if how == "plain":
        return plain(family, result)
    if how == "text":
        return result_text(family, result, styled=styled, full=full)
    result = FamilyTables.of(family).visible(result)
    scores, *_ = tables_of(family, result)
    return render_tables([scores, *breakdown_tables(family, result)], how)


def result_text(
    family: Family,
    document: ResultDocument,
    *,
    width: int | None = None,
    styled: bool = False,
    full: bool = False,
    full_option: str = "--full",
) -> str:
    """Write a result for a terminal of a width, by default that of this terminal.

    `full` shows all scores, the counts behind them, all coefficients and the whole signatures;
    `full_option` is what one types to get that. The best of each column is bold if `styled`.
    """
    document = document if full else FamilyTables.of(family).visible(document)
    tables = [_score_table(family, document, full, full_option)]
    if full:
        tables += tables_of(family, document)[1:]
    else:
        tables += curve_tables(family, document)
    tables += breakdown_tables(family, document)
    return render_tables(
        tables, "text", width=width, styled=styled, full=full, full_option=full_option
    )


def _score_table(family: Family, result: ResultDocument, full: bool, full_option: str) -> Table:
    matrix = _main_first(score_matrix(result, full=True))
    levels, units_differ = averaged_levels(result), _units_differ(matrix)
    by_rank = FamilyTables.of(family).by_rank
    columns: list[Column | None] = [
        Column("system"),
        Column("part") if any(row.part for row in matrix.rows) else None,
        # A mean of judgements can't be read without the criteria that it comes from.
        *(
            _heading(
                column, by_rank(column.metric.name), 0 if result.agreement else LEFT_OUT_SECOND
            )
            for column in matrix.columns
        ),
        *(
            Column(f"{level}s", optional=LEFT_OUT_FIRST * (number < len(levels)))
            for number, level in enumerate(levels if units_differ else [], 1)
        ),
    ]
    cells = [_cells(matrix, at, by_rank) for at in range(len(matrix.columns))]
    rows = [
        [row.system, row.part or "all", *(column[n] for column in cells)]
        + [(row.units or {}).get(level) for level in levels if units_differ]
        for n, row in enumerate(matrix.rows)
    ]
    units = [] if units_differ or not matrix.rows else _units(matrix.rows[0], levels)
    caption = ": ".join(filter(None, [result.family, ", ".join(units)]))
    remarks = [
        conditions(result) if full else conventions(family, result),
        *_undefined_line(result),
        *([] if full else _contradictions_line(family, result, full_option)),
        *intervals_in_words(result, beside_scores=True),
        *([] if full else _agreement_line(result.agreement, full_option)),
        *_lower_line(result),
        *FamilyTables.of(family).remarks(result),
    ]
    if full:
        remarks += [f"{system.name}: {system.signature}" for system in result.systems]
    elif result.systems:
        short = short_signature(*(system.signature for system in result.systems))
        remarks.append(f"signature {short} (whole: {full_option})")
    return Table.of(caption, columns, rows, remarks)


def _main_first(matrix: ScoreMatrix) -> ScoreMatrix:
    """The same matrix with the main score of each metric before its other scores."""
    metrics = [metric.name for metric in matrix.result.metrics]
    order = sorted(
        range(len(matrix.columns)),
        key=lambda at: (
            metrics.index(matrix.columns[at].metric.name),
            not matrix.columns[at].is_main,
        ),
    )
    rows = (replace(row, scores=tuple(row.scores[at] for at in order)) for row in matrix.rows)
    return replace(matrix, columns=tuple(matrix.columns[at] for at in order), rows=tuple(rows))


def _units_differ(matrix: ScoreMatrix) -> bool:
    return any(row.units != matrix.rows[0].units for row in matrix.rows)


def _units(row: ScoreRow, levels: Sequence[str]) -> list[str]:
    return [plural((row.units or {}).get(level, 0), level) for level in levels]


def _heading(column: ScoreColumn, ranked: bool, optional: int) -> Column:
    name = "first" if ranked and column.score == "threshold" else column.label
    return Column(name, column.metric.label, 0 if column.is_main else optional)


def _cells(matrix: ScoreMatrix, at: int, by_rank: Callable[[str], bool]) -> list[Cell]:
    """The cells of a column: scores with their intervals."""
    column = matrix.columns[at]
    cells = [row.scores[at] for row in matrix.rows]
    if column.score == "threshold" and by_rank(column.metric.name):
        return [None if cell.value is None else int(-cell.value) for cell in cells]
    return [_cell(column, cell, matrix.digits) for cell in cells]


def _cell(column: ScoreColumn, cell: ScoreCell, digits: int) -> Several:
    interval = cell.interval
    if (interval and not (column.is_main or interval.method == "bayes")) or column.metric.curve:
        interval = None
    text = score_text(cell.value, interval, digits=digits)
    return Several(text, (), cell.place == BEST and column.is_main)


# Lines below the table


def _lower_line(result: ResultDocument) -> list[str]:
    """Name the metrics of which the lowest score is the best."""
    labels = [metric.label for metric in result.metrics if metric.better == "lower"]
    return [f"lower is better: {', '.join(labels)}"] if labels else []


def _undefined_line(result: ResultDocument) -> list[str]:
    """Say in one line what was undefined, so that no 0 passes for a measured one."""
    places = [
        f"{system} {', '.join(labels)} ({where})"
        for (system, where), labels in undefined_labels(result).items()
    ]
    if not places:
        return []
    more = len(places) - _MOST_NAMED
    listed = "; ".join(places[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
    return [f"undefined, {undefined_in_words(result)}: {listed}"]


def _contradictions_line(family: Family, result: ResultDocument, full_option: str) -> list[str]:
    """Say that there are counts which no score shows, since a table of them is left out."""
    where = ", ".join(dict.fromkeys(_contradicting(family, result)))
    if not where:
        return []
    return [f"some relations contradict each other ({where}): {full_option} shows how many"]


def _contradicting(family: Family, result: ResultDocument) -> Iterator[str]:
    for metric in result.metrics:
        counted = [one.name in family.always_counted for one in metric.statistics]
        for system in result.systems:
            for summary in system.summaries:
                if summary.metric == metric.name and not summary.group:
                    pairs = zip(counted, summary.statistics, strict=False)
                    if any(value for counts, value in pairs if counts):
                        yield metric.label


def _agreement_line(agreement: Sequence[Agreement], full_option: str) -> list[str]:
    """Say in one line how far raters agree: alpha on each criterion, where there is one."""
    by_criterion: dict[str, list[Agreement]] = {}
    for one in agreement:
        by_criterion.setdefault(one.criterion, []).append(one)
    main = [
        next((one for one in several if one.coefficient.startswith("alpha")), several[0])
        for several in by_criterion.values()
    ]
    if not main:
        return []
    kinds = ", ".join(dict.fromkeys(one.coefficient.partition(" ")[0] for one in main))
    raters = plural(max(one.raters for one in main), "rater")
    listed = ", ".join(f"{one.criterion} {shown(one.value)}" for one in main)
    return [f"agreement of {raters} ({kinds}): {listed}; {full_option} shows more"]
