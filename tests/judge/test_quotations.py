"""A judge that must quote the article: a reply whose quotation is not there is useless."""

import json
from pathlib import Path
from typing import Any

import pytest
from judge.conftest import EVENTS, Judging, read_lines, write_lines
from judge.stub import Reaction, completion, serving
from readers.command_line import run

from chronoscore.rubric.codebook import builtin_codebook, check_codebook
from chronoscore.rubric.judge.prompt import ShownEvent, instructions, read_reply, reply_schema

BOOK = builtin_codebook("support")
ABOUT = ShownEvent(
    "2011-01-25", "", "Crowds fill the square.", "2011-01-26", "Unrest", "Crowds came yesterday."
)
REPLY = {
    "reasoning": "It says so.",
    "Support_What_Quotation": "Crowds came",
    "Support_What": 2,
    "Support_When_Quotation": "yesterday",
    "Support_When": 2,
    "Comment": "",
}


def read(**changed: Any) -> Any:
    return read_reply(json.dumps({**REPLY, **changed}), "stop", BOOK, ABOUT)


def test_the_built_in_codebook_is_sound() -> None:
    assert [*check_codebook(BOOK)] == []
    assert [criterion.allowed for criterion in BOOK.criteria] == [(0, 1, 2)] * 2
    assert [criterion.quoted for criterion in BOOK.criteria] == [(0, 2)] * 2


def test_a_quotation_is_asked_for_before_its_number() -> None:
    names = [*reply_schema(BOOK)["properties"]]
    assert names.index("Support_When_Quotation") == names.index("Support_When") - 1
    assert "`Support_What_Quotation`: text. For 0 or 2" in instructions(BOOK)


def test_a_reply_with_its_quotations_is_read_and_keeps_them_in_the_comment() -> None:
    reply = read(Comment="clear")
    assert (reply.problems, reply.values) == ((), (2, 2))
    assert reply.comment == 'what: "Crowds came"; when: "yesterday"; clear'


def test_what_is_not_found_needs_no_quotation() -> None:
    assert read(Support_When=1, Support_When_Quotation="").values == (2, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Support_What_Quotation": "Crowds fill"}, "Support_What_Quotation is not in the article"),
        ({"Support_When_Quotation": ""}, "Support_When_Quotation is empty, but Support_When is 2"),
        ({"Support_When_Quotation": 7}, "Support_When_Quotation must be text"),
        ({"Support_What_Quotation": "…"}, "Support_What_Quotation is not in the article"),
    ],
)
def test_a_reply_without_a_true_quotation_is_useless(changed: dict[str, Any], message: str) -> None:
    reply = read(**changed)
    assert reply.values == ()
    (problem,) = reply.problems
    assert message in problem


def supporting(_number: int, body: dict[str, Any]) -> Reaction:
    """Support what the event of the first article says; quote nothing true of the others."""
    text = body["messages"][1]["content"]
    reply = REPLY if "Crowds fill" in text else {**REPLY, "Support_What_Quotation": "Nowhere said"}
    return completion(json.dumps(reply))


def test_judgements_of_a_judge_are_verdicts_and_useless_replies_are_none(
    judging: Judging,
) -> None:
    with serving(supporting) as stub:
        ran = judging(stub, "--codebook", "support", "-o", "judged.jsonl", "--system", "ours")
    assert ran.code == 4
    assert [row["event_id"] for row in read_lines(Path("judged.jsonl"))] == ["zeta-1"]
    assert len(read_lines(Path("judged.failures.jsonl"))) == 2
    write_lines(Path("gold.jsonl"), [{**event, "topic": "t"} for event in EVENTS])
    done = run(
        *("evaluate", "gold.jsonl", "ours=gold.jsonl", "--articles", "articles.jsonl"),
        *("--verdicts", "judged.jsonl", "-f", "json"),
    )
    assert done.code == 0
    (system,) = json.loads(done.out)["support"]["systems"]
    assert system["scores"]["supported"] == pytest.approx(1 / 3)
    assert system["verdicts"]["what"] == {"supported": 1, "not found": 0, "contradicted": 0}


def test_a_judge_that_must_quote_needs_articles(judging: Judging) -> None:
    ran = judging("http://127.0.0.1:1", "--codebook", "support", "--without-articles")
    assert ran.code == 2
    assert "leave out --without-articles" in ran.err
