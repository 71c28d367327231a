"""Wrong values in right files: each is named by its field, its line and what was expected."""

import json
import re
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run
from readers.samples import DASHES, DOCUMENTS, EVENTS, SAMPLES, SHEET, every_way

DEEP = 100_000
"""Brackets beyond what any Python reads; from 3.12 on it reads several thousand."""
EVENT_READERS = ("events as timelines", "events as an order", "events as annotations")

EVENT_FIELDS = [
    ('"id":"e2"', '"id":5', "id is a whole number, expected text"),
    ('"id":"e2"', '"id":null', "id is null, expected text"),
    ('"id":"e2"', '"id":" "', "id is empty"),
    ('"id":"e2",', "", "there is no 'id'"),
    ('"topic":"suez"', '"topic":["suez"]', "topic is a list, expected text"),
    ('"topic":"suez"', '"timeline":1.5', "timeline is a number, expected text"),
    ('"2021-03-29"', "20210329", "date is a whole number, expected text"),
    ('"The ship of the café floats."', "null", "text is null, expected text"),
    ('"rescue"', "{}", "type is an object, expected text"),
    ('"article":"a1"', '"article":true', "article is true or false, expected text"),
    ('"article":"a1",', "", "there is a span but no article that it points into"),
    ("[8,12]", '["a","b"]', "span[0] is text, expected a whole number"),
    ("[8,12]", "[8,12,13]", "span is a list of 3, expected 2"),
    ("[8,12]", "[8]", "span is a list of 1, expected 2"),
    ("[8,12]", "[8,12.5]", "span[1] is a number, expected a whole number"),
    ("[8,12]", '"8-12"', "span is text, expected a list"),
    ("[8,12]", "[12,8]", "span [12, 8] is not [start, end) with 0 <= start <= end"),
    ("[8,12]", "[-8,12]", "span [-8, 12] is not [start, end) with 0 <= start <= end"),
    ("[8,12]", "[8,9007199254740993]", "span [8, 9007199254740993] ends too far"),
    ('["a1-2-floats"]', '"a1-2-floats"', "mentions is text, expected a list"),
    ('["a1-2-floats"]', "[1]", "mentions[0] is a whole number, expected text"),
    ('"position":2', '"position":"2"', "position is text, expected a whole number"),
    ('"position":2', '"position":2.0', "position is a number, expected a whole number"),
    ('"position":2', '"position":-2', "position is -2, expected 1, 2, ... or 0 for unknown"),
    ('"score":0.7', '"score":"high"', "score is text, expected a number"),
    ('"score":0.7', '"score":NaN', "not JSON: NaN and Infinity are no numbers in JSON, leave"),
    ('"score":0.7', '"score":Infinity', "not JSON: NaN and Infinity are no numbers in JSON"),
    ('"score":0.7', '"score":1e999', "a number in the JSON is out of range"),
    ('"score":0.7', '"score":.7', "not JSON: invalid character, at '.7}'"),
    ('"score":0.7', '"features":[]', "features is a list, expected an object"),
    ('"score":0.7', '"features":{"a":[]}', "features.a is a list, expected true or false, a whole"),
    ('"score":0.7', '"id":"e3"', "the key 'id' is there twice in one object"),
    ('"score":0.7', '"features":{"a":1,"a":2}', "the key 'a' is there twice in one object"),
    ('"score":0.7', '"features":' + "[" * DEEP + "]" * DEEP, "the JSON is nested too deeply"),
    ('"position":2', "'position':2", "not JSON: object keys must be strings, at"),
]


@pytest.mark.parametrize(("found", "wrong", "words"), EVENT_FIELDS)
def test_a_wrong_field_of_an_event_is_named(
    tmp_path: Path, found: str, wrong: str, words: str
) -> None:
    assert found in EVENTS
    first, second = EVENTS.splitlines()
    text = f"{first}\n{second.replace(found, wrong)}\n"
    for reader in EVENT_READERS:
        for ran in every_way(tmp_path, SAMPLES[reader], text).values():
            assert ran.code == BAD_DATA
            (problem,) = ran.problems
            assert problem.startswith(f"{tmp_path / 'bad' / 'suez.jsonl'}:2: {words}")


def test_all_wrong_fields_of_a_line_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(
        '{"topic": 1, "span": ["a", "b", "c"], "score": "high", "mentions": [1, 2]}\n[]'
    )
    ran = run("validate", path)
    assert [problem.removeprefix(f"{path}:") for problem in ran.problems] == [
        "1: there is no 'id'",
        "1: topic is a whole number, expected text",
        "1: span is a list of 3, expected 2",
        "1: mentions[0] is a whole number, expected text",
        "1: mentions[1] is a whole number, expected text",
        "1: score is text, expected a number",
        "2: the line is a list, expected an object: {...}",
    ]


DATES = [
    ("2011-02-30", "'2011-02-30' is not in the calendar"),
    ("2011-13-01", "'2011-13-01' is not in the calendar"),
    ("-0000-01-01", "'-0000-01-01': there is no year -0000"),
    ("2011-02-03T25:00:00", "'2011-02-03T25:00:00' is not a time of day"),
    ("PRESENT_REF", "'PRESENT_REF' is a reference, not a time"),
    ("2011-02-03/2011-02-01", "'2011-02-03/2011-02-01': the interval ends before it begins"),
    ("x" * 5000, f"'{'x' * 40}...' is not a date, expected YYYY-MM-DD"),
]


