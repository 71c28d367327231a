"""A valid request for every route that changes something, for tests that make it fail.

A new route needs one line in `SCENARIOS`, some more where its request needs a state of its own:
`prepare` works on a copy of the world, and may return values for the path and the form.
"""

import html
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import time_machine
from workbench.bench import (
    ADDRESS,
    BEST,
    WORST,
    Bench,
    Files,
    Visitor,
    answer,
    judge_all,
    lines,
    small,
)
from workbench.faults import MOMENT, Hook, watched
from workbench.results_made import files_of

from chronoscore.workbench.result_files import ResultsFolder
from chronoscore.workbench.routes import make_app
from chronoscore.workbench.routes.results import _forget_computed
from chronoscore.workbench.routing import Workbench
from chronoscore.workbench.security import PublicAddress
from chronoscore.workbench.store import Store, people, results

WAIT = 0.05
"""Seconds that a writer waits for another."""
Values = dict[str, Any]


class World:
    """A workbench with people, a result, and a batch at each stage, known by its name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with time_machine.travel(MOMENT, tick=False):
            self.bench = Bench(folder)
            self.values = self._fill()
            self.bench.store.close()
        self.path = self.bench.store.path

    def _fill(self) -> Values:
        bench = self.bench
        project = bench.project(twelve_events())
        ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
        self.visitors = {"owner": bench.owner, "ana": ana, "ben": ben, "nobody": Visitor(bench.app)}
        batch = {
            stage: bench.batch(project, "ana", "ben", kind="calibration", size=2)
            for stage in ("open", "judged", "submitted", "review")
        }
        for stage in ("judged", "submitted"):
            judge_events(ana, batch[stage])
        ana.post(f"/judge/{batch['submitted']}/submit", {"sure": "yes"})
        judge_all(ana, batch["review"], lambda place: BEST if place == 1 else WORST)
        judge_all(ben, batch["review"], BEST)
        bench.visitor("cleo", project)
        bench.owner.post("/results", files=[*files_of("ordering")])
        differ = "SELECT event FROM tasks WHERE batch = :batch AND person = :person AND place = 2"
        ana_ = bench.person("ana")
        return {
            "project": project,
            "person": ana_.id,
            "place": 1,
            "link": 1,
            "event": bench.store.value(differ, batch=batch["review"], person=ana_),
            "result": results.stored(bench.store)[0].id,
            "token": people.invite(bench.store, bench.person("cleo").id, None),
            **{f"batch {stage}": number for stage, number in batch.items()},
        }


def twelve_events() -> Files:
    """Two events for each of six articles."""
    articles = [
        {"id": f"a{n}", "published": "2024-03-07", "title": f"Story {n}", "text": "A bridge fell."}
        for n in range(6)
    ]
    events = [{"id": f"e{n}", "article": f"a{n % 6}", "text": f"{n} falls"} for n in range(12)]
    return [
        ("events", ("alpha.jsonl", lines(events))),
        ("articles", ("articles.jsonl", lines(articles))),
    ]


def judge_events(visitor: Visitor, batch: int) -> None:
    """Judge all events of a batch, without submitting it."""
    place = 1
    while visitor.send(f"/judge/{batch}/{place}", answer(save=f"judge-{place:08}")).is_success:
        place += 1


@dataclass(frozen=True)
class Scenario:
    """A valid request that changes something; the route's question, if any, is answered by yes."""

    route: str
    data: Mapping[str, Any] = field(default_factory=dict)
    """The form; {name} in its values stands for a value of the world."""
    who: str = "owner"
    batch: str = ""
    """Stage of the batch in the path: open, judged (by ana), submitted (by ana), or review."""
    files: Callable[[], Files] = tuple
    json: Any = None
    prepare: Callable[[Bench, Values], Values | None] | None = None
    """Brings a copy of the world into another state; may return more values."""
    method: str = "POST"
    label: str = ""
    """Tells scenarios of one route apart."""

    @property
    def name(self) -> str:
        """Names the test."""
        return f"{self.method} {self.route} {self.label}".strip()


