"""Objects in memory are scored as the files that hold the same, in every family."""

import csv
import gzip
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import chronoscore
from chronoscore import DataError, UsageError
from chronoscore.demo import home

GOLD, QUICK, SHEET = home() / "gold.jsonl", home() / "quick.jsonl", home() / "judgements.csv"
EVENTS = ("timelines", "ordering", "annotations")


def records(path: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Stream:
    """Something that is nothing but an Arrow stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def structs(rows: list[dict[str, Any]]) -> list[chronoscore.Event]:
    import msgspec

    return msgspec.convert(rows, list[chronoscore.Event])


SHAPES: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "list of dicts": lambda rows: rows,
    "generator": lambda rows: (row for row in rows),
    "events": structs,
    "object with entries": lambda rows: SimpleNamespace(entries=rows),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow table": lambda rows: pl.DataFrame(rows).to_arrow(),
    "Arrow stream": lambda rows: Stream(pl.DataFrame(rows).to_arrow()),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("family", EVENTS)
def test_events_in_memory_are_scored_as_in_a_file(family: str, shape: str) -> None:
    if (family, shape) == ("timelines", "object with entries"):
        pytest.skip("an object with entries is one timeline of one topic")
    make = SHAPES[shape]
    expected = chronoscore.score(family, GOLD, {"quick": QUICK})
    found = chronoscore.score(family, make(records(GOLD)), {"quick": make(records(QUICK))})
    assert found.to_dict() == expected.to_dict()


@pytest.mark.parametrize("make", [list, pd.DataFrame, pl.DataFrame], ids=lambda m: m.__name__)
def test_sheets_in_memory_are_scored_as_in_a_file(make: Callable[..., Any]) -> None:
    with SHEET.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = chronoscore.score("rubric", predicted=SHEET)
    assert chronoscore.score("rubric", predicted=make(rows)) == expected
    assert chronoscore.agreement(make(rows)).to_dict() == chronoscore.agreement(SHEET).to_dict()


def test_a_frame_may_have_a_row_for_each_annotation() -> None:
    rows = [("a", "event", 0, 4), ("a", "time", 6, 9), ("b", "event", 2, 5)]
    gold = pd.DataFrame(rows, columns=["document", "type", "start", "end"])
    result = chronoscore.score("annotations", gold, gold.iloc[:2].assign(score=[0.5, 0.9]))
    assert result["spans"].scores["strict_recall"] == pytest.approx(2 / 3)


def test_days_of_a_frame_are_moments_and_missing_cells_are_no_values() -> None:
    gold = pd.DataFrame(
        {
            "topic": ["egypt", "egypt"],
            "date": pd.to_datetime(["2011-01-25", "2011-02-11"]),
            "text": ["Protests begin.", "Mubarak resigns."],
            "type": ["protest", None],
        }
    )
    assert chronoscore.score("timelines", gold, gold)["Date-F1"] == 1
    assert chronoscore.score("timelines", pl.from_pandas(gold), gold)["AR-1"] == 1


@dataclass
class Day:
    """A day of somebody's own program."""

    date: date
    summary: list[str]


@dataclass
class OwnTimeline:
    """A timeline of somebody's own program."""

    entries: list[Day]


@dataclass
class OwnLink:
    """A link of somebody's own program."""

    document: str
    source: str
    target: str
    relation: str


def test_dataclasses_are_records_and_objects_with_entries_are_timelines() -> None:
    timeline = OwnTimeline([Day(date(2011, 1, 25), ["Protests begin."])])
    assert chronoscore.score("timelines", timeline, {"mine": timeline})["AR-1"] == 1
    links = [OwnLink("d", "e1", "e2", "BEFORE"), OwnLink("d", "e2", "e3", "BEFORE")]
    assert chronoscore.score("tlinks", links, {"mine": links[:1]}).metrics


def test_a_mapping_by_the_topics_of_the_gold_is_one_system() -> None:
    topics = {"egypt": {"2011-01-25": ["Protests."]}, "syria": {"2011-03-15": ["Protests."]}}
    assert chronoscore.score("timelines", topics, topics).systems == ("predicted",)
    by_name = {"ours": topics, "theirs": {"egypt": topics["egypt"]}}
    assert chronoscore.score("timelines", topics, by_name).systems == ("ours", "theirs")


@pytest.mark.parametrize(
    ("family", "predicted", "words"),
    [
        ("ordering", [1, 2], "predicted, record 1: is of type int, expected a dict"),
        ("ordering", [{"id": object()}], "predicted, record 1: can't be read as data"),
        ("annotations", [{"id": "a", "span": ["x", 3]}], "predicted:1: span"),
        ("timelines", [{"date": 3, "text": "x"}], "'3' is not a date.*--time-unit hour"),
    ],
)
def test_bad_records_are_reported_by_their_number(family: str, predicted: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        chronoscore.score(family, GOLD, {"predicted": predicted})


@pytest.mark.parametrize("entries", ["e1", "", b"e1"])
def test_entries_that_are_a_text_are_no_records(entries: str | bytes) -> None:
    with pytest.raises(UsageError, match=r"gold is .*, expected a path, a dict, a list of dicts"):
        chronoscore.score("ordering", {"entries": entries}, QUICK)


def test_a_packed_file_has_the_name_that_the_command_gives_it(tmp_path: Path) -> None:
    packed = tmp_path / "quick.jsonl.gz"
    packed.write_bytes(gzip.compress(QUICK.read_bytes()))
    assert chronoscore.score("timelines", GOLD, packed).systems == ("quick",)
    assert chronoscore.score("timelines", GOLD, [packed]).systems == ("quick",)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pd.DataFrame([["e1", "a", "b"]], columns=["id", "text", "text"]), "of the same name"),
        (Stream(pa.chunked_array([[1, 2]])), "one column: give a frame"),
    ],
)
def test_tables_that_have_no_records_are_refused(data: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        chronoscore.score("ordering", GOLD, data)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(pa.table({"id": ["e1"]}))
    result = chronoscore.score("timelines", GOLD, QUICK)
    for package in ("pyarrow", "pandas", "polars"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=r"pip install 'chronoscore\[scale\]'"):
        chronoscore.score("ordering", GOLD, stream)
    with pytest.raises(UsageError, match=r"pip install 'chronoscore\[frames\]'"):
        result.to_pandas()
    with pytest.raises(UsageError, match=r"pip install 'chronoscore\[frames\]'"):
        result.to_polars()
    with pytest.raises(UsageError, match=r"pip install 'chronoscore\[scale\]'"):
        result.__arrow_c_stream__()


DAY = {"2011-01-25": ["Protests begin in Cairo."]}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"metrics": [3]}, "metrics has 3, expected a name"),
        ({"interval": 0.9}, r"interval is 0.9, expected True or a method such as 'bootstrap\("),
        ({"options": "dates"}, "options is 'dates', expected a dict"),
        ({"gold": b"{}"}, "gold is of type bytes, expected a path, a dict"),
        ({"gold": ["a.json", "b.json"]}, "gold is a list of paths: give one path"),
        ({"gold": '{"2011-01-25": ["a"]}'}, "is the text .*expected a path: load the text first"),
        ({"gold": "x" * 5000}, "is the text 'xxx.*expected a path"),
        ({"gold": ""}, "the path of gold is empty"),
        ({"predicted": {"ours": None}}, "ours is None, expected a path, a dict"),
        ({"predicted": {"ours": []}}, "list is empty; a timeline without days is {}"),
        ({"predicted": {3: DAY, "3": DAY}}, "two systems are named '3'"),
        ({"predicted": {"": DAY}}, "a system is named '': give it a name"),
        ({"predicted": {"a\nb": DAY}}, "a system is named 'a.nb': give it a name of one line"),
        ({"predicted": {"(base)": DAY}}, "names in brackets are for golds and baselines"),
        ({"predicted": {"25th": ["They begin."]}}, "keys of a timeline are dates"),
        ({"gold": {"t": DAY}, "predicted": {"t": DAY, "u": DAY}}, "t is a topic of the gold and u"),
        ({"predicted": pd.Series(["a"], index=["2011-01-25"])}, "a Series is one column"),
    ],
)
def test_a_mistake_in_a_call_is_one_line_that_says_what_is_expected(
    call: dict[str, Any], words: str
) -> None:
    with pytest.raises(chronoscore.UsageError, match=words) as raised:
        chronoscore.score("timelines", **{"gold": DAY, "predicted": DAY, **call})
    assert len(str(raised.value).splitlines()) == 1


