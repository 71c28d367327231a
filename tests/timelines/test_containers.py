"""The same timelines in every container: the same cases, the same digests, the same scores."""

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import chronoscore
from chronoscore.compat import sunset
from chronoscore.elements.dated.writing import write_timelines
from chronoscore.errors import DataError, UsageError
from chronoscore.timelines import Timeline, evaluate, evaluate_all, score_many

TEXTS = {
    "egypt": {
        "2011-01-25": ["Protests begin in Cairo.", "Police respond."],
        "2011-02-11": ["Out."],
    },
    "quake": {"2011-01-25": ["A reactor overheats."], "2011-02-11": ["Sailors rescue survivors."]},
}
SWAPPED = {"egypt": TEXTS["quake"], "quake": TEXTS["egypt"]}
GOLDS = {
    "egypt": {"desk": TEXTS["egypt"], "wire": {"2011-01-28": ["The army enters."]}},
    "quake": {"desk": TEXTS["quake"]},
}


@dataclass
class Entry:
    date: str
    summary: str


@dataclass
class Entries:
    entries: list[Entry]
    topic: str | None = None


@dataclass
class TopicEntry:
    topic: str
    timeline: str
    date: date
    summary: str
    source: str = field(default="wire")


class EntryTuple(NamedTuple):
    date: str
    summary: str
    confidence: float


Side = dict[str, dict[str, dict[str, list[str]]]]


def rows(side: Side) -> list[tuple[str, str, str, str]]:
    return [
        (topic, name, day, text)
        for topic, named in side.items()
        for name, days in named.items()
        for day, texts in days.items()
        for text in texts
    ]


def records(side: Side) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "timeline": name, "date": day, "summary": text}
        for topic, name, day, text in rows(side)
    ]


def events(side: Side) -> list[dict[str, Any]]:
    return [
        {"id": str(number), "topic": topic, "timeline": name, "date": day, "text": text}
        for number, (topic, name, day, text) in enumerate(rows(side))
    ]


def whole(side: Side) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "timeline": name, "days": days}
        for topic, named in side.items()
        for name, days in named.items()
    ]


def objects(side: Side) -> dict[str, dict[str, Entries]]:
    return {
        topic: {
            name: Entries([Entry(day, text) for day, texts in days.items() for text in texts])
            for name, days in named.items()
        }
        for topic, named in side.items()
    }


def tuples(side: Side) -> dict[str, dict[str, list[EntryTuple]]]:
    return {
        topic: {
            name: [EntryTuple(day, text, 0.5) for day, texts in days.items() for text in texts]
            for name, days in named.items()
        }
        for topic, named in side.items()
    }


def ours(side: Side) -> dict[str, dict[str, Timeline]]:
    return {
        topic: {
            name: Timeline.of({date.fromisoformat(day): texts for day, texts in days.items()})
            for name, days in named.items()
        }
        for topic, named in side.items()
    }


def as_lines(made: Callable[[Side], Any]) -> Callable[[Side, Path], Any]:
    def write(side: Side, path: Path) -> Path:
        lines = "".join(json.dumps(item) + "\n" for item in made(side))
        path.with_suffix(".jsonl").write_text(lines, encoding="utf-8")
        return path.with_suffix(".jsonl")

    return write


def as_json(made: Callable[[Side], Any]) -> Callable[[Side, Path], Any]:
    def write(side: Side, path: Path) -> Path:
        path.with_suffix(".json").write_text(json.dumps(made(side), indent=1), encoding="utf-8")
        return path.with_suffix(".json")

    return write


def as_sheet(side: Side, path: Path) -> Path:
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("topic", "timeline", "date", "summary"), *rows(side)])
    return path.with_suffix(".csv")


def as_parquet(side: Side, path: Path) -> Path:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.Table.from_pylist(records(side)), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_folder(side: Side, path: Path) -> Path:
    write_timelines(ours(side), path, "json")
    return path


