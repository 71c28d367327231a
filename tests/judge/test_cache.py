"""Answers are kept: nothing is asked twice, and a run can be repeated offline."""

import json
from pathlib import Path

import pytest
from judge.conftest import ARTICLES, EVENTS, Judging, read_lines, write_lines
from judge.stub import Reaction, always, completion, good, in_turn, opinion, serving
from readers.command_line import run


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "judgements.cache").rglob("*.json"))


def test_a_second_run_asks_nothing_and_writes_the_same(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        first = judging(stub)
        before = (folder / "judgements.jsonl").read_bytes()
        again = judging(stub)
        assert stub.asked == len(EVENTS)
    assert first.code == again.code == 0
    assert (folder / "judgements.jsonl").read_bytes() == before
    assert len(entries(folder)) == len(EVENTS)


def test_a_replay_is_the_same_run_offline(judging: Judging, folder: Path) -> None:
    with serving(in_turn(completion("no JSON"), Reaction(500))) as stub:
        assert judging(stub, "--price-in", 1).code == 0
    before = (folder / "judgements.jsonl").read_bytes()
    manifest = json.loads((folder / "judgements.manifest.json").read_text(encoding="utf-8"))
    (folder / "judgements.jsonl").unlink()
    ran = judging(stub, "--replay", "--price-in", 1)  # the server is gone
    assert ran.code == 0, ran.err
    assert (folder / "judgements.jsonl").read_bytes() == before
    replayed = json.loads((folder / "judgements.manifest.json").read_text(encoding="utf-8"))
    assert replayed["use"].pop("cost_now") == 0
    assert manifest["use"].pop("cost_now") == manifest["use"]["cost"] > 0
    assert replayed["use"] == manifest["use"]
    assert replayed["counts"]["from_cache"] == replayed["counts"]["answers"] == len(EVENTS) + 1
    assert replayed["counts"]["asked_now"] == 0


def test_a_replay_names_what_is_not_kept(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub)
        lost, *_ = entries(folder)
        lost.unlink()
        ran = judging(stub, "--replay")
        assert stub.asked == len(EVENTS)
    assert ran.code == 4
    (failure,) = read_lines(folder / "judgements.failures.jsonl")
    assert failure["reason"] == f"the answer is not in the cache ({lost.name})"
    assert len(read_lines(folder / "judgements.jsonl")) == len(EVENTS) - 1


def test_a_replay_needs_no_http_library(
    judging: Judging, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as stub:
        judging(stub)
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    assert judging(stub, "--replay").code == 0
    ran = judging(stub)
    assert ran.code == 2
    assert ran.err.splitlines()[-1] == (
        "error: judge models need a package: pip install 'chronoscore[judge]'"
    )


@pytest.mark.parametrize("spoilt", [b"", b"{}", b'{"key": "x"}', b"\xff\xfe", b"[[["])
def test_a_broken_entry_is_asked_for_again(spoilt: bytes, judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub)
        before = (folder / "judgements.jsonl").read_bytes()
        path, *_ = entries(folder)
        path.write_bytes(spoilt)
        assert judging(stub, "--replay").code == 4
        (failure,) = read_lines(folder / "judgements.failures.jsonl")
        assert failure["reason"] == f"the answer can't be read in the cache ({path.name})"
        assert judging(stub).code == 0
        assert stub.asked == len(EVENTS) + 1
    assert (folder / "judgements.jsonl").read_bytes() == before


def test_an_entry_under_the_name_of_another_is_not_taken(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub)
        first, second, *_ = entries(folder)
        second.write_bytes(first.read_bytes())
        assert judging(stub).code == 0
        assert stub.asked == len(EVENTS) + 1


CHANGES: list[list[object]] = [
    ["--model", "other"],
    ["--temperature", 0.5],
    ["--seed", 3],
    ["--max-tokens", 99],
    ["--parameter", "top_p=0.5"],
    ["--per-criterion"],
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_another_way_of_asking_is_another_answer(change: list[object], judging: Judging) -> None:
    with serving() as stub:
        judging(stub, "--cache", "kept")
        before = stub.asked
        assert judging(stub, "--cache", "kept", "-o", "other.jsonl", *change).code == 0
        assert stub.asked == before + len(EVENTS) * (5 if change == ["--per-criterion"] else 1)


@pytest.mark.parametrize("change", [{"text": "Other."}, {"published": "2011-03-01"}])
def test_another_article_is_another_answer(
    change: dict[str, str], judging: Judging, folder: Path
) -> None:
    with serving() as stub:
        judging(stub)
        write_lines(folder / "articles.jsonl", [{**ARTICLES[0], **change}, ARTICLES[1]])
        assert judging(stub).code == 0
        assert stub.asked == len(EVENTS) + 2  # the two events of that article


def test_another_codebook_is_another_answer(judging: Judging, folder: Path) -> None:
    from chronoscore.demo import home

    text = (home().parent / "rubric/codebooks/event-quality.json").read_text(encoding="utf-8")
    (folder / "own.json").write_text(text.replace('"1.0"', '"1.1"'), encoding="utf-8")
    with serving() as stub:
        judging(stub)
        assert judging(stub, "--codebook", "own.json").code == 0
        assert stub.asked == 2 * len(EVENTS)


def test_a_new_sample_is_asked_and_old_ones_are_kept(judging: Judging) -> None:
    with serving() as stub:
        judging(stub)
        assert judging(stub, "--samples", 3).code == 0
        assert stub.asked == 3 * len(EVENTS)


def test_what_looks_the_same_to_the_judge_is_asked_once(judging: Judging, folder: Path) -> None:
    write_lines(folder / "events.jsonl", [*EVENTS, {**EVENTS[0], "id": "twin", "score": 0.5}])
    with serving() as stub:
        assert judging(stub).code == 0
        assert stub.asked == len(EVENTS)
    rows = {row["event_id"]: row for row in read_lines(folder / "judgements.jsonl")}
    assert len(rows) == len(EVENTS) + 1
    assert rows["twin"]["Eval_Relevance"] == rows["zeta-1"]["Eval_Relevance"]


def test_faults_are_not_kept_and_asked_again(judging: Judging, folder: Path) -> None:
    with serving(in_turn(Reaction(500))) as stub:
        assert judging(stub, "--retries", 0).code == 4
        assert judging(stub, "--retries", 0).code == 0
        assert stub.asked == len(EVENTS) + 1
    assert not (folder / "judgements.failures.jsonl").exists()


def test_useless_replies_are_kept_until_they_are_asked_for_anew(judging: Judging) -> None:
    with serving(always(completion("no JSON"))) as stub:
        assert judging(stub).code == 4
        assert judging(stub).code == 4
        assert stub.asked == 2 * len(EVENTS)
        stub.behaviour = good
        assert judging(stub, "--retry-failed").code == 0
        assert stub.asked == 3 * len(EVENTS)
        assert judging(stub).code == 0
        assert stub.asked == 3 * len(EVENTS)


@pytest.mark.parametrize("jobs", [1, 7])
def test_the_number_of_threads_changes_nothing(jobs: int, folder: Path) -> None:
    events = [{**EVENTS[0], "id": f"e{n}", "text": "x" * n} for n in range(40)]
    write_lines(folder / "many.jsonl", events)
    with serving() as stub:
        ran = run(
            *("judge", "many.jsonl", "--articles", "articles.jsonl", "--model", "m"),
            *("--base-url", stub.url, "--jobs", jobs, "-o", "many.csv"),
        )
        assert ran.code == 0
        assert stub.asked == 40
    rows = (folder / "many.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == sorted(event["id"] for event in events)
    assert rows[-1].endswith(",".join(map(str, opinion("Description: " + "x" * 9))) + ",fine")


def test_the_cache_holds_the_reply_and_what_it_took(judging: Judging, folder: Path) -> None:
    with serving() as stub:
        judging(stub)
    for path in entries(folder):
        entry = json.loads(path.read_text(encoding="utf-8"))
        assert entry["key"] == path.stem
        assert json.loads(entry["content"])["reasoning"] == "It says so."
        assert (entry["tokens_in"], entry["tokens_out"]) == (1000, 50)
        assert entry["latency"] > 0
        assert entry["served_by"] == "stub-1"
        assert entry["mode"] == "json_schema"
    assert stub.asked
    assert not list((folder / "judgements.cache").rglob("*.part"))


def test_what_is_not_a_judges_own_is_not_overwritten(judging: Judging, folder: Path) -> None:
    (folder / "judgements.jsonl").write_text("the work of weeks", encoding="utf-8")
    with serving() as stub:
        ran = judging(stub)
        assert ran.code == 2
        assert "already exists and no judge wrote it" in ran.err
        assert judging(stub, "-o", "new.jsonl").code == 0
        ran = judging(stub, "-o", "new.jsonl", "--model", "other")
        assert ran.code == 2
        assert "holds the judgements of stub@" in ran.err
    assert (folder / "judgements.jsonl").read_text(encoding="utf-8") == "the work of weeks"
