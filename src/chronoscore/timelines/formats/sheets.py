"""Timelines in sheets: a row a summary, with columns date and summary, and perhaps topic."""

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from chronoscore.core.collection import ONLY
from chronoscore.core.columns import check_columns, refuse_header_only
from chronoscore.core.reading import Reading
from chronoscore.timelines.formats.days import DayBook, Policies, said
from chronoscore.timelines.formats.structured import Found

COLUMNS = ("topic", "timeline", "date", "summary")
_NEEDED = ("date", "summary")


def read_sheet(path: Path, topic: str, reading: Reading, policies: Policies) -> Iterator[Found]:
    """Read CSV or TSV; the separator is told by the header."""
    lines = (f"{line}\n" for _, line in reading.lines(path))
    head = next(lines, None)
    if head is None:
        return
    rows = csv.reader(chain([head], lines), delimiter=max(",;\t", key=head.count), strict=True)
    books: dict[tuple[str, str], DayBook] = {}
    with_topic, without_topic = False, []
    try:
        header = [cell.strip().lower() for cell in next(rows)]
        if not check_columns(header, reading, path, needed=_NEEDED, optional=COLUMNS):
            return
        empty = True
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            empty = False
            if len(row) != len(header):
                reading.problem(
                    f"the row has {len(row)} cells, the header {len(header)}; is the file cut?",
                    path,
                    rows.line_num,
                )
                continue
            cells = dict(zip(header, row, strict=True))
            own = cells.get("topic", "").strip()
            if own:
                with_topic = True
            else:
                without_topic.append(rows.line_num)
            key = (own or topic, cells.get("timeline", "") or ONLY)
            book = books.setdefault(key, DayBook(path, reading, policies))
            day = book.period(cells["date"], rows.line_num)
            if day is not None:
                book.enter(day, said(cells["summary"]))
        if empty:
            refuse_header_only("row", reading, path)
    except csv.Error as error:
        reading.problem(f"not a readable sheet: {error}; is the file cut?", path, rows.line_num)
    for line in without_topic if with_topic else ():
        reading.problem("there is no 'topic', and other rows have one", path, line)
    for (name_of_topic, name), book in books.items():
        book.tell_repeats()
        yield name_of_topic, name, book.timeline(), path