CONTAINERS: Mapping[str, Callable[[Side, Path], Any]] = {
    "JSONL of records": as_lines(records),
    "JSONL of events": as_lines(events),
    "JSONL of whole timelines": as_lines(whole),
    "JSON list of records": as_json(records),
    "JSON list of events": as_json(events),
    "JSON list of whole timelines": as_json(whole),
    "JSON by topic and name": as_json(lambda side: side),
    "JSON by topic and name, of records": as_json(
        lambda side: {
            topic: {
                name: [{"date": d, "summary": t} for d, t in days.items()]
                for name, days in named.items()
            }
            for topic, named in side.items()
        }
    ),
    "CSV": as_sheet,
    "Parquet": as_parquet,
    "folder": as_folder,
    "list of dicts": lambda side, _: records(side),
    "list of dicts of events": lambda side, _: events(side),
    "list of dicts of timelines": lambda side, _: whole(side),
    "dicts": lambda side, _: side,
    "dataclasses that name their topic": lambda side, _: [
        TopicEntry(topic, name, date.fromisoformat(day), text)
        for topic, name, day, text in rows(side)
    ],
    "objects with entries": lambda side, _: objects(side),
    "lists of named tuples": lambda side, _: tuples(side),
    "our timelines": lambda side, _: ours(side),
}


def scored(golds: Any, predicted: Any) -> tuple[Any, ...]:
    """The digests, the cases and the scores of each topic."""
    result = evaluate(golds, predicted, protocol="news-tls", by=["topic", "gold"])
    (system,) = result.document.systems
    return system.signature, [row.case for row in system.rows], system.summaries


def named(texts: Mapping[str, Any]) -> Side:
    return {topic: {"ours": days} for topic, days in texts.items()}


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_result(container: str, tmp_path: Path) -> None:
    expected = scored(GOLDS, SWAPPED)
    assert {row.partition("/")[0] for row in expected[1]} == {"egypt", "quake"}
    assert len(expected[1]) == 3
    for summary in expected[2]:
        if summary.metric == "align+m:1":
            assert summary.scores["f1"] < 0.2
    make = CONTAINERS[container]
    golds = make(GOLDS, tmp_path / "gold")
    predicted = make(named(SWAPPED), tmp_path / "predicted")
    assert scored(golds, predicted) == expected


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_copy_of_the_golds_scores_one_in_every_container(container: str, tmp_path: Path) -> None:
    one, other = (CONTAINERS[container](GOLDS, tmp_path / name) for name in ("gold", "predicted"))
    assert {summary.scores["f1"] for summary in scored(one, other)[2]} == {1.0}


PREDICTED = Entries([Entry("2011-01-25", "Protests begin in Cairo."), Entry("2011-02-11", "Out.")])
SHAPES: Mapping[str, Any] = {
    "an object with entries": PREDICTED,
    "entries": PREDICTED.entries,
    "entries in a dict": {
        "entries": [{"date": e.date, "summary": e.summary} for e in PREDICTED.entries]
    },
    "a list of dicts": [{"date": e.date, "summary": e.summary} for e in PREDICTED.entries],
    "a dict": {e.date: [e.summary] for e in PREDICTED.entries},
    "pairs": [(e.date, [e.summary]) for e in PREDICTED.entries],
    "our timeline": Timeline.of(
        {date.fromisoformat(e.date): [e.summary] for e in PREDICTED.entries}
    ),
}
GOLD = {"desk": TEXTS["egypt"]}


class Pipeline:
    def __init__(self, made: Any) -> None:
        self.made = made

    def run(self, _: Any, /) -> Any:
        return self.made


@pytest.mark.parametrize("shape", SHAPES)
def test_every_call_takes_every_shape(shape: str) -> None:
    value = SHAPES[shape]
    expected = {e.date: [e.summary] for e in PREDICTED.entries}
    one = evaluate(TEXTS["egypt"], expected, protocol="sunset")
    f1 = {summary.metric: summary.scores["f1"] for summary in one.document.systems[0].summaries}
    assert f1["exact-date"] not in (None, 0, 1)
    assert evaluate(TEXTS["egypt"], value, protocol="sunset") == one
    for predicted in (value, {"predicted": value}):
        result = chronoscore.score("timelines", TEXTS["egypt"], predicted, protocol="sunset")
        assert result.document.systems == one.document.systems
    (many,) = score_many(GOLD, [value], protocol="sunset")
    assert {name: scores["f1"] for name, scores in many.items()} == pytest.approx(
        {
            "exact-date": f1["exact-date"],
            "exact-date(rouge=2)": f1["exact-date(rouge=2)"],
            "Date-F1": f1["date-f1"],
        }
    )
    dataset = {"egypt": {"gold_timelines": GOLD}}
    done = evaluate_all(Pipeline(value), dataset, protocol="sunset")
    assert not done.failures
    whole_score = next(s for s in done.result.document.systems[0].summaries if not s.group)
    assert whole_score.scores["f1"] == f1["exact-date"]
    old = sunset.evaluate_all(Pipeline(value), dataset)["AVERAGE"]
    assert (old.ar1, old.ar2, old.date_f1) == pytest.approx(tuple(f1.values()))
    assert sunset.evaluate_with_tilse(value, TEXTS["egypt"]) == sunset.evaluate_with_tilse(
        PREDICTED.entries, TEXTS["egypt"]
    )


