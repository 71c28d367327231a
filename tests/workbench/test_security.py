"""What must be refused: it is refused, it is logged, and nothing has changed."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from workbench.bench import ADDRESS, BEST, Bench, Visitor, answer, judge_all, lines, small

from chronoscore.workbench.routes import ROUTES, make_app
from chronoscore.workbench.routing import Workbench
from chronoscore.workbench.security import (
    LARGE,
    POLICY,
    SMALL,
    PublicAddress,
    RateLimit,
    client_address,
)
from chronoscore.workbench.store import people

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>"
TABLES = (
    *("people", "links", "sessions", "projects", "articles", "events", "members"),
    *("batches", "tasks", "submissions", "judgements", "agreed", "audit"),
    *("results", "result_parts", "result_states", "reader_links"),
)


def state(bench: Bench) -> str:
    """A digest of everything that is kept."""
    rows = [tuple(row) for table in TABLES for row in bench.store.rows(f"SELECT * FROM {table}")]
    return hashlib.sha256(repr(rows).encode()).hexdigest()


@contextmanager
def refused(bench: Bench, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever is done here is logged and changes nothing."""
    before = state(bench)
    caplog.clear()
    with caplog.at_level(logging.WARNING, "chronoscore.workbench"):
        yield
    assert any("refused" in record.getMessage() for record in caplog.records)
    assert state(bench) == before


@pytest.fixture
def work(bench: Bench) -> int:
    return bench.batch(bench.project(), "owner")


# Forms of other sites


