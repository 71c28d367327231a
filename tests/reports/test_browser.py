"""The page in a real browser: nothing is fetched, what is drawn is what was scored."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from reports.browsing import chromium, playwright
from reports.made import FAMILIES, demo, timelines_of, write_report
from reports.test_html import NASTY, nasty
from rubric.judging import cases_of
from rubric.test_agreement_study import drawn

from chronoscore import Time
from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.scoring import Scored, score
from chronoscore.engines.settings import Settings
from chronoscore.families import family
from chronoscore.rubric.judgements import Judgement


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


OPEN_ALL = """([system, against]) => {
    const [board] = boards;
    board.opened.clear();
    if (system >= 0) board.change({ system, against });
    for (const place of board.data.cases.keys()) board.toggle(place);
}"""


class Opened:
    """A page, what it asked the network for, and what it complained of."""

    def __init__(self, browser: Any, scored: Scored, path: Path, **context: Any) -> None:
        write_report(scored.result, scored.matches, scored.texts, path)
        self.page = browser.new_context(**context).new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text))
        self.page.on("dialog", lambda dialog: self.errors.append(dialog.message))
        self.page.goto(path.as_uri())
        self.own = path.as_uri()

    def close(self) -> None:
        assert self.errors == []
        assert [url for url in self.requests if url.split("#")[0] != self.own] == []
        self.page.context.close()

    def choose(self, name: str, label: str) -> None:
        self.page.locator(".tools").get_by_label(name, exact=True).select_option(label=label)

    def open_all(self, system: int = -1, against: int = -1) -> None:
        """Open every case with these systems, by their places; with those that are chosen if -1."""
        self.page.evaluate(OPEN_ALL, [system, against])


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opened]:
    found = Opened(browser, demo(), tmp_path / "page.html")
    yield found
    found.close()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_phone_needs_no_sideways_scrolling_and_every_case_opens(
    browser: Any, tmp_path: Path, name: str
) -> None:
    scored = demo(name)
    phone = {"width": 390, "height": 844}
    found = Opened(browser, scored, tmp_path / "page.html", viewport=phone)
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
    found.page.set_viewport_size({"width": 1280, "height": 720})
    rows = found.page.locator(".matrix tbody tr[data-case]")
    assert rows.count() == len({row.case for one in scored.result.systems for row in one.rows})
    found.open_all()
    heights = found.page.locator(".opened .inside").evaluate_all(
        "all => all.map((one) => one.lastElementChild.getBoundingClientRect().height)"
    )
    assert len(heights) == rows.count()
    assert min(heights) > 0
    found.page.set_viewport_size({"width": 375, "height": 844})
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 375
    found.close()


def test_links_are_the_matches(opened: Opened) -> None:
    scored, page = demo(), opened.page
    names = [system.name for system in scored.result.systems]
    counts = """() => Object.fromEntries([...boards[0].opened.values()].map((one) => [
        boards[0].data.cases[one.place],
        [0, 1].map((n) => one.inside.querySelectorAll(`.link[data-system="${n}"]`).length),
    ]))"""
    for metric in scored.result.metrics:
        opened.choose("Metric", metric.label)
        for side in ("precision", "recall"):
            page.locator(".tools .switch").get_by_text(side).click()
            for one, other in ((0, 1), (2, 0)):
                opened.open_all(one, other)
                drawn = page.evaluate(counts)
                for item in scored.matches:
                    if item.metric == metric.name and item.system in (names[one], names[other]):
                        linked = [
                            m for m in item.matches if m.side == side and m.gold and m.predicted
                        ]
                        at = (names[one], names[other]).index(item.system)
                        assert drawn[item.case][at] == len(linked)


def test_loss_parts_add_up_on_the_page(opened: Opened) -> None:
    page = opened.page
    opened.open_all()
    blocks = page.evaluate(
        "() => [...document.querySelectorAll('.loss')].map((one) => ["
        "one.querySelector('b').textContent, Number(one.dataset.possible),"
        "[...one.querySelectorAll('dd')].map((cell) => Number(cell.textContent))])"
    )
    assert len(blocks) == 10 * 2
    for title, possible, parts in blocks:
        assert sum(parts) == pytest.approx(possible)
        assert float(title.split()[1]) == pytest.approx(parts[0] / possible, abs=5e-4)
    rows = page.evaluate(
        "() => [...document.querySelectorAll('.losses tbody tr')].map((row) =>"
        "[...row.querySelectorAll('td.number')].map((cell) => Number(cell.textContent)))"
    )
    assert len(rows) == 3 * 3 * 2
    for parts in rows:
        assert sum(parts) == pytest.approx(1)


HERE = "(document.activeElement.getAttribute('class') || '')"


def tab_to(page: Any, kind: str) -> None:
    """Press Tab until something of this kind has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if kind in page.evaluate(HERE).split():
            return
    pytest.fail(f"Tab never reaches a {kind}")


