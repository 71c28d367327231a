"""A workbench for tests: its store, and people who open it as browsers do."""

import html
import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from workbench.in_process import Transport

from chronoscore.demo import SYSTEMS, home
from chronoscore.workbench.routes import make_app
from chronoscore.workbench.routing import Workbench
from chronoscore.workbench.security import PublicAddress, RateLimit
from chronoscore.workbench.store import Store, people, projects
from chronoscore.workbench.store.people import Person

ADDRESS = "http://127.0.0.1:8765"
BEST = {
    "Eval_DateCorrect": 1,
    "Eval_RootEvent": 1,
    "Eval_EventType": 1,
    "Eval_EventAmbiguity": 3,
    "Eval_Relevance": 3,
}
WORST = {
    "Eval_DateCorrect": 0,
    "Eval_RootEvent": 0,
    "Eval_EventType": 0,
    "Eval_EventAmbiguity": 1,
    "Eval_Relevance": 1,
}
Files = Sequence[tuple[str, tuple[str, bytes]]]


def text_of(page: str) -> str:
    """The words of a page."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


class Visitor:
    """A browser without scripts: it keeps cookies, and fills in the forms that it was shown."""

    def __init__(self, app: Any, client: str = "127.0.0.1") -> None:
        self.http = httpx2.Client(
            base_url=ADDRESS, transport=Transport(app, client), follow_redirects=False
        )
        self.csrf = ""

    def at(self, app: Any) -> "Visitor":
        """The same session, at another application with a copy of the database."""
        made = Visitor(app)
        made.http.cookies.update(self.http.cookies)
        made.csrf = self.csrf
        return made

    def get(self, path: str, **more: Any) -> Any:
        """Look at a page; its token is kept for forms."""
        answer = self.http.get(path, **more)
        found = re.search(r'name="csrf" content="([0-9a-f]+)"', answer.text)
        if found:
            self.csrf = found[1]
        return answer

    def post(self, path: str, data: Mapping[str, Any] | None = None, **more: Any) -> Any:
        """Send a form, as our own pages would."""
        headers = {"origin": ADDRESS, **more.pop("headers", {})}
        return self.http.post(
            path, data={"csrf": self.csrf, **(data or {})}, headers=headers, **more
        )

    def send(self, path: str, body: Any, **headers: str) -> Any:
        """Send JSON, as our own scripts would."""
        own = {"origin": ADDRESS, "x-csrf-token": self.csrf, "accept": "application/json"}
        return self.http.post(path, json=body, headers={**own, **headers})

    def enter(self, token: str) -> Any:
        """Come in by a link."""
        answer = self.http.post(f"/enter/{token}", headers={"origin": ADDRESS})
        assert answer.status_code == 303, answer.text
        return self.get("/")

    def let_in(self, store: Store, person: Person) -> None:
        """Come in by a link without its page, for tests of other pages."""
        session = people.enter(store, people.invite(store, person.id, None), "")
        assert session is not None
        self.http.cookies.set(PublicAddress(ADDRESS).cookie, session, "127.0.0.1")
        self.csrf = people.csrf(session)


@cache
def _empty_database() -> bytes:
    """A database without content, made once: each test begins with a copy."""
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        path = Path(folder, "workbench.db")
        Store(path).close()
        return path.read_bytes()


def new_store(folder: Path) -> Store:
    """A database without content, as the first start of a workbench makes it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "workbench.db"
    path.touch(0o600)  # as the store makes it
    path.write_bytes(_empty_database())
    return Store(path)


Scene = TypeVar("Scene")


def copied(scene: Scene, folder: Path) -> Scene:
    """A copy of something with a closed bench: its database, and all its visitors.

    What is expensive to make is made once, and each test has one of its own.
    """
    made, old = copy(scene), scene.bench  # type: ignore[attr-defined]
    bench = Bench(folder, Store(Path(shutil.copy(old.store.path, folder / "workbench.db"))), old)
    for name, value in vars(scene).items():
        if isinstance(value, Visitor):
            setattr(made, name, value.at(bench.app))
    made.bench = bench  # type: ignore[attr-defined]
    return made


