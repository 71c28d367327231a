"""The page of agreement by stage, and the events that its links lead to."""

import html
import re
from collections.abc import Mapping

import pytest
from workbench.bench import (
    BEST,
    WORST,
    Bench,
    Visitor,
    answer,
    demo_files,
    judge_all,
    lines,
    small,
    text_of,
)

from chronoscore.rubric.agreement.study import Generosity
from chronoscore.rubric.agreement.verdicts import FEWEST
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.pages.agreement_pictures import generosity_figure
from chronoscore.workbench.differences import differences
from chronoscore.workbench.store import judgements

CRITERIA = [criterion.name for criterion in event_quality().criteria]
SCORE = event_quality().score


def judge_by_event(bench: Bench, who: str, visitor: Visitor, batch: int, values: object) -> None:
    """Judge all of a batch; the values depend on the event, since orders differ."""
    sql = """SELECT t.place, t.event FROM tasks t JOIN people p ON p.id = t.person
        WHERE t.batch = :batch AND p.name = :name"""
    rows = bench.store.rows(sql, batch=batch, name=who)
    events = {row["place"]: row["event"] for row in rows}
    judge_all(visitor, batch, lambda place: values(events.get(place, 0)))  # type: ignore[operator]


def three(event: int, who: int) -> Mapping[str, int]:
    """Answers of three people; each is apart from the others on other events."""
    return {
        **BEST,
        "Eval_DateCorrect": int((event + who) % 5 != 0),
        "Eval_EventType": int(event % 2 == 0 or who == 2),
        "Eval_Relevance": 1 + (event * (who + 1)) % 3,
    }


@pytest.fixture(scope="module")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, int, int]:
    bench = Bench(tmp_path_factory.mktemp("judged"))
    project = bench.project(demo_files())
    people = {name: bench.visitor(name, project) for name in ("ana", "ben", "cleo")}
    batch = bench.batch(project, *people, kind="calibration", size=20, seed=2)
    for at, (name, visitor) in enumerate(people.items()):
        judge_by_event(bench, name, visitor, batch, lambda event, at=at: three(event, at))
    bench.store.close()
    return bench, project, batch


@pytest.fixture
def judged(bench: Bench, judged_once: tuple[Bench, int, int]) -> tuple[int, int]:
    """A project with a batch of three people, all of whom have submitted."""
    made, project, batch = judged_once
    bench.become(made)
    return project, batch


def events_listed(page: str) -> list[int]:
    return [int(n) for n in re.findall(r'<h3[^>]*><a href="/batches/\d+/events/(\d+)"', page)]


def all_listed(bench: Bench, address: str) -> list[int]:
    """The events of all pages of a list."""
    number, found = 1, []
    while listed := events_listed(
        bench.owner.get(f"{address}{'&' if '?' in address else '?'}page={number}").text
    ):
        found += listed
        number += 1
    return found


def test_each_line_leads_to_as_many_events_as_it_says(
    bench: Bench, judged: tuple[int, int]
) -> None:
    project, batch = judged
    page = bench.owner.get(f"/projects/{project}/agreement").text
    values = judgements.values_in(bench.store, bench.boss, batch)
    links = re.findall(r'<a href="([^"]+)">(\d+) events? differ', page)
    assert len(links) > 3
    for link, number in links:
        address = html.unescape(link)
        listed = all_listed(bench, address)
        assert len(listed) == int(number)
        name = address.partition("criterion=")[2]
        if name != SCORE:
            at = CRITERIA.index(name)
            assert {*listed} == {e for e, said in values.items() if len({v[at] for v in said}) > 1}


