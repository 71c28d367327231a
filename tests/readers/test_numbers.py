"""Numbers that no array holds, and digits that are none: told in words, in every reader."""

import json
import re
from itertools import cycle
from pathlib import Path

import pytest
from annotations.format_samples import SAMPLES as FORMATS
from annotations.format_samples import put as put_format
from readers.command_line import BAD_DATA, FINE, Ran, run
from readers.samples import DOCUMENTS, SAMPLES, SHEET, every_way, score

from chronoscore.annotations.model import Annotation
from chronoscore.core.event import MOST_OFFSET
from chronoscore.core.records import MOST_WHOLE, JsonError, parse_json

HUGE = {"20 digits": "9" * 20, "400 digits": "9" * 400, "5000 digits": "9" * 5000}
ODD = {"\x1c": "3\x1c", "superscript": "³", "Arabic": "٣", "underscore": "1_0"}
NUMBER = re.compile(r"[0-9]+")


@pytest.mark.parametrize("reader", SAMPLES)
def test_a_number_that_is_refused_is_named_by_its_line(tmp_path: Path, reader: str) -> None:
    """Whatever number of a file it takes the place of; `run` fails on an error that is not ours.

    The values take turns: `test_every_value_in_every_place` tries all.
    """
    turns = cycle([*HUGE.values(), *ODD.values()])
    for place in NUMBER.finditer(SAMPLES[reader].text):
        check_in_place(tmp_path, reader, place, next(turns))


@pytest.mark.campaign
@pytest.mark.parametrize("value", [*HUGE.values(), *ODD.values()], ids=[*HUGE, *ODD])
@pytest.mark.parametrize("reader", SAMPLES)
def test_every_value_in_every_place(tmp_path: Path, reader: str, value: str) -> None:
    for place in NUMBER.finditer(SAMPLES[reader].text):
        check_in_place(tmp_path, reader, place, value)


def check_in_place(folder: Path, reader: str, place: re.Match[str], value: str) -> None:
    """Score a sample with a value in the place of one of its numbers."""
    sample = SAMPLES[reader]
    changed = sample.text[: place.start()] + value + sample.text[place.end() :]
    ran = score(folder, sample, sample.text, changed)
    check(ran, folder / "predicted" / sample.file)
    if ran.code == BAD_DATA and reader not in REFERRING:
        line = sample.text.count("\n", 0, place.start()) + 1
        assert any(f"{sample.file}:{line}: " in problem for problem in ran.problems), ran.err


REFERRING = {"CoNLL", "TimeML", "folder of TimeML"}
"""Formats where one line refers to another by a number, and that one may be named."""


def check(ran: Ran, path: Path) -> None:
    """What is accepted gives a result; what is refused names a line, or where the sides differ."""
    if ran.code == FINE:
        assert json.loads(ran.out)["systems"]
        assert not ran.problems
        return
    assert (ran.code, ran.out) == (BAD_DATA, ""), ran.err
    line = rf"{re.escape(str(path))}:[0-9]+: "
    differs = "document '[^']+' has another text than the gold|no document has both"
    for problem in ran.problems:
        assert re.match(f"{line}|{path.stem}: (?:{differs})", problem), problem


@pytest.mark.parametrize("value", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("format", FORMATS)
def test_a_number_of_annotations_that_is_refused_is_named_with_its_place(
    tmp_path: Path, format: str, value: str
) -> None:
    sample = FORMATS[format]
    gold = put_format(tmp_path / "gold", sample)
    for found in NUMBER.finditer(sample.text):
        changed = sample.text[: found.start()] + value + sample.text[found.end() :]
        path = put_format(tmp_path / "predicted", sample, changed)
        ran = run("annotations", gold, path, "--input-format", format, "--format", "json")
        check(ran, path)


ENDS = {
    "jsonl": ('"end":26', '"end":%s'),
    "bdoc": ('"end": 26', '"end": %s'),
    "brat": ("22 26", "22 %s"),
    "prodigy": ('"end": 10', '"end": %s'),
    "tsv": ("22\t26", "22\t%s"),
}


@pytest.mark.parametrize("end", ["9" * 20, str(MOST_WHOLE + 1), str(MOST_WHOLE), "1000000000001"])
@pytest.mark.parametrize("format", ENDS)
def test_a_span_that_ends_beyond_all_texts_is_refused(
    tmp_path: Path, format: str, end: str
) -> None:
    sample = FORMATS[format]
    before, after = ENDS[format]
    assert before in sample.text
    text = sample.text.replace(before, after % end, 1)
    path = put_format(tmp_path, sample, text)
    for verb in (("validate",), ("annotations", path)):
        ran = run(*verb, path)
        assert ran.code == BAD_DATA
        assert ran.problems[0].startswith(f"{path}"), ran.err


def test_spans_of_texts_that_are_not_given_end_somewhere(tmp_path: Path) -> None:
    text = DOCUMENTS.replace('"end":12', f'"end":{MOST_OFFSET + 1}')
    for ran in every_way(tmp_path, SAMPLES["documents"], text).values():
        assert ran.code == BAD_DATA
        assert f"expected at most {MOST_OFFSET}" in ran.err
    with pytest.raises(ValueError, match="expected at most"):
        Annotation("1", "T", 0, MOST_OFFSET + 1)


def test_a_prodigy_score_of_400_digits_is_told(tmp_path: Path) -> None:
    sample = FORMATS["prodigy"]
    path = put_format(tmp_path, sample, sample.text.replace("0.5", "9" * 400))
    ran = run("annotations", path, path)
    assert ran.code == BAD_DATA
    assert ran.problems[0].startswith(f"{path}:2: a number in the JSON is out of range")


@pytest.mark.parametrize("cell", ["3\x1c", "\x1f3", "3\u2003", "³", "٣", "3_0"])
def test_a_cell_with_more_than_digits_is_named(tmp_path: Path, cell: str) -> None:
    text = SHEET.replace("1,1,1,3,3", f"1,1,1,{cell},3")
    for ran in every_way(tmp_path, SAMPLES["sheet"], text).values():
        assert ran.code == BAD_DATA
        assert "Eval_EventAmbiguity must be 1, 2 or 3, got '" in ran.err


@pytest.mark.parametrize("number", [-(2**63) - 1, 2**63, 10**400])
def test_json_has_no_whole_number_beyond_64_bits(number: int) -> None:
    text = json.dumps({"a": [{"b": "0" * 30}], "c": [number]})
    with pytest.raises(JsonError, match="out of range"):
        parse_json(text)


def test_long_digits_within_texts_are_text() -> None:
    found = {"a": "9" * 400, "b": [MOST_WHOLE, 0.1234567890123456789012345]}
    assert parse_json(json.dumps(found)) == found


def test_a_parquet_text_that_is_not_utf8_is_told(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    offsets, data = pa.py_buffer(b"\x00\x00\x00\x00\x02\x00\x00\x00"), pa.py_buffer(b"a\xff")
    texts = pa.StringArray.from_buffers(1, offsets, data)
    table = pa.table({"id": ["e1"], "topic": ["t"], "date": ["2011-01-01"], "text": texts})
    path = tmp_path / "events.parquet"
    parquet.write_table(table, path)
    for more in ((), ("--engine", "here")):
        ran = run("timelines", path, f"p={path}", *more)
        assert ran.code == BAD_DATA
        assert f"{path}: a text of the table is not UTF-8: byte 0xff" in ran.err
