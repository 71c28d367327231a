"""Files that say how rows are matched: the scorer's match files, and matrices of distances."""

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from chronoscore.compat.t2s2.matching import Distances, RowMatch
from chronoscore.compat.t2s2.reading import SeriesRow, TableLine, as_numeric, na, table_lines
from chronoscore.compat.t2s2.runs import Documents
from chronoscore.errors import DataError, Problem

NEEDED = ("common.bns", "idx", "match.idx", "error.rate")


def read_matches(
    text: str, path: Path, gold: Documents, predicted: Documents
) -> dict[str, list[RowMatch]]:
    """Read the matches of the documents that a system has in common with gold.

    A match file, such as ``best_matches2026-05-08.csv``, has a line for each gold row: the document
    (``common.bns``), the gold row from 1 on (``idx``), the predicted row or NA (``match.idx``) and
    their distance (``error.rate``). Where it has the events too (``v1``, ``v2``), they must be
    those of the rows. Lines of other documents are ignored, as in the scorer.
    """
    lines = list(table_lines(text, ","))
    names = lines[0].fields if lines else []
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise DataError.of(
            f"there is no column '{missing[0]}', expected a match file with the columns "
            f"{', '.join(NEEDED)}",
            path,
            lines[0].number if lines else None,
        )
    matches: dict[str, list[RowMatch]] = defaultdict(list)
    taken: dict[tuple[str, str, int], int] = {}
    problems: list[Problem] = []
    for line in lines[1:]:
        fields = dict(zip(names, line.fields, strict=False))
        document = fields["common.bns"]
        if document not in gold:
            continue
        try:
            match = _match(fields, gold[document], predicted[document])
            for side, row in (("gold", match.gold), ("predicted", match.predicted)):
                if row is not None and (place := (document, side, row)) in taken:
                    raise ValueError(f"{side} row {row} is matched in line {taken[place]} already")
                if row is not None:
                    taken[document, side, row] = line.number
            matches[document].append(match)
        except ValueError as error:
            problems.append(Problem(str(error), str(path), line.number))
    if problems:
        raise DataError(problems)
    return dict(matches)


def _match(
    fields: dict[str, str], gold: Sequence[SeriesRow], predicted: Sequence[SeriesRow]
) -> RowMatch:
    """Read the fields of a line; a ValueError says what is wrong."""
    row = _row_number(fields, "idx", gold, "the gold document")
    if row is None:
        raise ValueError("'idx' is NA, expected the number of a gold row")
    other = _row_number(fields, "match.idx", predicted, "the predicted document")
    _check_event(fields, "v1", gold[row - 1])
    if other is not None:
        _check_event(fields, "v2", predicted[other - 1])
    written = na(fields.get("error.rate", ""))
    distance = as_numeric(written)
    if written is not None and distance is None:
        raise ValueError(f"'error.rate' is '{written}', expected a number, Inf or NA")
    return RowMatch(row, other, math.inf if distance is None else distance)


def _row_number(
    fields: dict[str, str], column: str, rows: Sequence[SeriesRow], what: str
) -> int | None:
    written = na(fields.get(column, ""))
    value = as_numeric(written)
    if written is None:
        return None
    if value is None or value not in range(1, len(rows) + 1):
        raise ValueError(
            f"'{column}' is '{written}', but {what} has rows 1 to {len(rows)}: expected the files "
            "that were matched; the header line counts unless --header is given"
        )
    return int(value)


def _check_event(fields: dict[str, str], column: str, row: SeriesRow) -> None:
    written = na(fields.get(column, row.event or ""))
    if written != row.event:
        raise ValueError(
            f"'{column}' is '{written}', but the event in line {row.line} of the document is "
            f"'{row.event}': expected the files that were matched"
        )


def read_distances(text: str, path: Path, rows: int, columns: int) -> Distances:
    """Read a matrix of distances: a line for each gold row, a number for each predicted row."""
    lines = list(table_lines(text, ","))
    problems = []
    if len(lines) != rows:
        message = f"there are {len(lines)} lines of distances, but gold has {rows} rows"
        problems.append(Problem(_with_header(message), str(path)))
    for line in lines:
        if len(line.fields) != columns:
            message = f"there are {len(line.fields)} distances, but the system has {columns} rows"
            problems.append(Problem(_with_header(message), str(path), line.number))
        elif wrong := _not_finite(line):
            message = f"the distance is '{wrong[0]}', expected a finite number"
            problems.append(Problem(message, str(path), line.number))
    if problems:
        raise DataError(problems)
    return [[float(as_numeric(field) or 0.0) for field in line.fields] for line in lines]


def _not_finite(line: TableLine) -> list[str]:
    return [
        f for f in line.fields if not math.isfinite(math.inf if (x := as_numeric(f)) is None else x)
    ]


def _with_header(message: str) -> str:
    return f"{message}; the header line counts unless --header is given"
