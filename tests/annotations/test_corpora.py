"""Parallel corpora: documents are matched as asked, and their texts must be the same."""

from pathlib import Path

import pytest

from chronoscore.annotations.corpora import MATCH_BY, keyed, parallel, read_texts
from chronoscore.annotations.formats.documents import Collection
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of


def corpus(*documents: Document) -> Collection:
    return {document.id: {"1": document} for document in documents}


GOLD = corpus(
    Document("news/a", (), "first text", stored="A.txt"),
    Document("news/b", (), "second text", stored="B.txt"),
)
OTHERS = {
    "path": corpus(Document("news/b", (), "second text"), Document("news/a", (), "first text")),
    "name": corpus(Document("out/b", (), "second text"), Document("out/a", (), "first text")),
    "stored": corpus(
        Document("2", (), "second text", stored="B.txt"),
        Document("1", (), "first text", stored="A.txt"),
    ),
    "index": corpus(Document("x", (), "first text"), Document("y", (), "second text")),
    "digest": corpus(Document("y", (), "second text"), Document("x", (), "first text")),
}


@pytest.mark.parametrize("match_by", MATCH_BY)
def test_documents_are_matched_as_asked(match_by: str) -> None:
    problems = Problems()
    found = parallel(GOLD, OTHERS[match_by], match_by, problems, "new")
    assert not problems.problems
    assert {key: named["1"].text for key, named in found.items()} == {
        "news/a": "first text",
        "news/b": "second text",
    }


@pytest.mark.parametrize("match_by", MATCH_BY)
def test_a_corpus_is_parallel_to_itself(match_by: str) -> None:
    problems = Problems()
    assert parallel(GOLD, GOLD, match_by, problems, "same") == GOLD
    assert not problems.problems


def test_a_document_without_a_partner_keeps_its_name_and_takes_no_ones_place() -> None:
    other = corpus(Document("news/a", (), "third text"), Document("x", (), "first text"))
    found = parallel(GOLD, other, "digest", Problems(), "new")
    assert list(found) == ["news/a", "news/a (no gold)"]
    assert found["news/a"]["1"].id == "x"


def test_two_documents_of_one_name_are_told() -> None:
    problems = Problems()
    twice = corpus(Document("x/a", (), "same"), Document("y/a", (), "same"))
    keyed(twice, "name", problems, "gold")
    keyed(twice, "digest", problems)
    assert [str(problem) for problem in problems.problems] == [
        "gold: documents 'x/a' and 'y/a' both have the name 'a'",
        "documents 'x/a' and 'y/a' both have the same text",
    ]


def test_a_document_without_a_text_has_no_digest() -> None:
    problems = Problems()
    keyed(corpus(Document("a", ())), "digest", problems)
    assert "document 'a' has no text to be matched by" in str(problems.problems[0])


def test_texts_that_differ_are_a_problem_with_the_place() -> None:
    problems = Problems()
    other = corpus(Document("news/a", (), "first test"), Document("news/b", ()))
    parallel(GOLD, other, "path", problems, "new")
    assert [str(problem) for problem in problems.problems] == [
        "new: document 'news/a' has another text than the gold: "
        "at character 8 the gold has 'xt', here is 'st'"
    ]


def test_problems_of_texts_are_in_the_order_of_the_gold() -> None:
    names = [f"d{number}" for number in range(30)]
    gold, other = (corpus(*(Document(name, (), text) for name in names)) for text in "ab")
    problems = Problems()
    parallel(gold, dict(reversed(other.items())), "path", problems, "new")
    assert [problem.message.split("'")[1] for problem in problems.problems] == names


def test_a_span_past_the_text_that_only_the_gold_has_is_a_problem() -> None:
    problems = Problems()
    parallel(
        GOLD, corpus(Document("news/a", (Annotation("1", "T", 0, 99),))), "path", problems, "new"
    )
    assert "annotation '1' ends at 99, the gold's text has 10 characters" in str(
        problems.problems[0]
    )


def test_a_text_that_comes_twice_is_reported_with_its_line(tmp_path: Path) -> None:
    articles = tmp_path / "articles.jsonl"
    articles.write_text('{"id": "a", "text": "one"}\n{"id": "a", "text": "two"}\n', "utf-8")
    problems = Problems()
    read_texts(source_of(articles), problems)
    (problem,) = problems.problems
    assert (problem.line, problem.message) == (2, "document 'a' is there twice")
