"""Whatever a server does, the end is a right judgement or a recorded failure, never a default."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge.conftest import EVENTS, Judging, read_lines
from judge.stub import (
    BEST,
    FIELDS,
    Behaviour,
    Reaction,
    always,
    completion,
    good,
    in_turn,
    opinion,
    said,
    serving,
)

PARTLY = 4


def values(row: dict[str, object]) -> tuple[object, ...]:
    return tuple(row[name] for name in FIELDS)


def right() -> dict[str, tuple[int, ...]]:
    return {str(event["id"]): opinion(f"Description: {event['text']}\n") for event in EVENTS}


def judged(folder: Path) -> dict[str, tuple[object, ...]]:
    return {row["event_id"]: values(row) for row in read_lines(folder / "judgements.jsonl")}


def failed(folder: Path) -> list[dict[str, Any]]:
    return read_lines(folder / "judgements.failures.jsonl")


def long_body() -> bytes:
    return completion(said()).body


PASSING: dict[str, Reaction | Behaviour] = {
    "429 with seconds": Reaction(429, b"{}", (("Retry-After", "1"),)),
    "429 with a date": Reaction(429, b"", (("Retry-After", "Wed, 21 Oct 2065 07:28:00 GMT"),)),
    "429 that says nothing": Reaction(429),
    "500": Reaction(500, b"oops"),
    "503 in HTML": Reaction(503, b"<html>busy</html>"),
    "529": Reaction(529, b'{"error": {"message": "overloaded"}}'),
    "cut body": Reaction(200, long_body()[:40], claimed=4000),
    "body that is half JSON": Reaction(200, long_body()[:40]),
    "empty body": Reaction(200),
    "an error that is called fine": Reaction(200, b'{"error": {"message": "upstream is down"}}'),
    "no choices": Reaction(200, b'{"choices": []}'),
    "HTML that is called fine": Reaction(200, b"<html>welcome</html>"),
    "nested without end": Reaction(200, b"[" * 100_000),
    "not text": Reaction(200, bytes(range(128, 256))),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_passes_is_tried_again(name: str, judging: Judging, folder: Path) -> None:
    with serving(in_turn(PASSING[name], PASSING[name])) as stub:
        ran = judging(stub)
    assert ran.code == 0, ran.err
    assert stub.asked == len(EVENTS) + 2
    assert judged(folder) == right()
    assert not (folder / "judgements.failures.jsonl").exists()


@pytest.mark.parametrize("name", PASSING)
def test_a_fault_that_stays_is_recorded(name: str, judging: Judging, folder: Path) -> None:
    fault = PASSING[name]

    def behave(number: int, body: dict[str, object]) -> Reaction:
        if "Police" not in json.dumps(body):
            return good(number, body)
        return fault if isinstance(fault, Reaction) else fault(number, body)

    with serving(behave) as stub:
        ran = judging(stub, "--retries", 2)
    assert ran.code == PARTLY
    assert stub.asked == len(EVENTS) - 1 + 3
    assert judged(folder) == {k: v for k, v in right().items() if k != "zeta-2"}
    (failure,) = failed(folder)
    assert failure["event_id"] == "zeta-2"
    assert "(3 tries)" in failure["reason"]


SLOW: dict[str, Callable[[], Reaction]] = {
    "no answer": lambda: Reaction(200, long_body(), delay=30),
    "a body that drips": lambda: Reaction(200, long_body(), drip=0.05),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_server_runs_into_the_time_out(name: str, judging: Judging, folder: Path) -> None:
    with serving(in_turn(SLOW[name]())) as stub:
        ran = judging(stub, "--timeout", 0.3)
        assert ran.code == 0, ran.err
        assert stub.asked == len(EVENTS) + 1
    assert judged(folder) == right()


def test_a_server_that_is_not_there_is_a_failure(judging: Judging, folder: Path) -> None:
    ran = judging("http://127.0.0.1:1/v1", "--retries", 1)
    assert ran.code == PARTLY
    assert [one["event_id"] for one in failed(folder)] == ["zeta-1", "zeta-2", "zeta-3"]
    assert failed(folder)[0]["reason"] == "no connection: Connection refused (2 tries)"


BAD = {
    "no JSON": ("I would say it is fine.", "not JSON"),
    "cut JSON": (said()[:30], "ends too early"),
    "nothing": ("", "the reply is empty"),
    "a list": ("[1, 1, 1, 3, 3]", "not a JSON object"),
    "a number and words": (said(Eval_RootEvent="1 - yes"), "must be 0 or 1, got '1 - yes'"),
    "a truth value": (said(Eval_RootEvent=True), "Eval_RootEvent must be 0 or 1, got true"),
    "out of range": (said(Eval_Relevance=0), "Eval_Relevance must be 1, 2 or 3, got 0"),
    "a half": (said(Eval_Relevance=2.5), "Eval_Relevance must be 1, 2 or 3, got 2.5"),
    "null": (said(Eval_Relevance=None), "Eval_Relevance is missing"),
    "a field too few": (said().replace("Eval_Relevance", "Comments"), "unknown field Comments"),
    "a field too many": (said(confidence=0.9), "unknown field confidence"),
    "a field of files": (said(evaluator="me"), "unknown field evaluator"),
    "no reasoning": (said(reasoning=""), "reasoning must be text"),
    "a field twice": (said()[:-1] + ', "Eval_Relevance": 1}', "is there twice"),
    "two objects": (f"{said()} or {said()}", "2 JSON objects"),
    "a comment that is a list": (said(Comment=["x"]), "Comment must be text"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_reply_is_sent_back_once(name: str, judging: Judging, folder: Path) -> None:
    content, words = BAD[name]
    with serving(in_turn(completion(content))) as stub:
        ran = judging(stub)
    assert ran.code == 0, ran.err
    assert judged(folder) == right()
    first, again = stub.bodies[:2]
    assert [message["role"] for message in again["messages"]] == [
        *("system", "user", "assistant", "user")
    ]
    assert again["messages"][2]["content"] == (content or "(empty)")
    assert words in again["messages"][3]["content"]
    assert first["messages"][0] == again["messages"][0]


@pytest.mark.parametrize("name", BAD)
def test_a_reply_that_stays_bad_is_recorded_with_its_words(
    name: str, judging: Judging, folder: Path
) -> None:
    content, words = BAD[name]
    with serving(always(completion(content))) as stub:
        ran = judging(stub)
    assert ran.code == PARTLY
    assert stub.asked == 2 * len(EVENTS)
    assert judged(folder) == {}
    assert len(failed(folder)) == len(EVENTS)
    for failure in failed(folder):
        assert failure["replies"] == [content, content]
        assert words in failure["reason"]


DRESSED = {
    "fenced": f"```json\n{said()}\n```",
    "after words": f"Here is my judgement:\n\n{said()}",
    "before words": f"{said()}\n\nI hope this helps!",
    "after thoughts": f"<think>Is it {{1}} or {{2}}? {said((0, 0, 0, 1, 1))}</think>\n{said()}",
    "with decimals": said(Eval_Relevance=3.0),
}


@pytest.mark.parametrize("name", DRESSED)
def test_one_object_is_found_in_its_dress(name: str, judging: Judging, folder: Path) -> None:
    with serving(always(completion(DRESSED[name]))) as stub:
        assert judging(stub).code == 0
    assert stub.asked == len(EVENTS)
    assert set(judged(folder).values()) == {BEST}


def test_a_reply_that_was_cut_is_asked_for_again_in_fewer_words(judging: Judging) -> None:
    with serving(in_turn(completion(said()[:50], finish="length"))) as stub:
        assert judging(stub).code == 0
    assert "fewer words" in stub.bodies[1]["messages"][3]["content"]


@pytest.mark.parametrize(
    "reaction",
    [
        completion(None, message={"refusal": "I can't judge that."}),
        completion("", finish="content_filter"),
    ],
)
def test_a_refusal_is_recorded_and_not_argued_with(
    reaction: Reaction, judging: Judging, folder: Path
) -> None:
    with serving(in_turn(reaction)) as stub:
        assert judging(stub).code == PARTLY
    assert stub.asked == len(EVENTS)
    (failure,) = failed(folder)
    assert failure["reason"].startswith("the model refused: ")


def test_a_request_that_is_refused_is_not_repeated(judging: Judging, folder: Path) -> None:
    refusal = Reaction(400, b'{"error": {"message": "context length exceeded"}}')
    with serving(in_turn(refusal)) as stub:
        assert judging(stub).code == PARTLY
    assert stub.asked == len(EVENTS)
    (failure,) = failed(folder)
    assert failure["reason"] == "the server answered 400: context length exceeded"


@pytest.mark.parametrize("status", [301, 401, 402, 404])
def test_a_server_that_takes_nothing_is_not_asked_on(
    status: int, judging: Judging, folder: Path
) -> None:
    with serving(always(Reaction(status, b'{"error": {"message": "no"}}'))) as stub:
        ran = judging(stub)
    assert ran.code == PARTLY
    assert stub.asked == 1
    assert f"not everything was asked: the server answered {status}" in ran.err
    assert not (folder / "judgements.failures.jsonl").exists()


def test_an_account_without_credit_is_not_asked_on(judging: Judging) -> None:
    broke = Reaction(429, b'{"error": {"message": "pay", "code": "insufficient_quota"}}')
    with serving(always(broke)) as stub:
        assert judging(stub).code == PARTLY
    assert stub.asked == 1


def test_text_in_parts_is_put_together(judging: Judging, folder: Path) -> None:
    parts = [{"type": "text", "text": said()[:20]}, {"type": "text", "text": said()[20:]}]
    with serving(always(completion("", message={"content": parts}))) as stub:
        assert judging(stub).code == 0
    assert stub.asked == len(EVENTS)
    assert set(judged(folder).values()) == {BEST}


def test_a_host_that_does_not_exist_is_asked_once(
    judging: Judging, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def unknown(*names: object, **_: object) -> None:
        asked.append(names)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setenv("NO_PROXY", "*")
    ran = judging("http://nosuch.invalid/v1", "--retries", 5)
    assert len(asked) == 1
    assert ran.code != 0
    assert "Name or service not known (is --base-url right?)" in ran.err
    assert judged(folder) == {}
