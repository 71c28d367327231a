"""Doors: each route says who may open it, and one function checks that before anything is done."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from chronoscore.core.errors import ChronoscoreError
from chronoscore.core.reading import plain_ends
from chronoscore.workbench.pages import page
from chronoscore.workbench.security import (
    SAFE,
    SMALL,
    Place,
    RateLimit,
    TooLargeError,
    client_address,
    log,
)
from chronoscore.workbench.store import Store, UnavailableError
from chronoscore.workbench.store.people import (
    ENDED,
    Person,
    csrf,
    same,
    session,
    why_ended,
)

if TYPE_CHECKING:
    from chronoscore.workbench.results_folder import Folder

Who = Literal["anyone", "member", "owner"]
_MOST_DIGITS = 15  # fits into SQLite's numbers
_MOST_FIELDS, _MOST_FILES = 500, 50
_RETRY_SECONDS = 5
BACK = "To come back, ask the owner of the workbench for a new link."


@dataclass(frozen=True)
class Bench:
    """What all doors share."""

    store: Store
    place: Place
    address: str
    limit: RateLimit
    folder: "Folder | None" = None
    """Of saved results, if the workbench was pointed at one."""
    proxies: tuple[str, ...] = ()
    """Addresses of proxies whose X-Forwarded-For is believed."""


@dataclass(frozen=True)
class Ask:
    """A request that was let in, read in full."""

    bench: Bench
    viewer: Person | None
    token: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, list[str]] = field(default_factory=dict)
    files: tuple[tuple[str, str, bytes], ...] = ()
    """Field, file name and content of what was uploaded."""
    json: Any = None
    client: str = ""

    @property
    def store(self) -> Store:
        """Where everything is kept."""
        return self.bench.store

    @property
    def person(self) -> Person:
        """Who asks; only behind doors that are not for anyone."""
        assert self.viewer is not None
        return self.viewer

    def number(self, name: str) -> int:
        """A number in the address; what is none is not found."""
        text = self.path.get(name, "")
        if not re.fullmatch(rf"[0-9]{{1,{_MOST_DIGITS}}}", text):
            raise HTTPException(404)
        return int(text)

    def text(self, name: str) -> str:
        """A field of the form, empty if it is not there."""
        return self.form.get(name, [""])[0]

    def whole(self, name: str, otherwise: int) -> int:
        """A field of the form, or of the address's query, that is a whole number."""
        text = self.form.get(name, [self.query.get(name, "")])[0].strip()
        if not text:
            return otherwise
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise HTTPException(400, f"{name} is not a whole number")
        return int(text)

    def show(self, template: str, status: int = 200, **values: object) -> Response:
        """Answer with a page."""
        return page(
            template,
            status,
            viewer=self.viewer,
            csrf=csrf(self.token) if self.viewer else "",
            **values,
        )

    def confirm(
        self, title: str, lines: Sequence[str], *, action: str, button: str, back: str
    ) -> Response:
        """Ask whether something is meant; the form is sent again with `sure`."""
        return self.show(
            "confirm.html", title=title, lines=lines, action=action, button=button, back=back
        )


Handler = Callable[[Ask], Response]


@dataclass(frozen=True)
class Door:
    """A route: its path, what is done, and who may."""

    path: str
    handler: Handler
    who: Who
    method: Literal["GET", "POST"] = "GET"
    large: bool = False

    def route(self, bench: Bench) -> Route:
        """The door in its frame."""

        async def opened(request: Request) -> Response:
            return await self._opened(request, bench)

        return Route(self.path, opened, methods=[self.method])

    async def _opened(self, request: Request, bench: Bench) -> Response:
        token = request.cookies.get(bench.place.cookie, "")
        try:
            viewer = await run_in_threadpool(session, bench.store, token)
            refused = await run_in_threadpool(self._refused, request, viewer, bench.store, token)
            if refused:
                return refused
            ask = await _read(request, bench, viewer, token)
            if request.method not in SAFE and self.who != "anyone":
                given = request.headers.get("x-csrf-token") or ask.text("csrf")
                if not same(given, csrf(token)):
                    log.warning("refused 403: no token of the form at %s", self.path)
                    return told(request, 403, "This form is out of date. Go back, reload, retry.")
            return await run_in_threadpool(self.handler, ask)
        except ClientDisconnect:
            return Response(status_code=400)
        except (HTTPException, ChronoscoreError, RecursionError, TooLargeError) as error:
            status, sentence = _explained(error)
            if status not in (404, 422):
                why = sentence if status == 503 else type(error).__name__
                log.warning("refused %s at %s: %s", status, self.path, why)
            answer = told(request, status, sentence)
            if status == 503:
                answer.headers["retry-after"] = str(_RETRY_SECONDS)
            return answer

    def _refused(
        self, request: Request, viewer: Person | None, store: Store, token: str
    ) -> Response | None:
        """The one place where roles are checked: what is not allowed is refused."""
        if self.who == "anyone":
            return None
        if viewer is None:
            log.warning("refused 401: no session at %s", self.path)
            if request.method in SAFE and not _wants_json(request):
                return RedirectResponse("/enter", 303)
            return told(request, 401, f"{ENDED[why_ended(store, token)]} {BACK}")
        if self.who == "member" or (self.who == "owner" and viewer.role == "owner"):
            return None
        log.warning("refused 403: role at %s", self.path)
        return told(request, 403, "This page is for the owner of the workbench.")


