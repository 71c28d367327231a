"""Servers that don't know a form of reply are asked for the next one, and remembered."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge.conftest import EVENTS, Judging, read_lines
from judge.stub import Reaction, completion, good, said, serving


def knowing(
    *modes: str, status: int = 400, words: str = "response_format is not supported"
) -> Callable[[int, dict[str, Any]], Reaction]:
    """A server that takes only some forms."""

    def behave(number: int, body: dict[str, Any]) -> Reaction:
        mode = body.get("response_format", {"type": "text"})["type"]
        if mode in modes:
            return good(number, body)
        return Reaction(status, json.dumps({"error": {"message": words}}).encode())

    return behave


@pytest.mark.parametrize(
    ("modes", "refused"),
    [(("json_schema",), 0), (("json_object", "text"), 1), (("text",), 2)],
)
@pytest.mark.parametrize("status", [400, 422])
def test_the_strictest_form_that_is_taken_is_found_once(
    modes: tuple[str, ...], refused: int, status: int, judging: Judging, folder: Path
) -> None:
    with serving(knowing(*modes, status=status)) as stub:
        ran = judging(stub)
    assert ran.code == 0, ran.err
    assert stub.asked == len(EVENTS) + refused
    assert len(read_lines(folder / "judgements.jsonl")) == len(EVENTS)
    manifest = json.loads((folder / "judgements.manifest.json").read_text(encoding="utf-8"))
    assert manifest["counts"]["modes"] == {modes[0]: len(EVENTS)}


@pytest.mark.parametrize("jobs", [1, 8])
def test_threads_step_down_together(jobs: int, judging: Judging) -> None:
    with serving(knowing("text")) as stub:
        assert judging(stub, "--jobs", jobs, "--samples", 4, "--temperature", 1).code == 0
    good_ones = [body for body in stub.bodies if "response_format" not in body]
    assert len(good_ones) == 4 * len(EVENTS)


def test_a_server_that_takes_no_form_is_a_failure(judging: Judging, folder: Path) -> None:
    with serving(knowing()) as stub:
        assert judging(stub).code == 4
    assert stub.asked == len(EVENTS) + 2
    assert len(read_lines(folder / "judgements.failures.jsonl")) == len(EVENTS)


def test_another_complaint_does_not_step_down(judging: Judging) -> None:
    with serving(knowing("text", words="temperature must be 1")) as stub:
        assert judging(stub).code == 4
    assert all(body["response_format"]["type"] == "json_schema" for body in stub.bodies)


def test_a_server_that_ignores_the_schema_is_checked_here(judging: Judging, folder: Path) -> None:
    def behave(number: int, body: dict[str, Any]) -> Reaction:
        assert body["response_format"]["type"] == "json_schema"
        return completion(said(Eval_Relevance=7)) if number == 1 else good(number, body)

    with serving(behave) as stub:
        assert judging(stub).code == 0
    assert stub.asked == len(EVENTS) + 1
    rows = read_lines(folder / "judgements.jsonl")
    assert all(row["Eval_Relevance"] == 2 for row in rows)


def test_a_form_that_worked_is_given_up_for_one_request_only(judging: Judging) -> None:
    def behave(number: int, body: dict[str, Any]) -> Reaction:
        if number == 2:
            return Reaction(400, b"the json_schema is too complex for this text")
        return good(number, body)

    with serving(behave) as stub:
        assert judging(stub).code == 0
    forms = [body["response_format"]["type"] for body in stub.bodies]
    assert forms == ["json_schema", "json_schema", "json_object", "json_schema"]
