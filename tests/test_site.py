"""The documentation builds without a warning, and every link of the built pages leads somewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from scripts.run_examples import ROOT

ASSETS = {"script", "img", "iframe", "source", "link"}
"""Elements that a browser loads without being asked."""


class Links(HTMLParser):
    """The addresses of a page and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str]] = []
        self.anchors = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.addresses.append((tag, value))
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    found = {}
    for path in site.rglob("*.html"):
        if path.name != "404.html":  # which a server shows at any address
            found[path] = Links()
            found[path].feed(path.read_text(encoding="utf-8"))
    return found


def test_every_page_is_built(site: Path, pages: dict[Path, Links]) -> None:
    docs = ROOT / "docs"
    sources = {path.relative_to(docs).with_suffix("").as_posix() for path in docs.rglob("*.md")}
    assert sources == {path.relative_to(site).with_suffix("").as_posix() for path in pages}


def test_every_link_of_the_site_leads_somewhere(site: Path, pages: dict[Path, Links]) -> None:
    dead = []
    for path, links in pages.items():
        for _, address in links.addresses:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            exists = target.is_relative_to(site) and target.exists()
            if exists and target in pages and parts.fragment:
                exists = unquote(parts.fragment) in pages[target].anchors
            if not exists:
                dead.append(f"{path.relative_to(site)}: {address}")
    assert not dead


def test_the_site_loads_nothing_from_another_host(pages: dict[Path, Links]) -> None:
    loaded = {
        address
        for links in pages.values()
        for tag, address in links.addresses
        if tag in ASSETS and urlsplit(address).netloc
    }
    assert not loaded


def test_schemas_that_pages_link_to_are_published(site: Path) -> None:
    for name in ("result.schema.json", "codebook.schema.json"):
        assert (site / name).read_bytes() == (ROOT / "docs" / name).read_bytes()


def test_the_api_reference_shows_every_public_name(pages: dict[Path, Links], site: Path) -> None:
    import chronoscore
    from chronoscore import annotations, rubric, timelines

    anchors = pages[site / "api.html"].anchors
    for module in (chronoscore, timelines, annotations, rubric):
        for name in module.__all__:
            if not name.startswith("__"):
                assert f"{module.__name__}.{name}" in anchors