def _explained(error: Exception) -> tuple[int, str]:
    """The status and the sentence for what stopped a request."""
    if isinstance(error, HTTPException):
        return error.status_code, error.detail
    if isinstance(error, UnavailableError):
        return 503, str(error)
    if isinstance(error, TooLargeError):
        return 413, "The request is too large. Send less at once."
    if isinstance(error, RecursionError):
        return 400, "This is nested too deeply to be read."
    return 422, str(error)


def told(request: Request, status: int, what: str) -> Response:
    """Say in a page, or to a script, why something was not done."""
    if _wants_json(request):
        return JSONResponse({"told": what}, status)
    return page("told.html", status, viewer=None, csrf="", status=status, lines=what.splitlines())


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


async def _read(request: Request, bench: Bench, viewer: Person | None, token: str) -> Ask:
    form: dict[str, list[str]] = {}
    files: list[tuple[str, str, bytes]] = []
    data: Any = None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method not in SAFE:
        if kind == "application/json":
            data = await _json(request)
        elif kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            form, files = await _form(request)
        elif await request.body():
            raise HTTPException(415, "send a form or JSON")
    return Ask(
        bench,
        viewer,
        token,
        dict(request.path_params),
        {clean(name): clean(value) for name, value in request.query_params.items()},
        form,
        tuple(files),
        data,
        client_address(
            request.client.host if request.client else "",
            ",".join(request.headers.getlist("x-forwarded-for")),
            bench.proxies,
        ),
    )


async def _json(request: Request) -> Any:
    """Read a body of JSON, wherever it is sent: never more than a small form's size."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > SMALL:
            raise TooLargeError
    try:
        return _clean_all(msgspec.json.decode(body))
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise HTTPException(400, "This is not JSON.") from None


async def _form(request: Request) -> tuple[dict[str, list[str]], list[tuple[str, str, bytes]]]:
    form: dict[str, list[str]] = {}
    files: list[tuple[str, str, bytes]] = []
    try:
        async with request.form(max_fields=_MOST_FIELDS, max_files=_MOST_FILES) as given:
            for name, value in given.multi_items():
                if isinstance(value, UploadFile):
                    if value.filename:
                        files.append((clean(name), clean(value.filename), await value.read()))
                else:
                    form.setdefault(clean(name), []).append(clean(value))
    except (TooLargeError, HTTPException, ClientDisconnect):
        raise
    except Exception:  # parsers of forms fail in many ways, all of which are the form's fault
        raise HTTPException(400, "the form can't be read") from None
    return form, files


def clean(text: str) -> str:
    """A typed text as it is kept: with one kind of line end, and without half characters.

    Text with a NUL character is refused: many programs take it for the end of the text.

    >>> clean("one\\r\\ntwo\\rthree")
    'one\\ntwo\\nthree'
    """
    if "\0" in text:
        raise HTTPException(400, "A text contains the character NUL (U+0000): remove it.")
    return plain_ends(text).encode("utf-8", "replace").decode()


def _clean_all(value: Any) -> Any:
    """Clean every text within decoded JSON, names of fields too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean_all(one) for one in value]
    if isinstance(value, dict):
        return {clean(name): _clean_all(one) for name, one in value.items()}
    return value
