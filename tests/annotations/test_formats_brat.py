"""brat standoff: what its lines become, and what is said where they don't fit."""

from pathlib import Path

import pytest
from annotations.format_samples import (
    BRAT,
    FREED,
    RAN,
    SAMPLES,
    TEXT,
    YEAR,
    by_id,
    only,
    problems,
    put,
    read,
)

from chronoscore.annotations.formats.reading import read_documents
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of


def test_an_event_takes_the_place_of_its_trigger(tmp_path: Path) -> None:
    document = only(read(put(tmp_path, SAMPLES["brat"])))
    assert [a.id for a in document.annotations] == ["T2", "T3", "E1"]
    event = by_id(document, "E1")
    assert (event.type, event.start, event.end) == ("EVENT", *RAN)
    assert event.features == {"When": f"TIMEX3 {YEAR[0]}-{YEAR[1]}"}


def test_attributes_norms_and_notes_are_features(tmp_path: Path) -> None:
    document = only(read(put(tmp_path, SAMPLES["brat"])))
    freed = by_id(document, "T3")
    assert (freed.start, freed.end) == FREED
    assert freed.features == {"Negated": True, "Tense": "past", "AnnotatorNotes": "see page 2"}
    assert by_id(document, "T2").features == {"Reference": "Calendar:2021"}


def test_a_discontinuous_span_is_the_whole_of_its_fragments(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["brat"], "T1\tEVENT 7 10;19 21;22 26\tran in 2021\n")
    (one,) = only(read(path)).annotations
    assert (one.start, one.end, one.features) == (7, 26, {"fragments": "7 10;19 21;22 26"})


def test_relations_are_counted_and_told(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["brat"], BRAT + "R1\tBefore Arg1:E1 Arg2:T3\n*\tEquiv T2 T3\n")
    problems = Problems()
    read_documents(source_of(path), problems)
    assert not problems.problems
    assert [str(n) for n in problems.notices] == [
        f"{path}: 2 relations not read; `chronoscore tlinks` scores temporal ones"
    ]


def test_arguments_of_one_role_are_a_list(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["brat"], BRAT.replace("When:T2", "Who:T2 Who:T3"))
    assert by_id(only(read(path)), "E1").features == {"Who": ("TIMEX3 22-26", "EVENT 44-49")}


def test_a_text_and_its_marks_are_one_document_in_a_folder(tmp_path: Path) -> None:
    put(tmp_path, SAMPLES["brat"])
    (tmp_path / "empty.ann").write_text("")
    (tmp_path / "empty.txt").write_text("Nothing here.")
    found = read(tmp_path)
    assert {key: len(named["1"].annotations) for key, named in found.items()} == {
        "empty": 0,
        "ship": 3,
    }


def test_the_text_may_be_named_instead_of_the_marks(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["brat"])
    assert read(path.with_suffix(".txt")) == read(path)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_offsets_count_line_ends_as_the_annotator_did(tmp_path: Path, end: str) -> None:
    """Some tools count the two characters of a Windows line end as two, some as one."""
    path = put(tmp_path, SAMPLES["brat"])
    text = TEXT.replace("\n", end)
    path.with_suffix(".txt").write_text(text, encoding="utf-8", newline="")
    assert by_id(only(read(path)), "T3").start == FREED[0]
    start = text.index("freed")
    path.write_text(f"T3\tEVENT {start} {start + 5}\tfreed\n", encoding="utf-8")
    assert by_id(only(read(path)), "T3").start == start


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_at_the_start_of_the_text_is_not_counted(tmp_path: Path, encoding: str) -> None:
    path = put(tmp_path, SAMPLES["brat"])
    path.with_suffix(".txt").write_text(TEXT, encoding=encoding, newline="")
    assert only(read(path)).text == TEXT


def test_marks_without_a_text_are_read_and_told(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["brat"])
    path.with_suffix(".txt").unlink()
    problems = Problems()
    found = read_documents(source_of(path), problems)
    assert only(found).text is None
    assert "there is no .txt beside it" in str(problems.notices[0])


WRONG = {
    "another text": ("7 10\tran", "7 10\tsank", "1: 'T1' says that its text is 'sank', but there"),
    "offsets that are off by one": ("22 26\t2021", "21 25\t2021", "2: 'T2' says that its text is"),
    "a reversed span": ("7 10", "10 7", "1: document 'ship': annotation 'T1' is [10, 7), expected"),
    "a negative span": ("7 10", "-7 10", "1: document 'ship': annotation 'T1' is [-7, 10), expec"),
    "a span past the text": (
        "44 49",
        "44 4900",
        "3: document 'ship': annotation 'T3' ends at 4900",
    ),
    "no span": ("22 26", "22", "2: 'T2' has 'TIMEX3 22', expected a type, a start and an end"),
    "an id twice": ("T2\tT", "T1\tT", "2: the id 'T1' is used twice"),
    "an unknown trigger": (":T1 When", ":T9 When", "4: 'E1' has the trigger 'T9', which is no T"),
    "an unknown argument": ("When:T2", "When:T9", "4: 'E1' refers to 'T9', which is not there"),
    "an attribute of nothing": ("Negated T3", "Negated T9", "5: a line is about 'T9', which is"),
    "another line": ("A1\t", "X1\t", "5: a line that begins with 'X1', expected T, E, A, M, N, R"),
    "an event without a trigger": ("EVENT:T1 When:T2", "EVENT", "4: 'E1' has 'EVENT', expected"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, fault: str) -> None:
    old, new, words = WRONG[fault]
    assert old in BRAT
    messages = problems(put(tmp_path, SAMPLES["brat"], BRAT.replace(old, new)))
    assert messages
    assert messages[0].startswith(f"ship.ann:{words}")


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    text = BRAT.replace("22 26\t2021", "22 26\t1956").replace("Negated T3", "Negated T9")
    assert len(problems(put(tmp_path, SAMPLES["brat"], text))) == 2


def test_a_file_of_another_kind_is_not_taken_for_brat(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "d", "annotations": []}\n', encoding="utf-8")
    problems = Problems()
    assert not read_documents(source_of(path), problems, "brat")
    assert [str(problem) for problem in problems.problems] == [
        f"{path}: is not brat's: that is a .ann, beside the .txt with the text"
    ]
    assert not problems.notices
