"""Files that are wrong: every problem is reported with file and line, and nothing is read."""

from pathlib import Path

import pytest
from annotations.format_samples import SAMPLES, only, problems, put, read

from chronoscore.annotations.formats.reading import read_documents
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of

ATTACKS = {
    "entities that grow": '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>',
    "a file outside": '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
    "an entity of a file": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    "a parameter entity": '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://example.org/a">%a;]>',
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_xml_that_reaches_out_or_grows_is_refused(tmp_path: Path, attack: str) -> None:
    sample = SAMPLES["gate-xml"]
    head, line, rest = sample.text.partition("\n")
    text = f"{head}{line}{ATTACKS[attack]}{rest}"
    (message,) = problems(put(tmp_path, sample, text), "gate-xml")
    assert message.startswith("ship.xml:2: the ")


def test_xml_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    sample = SAMPLES["gate-xml"]
    deep = sample.text.replace("<AnnotationSet>", "<a>" * 200 + "</a>" * 200 + "<AnnotationSet>")
    (message,) = problems(put(tmp_path, sample, deep))
    assert "elements are nested more than 100 deep" in message


def test_gate_xml_that_is_cut_is_reported_as_cut(tmp_path: Path) -> None:
    sample = SAMPLES["gate-xml"]
    (message,) = problems(put(tmp_path, sample, sample.text.removesuffix("</GateDocument>\n")))
    assert "the XML ends too early; is the file cut?" in message


def test_gate_xml_is_read_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    sample = SAMPLES["gate-xml"]
    text = sample.text.replace("utf-8", "latin-1").replace("😀", "-")
    found = only(read(put(tmp_path, sample, text.encode("latin-1"))))
    assert found.text is not None
    assert "café" in found.text


WRONG = [
    ("gate-xml", 'StartNode="7"', 'StartNode="8"', "14: annotation '1' is at the node '8', which"),
    ("gate-xml", 'StartNode="7" EndNode="10"', 'StartNode="10" EndNode="7"', "[10, 7), expected 0"),
    ("gate-xml", 'Id="3"', 'Id="2"', "annotation id '2' is used twice in the set 'Key'"),
    ("gate-xml", ">3</Value>", ">x</Value>", "the value 'x' is not a java.lang.Integer"),
    ("gate-xml", ">true<", ">perhaps<", "the value 'perhaps' is not a java.lang.Boolean"),
    ("gate-xml", ">4;5<", ">4;x<", "the value 'x' is not a java.lang.Integer"),
    ("gate-xml", '<Node id="10"/>', '<Node id="7"/>', "node '7' is there twice"),
    ("gate-xml", 'Type="TIMEX3" ', "", "an annotation has no Type"),
    ("gate-xml", ">n</Name>", "></Name>", "a feature has no name"),
    ("gate-xml", ">p</Name>", ">n</Name>", "the feature 'n' is there twice"),
    ("gate-xml", "GateDocument ", "Other ", "not well-formed XML: mismatched tag"),
    (
        "bdoc",
        '"start": 7',
        '"start": -7',
        "annotation '1' is [-7, 10), which is within a character",
    ),
    ("bdoc", '"start": 45', '"start": 43', "annotation '3' is [43, 50), which is within a char"),
    ("bdoc", '"end": 50', '"end": 90', "outside of the text"),
    ("bdoc", '"offset_type": "j"', '"offset_type": "x"', "offset_type is 'x', expected p"),
    ("bdoc", '"id": 3', '"id": 2', "annotation id '2' is used twice in the set 'Key'"),
    ("bdoc", '"start": 7, ', "", "annotation_sets..annotations[0]: there is no 'start'"),
    ("bdoc", '"type": "TIMEX3"', '"type": " "', "annotation '2' has no type"),
    ("tsv", "\t7\t", "\t17\t", "2: document 'ship': annotation 'e1' is [17, 10), expected"),
    ("tsv", "\t7\t", "\tx\t", "2: the span is 'x' to '10', expected two whole numbers"),
    ("tsv", "0.5", "nan", "2: the score is 'nan', expected a number"),
    ("tsv", "0.5", "high", "2: the score is 'high', expected a number"),
    ("tsv", "t1", "e1", "3: document 'ship': annotation id 'e1' is used twice"),
    ("tsv", "\tpast", "", "2: 6 fields, expected 7"),
    ("tsv", "\ttype\t", "\tkind\t", "1: there is no column 'type'"),
    ("tsv", "\ttense", "\tid", "1: the column 'id' is there twice"),
    ("tsv", "crew\t", "\t", "4: the row names no document"),
    ("prodigy", '"start": 7', '"start": "7"', "1: a span has no start and end (whole numbers)"),
    ("prodigy", '"end": 10', '"end": 90', "1: document '17': annotation '1' ends at 90, the text"),
    ("prodigy", '"score": 0.5', '"score": "x"', "2: the score of a span is not a number"),
    ("prodigy", '"_input_hash": 18', '"_input_hash": 17', "2: document '17' is there twice"),
    (
        "prodigy",
        '"spans": [{"start": 14',
        '"spans": 3, "s": [{"start": 14',
        "2: spans is not a list",
    ),
    ("timeml", 'eid="e2"', 'eid="e1"', "event 'e1' is there twice"),
    ("jsonl", '"end":10', '"end":6', "1: document 'a1': annotation 'e1' is [7, 6), expected 0"),
    ("jsonl", '"end":10', '"end":10,"end":11', "1: the key 'end' is there twice in one object"),
    ("jsonl", '"score":0.5', '"score":NaN', "1: not JSON: NaN and Infinity are no numbers"),
    ("jsonl", '"id":"a2"', '"id":"a1"', "2: document 'a1' is there twice, first in line 1"),
    ("jsonl", '"ids":[4,5]', '"ids":[[4],5]', "annotations[0].features.ids"),
]


@pytest.mark.parametrize(("name", "old", "new", "words"), WRONG)
def test_what_is_wrong_is_told(tmp_path: Path, name: str, old: str, new: str, words: str) -> None:
    sample = SAMPLES[name]
    assert old in sample.text
    messages = problems(put(tmp_path, sample, sample.text.replace(old, new, 1)))
    assert messages
    assert messages[0].startswith(sample.file)
    assert words in messages[0]


def test_every_problem_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    for name in ("gate-xml", "tsv"):
        sample = SAMPLES[name]
        put(tmp_path, sample, sample.text.replace("EVENT", " "))
    assert len(problems(tmp_path)) == 5  # two in each, and both are of the document 'ship'


def test_xml_of_another_kind_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["gate-xml"], "<html/>")
    assert problems(path, "gate-xml") == [
        "ship.xml:1: the XML is of 'html', expected 'GateDocument'"
    ]


def test_a_nested_feature_is_left_out_and_told(tmp_path: Path) -> None:
    sample = SAMPLES["bdoc"]
    path = put(tmp_path, sample, sample.text.replace('"n": 3', '"n": {"m": 3}'))
    problems = Problems()
    document = only(read_documents(source_of(path), problems))
    assert document.annotations[0].features == {"ids": (4, 5)}
    assert "the feature 'n' is nested and is not read" in str(problems.notices[0])


def test_an_empty_folder_and_a_missing_file_are_told(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (message,) = problems(tmp_path / "folder")
    assert "no annotations in the folder" in message
    assert problems(tmp_path / "none.xml") == ["none.xml: there is no such file or folder"]


def test_the_same_id_in_two_sets_is_fine(tmp_path: Path) -> None:
    sample = SAMPLES["bdoc"]
    path = put(tmp_path, sample, sample.text.replace('"id": 3', '"id": 1'))
    assert [a.id for a in only(read(path)).annotations] == ["1", "2", "1"]