def test_a_cell_of_the_heat_map_leads_to_where_the_two_differ(
    bench: Bench, judged: tuple[int, int]
) -> None:
    project, batch = judged
    page = bench.owner.get(f"/projects/{project}/agreement").text
    cells = {html.unescape(a) for a in re.findall(r'<td [^>]*><a href="([^"]+)"', page)}
    assert len(cells) > 6
    for address in cells:
        query = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        at, pair = CRITERIA.index(query["criterion"]), {query["one"], query["two"]}
        expected = set()
        for event in judgements.values_in(bench.store, bench.boss, batch):
            said = judgements.of_event(bench.store, bench.boss, batch, event)
            if len({one.values[at] for person, one in said if person.name in pair}) > 1:
                expected.add(event)
        listed = bench.owner.get(address).text
        assert {*events_listed(listed)} == expected != set()
        (other,) = {"ana", "ben", "cleo"} - pair
        assert f'<span class="vote">{other} ' not in listed


def test_a_listed_event_shows_what_each_said_and_can_be_settled(
    bench: Bench, judged: tuple[int, int]
) -> None:
    project, batch = judged
    page = bench.owner.get(f"/projects/{project}/differences?criterion=type").text
    for event in events_listed(page)[:3]:
        block = text_of(page.partition(f"/events/{event}")[2].partition("</li></ul>")[0])
        said = judgements.of_event(bench.store, bench.boss, batch, event)
        place = CRITERIA.index("type")
        votes = " ".join(f"{person.name} {one.values[place]} " for person, one in said)
        assert re.sub(r"\s+", " ", votes).strip() in block
        settle = bench.owner.get(f"/batches/{batch}/events/{event}").text
        assert re.search(r'class="criterion differs"[^>]*>\s*<legend[^>]*>The type', settle)
    assert "to settle" in page


def test_the_verdict_is_in_words_with_an_icon_and_its_rule_once(
    bench: Bench, judged: tuple[int, int]
) -> None:
    project, _ = judged
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert page.count("alpha and its whole interval reach 0.667") == 1
    lines_ = re.findall(r'<li class="verdict.*?</li>', page, re.DOTALL)
    assert len(lines_) == len(CRITERIA) + 1
    for line in lines_:
        assert re.search(r"(fine|talk about it|judge anew)\s*</span>", line)
        assert re.search(r'class="icon" aria-hidden="true">[✓≠↻]<', line)
        assert 'class="bar"' in line
    assert "nobody differs on any of" in text_of(next(x for x in lines_ if ">root" in x))


def test_every_table_is_folded_below_the_pictures(bench: Bench, judged: tuple[int, int]) -> None:
    project, _ = judged
    page = bench.owner.get(f"/projects/{project}/agreement").text
    _, verdicts, rest = page.partition('id="verdicts"')
    pictures, _, tables = rest.partition('id="tables"')
    assert verdicts
    assert 'class="drift"' in pictures
    assert 'class="heat"' in pictures
    assert 'class="generous"' in pictures
    assert "<caption>agreement" not in pictures
    outside = re.sub(r"<details.*?</details>", "", tables, flags=re.DOTALL)
    assert "<table" not in outside
    captions = re.findall(r"<caption>([^<]+)", tables)
    summaries = re.findall(r"<summary>([^<]+)", tables)
    assert [one.lower() for one in summaries] == [one.lower() for one in captions]


def test_the_scale_of_generosity_holds_every_dot_and_interval() -> None:
    rows = [
        Generosity("date", "ana", 20, 0.42, 0.31, 0.53),
        Generosity("date", "ben", 20, -0.42, -0.53, -0.31),
    ]
    figure = str(generosity_figure("date", rows))
    assert re.findall(r"<text[^>]*>([^<]+)</text>", figure) == ["-0.6", "0", "0.6"]
    places = [float(at) for at in re.findall(r'\b(?:x1|x2|cx)="(-?[\d.]+)%"', figure)]
    assert len(places) > 2 * 7
    assert all(0 <= at <= 100 for at in places)


