"""All that an evaluator can fetch, read to the last header: no system is named anywhere in it."""

import html
import json
import re
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from workbench.bench import ADDRESS, BEST, WORST, Bench, Visitor, answer, judge_all, lines

from chronoscore.workbench.pages import assets
from chronoscore.workbench.routes import ROUTES

SYSTEMS = ("zq-aardvark-7b", "zq-buffalo-70b", "zq-cormorant")
FIRST = 7_000_000
"""Event numbers begin here, so that no other number on a page looks like one."""


class Reader:
    """An evaluator who looks at everything, and keeps it."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.seen: dict[str, str] = {}

    def note(self, name: str, answer_: Any) -> Any:
        """Keep all of an answer: status line, headers, cookies and body."""
        headers = [f"{key}: {value}" for key, value in answer_.headers.multi_items()]
        text = "\n".join((str(answer_.status_code), *headers, answer_.text))
        self.seen[name] = f"{text}\n{html.unescape(text)}\n{unquote(text)}"
        return answer_

    def get(self, path: str, **headers: str) -> Any:
        return self.note(f"GET {path} {headers}", self.visitor.get(path, headers=headers))

    def walk(self, start: str = "/") -> None:
        """Follow every address on every page, wherever it stands."""
        waiting, known = [start], {start}
        while waiting:
            path = waiting.pop()
            got = self.get(path)
            found = re.findall(r"""(?:href|src|action|data-[a-z]+)=["']([^"'#]+)""", got.text)
            found += re.findall(r"""["'](\.?/[\w./-]+)["']""", got.text)
            found.append(got.headers.get("location", path))
            for one in found:
                parts = urlsplit(urljoin(f"{ADDRESS}{path}", html.unescape(one)))
                there = parts.path + (f"?{parts.query}" if parts.query else "")
                if parts.netloc in ADDRESS and there.startswith("/") and there not in known:
                    known.add(there)
                    waiting.append(there)

    def leaks(self, words: list[str]) -> list[str]:
        wrong = []
        for name, text in self.seen.items():
            low = text.casefold()
            wrong += [f"{word} in {name}" for word in words if word.casefold() in low]
            asked = re.sub(r"/70000\d\d\b", "", text) if "/70000" in name else text
            wrong += [f"an event's number in {name}"] * bool(re.search(r"\b70000\d\d\b", asked))
        return wrong


def files() -> list[tuple[str, tuple[str, bytes]]]:
    made = []
    for system in SYSTEMS:
        events = [
            {"id": f"{system}-{n:02}", "article": f"{system}-source" if n > 5 else f"a{n % 2}",
             "date": "2024-03-04", "type": "collapse", "text": f"Bridge {n} falls",
             "span": [0, 13], "mentions": [f"{system}-m{n}"]}
            for n in range(8)
        ]  # fmt: skip
        made.append(("events", (f"{system}.jsonl", lines(events))))
    names = [*(f"{system}-source" for system in SYSTEMS), "a0", "a1"]
    articles = [
        {"id": name, "published": "2024-03-07", "title": "A bridge", "text": "A bridge fell then."}
        for name in names
    ]
    return [*made, ("articles", ("articles.jsonl", lines(articles)))]


@pytest.fixture(scope="module")
def read_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Bench, Visitor, int, list[int]]:
    bench = Bench(tmp_path_factory.mktemp("read"))
    bench.project()
    with bench.store.writing() as connection:
        connection.execute("UPDATE events SET number = ? WHERE number = 4", (FIRST,))
    project = bench.project(files(), name="")
    reader = Reader(bench.visitor("ana", project))
    ben = bench.visitor("ben", project)
    made = []
    for stage in ("adjudicated", "review", "judging"):
        size = {"kind": "calibration", "size": 5} if stage != "judging" else {"overlap": 2}
        batch = bench.batch(project, "ana", "ben", **size)
        made.append(batch)
        if stage == "judging":
            continue
        reader.visitor.send(f"/judge/{batch}/1", answer(WORST, save="first-one", comment="x"))
        reader.visitor.post(f"/judge/{batch}/1/undo")
        for place in range(1, 20):
            sent = answer(WORST, 2 if place == 1 else 0, save=f"all-{place:06}")
            reader.visitor.send(f"/judge/{batch}/{place}", sent)
        assert reader.visitor.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
        judge_all(ben, batch, BEST)
        if stage == "adjudicated":
            done = bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"})
            assert done.status_code == 303
    bench.store.close()
    return bench, reader.visitor, project, made


@pytest.fixture
def reading(
    bench: Bench, read_once: tuple[Bench, Visitor, int, list[int]]
) -> tuple[Bench, Reader, int, list[int]]:
    """An evaluator of a project without a name, in batches at every stage."""
    known, visitor, project, made = read_once
    bench.become(known)
    return bench, Reader(visitor.at(bench.app)), project, made


