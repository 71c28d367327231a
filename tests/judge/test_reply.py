"""A reply is read as it is or refused: no value is ever guessed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.stub import FIELDS, said

from chronoscore.core.records import real_number
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.judge.prompt import LONGEST_REPLY, read_reply
from chronoscore.rubric.judgements import check_values

BOOK = event_quality()
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.text())
def test_a_text_that_is_no_judgement_has_no_values(text: str) -> None:
    reply = read_reply(text, "stop", BOOK)
    assert reply.problems
    assert reply.values == ()


@given(st.tuples(*[st.sampled_from(criterion.allowed) for criterion in BOOK.criteria]))
def test_every_judgement_of_the_codebook_is_read(values: tuple[int, ...]) -> None:
    reply = read_reply(said(values), "stop", BOOK)
    assert reply.problems == ()
    assert reply.values == values


@given(st.sampled_from(FIELDS), ANYTHING)
def test_what_is_read_is_always_allowed_and_was_said(name: str, value: object) -> None:
    changed: dict[str, Any] = {name: value}
    reply = read_reply(said(**changed), "stop", BOOK)
    criterion = BOOK.criteria[FIELDS.index(name)]
    if isinstance(value, str):
        value = real_number(value)
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    assert (reply.problems == ()) == (fits and value in criterion.allowed)
    if not reply.problems:
        assert reply.values[FIELDS.index(name)] == value


@pytest.mark.parametrize("written", ["3", " 3 ", "3.0"])
def test_a_number_that_is_written_as_text_is_read(written: str) -> None:
    reply = read_reply(said(Eval_Relevance=written), "stop", BOOK)
    assert reply.problems == ()
    assert reply.values[-1] == 3


@pytest.mark.parametrize(
    "written", ["3 - clear", "3/3", "three", "", "3 2", "\u0663", "4", "2.5", "true"]
)
def test_a_text_that_is_more_or_less_than_a_number_is_refused(written: str) -> None:
    (problem,) = read_reply(said(Eval_Relevance=written), "stop", BOOK).problems
    assert problem.startswith("Eval_Relevance ")


def test_a_number_as_text_is_still_refused_in_a_record() -> None:
    values, problems = check_values({**json.loads(said()), "Eval_Relevance": "3"}, BOOK, "json")
    assert "wrong_type" in [problem.code for problem in problems]
    assert values


@given(st.sampled_from(FIELDS))
def test_a_criterion_that_is_not_answered_is_no_zero(name: str) -> None:
    given_ = json.loads(said())
    del given_[name]
    reply = read_reply(json.dumps(given_), "stop", BOOK)
    assert reply.problems == (f"{name} is missing",)
    assert reply.values == ()


def test_a_comment_is_one_line() -> None:
    assert read_reply(said(Comment="a\nb\t c "), "stop", BOOK).comment == "a b c"


def test_a_reply_without_end_is_not_searched() -> None:
    (problem,) = read_reply('{"a":' * LONGEST_REPLY, "stop", BOOK).problems
    assert "longer than" in problem


@pytest.mark.parametrize("digits", [30, 400, 5000])
def test_a_number_without_end_is_refused(digits: int) -> None:
    text = said().replace('"Eval_Relevance": 3', f'"Eval_Relevance": {"9" * digits}')
    assert read_reply(text, "stop", BOOK).problems


def test_thoughts_are_not_the_reply() -> None:
    text = f"Is it {{1}}?</think>{said((0, 0, 0, 1, 1))}"
    assert read_reply(text, "stop", BOOK).values == (0, 0, 0, 1, 1)
    quoting = said(reasoning="It says </think> here.")
    assert read_reply(quoting, "stop", BOOK).values == (1, 1, 1, 3, 3)