BEST_VALUES = {f"value-{name}": str(value) for name, value in BEST.items()}
SHEET = f"event_id,evaluator,evaluator_kind,system,{','.join(BEST)}\n" + "".join(
    f"e{n},{name},llm,alpha,1,1,1,3,3\n" for n in range(3) for name in ("model one", "model two")
)


def sheet() -> Files:
    """Judgements of two evaluators."""
    return [("sheets", ("judged.csv", SHEET.encode()))]


def more_events() -> Files:
    """An event of another system about a known article."""
    event = {"id": "n1", "article": "a0", "text": "Another bridge falls"}
    return [("events", ("beta.jsonl", lines([event])))]


def event_sheet() -> Files:
    """Events in a sheet, whose columns are shown before they are imported."""
    return [("events", ("gamma.csv", b"ID,Date,Text\ne1,2024-03-04,A bridge falls\n"))]


def waiting_sheet(bench: Bench, _: Values) -> Values:
    """Upload a sheet, which then waits."""
    done = bench.owner.post("/projects", {"name": "Sheet"}, files=event_sheet())
    return {"token": done.headers["location"].rpartition("/")[2]}


def gold_and_predicted() -> Files:
    """Events to draw pairs from."""
    event = {"id": "e1", "topic": "bridges", "date": "2024-03-04", "text": "A bridge falls"}
    return [(field, (f"{field}.jsonl", lines([event]))) for field in ("gold", "events")]


def two_results() -> Files:
    """Two results that are not in the world."""
    return [*files_of("ordering", "quick", "one"), *files_of("ordering", "lead", "two")]


def deleted_result(bench: Bench, values: Values) -> Values:
    """Delete the result, which can then be undone."""
    bench.owner.post(f"/results/{values['result']}/delete", {"sure": "yes"})
    last = results.find(bench.store, values["result"])
    assert last is not None
    return {"state": last.state}


def post_first(path: str) -> Callable[[Bench, Values], None]:
    """The owner sends another form before the request."""
    return partial(_post_first, path)


def _post_first(path: str, bench: Bench, values: Values) -> None:
    done = bench.owner.post(path.format(**values), {"sure": "yes", "anyway": "yes"})
    assert done.status_code < 400, done.text


def board_key(bench: Bench, _: Values) -> Values:
    """The leaderboard of the result."""
    page = bench.owner.get("/leaderboard").text
    (key,) = re.findall(r'name="board" value="([^"]+)"', page)
    return {"board": html.unescape(key)}


