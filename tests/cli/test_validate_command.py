"""`chronoscore validate` knows files of judgements and articles by themselves."""

import json
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run

from chronoscore.cli.files import DOCUMENTS, ORDERS
from chronoscore.demo import home
from chronoscore.elements.dated.writing import FORMATS

SHEET = home() / "judgements.csv"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["new.xlsx", "new.jsonl", "new.csv", "new.tsv", "new"])
def test_judgements_are_known_in_every_format_that_is_written(name: str) -> None:
    form = [] if "." in name else ["--to", "label-studio"]
    assert run("rubric", "convert", SHEET, "-o", name, *form).code == FINE
    path = Path(name) if form == [] else Path(name, "tasks.json")
    ran = run("validate", path)
    assert ran.code == FINE, ran.err
    assert ran.out == f"{path}: fine, 122 judgements of 61 events by 2 evaluators\n"


def test_a_list_of_records_holds_judgements() -> None:
    run("rubric", "convert", SHEET, "-o", "new.jsonl")
    records = [json.loads(line) for line in Path("new.jsonl").read_text().splitlines()]
    Path("list.json").write_text(json.dumps(records))
    assert "fine, 122 judgements" in run("validate", "list.json").out


@pytest.mark.parametrize("value", ['{"2011-01-25": ["It began."]}', "[]", "{}", "[1]", "nothing"])
def test_other_json_is_no_judgement(value: str) -> None:
    Path("t.json").write_text(value)
    assert "judgement" not in run("validate", "t.json").out


def own_codebook() -> Path:
    scale = [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]
    criterion = {"field": "Ok", "name": "ok", "weight": "1", "scale": "nominal"}
    book: dict[str, Any] = {"name": "b", "version": "1", "title": "B", "source": "us", "score": "Q"}
    book |= {"comment": "Note", "criteria": [{**criterion, "question": "?", "values": scale}]}
    Path("book.json").write_text(json.dumps(book), encoding="utf-8")
    return Path("book.json")


def test_judgements_are_checked_by_an_own_codebook() -> None:
    Path("s.csv").write_text("event_id,evaluator,Ok\ne1,ana,1\n")
    assert run("validate", "s.csv").code == BAD_DATA
    ran = run("validate", "s.csv", "--codebook", own_codebook())
    assert (ran.code, ran.out) == (FINE, "s.csv: fine, 1 judgement of 1 event by 1 evaluator\n")


def test_a_codebook_for_no_judgements_is_refused() -> None:
    ran = run("validate", home() / "gold.jsonl", "--codebook", own_codebook())
    assert ran.code == USAGE
    assert "--codebook is for judgements" in ran.err


def test_articles_are_known() -> None:
    ran = run("validate", home() / "articles.jsonl")
    assert ran.code == FINE
    assert ran.out.endswith("fine, 17 articles of 7 topics (17 with their day)\n")
    assert not ran.notices


def test_a_wrong_article_is_told() -> None:
    Path("a.jsonl").write_text('{"id": "a", "published": "2011-13-01", "text": "x"}\n')
    ran = run("validate", "a.jsonl")
    assert ran.code == BAD_DATA
    assert ran.problems[0].startswith("a.jsonl:1: published: ")


WHOLE = {
    **{"events": "all.jsonl", "summaries": "all.jsonl", "days": "all.jsonl"},
    **{"csv": "all.csv", "tsv": "all.tsv", "documents": "all.jsonl"},
}


TOLD = {
    **dict.fromkeys(FORMATS, " timeline"),
    "events": " events of ",
    "semeval": " row",
    "timeml": " link",
    **dict.fromkeys(DOCUMENTS, " annotation"),
}


# brat needs texts, which the demo's documents have elsewhere.
@pytest.mark.parametrize("form", [f for f in (*FORMATS, *ORDERS, *DOCUMENTS) if f != "brat"])
def test_what_is_converted_is_known_and_fine(form: str) -> None:
    target = Path(WHOLE.get(form, "new"))
    assert run("convert", home() / "careful.jsonl", target, "--to", form).code == FINE
    files = [file for file in sorted(target.rglob("*")) if file.is_file()] or [target]
    ran = run("validate", *files)
    assert ran.code == FINE, ran.err
    assert all(TOLD[form] in line for line in ran.out.splitlines())
    assert len(ran.out.splitlines()) == len(files)


