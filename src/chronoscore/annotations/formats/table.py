"""A table (`.tsv`) with a row for each annotation: document, type, start, end, further columns."""

from collections.abc import Iterable

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.records import (
    BLANKS,
    check_columns,
    real_number,
    refuse_header_only,
    whole_number,
)
from chronoscore.core.sources import Source

NEEDED = ("document", "type", "start", "end")
KNOWN = (*NEEDED, "id", "score", "set")


def read_table(source: Source, _: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read rows; other columns are features, whose values are texts, and absent where empty."""
    builders: dict[str, DocumentBuilder] = {}
    columns: list[str] | None = None
    rows = 0
    for number, line in source.lines(problems):
        if not line.strip():
            continue
        rows += 1
        cells = [cell.strip(BLANKS) for cell in line.split("\t")]
        if columns is None:
            columns = cells
            fits = check_columns(
                columns,
                problems,
                source,
                needed=NEEDED,
                optional=KNOWN,
                line=number,
                features=True,
            )
            if not fits:
                return []
        elif len(cells) != len(columns):
            problems.problem(f"{len(cells)} fields, expected {len(columns)}", source, number)
        else:
            row = dict(zip(columns, cells, strict=True))
            builder = DocumentBuilder(row["document"], source, problems)
            _enter(row, builders.setdefault(builder.id, builder), number)
    if rows == 1:
        refuse_header_only("annotation", problems, source)
    return [(ONLY, builder.document()) for builder in builders.values()]


def _enter(row: dict[str, str], builder: DocumentBuilder, number: int) -> None:
    """Enter the annotation of a row, or report what is wrong with it."""
    if not builder.id:
        return builder.problem("the row names no document", number)
    start, end = whole_number(row["start"]), whole_number(row["end"])
    if start is None or end is None:
        span = f"'{row['start'][:20]}' to '{row['end'][:20]}'"
        return builder.problem(f"the span is {span}, expected two whole numbers", number)
    score = real_number(row["score"]) if row.get("score") else None
    if row.get("score") and score is None:
        message = f"the score is '{row['score'][:40]}', expected a number"
        return builder.problem(message, number)
    features = {name: value for name, value in row.items() if name and name not in KNOWN and value}
    name, group = row.get("id") or None, row.get("set", "")
    return builder.enter(name, row["type"], start, end, features, score, group, number)
