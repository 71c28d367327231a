"""Every annotation format: what is read of a good file, however it comes."""

import codecs
from pathlib import Path

import pytest
from annotations.format_samples import (
    BDOC,
    FREED,
    GATE,
    RAN,
    SAMPLES,
    TEXT,
    YEAR,
    by_id,
    only,
    problems,
    put,
    read,
    spans,
)
from every import each

from chronoscore.annotations.formats.json import read_carefully, read_jsonl
from chronoscore.annotations.formats.reading import FORMATS, read_documents
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.errors import UsageError

every_format = pytest.mark.parametrize("name", SAMPLES)


@every_format
def test_the_format_is_told_by_name_and_content(tmp_path: Path, name: str) -> None:
    path = put(tmp_path, SAMPLES[name])
    found = read(path)
    assert found == read(path, name)
    assert any(document.annotations for named in found.values() for document in named.values())


@every_format
def test_a_folder_has_a_document_a_file(tmp_path: Path, name: str) -> None:
    alone = read(put(tmp_path / "alone", SAMPLES[name]))
    put(tmp_path / "folder", SAMPLES[name])
    put(tmp_path / "folder" / "inner", SAMPLES[name])
    if name in ("jsonl", "tsv", "prodigy"):  # these name their documents themselves
        messages = problems(tmp_path / "folder")
        assert len(messages) == len(alone)
        assert all("is there twice" in message for message in messages)
        return
    together = read(tmp_path / "folder")
    assert set(together) == {"ship", "inner/ship"}
    assert together["inner/ship"]["1"].annotations == only(alone).annotations


@every_format
@pytest.mark.parametrize("change", ["\r\n", "\r", "mark"])
def test_line_ends_and_byte_order_marks_change_nothing(
    tmp_path: Path, name: str, change: str
) -> None:
    sample = SAMPLES[name]
    data = sample.text.encode()
    data = codecs.BOM_UTF8 + data if change == "mark" else data.replace(b"\n", change.encode())
    assert read(put(tmp_path / "new", sample, data)) == read(put(tmp_path / "old", sample))


def test_gate_xml_gives_sets_kinds_of_values_and_offsets_in_characters(tmp_path: Path) -> None:
    document = only(read(put(tmp_path, SAMPLES["gate-xml"])))
    assert document.text == TEXT
    assert document.stored == "ship.txt"
    one = by_id(document, "1")
    assert (one.start, one.end, one.set) == (*RAN, "")
    assert one.features == {"n": 3, "p": 0.5, "sure": True, "ids": (4, 5)}
    assert [type(value) for value in one.features.values()] == [int, float, bool, tuple]
    three = by_id(document, "3")
    assert (three.start, three.end, three.set) == (*FREED, "Key")  # GATE counts the smile as two


def test_gate_xml_keeps_a_value_of_an_unknown_class_as_text(tmp_path: Path) -> None:
    text = GATE.replace("java.lang.Double", "org.example.Thing")
    document = only(read(put(tmp_path, SAMPLES["gate-xml"], text)))
    assert by_id(document, "1").features["p"] == "0.5"


def test_bdoc_gives_sets_and_offsets_of_java_as_characters(tmp_path: Path) -> None:
    document = only(read(put(tmp_path, SAMPLES["bdoc"])))
    assert (document.text, document.stored) == (TEXT, "ship.txt")
    assert document.features == {"lang": "en"}
    assert by_id(document, "1").features == {"n": 3, "ids": (4, 5)}
    assert (by_id(document, "3").start, by_id(document, "3").end) == FREED
    assert [a.set for a in document.annotations] == ["", "Key", "Key"]


def test_bdoc_offsets_in_characters_are_as_they_stand(tmp_path: Path) -> None:
    text = BDOC.replace('"offset_type": "j"', '"offset_type": "p"')
    document = only(read(put(tmp_path, SAMPLES["bdoc"], text)))
    assert (by_id(document, "3").start, by_id(document, "3").end) == (45, 50)


def test_timeml_gives_events_and_times_in_the_text(tmp_path: Path) -> None:
    document = only(read(put(tmp_path, SAMPLES["timeml"])))
    assert spans(document) == [("EVENT", *RAN), ("EVENT", 42, 47), ("TIMEX3", *YEAR)]
    assert by_id(document, "e1").features == {"class": "OCCURRENCE", "tense": "PAST"}
    assert by_id(document, "t1").features == {"type": "DATE", "value": "2021"}


def test_a_table_gives_features_where_cells_are_filled(tmp_path: Path) -> None:
    found = read(put(tmp_path, SAMPLES["tsv"]))
    assert list(found) == ["ship", "crew"]
    first, second = found["ship"]["1"].annotations
    assert (first.id, first.score, first.features) == ("e1", 0.5, {"tense": "past"})
    assert (second.id, second.score, second.features) == ("t1", None, {})


def test_prodigy_tasks_are_documents_by_their_input_hash(tmp_path: Path) -> None:
    found = read(put(tmp_path, SAMPLES["prodigy"]))
    assert list(found) == ["17", "18"]
    assert found["18"]["1"].annotations[0].score == 0.5
    assert found["17"]["1"].text == "A ship ran aground in 2021."


