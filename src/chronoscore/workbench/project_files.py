"""A project's files: imports read by the command line's readers, and exports that they read."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Problems
from chronoscore.core.sources import FileSource, Source
from chronoscore.core.writing import path_inside
from chronoscore.elements.articles import numbered_articles
from chronoscore.errors import ChronoscoreError, DataError
from chronoscore.rubric.codebook import Codebook, event_quality, load_codebook
from chronoscore.rubric.formats import Article, read_judgements, write_judgements
from chronoscore.rubric.formats.event_sheets import (
    MOST_TABLES,
    NEEDED,
    TableKind,
    TableReading,
    TextTable,
    guess_columns,
    guess_kind,
    is_sheet,
    read_article_table,
    read_event_table,
    read_tables,
)
from chronoscore.rubric.judge.outcome import JudgeManifest
from chronoscore.rubric.judgements import Judgement
from chronoscore.workbench import pair_verdicts
from chronoscore.workbench.pages import plural
from chronoscore.workbench.security import Upload
from chronoscore.workbench.store import (
    Store,
    adjudication,
    batches,
    judgements,
    pairs,
    people,
    projects,
)
from chronoscore.workbench.store.database import TextError, clean_text, full_audit, json_lines, now
from chronoscore.workbench.store.judgements import EventAnswer
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.projects import Project, ProjectContent

SHEETS = ("csv", "jsonl", "tsv", "xlsx")
_RECORDS = ("events", "articles")
"""The fields of the form whose files may be sheets."""
_SHOWN = 5
"""The number of rows that are shown as they will be read."""
EXPORTS = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
    "verdicts.jsonl": "application/x-ndjson",
    "agreed-verdicts.jsonl": "application/x-ndjson",
}
"""The content type of each export."""
VERDICTS = ("verdicts.jsonl", "agreed-verdicts.jsonl")
"""What a project of pairs exports besides: each evaluator's verdicts, and the agreed ones."""
_README = """All of a project, in the files that the command line reads:

    chronoscore rubric judgements.jsonl --codebook codebook.json
    chronoscore agreement judgements.jsonl --codebook codebook.json{adjudicated}

judgements.jsonl  what evaluators said last; batches that some still judge are not in it
agreed.jsonl      what was agreed on, where a batch was closed
events/           the events, a file for each system
articles.jsonl    the articles they are from
codebook.json     the criteria
order.jsonl       the order in which each evaluator met the events, and how it was drawn
history.jsonl     all saves of the same judgements, with flags and times
audit.jsonl       all that was done
"""


_PAIRS_README = """All of a project of pairs, in the files that the command line reads:

    chronoscore agreement judgements.jsonl --codebook pairs{adjudicated}
    chronoscore correlate GOLD SYSTEM --verdicts verdicts.jsonl -m event-f1
    chronoscore events GOLD SYSTEM -m 'event-strict(verdicts=verdicts.jsonl)'

verdicts.jsonl         what each evaluator said last of each pair, with the chance of its draw;
                       batches that some still judge are not in it
agreed-verdicts.jsonl  what was agreed on, where a batch was closed
judgements.jsonl       the same as verdicts.jsonl, for agreement: 1 same, 2 part, 3 different,
                       4 contradicts
agreed.jsonl           the same as agreed-verdicts.jsonl, for agreement
pairs.jsonl            the pairs that were drawn: both events, system, stratum and chance
order.jsonl            the order in which each evaluator met the pairs, and how it was drawn
history.jsonl          all saves of the same judgements, with flags and times
audit.jsonl            all that was done
"""


class ProjectFiles(NamedTuple):
    """The content of a project's files."""

    codebook: Codebook
    systems: dict[str, list[Event]]
    articles: list[Article]


class TableChoice(NamedTuple):
    """How a sheet is to be read: as events, as articles or not at all, and by which columns."""

    kind: TableKind | Literal[""]
    reading: TableReading


class TableView(NamedTuple):
    """A sheet, how it was read, and its first records."""

    table: TextTable
    choice: TableChoice
    system: str
    """Of events whose sheet has no column of systems."""
    records: int
    """How many events or articles were read."""
    first: Sequence[tuple[str, Event | Article]]
    """The first records, events with their system."""

    @property
    def unused(self) -> list[str]:
        """The columns that hold no field."""
        used = {*self.choice.reading.columns.values()}
        header = enumerate(self.table.header)
        return [name or "(no name)" for at, name in header if at not in used]


