"""New projects: files are read, and the columns of sheets are shown before they are imported."""

from collections.abc import Iterator

from starlette.responses import Response

from chronoscore.elements.time.calendar import DATE_ORDERS
from chronoscore.rubric.formats.event_sheets import FIELDS, MOST_TABLES, TableReading
from chronoscore.workbench.project_files import (
    TableChoice,
    has_sheets,
    read_project,
    read_uploads,
)
from chronoscore.workbench.routes.projects import add
from chronoscore.workbench.routing import PageRequest, found, redirect
from chronoscore.workbench.store import uploads

_GONE = "This upload is gone: it was imported or cancelled, or is older than a day."


def add_project(request: PageRequest) -> Response:
    """Import files; with any problem nothing is stored. Sheets wait until their columns are seen.

    A sheet that can't be read at all, whatever its columns, is refused at once.
    """
    uploads.purge(request.store)
    name = request.text("name").strip()
    if not has_sheets(request.files):
        return redirect(f"/projects/{add(request, name, read_project(request.files))}")
    reading = read_uploads(request.files)
    if not reading.tables:
        reading.problems.check()
    waiting = uploads.keep(request.store, request.person, name, request.files)
    return redirect(f"/imports/{waiting}")


def _waiting(request: PageRequest) -> uploads.WaitingImport:
    return found(uploads.find(request.store, request.path["token"][:80]), _GONE)


def mapping_page(request: PageRequest, status: int = 200) -> Response:
    """Show which column holds which field, the first rows as they will be read, and problems."""
    waiting = _waiting(request)
    reading = read_uploads(waiting.files, dict(_choices(request)))
    return request.show(
        "mapping.html",
        status,
        waiting=waiting,
        tables=reading.tables,
        fields=FIELDS,
        problems=[str(problem) for problem in reading.problems.problems],
        notices=[str(notice) for notice in reading.problems.notices],
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
    waiting = _waiting(request)
    if request.text("then") != "import":
        return mapping_page(request)
    reading = read_uploads(waiting.files, dict(_choices(request)))
    if reading.problems.problems:
        return mapping_page(request, 422)
    with request.store.writing():
        project = add(request, waiting.project, reading.files)
        uploads.delete(request.store, request.person, waiting.id, "imported")
    return redirect(f"/projects/{project}")


def cancel(request: PageRequest) -> Response:
    """Delete an upload without importing it."""
    uploads.delete(request.store, request.person, _waiting(request).id, "cancelled")
    return redirect("/")
