"""Sheets to hand out: who judges which events, and a ready file for each evaluator."""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from chronoscore.core.errors import UsageError
from chronoscore.core.event import Event
from chronoscore.core.reading import Reading
from chronoscore.core.writing import write_file
from chronoscore.rubric.assignment import article_groups, assigned, own_order
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.articles import Article
from chronoscore.rubric.formats.sheets import write_sheet
from chronoscore.rubric.formats.workbooks import (
    fill_sheet,
    library,
    new_workbook,
    put_text,
    save_workbook,
)

Batch = Literal["calibration", "main"]
Form = Literal["xlsx", "csv"]
_COLUMNS = (
    *("event_id", "evaluator", "article_id", "published"),
    *("event_date", "event_type", "event_text"),
)
_WIDTHS = {"event_id": 18.0, "article_id": 16.0, "published": 12.0, "event_date": 12.0}
_WIDTHS |= {"event_type": 14.0, "event_text": 60.0, "text": 100.0, "title": 40.0}


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one evaluator is to judge in one batch, in the order of judging."""

    evaluator: str
    batch: Batch
    events: tuple[Event, ...]


def make_templates(
    events: Sequence[Event],
    articles: Sequence[Article],
    codebook: Codebook,
    evaluators: Sequence[str],
    *,
    overlap: int | None = None,
    calibration: int = 0,
    seed: int = 0,
    reading: Reading,
) -> list[Sheet]:
    """Split events into sheets: a calibration batch for all, and main batches with an overlap.

    The events of an article stay together. The calibration batch takes whole articles, drawn at
    random, until it has at least `calibration` events. Each other article goes to `overlap`
    evaluators (two, if there are two, so that their agreement can be measured), the largest
    articles first and always to those who have least to do, so that two loads differ by no more
    than the largest article; among equals, those who share least so far are put together. The
    same seed gives the same sheets, whatever the order of the input.
    """
    if overlap is None:
        overlap = min(2, len(evaluators))
    _check(events, articles, codebook, evaluators, overlap, calibration, reading)
    dice = random.Random(f"chronoscore/{seed}")  # noqa: S311, RUF100  # no secret
    groups = article_groups(events)
    dice.shuffle(groups)
    first: list[tuple[Event, ...]] = []
    while groups and sum(map(len, first)) < calibration:
        first.append(groups.pop())
    parts = assigned(groups, sorted(evaluators), overlap, dice)
    sheets = []
    for evaluator in sorted(evaluators):
        for batch, held in (("calibration", first), ("main", parts[evaluator])):
            judged = own_order(held, f"{seed}/{batch}/{evaluator}")
            if judged:
                name: Batch = "calibration" if batch == "calibration" else "main"
                sheets.append(Sheet(evaluator, name, judged))
    return sheets


def _check(
    events: Sequence[Event],
    articles: Sequence[Article],
    codebook: Codebook,
    evaluators: Sequence[str],
    overlap: int,
    calibration: int,
    reading: Reading,
) -> None:
    if not codebook.criteria:
        raise UsageError("the codebook has no criteria to judge by")
    if not evaluators or any(not name.strip() for name in evaluators):
        raise UsageError("name at least one evaluator, and none with an empty name")
    files = [_file_name(name) for name in evaluators]
    if len(set(files)) < len(files):
        raise UsageError(f"two evaluators have the same name in files: {', '.join(sorted(files))}")
    if not 1 <= overlap <= len(evaluators):
        raise UsageError(
            f"the overlap is {overlap}, expected 1 to {len(evaluators)}, the number of evaluators"
        )
    if not 0 <= calibration <= len(events):
        raise UsageError(
            f"the calibration batch is {calibration}, expected 0 to {len(events)} events"
        )
    if not events:
        reading.problem("there are no events to judge")
    seen: set[str] = set()
    for event in events:
        if event.id in seen:
            reading.problem(
                f"event id '{event.id}' is used twice: judgements could not be told apart",
                code="duplicate",
                field="event_id",
            )
        seen.add(event.id)
    known = {article.id for article in articles}
    absent = sorted({event.article for event in events if event.article} - known)
    if articles and absent:
        reading.notice(f"{len(absent)} articles of events are not given: {', '.join(absent)}")
    reading.check()


def _file_name(evaluator: str) -> str:
    return re.sub(r"[^\w.-]+", "_", evaluator.strip()).strip(".").lower() or "_"


def write_templates(
    sheets: Iterable[Sheet],
    folder: Path,
    codebook: Codebook,
    articles: Sequence[Article] = (),
    *,
    form: Form = "xlsx",
) -> list[Path]:
    """Write a file for each sheet, named `EVALUATOR-BATCH`.

    A workbook has the guidance and the articles beside the sheet, and a list to choose from for
    each criterion. With CSV the guidance is in `guidance.md`, once. Nothing is written where one
    of the files exists.
    """
    known = {article.id: article for article in articles}
    named = {folder / f"{_file_name(one.evaluator)}-{one.batch}.{form}": one for one in sheets}
    for path in named:
        if path.exists():
            raise UsageError(
                f"{path} exists, and sheets are not overwritten: choose another folder"
            )
    if form == "xlsx":
        library()
    else:
        _keep_guidance(folder / "guidance.md", codebook)
    for path, sheet in named.items():
        header, rows = _table(sheet, codebook, known)
        if form == "xlsx":
            shown = {event.article for event in sheet.events}
            _workbook(path, header, rows, codebook, [a for a in articles if a.id in shown])
        else:
            write_sheet(path, header, rows, mark=True)
    if form == "xlsx":
        return [*named]
    return [*named, write_file(folder / "guidance.md", guidance(codebook))]


def _keep_guidance(path: Path, codebook: Codebook) -> None:
    """Refuse to overwrite guidance that is not this codebook's."""
    if path.is_file() and path.read_bytes() != guidance(codebook).encode():
        raise UsageError(f"{path} is not the guidance of this codebook: choose another folder")