class UploadReading(NamedTuple):
    """What files hold, and everything that is wrong with them."""

    files: ProjectFiles
    tables: Sequence[TableView]
    problems: Problems


def has_sheets(uploads: Sequence[Upload]) -> bool:
    """Whether there are sheets among the files, whose columns somebody should see first."""
    return any(kind in _RECORDS and is_sheet(name) for kind, name, _ in uploads)


def read_project(uploads: Sequence[Upload], added_to: ProjectContent | None = None) -> ProjectFiles:
    """Read events, articles and a codebook, or raise all problems; sheets are read by a guess.

    `added_to` is what the project has already, if the files are added to one.
    """
    reading = read_uploads(uploads, added_to=added_to)
    reading.problems.check()
    return reading.files


def read_uploads(
    uploads: Sequence[Upload],
    choices: Mapping[int, TableChoice] | None = None,
    added_to: ProjectContent | None = None,
) -> UploadReading:
    """Read events, articles and a codebook, and report all problems.

    A file of events in JSON lines is a system; a sheet may have a column that names the systems.
    `choices` say how to read sheets, by number; without one, columns are guessed. `added_to` is
    what the project has already, if the files are added to one.
    """
    content = UploadContent(added_to or ProjectContent())
    codebook = event_quality()
    views: list[TableView] = []
    with TemporaryDirectory(prefix="chronoscore-") as folder:
        sources = upload_sources(Path(folder), uploads)
        for (kind, _, _), source in zip(uploads, sources, strict=True):
            if kind in _RECORDS and is_sheet(source.file_name):
                views += _read_sheets(source, kind, choices or {}, len(views), content)
            elif kind == "events":
                _read_system(source, content)
            elif kind == "articles":
                for line, article in numbered_articles(source, content.problems):
                    content.add_article(article, source, line)
            elif kind == "codebook":
                separate = Problems()  # it stops at its first problem, which is not of other files
                with suppress(DataError):
                    codebook = load_codebook(source, separate)
                content.problems.add(separate.findings)
    if len(views) > MOST_TABLES:  # the form that says how to read each would be too large
        several = f"there are {len(views)} sheets in all files, at most {MOST_TABLES} are read"
        content.problems.problem(f"{several} at once: upload them in parts")
        views = []
    _check_amount(uploads, content, is_new=added_to is None)
    content.check_spans()
    files = ProjectFiles(codebook, content.systems, content.articles)
    return UploadReading(files, views, content.problems)


@dataclass(eq=False)
class UploadContent:
    """Collects the events and articles of files, and reports what can't be imported."""

    present: ProjectContent
    """What the project has already."""
    problems: Problems = field(default_factory=Problems)
    systems: dict[str, list[Event]] = field(default_factory=dict)
    articles: list[Article] = field(default_factory=list)
    lines: list[tuple[Source, int, Event]] = field(default_factory=list)
    """The events with the places they are from."""

    def add_event(self, system: str, event: Event, source: Source, line: int) -> None:
        """Add an event of a system."""
        check_ids(event, source, self.problems, line)
        if (system, event.id) in self.present.events:
            message = f"'{system}' has an event '{event.id}' already: change its id"
            self.problems.problem(message, source, line)
        self.systems.setdefault(system, []).append(event)
        self.lines.append((source, line, event))

    def add_article(self, article: Article, source: Source, line: int) -> None:
        """Add an article."""
        check_ids(article, source, self.problems, line)
        _check_added(article, self.present, source, self.problems, line)
        self.articles.append(article)

    def check_spans(self) -> None:
        """Report article ids that occur twice, and spans that end after their article."""
        lengths: dict[str, int] = {}
        for article in self.articles:
            if article.id in lengths:
                self.problems.problem(f"article id '{article.id}' is in two files")
            lengths[article.id] = len(article.text)
        lengths |= self.present.articles
        for source, line, event in self.lines:
            length = lengths.get(event.article) if event.article else None
            if length is not None and event.span is not None and event.span[1] > length:
                span, size = list(event.span), f"which has {length} characters"
                message = f"the span {span} ends after the article '{event.article}', {size}"
                self.problems.problem(message, source, line)


