"""Pages: templates that escape whatever they are given, and the files they refer to."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("chronoscore.workbench", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["plural"] = plural
    made.filters["number"] = number
    made.filters["day"] = lambda moment: moment[:16].replace("T", " ")
    return made


def plural(count: int, one: str) -> str:
    """Write a count with its word.

    >>> plural(1, "event"), plural(1200, "event")
    ('1 event', '1,200 events')
    """
    ending = "" if count == 1 else "es" if one.endswith(("s", "ch")) else "s"
    return f"{count:,} {one}{ending}"


def number(value: float | None) -> str:
    """Write a score; what is undefined is no number."""
    return "undef." if value is None else f"{value:.3f}"


def render(template: str, **values: Any) -> str:
    """Fill in a template."""
    return _environment().get_template(template).render(**values)


def page(template: str, status_code: int = 200, **values: Any) -> Response:
    """Answer with a page."""
    return HTMLResponse(render(template, **values), status_code)


@cache
def assets() -> dict[str, tuple[str, bytes]]:
    """The files of pages by name, with their kind: no other can be asked for."""
    folder = files("chronoscore.workbench").joinpath("static")
    found = {}
    for file in folder.iterdir():
        kind = _KINDS.get(file.name.rpartition(".")[2])
        if kind:
            found[file.name] = (kind, file.read_bytes())
    return found
