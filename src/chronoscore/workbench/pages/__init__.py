"""Templates, which escape every value, and the scripts and style sheets that they use."""

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from chronoscore.reports.table import shown

_OF_REPORTS = ("agreement.css", "leaderboard.css", "sorting.js")
"""What the pages of the workbench share with those of reports."""
_CODE = re.compile(r"`([^`\n]+)`")
_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("chronoscore.workbench", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = {"plural": plural, "number": shown, "day": lambda at: at[:16].replace("T", " ")}
    environment.filters.update(filters, with_code=with_code)
    return environment


def plural(count: int, one: str) -> str:
    """Write a count with its word.

    >>> plural(1, "event"), plural(1200, "event")
    ('1 event', '1,200 events')
    """
    ending = "" if count == 1 else "es" if one.endswith(("s", "ch")) else "s"
    return f"{count:,} {one}{ending}"


def with_code(text: str) -> Markup:
    """Escape a text of the codebook, and write what is between backticks as code.

    >>> with_code("`killing` & <b>, not `")
    Markup('<code>killing</code> &amp; &lt;b&gt;, not `')
    """
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704, RUF100


def page(template: str, status_code: int = 200, **values: Any) -> Response:
    """Answer with a page."""
    return HTMLResponse(_environment().get_template(template).render(**values), status_code)


@dataclass(frozen=True, slots=True)
class Asset:
    """A script or a style sheet."""

    content_type: str
    content: bytes
    etag: str
    """Changes with the content, so that browsers fetch a file again only if it is another."""


@cache
def assets() -> dict[str, Asset]:
    """Scripts and style sheets by name: no other file is served."""
    of_reports = files("chronoscore.reports.html").joinpath("assets")
    every = [*files("chronoscore.workbench").joinpath("static").iterdir()]
    every += map(of_reports.joinpath, _OF_REPORTS)
    return {
        file.name: Asset(_KINDS[kind], content, f'"{sha256(content).hexdigest()[:32]}"')
        for file in every
        if (kind := file.name.rpartition(".")[2]) in _KINDS
        for content in [file.read_bytes()]
    }