def _check_amount(uploads: Sequence[Upload], content: UploadContent, *, is_new: bool) -> None:
    """Report that there is nothing to judge, or nothing to add."""
    problems = content.problems
    has_events = any(kind == "events" for kind, _, _ in uploads)
    if is_new and not has_events:
        problems.problem("choose at least one file of events")
    elif not has_events and not content.articles and not problems.problems:
        problems.problem("choose at least one file of events or of articles")
    elif not problems.problems and has_events and not any(content.systems.values()):
        problems.problem("there are no events in the files")


def _read_system(source: FileSource, content: UploadContent) -> None:
    """Read a file of events in JSON lines, whose name is that of its system."""
    system = source.path.stem
    if system in content.systems:
        content.problems.problem(f"two files are named '{system}': rename one of them")
    content.systems[system] = []
    for line, event in numbered_events(source, content.problems):
        content.add_event(system, event, source, line)


def _read_sheets(
    source: FileSource,
    upload_field: str,
    choices: Mapping[int, TableChoice],
    first: int,
    content: UploadContent,
) -> list[TableView]:
    """Read the sheets of a file, of which the first has the number `first` in `choices`."""
    tables = read_tables(source, content.problems)
    guesses = _guesses(tables, upload_field)
    several = sum(guess.kind == "events" for guess in guesses) > 1
    views = []
    for number, (table, guess) in enumerate(zip(tables, guesses, strict=True), first):
        system = source.path.stem + f" {table.title}" * several
        views.append(_read_table(table, choices.get(number, guess), system, content))
    return views


def _guesses(tables: Sequence[TextTable], upload_field: str) -> list[TableChoice]:
    """How the sheets of a file are read if nobody says otherwise.

    Of several sheets, those are left out that lack the needed columns, such as one of notes.
    """
    choices = []
    for table in tables:
        kind: TableKind = "articles" if upload_field == "articles" else guess_kind(table)
        columns = guess_columns(table.header, kind)
        fits = len(tables) == 1 or {*NEEDED[kind]} <= columns.keys()
        choices.append(TableChoice(kind if fits else "", TableReading(columns)))
    return choices


def _read_table(
    table: TextTable, choice: TableChoice, system: str, content: UploadContent
) -> TableView:
    """Read a sheet and add what it holds."""
    records: list[tuple[str, Event | Article]] = []
    if choice.kind == "articles":
        for line, article in read_article_table(table, choice.reading, content.problems):
            content.add_article(article, table.source, line)
            records.append(("", article))
    elif choice.kind == "events":
        before = {name: {event.id for event in of} for name, of in content.systems.items()}
        for one in read_event_table(table, choice.reading, system, content.problems):
            if one.event.id in before.get(one.system, ()):
                message = f"system '{one.system}' has event id '{one.event.id}' in another sheet"
                content.problems.problem(message, table.source, one.line)
            else:
                content.add_event(one.system, one.event, table.source, one.line)
            records.append((one.system, one.event))
    return TableView(table, choice, system, len(records), records[:_SHOWN])


def check_ids(
    record: Event | Article, source: Source, problems: Problems, line: int | None = None
) -> None:
    """Report ids that an exported sheet can't hold."""
    for name in ("id", "article"):
        if len(getattr(record, name, "").splitlines()) > 1:
            problems.problem(f"{name} contains a line break: write it in one line", source, line)


def _check_added(
    article: Article, present: ProjectContent, source: Source, problems: Problems, line: int
) -> None:
    """Report an article that a project has, or that would change what is being judged."""
    size = len(article.text)
    message = ""
    if article.id in present.articles:
        message = f"the project has an article '{article.id}' already: change its id"
    elif article.id in present.judged_without:
        named = "events of a batch name it and are judged without it"
        message = f"article '{article.id}' can't be added: {named}"
    elif present.missing.get(article.id, 0) > size:
        end = present.missing[article.id]
        message = f"article '{article.id}' has {size} characters, an event's span ends at {end}"
    if message:
        problems.problem(message, source, line)


def upload_sources(folder: Path, uploads: Sequence[Upload]) -> list[FileSource]:
    """Uploads as files in folders of their own; messages name them without the folders.

    Paths and odd characters in their names are removed.
    """
    sources = []
    for number, (_, upload_name, content) in enumerate(uploads):
        base = Path(upload_name.replace("\\", "/")).name
        name = re.sub(r"[^\w. -]", "_", base).strip(". ")[:80]
        path = folder / str(number) / (name or "file")
        path.parent.mkdir()
        path.write_bytes(content)
        sources.append(FileSource(path))
        sources[-1].name = path.name
    return sources