PRODIGY_LINES = {
    "the tasks of two annotators are two golds": (
        '{"text":"ab","_input_hash":1,"spans":[],"_annotator_id":"x"}\n'
        '{"text":"ab","_input_hash":1,"spans":[],"_annotator_id":"y"}\n',
        {"1": ["x", "y"]},
    ),
    "spaCy's entities": ('{"text":"ab","ents":[{"start":0,"end":1,"label":"X"}]}\n', {"1": ["1"]}),
    "old training data": ('{"text":"ab","entities":[[0,1,"X"]]}\n', {"1": ["1"]}),
    "an id in meta": ('{"text":"ab","spans":null,"meta":{"id":"d"}}\n', {"d": ["1"]}),
    "groups of spans": (
        '{"text":"ab","spans":{"sc":[{"start":0,"end":1,"label":"X"}]},"id":"e"}\n',
        {"e": ["1"]},
    ),
}


@pytest.mark.parametrize("case", PRODIGY_LINES)
def test_lines_of_spacy_are_read(tmp_path: Path, case: str) -> None:
    text, names = PRODIGY_LINES[case]
    found = read(put(tmp_path, SAMPLES["prodigy"], text))
    assert {key: list(named) for key, named in found.items()} == names


def test_a_group_of_spans_is_an_annotation_set(tmp_path: Path) -> None:
    text, _ = PRODIGY_LINES["groups of spans"]
    document = only(read(put(tmp_path, SAMPLES["prodigy"], text)))
    assert [a.set for a in document.annotations] == ["sc"]


def test_a_task_that_was_not_accepted_is_left_out_and_told(tmp_path: Path) -> None:
    sample = SAMPLES["prodigy"]
    path = put(tmp_path, sample, sample.text.replace("accept", "reject", 1))
    problems = Problems()
    assert list(read_documents(source_of(path), problems)) == ["18"]
    assert "1 tasks with the answer 'reject' are left out" in str(problems.notices[0])


def test_an_unknown_format_is_refused_with_all_there_are(tmp_path: Path) -> None:
    path = put(tmp_path, SAMPLES["tsv"])
    with pytest.raises(UsageError, match="unknown format 'xls'; there are: jsonl, events"):
        read_documents(source_of(path), Problems(), "xls")


def test_every_reader_of_the_formats_has_its_sample() -> None:
    same_file = {"events", "conlleval", "iob1", "iob2", "ioe2", "iobes", "bilou"}
    assert set(FORMATS) == set(SAMPLES) | same_file


def test_what_lies_beside_annotations_is_told_and_left_out(tmp_path: Path) -> None:
    put(tmp_path, SAMPLES["conll"])
    beside = {
        "readme.txt": "These are ours.",
        "meta.json": "{}",
        "page.xml": "<html/>",
        "x.gz": "x",
    }
    for name, text in beside.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "annotation.conf").write_text("[entities]")
    problems = Problems()
    assert list(read_documents(source_of(tmp_path), problems)) == ["ship"]
    assert not problems.problems
    assert sorted(Path(notice.path).name for notice in problems.notices) == sorted(beside)


def test_a_text_of_columns_is_known_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ship O\nran B-EVENT\n")
    assert spans(only(read(tmp_path))) == [("EVENT", 5, 8)]


LINES = {
    "ids that are texts": '{"id":"d","annotations":[{"id":"a","type":"T","start":0,"end":1}]}',
    "ids that are numbers": '{"id":"d","annotations":[{"id":7,"type":"T","start":0,"end":1}]}',
    "no ids": '{"id":"d","annotations":[{"type":"T","start":0,"end":1}]}',
    "blanks before colons": '{"id" : "d", "annotations" : [{"type" : "T","start":0,"end":1}]}',
    "fields that are null": '{"id":"d","text":null,"annotations":[{"type":"T","start":0,"end":1,'
    '"score":null,"features":{},"id":null}]}',
    "a text with keys in it": '{"id":"d","text":"\\"x\\": 1","annotations":[{"id":"a","type":"T",'
    '"start":0,"end":1}]}',
    "all there is": '{"id":"d","timeline":"ana","stored":"s","features":{"f":1},"text":"ab",'
    '"annotations":[{"id":"a","type":"T","start":0,"end":1,"set":"K","score":1,"features":{"g":[]}}]}',
}


@each("first", LINES)
@each("second", LINES)
def test_the_fast_way_reads_what_the_careful_way_does(
    tmp_path: Path, first: str, second: str
) -> None:
    path = tmp_path / "x.jsonl"
    lines = [LINES[first], LINES[second].replace('"id":"d"', '"id":"e"').replace('"d",', '"e",')]
    path.write_text("\n".join(lines))
    fast, careful = Problems(), Problems()
    assert [*read_jsonl(source_of(path), "", fast)] == [*read_carefully(source_of(path), careful)]
    assert not fast.problems
    assert not careful.problems


def test_the_fast_way_does_not_pass_over_an_unknown_field(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(LINES["ids that are texts"].replace('"id":"d"', '"id":"d","author":"x"'))
    problems = Problems()
    assert read_documents(source_of(path), problems)
    assert "unknown field 'author' is ignored" in str(problems.notices[0])
