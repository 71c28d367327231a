"""One request and its tries: how long it waits, and that any body is an answer or a fault."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.stub import Reaction, in_turn, said, serving

from chronoscore.core.event import Event
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.judge import (
    Answer,
    Desk,
    Judge,
    Patience,
    ask_all,
    client,
    connection,
    make_endpoint,
    outcome_of,
    post,
    settle,
)
from chronoscore.rubric.judge.client import UnansweredError

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "message",
                    "content",
                    "refusal",
                    "finish_reason",
                    "usage",
                    "model",
                    "text",
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.binary() | DOCUMENTS.map(lambda document: json.dumps(document).encode()))
def test_any_body_is_an_answer_or_a_fault(body: bytes) -> None:
    try:
        answer = client._answer(body.decode(errors="replace"), 1.0)
    except client._FaultError:
        return
    assert isinstance(answer.content, str)
    assert answer.tokens_in is None or answer.tokens_in >= 0


@given(st.sampled_from([400, 401, 404, 422, 429, 500, 501, 503, 529, 307]), st.text())
def test_any_error_is_told_in_one_short_line(status: int, text: str) -> None:
    with pytest.raises((client._FaultError, UnansweredError)) as raised:
        client._check(status, text, None)
    told = str(raised.value)
    assert str(status) in told
    assert len(told) < 500
    assert "\n" not in told


def waits(*reactions: Reaction, max_wait: float = 60) -> list[float]:
    """Ask a server and give the seconds that would have been waited."""
    taken: list[float] = []
    patience = Patience(timeout=5, retries=5, max_wait=max_wait)
    with serving(in_turn(*reactions)) as stub, connection(patience, 1) as http:
        body = {"messages": [{"content": "a"}, {"content": "b"}]}
        endpoint = make_endpoint(stub.url)

        def pause(seconds: float) -> bool:
            taken.append(seconds)
            return False

        post(http, endpoint, body, patience, salt="s", pause=pause)
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
    def send(body: dict[str, object], salt: str) -> Answer:
        return Answer(said((1, 0, 1, 2, 3)), "stop", "", "own", None, None, 0.1)

    judge = Judge("nowhere", "own", event_quality())
    asked = ask_all(judge, [Event(id="e", text="It rains.")], {})
    desk = Desk(judge, tmp_path, send)
    verdicts = {q.key: settle(desk, q) for one in asked for q in one.questions}
    (judgement,) = outcome_of(judge, asked, verdicts).judgements
    assert judgement.values == (1, 0, 1, 2, 3)
    assert judgement.kind == "llm"