class Bench:
    """A store with an application on top, and its owner."""

    owner: Visitor

    def __init__(
        self, folder: Path, store: Store | None = None, like: "Bench | None" = None
    ) -> None:
        self.store = store or new_store(folder)
        self.app = make_app(Workbench(self.store, PublicAddress(ADDRESS), RateLimit(most=10_000)))
        if like is not None:
            self.owner = like.owner.at(self.app)
            return
        self.owner = Visitor(self.app)
        self.owner.let_in(self.store, people.owner(self.store))

    def become(self, made: "Bench") -> None:
        """Hold what another one holds, which is closed; the owner's session is the other's."""
        self.store.close()
        shutil.copy(made.store.path, self.store.path)
        self.owner = made.owner.at(self.app)

    @property
    def boss(self) -> Person:
        return people.owner(self.store)

    def visitor(self, name: str, project: int) -> Visitor:
        """An evaluator of a project, who has come in."""
        person = projects.add_member(self.store, self.boss.id, project, name)
        made = Visitor(self.app)
        made.let_in(self.store, person)
        return made

    def person(self, name: str) -> Person:
        found = self.store.record(Person, "SELECT * FROM people WHERE name = :name", name=name)
        assert found is not None
        return found

    def project(self, files: Files | None = None, **more: str) -> int:
        """Import a project by the form."""
        answer = self.owner.post("/projects", {"name": "News", **more}, files=files or small())
        assert answer.status_code == 303, answer.text
        return int(answer.headers["location"].rsplit("/", 1)[1])

    def batch(self, project: int, *names: str, kind: str = "main", **more: object) -> int:
        """Make a batch by the form."""
        chosen = [self.person(name).id for name in names]
        data = {"kind": kind, "person": [str(one) for one in chosen], **more}
        answer = self.owner.post(f"/projects/{project}/batches", data)
        assert answer.status_code == 303, answer.text
        row = self.store.row("SELECT max(id) AS id FROM batches")
        assert row is not None
        return int(row["id"])

    def count(self, table: str) -> int:
        row = self.store.row(f"SELECT count(*) AS n FROM {table}")
        assert row is not None
        return int(row["n"])


def lines(records: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def small(events: int = 4, text: str = "A bridge fell on Monday.", system: str = "alpha") -> Files:
    """Events in two articles, of one system."""
    articles = [
        {"id": f"a{n}", "published": "2024-03-07", "title": f"Story {n}", "text": text}
        for n in range(2)
    ]
    made = [
        {
            "id": f"e{n}",
            "article": f"a{n % 2}",
            "date": "2024-03-04",
            "type": "collapse",
            "text": f"Bridge {n} falls",
            "span": [0, 13],
        }
        for n in range(events)
    ]
    return [
        ("events", (f"{system}.jsonl", lines(made))),
        ("articles", ("articles.jsonl", lines(articles))),
    ]


def demo_files() -> Files:
    """The bundled events of all systems, with their articles."""
    names = [("events", f"{name}.jsonl") for name in SYSTEMS] + [("articles", "articles.jsonl")]
    return [(kind, (name, (home() / name).read_bytes())) for kind, name in names]


def answer(values: Mapping[str, int | None] = BEST, version: int = 0, **more: object) -> Any:
    """What a script sends to be saved."""
    save = more.pop("save", f"save-{version}-{sorted(values.items())}"[:60])
    return {"save": save, "version": version, "values": dict(values), **more}


def judge_all(visitor: Visitor, batch: int, values: Any = BEST) -> int:
    """Judge a whole batch and submit it; values may depend on the place."""
    place = 0
    while True:
        place += 1
        given = values(place) if callable(values) else values
        done = visitor.send(f"/judge/{batch}/{place}", answer(given, save=f"judge-{place:08}"))
        if done.status_code == 404:
            break
        assert done.status_code == 200, done.text
    submitted = visitor.post(f"/judge/{batch}/submit", {"sure": "yes"})
    assert submitted.status_code == 303, submitted.text
    return place - 1
