"""What is uploaded: read by the readers of the command line, with every problem in its line."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from starlette.exceptions import HTTPException

from chronoscore.core.errors import ChronoscoreError, DataError, Problem
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import Codebook, event_quality, load_codebook
from chronoscore.rubric.formats import Article, read_articles, read_judgements
from chronoscore.rubric.judge.manifest import Manifest
from chronoscore.rubric.judgement import Judgement
from chronoscore.workbench.doors import clean
from chronoscore.workbench.store import audit, batches, judgements, judges, people, projects
from chronoscore.workbench.store.database import Store, now
from chronoscore.workbench.store.judgements import Said

Upload = tuple[str, str, bytes]
"""Field of the form, name of the file, content."""


@dataclass(frozen=True)
class Imported:
    """What the files hold, and all that is to be said of them."""

    systems: dict[str, list[Event]]
    articles: list[Article]
    codebook: Codebook
    problems: tuple[str, ...]
    notices: tuple[str, ...]


def read_project(uploads: Sequence[Upload]) -> Imported:
    """Read events (a file a system), articles and a codebook; nothing is raised, all is listed."""
    reading = Reading()
    systems: dict[str, list[Event]] = {}
    articles: list[Article] = []
    codebook = event_quality()
    with TemporaryDirectory(prefix="chronoscore-") as name:
        folder = Path(name)
        lines: list[tuple[Path, int, Event]] = []
        for number, (kind, given, content) in enumerate(uploads):
            path = _written(folder / str(number), given, content)
            if kind == "events":
                system = path.stem
                if system in systems:
                    reading.problem(f"two files are named '{system}', as two systems may not be")
                found = numbered_events(path, reading)
                for line, event in found:
                    _check_texts(event, path, line, reading)
                systems[system] = [event for _, event in found]
                lines += [(path, line, event) for line, event in found]
            elif kind == "articles":
                given_articles = read_articles(path, reading)
                for article in given_articles:
                    _check_texts(article, path, None, reading)
                articles += given_articles
            elif kind == "codebook":
                own = Reading()  # it stops at its first problem, which is not that of others
                with suppress(DataError):
                    codebook = load_codebook(path, own)
                reading.problems += own.problems
                reading.notices += own.notices
        if not systems:
            reading.problem("choose at least one file of events")
        elif not reading.problems and not any(systems.values()):
            reading.problem("there are no events in the files")
        _check(lines, articles, reading)
        return Imported(
            systems,
            articles,
            codebook,
            tuple(_told(problem, folder) for problem in reading.problems),
            tuple(_told(notice, folder) for notice in reading.notices),
        )


def _check_texts(record: msgspec.Struct, path: Path, line: int | None, reading: Reading) -> None:
    """Report what would be lost or changed in an exported sheet."""
    for name in {"id", "article"} & {*record.__struct_fields__}:
        if len(getattr(record, name).splitlines()) > 1:
            reading.problem(f"{name} contains a line break: write it in one line", path, line)


def _check(
    lines: Sequence[tuple[Path, int, Event]], articles: Sequence[Article], reading: Reading
) -> None:
    """Events must lie in the articles that are shown beside them."""
    seen: set[str] = set()
    for article in articles:
        if article.id in seen:
            reading.problem(f"article id '{article.id}' is in two files")
        seen.add(article.id)
    texts = {article.id: article.text for article in articles}
    without = 0
    for path, line, event in lines:
        if not event.article or event.article not in texts:
            without += 1
        elif event.span is not None and event.span[1] > len(texts[event.article]):
            reading.problem(
                f"the span {list(event.span)} ends after the article '{event.article}', which has "
                f"{len(texts[event.article])} characters",
                path,
                line,
            )
    if without:
        reading.notice(f"{without} of {len(lines)} events have no article to be shown beside them")


def _written(folder: Path, given: str, content: bytes) -> Path:
    """Write an upload under a name that is only a name, whatever the browser said."""
    folder.mkdir()
    name = re.sub(r"[^\w. -]", "_", Path(given.replace("\\", "/")).name).strip(". ")[:80]
    path = folder / (name or "file")
    path.write_bytes(content)
    return path


def _told(problem: Problem, folder: Path) -> str:
    """A problem with the file's own name, not that of the place where it was read."""
    return re.sub(rf"{re.escape(str(folder))}/[0-9]+/", "", str(problem))


