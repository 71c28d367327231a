"""CSV and TSV: a row is a date and a text, or all dates of one gold.

The first row names the columns. Where events are read it need not: see `Sheet._has_header`.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain

from chronoscore.core.problems import Problems
from chronoscore.core.records import (
    check_columns,
    real_number,
    refuse_header_only,
    sheet_problem,
)
from chronoscore.core.sources import Source
from chronoscore.elements.dated.lists import listed
from chronoscore.elements.dated.values import (
    DATES_ONLY,
    LANGUAGE,
    DatedEntry,
    Policies,
    count_language,
)
from chronoscore.elements.time import Time, TimeError

COLUMNS = ("topic", "timeline", "date", "summary")
"""The columns of a CSV or TSV file; the last two are needed."""
_SYNONYMS = {
    "date": ("date", "time"),
    "text": ("summary", "sentences", "update", "text", "event"),
}
"""By meaning, the names of columns that have it, the first that is there counts."""
_CANONICAL = {"date": "date", "text": "summary"}
_LISTS = "sentences"
"""The column whose cells may be lists of sentences."""
_LIST_BEGINS = re.compile(r"""\s*"?\[\s*["'\[]""")
"""How a list of texts begins, whole or not; `[sic] he said` does not."""
Row = tuple[int, dict[str, str]]


def looks_like_timelines(head: str) -> bool:
    """Whether the header of a sheet has columns for dates and texts.

    >>> looks_like_timelines("Date,Update"), looks_like_timelines("event_id,evaluator")
    (True, False)
    """
    columns = {cell.strip(' "').lower() for cell in head.split(max(",;\t", key=head.count))}
    texts = (*_SYNONYMS["text"], "timeline")
    return not columns.isdisjoint(_SYNONYMS["date"]) and not columns.isdisjoint(texts)


