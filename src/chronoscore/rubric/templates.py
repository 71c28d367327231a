"""Sheets to hand out: who judges which events, and a ready file for each evaluator."""

import hashlib
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Literal

import msgspec

from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.writing import write_file
from chronoscore.elements.articles import Article
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook, Level, Note, criterion_lines
from chronoscore.rubric.formats.sheets import SheetTable, write_sheet
from chronoscore.rubric.formats.workbooks import (
    fill_sheet,
    library,
    new_workbook,
    put_text,
    save_workbook,
)

Form = Literal["xlsx", "csv"]
_COLUMNS = (
    *("event_id", "evaluator", "article_id", "published"),
    *("event_date", "event_type", "event_text"),
)
_WIDTHS = {"event_id": 18.0, "article_id": 16.0, "published": 12.0, "event_date": 12.0}
_WIDTHS |= {"event_type": 14.0, "event_text": 60.0, "text": 100.0, "title": 40.0}


Group = tuple[Event, ...]
"""The events of an article, which are judged together."""


@dataclass(frozen=True, slots=True)
class EvaluatorSheet:
    """The events that one evaluator judges in one batch, in the order of judging."""

    evaluator: str
    batch: Literal["calibration", "main"]
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
    problems: Problems,
) -> list[EvaluatorSheet]:
    """Split events into sheets: a calibration batch for all, and main batches with an overlap.

    The events of an article stay together. The calibration batch takes whole articles, drawn at
    random, until it has at least `calibration` events. Each other article goes to `overlap`
    evaluators (two, if there are two, so that their agreement can be measured), the largest
    articles first and always to those who have least to do, so that two loads differ by no more
    than the largest article; among equals, those who share least so far are put together. The
    same seed gives the same sheets, whatever the order of the input.
    """
    if not codebook.criteria:
        raise UsageError("the codebook has no criteria to judge by")
    _check_evaluators(evaluators)
    if overlap is None:
        overlap = min(2, len(evaluators))
    if not 1 <= overlap <= len(evaluators):
        most = f"{len(evaluators)}, the number of evaluators"
        raise UsageError(f"the overlap is {overlap}, expected 1 to {most}")
    if not 0 <= calibration <= len(events):
        most = f"{len(events)} events"
        raise UsageError(f"the calibration batch is {calibration}, expected 0 to {most}")
    _check_events(events, articles, problems)
    dice = random.Random(f"chronoscore/{seed}")  # noqa: S311, RUF100  # no secret
    groups = article_groups(events)
    dice.shuffle(groups)
    first: list[tuple[Event, ...]] = []
    while groups and sum(map(len, first)) < calibration:
        first.append(groups.pop())
    main = assign_groups(groups, sorted(evaluators), overlap, dice)
    sheets = []
    for evaluator in sorted(evaluators):
        for batch, batch_groups in (("calibration", first), ("main", main[evaluator])):
            ordered = shuffled_events(batch_groups, f"{seed}/{batch}/{evaluator}")
            sheets.append(EvaluatorSheet(evaluator, batch, ordered))  # type: ignore[arg-type]
    return [sheet for sheet in sheets if sheet.events]


