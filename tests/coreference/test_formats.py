"""Clusters from files: what is read, and what is told of files that are wrong."""

from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run
from readers.samples import CLUSTERS, CONLL

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.ordering.coreference.formats import read_clusterings
from chronoscore.ordering.coreference.model import Clustering


def read(path: Path, text: str, *, lenient: bool = False) -> tuple[dict[str, Clustering], Problems]:
    path.write_text(text, encoding="utf-8")
    problems = Problems(ReadingOptions(lenient=lenient))
    found = read_clusterings(source_of(path), problems)
    return {document: named["1"] for document, named in found.items()}, problems


def conll(*columns: str, name: str = "(d); part 000") -> str:
    lines = [f"d 0 {number} w {column}" for number, column in enumerate(columns)]
    return "\n".join([f"#begin document {name}", *lines, "#end document", ""])


def test_brackets_nest_cross_and_share_a_token(tmp_path: Path) -> None:
    text = conll("(0|(1", "(2)", "0)|(3", "1)", "3)", "(0|(0", "0)", "0)")
    found, problems = read(tmp_path / "x.conll", text)
    assert not problems.problems
    assert found["d; part 000"] == Clustering.of([["0:2", "5:6", "5:7"], ["0:3"], ["1:1"], ["2:4"]])


def test_brackets_may_follow_without_a_bar(tmp_path: Path) -> None:
    found, problems = read(tmp_path / "x.conll", conll("(1(2", "1)(3", "(1)2)3)", name="(d); "))
    assert not problems.problems
    assert found["d"] == Clustering.of([["0:1", "2:2"], ["0:2"], ["1:2"]])


def test_a_mention_begins_before_one_of_its_cluster_ends(tmp_path: Path) -> None:
    found, problems = read(tmp_path / "x.conll", conll("(0", "0)|(0", "0)"))
    assert not problems.problems
    assert found["d; part 000"] == Clustering.of([["1:1", "0:2"]])


def test_tokens_are_numbered_through_the_document_and_parts_are_apart(tmp_path: Path) -> None:
    found, _ = read(tmp_path / "x.conll", CONLL + CONLL.replace("000", "001"))
    assert found == {
        name: Clustering.of([["0:1", "3:3"], ["2:2", "4:4"], ["4:5"]])
        for name in ("suez; part 000", "suez; part 001")
    }


@pytest.mark.parametrize("mark", ["-", "_", "*"])
def test_no_mention_has_three_spellings(tmp_path: Path, mark: str) -> None:
    found, problems = read(tmp_path / "x.conll", conll(mark, "(0)", mark))
    assert not problems.problems
    assert found["d; part 000"] == Clustering.of([["1:1"]])