def test_tab_reaches_days_and_links_and_shows_their_texts(opened: Opened) -> None:
    page = opened.page
    page.locator(".close").first.focus()
    tab_to(page, "day")
    assert page.evaluate(HERE) == "day gold on"
    panel = page.locator(".panel").first
    assert panel.get_attribute("aria-live") == "polite"
    playwright.expect(panel.locator(".text.gold")).to_contain_text("reactor")
    assert panel.locator("mark").count() > 0
    first = panel.inner_text()
    page.keyboard.press("ArrowRight")
    assert panel.inner_text() != first
    page.keyboard.press("ArrowDown")
    assert "predicted" in page.evaluate(HERE)
    tab_to(page, "link")
    assert panel.locator(".text").count() == 2


def test_hovering_shows_what_both_sides_say(opened: Opened) -> None:
    opened.page.locator(".day.predicted").last.hover()
    panel = opened.page.locator(".panel").first
    playwright.expect(panel.locator(".text.predicted")).to_be_visible()


def test_marked_words_are_those_that_both_sides_have(browser: Any, tmp_path: Path) -> None:
    gold = Timeline.of({date(2001, 1, 1): ["Children left the parliament <with children"]})
    said = Timeline.of({date(2001, 1, 1): ["One child of the parliaments"]})
    found = Opened(browser, timelines_of({"s": {"t": (gold, said)}}), tmp_path / "page.html")
    found.page.locator(".day.gold").focus()
    marks = found.page.locator(".panel mark").all_inner_texts()
    assert marks == ["Children", "parliament", "child", "parliaments"]
    found.close()


def test_characters_and_clusters_are_marked_not_clauses(browser: Any, tmp_path: Path) -> None:
    gold = Timeline.of({date(2001, 1, 1): ["缅甸军方实施😀 เมืองไทย", "Die MASSE wächst"]})
    said = Timeline.of({date(2001, 1, 1): ["😀军方宣布 ชาวไทย", "Maße wachsen"]})
    scored = timelines_of({"s": {"t": (gold, said)}}, ["concat(text=words)", "align(text=words)"])
    found = Opened(browser, scored, tmp_path / "page.html")
    found.page.locator(".matrix tbody td").nth(1).click()
    found.page.locator(".day.gold").focus()
    marks = found.page.locator(".panel mark").all_inner_texts()
    assert marks == ["军方", "ไทย", "MASSE", "军方", "ไทย", "Maße"]
    found.close()


def told(
    browser: Any, path: Path, gold: str, said: str, grain: str = "day", **reading: Any
) -> tuple[Opened, Any]:
    """The page of one topic whose entries have these dates, and the words below its axis."""
    sides = [
        Timeline.of({Time.parse(text, **reading): ["a day"] for text in side.split()})
        for side in (gold, said)
    ]
    options = {"time_unit": reading["unit"]} if reading else {}
    metrics = [f"align+m:1(grain={grain})", f"date-f1(grain={grain})"]
    scored = timelines_of({"s": {"t": (sides[0], sides[1])}}, metrics, options=options)
    found = Opened(browser, scored, path)
    return found, found.page.locator(".axis text:not(.gap)").all_text_contents()


def test_months_and_years_are_wide(browser: Any, tmp_path: Path) -> None:
    found, words = told(browser, tmp_path / "page.html", "2001-02 2002", "2001-02-03 2003-01-01")
    assert found.page.locator(".day.gold rect.dot").count() == 2
    assert found.page.locator(".day.predicted circle.dot").count() == 2
    assert words == ["Feb 2001", "2002", "1 Jan 2003"]
    found.close()


def test_times_of_day_are_told_apart(browser: Any, tmp_path: Path) -> None:
    gold = "2011-01-25T13:45 2011-01-25T18 2011-01-28T09:00"
    found, words = told(browser, tmp_path / "page.html", gold, "2011-01-25T13:50", "minute")
    assert words == ["13:45 on 25 Jan 2011", "18h", "09:00 on 28 Jan 2011"]
    assert found.page.locator(".axis .gap").all_text_contents() == [
        "4 hours",
        "59 minutes",
        "3 days",
    ]
    places = found.page.locator(".day circle.dot").evaluate_all(
        "all => all.map((dot) => Number(dot.getAttribute('cx')))"
    )
    assert len(set(places)) == 3
    found.page.locator(".day.predicted").focus()
    heading = found.page.locator(".panel .text.predicted h4")
    playwright.expect(heading).to_contain_text("13:50 on 25 Jan 2011")
    found.close()


def test_words_below_the_axis_are_within_the_picture(browser: Any, tmp_path: Path) -> None:
    gold = "2024-03-01T09:00:30Z 2024-03-01T09:30Z 2024-03-02T04:30Z"
    found, words = told(browser, tmp_path / "page.html", gold, "2024-03-01T09:01Z", "minute")
    assert words[-1] == "04:30 UTC on 2 Mar 2024"
    assert found.page.locator(".axis .gap").all_text_contents() == ["19 hours"]
    assert found.page.locator(".axis").first.evaluate(
        "g => g.getBBox().x >= 0 && g.getBBox().x + g.getBBox().width <= "
        "g.ownerSVGElement.viewBox.baseVal.width"
    )
    found.close()


