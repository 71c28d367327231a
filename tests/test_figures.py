"""Figures of public collections and of other packages: as recorded, and as they would be now."""

import re
from pathlib import Path

import pytest

from scripts.record_figures import (
    DOCS,
    FIGURES,
    HOME,
    figures_shown,
    filled_in,
    missing,
    recorded,
    run,
)

PAGES = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_pages_show_figures_as_they_were_recorded(page: Path) -> None:
    text = PAGES[page]
    assert text.count("<!-- figure: ") == len(figures_shown(text)), "a figure is a text block"
    assert filled_in(text) == text, "run `python -m scripts.record_figures --pages`"


def test_every_figure_is_recorded_and_shown() -> None:
    shown = {name for text in PAGES.values() for name in figures_shown(text)}
    assert {path.stem for path in HOME.glob("*.txt")} == set(FIGURES) == shown


@pytest.mark.parametrize("name", FIGURES)
def test_figures_name_the_version_and_the_commit(name: str) -> None:
    head = (HOME / f"{name}.txt").read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"# Chronoscore \d+\.\d+\.\d+\S*, commit [0-9a-f]{7}", head)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_what_the_commands_print(name: str) -> None:
    if reason := missing(FIGURES[name]):
        pytest.skip(reason)
    assert run(FIGURES[name]) == recorded(name)