WRONG = {
    "ends only": (conll("0)"), 2, "'0)' ends a mention that did not begin"),
    "begins only": (conll("-", "(0"), 3, "'(0' begins a mention that does not end"),
    "other number": (conll("(0", "1)"), 3, "'1)' ends a mention that did not begin"),
    "no bracket": (conll("0"), 2, "the last column is '0', expected '-' or brackets"),
    "a letter": (conll("(a)"), 2, "the last column is '(a)', expected"),
    "empty brackets": (conll("()"), 2, "the last column is '()', expected"),
    "a bar too many": (conll("(0)|"), 2, "the last column is '(0)|', expected"),
    "two clusters": (conll("(0)|(1)"), 2, "mention '0:0' is in two clusters"),
    "twice": (conll("(0)|(0)"), 2, "mention '0:0' is twice in a cluster"),
    "a column less": (conll("(0)", "-").replace("0 1 w", "0 w"), 3, "4 columns, expected 5"),
    "no beginning": (conll("(0)").split("\n", 1)[1], 1, "'d 0 0 w (0)' is in no document"),
    "no end": (conll("(0)").replace("#end document", ""), 1, "has no '#end document'"),
    "no end between": (
        conll("-").replace("#end document\n", "") + conll("-", name="(e)"),
        3,
        "a document begins in 'd; part 000'",
    ),
    "two ends": (conll("-") + "#end document\n", 4, "a document ends that did not begin"),
    "no name": (conll("-", name="d"), 1, "expected '#begin document (name); part 000'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_conll_file_is_told_with_its_line(tmp_path: Path, what: str) -> None:
    text, line, words = WRONG[what]
    _, problems = read(tmp_path / "x.conll", text)
    assert problems.problems[0].line == line
    assert words in problems.problems[0].message


def test_all_open_brackets_are_told(tmp_path: Path) -> None:
    _, problems = read(tmp_path / "x.conll", conll("(0|(1", "-", "(0"))
    assert sorted(problem.line or 0 for problem in problems.problems) == [2, 2, 4]


def test_a_document_twice_is_told(tmp_path: Path) -> None:
    _, problems = read(tmp_path / "x.conll", conll("(0)") + conll("(0)"))
    (problem,) = problems.problems
    assert "'d; part 000' is there twice" in problem.message


def test_leniently_the_first_of_a_doubled_mention_counts(tmp_path: Path) -> None:
    # TC-A-8 of the reference scorer: its key and response after mentions are made unique.
    text = conll("(0)", "(1)|(3)", "(1)", "(1)", "(2)", "(2)", "(3)")
    found, problems = read(tmp_path / "x.conll", text, lenient=True)
    assert found["d; part 000"] == Clustering.of(
        [["0:0"], ["1:1", "2:2", "3:3"], ["4:4", "5:5"], ["6:6"]]
    )
    (notice,) = problems.notices
    assert "in two clusters; only the first counts" in notice.message


def test_json_has_spans_or_names(tmp_path: Path) -> None:
    found, problems = read(tmp_path / "x.jsonl", CLUSTERS)
    assert not problems.problems
    assert not problems.notices
    assert found["suez"] == Clustering.of([["a1-1-runs", "a1-2-ran"], ["a1-3-floats"]])
    assert found["café"] == Clustering.of([["0:1", "3:3"], ["2:2", "4:4", "5:6"]])


def test_json_spans_are_those_of_conll(tmp_path: Path) -> None:
    gold, predicted = tmp_path / "gold.conll", tmp_path / "predicted.json"
    gold.write_text(conll("(0", "0)", "(0)", name="(d)"), encoding="utf-8")
    predicted.write_text('{"id": "d", "clusters": [[[0, 1], [2, 2]]]}', encoding="utf-8")
    ran = run("coreference", gold, predicted, "--fail-under", "1")
    assert (ran.code, ran.problems, ran.notices_but_copies) == (FINE, [], [])


def test_a_json_file_has_one_document_or_a_list(tmp_path: Path) -> None:
    one, _ = read(tmp_path / "x.json", '{"clusters": [["a", "b"]]}')
    assert one == {"x": Clustering.of([["a", "b"]])}
    many, _ = read(tmp_path / "x.json", '[{"id": "d", "clusters": []}, {"id":"e","clusters":[]}]')
    assert many == {"d": Clustering(()), "e": Clustering(())}


WRONG_JSON = {
    "a number": ('{"id": "d", "clusters": [[1]]}', "clusters[0][0] is a whole number, expected"),
    "three numbers": ('{"id": "d", "clusters": [[[1, 2, 3]]]}', "list of 3, expected 2"),
    "words in a span": ('{"id": "d", "clusters": [[["1", 2]]]}', "is text, expected a whole"),
    "flat": ('{"id": "d", "clusters": ["ab"]}', "clusters[0] is text, expected a list"),
    "backwards": ('{"id": "d", "clusters": [[[3, 1]]]}', "[3, 1] is not [start, end]"),
    "empty": ('{"id": "d", "clusters": [[]]}', "clusters[0] is empty"),
    "no name": ('{"id": "d", "clusters": [[" "]]}', "has a mention without a name"),
    "twice": ('{"id": "d", "clusters": [["a", "a"]]}', "mention 'a' is twice in a cluster"),
    "two": ('{"id": "d", "clusters": [["a"], ["a"]]}', "mention 'a' is in two clusters"),
    "no id": ('{"clusters": [["a"]]}', "there is no 'id' that names the document"),
    "cut": ('{"id": "d", "clusters": [["a"', "the JSON ends too early"),
    "a list": ('[{"id": "d", "clusters": []}]', "the line is a list, expected an object"),
}


@pytest.mark.parametrize("what", WRONG_JSON)
def test_wrong_json_lines_are_told(tmp_path: Path, what: str) -> None:
    text, words = WRONG_JSON[what]
    _, problems = read(tmp_path / "x.jsonl", text)
    (problem,) = problems.problems
    assert problem.line == 1
    assert words in problem.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "there is no document in the file"),
        ('[{"clusters": []}]', "document 1: there is no 'id' that names it"),
        ("[[1]]", "document 1: expected an object"),
        ("7", "expected an object"),
        ('{"id": "d"}', "there is no 'clusters'"),
        ('{"id": "d", "clusters": 7}', "clusters is a whole number, expected a list"),
        ('{"id": "d",\n"clusters"', "the JSON ends too early"),
    ],
)
def test_wrong_json_files_are_told(tmp_path: Path, text: str, words: str) -> None:
    _, problems = read(tmp_path / "x.json", text)
    (problem,) = problems.problems
    assert words in problem.message