def _table(
    sheet: Sheet, codebook: Codebook, articles: dict[str, Article]
) -> tuple[list[str], list[list[str | int]]]:
    fields = [criterion.field for criterion in codebook.criteria]
    rows: list[list[str | int]] = []
    for event in sheet.events:
        article = articles.get(event.article)
        published = article.published if article else ""
        told = [event.id, sheet.evaluator, event.article, published]
        told += [event.date or "", event.type, event.text]
        rows.append([*told, *([""] * len(fields)), ""])
    return [*_COLUMNS, *fields, codebook.comment], rows


def _workbook(
    path: Path,
    header: Sequence[str],
    rows: Sequence[Sequence[str | int]],
    codebook: Codebook,
    articles: Sequence[Article],
) -> None:
    book, sheet = new_workbook("Judgements")
    from openpyxl.utils import get_column_letter  # noqa: PLC0415  # an extra
    from openpyxl.worksheet.datavalidation import DataValidation  # noqa: PLC0415

    fill_sheet(sheet, header, rows, {**_WIDTHS, codebook.comment: 40})
    for criterion in codebook.criteria:
        letter = get_column_letter(header.index(criterion.field) + 1)
        choices = ",".join(map(str, criterion.allowed))
        meaning = "\n".join(f"{level.value}: {level.label}" for level in criterion.values)
        rule = DataValidation(
            type="list",
            formula1=f'"{choices}"',
            allow_blank=True,
            showErrorMessage=True,
            errorTitle=criterion.field[:32],
            error=f"Choose one of {choices}"[:255],
            showInputMessage=True,
            promptTitle=criterion.field[:32],
            prompt=meaning[:255],
        )
        rule.add(f"{letter}2:{letter}{len(rows) + 1}")
        sheet.add_data_validation(rule)
    help_sheet = book.create_sheet("Guidance")
    help_sheet.column_dimensions["A"].width = 120
    for number, line in enumerate(guidance(codebook).splitlines(), 1):
        put_text(help_sheet, number, 1, line)
    if articles:
        beside: Any = book.create_sheet("Articles")
        texts = [[a.id, a.published, a.title, part] for a in articles for part in _parts(a.text)]
        fill_sheet(beside, ["article_id", "published", "title", "text"], texts, _WIDTHS)
    save_workbook(book, path)


def _parts(text: str) -> list[str]:
    """A long text goes over several cells, since one holds no more than 32,767 characters."""
    return [text[at : at + 4_000] for at in range(0, max(1, len(text)), 4_000)]


def guidance(codebook: Codebook) -> str:
    """Write all that a codebook says to evaluators, as Markdown."""
    parts = [f"# {codebook.title}", "", f"{codebook.name} {codebook.version}", ""]
    if codebook.purpose:
        parts += [codebook.purpose, ""]
    for criterion in codebook.criteria:
        parts += [f"## {criterion.title or criterion.name}: `{criterion.field}`", ""]
        parts += [criterion.question, ""]
        for level in sorted(criterion.values, key=lambda level: level.value):
            name = f"{level.name}: " if level.name else ""
            parts.append(f"- **{level.value}** {name}{level.label}")
        parts.append("")
        for note in criterion.guidance:
            parts += [f"*{note.kind.title()}.* {note.text}", ""]
    parts += [f"## The score: {codebook.score}", ""]
    parts += [line for text in codebook.score_guidance for line in (text, "")]
    parts += [f"## Comments: `{codebook.comment}`", ""]
    if codebook.comment_guidance:
        parts += [codebook.comment_guidance, ""]
    parts += [f"- `{chip.key}` {chip.text}" for chip in codebook.chips]
    parts += [""] * bool(codebook.chips)
    if codebook.guidelines:
        parts += ["## In general", "", *(f"- {text}" for text in codebook.guidelines), ""]
    if codebook.calibration:
        parts += ["## Calibration", "", codebook.calibration, ""]
    parts.append(f"Source: {codebook.source}.")
    return "\n".join(parts) + "\n"