def test_text_is_written_in_the_direction_of_its_script(browser: Any, tmp_path: Path) -> None:
    gold = Timeline.of({date(2001, 1, 1): ["استقالة الرئيس.", "He resigns."]})
    found = Opened(browser, timelines_of({"s": {"t": (gold, gold)}}), tmp_path / "page.html")
    found.page.locator(".day.gold").focus()
    directions = found.page.locator(".panel .text.gold p").evaluate_all(
        "all => all.map((line) => getComputedStyle(line).direction)"
    )
    assert directions == ["rtl", "ltr"]
    found.close()


def test_centuries_and_years_before_christ_fit_one_axis(browser: Any, tmp_path: Path) -> None:
    found, words = told(browser, tmp_path / "page.html", "-0043-03-15 1066-10-14", "1789")
    assert words == ["15 Mar 44 BC", "14 Oct 1066", "1789"]
    gaps = found.page.locator(".axis .gap").all_text_contents()
    assert gaps == ["1110 years", "722 years", "12 months"]
    found.close()


def test_offsets_are_drawn_in_their_unit(browser: Any, tmp_path: Path) -> None:
    reading = {"dialect": "offset", "unit": "hour"}
    found, words = told(browser, tmp_path / "page.html", "-72 0 24/48", "1.5", **reading)
    assert words == ["-72 h", "0 h", "1.5 h", "24 h"]
    assert found.page.locator(".day.gold rect.dot").count() == 1
    found.close()


def test_ends_without_a_bound_are_arrows(browser: Any, tmp_path: Path) -> None:
    gold = "../2011-01-14 2011-01-25/2011-02-11 2011-03/.."
    found, words = told(browser, tmp_path / "page.html", gold, "2011-02-12")
    assert words == ["14 Jan 2011", "25 Jan", "12 Feb", "Mar"]
    assert found.page.locator(".day.gold path.dot").count() == 2
    assert found.page.locator(".day.gold rect.dot").count() == 1
    boxes = [found.page.locator(".day.gold").nth(at).bounding_box() for at in (0, 2)]
    frame = found.page.locator("svg.picture").bounding_box()
    assert boxes[0]["x"] > frame["x"]
    assert boxes[1]["x"] + boxes[1]["width"] <= frame["x"] + frame["width"]
    found.close()


def test_dark_and_light(opened: Opened) -> None:
    page = opened.page
    color = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(color)
    page.locator("#theme").click()
    dark = page.evaluate(color)
    assert dark != light
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    page.locator("#theme").click()
    assert page.evaluate(color) == light


def test_follows_the_reader_who_likes_it_dark(browser: Any, tmp_path: Path) -> None:
    found = Opened(browser, demo(), tmp_path / "page.html", color_scheme="dark")
    assert found.page.locator("#theme").get_attribute("aria-pressed") == "true"
    found.close()


def test_print_shows_what_is_open(browser: Any, tmp_path: Path) -> None:
    day = Timeline.of({date(2001, 1, 1): ["a day"]})
    scored = timelines_of({"s": {"one": (day, day), "two": (day, day), "three": (day, day)}})
    found = Opened(browser, scored, tmp_path / "page.html")
    found.page.locator("tr[data-case] > th").nth(1).click()
    found.page.emulate_media(media="print")
    assert found.page.locator("svg.picture").count() == 2
    assert found.page.locator("svg.picture").last.is_visible()
    assert not found.page.locator(".tools").is_visible()
    assert found.page.pdf()[:4] == b"%PDF"
    found.close()


def test_nasty_texts_stay_inert(browser: Any, tmp_path: Path) -> None:
    found = Opened(browser, nasty(), tmp_path / "page.html")
    found.page.locator(".day.gold").first.focus()
    assert found.page.locator(".panel .text p").first.inner_text() == NASTY
    assert found.page.locator("img").count() == 0
    found.close()


def test_judgements_of_many_people_fit_a_phone(browser: Any, tmp_path: Path) -> None:
    scored = score(Settings.make(family("rubric")), cases_of(drawn(people=4)), explain=True)
    phone = {"width": 390, "height": 844}
    found = Opened(browser, scored, tmp_path / "page.html", viewport=phone, color_scheme="dark")
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert found.page.locator(".heat").count() == 5
    found.close()


def test_a_judgement_shows_its_event_and_comment(browser: Any, tmp_path: Path) -> None:
    made = Judgement("e1", "ana", (1, 1, 1, 3, 3), text=NASTY, comment="two\nlines", article="a1")
    scored = score(Settings.make(family("rubric")), cases_of([made]), explain=True)
    found = Opened(browser, scored, tmp_path / "page.html")
    facts = found.page.locator(".facts div").all_inner_texts()
    assert [fact.split("\n")[0] for fact in facts] == ["event", "article", "comment"]
    assert NASTY.split()[0] in facts[0]
    assert "two" in facts[2]
    assert found.page.locator("img").count() == 0
    found.close()
