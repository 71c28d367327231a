"""Coming in by a one-time link, and leaving."""

from starlette.responses import JSONResponse, RedirectResponse, Response

from chronoscore.workbench.doors import Ask, Door
from chronoscore.workbench.pages import assets
from chronoscore.workbench.security import log
from chronoscore.workbench.store import people

_LONGEST_TOKEN = 100
_SESSION_SECONDS = people.SESSION_DAYS * 24 * 3600

_EVALUATOR_BACK = (
    "Your link is used up: to come back you need a new one from the owner. If nobody else uses "
    "this browser, you can simply close it instead."
)
_OWNER_BACK = (
    "Your link is used up: to come back you need a new one, which chronoscore serve prints when "
    "it is started again. If nobody else uses this browser, you can simply close it instead."
)


def health(_: Ask) -> Response:
    """Say that the server answers."""
    return JSONResponse({"chronoscore": "ready"})


def static(ask: Ask) -> Response:
    """Give a file of the pages; only what is known by name."""
    found = assets().get(ask.path["name"])
    if found is None:
        return Response(status_code=404)
    kind, content = found
    return Response(content, headers={"content-type": kind, "cache-control": "no-cache"})


def closed(ask: Ask) -> Response:
    """Say why there is no session, and how to come in."""
    if ask.viewer:
        return RedirectResponse("/", 303)
    why = "left" if ask.query.get("left") else people.why_ended(ask.store, ask.token)
    return _page(ask, 401, why=people.ENDED[why], known=why != "unknown")


def _page(ask: Ask, status: int = 200, **values: object) -> Response:
    """The page by which people come in; what is not given is empty."""
    shown = {"name": "", "token": "", "wrong": False, "wait": 0, "why": "", "known": False}
    days = {"idle_days": people.IDLE_DAYS, "session_days": people.SESSION_DAYS}
    return ask.show("enter.html", status, **{**shown, **days, **values})


def invited(ask: Ask) -> Response:
    """Show whom a link is for. It is used up by the button, not by a look at it."""
    token = ask.path["token"]
    person = people.invited(ask.store, token) if len(token) <= _LONGEST_TOKEN else None
    if person is None:
        return _does_not_open(ask)
    return _page(ask, name=person.name, token=token)


def enter(ask: Ask) -> Response:
    """Use up a link: a new session begins, and the person's older ones end."""
    token = ask.path["token"]
    found = None
    if len(token) <= _LONGEST_TOKEN:
        found = people.enter(ask.store, token, ask.token)
    if found is None:
        return _does_not_open(ask)
    _, session = found
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        ask.bench.place.cookie,
        session,
        max_age=_SESSION_SECONDS,
        path="/",
        secure=ask.bench.place.secure,
        httponly=True,
        samesite="strict",
    )
    return answer


def leave(ask: Ask) -> Response:
    """End the session; asks first if the person then needs a new link to come back."""
    if ask.text("sure") != "yes" and not people.has_open_link(ask.store, ask.person.id):
        return ask.confirm(
            "Leave the workbench?",
            (_OWNER_BACK if ask.person.role == "owner" else _EVALUATOR_BACK,),
            action="/leave",
            button="Leave",
            back="/",
        )
    people.leave(ask.store, ask.token, ask.person.id)
    answer = RedirectResponse("/enter?left=yes", 303)
    answer.delete_cookie(ask.bench.place.cookie, path="/", secure=ask.bench.place.secure)
    return answer


def _does_not_open(ask: Ask) -> Response:
    """Say that a link does not open; after too many of them, ask for a pause."""
    wait = ask.bench.limit.failed(ask.client)
    status = 429 if wait else 404
    log.warning("refused %s: a link that does not open", status)
    answer = _page(ask, status, wrong=True, wait=wait)
    if wait:
        answer.headers["retry-after"] = str(wait)
    return answer


DOORS = (
    Door("/health", health, "anyone"),
    Door("/static/{name}", static, "anyone"),
    Door("/enter", closed, "anyone"),
    Door("/enter/{token}", invited, "anyone"),
    Door("/enter/{token}", enter, "anyone", "POST"),
    Door("/leave", leave, "member", "POST"),
)
