"""Logging in by a one-time link, and leaving."""

from starlette.responses import JSONResponse, Response

from chronoscore.workbench.pages import assets
from chronoscore.workbench.routing import PageRequest, redirect, wrong_link
from chronoscore.workbench.security import log
from chronoscore.workbench.store import people

_SESSION_SECONDS = people.SESSION_DAYS * 24 * 3600

_NEEDS_LINK = (
    "Your link is used up: to come back you need a new one{where}. If nobody else uses "
    "this browser, you can simply close it instead."
)
_WHERE = {
    "owner": ", which chronoscore serve prints when it is started again",
    "evaluator": " from the owner",
}
_EMPTY = {"name": "", "token": "", "wrong": False, "wait": 0, "why": "", "known": False}
_DAYS = {"idle_days": people.IDLE_DAYS, "session_days": people.SESSION_DAYS}


def health(request: PageRequest) -> Response:
    """Show that the server answers, and that its database does."""
    if reason := request.store.trouble():
        log.error("the database does not answer: %s", reason)
        return JSONResponse({"chronoscore": "unavailable", "reason": reason}, 503)
    return JSONResponse({"chronoscore": "ready"})


def static(request: PageRequest) -> Response:
    """Answer with a script or a style sheet, known by its name, unless the browser has it."""
    asset = assets().get(request.path["name"])
    if asset is None:
        return Response(status_code=404)
    headers = {"cache-control": "no-cache", "etag": asset.etag}
    known = {tag.strip().removeprefix("W/") for tag in request.known_etags.split(",")}
    if known & {asset.etag, "*"}:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, headers={**headers, "content-type": asset.content_type})


def _show(request: PageRequest, status: int = 200, **values: object) -> Response:
    """The page for logging in; values that are not given are empty."""
    return request.show("enter.html", status, **{**_EMPTY, **_DAYS, **values})


def no_session(request: PageRequest) -> Response:
    """Explain why there is no session, and how to log in."""
    if request.viewer:
        return redirect("/")
    left = bool(request.query.get("left"))
    why = "left" if left else people.why_ended(request.store, request.token)
    return _show(request, 401, why=people.ENDED[why], known=why != "unknown")


def invited(request: PageRequest) -> Response:
    """Show whose link this is. The button uses it up, not a look at it."""
    token = request.path["token"]
    person = people.invited(request.store, token)
    if person is None:
        return _invalid_link(request)
    return _show(request, name=person.name, token=token)


def enter(request: PageRequest) -> Response:
    """Use up a link: a new session begins, and the person's older ones end."""
    session = people.enter(request.store, request.path["token"], request.token)
    if session is None:
        return _invalid_link(request)
    address, answer = request.workbench.address, redirect("/")
    answer.set_cookie(
        address.cookie,
        session,
        max_age=_SESSION_SECONDS,
        path="/",
        secure=address.secure,
        httponly=True,
        samesite="strict",
    )
    return answer


def leave(request: PageRequest) -> Response:
    """End the session; asks first if the person then needs a new link to come back."""
    person, address = request.person, request.workbench.address
    if not request.sure and not people.has_open_link(request.store, person.id):
        return request.show(
            "confirm.html",
            title="Leave the workbench?",
            lines=[_NEEDS_LINK.format(where=_WHERE[person.role])],
            action="/leave",
            button="Leave",
            back="/",
        )
    people.leave(request.store, request.token, person.id)
    answer = redirect("/enter?left=yes")
    answer.delete_cookie(address.cookie, path="/", secure=address.secure)
    return answer


def _invalid_link(request: PageRequest) -> Response:
    """Explain that a link is not valid; after too many of them, ask for a pause."""
    status, headers, wait = wrong_link(request, "/enter/{token}")
    answer = _show(request, status, wrong=True, wait=wait)
    answer.headers.update(headers)
    return answer
