"""What `validate` of a folder, and a verbose run, show of what was understood."""

from pathlib import Path

import pytest
from readers.command_line import FINE, USAGE, run

from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.time import Time
from chronoscore.timelines.description import describe

DAYS = {"2011-01-25": ["Protests begin."], "2011-02-11": ["He resigns .", "Crowds cheer ."]}
LINE = '[["2011-01-25T00:00:00", ["Protests begin."]], ["2011-02-11T00:00:00", ["He resigns."]]]\n'


def timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline.of({Time.parse(day): texts for day, texts in days.items()})


def questions(**golds: dict[str, list[str]]) -> list[str]:
    named = {name: timeline(days) for name, days in golds.items()}
    return [text for about, text in describe({"egypt": named}, {}) if about == "check"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for topic, golds in (("egypt", 2), ("libya", 1)):
        (tmp_path / "t17" / topic).mkdir(parents=True)
        (tmp_path / "t17" / topic / "timelines.jsonl").write_text(LINE * golds, encoding="utf-8")
        (tmp_path / "t17" / topic / "keywords.json").write_text('["crisis"]', encoding="utf-8")
    return tmp_path / "t17"


def test_a_folder_is_described_without_being_told_what_is_in_it(folder: Path) -> None:
    ran = run("validate", folder)
    assert ran.code == FINE
    assert "topics     2: egypt, libya\n" in ran.out
    assert "timelines  3, 1 to 2 a topic\n" in ran.out
    assert "dates      6, 2 a timeline, from 2011-01-25 to 2011-02-11\n" in ran.out
    assert "check      egypt/1: the same timeline as '2'\n" in ran.out


def test_a_verbose_run_shows_the_same_lines_before_it_scores(folder: Path) -> None:
    described = run("validate", folder).out.splitlines()[2:]
    ran = run("timelines", folder, f"copy={folder}", "--verbose")
    assert ran.code == FINE
    shown = ran.err.splitlines()
    assert shown[0] == f"gold: {folder}"
    assert all(line in shown for line in described)
    assert f"copy: {folder}" in shown


def test_what_the_first_line_has_is_not_repeated(tmp_path: Path) -> None:
    table = "d\te1\te2\tBEFORE\n"
    (tmp_path / "links.tsv").write_text(table, encoding="utf-8")
    assert run("validate", tmp_path).out == f"{tmp_path}: fine, 1 document, 1 link\n"
    ran = run("tlinks", tmp_path, tmp_path, "--verbose")
    assert ran.err.splitlines()[1] == "  contents   1 document, 1 link"


def test_a_file_is_described_if_asked_for(folder: Path) -> None:
    file = folder / "egypt" / "timelines.jsonl"
    assert "topics" not in run("validate", "--as", "timelines", file).out.split("\n", 1)[1]
    assert "topics " in run("validate", "--as", "timelines", file, "--verbose").out


def test_a_folder_without_data_is_a_wrong_call(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing\n", encoding="utf-8")
    ran = run("validate", tmp_path)
    assert ran.code == USAGE
    assert "--as" in ran.err


def test_equal_golds_are_reported_once() -> None:
    assert questions(a=DAYS, b=DAYS) == ["egypt/a: the same timeline as 'b'"]


def test_a_gold_that_repeats_another_is_reported() -> None:
    larger = {**DAYS, "2011-03-01": ["A vote is called."]}
    assert questions(a=DAYS, b=larger) == ["egypt/b: repeats 3 of 3 sentences of 'a'"]
    assert questions(a=DAYS, b={**larger, "2011-02-11": ["Other words."]}) == []


def test_dates_without_text_and_dates_far_away_are_reported() -> None:
    assert questions(a={**DAYS, "2011-03-01": []}) == ["egypt: 1 date without text"]
    far = questions(a={**DAYS, "2911-03-01": ["A slip of the pen."]})
    assert far == ["egypt: more than 20 years from the dates around: 2911-03-01"]


def test_up_to_fifty_golds_are_compared_with_each_other() -> None:
    some, many = ({f"g{n}": DAYS for n in range(number)} for number in (50, 51))
    assert len(questions(**some)) == 50 * 49 / 2
    assert questions(**many) == ["egypt: its 51 timelines were not compared with each other"]