class ImportedJudgements(NamedTuple):
    """What an import of judgements did."""

    judgements: int
    left_out: int
    """Verdicts about pairs that were not drawn."""


def import_judgements(
    store: Store, by: Person, project: Project, uploads: Sequence[Upload]
) -> ImportedJudgements:
    """Import judgements of models or people, or raise all problems.

    A project of pairs takes files of verdicts too.
    """
    problems = Problems()
    manifests = []
    sheets = []
    verdict_files = []
    for upload in uploads:
        _, name, content = upload
        if project.task == "pairs" and pair_verdicts.is_verdict_file(content):
            verdict_files.append(upload)
            continue
        if not name.endswith(".manifest.json"):
            sheets.append(upload)
            continue
        try:
            manifests.append(msgspec.json.decode(content, type=JudgeManifest))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            problems.problem(f"is not a manifest that chronoscore judge wrote: {error}", name)
    numbers = _event_numbers(store, project)
    rows: Sequence[Judgement] = []
    if sheets or not (manifests or verdict_files):
        with TemporaryDirectory(prefix="chronoscore-") as folder:
            try:
                sources = upload_sources(Path(folder), sheets)
                rows = read_judgements(sources, project.codebook, problems)
            except ChronoscoreError as error:
                problems.problem(str(error))
        _check_judgements(store, project, rows, numbers, problems)
    left_out = 0
    if verdict_files:
        verdicts = _read_verdicts(store, project, verdict_files, rows, problems)
        rows, left_out = [*rows, *verdicts.rows], verdicts.left_out
    problems.check()
    with store.writing():
        _add_judgements(store, by, project, rows, numbers)
        projects.add_judge_runs(store, by, project.id, manifests)
    return ImportedJudgements(len(rows), left_out)


def _read_verdicts(
    store: Store,
    project: Project,
    uploads: Sequence[Upload],
    sheet_rows: Sequence[Judgement],
    problems: Problems,
) -> pair_verdicts.ReadVerdicts:
    """Read files of verdicts; none may be about what the project or a sheet has already."""
    drawn = pairs.of_project(store, project.id)
    numbers = {(one.system, one.id): one.number for one in drawn}
    taken = {*batches.assignments(store, project.id)}
    rows: list[Judgement] = []
    left_out = 0
    with TemporaryDirectory(prefix="chronoscore-") as folder:
        for source in upload_sources(Path(folder), uploads):
            taken |= {
                (one.evaluator, numbers[one.system, one.event], one.round or "1")
                for one in (*sheet_rows, *rows)
                if (one.system, one.event) in numbers
            }
            read = pair_verdicts.read_as_judgements(source, drawn, taken, problems)
            rows += read.rows
            left_out += read.left_out
    if not rows and not problems.problems:
        problems.problem(
            f"none of the {plural(left_out, 'verdict')} is about a pair of this project: check "
            "topic, system, gold and predicted"
            if left_out
            else "there are no verdicts in the files"
        )
    return pair_verdicts.ReadVerdicts(rows, left_out)


Numbers = Mapping[tuple[str, str], int]
"""The number of each event of a project by system and id."""


def _event_numbers(store: Store, project: Project) -> Numbers:
    """With an empty system for a sheet that names none: the only event of that id."""
    events = projects.events(store, project.id)
    times = Counter(one.event.id for one in events)
    only = {("", one.event.id): one.number for one in events if times[one.event.id] == 1}
    return only | {(one.system, one.event.id): one.number for one in events}


def _check_judgements(
    store: Store, project: Project, rows: Sequence[Judgement], numbers: Numbers, problems: Problems
) -> None:
    taken = batches.assignments(store, project.id)
    if not rows and not problems.problems:
        problems.problem("there are no judgements in the files")
    for one in rows:
        number = numbers.get((one.system, one.event))
        if number is None:
            problems.problem(f"event '{one.event}' of '{one.system}' is not in this project")
        elif (one.evaluator, number, one.round or "1") in taken:
            problems.problem(f"{one.evaluator} has event '{one.event}' in this project already")
        try:
            people.check_name(one.evaluator)
            clean_text(one.comment)
        except TextError as error:
            problems.problem(f"comment of {one.evaluator} on event '{one.event}': {error}")
        except ChronoscoreError as error:
            problems.problem(f"evaluator '{one.evaluator}': {error}")