def secrets_of(bench: Bench, project: int) -> list[str]:
    ids = bench.store.rows(
        "SELECT id, article FROM events WHERE project = :project", project=project
    )
    return [*SYSTEMS, *(f"{one}.jsonl" for one in SYSTEMS), *(row["id"] for row in ids)]


def test_no_page_that_can_be_reached_names_a_system(
    reading: tuple[Bench, Reader, int, list[int]],
) -> None:
    bench, reader, project, made = reading
    reader.walk()
    reader.walk("/leave")
    held = bench.store.rows("SELECT DISTINCT place FROM tasks WHERE batch = :batch", batch=made[-1])
    assert len(held) > 2
    places = {f"GET /judge/{made[-1]}/{row['place']} {{}}" for row in held}
    assert places <= reader.seen.keys(), "the walk goes by every event"
    assert f"GET /judge/{made[0]}/compare {{}}" in reader.seen
    assert {f"GET /static/{name} {{}}" for name in ("judge.js", "outbox.js")} <= reader.seen.keys()
    assert reader.leaks(secrets_of(bench, project)) == []
    assert "Project 2" in reader.seen["GET / {}"]


def test_no_route_names_a_system_whatever_it_is_asked(
    reading: tuple[Bench, Reader, int, list[int]],
) -> None:
    bench, reader, project, made = reading
    number = bench.store.rows(
        "SELECT number FROM events WHERE project = :project", project=project
    )[0]["number"]
    assert number > FIRST
    paths = {
        (route.method, re.sub(r"{\w+}", second, re.sub(r"{\w+}", first, route.path, count=1)))
        for route in ROUTES
        for first in (str(project), str(made[-1]), "zip", "x")
        for second in ("1", "zip", "csv", str(number), "x")
        if route.path != "/leave"
    }
    for method, path in sorted(paths):
        for kind in ("text/html", "application/json"):
            if method == "GET":
                reader.get(path, accept=kind)
            else:
                got = reader.visitor.post(path, headers={"accept": kind})
                reader.note(f"{method} {path} {kind}", got)
    for name in assets():
        reader.get(f"/static/{name}")
    assert len(reader.seen) > 300
    assert reader.leaks(secrets_of(bench, project)) == []


def test_no_answer_to_a_save_names_a_system(
    reading: tuple[Bench, Reader, int, list[int]],
) -> None:
    bench, reader, project, made = reading
    path = f"/judge/{made[-1]}/1"
    bodies: list[Any] = [
        *(answer(), answer(), answer(WORST), answer({"Eval_DateCorrect": 7}), {}, [], None, 1),
        *(answer(comment="x" * 5000), answer(save="x"), {**answer(), "event": FIRST + 1}),
    ]
    for at, body in enumerate(bodies):
        reader.note(f"send {at}", reader.visitor.send(path, body))
        form = {"version": "9", "save": "form-save", "value-Eval_DateCorrect": str(at)}
        reader.note(f"form {at}", reader.visitor.post(path, form))
    for closed in made[:2]:
        sent = reader.visitor.send(f"/judge/{closed}/1", answer(save="late-save"))
        assert reader.note(f"late {closed}", sent).status_code == 423
    reader.get("/dates?published=2024-03-07&said=yesterday")
    statuses = {text[:3] for text in reader.seen.values()}
    assert {"200", "400", "409", "423"} <= statuses
    assert reader.leaks(secrets_of(bench, project)) == []


def test_the_reader_of_these_tests_finds_what_is_there(bench: Bench) -> None:
    """The owner may see systems; so the same reader must find them for the owner."""
    project = bench.project(files(), name="")
    reader = Reader(bench.owner)
    reader.walk()
    found = reader.leaks(secrets_of(bench, project))
    assert any(f"{SYSTEMS[0]} in GET /projects/{project} " in one for one in found)
    archive = [name for name in reader.seen if name.startswith(f"GET /projects/{project}/events")]
    assert archive


def test_a_project_s_name_that_names_a_system_is_pointed_out_to_its_owner(bench: Bench) -> None:
    project = bench.project(files(), name=f"News by {SYSTEMS[1].upper()}")
    assert "Evaluators see the project" in bench.owner.get(f"/projects/{project}").text
    bench.owner.post(f"/projects/{project}", {"name": "News"})
    assert "Evaluators see the project" not in bench.owner.get(f"/projects/{project}").text


def test_json_of_a_save_has_the_answer_and_nothing_else(bench: Bench) -> None:
    project = bench.project(files(), name="")
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana")
    told = json.loads(ana.send(f"/judge/{batch}/1", answer()).text)
    assert set(told) == {"version", "values", "comment", "flag", "complete", "at"}