SCENARIOS = (
    Scenario("/enter/{token}", who="nobody"),
    Scenario("/leave", who="ana"),
    Scenario("/projects", {"name": "New"}, files=small),
    Scenario("/projects", {"name": "New"}, files=event_sheet, label="with a sheet"),
    Scenario("/imports/{token}", {"then": "import"}, prepare=waiting_sheet),
    Scenario("/imports/{token}/cancel", prepare=waiting_sheet),
    Scenario("/projects/pairs", {"name": "Pairs", "number": "1"}, files=gold_and_predicted),
    Scenario("/projects/demo"),
    Scenario("/projects/{project}", {"name": "Another name"}),
    Scenario("/projects/{project}/people", {"name": "dora, emil"}),
    Scenario("/projects/{project}/people/{person}"),
    Scenario("/projects/{project}/people/{person}/end"),
    Scenario("/projects/{project}/people/{person}/remove"),
    Scenario(
        "/projects/{project}/people/{person}/bring-back",
        prepare=post_first("/projects/{project}/people/{person}/remove"),
    ),
    Scenario("/projects/{project}/archive"),
    Scenario("/projects/{project}/unarchive", prepare=post_first("/projects/{project}/archive")),
    Scenario("/projects/{project}/events", files=more_events),
    Scenario("/projects/{project}/batches", {"kind": "main", "person": "{person}"}),
    Scenario("/projects/{project}/judgements", files=sheet),
    Scenario("/judge/{batch}/submit", who="ana", batch="judged"),
    Scenario("/judge/{batch}/reopen", who="ana", batch="submitted"),
    Scenario(
        "/judge/{batch}/{place}",
        {**BEST_VALUES, "version": "0", "save": "typed-save", "comment": "typed words"},
        who="ana",
        batch="open",
        label="by a form",
    ),
    Scenario(
        "/judge/{batch}/{place}",
        json=answer(comment="sent"),
        who="ana",
        batch="open",
        label="by a script",
    ),
    Scenario("/judge/{batch}/{place}/undo", who="ana", batch="judged"),
    Scenario("/batches/{batch}/people/{person}/submit", batch="open"),
    Scenario("/batches/{batch}/people/{person}/give-back", batch="submitted"),
    Scenario("/batches/{batch}/finish", {"anyway": "yes"}, batch="review"),
    Scenario(
        "/batches/{batch}/events/{event}",
        {**BEST_VALUES, "version": "0", "save": "typed-save", "note": "typed words"},
        batch="review",
    ),
    Scenario("/batches/{batch}/events/{event}/names", {"names": "no"}, batch="review"),
    Scenario(
        "/batches/{batch}/reopen", batch="review", prepare=post_first("/batches/{batch}/finish")
    ),
    Scenario("/results", files=two_results),
    Scenario("/results", method="GET", label="with a new file in the folder"),
    Scenario("/results/{result}", {"name": "Another name"}),
    Scenario("/results/{result}/delete"),
    Scenario("/results/{result}/undo", {"state": "{state}"}, prepare=deleted_result),
    Scenario("/results/{result}/purge", prepare=deleted_result),
    Scenario("/results/{result}/share"),
    Scenario("/leaderboard/share", {"board": "{board}"}, prepare=board_key),
    Scenario("/readers/{link}/end", prepare=post_first("/results/{result}/share")),
)


def session_of(visitor: Visitor) -> tuple[dict[str, str], str]:
    """The cookies of a browser, and the token of its forms."""
    return dict(visitor.http.cookies), visitor.csrf


class Prepared:
    """A scenario with a database of its own: copies of it get the request."""

    def __init__(self, scenario: Scenario, world: World, folder: Path) -> None:
        self.scenario, self.folder = scenario, folder
        self.path = folder / "prepared.db"
        shutil.copy(world.path, self.path)
        self.results = folder / "results"
        self.results.mkdir()
        if scenario.method == "GET":
            for _, (name, content) in files_of("ordering", "quick", "new"):
                (self.results / name).write_bytes(content)
        self.values = {"batch": world.values.get(f"batch {scenario.batch}"), **world.values}
        self.sessions = {who: session_of(one) for who, one in world.visitors.items()}
        if scenario.prepare:
            with time_machine.travel(MOMENT, tick=False):
                bench = Bench(folder, Store(self.path))
                self.sessions["owner"] = session_of(bench.owner)
                self.values |= scenario.prepare(bench, self.values) or {}
                bench.store.close()

    def copy(self, name: str) -> Path:
        """A copy of the database."""
        return Path(shutil.copy(self.path, self.folder / f"{name}.db"))

    def send(self, path: Path, hook: Hook | None = None, *, again: bool = False) -> Any:
        """Send the request to a database while a hook watches its statements: the answer.

        It makes the same tokens each time; others if it is sent again after it was done.
        """
        scenario = self.scenario
        _forget_computed()  # so that the statements are the same each time
        with watched(None):
            store = Store(path, wait=WAIT)
        folder = ResultsFolder(self.results) if scenario.method == "GET" else None
        app = make_app(Workbench(store, PublicAddress(ADDRESS), folder=folder))
        visitor = Visitor(app)
        visitor.http.cookies, visitor.csrf = self.sessions[scenario.who]
        route = scenario.route.format(**self.values)
        data = {name: text.format(**self.values) for name, text in scenario.data.items()}
        files = [*scenario.files()]
        try:
            with watched(hook, "another" if again else "token"):
                if scenario.method == "GET":
                    return visitor.get(route)
                if scenario.json is not None:
                    return visitor.send(route, scenario.json)
                return visitor.post(route, {"sure": "yes", **data}, files=files)
        finally:
            store.close()
