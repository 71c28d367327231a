"""From event to event without loading a page: nothing is lost, doubled or overwritten."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_checks
import pytest
from workbench.browsing import Site, Window, playwright_or_skip

from chronoscore.workbench import serving
from chronoscore.workbench.store import batches, judgements, people, projects
from chronoscore.workbench.store.judgements import EventAnswer

playwright = playwright_or_skip()
expect = playwright.expect

BEST, WORST = "[1,1,1,3,3]", "[0,0,0,1,1]"


@pytest.fixture
def judging(site: Site) -> Iterator[Window]:
    """The owner at the first event of the demo, with the next three fetched."""
    with site.window(site.owner_link, "/judge/1/1") as window:
        window.ready()
        window.fetched(2, 3, 4)
        yield window


def save_elsewhere(site: Site, place: int, values: str = WORST) -> None:
    """Save an event as another device of the owner does, of which the browser hears nothing."""
    owner = people.owner(site.store)
    batch = batches.find(site.store, owner, 1)
    assert batch is not None
    answer = EventAnswer(0, tuple(json.loads(values)))
    judgements.save(site.store, owner, batch, place, f"elsewhere-{place}", answer)


class Held:
    """Saves of an event that are on their way until they are let go."""

    def __init__(self, page: Any, place: int) -> None:
        self.routes: list[Any] = []
        page.route(f"**/judge/1/{place}", self.hold)

    def hold(self, route: Any) -> None:
        if route.request.method == "POST" and self.routes is not None:
            self.routes.append(route)
        else:
            route.continue_()

    def let_go(self) -> None:
        waiting, self.routes = self.routes, None  # type: ignore[assignment]
        for route in waiting:
            route.continue_()


def status(page: Any) -> Any:
    return page.locator("#status")


def checked(page: Any) -> int:
    return int(page.locator("fieldset.criterion input:checked").count())


def test_no_page_is_loaded_and_a_judgement_takes_two_requests(site: Site, judging: Window) -> None:
    page = judging.page
    page.evaluate("window.same = 'page'")
    before = len(judging.requests)
    for place in range(1, 7):
        judging.judge("11133s")
        judging.fetched(*range(place + 2, place + 5))
        expect(page.locator(".trail progress")).to_have_attribute("value", str(place))
    assert len(judging.requests) - before == 2 * 6
    assert page.evaluate("window.same") == "page"
    assert page.title().startswith("7 of 134")
    assert site.saved() == [BEST] * 6


def test_keys_typed_without_a_pause_judge_event_after_event(site: Site, judging: Window) -> None:
    judging.press("11133s00011s10122s")
    judging.page.wait_for_url("**/judge/1/4")
    expect(status(judging.page)).to_have_text("event 3 saved")
    assert site.saved() == [BEST, WORST, "[1,0,1,2,2]"]


def test_an_answer_is_called_saved_only_when_it_is(site: Site, judging: Window) -> None:
    page = judging.page
    held = Held(page, 1)
    judging.press("11133s")
    page.wait_for_url("**/judge/1/2")
    expect(status(page)).to_have_text("saving event 1 ...")
    assert site.saved() == []
    held.let_go()
    expect(status(page)).to_have_text("event 1 saved")
    assert site.saved() == [BEST]


def test_an_acknowledgement_leaves_the_event_in_the_page_alone(site: Site, judging: Window) -> None:
    page = judging.page
    held = Held(page, 1)
    judging.press("11133s00")
    held.let_go()
    expect(page.locator(".trail progress")).to_have_attribute("value", "1")
    expect(status(page)).to_have_text("not saved yet")
    assert checked(page) == 2
    page.reload()
    judging.ready()
    assert checked(page) == 2
    assert site.saved() == [BEST]


def test_an_event_changed_twice_before_it_is_acknowledged_ends_as_the_last(
    site: Site, judging: Window
) -> None:
    page = judging.page
    held = Held(page, 1)
    judging.press("11133s")
    for first in "01":
        page.keyboard.press("p")
        page.wait_for_url("**/judge/1/1")
        assert checked(page) == 5
        page.locator("fieldset.criterion").first.focus()
        judging.press(f"{first}s")
        page.wait_for_url("**/judge/1/2")
    held.let_go()
    expect(status(page)).to_have_text("event 1 saved")
    page.keyboard.press("p")
    page.wait_for_url("**/judge/1/1")
    expect(page.locator("details.history summary")).to_have_text("3 saves")
    assert site.saved() == [BEST, "[0,1,1,3,3]", BEST]


def test_a_change_typed_while_it_is_saved_is_not_called_saved(site: Site, judging: Window) -> None:
    page = judging.page
    held = Held(page, 1)
    judging.press("11133sp")
    page.wait_for_url("**/judge/1/1")
    expect(status(page)).to_have_text("saving ...")
    page.locator("fieldset.criterion").first.focus()
    page.keyboard.press("0")
    held.let_go()
    expect(page.locator(".trail progress")).to_have_attribute("value", "1")
    expect(status(page)).to_have_text("not saved yet")
    judging.judge("s")
    assert site.saved() == [BEST, "[0,1,1,3,3]"]


def test_a_reload_in_the_middle_of_a_save_loses_and_doubles_nothing(
    site: Site, judging: Window
) -> None:
    judging.expected = ("ERR_FAILED", "Failed to fetch")
    page = judging.page
    lost: list[Any] = []

    def swallow(route: Any) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch())  # the server has it, the browser never hears of it
        else:
            route.continue_()

    page.route("**/judge/1/1", swallow)
    judging.press("11133s0")
    page.wait_for_url("**/judge/1/2")
    page.reload()
    judging.ready()
    expect(status(page)).to_have_text("your unsaved answers are back")
    page.get_by_label("Previous event").click()
    page.get_by_label("Previous event").click()  # the first click asks
    page.wait_for_url("**/judge/1/1")
    expect(page.locator("details.history summary")).to_have_text("1 save")
    assert checked(page) == 5
    assert site.saved(1) == [BEST]


def test_two_tabs_that_send_the_same_answers_save_each_once(site: Site, judging: Window) -> None:
    judging.expected = ("ERR_INTERNET_DISCONNECTED", "Failed to fetch")
    first = judging.page
    second = judging.ready("/judge/1/9", judging.tab())
    judging.context.set_offline(True)
    judging.press("11133s00011s", first)
    expect(first.locator("#unsent")).to_have_text("2 answers wait to be sent")
    first.keyboard.press("p")
    first.wait_for_url("**/judge/1/2")
    first.locator("fieldset.criterion").first.focus()
    judging.press("1s", first)
    judging.context.set_offline(False)
    for page in (first, second):
        page.evaluate("dispatchEvent(new Event('online'))")
    expect(status(first)).to_have_text("event 2 saved", timeout=15000)
    for page in (first, second):
        expect(page.locator("#unsent")).to_be_hidden()
    assert site.saved(1) == [BEST]
    assert site.saved(2) == [WORST, "[1,0,0,1,1]"]
    names = first.evaluate("Object.keys(localStorage).filter((name) => /outbox|draft/.test(name))")
    assert names == []


def test_a_page_fetched_ahead_that_is_out_of_date_leads_to_a_conflict(
    site: Site, judging: Window
) -> None:
    judging.expected = ("409",)
    page = judging.page
    save_elsewhere(site, 2)
    judging.judge("11133s")
    assert checked(page) == 0
    judging.press("11133s")
    page.wait_for_url("**/judge/1/3")
    expect(page.locator("#unsent")).to_have_text("Not saved: event 2 (saved elsewhere meanwhile)")
    assert site.saved(2) == [WORST]
    page.reload()
    page.get_by_role("link", name="event 2").click()
    clash = page.locator("#clash")
    expect(clash.locator("tr.differs")).to_have_count(5)
    page.keyboard.press("s")
    expect(status(page)).to_have_text("Choose one of the two versions first.")
    page.get_by_role("button", name="Keep mine").click()
    expect(status(page)).to_have_text("saved")
    expect(page.locator("#unsent")).to_be_hidden()
    assert site.saved(2) == [WORST, BEST]


def test_an_answer_that_is_refused_is_kept_and_named(site: Site, judging: Window) -> None:
    judging.expected = ("423",)
    page = judging.page
    with site.store.writing() as connection:
        connection.execute("UPDATE submissions SET at = '2024-01-01T00:00:00Z'")
    judging.press("11133s")
    expect(page.locator("#unsent")).to_contain_text("event 1 (This batch was submitted")
    with site.store.writing() as connection:
        connection.execute("UPDATE submissions SET at = ''")
    page.get_by_role("link", name="event 1").click()
    page.wait_for_url("**/judge/1/1")
    expect(status(page)).to_have_text("your unsaved answers are back")
    judging.judge("s")
    assert site.saved() == [BEST]


def test_pages_fetched_before_a_new_login_still_save(site: Site, judging: Window) -> None:
    judging.expected = ("403",)
    judging.let_in(site.owner_link)
    judging.judge("11133s")
    judging.judge("00011s")
    assert site.saved() == [BEST, WORST]


def test_nothing_is_saved_in_another_person_s_session(site: Site, judging: Window) -> None:
    judging.expected = ("403", "404")
    page = judging.page
    judging.let_in(site.link("ana", 1))
    judging.press("11133s")
    expect(status(page)).to_contain_text("event 1 is not saved: This form is out of date")
    expect(page.locator("#unsent")).to_contain_text("1 answer waits to be sent")
    assert site.saved() == []
    judging.let_in(site.owner_link)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator("#unsent")).to_be_hidden()
    assert site.saved() == [BEST]


def test_without_a_connection_the_pages_in_memory_can_be_judged_and_no_more(
    site: Site, judging: Window
) -> None:
    judging.expected = ("ERR_INTERNET_DISCONNECTED", "Failed to fetch")
    page = judging.page
    judging.context.set_offline(True)
    judging.press("11133s" * 4)
    page.wait_for_url("**/judge/1/4")
    expect(status(page)).to_contain_text("No connection: event 5 can't be shown yet")
    expect(page.locator("#unsent")).to_have_text("4 answers wait to be sent")
    assert checked(page) == 5
    judging.context.set_offline(False)
    expect(page.locator("#unsent")).to_be_hidden(timeout=15000)
    page.keyboard.press("s")
    page.wait_for_url("**/judge/1/5")
    assert site.saved() == [BEST] * 4


def test_a_page_that_needs_a_login_is_loaded_really(site: Site, judging: Window) -> None:
    judging.expected = ("401",)
    page = judging.page
    judging.context.clear_cookies()
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_url("**/judge/1/4")
    page.keyboard.press("n")
    page.wait_for_url("**/enter")


def test_back_and_forward_go_from_event_to_event(judging: Window) -> None:
    page = judging.page
    page.evaluate("window.same = 'page'")
    judging.judge("11133s")
    judging.judge("00011s")
    page.go_back()
    expect(page.locator("#judge")).to_have_attribute("data-url", "/judge/1/2")
    page.go_back()
    expect(page.locator("#judge")).to_have_attribute("data-url", "/judge/1/1")
    assert checked(page) == 5
    page.go_forward()
    expect(page.locator("#judge")).to_have_attribute("data-url", "/judge/1/2")
    assert page.evaluate("window.same") == "page"


def test_the_overview_counts_the_last_answer(site: Site, judging: Window) -> None:
    page = judging.ready("/judge/1/134")
    judging.press("11133s")
    page.wait_for_url("**/judge/1/all")
    expect(page.locator(".lead")).to_contain_text("1 of 134 events judged")


def test_the_overview_names_events_that_are_not_saved(judging: Window) -> None:
    page = judging.page
    judging.press("11")
    page.get_by_title("all events").click()
    expect(page.locator("#waiting")).to_contain_text(
        "Not saved, but kept in this browser: event 1."
    )
    page.locator("#waiting").get_by_role("link", name="event 1").click()
    judging.ready()
    assert checked(page) == 2


def test_a_new_event_is_in_focus_and_announced(judging: Window) -> None:
    page = judging.page
    page.keyboard.press("n")
    expect(page.locator(".event h1")).to_be_focused()
    expect(page.locator("#announcement")).to_have_text("Event 2 of 134")
    assert page.evaluate("document.getElementById('announcement').getAttribute('role')") == "status"


def test_a_digit_that_is_not_on_the_scale_is_pointed_out(judging: Window) -> None:
    page = judging.page
    page.keyboard.press("4")
    first = page.locator("fieldset.criterion").first
    animation = "getComputedStyle(document.querySelector('.flash')).animationName"
    assert page.evaluate(animation) == "flash"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(animation) == "none"
    expect(status(page)).to_have_text("4 is not on this scale: 0 or 1")
    judging.press("1114")
    expect(status(page)).to_have_text("4 is not on this scale: 1, 2 or 3")
    expect(page.locator("#announcement")).to_have_text("4 is not on this scale: 1, 2 or 3")
    expect(first).not_to_have_class("flash")
    assert checked(page) == 3


@pytest.mark.parametrize("key", ["s", "n", "p", "button"])
def test_going_on_with_missing_answers_asks_once(site: Site, judging: Window, key: str) -> None:
    page = judging.page
    page.keyboard.press("n")

    def go() -> None:
        if key == "button":
            page.get_by_role("button", name="Save and go on").click()
        else:
            page.keyboard.press(key)

    judging.press("111")
    go()
    expect(status(page)).to_have_text(
        "No answer yet for Clarity, Relevance to the story. Press again to go on without."
    )
    assert page.url.endswith("/judge/1/2")
    assert site.saved() == []
    go()
    page.wait_for_url(f"**/judge/1/{1 if key == 'p' else 3}")
    expect(status(page)).to_have_text("event 2 saved")
    assert site.saved() == ["[1,1,1,null,null]"]


def test_a_key_that_is_held_down_goes_on_once(judging: Window) -> None:
    page = judging.page
    for _ in range(5):
        page.keyboard.down("n")
    page.keyboard.up("n")
    expect(page.locator("#judge")).to_have_attribute("data-url", "/judge/1/2")
    page.keyboard.press("s")
    expect(status(page)).to_contain_text("No answer yet for any criterion")


def box(page: Any, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.locator(selector).first.bounding_box()
    return found


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1366, 650), (1280, 600)])
def test_the_evidence_is_in_sight_when_an_event_opens(
    judging: Window, width: int, height: int
) -> None:
    page = judging.page
    page.set_viewport_size({"width": width, "height": height})
    seen = 0
    for place in range(1, 12):
        if place > 1:
            page.keyboard.press("n")
            page.wait_for_url(f"**/judge/1/{place}")
        mark = page.locator(".article mark.evidence, .article mark.time")
        evidence = page.locator(".article mark.evidence")
        if not mark.count():
            continue
        seen += 1
        target = (evidence if evidence.count() else mark).first.bounding_box()
        article = box(page, ".article")
        assert article["y"] - 1 <= target["y"], place
        assert target["y"] + target["height"] <= article["y"] + article["height"] + 1, place
    assert seen > 5


def test_the_comment_and_the_article_have_room(judging: Window) -> None:
    page = judging.page
    page.set_viewport_size({"width": 1280, "height": 800})
    comment, buttons = box(page, "textarea"), box(page, ".criteria .buttons")
    assert comment["y"] + comment["height"] <= buttons["y"]
    page.set_viewport_size({"width": 1366, "height": 650})
    assert box(page, ".article")["height"] >= 0.4 * 650
    assert box(page, ".article .text")["width"] >= 500


def test_the_calendar_folds_and_stays_folded(judging: Window) -> None:
    page = judging.page
    before = box(page, ".article")["height"]
    page.locator("#calendar > summary").click()
    assert box(page, ".article")["height"] > before
    page.keyboard.press("n")
    expect(page.locator("#calendar .month")).to_be_hidden()
    page.reload()
    judging.ready()
    expect(page.locator("#calendar .month")).to_be_hidden()
    page.locator("mark.time").first.click()
    expect(page.locator("#calendar .month")).to_be_visible()


def test_what_the_page_says_of_unsent_answers_is_accessible(site: Site, judging: Window) -> None:
    judging.expected = ("ERR_INTERNET_DISCONNECTED", "Failed to fetch", "409")
    page = judging.page
    save_elsewhere(site, 1)
    judging.press("11133s")
    expect(page.locator("#unsent")).to_be_visible()
    page.keyboard.press("7")
    assert axe_checks.findings(page) == []
    page.get_by_role("link", name="event 1").click()
    expect(page.locator("#clash")).to_be_visible()
    assert axe_checks.findings(page) == []


def test_right_to_left_texts_run_from_right_to_left(browser: Any, tmp_path: Path) -> None:
    event = {"id": "e", "text": "انهار الجسر يوم الاثنين", "type": "انهيار", "article": "a",
             "date": "2024-03-04", "span": [0, 11]}  # fmt: skip
    article = {"id": "a", "title": "انهيار جسر في المدينة", "published": "2024-03-07",
               "text": "انهار الجسر يوم الاثنين، وفق الشرطة."}  # fmt: skip
    for name, record in (("events", event), ("articles", article)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    with serving.running(tmp_path / "workbench.db") as (store, address):
        site = Site(store, address, browser)
        with site.window(site.owner_link) as window:
            page = window.page
            page.locator("input[name=events]").set_input_files([tmp_path / "events.jsonl"])
            page.locator("input[name=articles]").set_input_files([tmp_path / "articles.jsonl"])
            page.get_by_role("button", name="Import and preview").click()
            page.get_by_role("button", name="Make this batch").click()
            window.ready("/judge/1/1")
            page.locator("textarea").fill("التاريخ صحيح")
            for selector in (".event h1", ".article h2", ".article .text", "textarea"):
                direction = "one => getComputedStyle(one).direction"
                assert page.locator(selector).evaluate(direction) == "rtl", selector
            assert page.locator(".criterion legend").first.evaluate(direction) == "ltr"


def take_as_submitted(site: Site, *, back: bool = False) -> None:
    owner = people.owner(site.store)
    batch = batches.find(site.store, owner, 1)
    assert batch is not None
    (batches.give_back if back else batches.submit)(site.store, owner, batch, owner)


def archive(site: Site, *, back: bool = False) -> None:
    (projects.unarchive if back else projects.archive)(site.store, people.owner(site.store), 1)


@pytest.mark.parametrize("close", [take_as_submitted, archive])
@pytest.mark.parametrize("there", ["/", "/judge/1/all"])
def test_what_waited_while_the_batch_was_closed_is_named_and_can_be_saved_when_it_is_open_again(
    site: Site, judging: Window, close: Any, there: str
) -> None:
    judging.expected = ("423", "ERR_INTERNET_DISCONNECTED")
    page = judging.page
    judging.context.set_offline(True)
    judging.press("11133s")
    expect(page.locator("#unsent")).to_contain_text("1 answer waits to be sent")
    close(site)
    # The browser is closed, and opened another day.
    page.goto("about:blank")
    judging.context.set_offline(False)
    page.goto(f"{site.address}{there}")
    expect(page.locator("#waiting")).to_contain_text("Not saved, but kept in this browser: event 1")
    expect(page.locator("#waiting")).to_contain_text(
        "archived" if close is archive else "submitted"
    )
    assert site.saved() == []
    close(site, back=True)
    page.locator("#waiting a").click()
    judging.ready()
    expect(status(page)).to_have_text("your unsaved answers are back")
    judging.fetched(2)
    judging.judge("s")
    assert site.saved() == [BEST]


def test_a_draft_outlives_the_acknowledgement_of_an_earlier_save_that_says_the_same(
    site: Site, judging: Window
) -> None:
    """Answered, changed, changed back: the last of three saves is refused, and must not be lost."""
    judging.expected = ("423",)
    page = judging.page
    posts: list[Any] = []

    def close_before_the_third(route: Any) -> None:
        if route.request.method == "POST":
            posts.append(route)
            if len(posts) == 1:
                return  # it is let go below
            if len(posts) == 3:
                take_as_submitted(site)
        route.continue_()

    page.route("**/judge/1/1", close_before_the_third)
    for keys in ("11133", "00011", "11133"):
        if not page.url.endswith("/1"):
            judging.press("p")
            page.wait_for_url("**/judge/1/1")
        judging.press(f"{keys}s")
        page.wait_for_url("**/judge/1/2")
    posts[0].continue_()
    expect(page.locator("#unsent")).to_contain_text("Not saved: event 1 (This batch was submitted")
    assert site.saved(1) == [BEST, WORST]
    take_as_submitted(site, back=True)
    judging.ready("/judge/1/1")
    page.get_by_role("button", name="Keep mine").click()
    expect(status(page)).to_have_text("saved")
    assert site.saved(1) == [BEST, WORST, BEST]