def test_a_form_without_its_token_is_refused(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    paths = [route.path for route in ROUTES if route.method == "POST" and route.who != "anyone"]
    assert len(paths) > 10
    for path in paths:
        made = re.sub(r"{\w+}", "1", path)
        for token in ("", "0" * 64, "ü"):
            with refused(bench, caplog):
                data = {"csrf": token, "name": "x", "kind": "main", "person": "1"}
                done = bench.owner.post(made, data)
                assert done.status_code == 403, path


def test_another_session_s_token_is_refused(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    ana = bench.visitor("ana", 1)
    with refused(bench, caplog):
        sent = bench.owner.send(f"/judge/{work}/1", answer(), **{"x-csrf-token": ana.csrf})
        assert sent.status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8765", ""]
)
def test_a_foreign_origin_is_refused(
    bench: Bench, work: int, origin: str, caplog: pytest.LogCaptureFixture
) -> None:
    with refused(bench, caplog):
        done = bench.owner.post(f"/judge/{work}/1", headers={"origin": origin})
        assert done.status_code == 403


def test_without_an_origin_the_browser_must_say_that_it_is_ours(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    with refused(bench, caplog):
        done = bench.owner.http.post(
            f"/judge/{work}/1",
            data={"csrf": bench.owner.csrf},
            headers={"sec-fetch-site": "cross-site"},
        )
        assert done.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9", "evil.example:8765"])
def test_a_foreign_host_is_refused(
    bench: Bench, host: str, caplog: pytest.LogCaptureFixture
) -> None:
    with refused(bench, caplog):
        assert bench.owner.http.get("/", headers={"host": host}).status_code == 421


# Sessions and links


def test_no_page_is_open_to_those_who_have_not_come_in(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = Visitor(bench.app)
    for route in ROUTES:
        if route.who == "anyone":
            continue
        path = re.sub(r"{\w+}", "1", route.path)
        with refused(bench, caplog):
            if route.method == "GET":
                done = stranger.get(path)
                assert (done.status_code, done.headers["location"]) == (303, "/enter")
            else:
                assert stranger.post(path).status_code == 401


def test_a_forged_cookie_opens_nothing(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    digest = bench.store.rows("SELECT digest FROM sessions")[0]["digest"]
    for forged in (digest, "owner", "1", "' OR 1=1 --", "é", "x" * 5000):
        with refused(bench, caplog):
            headers = {b"cookie": f"chronoscore-8765={forged}".encode("latin-1")}
            done = Visitor(bench.app).http.get("/", headers=headers)
            assert done.status_code == 303


def test_an_evaluator_is_no_owner(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    ana = bench.visitor("ana", 1)
    owners = [route for route in ROUTES if route.who == "owner"]
    assert len(owners) > 15
    for route in owners:
        path = re.sub(r"{\w+}", "1", route.path)
        with refused(bench, caplog):
            done = ana.get(path) if route.method == "GET" else ana.post(path)
            assert done.status_code == 403, path


def test_another_evaluator_s_work_can_not_be_named(bench: Bench, work: int) -> None:
    """It is not there for them, so that not even its presence is told."""
    ana = bench.visitor("ana", 1)
    bench.owner.send(f"/judge/{work}/1", answer(comment="secret"))
    before = state(bench)
    for path in ("", "/all", "/1", "/compare"):
        assert ana.get(f"/judge/{work}{path}").status_code == 404
    assert ana.send(f"/judge/{work}/1", answer(save="judge-0001")).status_code == 404
    for path in ("/1/undo", "/submit", "/reopen"):
        assert ana.post(f"/judge/{work}{path}").status_code == 404
    assert state(bench) == before


def test_a_save_id_of_another_is_no_key_to_their_answer(bench: Bench) -> None:
    project = bench.project()
    ana, ben = bench.visitor("ana", project), bench.visitor("ben", project)
    batch = bench.batch(project, "ana", "ben", overlap=2)
    ana.send(f"/judge/{batch}/1", answer(save="shared-id", comment="secret of ana"))
    sent = ben.send(f"/judge/{batch}/1", answer(save="shared-id", comment="of ben"))
    assert sent.json()["comment"] == "of ben"


def test_a_link_works_once(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.project()
    ana = bench.visitor("ana", 1)
    token = people.invite(bench.store, bench.person("ana").id, None)
    Visitor(bench.app).enter(token)
    with refused(bench, caplog):
        again = ana.http.post(f"/enter/{token}", headers={"origin": ADDRESS})
        assert again.status_code == 404
        assert "set-cookie" not in again.headers


def test_looking_at_a_link_does_not_use_it_up(bench: Bench) -> None:
    token = people.invite(bench.store, bench.boss.id, None)
    assert Visitor(bench.app).get(f"/enter/{token}").status_code == 200
    Visitor(bench.app).enter(token)


def test_a_new_link_ends_the_older_one(bench: Bench) -> None:
    older = people.invite(bench.store, bench.boss.id, None)
    people.invite(bench.store, bench.boss.id, None)
    assert people.invited(bench.store, older) is None


def test_coming_in_makes_a_new_session_and_ends_the_former(bench: Bench) -> None:
    visitor = Visitor(bench.app)
    visitor.http.cookies.set("chronoscore-8765", "planted-by-another", domain="127.0.0.1")
    token = people.invite(bench.store, bench.boss.id, None)
    done = visitor.http.post(f"/enter/{token}", headers={"origin": ADDRESS})
    cookie = done.headers["set-cookie"]
    assert "planted" not in cookie
    assert re.match(r"chronoscore-8765=[\w-]{43};", cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    first = cookie.split("=")[1].split(";")[0]
    again = Visitor(bench.app)
    again.http.cookies.set("chronoscore-8765", first, domain="127.0.0.1")
    again.enter(people.invite(bench.store, bench.boss.id, None))
    assert people.session(bench.store, first) is None


def test_by_https_the_cookie_is_secure(bench: Bench) -> None:
    place = PublicAddress("https://judge.example.org")
    assert (place.secure, place.cookie) == (True, "__Host-chronoscore")
    app = make_app(Workbench(bench.store, PublicAddress("https://judge.example.org")))
    visitor = Visitor(app)
    token = people.invite(bench.store, bench.boss.id, None)
    headers = {"origin": "https://judge.example.org", "host": "judge.example.org"}
    done = visitor.http.post(f"/enter/{token}", headers=headers)
    assert "Secure" in done.headers["set-cookie"]


def test_leaving_ends_the_session(bench: Bench) -> None:
    left = bench.owner.post("/leave", {"sure": "yes"})
    assert left.headers["location"] == "/enter?left=yes"
    assert "max-age=0" in left.headers["set-cookie"].lower()
    assert bench.owner.get("/").headers["location"] == "/enter"


def test_tokens_are_kept_as_digests_only(bench: Bench) -> None:
    token = people.invite(bench.store, bench.boss.id, None)
    session = bench.owner.http.cookies["chronoscore-8765"]
    content = (
        bench.store.path.read_bytes() + bench.store.path.with_name("workbench.db-wal").read_bytes()
    )
    assert people.digest(token).encode() in content
    assert token.encode() not in content
    assert session.encode() not in content


def test_guessing_links_is_slowed_down(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    time = 0.0
    app = make_app(
        Workbench(bench.store, PublicAddress(ADDRESS), RateLimit(most=5, clock=lambda: time))
    )
    one, other = Visitor(app, "10.0.0.1"), Visitor(app, "10.0.0.2")
    with refused(bench, caplog):
        told = [one.get(f"/enter/{n}").status_code for n in range(8)]
        time = 20.0
        refused_ = one.http.post("/enter/9", headers={"origin": ADDRESS})
    assert told == [404] * 5 + [429] * 3
    assert (refused_.status_code, refused_.headers["retry-after"]) == (429, "40")
    assert "wait 40 seconds" in refused_.text
    assert other.get("/enter/1").status_code == 404
    time = 61.0
    assert one.get("/enter/1").status_code == 404


def test_many_who_come_in_from_one_place_are_not_slowed_down(bench: Bench) -> None:
    app = make_app(Workbench(bench.store, PublicAddress(ADDRESS), RateLimit(most=5)))
    for _ in range(20):
        token = people.invite(bench.store, bench.boss.id, None)
        visitor = Visitor(app)
        assert visitor.get(f"/enter/{token}").status_code == 200
        visitor.enter(token)


def test_wrong_links_never_lock_out_the_right_ones(bench: Bench) -> None:
    app = make_app(Workbench(bench.store, PublicAddress(ADDRESS), RateLimit(most=5)))
    visitor = Visitor(app, "10.0.0.1")
    for number in range(30):
        visitor.get(f"/enter/{number}")
    token = people.invite(bench.store, bench.boss.id, None)
    assert visitor.get(f"/enter/{token}").status_code == 200
    assert visitor.get("/enter/wrong").status_code == 429
    visitor.enter(token)
    assert visitor.get(f"/enter/{token}").status_code == 429, "a used link fails like any other"
    assert visitor.get("/").status_code == 200


def test_a_trusted_proxy_names_the_address_and_nobody_else_does(bench: Bench) -> None:
    app = make_app(
        Workbench(bench.store, PublicAddress(ADDRESS), RateLimit(most=2), proxies=("10.0.0.9",))
    )
    proxy, stranger = Visitor(app, "10.0.0.9"), Visitor(app, "10.0.0.8")

    def tries(visitor: Visitor, forwarded: str) -> list[int]:
        headers = {"x-forwarded-for": forwarded}
        return [visitor.get(f"/enter/{n}", headers=headers).status_code for n in range(3)]

    assert tries(proxy, "192.0.2.1") == [404, 404, 429]
    assert tries(proxy, "192.0.2.2") == [404, 404, 429], "another person behind the proxy"
    assert tries(proxy, "made up, 192.0.2.2") == [429] * 3
    assert tries(proxy, "192.0.2.9, 192.0.2.2") == [429] * 3
    assert tries(stranger, "192.0.2.3") == [404, 404, 429]
    assert tries(stranger, "192.0.2.4") == [429] * 3, "a stranger's header is not believed"


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("10.0.0.9", "", "10.0.0.9"),
        ("10.0.0.9", "192.0.2.1", "192.0.2.1"),
        ("10.0.0.9", "192.0.2.1, 10.0.0.10", "192.0.2.1"),
        ("10.0.0.9", "192.0.2.1, 192.0.2.2, 10.0.0.10", "192.0.2.2"),
        ("10.0.0.9", "unknown", "10.0.0.9"),
        ("10.0.0.9", "192.0.2.1, ", "10.0.0.9"),
        ("10.0.0.9", "192.0.2.1:4711", "10.0.0.9"),
        ("::ffff:10.0.0.9", "2001:DB8::1", "2001:db8::1"),
        ("192.0.2.7", "192.0.2.1", "192.0.2.7"),
        ("testclient", "192.0.2.1", "testclient"),
    ],
)
def test_the_address_is_the_last_that_no_trusted_proxy_has(
    peer: str, forwarded: str, found: str
) -> None:
    assert client_address(peer, forwarded, ("10.0.0.9", "10.0.0.10")) == found


def test_the_limit_needs_bounded_memory() -> None:
    limit = RateLimit(_known=100)
    for number in range(1000):
        limit.failed(str(number))
    assert len(limit._times) == 100


def test_no_token_and_no_text_is_logged(
    bench: Bench, work: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "chronoscore.workbench"):
        bench.owner.get("/enter/secret-token-of-someone")
        bench.owner.post(f"/judge/{work}/1", {"csrf": "wrong", "comment": "secret words"})
        bench.owner.post("/projects", files=[("events", ("secret.jsonl", b"{secret"))])
    told = "\n".join(record.getMessage() for record in caplog.records)
    assert "secret" not in told
    assert told


# Texts that would be code


def test_evil_texts_are_shown_as_texts_everywhere(bench: Bench) -> None:
    article = {"id": "a1", "published": "2024-03-07", "title": EVIL, "text": f"Monday {EVIL}"}
    event = {"id": EVIL, "article": "a1", "date": "2024-03-04", "type": EVIL, "text": EVIL}
    book = {
        "name": "evil", "version": EVIL, "title": EVIL, "source": EVIL, "score": "S",
        "comment": EVIL, "purpose": EVIL, "guidelines": [f"`{EVIL}`"], "comment_guidance": EVIL,
        "chips": [{"key": "x", "text": EVIL.replace(";", "")}],
        "criteria": [
            {"field": f"Eval{n} {EVIL}", "name": f"c{n}", "title": EVIL, "weight": "1",
             "scale": "nominal", "question": EVIL,
             "guidance": [{"kind": "tip", "text": f"`{EVIL}`"}],
             "values": [{"value": v, "label": EVIL, "name": EVIL} for v in (0, 1)]}
            for n in range(2)
        ],
    }  # fmt: skip
    files = [
        ("events", (f"{EVIL}.jsonl", lines([event]))),
        ("articles", ("articles.jsonl", lines([article]))),
        ("codebook", ("codebook.json", lines([book]))),
    ]
    project = bench.project(files, name=EVIL)
    ana = bench.visitor(EVIL[:80], project)
    batch = bench.batch(project, "owner", EVIL[:80], overlap=2)
    said = {criterion["field"]: 1 for criterion in book["criteria"]}  # type: ignore[index]
    for visitor, value in ((bench.owner, 0), (ana, 1)):
        values = dict.fromkeys(said, value)
        visitor.send(f"/judge/{batch}/1", answer(values, save="evil-save", comment=EVIL))
        visitor.post(f"/judge/{batch}/submit", {"sure": "yes"})
    number = bench.store.rows("SELECT number FROM events")[0]["number"]
    data = {f"value-{field}": "1" for field in said}
    pages = [
        bench.owner.get("/"),
        bench.owner.get(f"/projects/{project}"),
        bench.owner.get(f"/projects/{project}/events?find={'script'}"),
        bench.owner.get(f"/projects/{project}/events", params={"find": EVIL}),
        bench.owner.get(f"/projects/{project}/audit", params={"action": EVIL}),
        bench.owner.get(f"/projects/{project}/agreement"),
        bench.owner.get(f"/projects/{project}/export"),
        bench.owner.get(f"/batches/{batch}"),
        bench.owner.get(f"/batches/{batch}/events/{number}"),
        bench.owner.get(f"/judge/{batch}/1", params={"said": EVIL}),
        ana.get(f"/judge/{batch}/all"),
        bench.owner.post(f"/projects/{project}/people", {"name": EVIL}),
        bench.owner.post("/projects", {"name": EVIL}, files=[("events", (EVIL, EVIL.encode()))]),
        bench.owner.get(f"/nowhere/{EVIL}"),
        bench.owner.get(f"/enter/{EVIL}"),
        bench.owner.post(
            f"/batches/{batch}/events/{number}",
            {**data, "version": "0", "save": "evil-note", "note": EVIL},
        ),
        bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}),
        ana.get(f"/judge/{batch}/compare"),
    ]
    for page in pages:
        assert page.status_code < 500
        for code in ("<script>", "<img", "<svg"):
            assert code not in page.text, page.url
    assert "&lt;script&gt;" in pages[9].text
    assert "&lt;script&gt;" in pages[-1].text


def test_every_answer_has_the_strict_headers(bench: Bench, work: int) -> None:
    for path in ("/", f"/judge/{work}/1", "/enter", "/nowhere", "/static/judge.js", "/health"):
        answer_ = bench.owner.get(path)
        assert answer_.headers["content-security-policy"] == POLICY
        assert answer_.headers["x-content-type-options"] == "nosniff"
        assert answer_.headers["referrer-policy"] == "same-origin"
    assert "'unsafe" not in POLICY
    assert bench.owner.get("/").headers["cache-control"] == "no-store"


def test_a_static_file_is_sent_again_only_if_it_changed(bench: Bench) -> None:
    first = bench.owner.get("/static/judge.js")
    other = bench.owner.get("/static/keys.js")
    tag = first.headers["etag"]
    assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    assert tag != other.headers["etag"]
    for known in (tag, f"W/{tag}", f'"older", {tag}', "*"):
        again = bench.owner.get("/static/judge.js", headers={"if-none-match": known})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["etag"] == tag
        assert again.headers["cache-control"] == "no-cache"
    for known in ("", '"older"', other.headers["etag"], tag.strip('"')):
        again = bench.owner.get("/static/judge.js", headers={"if-none-match": known})
        assert again.status_code == 200
        assert again.content == first.content
    assert bench.owner.get("/static/none.js", headers={"if-none-match": "*"}).status_code == 404


def test_pages_have_no_code_of_their_own(bench: Bench, work: int) -> None:
    for path in ("/", "/projects/1", f"/judge/{work}/1", f"/judge/{work}/all"):
        page = bench.owner.get(path).text
        assert not re.search(r"<script(?![^>]* src=)", page)
        assert not re.search(r"<style|\son\w+=|\sstyle=|javascript:", page)
        assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', page)


# Sizes, paths, SQL


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/..\\app.py",
        "/projects/1/export/../../../etc/passwd",
        "/projects/1/export/..%2f..%2fetc%2fpasswd",
    ],
)
def test_no_path_leads_out(bench: Bench, work: int, path: str) -> None:
    before = state(bench)
    assert bench.owner.get(path).status_code == 404
    assert state(bench) == before


def test_an_upload_s_name_is_only_a_name(bench: Bench) -> None:
    files = [(kind, ("../../../tmp/escaped.jsonl", made)) for kind, (_, made) in small()[:1]]
    project = bench.project(files)
    assert bench.store.rows("SELECT DISTINCT system FROM events")[0]["system"] == "escaped"
    assert project


@pytest.mark.parametrize("path", ["/judge/1/1", "/projects"])
def test_too_much_is_refused_before_it_is_read(
    bench: Bench, work: int, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    most = LARGE if path == "/projects" else SMALL
    for headers in ({"content-length": str(most + 1)}, {"content-length": "many"}, {}):
        with refused(bench, caplog):
            status, read = asyncio.run(_flood(bench, path, headers, most))
        assert status == 413
        assert read <= most + 2**20


async def _flood(bench: Bench, path: str, headers: Mapping[str, str], most: int) -> tuple[int, int]:
    """Send without end, in chunks, whatever length was promised."""
    begin = b'--x\r\nContent-Disposition: form-data; name="events"; filename="a"\r\n\r\n'
    chunk = b"x" * 2**20
    read = 0
    told: list[Any] = []

    async def receive() -> dict[str, Any]:
        nonlocal read
        read += len(chunk)
        assert read < 2 * most + 2**22, "it goes on reading"
        body = begin + chunk if read == len(chunk) else chunk
        return {"type": "http.request", "body": body, "more_body": True}

    async def send(message: Any) -> None:
        told.append(message)

    cookie = bench.owner.http.cookies["chronoscore-8765"]
    given = {
        "host": "127.0.0.1:8765",
        "origin": ADDRESS,
        "cookie": f"chronoscore-8765={cookie}",
        "x-csrf-token": bench.owner.csrf,
        "content-type": "multipart/form-data; boundary=x",
        **headers,
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
        "scheme": "http",
        "http_version": "1.1",
    }
    await bench.app(scope, receive, send)
    return told[0]["status"], read


@pytest.mark.parametrize(
    "sql", ["' OR '1'='1", "'; DROP TABLE events; --", "%", "_", "\\", '" OR 1']
)
def test_sql_in_filters_is_only_text(bench: Bench, work: int, sql: str) -> None:
    before = state(bench)
    found = bench.owner.get("/projects/1/events", params={"find": sql})
    assert "Nothing found" in found.text
    audit = bench.owner.get("/projects/1/audit", params={"action": sql})
    assert "Nothing yet" in audit.text
    for page in ("1 OR 1", "-1", "9" * 30, "1;"):
        assert bench.owner.get("/projects/1/events", params={"page": page}).status_code == 400
        assert bench.owner.get(f"/projects/{page}").status_code == 404
    assert state(bench) == before


def test_every_change_is_in_the_audit(bench: Bench) -> None:
    project = bench.project()
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "ana", "owner", overlap=2)
    judge_all(ana, batch)
    judge_all(bench.owner, batch, BEST)
    bench.owner.post(f"/projects/{project}", {"name": "Other"})
    bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"})
    bench.owner.get(f"/projects/{project}/export/csv")
    page = bench.owner.get(f"/projects/{project}/audit").text
    for action in (
        *("project made", "evaluator added", "batch made", "judged", "submitted"),
        *("project changed", "agreed", "adjudicated", "exported"),
    ):
        assert f">{action}<" in page
