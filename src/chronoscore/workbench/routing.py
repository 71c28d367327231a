"""Routes: each says who may use it, and one function checks that before anything is done."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route as StarletteRoute

from chronoscore.errors import ChronoscoreError, DataError, UsageError
from chronoscore.workbench import logs, security
from chronoscore.workbench.pages import page
from chronoscore.workbench.result_files import ResultsFolder
from chronoscore.workbench.store import Store, batches, projects
from chronoscore.workbench.store.database import clean_text
from chronoscore.workbench.store.people import ENDED, Person, csrf, same, session, why_ended

Thing = TypeVar("Thing")
_MOST_DIGITS = 15  # fits into SQLite's numbers
_MOST_FIELDS, _MOST_FILES = 500, 50
_RETRY_SECONDS = 5
_ARCHIVED = {
    "owner": "This project is archived: nothing can be saved in it. Bring it back first.",
    "evaluator": "The owner archived this project: your answers are kept, and nothing can be "
    "saved until the owner brings it back.",
}
_COME_BACK = "To come back, ask the owner of the workbench for a new link."


@dataclass(frozen=True)
class Workbench:
    """What all routes share."""

    store: Store
    address: security.PublicAddress
    limit: security.RateLimit = field(default_factory=security.RateLimit)
    folder: ResultsFolder | None = None
    """Of saved results, if the workbench was given one."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies whose X-Forwarded-For is believed."""


@dataclass(frozen=True)
class PageRequest:
    """A request that passed all checks, read in full."""

    workbench: Workbench
    viewer: Person | None
    token: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, list[str]] = field(default_factory=dict)
    files: Sequence[security.Upload] = ()
    json: Any = None
    client: str = ""
    known_etags: str = ""
    """Of the versions that the browser has already, as the header If-None-Match lists them."""

    @property
    def store(self) -> Store:
        """The database."""
        return self.workbench.store

    @property
    def person(self) -> Person:
        """The person who is logged in; not for routes that are open to anyone."""
        assert self.viewer is not None
        return self.viewer

    @cached_property
    def batch(self) -> batches.JudgingBatch:
        """The batch in the address, if the person may see it; else it is not found."""
        batch = batches.find(self.store, self.person, self.number("batch"))
        return found(batch, "There is no such batch.")

    @cached_property
    def project(self) -> projects.Project:
        """The project in the address, or that of the batch; else it is not found."""
        number = self.batch.project if "batch" in self.path else self.number("project")
        return found(projects.find(self.store, number), "There is no such project.")

    def named_person(self, people: Iterable[Person], message: str) -> Person:
        """The one of these people whom the address names; else it is not found."""
        number = self.number("person")
        return found(next((one for one in people if one.id == number), None), message)

    def number(self, name: str) -> int:
        """A number in the address; anything else is not found."""
        text = self.path.get(name, "")
        if not re.fullmatch(rf"[0-9]{{1,{_MOST_DIGITS}}}", text):
            raise HTTPException(404)
        return int(text)

    def text(self, name: str) -> str:
        """A field of the form, empty if it is missing."""
        return self.form.get(name, [""])[0]

    @property
    def sure(self) -> bool:
        """Whether the person has confirmed what they ask for."""
        return self.text("sure") == "yes"

    def whole(self, name: str, default: int) -> int:
        """A whole number in the form or in the query."""
        text = self.form.get(name, [self.query.get(name, "")])[0].strip()
        if not text:
            return default
        if re.fullmatch(r"[0-9]{1,9}", text):
            return int(text)
        message = f"{name} is '{text[:40]}', expected a whole number"
        raise UsageError(message) if name in self.form else HTTPException(400, message)

    def show(self, template: str, status: int = 200, **values: object) -> Response:
        """Answer with a page; it also gets the project and the batch that the address names."""
        if "batch" in self.path:
            values["batch"] = self.batch
        if "batch" in self.path or "project" in self.path:
            values["project"] = self.project
        form_token = csrf(self.token) if self.viewer else ""
        return page(template, status, viewer=self.viewer, csrf=form_token, **values)


