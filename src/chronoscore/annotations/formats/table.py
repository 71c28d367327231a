"""A table with an annotation a row (`.tsv`): document, type, start, end, and what else there is."""

from collections.abc import Iterable
from pathlib import Path

from chronoscore.annotations.formats.book import Book, Found
from chronoscore.annotations.model import FeatureValue
from chronoscore.core.collection import ONLY
from chronoscore.core.columns import check_columns, refuse_header_only
from chronoscore.core.numbers import BLANKS, real_number, whole_number
from chronoscore.core.reading import Reading

NEEDED = ("document", "type", "start", "end")
OWN = (*NEEDED, "id", "score", "set")


def read_table(path: Path, _: str, reading: Reading) -> Iterable[Found]:
    """Read rows; columns of other names are features, which are texts, and absent where empty."""
    books: dict[str, Book] = {}
    columns: list[str] | None = None
    rows = 0
    for number, line in reading.lines(path):
        if not line.strip():
            continue
        rows += 1
        cells = [cell.strip(BLANKS) for cell in line.split("\t")]
        if columns is None:
            columns = cells
            fits = check_columns(
                columns, reading, path, needed=NEEDED, optional=OWN, line=number, features=True
            )
            if not fits:
                return []
        elif len(cells) != len(columns):
            reading.problem(f"{len(cells)} fields, expected {len(columns)}", path, number)
        else:
            _enter(dict(zip(columns, cells, strict=True)), books, path, number, reading)
    if rows == 1 and not reading.partial:
        refuse_header_only("annotation", reading, path)
    return [(ONLY, book.document()) for book in books.values()]


def _enter(
    row: dict[str, str], books: dict[str, Book], path: Path, number: int, reading: Reading
) -> None:
    document = row["document"]
    if not document:
        reading.problem("the row names no document", path, number)
        return
    start, end = whole_number(row["start"]), whole_number(row["end"])
    if start is None or end is None:
        shown = f"'{row['start'][:20]}' to '{row['end'][:20]}'"
        reading.problem(f"the span is {shown}, expected two whole numbers", path, number)
        return
    score = None
    if row.get("score"):
        score = real_number(row["score"])
        if score is None:
            reading.problem(f"the score is '{row['score'][:40]}', expected a number", path, number)
            return
    book = books.setdefault(document, Book(document, path, reading))
    features: dict[str, FeatureValue] = {
        name: value for name, value in row.items() if name and name not in OWN and value
    }
    book.enter(
        row.get("id") or str(len(book.annotations) + 1),
        row["type"],
        start,
        end,
        features=features,
        score=score,
        group=row.get("set", ""),
        line=number,
    )