@pytest.mark.parametrize(("date", "words"), DATES)
@pytest.mark.parametrize(
    ("reader", "line"),
    [
        ("events as timelines", 2),
        ("events as an order", 2),
        ("JSON timeline", 2),
        ("tilse text", 4),
        ("folder of topics", 4),
        ("news-tls lines", 1),
    ],
)
def test_a_date_that_is_none_is_told(
    tmp_path: Path, reader: str, line: int, date: str, words: str
) -> None:
    sample = SAMPLES[reader]
    for ran in every_way(tmp_path, sample, sample.text.replace("2021-03-29", date)).values():
        assert ran.code == BAD_DATA
        (problem,) = ran.problems
        assert problem.startswith(f"{tmp_path / 'bad' / sample.file}:{line}: {words}")


def test_a_date_that_only_other_questions_need_is_left_to_validate(tmp_path: Path) -> None:
    ways = every_way(
        tmp_path, SAMPLES["events as annotations"], EVENTS.replace("2021-03-29", "2011-02-30")
    )
    assert {way: ran.code for way, ran in ways.items()} == {
        "gold": FINE,
        "predicted": FINE,
        "validate --as": FINE,
        "validate": BAD_DATA,
    }


def test_an_anchor_is_compared_as_it_is_written_but_told_if_it_is_no_day(tmp_path: Path) -> None:
    sample = SAMPLES["tab file"]
    text = sample.text.replace("2021-03-29", "2011-02-30")
    for ran in every_way(tmp_path, sample, text).values():
        assert ran.code == FINE
        assert any(":3: the time anchor '2011-02-30' is not in" in line for line in ran.notices)


@pytest.mark.parametrize("spelling", ["2021-3-29", "2021-03-29T00:00:00", " 2021-03-29\\n"])
@pytest.mark.parametrize("reader", EVENT_READERS)
def test_one_day_has_several_spellings(tmp_path: Path, reader: str, spelling: str) -> None:
    ways = every_way(tmp_path, SAMPLES[reader], EVENTS.replace("2021-03-29", spelling))
    for ran in ways.values():
        assert (ran.code, ran.problems, ran.notices_but_copies) == (FINE, [], [])
    assert " 1.000 " in ways["predicted"].out
    assert not re.search(r" 0\.\d{3} ", ways["predicted"].out)


PLACES = [
    ('"type":"rescue",', "", "annotations[0]: there is no 'type'"),
    ('"start":8', '"start":"8"', "annotations[0].start is text, expected a whole number"),
    ('"start":8', '"start":-8', "document 'a2': annotation '1' is [-8, 12), expected 0 <= start"),
    ('"end":12', '"end":2', "document 'a2': annotation '1' is [8, 2), expected 0 <= start <= end"),
    ('"end":12', '"end":12,"id":1.5', "annotations[0].id is a number, expected a whole number or"),
    ('"end":12', '"end":12,"score":"high"', "annotations[0].score is text, expected a number"),
    ('"end":12', '"end":12,"features":3', "annotations[0].features is a whole number, expected"),
    ('"end":12', '"end":12,"from":3', "annotations[0]: unknown field 'from'"),
    ('"end":12}', '"end":12},{"type":"x","start":1,"end":2,"id":"1"}', "document 'a2': annotation"),
    (
        '"end":12}]',
        '"end":12}],"text":"short"',
        "document 'a2': annotation '1' ends at 12, the text",
    ),
    ('[{"type":"rescue","start":8,"end":12}]', "{}", "annotations is an object, expected a list"),
    ('[{"type":"rescue","start":8,"end":12}]', "[7]", "annotations[0] is a whole number, expected"),
    ('"annotations"', '"spans"', "there is no 'annotations'"),
    ('"a2"', '""', "id is empty"),
    ('"a2"', '"a2","id":"a3"', "the key 'id' is there twice in one object"),
]


@pytest.mark.parametrize(("found", "wrong", "words"), PLACES)
def test_a_wrong_field_of_a_document_is_named(
    tmp_path: Path, found: str, wrong: str, words: str
) -> None:
    first, second = DOCUMENTS.splitlines()
    assert found in second
    text = f"{first}\n{second.replace(found, wrong)}\n"
    for ran in every_way(tmp_path, SAMPLES["documents"], text).values():
        assert ran.code == BAD_DATA
        (problem,) = ran.problems
        assert problem.startswith(f"{tmp_path / 'bad' / 'suez.jsonl'}:2: {words}")