def test_a_chosen_criterion_has_its_pictures_alone(bench: Bench, judged: tuple[int, int]) -> None:
    project, _ = judged
    page = bench.owner.get(f"/projects/{project}/agreement?criterion=date").text
    assert re.findall(r'<table class="heat"><caption>(\w+)', page) == ["date"]
    assert page.count('class="drift"') == 1
    unknown = bench.owner.get(f"/projects/{project}/agreement?criterion=colour")
    assert unknown.status_code == 404
    assert "choose one of date, root" in unknown.text


def test_a_small_pilot_is_told_that_it_is_too_small(bench: Bench) -> None:
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch)
    judge_all(ben, batch, WORST)
    page = bench.owner.get(f"/projects/{project}/agreement").text
    line = re.findall(r'<li class="verdict.*?</li>', page, re.DOTALL)[0]
    words = f"too few 4 events judged by several people; {FEWEST} are needed"
    assert words in text_of(line)
    assert "<svg" not in page, "a dot or a line would look like a result"


def test_while_some_judge_nobody_is_named_and_no_event_is_listed(bench: Bench) -> None:
    project = bench.project(small(12))
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch)
    for place in range(1, 12):
        body = answer(WORST if place % 2 else BEST, save=f"s-{place:08}")
        ben.send(f"/judge/{batch}/{place}", body)
    page = bench.owner.get(f"/projects/{project}/agreement").text.partition("<main")[2]
    assert 'class="verdict' in page
    assert "/differences" not in page
    assert 'class="heat"' not in page
    assert 'class="generous"' not in page
    assert not re.search(r"\b(ana|ben)\b", page)
    for query in ("", "?criterion=date", "?criterion=date&one=ana&two=ben"):
        listed = bench.owner.get(f"/projects/{project}/differences{query}")
        assert listed.status_code == 200
        assert "Some still judge" in listed.text
        assert "Bridge" not in listed.text
        assert not re.search(r"\b(ana|ben)\b", listed.text.partition("<main")[2])
    body = answer(WORST, save="the-last-one")
    ben.send(f"/judge/{batch}/12", body)
    assert ben.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    page = bench.owner.get(f"/projects/{project}/agreement").text
    assert "/differences?criterion=date" in page
    assert "Bridge" in bench.owner.get(f"/projects/{project}/differences?criterion=date").text


def test_the_owner_who_still_judges_sees_no_differences_of_others(bench: Bench) -> None:
    project = bench.project(small(12))
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    done = bench.batch(project, "ana", "ben", kind="calibration", size=6)
    judge_all(ana, done)
    judge_all(ben, done, WORST)
    assert "Bridge" in bench.owner.get(f"/projects/{project}/differences").text
    bench.batch(project, "owner", "ana", overlap=2)
    for path in ("differences", "differences?criterion=date&one=ana&two=ben", "agreement"):
        page = bench.owner.get(f"/projects/{project}/{path}").text.partition("<main")[2]
        assert "You judge a batch yourself" in page
        assert "Bridge" not in page
        assert not re.search(r"\b(ana|ben)\b", page)


def test_evaluators_may_not_open_the_differences(bench: Bench, judged: tuple[int, int]) -> None:
    project, _ = judged
    dora = bench.visitor("dora", project)
    assert dora.get(f"/projects/{project}/differences").status_code == 403
    nobody = judgements.placed(bench.store, bench.person("dora"), project)
    assert nobody == []


def test_an_event_judged_in_two_batches_differs_but_has_no_place_to_be_settled(
    bench: Bench,
) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    judge_all(ana, bench.batch(project, "ana"))
    rows = [
        {"event_id": f"e{n}", "system": "alpha", "evaluator": "judge-1", "evaluator_kind": "llm"}
        | (WORST if n else BEST)
        for n in range(4)
    ]
    files = [("sheets", ("judge.jsonl", lines(rows)))]
    bench.owner.post(f"/projects/{project}/judgements", files=files)
    page = bench.owner.get(f"/projects/{project}/differences?criterion=date").text
    assert "3 events are judged differently" in page
    assert "the answers within each batch are equal: there is nothing to settle" in page
    assert "/batches/" not in page.partition("<main")[2]


