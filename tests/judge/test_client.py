"""One request and its tries: how long it waits, and which bodies are answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.stub import Reaction, in_turn, said, serving

from chronoscore.core.event import Event
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.judge import (
    Completion,
    Judge,
    JudgeSession,
    ask,
    client,
    outcome_of,
    plan_judgements,
)
from chronoscore.rubric.judge.asking import JudgeRun
from chronoscore.rubric.judge.client import (
    RetryPolicy,
    UnansweredError,
    connection,
    make_endpoint,
    post,
)

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["choices", "message", "text"]), inner, max_size=3)
    ),
    max_leaves=6,
)
MESSAGES = st.fixed_dictionaries({}, optional={"content": ANYTHING, "refusal": ANYTHING})
COMPLETIONS = st.fixed_dictionaries(
    {"choices": st.lists(st.fixed_dictionaries({"message": MESSAGES | ANYTHING}), max_size=2)},
    optional={
        "model": ANYTHING,
        "usage": ANYTHING | st.fixed_dictionaries({"prompt_tokens": ANYTHING}),
    },
)


def message_of(document: Any) -> dict[str, Any] | None:
    """The message of the first choice, if the document has one where it should be."""
    choices = document.get("choices") if isinstance(document, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None


def text_of(content: Any) -> str:
    """A text, or the texts of its pieces."""
    if isinstance(content, list):
        pieces = [piece.get("text") for piece in content if isinstance(piece, dict)]
        return "".join(piece for piece in pieces if isinstance(piece, str))
    return content if isinstance(content, str) else ""


@given(COMPLETIONS | ANYTHING)
def test_a_document_with_a_message_is_an_answer_and_any_other_a_fault(document: Any) -> None:
    message = message_of(document)
    if message is None:
        with pytest.raises(client._FaultError, match="is no chat completion"):
            client._answer(json.dumps(document), 1.0)
        return
    answer = client._answer(json.dumps(document), 1.0)
    assert answer.content == text_of(message.get("content"))
    assert answer.refusal == text_of(message.get("refusal"))
    model = document.get("model")
    assert answer.served_by == (model if isinstance(model, str) else "")
    usage = document.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    assert answer.tokens_in == (count if type(count) is int and count >= 0 else None)


@given(st.binary())
def test_bytes_that_are_no_document_are_a_fault(body: bytes) -> None:
    with pytest.raises(client._FaultError, match="is no chat completion"):
        client._answer(body.decode(errors="replace"), 1.0)


@given(st.sampled_from([400, 401, 404, 422, 429, 500, 501, 503, 529, 307]), st.text())
def test_any_error_is_told_in_one_short_line(status: int, text: str) -> None:
    with pytest.raises((client._FaultError, UnansweredError)) as raised:
        client._check_status(status, text, None)
    told = str(raised.value)
    assert str(status) in told
    assert len(told) < 500
    assert "\n" not in told


def waits(*reactions: Reaction, max_wait: float = 60) -> list[float]:
    """Ask a server and give the seconds that would have been waited."""
    taken: list[float] = []
    policy = RetryPolicy(timeout=5, retries=5, max_wait=max_wait)
    with serving(in_turn(*reactions)) as stub, connection(policy, 1) as http:
        body = {"messages": [{"content": "a"}, {"content": "b"}]}
        endpoint = make_endpoint(stub.url)

        def pause(seconds: float) -> bool:
            taken.append(seconds)
            return False

        post(http, endpoint, body, policy, salt="s", pause=pause)
    return taken


def busy(seconds: str) -> Reaction:
    return Reaction(429, headers=(("Retry-After", seconds),))


def test_retry_after_is_honoured() -> None:
    assert waits(busy("7"), busy("0"), busy("2.5")) == [7, 0, 2.5]


def test_retry_after_is_honoured_up_to_what_is_allowed() -> None:
    assert waits(busy("7"), busy("3600"), max_wait=10) == [7, 10]
    assert waits(busy("Wed, 21 Oct 2065 07:28:00 GMT"), max_wait=10) == [10]


def test_without_retry_after_waits_double() -> None:
    first, second, third = waits(Reaction(500), Reaction(503), Reaction(429))
    assert 0.5 <= first <= 1.5
    assert 1 <= second <= 3
    assert 2 <= third <= 6


def test_any_client_can_stand_in(tmp_path: Path) -> None:
    def send(body: dict[str, object], salt: str) -> Completion:
        return Completion(said((1, 0, 1, 2, 3)), "stop", "", "own", None, None, 0.1)

    judge = Judge("nowhere", "own", event_quality())
    planned = plan_judgements(judge, [Event(id="e", text="It rains.")], {})
    session = JudgeSession(judge, tmp_path, send)
    outcomes = {q.key: ask(session, q) for one in planned for q in one.questions}
    (judgement,) = outcome_of(judge, planned, JudgeRun(outcomes)).judgements
    assert judgement.values == (1, 0, 1, 2, 3)
    assert judgement.kind == "llm"