def found(thing: Thing | None, message: str) -> Thing:
    """The thing, or the answer that it does not exist."""
    if thing is None:
        raise HTTPException(404, message)
    return thing


def redirect(path: str) -> Response:
    """Send the browser to another page."""
    return RedirectResponse(path, 303)


def download(content: bytes, kind: str, name: str) -> Response:
    """Answer with a file to keep."""
    disposition = f'attachment; filename="{name}"'
    return Response(content, headers={"content-type": kind, "content-disposition": disposition})


class RefusedError(HTTPException):
    """A request without the right to be answered, and why, for the log."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(status, message)
        self.reason = reason


@dataclass(frozen=True)
class Route:
    """A path, the function that answers it, and who may use it."""

    path: str
    handler: Callable[[PageRequest], Response]
    who: Literal["anyone", "member", "owner"]
    method: Literal["GET", "POST"] = "GET"
    again: Callable[..., Response] | None = None
    """Shows the page with the form again, with the problems of what was sent."""
    large: bool = False
    """Whether files are uploaded there."""
    in_archive: bool = False
    """Whether it may change an archived project."""
    alike: bool = False
    """Whether it answers everyone alike: then it does not even ask who is logged in."""

    def bind(self, workbench: Workbench) -> StarletteRoute:
        """The route of the web framework."""
        return StarletteRoute(self.path, partial(self._answer, workbench), methods=[self.method])

    async def _answer(self, workbench: Workbench, request: Request) -> Response:
        request.scope[logs.ROUTE] = self.path
        token = "" if self.alike else request.cookies.get(workbench.address.cookie, "")
        try:
            viewer = None
            if not self.alike:
                viewer = await run_in_threadpool(self._check_viewer, workbench.store, token)
            checked = await _read(request, workbench, viewer, token)
            if request.method not in security.SAFE and self.who != "anyone":
                sent_token = request.headers.get("x-csrf-token") or checked.text("csrf")
                if not same(sent_token, csrf(token)):
                    message = "This form is out of date. Go back, reload, retry."
                    raise RefusedError(403, "no token of the form", message)
            return await run_in_threadpool(self._handle, checked)
        except ClientDisconnect:
            return Response(status_code=400)
        except (HTTPException, ChronoscoreError, RecursionError) as error:
            return self._refuse(request, error)

    def _handle(self, request: PageRequest) -> Response:
        self._check_archive(request)
        try:
            return self.handler(request)
        except (DataError, UsageError) as error:
            if self.again is None:
                raise
            problems = error.problems if isinstance(error, DataError) else str(error).splitlines()
            return self.again(request, 422, problems=tuple(map(in_browser, problems)))

    def _check_archive(self, request: PageRequest) -> None:
        """Refuse changes of an archived project, and evaluators who ask for its pages."""
        inside = {"project", "batch"} & request.path.keys()
        if self.in_archive or self.who == "anyone" or not inside:
            return
        owns = request.person.role == "owner"
        if (self.method == "POST" or not owns) and request.project.archived:
            raise HTTPException(423, _ARCHIVED["owner" if owns else "evaluator"])

    def _check_viewer(self, store: Store, token: str) -> Person | None:
        """Who is logged in: the one place where sessions and roles are checked."""
        viewer = session(store, token)
        if viewer is None and self.who != "anyone":
            message = f"{ENDED[why_ended(store, token)]} {_COME_BACK}"
            raise RefusedError(401, "no session", message)
        if self.who == "owner" and viewer is not None and viewer.role != "owner":
            raise RefusedError(403, "role", "This page is for the owner of the workbench.")
        return viewer

    def _refuse(self, request: Request, error: Exception) -> Response:
        status, message = _explained(error)
        if status not in (404, 422):
            reason = message if status == 503 else getattr(error, "reason", type(error).__name__)
            log_refusal(status, self.path, reason)
        if status == 401 and request.method in security.SAFE and not _wants_json(request):
            return redirect("/enter")
        answer = refusal(request, status, message)
        if status == 503:
            answer.headers["retry-after"] = str(_RETRY_SECONDS)
        return answer


def log_refusal(status: int, route: str, reason: str) -> None:
    """Log that a request was refused, by the pattern of its route."""
    details = {"status": status, "route": route, "reason": reason}
    words = "refused %s at %s: %s"
    security.log.warning(words, *details.values(), extra={"event": "refused", **details})


def wrong_link(request: PageRequest, route: str) -> tuple[int, dict[str, str], int]:
    """Count and log a link that does not open.

    Returns the status and the headers of the answer, and how many seconds the address must wait.
    """
    wait = request.workbench.limit.failed(request.client)
    status = 429 if wait else 404
    log_refusal(status, route, "a link that does not open")
    return status, {"retry-after": str(wait)} if wait else {}, wait


def _explained(error: Exception) -> tuple[int, str]:
    """The status and the message for an error that stopped a request."""
    if isinstance(error, HTTPException):
        return error.status_code, error.detail
    if isinstance(error, RecursionError):
        return 400, "This is nested too deeply to be read."
    return getattr(error, "status", 422), in_browser(error)


_OPTIONS = {
    r" \((--lenient|--encoding|or name the evaluator with --evaluator)[^()]*\)": "",
    r"; if it is meant to be, allow more with --max-line": "",
    r"; if [^;]*, name it with --encoding": "; save it as UTF-8",
}
"""What readers advise to type at the command line, and what helps a person at a browser."""


def in_browser(problem: object) -> str:
    """Write a problem without options of the command line.

    >>> in_browser("a.csv:2: id 'x' is there twice (--lenient accepts it)")
    "a.csv:2: id 'x' is there twice"
    """
    text = str(problem)
    for advice, instead in _OPTIONS.items():
        text = re.sub(advice, instead, text)
    return text


def refusal(request: Request, status: int, message: str) -> Response:
    """Explain, on a page or to a script, why something was not done."""
    if _wants_json(request):
        return JSONResponse({"message": message}, status)
    lines = message.splitlines()
    return page("refusal.html", status, viewer=None, csrf="", status=status, lines=lines)


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


async def _read(
    request: Request, workbench: Workbench, viewer: Person | None, token: str
) -> PageRequest:
    form: dict[str, list[str]] = {}
    files: list[security.Upload] = []
    json: Any = None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method not in security.SAFE:
        if kind == "application/json":
            json = await _read_json(request)
        elif kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            form, files = await _read_form(request)
        elif await request.body():
            raise HTTPException(415, "send a form or JSON")
    peer = request.client.host if request.client else ""
    forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
    client = security.client_address(peer, forwarded, workbench.proxies)
    path, query = dict(request.path_params), _clean(dict(request.query_params))
    etags = request.headers.get("if-none-match", "")
    return PageRequest(workbench, viewer, token, path, query, form, files, json, client, etags)


async def _read_json(request: Request) -> Any:
    """Read a body of JSON, on every route at most as large as a small form."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > security.SMALL:
            raise security.TooLargeError
    try:
        return _clean(msgspec.json.decode(body))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise HTTPException(400, "This is not JSON.") from None


async def _read_form(request: Request) -> tuple[dict[str, list[str]], list[security.Upload]]:
    form: dict[str, list[str]] = {}
    files: list[security.Upload] = []
    try:
        async with request.form(max_fields=_MOST_FIELDS, max_files=_MOST_FILES) as fields:
            for name, value in fields.multi_items():
                if not isinstance(value, UploadFile):
                    form.setdefault(clean_text(name), []).append(clean_text(value))
                elif value.filename:
                    file_name = clean_text(value.filename)
                    files.append((clean_text(name), file_name, await value.read()))
    except (ChronoscoreError, HTTPException, ClientDisconnect):
        raise
    except Exception:  # parsers of forms fail in many ways, all of which are the form's fault
        raise HTTPException(400, "the form can't be read") from None
    return form, files


def _clean(value: Any) -> Any:
    """Clean every text within decoded JSON, names of fields too."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {clean_text(name): _clean(one) for name, one in value.items()}
    return value