SHAPES = [
    ("JSON timeline", "3", "expected {date: [sentence, ...]}, [[date, [sentence, ...]], ...] or "),
    ("JSON timeline", '{"2021-03-29": [3]}', "expected a date and its list of sentences"),
    ("JSON timeline", '{"2021-03-29": []}\n}', ":2: not JSON: "),
    ("JSON timeline", "[" * DEEP, "the JSON is nested too deeply"),
    ("news-tls lines", '[["2021-03-29"]]', ":1: expected a date and its list of sentences"),
    ("news-tls lines", "[3]\n[]\n[4]", ":3: expected a date and its list of sentences: 4"),
    ("news-tls lines", "[" * DEEP, ":1: the JSON is nested too deeply"),
    ("tilse text", f"2021-03-29\nText.\n{DASHES[1:]}\n", ":3: a line of 31 dashes, expected 32 to"),
    (
        "tilse text",
        f"2021-03-29\nText.\n{DASHES}2021-03-30\n",
        ":3: text beside the dashes that",
    ),
    (
        "tilse text",
        f"2021-03-29\n2021-03-30\n{DASHES}\n",
        ":2: a date within the day that",
    ),
    ("tilse text", f"{DASHES}\n", ":1: a line of dashes with no date before it"),
    ("events as timelines", '{"id":"1","date":""}', ":1: the date is empty, expected YYYY-MM-DD"),
    ("tab file", "Suez\n1 2021 a1-1-runs", ":2: no tabs; fields are split at spaces (--len"),
    ("tab file", "Suez\none\t2021\ta1-1-runs", ":2: position is 'one', expected 0, 1, 2, ..."),
    ("tab file", "Suez\n-1\t2021\ta1-1-runs", ":2: position is '-1', expected 0, 1, 2, ..."),
    (
        "events as an order",
        json.dumps({"id": "1", "position": 1}),
        ":1: there is a position but no",
    ),
]


@pytest.mark.parametrize(("reader", "text", "words"), SHAPES)
def test_a_wrong_shape_is_told(tmp_path: Path, reader: str, text: str, words: str) -> None:
    ran = every_way(tmp_path, SAMPLES[reader], text)["predicted"]
    assert ran.code == BAD_DATA
    assert any(words in problem for problem in ran.problems), ran.problems
    assert all(str(tmp_path / "bad") in problem for problem in ran.problems)


CELLS = [
    ("ana,1,0,1,2,3,", "ana,1,0,1,2,,", "Eval_Relevance is empty"),
    ("ana,1,0,1,2,3,", "ana,1,0,1,2,high,", "Eval_Relevance must be 1, 2 or 3, got 'high'"),
    ("ana,1,0,1,2,3,", "ana,1,0,1,2,7,", "Eval_Relevance must be 1, 2 or 3, got 7"),
    ("ana,1,0,1,2,3,", "ana,1,0,1,2.5,3,", "Eval_EventAmbiguity must be 1, 2 or 3, got 2.5"),
    ("ana,1,0,1,2,3,", "ana,nan,0,1,2,3,", "Eval_DateCorrect must be 0 or 1, got 'nan'"),
    ("ana,1,0,1,2,3,", "ana,inf,0,1,2,3,", "Eval_DateCorrect must be 0 or 1, got 'inf'"),
    ("ana,1,0,1,2,3,", "ana,0_1,0,1,2,3,", "Eval_DateCorrect must be 0 or 1, got '0_1'"),
    ("ana,1,0,1,2,3,", "ana,١,0,1,2,3,", "Eval_DateCorrect must be 0 or 1, got '١'"),
    ("e2,ana", "e2,", "evaluator is empty"),
    ("e2,ana", ",ana", "event_id is empty"),
    ("2,3,\n", "2,3,a,b\n", "the row has 9 cells, the header 8; is the file cut?"),
    ("2,3,\n", '2,3,"open\n', "not a readable sheet: a quote is opened here and not closed"),
    ("2,3,\n", '2,3,"a"b\n', "not a readable sheet: a quote ends within a cell"),
    ("2,3,\n", f"2,3,{'x' * 200_000}\n", "not a readable sheet: a cell is longer than"),
]


@pytest.mark.parametrize(("found", "wrong", "words"), CELLS)
def test_a_wrong_cell_is_named(tmp_path: Path, found: str, wrong: str, words: str) -> None:
    assert found in SHEET
    for ran in every_way(tmp_path, SAMPLES["sheet"], SHEET.replace(found, wrong)).values():
        assert ran.code == BAD_DATA
        told = [
            problem.removeprefix(str(tmp_path / "bad" / "suez.csv")) for problem in ran.problems
        ]
        assert told[0].startswith(f":3: {words}"), told
        assert len(told) <= 2  # a shifted row is wrong in two places


def test_a_line_break_in_a_cell_keeps_the_numbers_of_lines(tmp_path: Path) -> None:
    text = SHEET.replace("café", '"ca\nfé"').replace("2,3,\n", "2,9,\n")
    for ran in every_way(tmp_path, SAMPLES["sheet"], text).values():
        assert [":4: " in problem for problem in ran.problems] == [True]


def test_what_only_looks_like_a_key_is_none(tmp_path: Path) -> None:
    text = EVENTS.replace("A ship runs aground.", ': \\"id\\": \\"id\\": a ship')
    for ran in every_way(tmp_path, SAMPLES["events as timelines"], text).values():
        assert (ran.code, ran.err) == (FINE, "")
