"""Saved results: upload, leaderboard, a run's report, two runs, a timeline; for the owner alone."""

import re

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from chronoscore.core.errors import ChronoscoreError, UsageError
from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.store import results

_FILES = {"result": "json", "matches": "matches.jsonl", "texts": "texts.jsonl"}
_TYPES = {"result": "application/json", "matches": "application/x-ndjson"}


def _result(ask: Ask) -> results.Kept:
    """The result that the address names, deleted or not; else it is not found."""
    found = results.one(ask.store, ask.path["result"])
    if found is None:
        raise HTTPException(404, "There is no such result.")
    return found


def results_page(ask: Ask) -> Response:
    """List what is kept; the folder is looked at first."""
    folder = ask.bench.folder
    told = folder.take_in(ask.store, ask.person.id) if folder else []
    return _shown(ask, folder_problems=tuple(told))


def _shown(
    ask: Ask,
    status: int = 200,
    *,
    problems: tuple[str, ...] = (),
    folder_problems: tuple[str, ...] = (),
) -> Response:
    changed = results.one(ask.store, ask.query.get("changed", ""))
    before = results.before(ask.store, changed) if changed else None
    folder = ask.bench.folder
    return ask.show(
        "results.html",
        status,
        results=results.listed(ask.store),
        deleted=results.listed(ask.store, gone=True),
        changed=changed if before else None,
        before=before,
        folder=str(folder.path) if folder else "",
        folder_problems=folder_problems,
        problems=problems,
        history=results.history(ask.store),
        files=_FILES,
    )


def upload(ask: Ask) -> Response:
    """Keep uploaded results; with a problem in any of them, none is kept."""
    from chronoscore.workbench import results_reading, results_showing

    found, problems = results_reading.read_uploads(ask.files, results_showing.check)
    if problems:
        return _shown(ask, 422, problems=tuple(problems))
    for new in found:
        results.keep(ask.store, ask.person.id, new)
    return RedirectResponse("/results", 303)


def run_page(ask: Ask) -> Response:
    """Show the report of a result."""
    from chronoscore.workbench import results_showing

    return _report(results_showing.run_page(ask.store, _result(ask)))


def case_page(ask: Ask) -> Response:
    """Show one timeline of a result."""
    from chronoscore.workbench import results_showing

    page = results_showing.case_page(
        ask.store, _result(ask), ask.number("case"), ask.whole("system", 0)
    )
    if page is None:
        raise HTTPException(404, "There is no such case.")
    return _report(page)


def _report(page: str) -> Response:
    from chronoscore.workbench import results_showing

    return HTMLResponse(page, headers={"content-security-policy": results_showing.POLICY})


def file(ask: Ask) -> Response:
    """Give a file as --save writes it."""
    result, kind = _result(ask), ask.path["kind"]
    found = results.part(ask.store, result.id, kind) if kind in _FILES else None
    if found is None:
        raise HTTPException(404, "There is no such file.")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", result.name).strip("-.") or result.id
    return Response(
        found,
        headers={
            "content-type": _TYPES.get(kind, "application/x-ndjson"),
            "content-disposition": f'attachment; filename="{name}.{_FILES[kind]}"',
        },
    )


def rename(ask: Ask) -> Response:
    """Give a result another name."""
    result = _result(ask)
    try:
        results.rename(ask.store, ask.person.id, result, ask.text("name"))
    except UsageError as error:
        return _shown(ask, 422, problems=(str(error),))
    return RedirectResponse(f"/results?changed={result.id}", 303)


def delete(ask: Ask) -> Response:
    """Put a result aside."""
    result = _result(ask)
    results.delete(ask.store, ask.person.id, result)
    return RedirectResponse(f"/results?changed={result.id}", 303)


def undo(ask: Ask) -> Response:
    """Take back the last change of a result."""
    result = _result(ask)
    if not results.undo(ask.store, ask.person.id, result, ask.whole("state", 0)):
        raise HTTPException(409, "This was changed meanwhile: reload the results.")
    return RedirectResponse(f"/results?changed={result.id}", 303)


def leaderboard(ask: Ask) -> Response:
    """Rank what may be ranked together, and say of the rest why it may not."""
    from chronoscore.workbench import results_boards

    found = results_boards.leaderboard(ask.store, results.listed(ask.store))
    made = [(board, Markup(board.content)) for board in found]  # noqa: S704, RUF100  # escaped there
    return ask.show("leaderboard.html", boards=made)


def compare(ask: Ask) -> Response:
    """Set two runs against each other, topic by topic."""
    from chronoscore.workbench import results_boards, results_comparing

    kept = results.listed(ask.store)
    runs = results_comparing.runs(kept, results_boards.labelled(kept))
    by_value = {run.value: run for run in runs}
    asked = [ask.query.get(name, "") for name in ("one", "two")]
    if any(name and name not in by_value for name in asked):
        raise HTTPException(404, "There is no such run, or it was deleted.")
    chosen = [by_value.get(name) for name in asked]
    one, two = chosen
    found: results_comparing.Comparison | None = None
    problems: list[str] = []
    if one and two:
        try:
            found = results_comparing.compare(ask.store, one, two)
        except ChronoscoreError as error:
            problems = str(error).splitlines()
    return ask.show(
        "runs.html",
        422 if problems else 200,
        runs=runs,
        one=one,
        two=two,
        found=found,
        problems=problems,
    )


DOORS = (
    Door("/results", results_page, "owner"),
    Door("/results", upload, "owner", "POST", large=True),
    Door("/results/{result}", run_page, "owner"),
    Door("/results/{result}", rename, "owner", "POST"),
    Door("/results/{result}/cases/{case}", case_page, "owner"),
    Door("/results/{result}/delete", delete, "owner", "POST"),
    Door("/results/{result}/files/{kind}", file, "owner"),
    Door("/results/{result}/undo", undo, "owner", "POST"),
    Door("/leaderboard", leaderboard, "owner"),
    Door("/compare", compare, "owner"),
)
