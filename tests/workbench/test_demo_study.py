"""The demo: every page of its owner has something to see, and the audit says what it is."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from workbench.bench import ADDRESS, Bench, judge_all

from chronoscore.workbench.demo_study import Study, add_demo
from chronoscore.workbench.store import Store, adjudication, batches, people, pooled, projects
from chronoscore.workbench.store import results as store_results

EMPTY = re.compile(r"\b(none|nothing|no \w+( \w+){0,4}) yet\b|there are no\b|there is no\b", re.I)
"""How pages say that there is nothing to see."""
START = datetime(2026, 3, 12, 7, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    made = Bench(tmp_path_factory.mktemp("demo"))
    assert made.owner.post("/projects/demo").status_code == 303
    yield made
    made.store.close()


def words(html: str) -> str:
    """What a page says, without its markup, scripts and data."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", html, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def walk(bench: Bench) -> dict[str, str]:
    """All pages that links lead to from the first one, with what they say."""
    seen: dict[str, str] = {}
    left = ["/"]
    while left:
        path = left.pop()
        if path in seen:
            continue
        answer = bench.owner.get(path)
        if answer.status_code in (302, 303):
            seen[path] = ""
            left.append(answer.headers["location"])
            continue
        assert answer.status_code == 200, path
        is_page = answer.headers["content-type"].startswith("text/html")
        seen[path] = words(answer.text) if is_page else ""
        links = re.findall(r'<a\b[^>]*\bhref="([^"#]+)', answer.text) if is_page else []
        base = path.split("?")[0]
        for link in map(unescape, links):
            target = base + link if link.startswith("?") else link.removeprefix(ADDRESS)
            if target.startswith("/"):
                left.append(target)
    return seen


@pytest.fixture(scope="module")
def pages(demo: Bench) -> dict[str, str]:
    return walk(demo)


def test_every_page_of_the_owner_has_something_to_see(pages: dict[str, str]) -> None:
    kinds = {re.sub(r"[0-9a-f]{20}|\d+", "*", path.split("?")[0]) for path in pages}
    for path in (
        *("/projects/*", "/projects/*/events", "/projects/*/agreement", "/projects/*/judges/*"),
        *("/projects/*/audit", "/batches/*", "/batches/*/events/*", "/judge/*"),
        *("/results", "/results/*", "/leaderboard", "/compare"),
    ):
        assert path in kinds
    empty = {path: found[0] for path, text in pages.items() if (found := EMPTY.search(text))}
    assert empty == {}


def test_two_are_done_and_differences_are_open(demo: Bench) -> None:
    store, owner = demo.store, demo.boss
    project = next(one for one in projects.visible(store, owner) if "judged by two" in one.name)
    calibration, main, imported = batches.visible(store, owner, project.id)
    assert [calibration.stage, main.stage, imported.kind] == ["adjudicated", "review", "imported"]
    queue = adjudication.review_queue(store, owner, main, project.codebook)
    differ = [one for one in queue if one.criteria]
    assert len([one for one in differ if one.agreed is None]) > 5
    assert any(one.agreed for one in differ)
    kinds = sorted(one.kind for one in projects.members(store, project.id))
    assert kinds == ["llm", "person", "person", "person"]
    agreement = demo.owner.get(f"/projects/{project.id}/agreement").text
    assert agreement.count("<table") + agreement.count("<svg") > 5


def test_the_owner_can_judge_at_once_and_sees_no_answers_of_others(demo: Bench) -> None:
    owner_batches = batches.visible(demo.store, demo.boss)
    batch = next(one for one in owner_batches if unit_of(demo, one.project) == "event")
    first = demo.owner.get(f"/judge/{batch.id}")
    assert first.headers["location"] == f"/judge/{batch.id}/1"
    page = demo.owner.get(f"/projects/{batch.project}/agreement").text
    assert "You judge a batch yourself" in page
    assert pooled.answer_counts(demo.store, batch.project)[batch.id] > 0


def unit_of(bench: Bench, project: int) -> str:
    shown = projects.find(bench.store, project)
    assert shown is not None
    return shown.unit


