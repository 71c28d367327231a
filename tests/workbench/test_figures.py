"""Numbers of large projects are made beside the page: never waited for, never another state's."""

import re
import threading
import time

import pytest
from workbench.bench import BEST, WORST, Bench, answer, judge_all, small

from chronoscore.workbench.routes import figures


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every project counts as large."""
    monkeypatch.setattr(figures, "_SMALL", 0)


def waited(bench: Bench, path: str) -> str:
    """The page when its numbers are there."""
    ends = time.monotonic() + 60
    while "again.js" in (page := bench.owner.get(path).text):
        assert time.monotonic() < ends
        time.sleep(0.02)
    return str(page)


def test_a_large_projects_numbers_are_those_of_a_small_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = bench.project(small(8))
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "owner", "ana", overlap=2)
    judge_all(bench.owner, batch)
    judge_all(ana, batch, lambda place: BEST if place % 3 else WORST)
    path = f"/projects/{project}/agreement"
    at_once = bench.owner.get(path).text
    assert "again.js" not in at_once
    monkeypatch.setattr(figures, "_SMALL", 0)
    monkeypatch.setattr(figures, "_CACHE", figures.FiguresCache())
    first = bench.owner.get(path)
    assert first.status_code == 200
    assert waited(bench, path) == at_once


@pytest.mark.usefixtures("large")
def test_the_numbers_of_before_are_shown_and_said_to_be_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = bench.project(small(12))
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    path = f"/projects/{project}/agreement"
    judge_all(ben, batch)
    for place in range(1, 12):
        ana.send(f"/judge/{batch}/{place}", answer(save=f"save-{place:06}"))
    before = waited(bench, path)
    assert "<td" in before
    ana.send(f"/judge/{batch}/12", answer(WORST, save="another-save"))
    held = threading.Event()
    made = figures._figures
    monkeypatch.setattr(figures, "_figures", lambda *asked: (held.wait(60), made(*asked))[1])
    meanwhile = bench.owner.get(path).text
    assert "newer numbers are being computed" in meanwhile
    assert re.findall("<td.*?</td>", meanwhile) == re.findall("<td.*?</td>", before)
    held.set()
    assert waited(bench, path) != before


@pytest.mark.usefixtures("large")
def test_named_numbers_are_never_shown_while_someone_judges(bench: Bench) -> None:
    project = bench.project(small(8))
    ana = bench.visitor("ana", project)
    done = bench.batch(project, "owner", "ana", kind="calibration", size=4)
    judge_all(bench.owner, done)
    judge_all(ana, done, WORST)
    path = f"/projects/{project}/agreement"
    assert "ana" in waited(bench, path).partition("<main")[2]
    again = bench.batch(project, "ana")
    ana.send(f"/judge/{again}/1", answer())
    for page in (bench.owner.get(path).text, waited(bench, path)):
        assert "ana" not in page.partition("<main")[2]