@dataclass
class Unknown:
    things: list[str]


@pytest.mark.parametrize("value", [None, 3, "soon", Unknown(["x"]), [Unknown(["x"])], {"a": 3}])
def test_a_shape_that_is_not_understood_is_an_error_not_a_zero(value: Any) -> None:
    dataset = {"egypt": {"gold_timelines": GOLD}, "other": {"gold_timelines": GOLD}}
    calls: list[Callable[[], Any]] = [
        lambda: score_many(GOLD, [value]),
        lambda: evaluate_all(Pipeline(value), dataset),
        lambda: sunset.evaluate_all(Pipeline(value), dataset),
    ]
    if not isinstance(value, str):  # which would be a path
        calls.append(lambda: evaluate(GOLD, value))
    for call in calls:
        with pytest.raises(DataError, match=r"expected|not a date"):
            call()


def test_a_pipeline_that_fails_on_every_topic_is_an_error() -> None:
    class Broken:
        def run(self, _: Any, /) -> Any:
            raise RuntimeError("no articles")

    dataset = {name: {"gold_timelines": GOLD} for name in ("a", "b")}
    with pytest.raises(DataError, match="failed on every topic, first on 'a': RuntimeError: no ar"):
        evaluate_all(Broken(), dataset)


@pytest.mark.parametrize(
    ("field_name", "words"),
    [("topc", "did you mean 'topic'"), ("sumary", "did you mean 'summary'")],
)
def test_a_misspelt_field_of_a_list_is_refused(field_name: str, words: str, tmp_path: Path) -> None:
    meant = {"topc": "topic", "sumary": "summary"}[field_name]
    wrong = [
        {field_name if name == meant else name: value for name, value in record.items()}
        for record in records(named(TEXTS))
    ]
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps(wrong), encoding="utf-8")
    for predicted in (wrong, path):
        with pytest.raises(DataError, match=words):
            evaluate(GOLDS, predicted)


def test_an_unknown_field_of_a_list_is_named_once() -> None:
    more = [{**record, "source": "wire"} for record in records(named(TEXTS))]
    notices = evaluate(GOLDS, more).notices
    assert [n for n in notices if "source" in n] == ["predicted: unknown field 'source' is ignored"]


def test_a_record_without_a_topic_among_others_is_refused() -> None:
    some = records(named(TEXTS))
    del some[2]["topic"]
    with pytest.raises(DataError, match="record 3: there is no 'topic', and other records have"):
        evaluate(GOLDS, some)


def test_a_row_without_a_topic_among_others_is_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "predicted.csv"
    sheet.write_text("topic,date,summary\na,2011-01-25,x\n,2011-01-26,y\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"predicted\.csv:3: there is no 'topic', and other rows"):
        evaluate(GOLDS, sheet)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"timeline": {"2011-01-25": ["x"]}}, "'timeline' is .*; put the days .* under 'entries'"),
        ({"topic": 5, "summary": "x"}, "'topic' is 5, expected a name as text"),
    ],
)
def test_a_name_that_is_no_text_is_refused_by_its_field(fields: Any, words: str) -> None:
    records = [{"topic": "a", "date": "2011-01-25"} | fields]
    with pytest.raises(DataError, match=f"record 1: {words}"):
        evaluate(GOLDS, records)


def test_a_dataset_without_topics_is_refused() -> None:
    class Echo:
        def run(self, data: Any, /) -> Any:
            return data

    with pytest.raises(UsageError, match=r"the dataset is a list, expected {topic: data}"):
        evaluate_all(Echo(), [{"gold_timelines": GOLD}])  # type: ignore[arg-type]