def test_the_mentions_of_a_row_corefer_whatever_its_position(tmp_path: Path) -> None:
    text = "Suez\n1\t2021\ta-1-runs\ta-2-ran\n0\tXXXX-XX-XX\ta-3-fell\n"
    found, problems = read(tmp_path / "suez.txt", text)
    assert not problems.problems
    assert found == {"suez": Clustering.of([["a-1-runs", "a-2-ran"], ["a-3-fell"]])}
    _, again = read(tmp_path / "suez.txt", text + "2\t2021\ta-2-ran\n")
    (problem,) = again.problems
    assert "row 3: mention 'a-2-ran' is in two clusters" in problem.message


def test_events_without_mentions_are_told_and_left_out(tmp_path: Path) -> None:
    text = '{"id":"1","topic":"t","mentions":["a","b"]}\n{"id":"2","topic":"u"}\n'
    found, problems = read(tmp_path / "x.jsonl", text)
    assert found == {"t": Clustering.of([["a", "b"]])}
    (notice,) = problems.notices
    assert "1 events have no mentions and are not scored, first '2'" in notice.message


def test_a_folder_holds_files_of_any_format(tmp_path: Path) -> None:
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "a.v4_gold_conll").write_text(conll("(0)", name="(a)"), encoding="utf-8")
    (folder / "b.txt").write_text(conll("(0)", name="(b)"), encoding="utf-8")
    (folder / "c.txt").write_text("C\n1\t2021\tm\n", encoding="utf-8")
    (folder / "d.json").write_text('{"clusters": []}', encoding="utf-8")
    (folder / "notes.md").write_text("not read", encoding="utf-8")
    problems = Problems()
    assert list(read_clusterings(source_of(folder), problems)) == ["a", "b", "c", "d"]
    assert not problems.problems


def test_validate_tells_clusters_by_their_first_lines(tmp_path: Path) -> None:
    for name, text, count in (("a.conll", CONLL, 5), ("b.txt", CONLL, 5), ("c.jsonl", CLUSTERS, 8)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        ran = run("validate", tmp_path / name)
        assert ran.code == FINE
        assert "document" in ran.out
        assert f"{count} mentions" in ran.out
    (tmp_path / "d.conll").write_text(conll("(0"), encoding="utf-8")
    assert run("validate", tmp_path / "d.conll").code == BAD_DATA