def test_blank_lines_before_the_first_do_not_hide_what_a_file_is() -> None:
    line = '{"topic": "t", "days": {"2011-01-01": ["It began."]}}\n'
    Path("t.jsonl").write_text("\n\n\n\n" + line)
    assert run("validate", "t.jsonl").out == "t.jsonl: fine, 1 topic, 1 timeline, 1 day\n"


@pytest.mark.parametrize(
    ("date", "options", "counted"),
    [
        ("72", ["--time-unit", "hour"], "1 offset"),
        ("1914/1918", ["--dates", "interval"], "1 day"),
        ("25/01/2011", ["--date-order", "dmy"], "1 day"),
        ("2011-01-25T13:45", [], "1 time"),
    ],
)
def test_dates_are_checked_by_the_rules_that_messages_name(
    date: str, options: list[str], counted: str
) -> None:
    Path("a.jsonl").write_text(json.dumps({"topic": "a", "date": date, "summary": "It began."}))
    ran = run("validate", "a.jsonl", *options)
    assert ran.out == f"a.jsonl: fine, 1 topic, 1 timeline, {counted}\n", ran.err
    if options:
        ran = run("validate", "a.jsonl")
        assert ran.code == BAD_DATA
        assert options[0] in ran.err
    event = {"id": "1", "topic": "a", "date": date, "text": "It began."}
    Path("events.jsonl").write_text(json.dumps(event))
    assert run("validate", "events.jsonl", *options).code == FINE


def test_rules_of_dates_are_refused_for_files_without_dates() -> None:
    ran = run("validate", SHEET, "--time-unit", "hour")
    assert ran.code == USAGE
    assert "--time-unit: for events and timelines" in ran.err


def test_a_folder_of_several_kinds_says_which_files_are_what_and_what_to_type() -> None:
    assert run("demo", "--data", "demo").code == FINE
    ran = run("validate", "demo")
    assert (ran.code, ran.out) == (BAD_DATA, "")
    assert ran.err.splitlines() == [
        "error: demo: the folder is not one data set: its files are of several kinds",
        "  articles: articles.jsonl",
        "  events: careful.jsonl, gold.jsonl, lead.jsonl, quick.jsonl",
        "  judgements: judge.csv, judgements.csv",
        "  annotations: linked.jsonl, places.jsonl",
        "  to check each file on its own: chronoscore validate demo/*.jsonl demo/*.csv",
    ]
    files = [*Path("demo").glob("*.jsonl"), *Path("demo").glob("*.csv")]
    assert run("validate", *files).code == FINE


def test_a_folder_of_several_systems_says_how_to_check_each() -> None:
    folder = Path("our teams")
    folder.mkdir()
    for name in ("careful.jsonl", "quick.jsonl"):
        (folder / name).write_bytes((home() / name).read_bytes())
    ran = run("validate", folder)
    assert ran.code == BAD_DATA
    assert "each of its 2 files is fine, but they do not go together" in ran.err
    assert "the first problem: our teams/quick.jsonl: 'apollo-11' is there twice" in ran.err
    assert "on its own: chronoscore validate 'our teams'/*.jsonl\n" in ran.err


@pytest.mark.parametrize(("count", "is_checked"), [(100, True), (101, False)])
def test_a_folder_of_very_many_files_is_not_checked_file_by_file(
    count: int, is_checked: bool
) -> None:
    folder = Path("many")
    folder.mkdir()
    event = {"id": "e", "topic": "flood", "date": "2011-01-25", "text": "The river rises."}
    for number in range(count):
        (folder / f"{number}.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")
    ran = run("validate", folder)
    assert ran.code == BAD_DATA
    assert (f"each of its {count} files is fine" in ran.err) == is_checked


def test_a_broken_file_in_a_folder_is_still_named_with_its_line() -> None:
    run("demo", "--data", "demo")
    with Path("demo/lead.jsonl").open("a", encoding="utf-8") as file:
        file.write("{\n")
    ran = run("validate", "demo")
    assert "its files are of several kinds" in ran.err
    assert "demo/lead.jsonl:16: the JSON ends too early" in ran.err
    Path("teams").mkdir()
    for name in ("lead.jsonl", "quick.jsonl"):
        Path("demo", name).rename(Path("teams", name))
    ran = run("validate", "teams")
    assert "teams/lead.jsonl:16: the JSON ends too early" in ran.err
    assert "not one data set" not in ran.err
