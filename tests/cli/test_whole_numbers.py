"""CSV and JSON are for programs: a number a cell, in full, never words around rounded ones."""

import csv
import io
import json

from readers.command_line import run

from chronoscore.demo import home
from chronoscore.reports.rendering import tables_json
from chronoscore.reports.table import Column, Several, Table, spread

GOLD, QUICK = home() / "gold.jsonl", home() / "quick.jsonl"


def rows(*words: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").out)))


def test_bounds_of_intervals_are_numbers_in_csv() -> None:
    words = ("timelines", GOLD, QUICK, "-m", "AR-1", "--interval", "auto")
    (row,) = rows(*words)
    document = json.loads(run(*words, "--format", "json").out)
    sure = document["systems"][0]["summaries"][0]["intervals"]["f1"]
    assert float(row["AR-1 interval low"]) == sure["low"]
    assert float(row["AR-1 interval high"]) == sure["high"]
    assert float(row["AR-1 interval n_eff"]) == sure["n_eff"]
    assert "AR-1 interval" not in row


def test_latex_keeps_what_intervals_rest_on_as_a_comment() -> None:
    words = ("timelines", GOLD, QUICK, "-m", "AR-1", "--interval", "auto")
    source = run(*words, "--format", "latex").out
    intervals = "95% intervals of the main score: jackknife-t over 7 topics (n_eff 6.2)"
    assert f"% {intervals}" in source.splitlines()


def test_people_still_read_one_interval() -> None:
    said = run("timelines", GOLD, QUICK, "-m", "AR-1", "--interval", "auto").out
    assert " ±.065 " in said
    assert "low" not in said


def test_agreement_of_annotators_has_numbers_in_json() -> None:
    (table,) = json.loads(run("annotators", GOLD, QUICK, "--format", "json").out)
    row = dict(zip(table["columns"], table["rows"][0], strict=True))
    assert row["strict interval low"] < row["strict F1"] < row["strict interval high"]


def test_a_dash_among_numbers_is_null_in_json_and_a_dash_among_words_stays() -> None:
    table = Table("t", (Column("type"), Column("n")), (("-", 1), ("all", "-")))
    assert json.loads(tables_json([table]))[0]["rows"] == [["-", 1], ["all", None]]


def test_agreement_of_a_rubric_says_what_its_intervals_rest_on() -> None:
    shown = run("rubric", home() / "judgements.csv", "--full").out
    assert "95% intervals: jackknife-t over 9 articles (n_eff " in shown


def test_what_an_event_earned_is_two_numbers_in_csv() -> None:
    for row in rows("evaluate", GOLD, QUICK, "--by-event", "--only", "timelines"):
        assert 0 <= float(row["timelines AR-1"]) <= float(row["timelines AR-1 possible"])


def test_a_cell_without_its_numbers_is_empty() -> None:
    sure = Several("0.1 to 0.2", (("low", 0.1), ("high", 0.2)))
    more = Several("0 to 1 (covers 80%)", (("low", 0.0), ("high", 1.0), ("coverage", 0.8)))
    table = Table("t", (Column("interval", "A"), Column("n")), ((sure, 1), ("-", 2), (more, 3)))
    made = spread(table)
    assert [column.full for column in made.columns] == [
        *("A interval low", "A interval high", "A interval coverage", "n")
    ]
    assert made.rows == ((0.1, 0.2, None, 1), (None, None, None, 2), (0.0, 1.0, 0.8, 3))
    assert json.loads(tables_json([table]))[0]["rows"] == [list(row) for row in made.rows]
