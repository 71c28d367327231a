"""New projects and added events; the columns of sheets are shown before they are imported."""

from collections.abc import Iterator

from starlette.exceptions import HTTPException
from starlette.responses import Response

from chronoscore.elements.time.calendar import DATE_ORDERS
from chronoscore.rubric.formats.event_sheets import FIELDS, MOST_TABLES, TableReading
from chronoscore.workbench.pages import plural
from chronoscore.workbench.project_files import (
    ProjectFiles,
    TableChoice,
    UploadReading,
    has_sheets,
    read_project,
    read_uploads,
)
from chronoscore.workbench.routes.projects import project_page
from chronoscore.workbench.routing import PageRequest, found, in_browser, redirect
from chronoscore.workbench.store import projects, uploads

_GONE = "This upload is gone: it was imported or cancelled, or is older than a day."


def add_project(request: PageRequest) -> Response:
    """Import files; with any problem nothing is stored. Sheets wait until their columns are seen.

    A sheet that can't be read at all, whatever its columns, is refused at once.
    """
    name = request.text("name").strip()
    if has_sheets(request.files):
        return _wait(request, name)
    files = read_project(request.files)
    project = projects.add(request.store, request.person.id, name[: projects.LONGEST_NAME], *files)
    return redirect(f"/projects/{project}")


def add_events(request: PageRequest) -> Response:
    """Add events and articles of files to a project; with any problem, nothing is added."""
    store, number = request.store, request.project.id
    if has_sheets(request.files):
        return _wait(request, number)
    files = read_project(request.files, projects.content(store, number))
    return project_page(request, messages=[_add_events(request, number, files)])


def _add_events(request: PageRequest, project: int, files: ProjectFiles) -> str:
    """Add events and articles to a project; returns a message that says how many."""
    systems, articles = files.systems, files.articles
    counts = projects.add_events(request.store, request.person, project, systems, articles)
    added = f"{plural(counts['events'], 'event')} and {plural(counts['articles'], 'article')}"
    then = " Draw a batch to have them judged." if counts["events"] else ""
    return f"Added: {added}.{then}"


def _wait(request: PageRequest, project: str | int) -> Response:
    """Keep an upload, and show its columns."""
    uploads.purge(request.store)
    reading = read_uploads(request.files)
    if not reading.tables:
        reading.problems.check()
    name = uploads.keep(request.store, request.person, project, request.files)
    return redirect(f"/imports/{name}")


def _waiting(request: PageRequest) -> uploads.WaitingImport:
    waiting = found(uploads.find(request.store, request.path["token"][:80]), _GONE)
    if waiting.project is not None:
        project = found(projects.find(request.store, waiting.project), _GONE)
        if project.archived:
            raise HTTPException(423, "The project is archived: bring it back first.")
    return waiting


def _reading(request: PageRequest, waiting: uploads.WaitingImport) -> UploadReading:
    """The files of an import, read by what the form says."""
    present = None
    if waiting.project is not None:
        present = projects.content(request.store, waiting.project)
    return read_uploads(waiting.files, dict(_choices(request)), present)


def mapping_page(request: PageRequest, status: int = 200) -> Response:
    """Show which column holds which field, the first rows as they will be read, and problems."""
    waiting = _waiting(request)
    reading = _reading(request, waiting)
    target = None
    if waiting.project is not None:
        target = projects.find(request.store, waiting.project)
    return request.show(
        "mapping.html",
        status,
        waiting=waiting,
        target=target,
        tables=reading.tables,
        fields=FIELDS,
        problems=[in_browser(problem) for problem in reading.problems.problems],
        notices=[in_browser(notice) for notice in reading.problems.notices],
        systems={name: len(events) for name, events in reading.files.systems.items()},
        articles=len(reading.files.articles),
    )


def _choices(request: PageRequest) -> Iterator[tuple[int, TableChoice]]:
    """What the form says about each sheet."""
    for number in range(MOST_TABLES):
        kind = request.text(f"kind-{number}")
        if kind not in ("events", "articles", "none"):
            continue
        if kind == "none":
            yield number, TableChoice("", TableReading({}))
            continue
        columns = {}
        for field in FIELDS[kind]:  # type: ignore[index]
            place = request.text(f"column-{number}-{field}")
            if place.isascii() and place.isdecimal() and len(place) <= 3:
                columns[field] = int(place)
        order = request.text(f"order-{number}")
        reading = TableReading(columns, order if order in DATE_ORDERS else "")
        yield number, TableChoice(kind, reading)  # type: ignore[arg-type]


def apply_mapping(request: PageRequest) -> Response:
    """Look at the sheets again by other columns, or import them if nothing is wrong."""
    store, person, waiting = request.store, request.person, _waiting(request)
    if request.text("then") != "import":
        return mapping_page(request)
    reading = _reading(request, waiting)
    if reading.problems.problems:
        return mapping_page(request, 422)
    with store.writing():
        if not uploads.delete(store, person, waiting, "imported"):
            raise HTTPException(404, _GONE)  # the button was pressed twice
        number = waiting.project
        if number is None:
            number = projects.add(
                store, person.id, waiting.name[: projects.LONGEST_NAME], *reading.files
            )
        else:
            _add_events(request, number, reading.files)
    return redirect(f"/projects/{number}")


def cancel(request: PageRequest) -> Response:
    """Delete an upload without importing it."""
    waiting = _waiting(request)
    uploads.delete(request.store, request.person, waiting, "cancelled")
    return redirect("/" if waiting.project is None else f"/projects/{waiting.project}")
