"""`chronoscore rubric` and `rubric dates`: what is said beside the score, and in which order."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chronoscore.cli.main import command
from chronoscore.demo import home
from chronoscore.errors import ChronoscoreError

SHEET = home() / "judgements.csv"
FIELDS = "Eval_DateCorrect,Eval_RootEvent,Eval_EventType,Eval_EventAmbiguity,Eval_Relevance"


def run(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


def told(done: Result) -> str:
    assert isinstance(done.exception, ChronoscoreError), done.output
    return str(done.exception)


def written(path: Path, header: str, *rows: str) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_frequent_comments_are_counted_below_the_scores(tmp_path: Path) -> None:
    sheet = written(
        tmp_path / "s.csv",
        f"event_id,evaluator,system,{FIELDS},Comment",
        "e1,a,one,1,1,1,3,3,wrong type; actor missing",
        "e2,a,two,1,1,1,3,3,wrong type",
    )
    text = run("rubric", sheet).stdout
    assert text.rstrip().splitlines()[-6:] == [
        "comment                one  two",
        "---------------------  ---  ---",
        "date wrongly inferred    0    0",
        "actor missing            1    0",
        "wrong root event         0    0",
        "wrong type               1    1",
    ]
    assert "actor missing" not in run("rubric", sheet, "--format", "csv").stdout
    assert json.loads(run("rubric", sheet, "--format", "json").stdout)


def test_comments_that_nobody_made_are_not_listed() -> None:
    assert "frequent comments" not in run("rubric", SHEET).stdout


def test_samples_of_a_judge_that_are_not_counted_are_told(tmp_path: Path) -> None:
    sheet = written(
        tmp_path / "s.csv",
        f"event_id,evaluator,evaluator_kind,round,{FIELDS}",
        *(f"e1,m,llm,{at},1,1,1,3,3" for at in (1, 2, 3)),
        *(f"e1,ana,person,{at},1,1,1,3,3" for at in (1, 2)),
    )
    said = run("rubric", sheet).stderr
    assert "2 judgements by judge models are not counted" in said
    assert "`chronoscore calibrate` takes their mean" in said
    assert "1 judgements of earlier rounds are not counted" in said


def test_people_and_models_that_are_counted_together_are_told() -> None:
    words = "people and judge models are averaged together: --by kind tells them apart"
    assert words in run("rubric", SHEET, home() / "judge.csv").stderr
    assert words not in run("rubric", SHEET).stderr
    assert words not in run("rubric", home() / "judge.csv").stderr


def test_an_unknown_case_is_told_before_anything_is_printed_or_saved(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    done = run("rubric", SHEET, "--explain", "nosuch", "--save", saved)
    assert "there is no case 'nosuch' to explain" in told(done)
    assert done.stdout == ""
    assert not saved.exists()
    run("rubric", SHEET, "--save", saved)
    again = run("show", saved, "--explain", "nosuch")
    assert "there is no case 'nosuch' to explain" in told(again)
    assert again.stdout == ""


def test_changes_without_matches_are_told_before_anything_is_printed(tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    run("rubric", SHEET, "--save", saved)
    saved.with_suffix(".matches.jsonl").unlink()
    done = run("compare", saved, "--changes")
    assert "there is no saved.matches.jsonl beside it" in told(done)
    assert done.stdout == ""


def test_all_expressions_are_understood_before_any_is_resolved() -> None:
    done = run("rubric", "dates", "yesterday", "blah", "blub", "--published", "2010-04-21")
    assert told(done).startswith("'blah' and 'blub' are not understood; ")
    assert done.stdout == ""


@pytest.mark.parametrize(("name", "code"), [("date", 0), ("fit", 2)])
def test_dates_are_checked_by_an_own_codebook(name: str, code: int, tmp_path: Path) -> None:
    scale = [{"value": 0, "label": "no"}, {"value": 1, "label": "yes"}]
    criterion = {"field": "Ok", "name": name, "weight": "1", "scale": "nominal"}
    book: dict[str, Any] = {"name": "b", "version": "1", "title": "B", "source": "us", "score": "Q"}
    book |= {"comment": "Note", "criteria": [{**criterion, "question": "?", "values": scale}]}
    path = tmp_path / "book.json"
    path.write_text(json.dumps(book), encoding="utf-8")
    sheet = written(tmp_path / "s.csv", "event_id,Ok", "quick-apollo-11-03,0")
    events = ["--events", home() / "quick.jsonl", "--articles", home() / "articles.jsonl"]
    done = run("rubric", "dates", sheet, *events, "--codebook", path, "--evaluator", "ana")
    if code:
        assert "no criterion 'date' for dates; there are: fit" in told(done)
    else:
        assert "judged wrong, but stated" in done.stdout
        assert "1 of 1 judgements contradict" in done.stdout


def test_only_judgements_that_were_checked_are_counted(tmp_path: Path) -> None:
    articles = ["--articles", home() / "articles.jsonl"]
    silent = tmp_path / "silent.jsonl"
    silent.write_text('{"id": "x", "topic": "t", "date": "2011-01-25", "text": "It rained."}\n')
    rows = ["quick-apollo-11-03,0,1,1,3,3", "x,0,1,1,3,3", "other,0,1,1,3,3"]
    sheet = written(tmp_path / "s.csv", f"event_id,{FIELDS}", *rows)
    files = ["--events", home() / "quick.jsonl", "--events", silent, *articles]
    done = run("rubric", "dates", sheet, *files, "--evaluator", "ana")
    assert done.exit_code == 0, done.output
    assert "1 of 1 judgements contradict" in done.stdout
    assert "1 more are left open:" in done.stdout
    assert "1  no date, or no place in a dated article" in done.stdout
    assert "1 judgements are of events that --events has not" in done.stderr


def test_events_that_nobody_judged_check_nothing() -> None:
    files = ["--events", home() / "gold.jsonl", "--articles", home() / "articles.jsonl"]
    done = run("rubric", "dates", SHEET, *files)
    assert "none of the judged events is in " in told(done)
    assert "gold.jsonl; there is no 'careful-apollo-11-01', say" in told(done)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("language", "decided"), [((), 0), (("--language", "en"), 1), (("--language", "de"), 0)]
)
def test_events_of_articles_in_another_language_are_counted(
    language: tuple[str, ...], decided: int, tmp_path: Path
) -> None:
    text = "Die Brücke fiel am Montag. Er kam yesterday."
    article = {"id": "a", "published": "2024-03-01", "text": text, "language": "de-CH"}
    articles, events = tmp_path / "articles.jsonl", tmp_path / "events.jsonl"
    articles.write_text(json.dumps(article), encoding="utf-8")
    start = text.index("Er kam")
    event = {"id": "e", "topic": "t", "date": "2024-02-29", "article": "a", "text": "Er kam"}
    events.write_text(json.dumps({**event, "span": [start, start + 6]}), encoding="utf-8")
    sheet = written(tmp_path / "s.csv", f"event_id,{FIELDS}", "e,0,1,1,3,3")
    files = ["--events", events, "--articles", articles]
    done = run("rubric", "dates", sheet, *files, "--evaluator", "ana", *language)
    assert done.exit_code == 0, done.output
    assert f"of {decided} judgements contradict" in done.stdout
    unread = (
        "     1  the article is not in English\n"
        "1 events are in articles that are not in English, where dates in words are not resolved\n"
    )
    assert done.stdout.endswith(unread) == (not decided)


@pytest.mark.parametrize("words", [("der letzte Montag",), ("yesterday", "--language", "de")])
def test_an_expression_of_another_language_is_refused_by_name(words: tuple[str, ...]) -> None:
    message = told(run("rubric", "dates", *words, "--published", "2010-04-21"))
    assert message == (
        f"'{words[0]}' is not understood; expected one English expression of a date, such as "
        "'last Monday'"
    )


def test_a_language_is_a_code() -> None:
    words = ["dates", "yesterday", "--published", "2010-04-21", "--language", "English"]
    assert told(run("rubric", *words)).startswith("language is 'English', expected a code")


def test_a_saved_evaluation_is_shown_again(tmp_path: Path) -> None:
    files = [home() / "gold.jsonl", home() / "quick.jsonl"]
    saved = tmp_path / "all.json"
    first = run("evaluate", *files, "--judgements", SHEET, "--by-event", "--save", saved)
    assert first.exit_code == 0, first.output
    assert run("show", saved, "--by-event").stdout == first.stdout
    plain = run("evaluate", *files, "--judgements", SHEET)
    assert run("show", saved).stdout == plain.stdout
    assert "as in lenient precision" in first.stdout
    head = first.stdout.split("what each event earned")[1].splitlines()[1]
    assert "judged" in head  # by people or by models
    assert "people" not in head
    assert run("show", saved, "--format", "json").stdout == saved.read_text(encoding="utf-8")
    assert "several results" in told(run("show", saved, "--explain", "all"))
    assert "but a chronoscore-evaluation" in told(run("compare", saved))


def test_csv_of_an_evaluation_is_one_table(tmp_path: Path) -> None:
    words = ["evaluate", home() / "gold.jsonl", home() / "quick.jsonl", "--judgements", SHEET]
    saved = tmp_path / "all.json"
    run(*words, "--save", saved)
    for more, first in (([], "question"), (["--by-event"], "system")):
        shown = run(*words, *more, "--format", "csv").stdout
        assert run("show", saved, *more, "--format", "csv").stdout == shown
        header, *rows = csv.reader(shown.splitlines())
        assert header[0] == first
        assert {len(row) for row in rows} == {len(header)}
        assert not any(cell in ("-", "'-") for row in rows for cell in row)


@pytest.mark.parametrize("option", ["--save", "--report"])
def test_what_can_not_be_written_is_named(option: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    target = tmp_path / "file" / "inside"
    done = run("evaluate", home() / "gold.jsonl", home() / "quick.jsonl", option, target)
    assert f"{target}: can't be written" in told(done)


def test_judgements_of_other_events_are_one_problem_with_a_count_and_three_examples() -> None:
    error = told(run("rubric", SHEET, "--events", home() / "lead.jsonl"))
    assert error == (
        f"{SHEET}:2: 52 events are not among the events to be judged: 'careful-apollo-11-01', "
        "'careful-apollo-11-02', 'careful-apollo-11-03' and 49 more (104 judgements, this is the "
        "first); do the files of events and of judgements belong together?"
    )
    both = told(run("rubric", SHEET, home() / "judge.csv", "--events", home() / "lead.jsonl"))
    assert len(both.splitlines()) == 2