def article_groups(events: Sequence[Event]) -> list[Group]:
    """Group events by article, in the order of dates; one without an article is its own group."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in sorted(events, key=lambda event: event.id):
        key = (event.article, "") if event.article else ("", event.id)
        groups.setdefault(key, []).append(event)

    def order(event: Event) -> tuple[str, int, str]:
        return event.date or "9999", event.position or 0, event.id

    return [tuple(sorted(group, key=order)) for _, group in sorted(groups.items())]


def assign_groups(
    groups: Sequence[Group], evaluators: Sequence[str], overlap: int, dice: random.Random
) -> dict[str, list[Group]]:
    """Give each article to `overlap` evaluators, the largest first, to those with least to do.

    Among equals, those who share least so far are put together. Two loads differ by no more than
    the largest article.
    """
    assigned: dict[str, list[Group]] = {name: [] for name in evaluators}
    load = dict.fromkeys(evaluators, 0)
    shared = {frozenset(pair): 0 for pair in combinations(evaluators, 2)}
    for group in sorted(groups, key=len, reverse=True):  # stable: equals stay shuffled
        chosen: list[str] = []

        def busy(name: str, others: Sequence[str] = chosen) -> tuple[int, int]:
            return load[name], sum(shared[frozenset((name, other))] for other in others)

        while len(chosen) < overlap:
            free = [name for name in evaluators if name not in chosen]
            dice.shuffle(free)
            chosen.append(min(free, key=busy))
        for name in chosen:
            assigned[name].append(group)
            load[name] += len(group)
        for pair in combinations(chosen, 2):
            shared[frozenset(pair)] += len(group)
    return assigned


def shuffled_events(groups: Sequence[Group], seed: str) -> Group:
    """Shuffle one evaluator's articles, and the events within each article.

    Every evaluator has another order, so that no event comes late for all of them. Shuffling
    starts from an order by digest: ids and the order of the input often reveal which system an
    event is from, and whoever knows the seed could otherwise undo the shuffle.
    """
    dice = random.Random(f"chronoscore/{seed}")
    order = sorted((sorted(group, key=_digest) for group in groups), key=lambda g: _digest(g[0]))
    dice.shuffle(order)
    return tuple(event for group in order for event in dice.sample(group, len(group)))


def _digest(event: Event) -> tuple[str, str]:
    content = msgspec.json.encode(msgspec.structs.replace(event, id=""))
    return hashlib.sha256(content).hexdigest(), event.id


def _check_evaluators(evaluators: Sequence[str]) -> None:
    if not evaluators or any(not name.strip() for name in evaluators):
        raise UsageError("name at least one evaluator, and none with an empty name")
    files = [_file_name(name) for name in evaluators]
    if len(set(files)) < len(files):
        names = ", ".join(sorted(files))
        raise UsageError(f"two evaluators have the same name in files: {names}; rename one of them")


def _check_events(events: Sequence[Event], articles: Sequence[Article], problems: Problems) -> None:
    if not events:
        problems.problem("there are no events to judge")
    for name, times in Counter(event.id for event in events).items():
        message = f"event id '{name}' is used twice: judgements could not be told apart"
        for _ in range(times - 1):
            problems.problem(message, code="duplicate", field="event_id")
    article_ids = {article.id for article in articles}
    missing = sorted({event.article for event in events if event.article} - article_ids)
    if articles and missing:
        problems.notice(f"{len(missing)} articles of events are not given: {', '.join(missing)}")
    problems.check()


def _file_name(evaluator: str) -> str:
    return re.sub(r"[^\w.-]+", "_", evaluator.strip()).strip(".").lower() or "_"


def write_templates(
    sheets: Iterable[EvaluatorSheet],
    folder: Path,
    codebook: Codebook,
    articles: Sequence[Article] = (),
    *,
    form: Form = "xlsx",
) -> list[Path]:
    """Write a file for each sheet, named `EVALUATOR-BATCH`.

    A workbook has the guidance and the articles on further sheets, and a list to choose from for
    each criterion. With CSV the guidance is in one file, `guidance.md`. Nothing is written if any
    of the files exists.
    """
    by_id = {article.id: article for article in articles}
    sheets_by_path = {
        folder / f"{_file_name(sheet.evaluator)}-{sheet.batch}.{form}": sheet for sheet in sheets
    }
    for path in filter(Path.exists, sheets_by_path):
        raise UsageError(f"{path} exists, and sheets are not overwritten: choose another folder")
    help_path, help_text = folder / "guidance.md", guidance(codebook)
    if form == "xlsx":
        library()
    elif help_path.is_file() and help_path.read_bytes() != help_text.encode():
        raise UsageError(f"{help_path} is not the guidance of this codebook: choose another folder")
    for path, sheet in sheets_by_path.items():
        table = _table(sheet, codebook, by_id)
        if form == "xlsx":
            article_ids = {event.article for event in sheet.events}
            _workbook(path, table, codebook, [a for a in articles if a.id in article_ids])
        else:
            write_sheet(path, *table, mark=True)
    return (
        [*sheets_by_path] if form == "xlsx" else [*sheets_by_path, write_file(help_path, help_text)]
    )


def _table(sheet: EvaluatorSheet, codebook: Codebook, articles: dict[str, Article]) -> SheetTable:
    to_fill = [*(criterion.field for criterion in codebook.criteria), codebook.comment]
    rows: list[list[str | int]] = []
    for event in sheet.events:
        published = articles.get(event.article, Article(id="")).published
        row = (event.id, sheet.evaluator, event.article, published)
        rows.append([*row, event.date or "", event.type, event.text, *[""] * len(to_fill)])
    return [*_COLUMNS, *to_fill], rows


def _workbook(
    path: Path, table: SheetTable, codebook: Codebook, articles: Sequence[Article]
) -> None:
    (header, rows), (book, sheet) = table, new_workbook("Judgements")
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
        texts = [[a.id, a.published, a.title, part] for a in articles for part in _parts(a.text)]
        names = ["article_id", "published", "title", "text"]
        fill_sheet(book.create_sheet("Articles"), names, texts, _WIDTHS)
    save_workbook(book, path)


def _parts(text: str) -> list[str]:
    """Cut a long text into pieces for several cells, since Excel's hold 32,767 characters."""
    return [text[at : at + 4_000] for at in range(0, max(1, len(text)), 4_000)]


def _level(level: Level) -> str:
    return f"**{level.value}** {f'{level.name}: ' if level.name else ''}{level.label}"


def guidance(codebook: Codebook) -> str:
    """Return the codebook's guidance for evaluators as Markdown."""

    def write_note(note: Note) -> str:
        return f"*{note.kind.title()}.* {note.text}"

    criteria = (criterion_lines(criterion, _level, write_note) for criterion in codebook.criteria)
    paragraphs = [
        *(f"# {codebook.title}", f"{codebook.name} {codebook.version}", codebook.purpose),
        *("\n".join(lines).rstrip("\n") for lines in criteria),
        *(f"## The score: {codebook.score}", *codebook.score_guidance),
        *(f"## Comments: `{codebook.comment}`", codebook.comment_guidance),
        "\n".join(f"- `{chip.key}` {chip.text}" for chip in codebook.chips),
        "## In general" if codebook.guidelines else "",
        "\n".join(f"- {text}" for text in codebook.guidelines),
        *("## Calibration" if codebook.calibration else "", codebook.calibration),
        f"Source: {codebook.source}.",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"