class Sheet:
    """One CSV or TSV file, read under the policies of its role."""

    def __init__(self, source: Source, topic: str, problems: Problems, policies: Policies) -> None:
        self.source = source
        self.topic = topic
        self.problems = problems
        self.policies = policies
        self.columns: list[str] = []
        """The names of the columns, as the header has them."""
        self.text_column = ""
        """The name of the column of texts."""

    def entries(self) -> Iterator[DatedEntry]:
        """Yield the entries of all rows; a file that can't be read has none."""
        rows = self._rows()
        if rows is None:
            return
        if not rows:
            refuse_header_only("row", self.problems, self.source)
        dates = [listed(cells["date"]) for _, cells in rows]
        if any(several is not None for several in dates):
            yield from self._dates_only(rows, dates)
        elif not self._refuses_text_column(rows) and not self._refuses_numbers(rows):
            self._check_topics(rows)
            for line, cells in rows:
                yield DatedEntry(
                    *self._names(cells, line), cells["date"], self._texts(cells, line), line
                )

    def _rows(self) -> list[Row] | None:
        """Return the rows by canonical names of columns; the header's separator divides cells."""
        problems, source = self.problems, self.source
        lines = (f"{line}\n" for _, line in source.lines(problems))
        head = next(lines, None)
        if head is None:
            return None
        has_header = self._has_header(head)
        delimiter = max(",;\t", key=head.count)
        if not has_header and (usual := "\t" if source.suffix == ".tsv" else ",") in head:
            delimiter = usual  # an event may have any number of the others
        reader = csv.reader(chain([head], lines), delimiter=delimiter, strict=True)
        rows: list[Row] = []
        begin = 1
        try:
            first = next(reader)
            self.columns = [cell.strip().lower() for cell in first]
            header = self._header(self.columns.copy()) if has_header else self._unnamed(first)
            if header is None:
                return None
            begin = reader.line_num + 1
            for row in chain([] if has_header else [first], reader):
                begin = reader.line_num + 1
                if not any(cell.strip() for cell in row):
                    continue
                if len(row) != len(header):
                    of_first = "header" if has_header else "first row"
                    problems.problem(
                        f"the row has {len(row)} cells, the {of_first} {len(header)}; is the file "
                        "cut?",
                        source,
                        reader.line_num,
                    )
                rows.append((reader.line_num, dict(zip(header, row, strict=False))))
        except csv.Error as error:
            problems.problem(sheet_problem(error), source, begin)
            return None
        whole = [row for row in rows if len(row[1]) == len(header)]
        return whole or None if rows else rows

    def _has_header(self, head: str) -> bool:
        """Whether the first row names the columns: as the user says, or if it has known names."""
        if self.policies.header == "auto":
            return bool(self.policies.columns) or looks_like_timelines(head.strip())
        return self.policies.header == "yes"

    def _unnamed(self, first: Sequence[str]) -> list[str] | None:
        """Return names for the columns of a file without a header: an event, then its time."""
        if len(first) < 2:
            message = "the row has 1 cell, expected an event and its time"
            self.problems.problem(message, self.source, 1)
            return None
        lenient = self.problems.options.lenient
        if self.policies.header == "auto" and not lenient and not re.search("[0-9]", first[1]):
            names = ", ".join(self.columns)
            self.problems.problem(
                f"the first row ({names}) names no known columns, and '{first[1].strip()}' is no "
                "time: --column text=NAME and --column date=NAME say what the columns of a header "
                "are, --header no reads an event",
                self.source,
                1,
            )
            return None
        if len(first) > 2:
            self.problems.notice("columns after the second are not read", self.source)
        self.text_column = "event"
        return ["summary", "date", *(f"column {at}" for at in range(3, len(first) + 1))]

    def _header(self, header: list[str]) -> list[str] | None:
        """Return the canonical names of the columns; None if dates or texts have none."""
        for meaning, names in _SYNONYMS.items():
            chosen = self.policies.columns.get(meaning, "")
            if chosen and chosen not in header:
                self.problems.problem(
                    f"there is no column '{chosen}' (--column {meaning}={chosen}); there are: "
                    f"{', '.join(header)}",
                    self.source,
                )
                return None
            known = names if not chosen else (chosen,)
            column = next((name for name in known if name in header), "")
            if chosen and _CANONICAL[meaning] in header and chosen != _CANONICAL[meaning]:
                header[header.index(_CANONICAL[meaning])] = f"{_CANONICAL[meaning]} (not chosen)"
            if column and header.count(column) == 1:
                header[header.index(column)] = _CANONICAL[meaning]
            if meaning == "text":
                self.text_column = column
        # Rows of dates in lists need no column of texts; all their text is the 'timeline'.
        needed = COLUMNS[2:3] if {"date", "timeline"} == {*header} else COLUMNS[2:]
        hints = {
            _CANONICAL[meaning]: f" ({', '.join(names)}; --column {meaning}=NAME names another)"
            for meaning, names in _SYNONYMS.items()
        }
        optional = (*COLUMNS, LANGUAGE)
        is_good = check_columns(
            header,
            self.problems,
            self.source,
            needed=needed,
            optional=optional,
            hints=hints,
            written=self.columns,
        )
        return header if is_good else None

    def _dates_only(
        self, rows: Sequence[Row], dates: Sequence[list[str] | None]
    ) -> Iterator[DatedEntry]:
        """Yield the dates of rows that have them in a list, each row a timeline."""
        number = 0
        for (line, cells), several in zip(rows, dates, strict=True):
            if several == []:
                continue
            number += 1
            topic, _ = self._names(cells, line)
            for written in several or [cells["date"]]:
                yield DatedEntry(topic, str(number), written, "", line)
        if number:
            message = "{count} timeline{s} with all dates in one cell: only the dates are read"
            self.problems.count(message, (), self.source, count=number)
            fact = (DATES_ONLY, self.policies.role, self.source.name)
            self.problems.facts[fact] += number

    def _refuses_text_column(self, rows: Sequence[Row]) -> bool:
        """Report that no column has the texts of rows with one date each."""
        if rows and not self.text_column:
            names = ", ".join(self.columns)
            message = f"no column has texts; there are: {names}; --column text=NAME names one"
            line = next((line for line, row in rows if _LIST_BEGINS.match(row["date"])), None)
            if line is not None:
                message = "the list of dates is cut, or not all its dates are in quotes"
            self.problems.problem(message, self.source, line)
        return not self.text_column

    def _refuses_numbers(self, rows: Sequence[Row]) -> bool:
        """Report once that times are numbers, and no dates."""
        cells = [cell for _, row in rows if (cell := row["date"].strip())]
        if self.policies.rules.unit or not all(real_number(cell) is not None for cell in cells):
            return False
        odd = next((cell for cell in cells if not _is_time(cell)), None)
        if odd is None:
            return False
        self.problems.problem(
            f"the times are numbers, such as '{odd}', and no dates: --time-unit hour reads them "
            "as hours from a beginning, other units likewise",
            self.source,
        )
        return True

    def _check_topics(self, rows: Sequence[Row]) -> None:
        without = [line for line, cells in rows if not cells.get("topic", "").strip()]
        if len(without) < len(rows):
            for line in without:
                message = "there is no 'topic', and other rows have one"
                self.problems.problem(message, self.source, line)

    def _names(self, cells: dict[str, str], line: int) -> tuple[str, str]:
        topic = cells.get("topic", "").strip() or self.topic
        language = cells.get(LANGUAGE, "").strip()
        count_language(topic, language, self.policies.role, self.problems, self.source, line)
        return topic, cells.get("timeline", "")

    def _texts(self, cells: dict[str, str], line: int) -> str | Sequence[str]:
        text = cells["summary"]
        several = listed(text) if self.text_column == _LISTS else None
        if several is None and self.text_column == _LISTS and _LIST_BEGINS.match(text):
            message = "the list of sentences is cut, or not all are in quotes: it would be one text"
            self.problems.accept_or_report(message, self.source, line)
        return text if several is None else several


def _is_time(text: str) -> bool:
    try:
        Time.parse(text)
    except TimeError:
        return False
    return True
