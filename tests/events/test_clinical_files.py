"""Files of ChemoTimelines and of textual time series, read as events."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from chronoscore.api import score
from chronoscore.cli.main import command
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.reading import read_timelines
from chronoscore.errors import DataError

KEPT = {"events": "keep", "dates": "interval"}


def read(path: Path, problems: Problems, **options: str) -> dict[str, Timeline]:
    """The only timeline of each topic."""
    collection = read_timelines(source_of(path), problems, {**KEPT, **options}, "predicted")
    return {topic: timeline for topic, named in collection.items() for timeline in named.values()}


def tuples(folder: Path, value: object) -> Path:
    path = folder / "told.json"
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def sheet(folder: Path, text: str, name: str = "told.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def lenient() -> Problems:
    return Problems(ReadingOptions(lenient=True))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)])


# Tuples


def test_a_tuple_is_an_event_with_its_relation_as_label(tmp_path: Path) -> None:
    told = {"p1": [["cisplatin ", "begins-on", "2013-04-11"], ["chemo", "contains-1", "2013"]]}
    problems = Problems()
    (timeline,) = read(tuples(tmp_path, told), problems).values()
    assert not problems.problems
    assert [(e.text, e.labels, str(e.time)) for e in timeline.events] == [
        ("cisplatin", ("begins-on",), "2013-04-11"),
        ("chemo", ("contains-1",), "2013"),
    ]


@pytest.mark.parametrize(
    ("written", "day"),
    [("2013-w05", "2013-W05"), ("2013-W05-3", "2013-01-30"), ("2013-04-11t06:47", "2013-04-11")],
)
def test_weeks_and_times_of_day_may_be_in_lower_case(
    written: str, day: str, tmp_path: Path
) -> None:
    problems = Problems()
    told = read(tuples(tmp_path, {"p1": [["a", "contains-1", written]]}), problems)
    assert not problems.problems
    assert str(told["p1"].events[0].time) == day


def test_a_patient_with_an_empty_list_is_a_case_without_events(tmp_path: Path) -> None:
    told = read(tuples(tmp_path, {"p1": [], "p2": [["a", "contains-1", "2013"]]}), Problems())
    assert {patient: len(timeline.events) for patient, timeline in told.items()} == {
        "p1": 0,
        "p2": 1,
    }


def test_nothing_predicted_for_anyone_scores_zero(tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text('{"p1": [["a", "contains-1", "2013"]], "p2": []}', encoding="utf-8")
    result = score("events", gold, tuples(tmp_path, {"p1": [], "p2": []}), protocol=PROTOCOL)
    assert (result["chemo-2024-A"], result["chemo-2024-B"]) == (0.5, 0.0)
    assert any("all its timelines are empty" in notice for notice in result.notices)


PROTOCOL = "chemotimelines-2024"


def test_a_time_that_can_not_be_read_stays_as_none_in_lenient_reading(tmp_path: Path) -> None:
    path = tuples(tmp_path, {"p1": [["a", "contains-1", "whenever"]]})
    strict, generous = Problems(), lenient()
    read(path, strict)
    (problem,) = strict.problems
    assert str(problem) == (
        f"{path}:6: patient 'p1': 'whenever' is not a date, expected YYYY-MM-DD, YYYY-MM or YYYY "
        "(--lenient keeps the event without a date)"
    )
    (event,) = read(path, generous)["p1"].events
    assert (event.text, event.time, event.labels) == ("a", None, ("contains-1",))
    assert not generous.problems
    assert "1 date left out as unreadable, first 'whenever'" in str(generous.notices[0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["a", "contains-1"], "expected [drug, relation, time], three texts; got"),
        (["a", "contains-1", 2013], "expected [drug, relation, time], three texts; got"),
        ([" ", "contains-1", "2013"], 'the drug is " ", expected a name'),
        ("none", "expected a list of [drug, relation, time]; got"),
    ],
)
def test_what_is_no_tuple_names_the_patient(wrong: object, message: str, tmp_path: Path) -> None:
    right = ["a", "contains-1", "2013"]
    told = {"p1": [right], "p2": wrong if isinstance(wrong, str) else [right, wrong]}
    problems = lenient()
    read(tuples(tmp_path, told), problems)
    (problem,) = problems.problems
    assert f"patient 'p2': {message}" in str(problem)


def test_timelines_do_not_read_tuples(tmp_path: Path) -> None:
    path = tuples(tmp_path, {"p1": [["a", "contains-1", "2013-04-11"]]})
    problems = Problems()
    read_timelines(source_of(path), problems)
    assert "expected a date and its list of sentences" in str(problems.problems[0])


@pytest.mark.parametrize(("year", "f1"), [("2024", "1.000"), ("2025", "0.000")])
def test_the_protocols_differ_in_dates_and_relations(year: str, f1: str, tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text('{"p1": [["A", "begins-on", "2013-04-11"]]}', encoding="utf-8")
    told = tuples(tmp_path, {"p1": [["a", "contains-1", "2013-04-30"]] * 2})
    done = run("events", gold, told, "--protocol", f"chemotimelines-{year}")
    assert done.exit_code == 0
    row = next(line for line in done.stdout.splitlines() if line.startswith("told"))
    assert row.split()[1:] == [f1] * 6
    assert "1 event left out: another has the same text, date and labels" in done.stderr


def test_a_week_is_no_day_of_it(tmp_path: Path) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text('{"p1": [["a", "contains-1", "2013-01-29"]]}', encoding="utf-8")
    told = tuples(tmp_path, {"p1": [["a", "contains-1", "2013-W05"]]})
    years = {
        year: score("events", gold, told, protocol=f"chemotimelines-{year}")[f"chemo-{year}-B"]
        for year in ("2024", "2025")
    }
    assert years == {"2024": 1, "2025": 0}


# Sheets


@pytest.mark.parametrize(
    ("text", "header", "events"),
    [
        ("event,time\nfever,-24\n", "auto", ["fever"]),
        ("Time,Event\n-24,fever\n", "auto", ["fever"]),
        ("fever,-24\n", "auto", ["fever"]),
        ("time,-24\nfever,5\n", "auto", ["time", "fever"]),
        ('"fever; rash; cough",-24\n', "auto", ["fever; rash; cough"]),
        ("event,-24\nfever,5\n", "no", ["event", "fever"]),
    ],
)
def test_only_a_row_that_names_its_columns_is_a_header(
    text: str, header: str, events: list[str], tmp_path: Path
) -> None:
    problems = Problems()
    told = read(sheet(tmp_path, text), problems, time_unit="hour", header=header)
    assert not problems.problems
    assert [text for _, texts in told["told"].days for text in texts] == events


@pytest.mark.parametrize(
    ("text", "header", "message"),
    [
        (
            "finding,when\nfever,-24\n",
            "auto",
            ":1: the first row (finding, when) names no known columns, and 'when' is no time: "
            "--column text=NAME and --column date=NAME say what the columns of a header are, "
            "--header no reads an event",
        ),
        ("fever,-24\n", "yes", ": there is no column 'date'"),
        ("event,time\nfever,-24\n", "no", ":1: 'time' is not a number of h"),
        ("fever\n", "auto", ":1: the row has 1 cell, expected an event and its time"),
        ("fever,-24\nrash,5,6\n", "auto", ":2: the row has 3 cells, the first row 2"),
        ("event,time\nfever,soon\n", "auto", ":2: 'soon' is not a number of h (--lenient keeps"),
    ],
)
def test_a_sheet_that_can_not_be_read_names_file_and_line(
    text: str, header: str, message: str, tmp_path: Path
) -> None:
    problems, path = Problems(), sheet(tmp_path, text)
    read(path, problems, time_unit="hour", header=header)
    assert str(problems.problems[0]).startswith(f"{path}{message}")


def test_an_event_whose_time_can_not_be_read_stays_in_lenient_reading(tmp_path: Path) -> None:
    problems = lenient()
    path = sheet(tmp_path, "event,time\nfever,soon\nrash,5\n")
    told = read(path, problems, time_unit="hour", header="auto")["told"]
    assert (told.undated, [texts for _, texts in told.days]) == (("fever",), [("rash",)])
    assert "1 date left out as unreadable, first 'soon'" in str(problems.notices[0])


def test_columns_after_the_second_are_named_as_not_read(tmp_path: Path) -> None:
    problems = Problems()
    told = read(sheet(tmp_path, "fever,5,x\n"), problems, time_unit="hour", header="auto")["told"]
    assert [texts for _, texts in told.days] == [("fever",)]
    assert "columns after the second are not read" in str(problems.notices[0])


@pytest.mark.parametrize("protocol", ["timeseries", "t2s2"])
def test_folders_of_time_series_are_scored(protocol: str, tmp_path: Path) -> None:
    if protocol == "t2s2":
        pytest.importorskip("wordllama", reason="needs chronoscore[semantic]")
    for folder in ("gold", "told"):
        (tmp_path / folder).mkdir()
        sheet(tmp_path / folder, "event,time\nfever,-24\nrash,5\n", "a.csv")
        sheet(tmp_path / folder, "cough,0\nshock,48\n", "b.csv")
    paths = tmp_path / "gold", tmp_path / "told"
    done = run("events", *paths, "--protocol", protocol, "--time-unit", "hour")
    assert done.exit_code == 0
    assert "2 golds, 2 topics" in done.stdout
    without = run("events", *paths, "--protocol", protocol, "--time-unit", "hour", "--header", "no")
    assert isinstance(without.exception, DataError)
    assert "a.csv:1: 'time' is not a number" in str(without.exception)
