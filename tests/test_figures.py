"""Figures of public collections and of other packages: as recorded, and as they would be now."""

import json
import re
from pathlib import Path

import pytest
from vectors_home import free

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


def shown_in(page: str) -> str:
    return PAGES[DOCS / "from" / f"{page}.md"]


def test_the_example_for_users_of_tilse_is_a_case_that_tilse_scored() -> None:
    (case,) = (
        case
        for case in free("timelines/edge.json")
        if case["name"] == "d_numbers_hyphens_apostrophes"
    )
    sentences = [
        sentence
        for timeline in (case["predicted"], *case["references"])
        for day in timeline.values()
        for sentence in day
    ]
    page = shown_in("tilse")
    assert all(page.count(sentence) == 2 for sentence in sentences)
    for route in ("original", "reimpl"):
        scores = case["results"][route]["align_date_content_costs_many_to_one"]
        assert f"\n{route} {scores['rouge_1']['f_score']}\n" in page


def test_the_example_for_users_of_semeval_is_a_pair_that_the_original_scored() -> None:
    page = shown_in("semeval")
    pairs = [
        pair
        for pair in free("ordering/timelines_fuzz.json")
        if not pair["ord"]
        and all(json.dumps(pair[side])[1:-1] in page for side in ("gold", "sys"))
        and len(pair["gold"]) > 80
    ]
    ((f, precision, recall),) = (pair["fpr"] for pair in pairs)
    assert f"FSCORE\t{f}\tPRECISION\t{precision}\tRECALL\t{recall}" in page


def test_the_example_for_users_of_gate_is_a_document_that_the_plugin_scored() -> None:
    case = free("annotations/quirks.json")[0]
    page = shown_in("gate")
    for side in case["documents"][0]["sets"].values():
        for item in side:
            assert f'"start": {item["start"]}, "end": {item["end"]}' in page
    total = case["oracle"]["total"]
    for name in ("F1Strict", "F1Lenient", "F1Average"):
        assert f"{name} {total[name]}" in page