def test_after_the_owner_s_few_pairs_the_share_of_same_ones_is_shown(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.owner.post("/projects/demo")
    project = next(one for one in projects.visible(bench.store, bench.boss) if one.task == "pairs")
    two, imported, own = batches.visible(bench.store, bench.boss, project.id)
    assert imported.kind == "imported"
    assert (two.stage, own.stage) == ("review", "judging")
    queue = adjudication.review_queue(bench.store, bench.boss, two, project.codebook)
    assert sum(1 for one in queue if one.criteria and one.agreed is None) > 1
    before = words(bench.owner.get(f"/projects/{project.id}").text)
    assert re.search(r"With 60 pairs, of which 30 are matched: ±0.1\d+ .* give ±0.050", before)
    judge_all(bench.owner, own.id, {"Verdict": 1})
    after = words(bench.owner.get(f"/projects/{project.id}").text)
    for system in ("all systems", "careful", "quick"):
        assert re.search(rf"{system} 0\.\d+ \[0\.\d+, [01]\.\d+\] \d+ pairs judged of", after)
    agreement = words(bench.owner.get(f"/projects/{project.id}/agreement").text)
    assert "pairs judged by several" in agreement
    assert "model-j (demo)@demo" in agreement
    assert not OF_EVENTS.search(agreement.partition("All numbers")[0])
    bench.store.close()


OF_EVENTS = re.compile(
    r"\d events?\b|\b(this|next|previous|which|your|some|no) events?\b|\barticles?\b", re.I
)
"""What a page says that is made for events beside articles."""


def test_pages_of_the_pairs_speak_of_pairs(demo: Bench, pages: dict[str, str]) -> None:
    project = next(one for one in projects.visible(demo.store, demo.boss) if one.task == "pairs")
    prefixes = [f"/projects/{project.id}"]
    for batch in batches.visible(demo.store, demo.boss, project.id):
        prefixes += [f"/batches/{batch.id}", f"/judge/{batch.id}"]
    shown = {path: text for path, text in pages.items() if path.startswith(tuple(prefixes))}
    shown = {path: text for path, text in shown.items() if "/audit" not in path}
    assert len(shown) > 15
    assert {path: m[0] for path, text in shown.items() if (m := OF_EVENTS.search(text))} == {}


def test_two_saved_results_are_compared_and_ranked(demo: Bench) -> None:
    one, two = store_results.stored(demo.store)
    assert {*one.systems, *two.systems} == {"careful", "quick", "lead"}
    assert set(one.kinds) == {"result", "matches", "texts"}
    compared = demo.owner.get("/compare", params={"one": f"{one.id}.0", "two": f"{two.id}.0"})
    assert "win-tie-loss" in compared.text
    board = words(demo.owner.get("/leaderboard").text)
    assert all(name in board for name in ("careful", "quick", "lead"))


def test_every_entry_of_the_audit_says_that_it_is_a_demo(tmp_path: Path) -> None:
    store = Store(tmp_path / "workbench.db")
    begun = datetime.now(UTC).isoformat()
    add_demo(store, people.owner(store), start=START)
    rows = store.rows("SELECT at, detail FROM audit")
    assert len(rows) > 200
    assert all('"demo":"2026-03-' in row["detail"] for row in rows)
    assert all(row["at"] > begun for row in rows), "the audit keeps the true time"
    after = people.find_or_add(store, "after")
    store.note(after, "something")
    assert "demo" not in store.value("SELECT detail FROM audit ORDER BY id DESC LIMIT 1")
    store.close()


def test_saves_are_spread_over_days_and_in_order(tmp_path: Path) -> None:
    store = Store(tmp_path / "workbench.db")
    add_demo(store, people.owner(store), start=START)
    rows = store.rows("SELECT batch, at, flag, comment FROM judgements ORDER BY id")
    for batch in {row["batch"] for row in rows}:
        times = [row["at"] for row in rows if row["batch"] == batch]
        assert times == sorted(times)
    assert len({row["at"][:10] for row in rows}) >= 4
    assert all(row["at"] < START.isoformat() for row in rows)
    late = """SELECT count(*) FROM judgements j JOIN submissions s ON s.batch = j.batch
        AND s.person = j.person WHERE s.at <> '' AND s.at < j.at"""
    assert store.value(late) == 0, "nobody saves after they have submitted"
    assert any(row["flag"] for row in rows)
    assert any(row["comment"] for row in rows)
    store.close()


def test_what_was_done_yesterday_or_earlier_was_done_from_9_to_17_o_clock(bench: Bench) -> None:
    study = Study(bench.store, bench.boss, START, seed=0)
    times = [study.time(days).isoformat()[5:16] for days in (0.5, 1, 1.5, 1.999, 2)]
    assert times == ["03-11T19:30", "03-11T17:00", "03-11T13:00", "03-11T09:00", "03-10T17:00"]


def test_the_same_seed_makes_the_same_demo(tmp_path: Path) -> None:
    contents = []
    for name, seed in (("one", 5), ("two", 5), ("three", 6)):
        store = Store(tmp_path / f"{name}.db")
        add_demo(store, people.owner(store), seed=seed, start=START)
        tables = ("tasks", "submissions", "judgements", "agreed", "result_states")
        contents.append([[tuple(r) for r in store.rows(f"SELECT * FROM {t}")] for t in tables])
        store.close()
    assert contents[0] == contents[1] != contents[2]


def test_it_can_be_added_twice_and_never_to_somebody_s_name(bench: Bench) -> None:
    ana = bench.visitor("ana", bench.project())
    for _ in range(2):
        assert bench.owner.post("/projects/demo").status_code == 303
    assert "Demo" not in ana.get("/").text
    assert bench.count("projects") == 7
    assert bench.count("results") == 2


def test_a_failure_leaves_nothing_of_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(store_results, "add", fail)
    before = bench.count("audit")
    with pytest.raises(RuntimeError):
        add_demo(bench.store, bench.boss)
    assert (bench.count("projects"), bench.count("audit")) == (0, before)
