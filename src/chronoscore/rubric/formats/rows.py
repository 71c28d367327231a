"""Rows of any file: the field of each column, and the judgement of each row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from difflib import get_close_matches
from functools import cached_property
from typing import Any, get_args

from chronoscore.core.problems import Problems
from chronoscore.core.records import check_columns, misspelt, real_number
from chronoscore.core.sources import Source
from chronoscore.errors import Problem
from chronoscore.rubric import judgements
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook, Criterion, event_quality, folded
from chronoscore.rubric.judgements import ROW_FIELDS, Judgement, Kind, Layout

Values = Mapping[str, object]
"""Values by field."""


@dataclass(frozen=True, slots=True)
class JudgementRow:
    """The values of one row by field, and its place."""

    values: Values
    source: Source
    line: int | None = None
    where: str = ""
    """The task or the sheet, if the line alone does not identify the place."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The letters of each field's column, in a workbook."""
    layout: Layout = "csv"
    """How its values are written."""

    def place(self, name: str = "") -> str:
        """Return the beginning of a message: `Sheet!E5: ` for a cell, `task 3: ` elsewhere."""
        if name in self.columns:
            return f"{self.where}!{self.columns[name]}{self.line}: "
        if self.columns:
            return f"{self.where}!{self.line}: "
        return f"{self.where}: " if self.where else ""

    def seen_from(self, other: "JudgementRow") -> str:
        """Return the place of this row as a message about `other` names it."""
        same = self.source is other.source
        if self.line is None or self.where:
            where = self.place().removesuffix(": ")
            return where if same else f"{self.source}, {where}"
        if same:
            return self.source.refer(self.line, other.line)
        return "{}:{}".format(*self.source.place(self.line))

    def report(self, problems: Problems, message: str, code: str = "", name: str = "") -> None:
        """Report a problem with the row, or with one of its fields."""
        text = f"{self.place(name)}{message}"
        problems.problem(text, self.source, self.line, code=code, field=name)