def _add_judgements(
    store: Store, by: Person, project: Project, rows: Sequence[Judgement], numbers: Numbers
) -> None:
    groups: dict[tuple[str, str], list[Judgement]] = {}
    for one in rows:
        groups.setdefault((one.round or "1", one.evaluator), []).append(one)
    added: dict[str, int] = {}
    for (round_, name), judged in sorted(groups.items()):
        if round_ not in added:
            added[round_] = batches.add(store, project.id, "imported", round_, 1, 0)
        batch, kind = added[round_], judged[0].kind
        person = people.find_or_add(store, name, kind)
        projects.join(store, by.id, project.id, person)
        events = [numbers[one.system, one.event] for one in judged]
        answers = [EventAnswer(1, o.values, clean_text(o.comment), at=now()) for o in judged]
        batches.add_share(store, batch, person.id, events, "imported", submitted=now())
        judgements.add_imported(store, batch, person.id, zip(events, answers, strict=True))
        details = {"batch": batch, "person": person, "rows": len(answers), "kind": kind}
        store.note(by, "judgements imported", project.id, **details)


def export(store: Store, viewer: Person, project: Project, form: str) -> bytes:
    """The judgements that the viewer may read as one sheet, or everything in one archive."""
    if form == "zip":
        return _archive(store, viewer, project)
    if form in VERDICTS:
        return _verdicts(store, viewer, project, form)
    return _sheet(judgements.readable(store, viewer, project.id), project, form)


def _sheet(rows: Sequence[Judgement], project: Project, form: str) -> bytes:
    with TemporaryDirectory(prefix="chronoscore-") as folder:
        path = Path(folder) / f"judgements.{form}"
        try:
            write_judgements(rows, path, project.codebook)
        except DataError as error:  # name the file, not the folder where it is written
            problems = [replace(problem, path=path.name) for problem in error.problems]
            raise DataError(problems) from None
        return path.read_bytes()


def _verdicts(store: Store, viewer: Person, project: Project, form: str) -> bytes:
    source = judgements.readable if form == VERDICTS[0] else adjudication.agreed_judgements
    rows = source(store, viewer, project.id)
    return json_lines(pair_verdicts.verdicts(rows, pairs.of_project(store, project.id)))


def _archive(store: Store, viewer: Person, project: Project) -> bytes:
    agreed = adjudication.agreed_judgements(store, viewer, project.id)
    adjudicated = " --adjudicated agreed.jsonl" if agreed else ""
    readable = judgements.readable(store, viewer, project.id)
    files: dict[str, bytes | str] = {
        "judgements.jsonl": _sheet(readable, project, "jsonl"),
        **({"agreed.jsonl": _sheet(agreed, project, "jsonl")} if agreed else {}),
    }
    if project.task == "pairs":
        files["README.txt"] = _PAIRS_README.format(adjudicated=adjudicated)
        for form in VERDICTS if agreed else VERDICTS[:1]:
            files[form] = _verdicts(store, viewer, project, form)
        files["pairs.jsonl"] = json_lines(
            pair_verdicts.records(pairs.of_project(store, project.id))
        )
    else:
        files["README.txt"] = _README.format(adjudicated=adjudicated)
        files |= _data(store, project)
    files |= {
        "order.jsonl": json_lines(batches.orders(store, project.id)),
        "history.jsonl": json_lines(judgements.all_saves(store, viewer, project.id)),
        "audit.jsonl": json_lines(full_audit(store, project.id)),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def _data(store: Store, project: Project) -> dict[str, bytes]:
    """The events, articles and codebook of a project."""
    by_system: dict[str, list[Event]] = {}
    for one in projects.events(store, project.id):
        by_system.setdefault(one.system, []).append(one.event)
    return {
        **{f"events/{path_inside(name)}.jsonl": json_lines(of) for name, of in by_system.items()},
        "articles.jsonl": json_lines(projects.articles(store, project.id)),
        "codebook.json": msgspec.json.format(msgspec.json.encode(project.codebook)),
    }
