"""Links for readers: each shows its result or its leaderboard, and nothing else to anyone."""

import logging
import re
from typing import Any

import pytest
from workbench.bench import ADDRESS, Bench, Visitor
from workbench.results_made import files_of
from workbench.test_security import refused, state

from chronoscore.workbench.routes import make_app
from chronoscore.workbench.routing import Workbench
from chronoscore.workbench.security import PublicAddress, RateLimit
from chronoscore.workbench.store import people, reader_links
from chronoscore.workbench.store import results as store_results

TOKEN = re.compile(rf'value="{ADDRESS}/shared/([\w-]+)"')


@pytest.fixture(scope="module")
def runs_made_once(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    bench = Bench(tmp_path_factory.mktemp("runs"))
    for system in ("careful", "quick"):
        done = bench.owner.post("/results", files=list(files_of(system=system, name=system)))
        assert done.status_code == 303, done.text
    bench.store.close()
    return bench


@pytest.fixture
def runs(bench: Bench, runs_made_once: Bench) -> list[str]:
    """The ids of two results on one board."""
    bench.become(runs_made_once)
    return [one.id for one in store_results.stored(bench.store)]


def token_in(answer: Any) -> str:
    assert answer.status_code == 200, answer.text
    (token,) = TOKEN.findall(answer.text)
    return str(token)


def share_run(bench: Bench, run: str) -> str:
    return token_in(bench.owner.post(f"/results/{run}/share"))


def share_board(bench: Bench) -> str:
    page = bench.owner.get("/leaderboard").text
    (key,) = re.findall(r'name="board" value="([^"]+)"', page)
    return token_in(bench.owner.post("/leaderboard/share", {"board": key.replace("&#34;", '"')}))


def reader(bench: Bench, client: str = "10.1.1.1") -> Visitor:
    """Someone who has never been here."""
    return Visitor(bench.app, client)


def assert_secret_address(answer: Any) -> None:
    """The page tells no other site its address, is not kept, not indexed, and sets no cookie."""
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-robots-tag"] == "noindex"
    assert "set-cookie" not in answer.headers


def links_out(html: str) -> list[str]:
    """Where a page leads to, apart from its own places, scripts and style sheets."""
    found = re.findall(r'<(?:a|form)\b[^>]*\b(?:href|action)="([^"]*)"', html)
    return [link for link in found if not link.startswith("#")]


def test_a_shared_result_is_its_report_without_a_way_to_anything_else(
    bench: Bench, runs: list[str]
) -> None:
    answer = reader(bench).get(f"/shared/{share_run(bench, runs[0])}")
    assert answer.status_code == 200
    assert_secret_address(answer)
    assert "careful" in answer.text
    assert "quick" not in answer.text
    assert links_out(answer.text) == []
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    own = bench.owner.get(f"/results/{runs[0]}").text
    strip = re.compile(r"<nav[^>]*trail.*?</nav>|<aside[^>]*trail.*?</aside>", re.S)
    assert strip.sub("", answer.text) == strip.sub("", own), "the numbers are those of the owner"


def test_a_shared_leaderboard_ranks_all_and_leads_nowhere(bench: Bench, runs: list[str]) -> None:
    answer = reader(bench).get(f"/shared/{share_board(bench)}")
    assert answer.status_code == 200
    assert_secret_address(answer)
    assert "careful" in answer.text
    assert "quick" in answer.text
    assert links_out(answer.text) == []
    assert not any(run in answer.text for run in runs), "no address of a result"


def test_a_shared_leaderboard_shows_what_is_ranked_now(bench: Bench, runs: list[str]) -> None:
    token = share_board(bench)
    bench.owner.post("/results", files=list(files_of(system="lead", name="lead")))
    assert ">lead<" in reader(bench).get(f"/shared/{token}").text


def test_a_deleted_result_is_not_shown_and_comes_back_with_it(
    bench: Bench, runs: list[str]
) -> None:
    run, board = share_run(bench, runs[0]), share_board(bench)
    for one in runs:
        if one == runs[0]:
            asked = bench.owner.post(f"/results/{one}/delete").text
            assert "1 link for readers will show nothing" in asked
        bench.owner.post(f"/results/{one}/delete", {"sure": "yes"})
    for token in (run, board):
        gone = reader(bench).get(f"/shared/{token}")
        assert gone.status_code == 410
        assert_secret_address(gone)
        assert "careful" not in gone.text
    refused_share = bench.owner.post(f"/results/{runs[0]}/share")
    assert refused_share.status_code == 422
    assert "bring it back" in refused_share.text
    result = store_results.find(bench.store, runs[0])
    assert result is not None
    bench.owner.post(f"/results/{runs[0]}/undo", {"state": result.state})
    assert reader(bench).get(f"/shared/{run}").status_code == 200
    shown = reader(bench).get(f"/shared/{board}").text
    assert "careful" in shown
    assert "quick" not in shown


def test_a_result_whose_numbers_are_purged_is_not_shown(bench: Bench, runs: list[str]) -> None:
    token = share_run(bench, runs[0])
    assert reader(bench).get(f"/shared/{token}").status_code == 200
    for step in ("delete", "purge"):
        assert bench.owner.post(f"/results/{runs[0]}/{step}", {"sure": "yes"}).status_code == 303
    assert reader(bench).get(f"/shared/{token}").status_code == 410
    assert bench.owner.post(f"/results/{runs[0]}/share").status_code == 410


def test_an_ended_link_opens_for_nobody(
    bench: Bench, runs: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    first, second = share_run(bench, runs[0]), share_run(bench, runs[0])
    newest, oldest = reader_links.present(bench.store, "result")
    page = bench.owner.get("/results").text
    assert page.count("/end") == 2
    assert first not in page, "a link is shown once"
    assert bench.owner.post(f"/readers/{oldest.id}/end").headers["location"] == "/results#readers"
    for visitor in (reader(bench), bench.owner):
        with refused(bench, caplog):
            ended = visitor.get(f"/shared/{first}")
        assert ended.status_code == 404
        assert_secret_address(ended)
    assert reader(bench).get(f"/shared/{second}").status_code == 200
    assert bench.owner.post(f"/readers/{oldest.id}/end").status_code == 404
    assert [one.id for one in reader_links.present(bench.store, "result")] == [newest.id]


@pytest.mark.parametrize(
    "wrong", ["x", "0", "..", "%2e%2e", "%00", "é", "a" * 43, "a" * 5000, "' OR 1=1 --", "%F0%9F"]
)
def test_a_wrong_link_shows_nothing(
    bench: Bench, runs: list[str], wrong: str, caplog: pytest.LogCaptureFixture
) -> None:
    share_run(bench, runs[0])
    before = state(bench)
    answer = reader(bench).get(f"/shared/{wrong}")
    assert answer.status_code in (404, 303), answer.text  # `..` is resolved by the client
    assert "careful" not in answer.text
    assert state(bench) == before


def test_digests_and_other_tokens_are_no_links(bench: Bench, runs: list[str]) -> None:
    share_run(bench, runs[0])
    digest = bench.store.value("SELECT digest FROM reader_links")
    invitation = people.invite(bench.store, bench.boss.id, None)
    session = bench.owner.http.cookies["chronoscore-8765"]
    for wrong in (digest, invitation, session, bench.owner.csrf, runs[0], "1"):
        assert reader(bench).get(f"/shared/{wrong}").status_code == 404


def test_a_reader_s_link_logs_nobody_in(bench: Bench, runs: list[str]) -> None:
    token = share_run(bench, runs[0])
    visitor = reader(bench)
    assert visitor.get(f"/shared/{token}").status_code == 200
    assert not visitor.http.cookies
    assert visitor.get(f"/enter/{token}").status_code == 404
    visitor.http.cookies.set("chronoscore-8765", token, domain="127.0.0.1")
    assert visitor.get("/").headers["location"] == "/enter"


def test_guessing_is_slowed_down_together_with_links_of_evaluators(
    bench: Bench, runs: list[str]
) -> None:
    token = share_run(bench, runs[0])
    app = make_app(Workbench(bench.store, PublicAddress(ADDRESS), RateLimit(most=5)))
    guesser = Visitor(app, "10.0.0.1")
    statuses = [guesser.get(f"/enter/{n}").status_code for n in range(3)]
    statuses += [guesser.get(f"/shared/{n}").status_code for n in range(4)]
    assert statuses == [404] * 5 + [429] * 2
    slowed = guesser.get("/shared/9")
    assert int(slowed.headers["retry-after"]) > 0
    assert "wait" in slowed.text
    assert_secret_address(slowed)
    assert guesser.get(f"/shared/{token}").status_code == 200, "a valid link never waits"
    assert Visitor(app, "10.0.0.2").get("/shared/1").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/cases/0", "/files/result", "/share", "/undo", "/delete", "/", "/../results", "/..%2f..%2f"],
)
def test_nothing_is_below_a_link(bench: Bench, runs: list[str], path: str) -> None:
    answer = reader(bench).get(f"/shared/{share_run(bench, runs[0])}{path}")
    assert answer.status_code in (404, 303, 307)
    assert "careful" not in answer.text


def test_the_query_changes_nothing(bench: Bench, runs: list[str]) -> None:
    token = share_run(bench, runs[0])
    plain = reader(bench).get(f"/shared/{token}")
    for query in ({"result": runs[1]}, {"system": "1"}, {"changed": runs[1]}, {"one": runs[1]}):
        assert reader(bench).get(f"/shared/{token}", params=query).content == plain.content


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_a_link_can_only_be_read(bench: Bench, runs: list[str], method: str) -> None:
    token = share_run(bench, runs[0])
    before = state(bench)
    answer = reader(bench).http.request(method, f"/shared/{token}", headers={"origin": ADDRESS})
    assert answer.status_code == 405
    assert_secret_address(answer)
    assert state(bench) == before
    assert reader(bench).http.head(f"/shared/{token}").status_code == 200


def test_a_session_gives_no_more(bench: Bench, runs: list[str]) -> None:
    ana = bench.visitor("ana", bench.project())
    for token in (share_run(bench, runs[0]), share_board(bench)):
        plain = reader(bench).get(f"/shared/{token}")
        for visitor in (ana, bench.owner):
            same = visitor.get(f"/shared/{token}")
            assert same.content == plain.content
            assert "set-cookie" not in same.headers
    assert "ana" not in plain.text
    assert bench.owner.csrf not in plain.text


def test_only_the_owner_shares_and_ends(
    bench: Bench, runs: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    share_run(bench, runs[0])
    ana = bench.visitor("ana", bench.project())
    for visitor, status in ((ana, 403), (reader(bench), 401)):
        for path in (f"/results/{runs[0]}/share", "/leaderboard/share", "/readers/1/end"):
            with refused(bench, caplog):
                assert visitor.post(path).status_code == status


def test_a_report_that_names_evaluators_is_not_shared(bench: Bench) -> None:
    bench.owner.post("/results", files=list(files_of("rubric")))
    (run,) = store_results.stored(bench.store)
    answer = bench.owner.post(f"/results/{run.id}/share")
    assert answer.status_code == 422
    assert "share its leaderboard" in answer.text
    token = reader_links.add(bench.store, bench.boss.id, "result", run.id)
    assert reader(bench).get(f"/shared/{token}").status_code == 410
    board = reader(bench).get(f"/shared/{share_board(bench)}")
    assert board.status_code == 200
    assert not re.search(r"\b(ana|ben)\b", board.text)


def test_a_board_that_is_not_there_is_not_shared(bench: Bench, runs: list[str]) -> None:
    before = state(bench)
    for board in ("", "[]", "x", '["timelines","other","gold"]'):
        assert bench.owner.post("/leaderboard/share", {"board": board}).status_code == 404
    assert state(bench) == before


def test_the_token_is_in_no_log_and_not_in_the_database(
    bench: Bench, runs: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        tokens = [share_run(bench, runs[0]), share_board(bench)]
        for token in tokens:
            reader(bench).get(f"/shared/{token}")
            reader(bench).get(f"/shared/{token}x")
        for one in (1, 2):
            bench.owner.post(f"/readers/{one}/end")
        assert reader(bench).get(f"/shared/{tokens[0]}").status_code == 404
    path = bench.store.path
    content = path.read_bytes() + path.with_name("workbench.db-wal").read_bytes()
    ours = [record for record in caplog.records if not record.name.startswith("httpx")]
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in ours)
    assert "/shared/{token}" in logged
    for token in tokens:
        assert token not in logged
        assert token.encode() not in content
        assert people.digest(token).encode() in content
    actions = [row["action"] for row in bench.store.rows("SELECT action FROM audit")]
    assert actions.count("result shared") == actions.count("result link ended") == 2
