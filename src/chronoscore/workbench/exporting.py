"""Everything of a project in the files of the command line, and the database as a whole."""

import io
import sqlite3
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from chronoscore.core.errors import DataError, UsageError
from chronoscore.core.writing import path_inside, replaced
from chronoscore.rubric.formats import write_judgements
from chronoscore.workbench.store import agreed, audit, batches, judgements, projects
from chronoscore.workbench.store.database import Store
from chronoscore.workbench.store.people import Person
from chronoscore.workbench.store.schema import APPLICATION

ALL = "zip"
FORMS = ("csv", "jsonl", "tsv", "xlsx")
_README = """All of a project, in the files that the command line reads:

    chronoscore rubric judgements.jsonl --codebook codebook.json
    chronoscore agreement judgements.jsonl --codebook codebook.json{adjudicated}

judgements.jsonl  what evaluators said last; batches that some still judge are not in it
agreed.jsonl      what was agreed on, where a batch was adjudicated
events/           the events, a file for each system
articles.jsonl    the articles they are from
codebook.json     the criteria
order.jsonl       the order in which each evaluator met the events, and how it was drawn
history.jsonl     all saves of the same judgements, with flags and times
audit.jsonl       all that was done
"""


def sheet(store: Store, viewer: Person, project: projects.Project, form: str) -> bytes:
    """The judgements that the viewer may read, as one file."""
    rows = [one for one, _ in judgements.readable(store, viewer, project.id)]
    with TemporaryDirectory(prefix="chronoscore-") as name:
        path = Path(name) / f"judgements.{form}"
        try:
            write_judgements(rows, path, project.codebook)
        except DataError as error:  # the file's own name, not that of the place where it is made
            raise DataError(
                replace(problem, path=path.name) for problem in error.problems
            ) from None
        return path.read_bytes()


def archive(store: Store, viewer: Person, project: projects.Project) -> bytes:
    """Everything, in one archive."""
    settled = agreed.of_project(store, viewer, project.id)
    out = io.BytesIO()
    with (
        TemporaryDirectory(prefix="chronoscore-") as name,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        folder = Path(name)
        more = " --adjudicated agreed.jsonl" if settled else ""
        made.writestr("README.txt", _README.format(adjudicated=more))
        made.writestr("judgements.jsonl", sheet(store, viewer, project, "jsonl"))
        if settled:
            write_judgements(settled, folder / "agreed.jsonl", project.codebook)
            made.write(folder / "agreed.jsonl", "agreed.jsonl")
        by_system: dict[str, list[msgspec.Struct]] = {}
        for one in projects.events(store, project.id):
            by_system.setdefault(one.system, []).append(one.event)
        for system, events in by_system.items():
            made.writestr(f"events/{path_inside(system)}.jsonl", _lines(events))
        made.writestr("articles.jsonl", _lines(projects.articles(store, project.id)))
        made.writestr("codebook.json", msgspec.json.format(msgspec.json.encode(project.codebook)))
        made.writestr("order.jsonl", _lines(batches.orders(store, project.id)))
        made.writestr("history.jsonl", _lines(judgements.all_saves(store, viewer, project.id)))
        made.writestr("audit.jsonl", _lines(audit.all_entries(store, project.id)))
    return out.getvalue()


def _lines(records: Iterable[object]) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def left_out(store: Store, viewer: Person, project: int) -> list[batches.Batch]:
    """The batches that some still judge: they are not exported."""
    return [b for b in batches.listed(store, viewer, project) if b.stage == "judging"]


def backup(source: Path, target: Path) -> None:
    """Copy a database, which may be in use, as of one moment."""
    if not source.is_file():
        raise DataError.of("there is no such database", source)
    if target.exists():
        raise UsageError(f"{target} is there already, and backups are kept")
    with replaced(target, mode=0o600) as draft:
        _copied(source, draft)


def _copied(source: Path, target: Path) -> None:
    try:
        read = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=15)
        try:
            if read.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
                raise DataError.of("is no workbench's database", source)
            written = sqlite3.connect(target)
            try:
                read.backup(written)
                written.execute("PRAGMA journal_mode=DELETE")  # one file, which can be moved
                found = written.execute("PRAGMA integrity_check").fetchone()[0]
            finally:
                written.close()
        finally:
            read.close()
    except sqlite3.DatabaseError as error:
        raise DataError.of(f"can't be copied: {error}", source) from None
    if found != "ok":
        raise DataError.of(f"is damaged: {found}", source)
