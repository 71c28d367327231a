"""Links for readers: the owner makes and ends them, and each shows one result or leaderboard."""

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from chronoscore.errors import UsageError
from chronoscore.reports.html.markup import Html, tag
from chronoscore.workbench.pages import page
from chronoscore.workbench.routes import results as result_pages
from chronoscore.workbench.routing import PageRequest, found, redirect, wrong_link
from chronoscore.workbench.store import reader_links, results
from chronoscore.workbench.store.results import StoredResult

_NO_LINK = "This link does not open: it has ended, or was cut on its way here."
_GONE = "What this link showed is not here at the moment. Ask whoever gave it to you."
_NAMES_PEOPLE = (
    "the report of this result names its evaluators, and readers may not see them: share its "
    "leaderboard, which names systems only"
)
_CLASH = "This leaderboard can't be shown at the moment: its results can't be compared."


def share_result(request: PageRequest) -> Response:
    """Make a link to a result and show it, this once."""
    result = result_pages.stored_result(request)
    if result.gone:
        raise UsageError("a result that was deleted is not shown to readers: bring it back first")
    if _names_people(request, result):
        raise UsageError(_NAMES_PEOPLE)
    address = _add(request, "result", result.id)
    return result_pages.results_list(request, link=(result.name, address))


def share_board(request: PageRequest) -> Response:
    """Make a link to a leaderboard and show it, this once."""
    key = request.text("board")
    group = result_pages.group_of(request.store, key)
    if not group:
        raise HTTPException(404, "There is no such leaderboard.")
    title = result_pages.board(request.store, key, group).title
    return result_pages.leaderboard(request, link=(title, _add(request, "leaderboard", key)))


def _add(request: PageRequest, kind: reader_links.SharedKind, target: str) -> str:
    token = reader_links.add(request.store, request.person.id, kind, target)
    return f"{request.workbench.address.url}/shared/{token}"


def end(request: PageRequest) -> Response:
    """End a link."""
    ended = reader_links.end(request.store, request.person.id, request.number("link"))
    ended = found(ended, "There is no such link, or it has ended already.")
    return redirect("/results#readers" if ended.kind == "result" else "/leaderboard#readers")


def shared(request: PageRequest) -> Response:
    """Show what a link is for, and nothing else."""
    link = reader_links.find(request.store, request.path["token"])
    if link is None:
        return _no_link(request)
    if link.kind == "leaderboard":
        return _shared_board(request, link.target)
    result = results.find(request.store, link.target)
    if result is None or result.gone or result.purged or _names_people(request, result):
        return _message(410, _GONE)
    content, headers = result_pages.report_of(request.store, result, _heading(result))
    return HTMLResponse(content, headers=headers)


def _no_link(request: PageRequest) -> Response:
    """Explain that a link does not open; it counts as a wrong link of this address."""
    status, headers, wait = wrong_link(request, "/shared/{token}")
    pause = f" Too many links from your address did not open: wait {wait} seconds." if wait else ""
    answer = _message(status, _NO_LINK + pause)
    answer.headers.update(headers)
    return answer


def _message(status: int, message: str) -> Response:
    return page("shared.html", status, title="Not here", message=message, content="")


def _names_people(request: PageRequest, result: StoredResult) -> bool:
    """Whether a report names evaluators, as those of judgements do."""
    document = result_pages.load(request.store, result).result
    rows = (row for system in document.systems for row in system.rows)
    return bool(document.agreement) or any("evaluator" in row.tags for row in rows)


def _heading(result: StoredResult) -> Html:
    """What a shared report says above its title, in place of links to other pages."""
    return tag("aside", tag("p", result.name), class_="trail", aria_label="Name of the run")


def _shared_board(request: PageRequest, key: str) -> Response:
    group = result_pages.group_of(request.store, key)
    if not group:
        return _message(410, _GONE)
    board = result_pages.board(request.store, key, group, linked=False)
    message = _CLASH if board.problems else ""
    values = {"title": board.title, "message": message, "content": board.content}
    return page("shared.html", 200, **values)
