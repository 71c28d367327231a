"""The page of a calibration shows the numbers of its document, and texts as text."""

from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from reports.reading import ReadPage, check_page
from reports.test_html import NASTY
from rubric.judging import BEST, WORST, row, sheet

from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.reports.table import shown, signed
from chronoscore.rubric.calibration import (
    MOST_DIFFERING,
    Calibration,
    CalibrationPlan,
    both_sides,
    calibrate,
)
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.formats.reading import read_judgements
from chronoscore.rubric.pages.calibration import calibration_page

SHEETS = (home() / "judgements.csv", home() / "judge.csv")


def calibrated(*paths: Path, fewest: int = 20) -> Calibration:
    problems = Problems()
    judgements = read_judgements([source_of(path) for path in paths], event_quality(), problems)
    sides = both_sides(judgements, event_quality(), problems)
    return calibrate(sides, event_quality(), CalibrationPlan(fewest=fewest))


@cache
def demo() -> Calibration:
    return calibrated(*SHEETS)


@cache
def read() -> ReadPage:
    return check_page(calibration_page(demo()))


def test_people_the_judge_and_the_corrected_judge_stand_below_each_other() -> None:
    for criterion in ("date", "EQS"):
        _, *rows = read().tables[f"Mean of {criterion}"]
        expected = []
        for level in demo().levels:
            if level.criterion == criterion:
                events = str(level.events)
                expected += [
                    [level.system, "people", shown(level.people.value), str(level.labelled)],
                    [level.system, "model-j", shown(level.judge.value), events],
                    [level.system, "corrected, PPI++", shown(level.corrected.value), events],
                ]
                if level.rate is not None:
                    row = [level.system, "Rogan-Gladen", shown(level.rate.value), events]
                    expected.append(row)
        assert [[system, by, mean, events] for system, by, _, mean, _, events in rows] == expected


def test_what_is_not_corrected_is_undefined_with_the_reason() -> None:
    _, *rows = read().tables["Mean of EQS"]
    (lead,) = (row for row in rows if row[:2] == ["lead", "corrected, PPI++"])
    assert lead[2:4] == ["undefined", "undef."]
    assert "lead: 9 labelled events, fewer than 20" in read().text


def test_differences_and_bias_are_those_of_the_document() -> None:
    _, *rows = read().tables["Differences in EQS"]
    assert [[one, two, corrected, *both] for one, two, _, corrected, _, *both in rows] == [
        [d.one, d.two, *map(signed, (d.corrected.value, d.people, d.judge))]
        for d in demo().differences
        if d.criterion == "EQS"
    ]
    _, *rows = read().tables["Bias of model-j"]
    assert [(name, bias) for name, _, bias, *_ in rows] == [
        (errors.criterion, signed(errors.bias)) for errors in demo().errors
    ]


def test_confusions_count_every_event_that_both_judged() -> None:
    for errors in demo().errors:
        if errors.confusion:
            _, *rows = read().tables[errors.criterion]
            counts = [[float(cell.split()[0]) for cell in cells] for _, *cells in rows]
            assert counts == [[*cells.values()] for cells in errors.confusion.values()]
            assert sum(map(sum, counts)) == errors.events


def test_the_judge_with_each_person_stands_beside_people_among_themselves() -> None:
    _, *rows = read().tables["Agreement on date"]
    assert [row[1] for row in rows[:3]] == ["model-j and ana", "model-j and ben", "people"]
    shown_values = [(row[0], row[1], row[3]) for row in rows]
    for side in demo().beside:
        for one in side.agreement:
            if one.criterion == "date":
                assert (one.coefficient, side.who, shown(one.value)) in shown_values


def test_the_events_that_differ_most_come_first_with_their_text() -> None:
    differing = demo().differing
    assert len(differing) == MOST_DIFFERING
    assert [one.difference for one in differing] == sorted(
        (one.difference for one in differing), reverse=True
    )
    for one in differing:
        _, people, judge = read().tables[f"Values of {one.event} of {one.system}"]
        assert people == ["people", *(f"{value:.3g}" for value in one.people.values())]
        assert judge == ["model-j", *(f"{value:.3g}" for value in one.judge.values())]
        assert one.text
        assert one.text in read().text


def judged(folder: Path, people: tuple[int, ...]) -> Path:
    rows = [
        row("e1", "model", BEST, evaluator_kind="llm", system="s"),
        row("e1", "ana", people, evaluator_kind="person", system="s"),
        row("e2", "model", BEST, evaluator_kind="llm", system="s"),
    ]
    return sheet(folder / "sheet.csv", rows)


def test_a_difference_is_whole_where_both_are_at_opposite_ends(tmp_path: Path) -> None:
    (event,) = calibrated(judged(tmp_path, WORST)).differing
    assert (event.event, event.difference, event.text) == ("e1", 1.0, "")


def test_a_single_event_on_which_both_agree_makes_a_page(tmp_path: Path) -> None:
    document = calibrated(judged(tmp_path, BEST), fewest=0)
    assert document.differing == ()
    page = check_page(calibration_page(document))
    assert "Where they differ most" not in page.text
    assert [row[:2] for row in page.tables["Mean of EQS"][1:3]] == [["s", "people"], ["s", "model"]]
    assert "Systems against each other" not in page.text, "there is one system"


def test_names_and_texts_stay_text() -> None:
    document = demo()
    levels = tuple(replace(one, system=f"{NASTY}{one.system}") for one in document.levels)
    event = replace(document.differing[0], event=NASTY, system=NASTY, text=NASTY, article=NASTY)
    changed = replace(
        document,
        judge=NASTY,
        people=(NASTY,),
        levels=levels,
        differing=(event,),
        notices=(NASTY,),
    )
    page = check_page(calibration_page(changed))
    assert page.tables["Mean of EQS"][1][0].startswith(NASTY)


@pytest.mark.parametrize("words", [[], ["--shares"]])
def test_the_command_writes_the_page(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "new" / "page.html"
    line = ["calibrate", *map(str, SHEETS), *words, "--report", str(path)]
    done = CliRunner().invoke(command, line)
    assert done.exit_code == 0, done.output
    page = check_page(path.read_text(encoding="utf-8"))
    assert ("Mean of mean-share" in page.tables) is bool(words)
