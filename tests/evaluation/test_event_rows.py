"""Event by event on the page of an evaluation: rows, what they open, and where they lead."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from reports.browsing import chromium, playwright

from chronoscore import evaluate
from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.evaluation import Evaluation
from chronoscore.evaluation.document import Credit, EvaluationDocument, EventCredit
from chronoscore.evaluation.event_rows import MOST_EVENTS, events_part
from chronoscore.evaluation.pages import evaluation_report
from chronoscore.evaluation.running import evaluate as evaluate_sources
from chronoscore.reports.html import explained
from chronoscore.reports.html.explained import case_address
from chronoscore.rubric.codebook import event_quality

GOLD = home() / "gold.jsonl"


@pytest.fixture(scope="module")
def of_demo() -> Evaluation:
    systems = {name: source_of(home() / f"{name}.jsonl") for name in ("careful", "quick")}
    return evaluate_sources(
        source_of(GOLD),
        systems,
        Problems(),
        judgements=[source_of(home() / "judgements.csv")],
        articles=source_of(home() / "articles.jsonl"),
    )


@pytest.fixture(scope="module")
def part(of_demo: Evaluation) -> str:
    return events_part(of_demo)


def row_of(part: str, event: str) -> str:
    rows: list[str] = re.findall(r"<tr>.*?</tr>", part, re.DOTALL)
    (row,) = (row for row in rows if f">{event}\n" in row)
    return row


def test_every_event_has_a_row_the_lowest_judged_first(of_demo: Evaluation, part: str) -> None:
    ids = re.findall(r'<p class="credits">(.*)\n', part)
    assert sorted(ids) == sorted(event.event for event in of_demo.document.events)
    by_id = {event.event: event for event in of_demo.document.events}
    judged = [mean for one in ids if (mean := by_id[one].mean_judgement) is not None]
    assert len(judged) > 20
    assert judged == sorted(judged)
    assert all(by_id[one].mean_judgement is None for one in ids[len(judged) :])


def test_credits_are_written_in_words_and_without_idle_zeros(part: str) -> None:
    row = row_of(part, "quick-apollo-11-01")
    assert "AR-1 precision: 2 of 6 words; AR-2 precision: 0 of 4 word pairs" in row
    assert "Date-F1 precision: 1 of 2 dates" in row
    assert "spans lenient precision: 0 of 1 annotation\n" in row
    assert "0.458 of 1 by <bdi>ana</bdi> (date 1, root 0, type 0, clarity 2, relevance 2)" in row
    assert not re.search(r"\d\.\d*0 of ", part)


def test_a_bar_shows_the_share_as_a_number_a_length_and_a_mark(part: str) -> None:
    row = row_of(part, "quick-apollo-11-01")
    assert 'share-1 length-7" data-value="0.333333" data-label="timelines">33\u00a0%<' in row
    assert 'share-0 length-0" data-value="0.0" data-label="annotations">0\u00a0%<' in row
    assert 'share-1 length-9" data-value="0.427083" data-label="judged">0.43<' in row


def test_each_family_links_to_the_case_of_the_event(of_demo: Evaluation, part: str) -> None:
    cases = {
        result.family: {row.case for system in result.systems for row in system.rows}
        for result in of_demo.document.results
    }
    links = re.findall(r'href="#(\w+)-cases\?open=([^"&]*)&amp;shows=quick"', part)
    assert {family for family, _ in links} == {*cases}
    assert all(unquote(case) in cases[family] for family, case in links)
    row = row_of(part, "quick-apollo-11-01")
    assert 'href="#annotations-cases?open=apollo-11-a1&amp;shows=quick"' in row
    assert 'href="#timelines-cases?open=apollo-11%2Fagency&amp;shows=quick"' in row
    assert 'href="#rubric-cases?open=quick-apollo-11-01%2Fana&amp;shows=quick"' in row


def test_the_address_of_a_case_holds_any_name() -> None:
    address = case_address("events-cases", "a&b=c?d#é", "s&t")
    words = dict(parse_qsl(address.removeprefix("#events-cases?")))
    assert words == {"open": "a&b=c?d#é", "shows": "s&t"}


def test_the_evidence_leads_to_the_text_of_its_article(of_demo: Evaluation, part: str) -> None:
    event = next(one for one in of_demo.document.events if one.event == "quick-apollo-11-01")
    assert event.support
    row = row_of(part, event.event)
    assert event.support.sentence in row
    (number,) = re.findall(r'<a href="#article-(\d+)">apollo-11-a1, sentence 2</a>', row)
    text = re.search(rf'<p id="article-{number}"[^>]*>(.*?)</p>', part, re.DOTALL)
    assert text
    assert event.support.sentence in text[1]


def test_a_saved_evaluation_shows_the_evidence_without_links_that_lead_nowhere(
    of_demo: Evaluation, tmp_path: Path
) -> None:
    again = Evaluation.load(of_demo.save(tmp_path / "all.json"))
    part = events_part(again)
    event = of_demo.document.events[0]
    assert event.support
    assert event.support.sentence in part
    assert "<a " not in part


def test_events_of_a_topic_without_a_name_lead_to_its_only_case() -> None:
    events = [{"id": "e1", "date": "2024-03-04", "text": "Drivers strike."}]
    answers = evaluate(events, {"ours": events})
    (link,) = re.findall(r'href="#timelines-cases\?open=([^"&]*)&', events_part(answers))
    (row,) = answers.document.results[0].systems[0].rows
    assert unquote(link) == row.case


def test_texts_of_events_stay_text_and_have_their_direction() -> None:
    events = [{"id": "e1", "date": "2024-03-04", "text": '<img src=x onerror="a()"> غارة'}]
    part = events_part(evaluate(events, {"<b>ours": events}))
    assert '<summary dir="auto">&lt;img src=x onerror=&quot;a()&quot;&gt; غارة</summary>' in part
    assert '<td dir="auto" data-value="&lt;b&gt;ours">&lt;b&gt;ours</td>' in part


def test_without_credits_and_judgements_there_is_no_section() -> None:
    document = EvaluationDocument(results=(), events=(EventCredit("s", "e"),))
    assert events_part(Evaluation(document, (), event_quality())) == ""


def many(number: int) -> Evaluation:
    events = [
        Event(
            id=f"e{at}",
            topic=f"t{at % 7}",
            date=f"2024-03-{at % 28 + 1:02d}",
            text=f"Event {at} happens in a town, and some people speak of it for {at} days.",
        )
        for at in range(number)
    ]
    return evaluate(events, {"ours": events})


def test_a_page_of_very_many_events_has_at_most_15000_elements_in_their_rows() -> None:
    part = events_part(many(MOST_EVENTS + 20))
    assert part.count("<tr>") == MOST_EVENTS + 1
    assert "20 more events are in the saved document." in part
    assert len(re.findall(r"<[a-z]", part)) < 15_000


def test_a_row_with_all_questions_has_at_most_30_elements(part: str) -> None:
    rows = re.findall(r"<tr>.*?</tr>", part, re.DOTALL)
    assert max(len(re.findall(r"<[a-z]", row)) for row in rows) <= 30


def test_a_share_beyond_its_possible_credit_fills_the_bar_and_keeps_its_number() -> None:
    answers = many(1)
    name = answers.document.results[0].metrics[0].name
    credit = Credit("timelines", name, 3.0, 2.0)
    document = EvaluationDocument(
        results=answers.document.results, events=(EventCredit("ours", "e0", credits=(credit,)),)
    )
    part = events_part(Evaluation(document, answers.scored, event_quality()))
    assert (
        '<td class="share-2 length-20" data-value="1.5" data-label="timelines">150\u00a0%</td>'
        in part
    )


def test_events_lead_only_to_cases_that_a_board_shows_and_the_notes_tell_of_others(
    of_demo: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = {*re.findall(r'href="#([\w-]+)\?open=([^"&]*)&', evaluation_report(of_demo))}
    monkeypatch.setattr(explained, "MOST", 4)
    monkeypatch.setattr(explained, "EACH", 1)
    page = evaluation_report(of_demo)
    links = {*re.findall(r'href="#([\w-]+)\?open=([^"&]*)&', page)}
    assert {board for board, _ in links} == {board for board, _ in every}
    assert 0 < len(links) < len(every)
    (text,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    data = json.loads(text)
    for board, case in links:
        assert unquote(case) in data[board]["cases"]
    notes = page.partition('id="notes"')[2]
    for family in of_demo.families:
        shown = len(data[f"{family}-cases"]["cases"])
        assert f"<li>{family}: the page shows {shown} of " in notes


def test_an_event_that_no_question_measured_comes_after_those_that_earned_something() -> None:
    answers = many(1)
    name = answers.document.results[0].metrics[0].name
    shares = {"unmeasured": (0.0, 0.0), "all": (2.0, 2.0), "nothing": (0.0, 2.0)}
    events = [
        EventCredit("ours", event, credits=(Credit("timelines", name, *share),))
        for event, share in shares.items()
    ]
    document = EvaluationDocument(
        results=answers.document.results, events=(EventCredit("ours", "alone"), *events)
    )
    part = events_part(Evaluation(document, answers.scored, event_quality()))
    ids = re.findall(r'<p class="credits">(.*)\n', part)
    assert ids == ["nothing", "all", "alone", "unmeasured"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


@pytest.fixture
def opened(browser: Any, of_demo: Evaluation, tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "page.html"
    path.write_text(evaluation_report(of_demo), encoding="utf-8")
    errors: list[str] = []
    context = browser.new_context(viewport={"width": 375, "height": 800})
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text))
    page.goto(path.as_uri())
    yield page
    assert errors == []
    context.close()


def test_search_hides_the_rows_that_lack_a_word(opened: Any, of_demo: Evaluation) -> None:
    rows = opened.locator(".earned tbody tr:visible")
    whole = rows.count()
    assert whole == len(of_demo.document.events)
    box = opened.get_by_label("Find events")
    box.fill("QUICK titanic")
    found = rows.all_inner_texts()
    assert 0 < len(found) < whole
    assert opened.locator(".search [role=status]").inner_text() == f"{len(found)} of {whole}"
    box.fill("")
    assert rows.count() == whole


def test_rows_sort_by_a_question_and_stay_found(opened: Any) -> None:
    opened.get_by_label("Find events").fill("quick")
    opened.locator(".earned th button", has_text="timelines").click()
    values = opened.locator(".earned tbody tr:visible td:nth-child(4)").evaluate_all(
        "all => all.map((cell) => cell.dataset.value ?? null)"
    )
    numbers = [json.loads(value) for value in values if value is not None]
    assert len(numbers) > 20
    assert numbers == sorted(numbers)


def test_an_opened_event_leads_to_its_article_and_nothing_is_too_wide(opened: Any) -> None:
    row = opened.locator(".earned tbody tr").nth(1)
    row.locator("summary").click()
    link = row.locator(".evidence a")
    target = link.get_attribute("href")
    link.click()
    playwright.expect(opened.locator(target)).to_be_visible()
    assert opened.evaluate("document.documentElement.scrollWidth") <= 375