@dataclass(frozen=True, eq=False)
class RowReader:
    """Reads rows by a codebook, and reports what is wrong with them."""

    codebook: Codebook
    problems: Problems
    evaluator: str | None = None
    """The author of rows that name none."""
    left_out: Counter[str] = field(default_factory=Counter)
    """What was not read of the exported file at hand, counted by its message."""

    @cached_property
    def criteria(self) -> dict[str, Criterion]:
        """The criteria by field."""
        return {criterion.field: criterion for criterion in self.codebook.criteria}

    @cached_property
    def columns(self) -> dict[str, str]:
        """The proper name of every column by its folded name."""
        names = (*self.criteria, self.codebook.comment, *TEXT_FIELDS)
        return {folded(name): name for name in names}

    def proper(self, name: str) -> str:
        """Return the proper name of a column, whatever its case and spacing.

        An unknown name is returned unchanged.
        """
        return self.columns.get(folded(name), name)

    def is_judged(self, names: Iterable[str]) -> bool:
        """Whether an evaluator or a criterion is among the names of some fields."""
        return any(self.proper(name) in ("evaluator", *self.criteria) for name in names)

    def refuse_others(self, source: Source, where: str = "") -> None:
        """Report in one problem that nothing in a file has the fields of a judgement."""
        similar = " such as demo/judgements.csv" if self.codebook == event_quality() else ""
        self.problems.problem(
            f"{where}these are not judgements: there is no evaluator and no value of a criterion, "
            f"such as {next(iter(self.criteria))}; expected a file of judgements{similar}",
            source,
        )

    def header(self, cells: Sequence[str], source: Source, where: str = "") -> list[str] | None:
        """Name the columns of a header and report changed names; None if rows can't be read."""
        header = [self.columns.get(folded(cell), cell.strip()) for cell in cells]
        fields = ("event_id", "evaluator", *self.criteria)
        if not self.is_judged(header) and not misspelt(header, fields):
            self.refuse_others(source, where)
            return None
        changed = [f"'{a}' as {b}" for a, b in zip(cells, header, strict=True) if a != b]
        if changed:
            self.problems.notice(f"{where}columns are read: {', '.join(changed)}", source)
        readable = check_columns(
            header,
            self.problems,
            source,
            needed=["event_id", *self.criteria, *([] if self.evaluator else ["evaluator"])],
            optional=[*self.columns.values()],
            where=where,
            hints={"evaluator": " (or name the evaluator with --evaluator)"},
        )
        return header if readable else None

    def event_fields(self, *records: Any) -> dict[str, object]:
        """Return the text fields of records; a later record overrides an earlier one."""
        return {
            self.proper(name): as_text(value)
            for record in records
            if isinstance(record, Mapping)
            for name, value in record.items()
            if self.proper(name) in TEXT_FIELDS
        }

    def level(self, name: str, value: object) -> object:
        """Return the number of the level that a text names by number, label or name.

        Any other value is returned unchanged.
        """
        if not isinstance(value, str) or name not in self.criteria:
            return value
        number = real_number(value)
        if number is not None:
            return number
        text = value.strip().casefold()
        for level in self.criteria[name].values:
            if text in (level.label.casefold(), level.name.casefold()):
                return level.value
        return value

    def answers(
        self, row: JudgementRow, event: Values, answers: Values, unread: str
    ) -> JudgementRow:
        """Return the row of a person's answers about an event, from an annotation tool.

        Exports of annotation tools hold many other fields. A field that looks like a misspelt
        criterion is kept, and so reported; any other is left out and counted as `unread`.
        """
        values = dict(event)
        for name, value in answers.items():
            is_column = name in self.columns.values()
            if is_column or get_close_matches(name, self.criteria, n=1, cutoff=0.8):
                values[name] = value
            else:
                self.left_out[unread.format(name)] += 1
        return replace(row, values=values)

    def judgement(self, row: JudgementRow) -> Judgement | None:
        """Make the judgement of a row, or report everything that is wrong with it.

        A row of a sheet whose criteria and comment are all blank is not judged yet: it is refused,
        or left out when reading leniently.
        """
        texts, wrong = _texts(row)
        comment = self.codebook.comment
        if row.layout == "csv":
            values = {name: row.values.get(name) for name in (*self.criteria, comment)}
            values[comment] = as_text(values[comment])
            if all(map(_blank, values.values())) and texts["event_id"]:
                message = f"{row.place()}event '{texts['event_id']}' is not judged yet"
                self.problems.accept_or_report(message, row.source, row.line)
                return None
        else:
            values = dict(row.values)
        numbers, misfits = judgements.check_values(values, self.codebook, row.layout)
        texts["evaluator"] = texts["evaluator"] or self.evaluator or ""
        kind = texts["evaluator_kind"] = texts["evaluator_kind"] or "person"
        if kind not in get_args(Kind):
            message = f"evaluator_kind must be person or llm, got '{kind}'"
            wrong.append(Problem(message, code="out_of_range", field="evaluator_kind"))
        refused = {problem.field for problem in wrong}
        for name in ("event_id", "evaluator"):
            if not texts[name] and name not in refused:
                wrong.append(Problem(f"{name} is empty", code="missing", field=name))
        for problem in (*misfits, *wrong):
            row.report(self.problems, problem.message, problem.code, problem.field)
        if misfits or wrong:
            return None
        texts["round"] = judgements.round_name(texts["round"])
        words: dict[str, Any] = {name: texts[field] for name, field in ROW_FIELDS.items()}
        return Judgement(values=numbers, comment=str(values.get(comment) or ""), **words)


def _blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _texts(row: JudgementRow) -> tuple[dict[str, str], list[Problem]]:
    """Return the text fields and their problems; only cells may be numbers or days."""
    texts, wrong = dict.fromkeys(TEXT_FIELDS, ""), []
    for name in TEXT_FIELDS:
        value = row.values.get(name)
        text = as_text(value) if row.layout == "csv" else value
        if reason := judgements.text_problem(text):
            wrong.append(Problem(f"{name} {reason}", code="wrong_type", field=name))
        elif isinstance(text, str):
            texts[name] = text if name == "event_text" else text.strip()
    return texts, wrong


def as_text(value: object) -> object:
    """Return the text that a cell shows: 17 for 17.0, and a day for its midnight."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float | time) and not isinstance(value, bool):
        return str(value)
    return value
