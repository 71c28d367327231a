"""The workbench in a real browser: by key, by hand, without a connection, in two tabs."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from workbench.browsing import Site, Window, playwright_or_skip

from chronoscore.cli.main import command
from chronoscore.demo import SYSTEMS, home
from chronoscore.workbench import serving

playwright = playwright_or_skip()
expect = playwright.expect


@pytest.fixture
def empty(browser: Any, tmp_path: Path) -> Iterator[Site]:
    """A first start."""
    with serving.running(tmp_path / "workbench.db") as (store, address):
        yield Site(store, address, browser)


@pytest.fixture
def judging(site: Site) -> Iterator[Window]:
    """The owner at the first event of the demo."""
    with site.window(site.owner_link, "/judge/1/1") as window:
        window.ready()
        yield window


def press(page: Any, keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_first_start_to_first_judgement_in_under_ten_actions(empty: Site) -> None:
    with empty.window() as window:
        page, actions = window.page, 0

        def did(_: object) -> None:
            nonlocal actions
            actions += 1

        did(page.goto(empty.owner_link))
        did(page.get_by_role("button", name="Come in").click())
        did(page.get_by_role("button", name="Try it with the demo").click())
        window.ready()
        for key in "11133s":
            did(page.keyboard.press(key))
        page.wait_for_url("**/judge/*/2")
        expect(page.locator("#status")).to_have_text("event 1 saved")
        assert actions < 10
    assert empty.saved()[-1] == "[1,1,1,3,3]"


def test_own_files_are_judged_after_a_few_clicks(empty: Site) -> None:
    with empty.window(empty.owner_link) as window:
        page = window.page
        page.locator("input[name=events]").set_input_files(
            [home() / f"{name}.jsonl" for name in SYSTEMS]
        )
        page.locator("input[name=articles]").set_input_files([home() / "articles.jsonl"])
        page.get_by_role("button", name="Import and preview").click()
        expect(page.get_by_text("134 events of 3 systems, 17 articles")).to_be_visible()
        page.get_by_role("button", name="Make this batch").click()
        page.get_by_role("link", name="Chronoscore").click()
        page.get_by_role("link", name="Start judging").click()
        window.ready()


def test_wrong_files_are_told_line_by_line(empty: Site, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"id": "a"}\n{"id": 7}\n', encoding="utf-8")
    with empty.window(empty.owner_link) as window:
        window.expected = ("422",)
        window.page.locator("input[name=events]").set_input_files([wrong])
        window.page.get_by_role("button", name="Import and preview").click()
        expect(window.page.get_by_role("alert")).to_contain_text("wrong.jsonl:2")


def four_events(folder: Path) -> list[Path]:
    """The bundled events of two systems in two articles: one each."""
    files = [folder / "careful.jsonl", folder / "lead.jsonl"]
    for file in files:
        lines = (home() / file.name).read_text(encoding="utf-8").splitlines(keepends=True)
        of = ('"apollo-11-a1"', '"fall-of-the-berlin-wall-a3"')
        file.write_text("".join(one for one in lines if any(a in one for a in of)), "utf-8")
    return files


def _settle_all(window: Window) -> None:
    """Settle one difference after the other by hand, the last answer for each."""
    page = window.ready()
    while "/events/" in page.url:
        before = page.url
        for criterion in page.locator("fieldset.criterion.differs").all():
            criterion.locator("label.answer").last.click()
        page.get_by_label("a slip of the hand").check()
        page.get_by_role("button", name="Settle and go on").click()
        page.wait_for_url(lambda url, at=before: url != at)


def test_two_evaluators_disagree_adjudicate_export_and_the_command_line_agrees(
    empty: Site, tmp_path: Path
) -> None:
    with empty.window(empty.owner_link) as boss:
        page = boss.page
        page.locator("input[name=events]").set_input_files(four_events(tmp_path))
        page.locator("input[name=articles]").set_input_files([home() / "articles.jsonl"])
        page.get_by_role("button", name="Import and preview").click()
        page.get_by_label("Invite").fill("ana\nben")
        page.get_by_role("button", name="Invite").click()
        links = [page.get_by_label(f"Link for {name}").input_value() for name in ("ana", "ben")]
        page.get_by_text("Change it").click()
        page.get_by_label("calibration").check()
        page.locator("#plan input[name=size]").fill("4")
        page.locator("#plan input[name=size]").blur()
        expect(page.locator("#draft")).to_contain_text("The same 4 events go to 2 people")
        page.get_by_role("button", name="Make this batch").click()
        for link, keys in zip(links, (["11133", "10122"], ["11132", "00111"]), strict=True):
            with empty.window() as window:
                window.enter(link)
                _judge_all(window, keys)
        page.get_by_role("link", name="calibration 1").click()
        page.locator("table a").first.click()
        _settle_all(boss)
        expect(page.get_by_text("0 not settled yet")).to_be_visible()
        page.get_by_role("button", name="Close the batch").click()
        expect(page.get_by_role("heading", name="Close calibration 1?")).to_be_visible()
        page.get_by_role("button", name="Close the batch").click()
        page.get_by_role("link", name="News").or_(page.locator("main a").first).first.click()
        page.get_by_role("link", name="Agreement").click()
        page.wait_for_url("**/agreement")
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        shown = re.sub(r"\s+", " ", page.locator("main").inner_text())
        page.get_by_role("link", name="Export").click()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="ZIP").click()
        archive = Path(waiting.value.path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        files.extractall(tmp_path)
    sheet, book = str(tmp_path / "judgements.jsonl"), str(tmp_path / "codebook.json")
    run = CliRunner().invoke(command, ["agreement", sheet, "--codebook", book, "--format", "json"])
    rows = json.loads(run.stdout)["agreement"]
    assert len(rows) > 15
    for row in rows:
        value = "undef." if row["value"] is None else f"{row['value']:.3f}"
        assert f"{row['criterion']} {row['coefficient']} {value}" in shown
    run = CliRunner().invoke(command, ["rubric", sheet, "--codebook", book, "--format", "json"])
    systems = json.loads(run.stdout)["systems"]
    assert [system["name"] for system in systems] == ["careful", "lead"]
    for system in systems:
        assert f"{system['name']} {system['summaries'][0]['scores']['eqs']:.3f}" in shown


def _judge_all(window: Window, keys: list[str]) -> None:
    page = window.page
    page.get_by_role("link", name="Start judging").click()
    place = 0
    while not page.url.endswith("/all"):
        window.ready()
        before = page.url
        press(page, keys[place % len(keys)] + "s")
        page.wait_for_url(lambda url, at=before: url != at)
        place += 1
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Submit?")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Submitted. Thank you.")).to_be_visible()


def test_keys_alone_are_enough(site: Site, judging: Window) -> None:
    page = judging.page
    press(page, "g")
    expect(page.locator("fieldset.criterion").first.locator("details")).to_have_attribute(
        "open", ""
    )
    press(page, "?")
    expect(page.get_by_role("dialog")).to_be_visible()
    press(page, "?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    press(page, "109")  # 9 is no answer to the third
    expect(page.locator("#status")).to_have_text("9 is not on this scale: 0 or 1")
    press(page, "123")
    press(page, "fdc")
    page.keyboard.type("see line 3")
    page.keyboard.press("Escape")
    expect(page.locator("textarea")).to_have_value("date wrongly inferred; see line 3")
    judging.judge("s")
    press(page, "p")
    page.wait_for_url("**/judge/1/1")
    press(page, "n")
    page.wait_for_url("**/judge/1/2")
    (row,) = site.store.rows("SELECT * FROM judgements")
    assert row["said"] == "[1,0,1,2,3]"
    assert row["flag"] == 1
    assert row["comment"] == "date wrongly inferred; see line 3"


def test_a_chip_is_put_in_and_taken_out_by_its_key(judging: Window) -> None:
    page = judging.page
    press(page, "ta")
    expect(page.locator("textarea")).to_have_value("actor missing; wrong type")
    press(page, "t")
    expect(page.locator("textarea")).to_have_value("actor missing")
    expect(page.get_by_label("actor missing")).to_be_checked()


def test_a_reload_loses_nothing(site: Site, judging: Window) -> None:
    page = judging.page
    press(page, "10")
    page.locator("textarea").fill("half a thought")
    page.reload()
    judging.ready()
    expect(page.locator("#status")).to_contain_text("your unsaved answers are back")
    expect(page.locator("textarea")).to_have_value("half a thought")
    assert page.locator("fieldset.criterion input:checked").count() == 2
    press(page, "111")
    assert site.saved() == []


def test_a_lost_connection_loses_nothing(site: Site, judging: Window) -> None:
    judging.expected = ("ERR_INTERNET_DISCONNECTED", "Failed to fetch")
    page = judging.page
    judging.fetched(2)
    judging.context.set_offline(True)
    press(page, "11133s")
    expect(page.locator("#status")).to_contain_text("No connection")
    assert site.saved() == []
    judging.context.set_offline(False)
    expect(page.locator("#status")).to_have_text("event 1 saved", timeout=15000)
    assert site.saved() == ["[1,1,1,3,3]"]


def test_an_answer_that_waits_is_sent_from_the_next_page(site: Site, judging: Window) -> None:
    judging.expected = ("ERR_INTERNET_DISCONNECTED", "Failed to fetch")
    page = judging.page
    judging.fetched(2)
    judging.context.set_offline(True)
    press(page, "11133s")
    expect(page.locator("#status")).to_contain_text("No connection")
    page.evaluate("window.stop()")
    judging.context.set_offline(False)
    page.goto(f"{site.address}/judge/1/5")
    judging.ready()
    waiting = "Object.keys(localStorage).some((name) => name.includes('outbox'))"
    for _ in range(200):  # the page's policy forbids `wait_for_function` to look twice
        if not page.evaluate(waiting):
            break
        page.wait_for_timeout(50)
    assert site.saved() == ["[1,1,1,3,3]"]


def test_an_answer_whose_receipt_was_lost_is_one_row(site: Site, judging: Window) -> None:
    judging.expected = ("ERR_FAILED", "Failed to fetch")
    page = judging.page
    lost: list[Any] = []

    def swallow(route: Any) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch())  # the server has it, the browser never hears of it
            route.abort()
        else:
            route.continue_()

    page.route("**/judge/1/1", swallow)
    press(page, "11133s")
    expect(page.locator("#status")).to_have_text("event 1 saved", timeout=15000)
    assert lost[0].status == 200
    assert site.saved() == ["[1,1,1,3,3]"]


def test_it_works_where_storage_is_blocked(site: Site) -> None:
    blocked = """for (const name of ["getItem", "setItem", "removeItem"])
        Storage.prototype[name] = () => { throw new DOMException("blocked"); };"""
    with site.window() as window:
        window.context.add_init_script(blocked)
        window.enter(site.owner_link)
        window.ready("/judge/1/1")
        press(window.page, "11133s")
        window.page.wait_for_url("**/judge/1/2")  # not before it is saved
        assert site.saved() == ["[1,1,1,3,3]"]
    assert site.saved() == ["[1,1,1,3,3]"]


def test_an_answer_waits_for_the_next_session(site: Site, judging: Window) -> None:
    judging.expected = ("401",)
    judging.fetched(2)
    other = judging.tab()
    other.goto(site.address)
    other.get_by_role("button", name="Leave").click()
    expect(other.locator("main")).to_contain_text("to come back you need a new one")
    other.locator("main").get_by_role("button", name="Leave").click()
    expect(other.get_by_role("status")).to_contain_text("You left the workbench")
    page = judging.page
    press(page, "11133s")
    expect(page.locator("#status")).to_contain_text("You are not logged in")
    assert site.saved() == []
    judging.enter(site.owner_link)
    expect(page.locator("#waiting")).to_contain_text("are saved now")
    assert site.saved() == ["[1,1,1,3,3]"]


def test_a_second_tab_s_save_is_shown_as_a_conflict(site: Site, judging: Window) -> None:
    judging.expected = ("409",)
    first = judging.page
    second = judging.ready("/judge/1/1", judging.tab())
    judging.judge("00011s", second)
    press(first, "11133s")
    first.get_by_role("link", name="event 1", exact=True).click()
    clash = first.locator("#clash")
    expect(clash).to_contain_text("saved elsewhere meanwhile")
    expect(clash.locator("tr.differs")).to_have_count(5)
    first.get_by_role("button", name="Keep mine").click()
    expect(first.locator("#status")).to_have_text("saved")
    assert site.saved() == ["[0,0,0,1,1]", "[1,1,1,3,3]"]


def test_the_other_tab_s_answer_can_be_taken(site: Site, judging: Window) -> None:
    judging.expected = ("409",)
    first = judging.page
    second = judging.ready("/judge/1/1", judging.tab())
    judging.judge("00011s", second)
    press(first, "11133s")
    first.get_by_role("link", name="event 1", exact=True).click()
    first.get_by_role("button", name="Take the other").click()
    expect(first.locator("fieldset.criterion input:checked").first).to_have_value("0")
    first.reload()
    judging.ready()
    assert site.saved() == ["[0,0,0,1,1]"]


def test_undo_steps_back_before_and_after_saving(site: Site, judging: Window) -> None:
    page = judging.page
    press(page, "11")
    press(page, "u")
    assert page.locator("fieldset.criterion input:checked").count() == 1
    press(page, "u")
    assert page.locator("fieldset.criterion input:checked").count() == 0
    page.locator("fieldset.criterion").first.focus()
    judging.judge("11133s")
    judging.ready("/judge/1/1")
    page.locator("fieldset.criterion").first.focus()
    judging.judge("0s")
    judging.ready("/judge/1/1")
    expect(page.locator("fieldset.criterion input:checked").first).to_have_value("0")
    with page.expect_navigation():
        press(page, "u")
    judging.ready()
    expect(page.locator("fieldset.criterion input:checked").first).to_have_value("1")
    assert site.saved() == ["[1,1,1,3,3]", "[0,1,1,3,3]", "[1,1,1,3,3]"]


def test_the_calendar_resolves_what_is_clicked_or_typed(judging: Window) -> None:
    page = judging.page
    mark = page.locator("mark.time").first
    mark.click()
    expect(page.locator("#means li").first).to_be_visible()
    assert page.locator("td.candidate").count() >= 1
    page.locator("#resolve input").fill("last Monday")
    page.locator("#resolve input").press("Enter")
    expect(page.locator("#means")).to_contain_text("the last one before publication")
    before = page.locator(".month").inner_text()
    page.get_by_label("Earlier month").click()
    assert page.locator(".month").inner_text() != before
    page.locator("#resolve input").fill("some day")
    page.locator("#resolve input").press("Enter")
    expect(page.locator("#means")).to_contain_text("not understood")


def test_it_works_without_scripts(empty: Site) -> None:
    with empty.window(java_script_enabled=False) as window:
        page = window.enter(empty.owner_link)
        page.get_by_role("button", name="Try it with the demo").click()
        for criterion in page.locator("fieldset.criterion").all():
            criterion.locator("label.answer").last.click()
        page.get_by_label("wrong type").check()
        page.get_by_role("button", name="Save and go on").click()
        assert page.url.endswith("/2")
        page.goto(page.url.removesuffix("2") + "1")
        expect(page.locator("textarea")).to_have_value("wrong type")
        page.locator("details.history summary").click()
        page.get_by_role("button", name="Undo the last save").click()
        assert page.locator("fieldset.criterion input:checked").count() == 0


def test_a_phone_needs_no_sideways_scrolling_in_light_or_dark(site: Site) -> None:
    phone = {"width": 390, "height": 844}
    with site.window(site.owner_link, viewport=phone) as window:
        page = window.page
        paths = ["/", "/judge/1/1", "/judge/1/all", "/projects/1", "/projects/1/events"]
        paths += ["/projects/1/agreement", "/projects/1/audit", "/projects/1/export", "/batches/1"]
        for path in paths:
            page.goto(f"{site.address}{path}")
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
                color = page.evaluate("getComputedStyle(document.body).backgroundColor")
                assert (color == "rgb(20, 22, 26)") is (scheme == "dark"), path


def test_dark_is_kept_from_page_to_page(judging: Window) -> None:
    page = judging.page
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(color)
    page.locator("#theme").click()
    dark = page.evaluate(color)
    assert dark != light
    judging.ready("/judge/1/2")
    assert page.evaluate(color) == dark


def test_evil_texts_stay_inert(empty: Site, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    event = {"id": "e", "text": evil, "type": evil, "article": "a", "date": "2024-03-04"}
    article = {"id": "a", "title": evil, "text": f"{evil} on Monday", "published": "2024-03-07"}
    for name, record in (("events", event), ("articles", article)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    with empty.window(empty.owner_link) as window:
        page = window.page
        page.locator("input[name=events]").set_input_files([tmp_path / "events.jsonl"])
        page.locator("input[name=articles]").set_input_files([tmp_path / "articles.jsonl"])
        page.get_by_role("button", name="Import and preview").click()
        page.get_by_role("button", name="Make this batch").click()
        window.ready("/judge/1/1")
        page.locator("textarea").fill(evil)
        page.locator("mark.time").click()
        page.get_by_role("button", name="Save and go on").click()
        expect(page.locator("#status")).to_contain_text("No answer yet for any criterion")
        page.get_by_role("button", name="Save and go on").click()
        page.wait_for_url("**/all")
        window.ready("/judge/1/1")
        assert page.locator("h1").inner_text() == evil
        assert page.locator("img").count() == 0
