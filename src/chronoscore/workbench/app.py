"""The application: all doors in one frame, behind the guard."""

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp

from chronoscore.workbench.doors import Bench, Door, told
from chronoscore.workbench.routes import (
    entering,
    home,
    judges,
    judging,
    numbers,
    projects,
    results,
    reviewing,
)
from chronoscore.workbench.security import Guard, Place, RateLimit
from chronoscore.workbench.store import Store

if TYPE_CHECKING:
    from chronoscore.workbench.results_folder import Folder

DOORS: tuple[Door, ...] = (
    *entering.DOORS,
    *home.DOORS,
    *projects.DOORS,
    *judging.DOORS,
    *reviewing.DOORS,
    *numbers.DOORS,
    *judges.DOORS,
    *results.DOORS,
)


def make_app(
    store: Store,
    address: str,
    limit: RateLimit | None = None,
    folder: "Folder | None" = None,
    proxies: tuple[str, ...] = (),
) -> ASGIApp:
    """Put a workbench together that is reached at an address, by way of these proxies."""
    place = Place.of(address)
    bench = Bench(store, place, address, limit or RateLimit(), folder, proxies)
    routes = [door.route(bench) for door in DOORS]
    app = Starlette(
        routes=routes, exception_handlers={HTTPException: _not_there, Exception: _failed}
    )
    return Guard(app, place, _is_large)


_LARGE = tuple(compile_path(door.path)[0] for door in DOORS if door.large)


def _is_large(path: str) -> bool:
    """Whether files are uploaded there."""
    return any(pattern.match(path) for pattern in _LARGE)


async def _not_there(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return told(request, error.status_code, "There is no such page.")


async def _failed(request: Request, _: Exception) -> Response:
    """Answer where the workbench itself is at fault; the server logs what happened."""
    what = "The workbench made a mistake, and this was not done. Its owner finds more in the log."
    return told(request, 500, what)
