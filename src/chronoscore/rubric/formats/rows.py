"""Rows of any file: what each column is, and the judgement that a row makes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

from chronoscore.core.columns import check_columns
from chronoscore.core.reading import NUL, Reading
from chronoscore.core.records import as_json
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook, folded
from chronoscore.rubric.judgement import Judgement, Kind, Source, check_values, round_name


@dataclass(frozen=True, slots=True)
class Row:
    """What one row says by field, and where it stands."""

    values: Mapping[str, object]
    path: Path
    line: int | None = None
    where: str = ""
    """Where in the file, if a line does not say it: a task, or a sheet."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The letters of each field's column, in a workbook."""

    def place(self, name: str = "") -> str:
        """How a message begins: `Sheet!E5: ` for a cell, `task 3: ` elsewhere."""
        if name in self.columns:
            return f"{self.where}!{self.columns[name]}{self.line}: "
        if self.columns:
            return f"{self.where}!{self.line}: "
        return f"{self.where}: " if self.where else ""

    def told(self) -> str:
        """The place as other messages name it."""
        if self.line is None or self.where:
            return self.place().removesuffix(": ")
        return f"line {self.line}"


def known_columns(codebook: Codebook) -> dict[str, str]:
    """The proper name of every column by its folded one."""
    criteria = (criterion.field for criterion in codebook.criteria)
    return {folded(name): name for name in (*criteria, codebook.comment, *TEXT_FIELDS)}


def header_names(
    cells: Sequence[str],
    codebook: Codebook,
    path: Path,
    reading: Reading,
    evaluator: str | None,
    where: str = "",
) -> list[str] | None:
    """Give each column its proper name, whatever its case and spacing; say which were changed."""
    known = known_columns(codebook)
    criteria = [criterion.field for criterion in codebook.criteria]
    header = [known.get(folded(cell), cell.strip()) for cell in cells]
    changed = [f"'{a}' as {b}" for a, b in zip(cells, header, strict=True) if a != b]
    if changed:
        reading.notice(f"{where}columns are read: {', '.join(changed)}", path)
    needed = ["event_id", *criteria, *([] if evaluator else ["evaluator"])]
    fits = check_columns(
        header,
        reading,
        path,
        needed=needed,
        optional=[*known.values()],
        where=where,
        hints={"evaluator": " (or name the evaluator with --evaluator)"},
    )
    return header if fits else None


def judgement_of(
    row: Row, codebook: Codebook, reading: Reading, source: Source, evaluator: str | None
) -> Judgement | None:
    """Make the judgement of a row, or note all that is wrong with it.

    A row of a sheet whose criteria and comment are all blank was handed out and not judged yet:
    it is refused, or left out when reading leniently.
    """
    texts, wrong = _texts(row, source)
    names = (*(criterion.field for criterion in codebook.criteria), codebook.comment)
    given = dict(row.values) if source == "json" else {n: row.values.get(n) for n in names}
    if source == "csv":
        given[codebook.comment] = as_text(given[codebook.comment])
        if all(_blank(given[name]) for name in names) and texts["event_id"]:
            message = f"{row.place()}event '{texts['event_id']}' is not judged yet"
            reading.doubt(message, row.path, row.line)
            return None
    values, problems = check_values(given, codebook, source)
    found = [(problem.message, problem.code, problem.field) for problem in problems]
    who, event = texts["evaluator"] or evaluator or "", texts["event_id"]
    kind = texts["evaluator_kind"] or "person"
    if kind not in get_args(Kind):
        wrong.append(
            (
                f"evaluator_kind must be person or llm, got '{kind}'",
                "out_of_range",
                "evaluator_kind",
            )
        )
    refused = {name for _, _, name in wrong}
    for name, value in (("event_id", event), ("evaluator", who)):
        if not value and name not in refused:
            wrong.append((f"{name} is empty", "missing", name))
    for message, code, name in (*found, *wrong):
        reading.problem(f"{row.place(name)}{message}", row.path, row.line, code=code, field=name)
    if found or wrong:
        return None
    return Judgement(
        event=event,
        evaluator=who,
        values=values,
        round=round_name(texts["round"]),
        system=texts["system"],
        article=texts["article_id"],
        type=texts["event_type"],
        comment=str(given.get(codebook.comment) or ""),
        date=texts["event_date"],
        text=texts["event_text"],
        kind="llm" if kind == "llm" else "person",
    )


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _texts(row: Row, source: Source) -> tuple[dict[str, str], list[tuple[str, str, str]]]:
    """The fields that are text; JSON must have them as text, cells may be numbers and days."""
    texts, wrong = dict.fromkeys(TEXT_FIELDS, ""), []
    for name in TEXT_FIELDS:
        value = row.values.get(name)
        text = as_text(value) if source == "csv" else value
        if text is None:
            continue
        if isinstance(text, str) and "\0" in text:
            wrong.append((f"{name} {NUL}", "wrong_type", name))
        elif isinstance(text, str):
            texts[name] = text if name == "event_text" else text.strip()
        else:
            wrong.append((f"{name} must be text, got {as_json(value)}", "wrong_type", name))
    return texts, wrong


def as_text(value: object) -> object:
    """What a cell shows: 17 for 17.0, and a day for its midnight."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float | time) and not isinstance(value, bool):
        return str(value)
    return value


def sort_unknown(
    names: Iterator[str] | Sequence[str], codebook: Codebook
) -> tuple[list[str], list[str]]:
    """Part unknown fields into those that look like a misspelt criterion, and all others.

    Exports of annotation tools hold much that is not ours, so only the former are mistakes.
    """
    fields = [criterion.field for criterion in codebook.criteria]
    misspelt: list[str] = []
    others: list[str] = []
    for name in names:
        (misspelt if get_close_matches(name, fields, n=1, cutoff=0.8) else others).append(name)
    return misspelt, others