def import_judgements(
    store: Store, by: people.Person, project: projects.Project, uploads: Sequence[Upload]
) -> tuple[int, list[str]]:
    """Bring in what was judged elsewhere, by models or by people: how many, and the problems."""
    reading = Reading()
    manifests, uploads = _manifests(uploads, reading)
    numbers = {(one.system, one.event.id): one.number for one in projects.events(store, project.id)}
    with TemporaryDirectory(prefix="chronoscore-") as name:
        folder = Path(name)
        paths = [
            _written(folder / str(n), given, made) for n, (_, given, made) in enumerate(uploads)
        ]
        found: Sequence[Judgement] = []
        try:
            found = read_judgements(paths, project.codebook, reading)
        except ChronoscoreError as error:
            reading.problem(str(error))
        if uploads or not manifests:
            _check_judged(store, project, found, numbers, reading)
        if reading.problems:
            return 0, [_told(problem, folder) for problem in reading.problems]
    _bring_in(store, by, project, found, numbers)
    judges.add(store, by, project.id, manifests)
    return len(found), []


def _manifests(uploads: Sequence[Upload], reading: Reading) -> tuple[list[Manifest], list[Upload]]:
    """What runs of judges took, told apart from what they said."""
    found: list[Manifest] = []
    rest: list[Upload] = []
    for upload in uploads:
        _, name, content = upload
        if not name.endswith(".manifest.json"):
            rest.append(upload)
            continue
        try:
            found.append(msgspec.json.decode(content, type=Manifest))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            reading.problem(f"is no manifest of a judge: {error}", name)
    return found, rest


def _check_judged(
    store: Store,
    project: projects.Project,
    found: Sequence[Judgement],
    numbers: dict[tuple[str, str], int],
    reading: Reading,
) -> None:
    taken = {
        (row["name"], row["event"], row["round"])
        for row in store.rows(
            "SELECT p.name, t.event, b.round FROM tasks t JOIN batches b ON b.id = t.batch "
            "JOIN people p ON p.id = t.person WHERE b.project = ?",
            project.id,
        )
    }
    if not found and not reading.problems:
        reading.problem("there are no judgements in the files")
    for one in found:
        number = _number_of(one, numbers)
        if number is None:
            reading.problem(f"event '{one.event}' of '{one.system}' is not in this project")
        elif (one.evaluator, number, one.round or "1") in taken:
            reading.problem(f"{one.evaluator} has event '{one.event}' in this project already")
        try:
            people.check_name(one.evaluator)
            clean(one.comment)
        except ChronoscoreError as error:
            reading.problem(f"evaluator '{one.evaluator}': {error}")
        except HTTPException as error:
            reading.problem(f"comment of {one.evaluator} on event '{one.event}': {error.detail}")


def _number_of(one: Judgement, numbers: dict[tuple[str, str], int]) -> int | None:
    """The event of a row; a sheet that names no system means the only event of that id."""
    if one.system:
        return numbers.get((one.system, one.event))
    fitting = [number for (_, event), number in numbers.items() if event == one.event]
    return fitting[0] if len(fitting) == 1 else None


def _bring_in(
    store: Store,
    by: people.Person,
    project: projects.Project,
    found: Sequence[Judgement],
    numbers: dict[tuple[str, str], int],
) -> None:
    groups: dict[tuple[str, str], list[Judgement]] = {}
    for one in found:
        groups.setdefault((one.round or "1", one.evaluator), []).append(one)
    with store.writing() as connection:
        made: dict[str, batches.Batch] = {}
        for (round_, name), own in sorted(groups.items()):
            if round_ not in made:
                fresh = batches.add(connection, project.id, "imported", round_, 1, 0)
                made[round_] = batches.Batch(
                    fresh, project.id, "imported", "", round_, 1, 0, "review"
                )
            batch = made[round_]
            person = people.find_or_make(connection, name, own[0].kind)
            projects.join(connection, by.id, project.id, person)
            said = [
                (number, Said(1, one.values, clean(one.comment), False, now()))
                for one in own
                if (number := _number_of(one, numbers)) is not None
            ]
            batches.put(connection, batch.id, person.id, [event for event, _ in said], "imported")
            connection.execute(
                "UPDATE submissions SET at = ? WHERE batch = ? AND person = ?",
                (now(), batch.id, person.id),
            )
            judgements.bring_in(connection, batch, person.id, said)
            audit.note(
                connection,
                by.id,
                "judgements imported",
                project.id,
                batch=batch.id,
                person=person.id,
                rows=len(said),
                kind=own[0].kind,
            )