def test_a_name_that_is_too_long_for_a_file_is_refused_as_such() -> None:
    with pytest.raises(chronoscore.DataError, match=r"^x{60}\.\.\.: File name too long$"):
        chronoscore.score("timelines", DAY, "x" * 300)


def test_metrics_are_given_by_value_too_and_none_is_the_usual_choice() -> None:
    metric = chronoscore.metric("AR-1")
    result = chronoscore.score("timelines", DAY, DAY, metrics=metric)
    assert result.metrics == ("AR-1",)
    assert result[metric] == result["predicted", metric] == 1
    usual = chronoscore.score("timelines", DAY, DAY, metrics=None, by=None)
    assert usual == chronoscore.score("timelines", DAY, DAY)


class Model:
    """As models of pydantic are: their classes list the fields, and they yield them."""

    model_fields: ClassVar = ("id", "topic", "position", "mentions")

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(vars(self).items())


class Row(NamedTuple):
    id: str
    topic: str
    position: int
    mentions: list[str]


@pytest.mark.parametrize("make", [Model, Row])
def test_models_and_named_tuples_are_records(make: Callable[..., Any]) -> None:
    rows = [
        {"id": "e1", "topic": "egypt", "position": 1, "mentions": ["protests"]},
        {"id": "e2", "topic": "egypt", "position": 2, "mentions": ["resigns"]},
    ]
    records = [make(**row) for row in rows]
    assert chronoscore.score("ordering", records, records) == chronoscore.score(
        "ordering", rows, rows
    )


def test_a_record_that_contains_itself_is_refused() -> None:
    record: dict[str, Any] = {"id": "e1"}
    record["itself"] = record
    with pytest.raises(chronoscore.DataError, match="record 1: contains itself"):
        chronoscore.score("ordering", [{"id": "e1"}], [record])


def test_a_lazy_frame_is_computed_and_dates_may_be_of_numpy() -> None:
    frame = pl.DataFrame({"date": ["2011-01-25"], "text": ["Protests begin in Cairo."]})
    assert chronoscore.score("timelines", DAY, frame.lazy())["AR-1"] == 1
    day = {np.datetime64("2011-01-25"): DAY["2011-01-25"]}
    assert chronoscore.score("timelines", day, DAY)["Date-F1"] == 1
