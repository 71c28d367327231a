"""A locked database, a full disk, bodies that are too deep or too long: a sentence, no loss."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from workbench.bench import ADDRESS, BEST, WORST, Bench, Visitor, answer, judge_all, small

from chronoscore.errors import DataError
from chronoscore.workbench.routes import ROUTES
from chronoscore.workbench.security import SMALL
from chronoscore.workbench.store import Store, UnavailableError, people

WAIT = 0.05


class SmallDisk(Store):
    """A store whose file may have so many pages; 0 for as many as it likes."""

    pages = 0

    def _connection(self) -> sqlite3.Connection:
        made = super()._connection()
        made.execute(f"PRAGMA max_page_count={self.pages or 1_000_000}")
        return made

    @contextmanager
    def full(self) -> Iterator[None]:
        """Every page is taken, so that nothing more fits."""
        row = self.row("PRAGMA page_count")
        assert row is not None
        self.pages = row[0]
        try:
            yield
        finally:
            self.pages = 0


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program writes, and does not finish."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, SmallDisk(tmp_path / "workbench.db", wait=WAIT))
    yield made
    made.store.close()


@pytest.fixture(params=["locked", "full"])
def trouble(request: pytest.FixtureRequest, bench: Bench) -> Any:
    """What keeps the database from being written, and the sentence for it."""
    assert isinstance(bench.store, SmallDisk)
    if request.param == "locked":
        return lambda: locked(bench.store.path), "in use by another program"
    return bench.store.full, "disk of the workbench is full"


LONG = "\N{WATER BUFFALO} grazing, " * 300
"""Longer than what is left in any page of the file."""


def test_a_script_is_told_why_and_its_answer_is_taken_later(bench: Bench, trouble: Any) -> None:
    trouble_, sentence = trouble
    batch = bench.batch(bench.project(), "owner")
    sent = answer(comment=LONG, save="one-save")
    with trouble_():
        for _ in range(3):
            refused = bench.owner.send(f"/judge/{batch}/1", sent)
            assert refused.status_code == 503
            assert sentence in refused.json()["message"]
            assert int(refused.headers["retry-after"]) > 0
            assert bench.owner.get(f"/judge/{batch}/1").status_code == 200, "reading goes on"
    assert bench.count("judgements") == 0
    assert bench.owner.send(f"/judge/{batch}/1", sent).json()["version"] == 1
    assert bench.count("judgements") == 1


def test_a_form_comes_back_with_what_was_typed(bench: Bench, trouble: Any) -> None:
    trouble_, sentence = trouble
    batch = bench.batch(bench.project(), "owner")
    bench.owner.send(f"/judge/{batch}/1", answer(WORST, comment="before"))
    typed = {f"value-{field}": str(value) for field, value in BEST.items()}
    typed |= {"version": "1", "save": "typed-save", "comment": LONG, "flag": "yes"}
    with trouble_():
        page = bench.owner.post(f"/judge/{batch}/1", typed)
    assert page.status_code == 503
    assert sentence in page.text.replace("&#39;", "'")
    assert LONG.strip() in page.text
    assert 'name="save" value="typed-save"' in page.text, "sent twice, it is one row"
    assert 'name="version" value="1"' in page.text
    assert len(re.findall("<input[^>]* checked>", page.text)) == 6
    for field, value in BEST.items():
        assert f'name="value-{field}" value="{value}" checked' in page.text
    assert bench.owner.post(f"/judge/{batch}/1", typed).status_code == 303
    assert bench.count("judgements") == 2


def test_the_form_of_an_agreement_comes_back_with_what_was_typed(
    bench: Bench, trouble: Any
) -> None:
    trouble_, sentence = trouble
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "owner", "ana", overlap=2)
    judge_all(ana, batch, BEST)
    judge_all(bench.owner, batch, WORST)
    number = bench.store.rows("SELECT number FROM events")[0]["number"]
    typed = {f"value-{field}": str(value) for field, value in BEST.items()}
    typed |= {"version": "0", "save": "typed-save", "note": LONG, "reason": "slip"}
    with trouble_():
        page = bench.owner.post(f"/batches/{batch}/events/{number}", typed)
    assert page.status_code == 503
    assert sentence in page.text
    assert LONG.strip() in page.text
    assert 'name="save" value="typed-save"' in page.text
    assert len(re.findall("<input[^>]* checked>", page.text)) == 6
    assert bench.owner.post(f"/batches/{batch}/events/{number}", typed).status_code == 303
    assert bench.count("agreed") == 1


def test_every_form_that_changes_something_is_answered_by_a_sentence(
    bench: Bench, trouble: Any
) -> None:
    trouble_, sentence = trouble
    project = bench.project()
    batch = bench.batch(project, "owner", size=2)
    bench.visitor("ana", project)
    token = people.invite(bench.store, bench.person("ana").id, None)
    asked = {
        f"/projects/{project}": {"name": "x" * 120},
        f"/projects/{project}/people": {"name": "new person"},
        f"/projects/{project}/batches": {"kind": "main", "person": "1"},
        "/projects/demo": {},
        f"/judge/{batch}/1": {"version": "0", "save": "a-new-save", "comment": LONG},
    }
    stranger = Visitor(bench.app)
    with trouble_():
        for path, data in asked.items():
            done = bench.owner.post(path, data)
            if done.status_code < 400 and "full" in sentence:
                continue  # a short row still fits into a page
            assert done.status_code == 503, path
            assert sentence in done.text, path
        come_in = stranger.http.post(f"/enter/{token}", headers={"origin": ADDRESS})
        if "full" not in sentence:
            assert come_in.status_code == 503
            assert "set-cookie" not in come_in.headers
    if "full" not in sentence:
        stranger.enter(token)
    assert bench.owner.post("/projects", {"name": "y"}, files=small()).status_code == 303


def test_a_failed_write_leaves_the_connection_usable(bench: Bench, trouble: Any) -> None:
    trouble_, _ = trouble
    with trouble_(), pytest.raises(UnavailableError):  # noqa: SIM117
        with bench.store.writing() as connection:
            connection.execute("CREATE TABLE filler AS SELECT printf('%100000s', 'x') AS text")
    assert people.find_or_add(bench.store, "after")
    assert bench.store.row("SELECT 1 FROM sqlite_master WHERE name = 'filler'") is None


def test_writers_that_queue_up_do_not_wait_one_after_another(bench: Bench) -> None:
    """Who can't have the lock in time gives up, even if those before still wait for it."""
    import threading

    outcomes: list[str] = []

    def write() -> None:
        try:
            with bench.store.writing():
                outcomes.append("written")
        except UnavailableError:
            outcomes.append("gave up")

    with locked(bench.store.path):
        threads = [threading.Thread(target=write) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert outcomes == ["gave up"] * 8


def test_mistakes_in_statements_are_not_hidden(bench: Bench) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        bench.store.row("SELECT * FROM nowhere")


def test_a_locked_database_is_named_at_the_start(tmp_path: Path) -> None:
    Store(tmp_path / "w.db").close()
    other = sqlite3.connect(tmp_path / "w.db", isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DataError, match=r"w\.db: The database is in use"):
        Store(tmp_path / "w.db", wait=WAIT)
    other.close()


def test_a_mistake_of_the_workbench_is_answered_by_a_page(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from starlette.testclient import TestClient

    from chronoscore.workbench.store import batches

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(batches, "visible", broken)
    client = TestClient(bench.app, base_url=ADDRESS, raise_server_exceptions=False)
    client.cookies = bench.owner.http.cookies
    page = client.get("/")
    assert page.status_code == 500
    assert "The workbench failed" in page.text
    assert "ZeroDivision" not in page.text
    assert "content-security-policy" in page.headers


# Bodies


DEEP = 100_000


@pytest.mark.parametrize(
    "body",
    [
        "[" * DEEP + "]" * DEEP,
        '{"a":' * DEEP + "1" + "}" * DEEP,
        '{"values":' + "[" * DEEP + "]" * DEEP + "}",
        "[" * DEEP,
        "[" * 900 + "]" * 900,
    ],
    ids=["lists", "objects", "within", "open", "just under the limit of the parser"],
)
def test_deeply_nested_json_is_refused_at_every_route(bench: Bench, body: str) -> None:
    bench.batch(bench.project(), "owner")
    headers = {
        "origin": ADDRESS,
        "x-csrf-token": bench.owner.csrf,
        "content-type": "application/json",
        "accept": "application/json",
    }
    for route in ROUTES:
        if route.method == "POST":
            path = re.sub(r"{\w+}", "1", route.path)
            done = bench.owner.http.post(path, content=body, headers=headers)
            assert done.status_code < 500, path
            if path == "/judge/1/1" or len(body) > DEEP:
                assert done.status_code in (400, 413), path


@pytest.mark.parametrize(
    "body",
    [
        *(b'{"save": "\xff\xfe"}', b"\xef\xbb\xbf{}", "{}".encode("utf-16"), b"", b"\0", b"{}{}"),
        *(b'{"save": "\\ud800"}', b"[1e999]", b"[" + b"9" * 5000 + b"]", b"NaN", b"nul", b"null"),
    ],
)
def test_bodies_that_are_no_answer_are_refused(bench: Bench, body: bytes) -> None:
    batch = bench.batch(bench.project(), "owner")
    headers = {
        "origin": ADDRESS,
        "x-csrf-token": bench.owner.csrf,
        "content-type": "application/json",
    }
    done = bench.owner.http.post(f"/judge/{batch}/1", content=body, headers=headers)
    assert done.status_code == 400
    assert bench.count("judgements") == 0


def test_an_upload_that_is_not_text_is_refused(bench: Bench) -> None:
    bench.project()
    for name in ("x.manifest.json", "x.jsonl", "x.csv", "x.json", "x.xlsx", "x.tsv"):
        for content in (b'{"judge": "\xff"}', b"\xff\xfe\0", b"\0" * 50):
            files = [("sheets", (name, content))]
            done = bench.owner.post("/projects/1/judgements", files=files)
            assert done.status_code == 422, (name, content, done.text)


def test_json_is_never_longer_than_a_small_form(bench: Bench) -> None:
    headers = {
        "origin": ADDRESS,
        "x-csrf-token": bench.owner.csrf,
        "content-type": "application/json",
    }
    for path in ("/projects", "/results", "/judge/1/1"):
        content = b'"' + b"x" * SMALL + b'"'
        assert bench.owner.http.post(path, content=content, headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("path", "field", "name"),
    [
        ("/projects", "events", "deep.jsonl"),
        ("/projects", "codebook", "deep.json"),
        ("/projects", "articles", "deep.jsonl"),
        ("/projects/1/judgements", "sheets", "deep.manifest.json"),
        ("/projects/1/judgements", "sheets", "deep.jsonl"),
        ("/projects/1/judgements", "sheets", "deep.json"),
        ("/results", "results", "deep.json"),
    ],
)
@pytest.mark.parametrize("inside", ["", '{"id": "a", "more": '])
def test_deeply_nested_uploads_are_refused(
    bench: Bench, path: str, field: str, name: str, inside: str
) -> None:
    bench.project()
    content = (inside + "[" * DEEP + "]" * DEEP + ("}" if inside else "") + "\n").encode()
    files = [*small()[1:], (field, (name, content))] if path == "/projects" else []
    done = bench.owner.post(path, files=files or [(field, (name, content))])
    assert done.status_code in (400, 422), done.text
    assert bench.count("projects") == 1
