"""A section of a report is a value in a list: nothing else has to know of it."""

from dataclasses import replace

from reports.made import FAMILIES, demo

from chronoscore.families import family
from chronoscore.reports.html.explained import Explained
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.html.page import Declared
from chronoscore.reports.html.report import Pages, report
from chronoscore.timelines.pages import PAGES


def page_with(section: Declared[Explained]) -> str:
    pages = replace(PAGES, sections=(*PAGES.sections, section))
    scored = demo("timelines")
    of = replace(family("timelines"), pages=lambda: pages)
    return report(of, scored.result, scored.matches, scored.texts)


def test_a_section_is_on_the_page_and_in_its_navigation() -> None:
    text = page_with(("sizes", "How large", lambda one: tag("p", f"{len(one.cases)} cases")))
    assert '<a href="#sizes">How large</a>' in text
    assert '<h2 id="sizes-title">How large</h2>\n<p>10 cases</p>' in text


def test_a_section_with_nothing_to_show_is_left_out() -> None:
    assert "sizes" not in page_with(("sizes", "How large", lambda _: Html("")))


def test_every_family_has_pages() -> None:
    for name in FAMILIES:
        assert Pages.of(family(name)).sections