def test_a_closed_batch_is_linked_to_its_closed_view_with_the_agreed_value(
    bench: Bench, judged: tuple[int, int]
) -> None:
    project, batch = judged
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    page = bench.owner.get(f"/projects/{project}/differences?criterion=type").text
    assert "closed" in page
    event = events_listed(page)[0]
    closed = bench.owner.get(f"/batches/{batch}/events/{event}").text
    assert "This batch is closed" in closed
    assert "settle.js" not in closed
    assert 'id="save"' not in closed


@pytest.mark.parametrize("query", ["one=ana", "one=ana&two=ana", "one=ana&two=zoe", "criterion=x"])
def test_a_pair_or_criterion_that_is_none_is_not_found(
    bench: Bench, judged: tuple[int, int], query: str
) -> None:
    project, _ = judged
    assert bench.owner.get(f"/projects/{project}/differences?{query}").status_code == 404


def test_the_greatest_difference_comes_first_and_any_criterion_is_their_union(
    bench: Bench, judged: tuple[int, int]
) -> None:
    project, _ = judged
    rows = judgements.placed(bench.store, bench.boss, project)
    book = event_quality()
    found = differences(rows, book)
    assert [one.spread for one in found] == sorted((one.spread for one in found), reverse=True)
    union = {one.event for name in CRITERIA for one in differences(rows, book, name)}
    assert {one.event for one in found} == union
    assert {one.event for one in differences(rows, book, SCORE)} <= union
    assert differences([], book) == []


def test_evil_names_stay_texts_in_every_picture_and_list(bench: Bench) -> None:
    project = bench.project(small(12))
    names = ["<script>x</script><img src=x>", "\"'><svg onload=alert(3)>"]
    people = [bench.visitor(name, project) for name in names]
    batch = bench.batch(project, *names, overlap=2)
    for at, visitor in enumerate(people):
        judge_all(visitor, batch, lambda place, at=at: BEST if place % (2 + at) else WORST)
    page = bench.owner.get(f"/projects/{project}/agreement").text
    for picture in ("bar", "heat", "drift", "generous"):
        assert f'class="{picture}"' in page
    listed = bench.owner.get(f"/projects/{project}/differences?criterion=date").text
    (cell, *_) = re.findall(r'<td [^>]*><a href="([^"]+)"', page)
    of_pair = bench.owner.get(html.unescape(cell)).text
    assert "differ: date" in text_of(of_pair)
    settle = bench.owner.get(f"/batches/{batch}/events/{events_listed(listed)[0]}").text
    for shown in (page, listed, of_pair, settle):
        assert "&lt;script&gt;x" in shown
        for code in ("<script>", "<img", "<svg onload"):
            assert code not in shown


def test_while_some_judge_there_is_agreement_on_enough_events_and_no_mean_of_answers(
    bench: Bench,
) -> None:
    project = bench.project(small(FEWEST + 1))
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    judge_all(ana, batch, lambda place: WORST if place == 1 else BEST)
    path = f"/projects/{project}/agreement"
    for place in range(1, FEWEST + 1):
        few = bench.owner.get(path).text
        assert "evaluators are not named" in few
        assert "<td" not in few
        assert not re.search(r"% equal|events? differ|root events? in", text_of(few))
        ben.send(f"/judge/{batch}/{place}", answer(save=f"save-{place:06}"))
    ben.send(f"/judge/{batch}/{FEWEST + 1}", answer(save="last-save"))
    page = bench.owner.get(path).text
    assert "% equal of 11 events" in text_of(page).replace("\N{NO-BREAK SPACE}", " ")
    assert {one.lower()[:9] for one in re.findall(r"<caption>([^<]+)", page)} == {"agreement"}
    assert "root event in" not in page
    ben.post(f"/judge/{batch}/submit", {"sure": "yes"})
    assert "rubric: EQS" in bench.owner.get(path).text
