"""The ChemoTimelines scorer: its answers on every day, its print-out, and its command."""

import json
import random
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from every import each
from fuzz.mutations import mutate
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.compat.chemotimelines import (
    TODAY,
    ChemoScores,
    Mode,
    check,
    evaluate,
    over_the_year,
    read_timex,
)
from chronoscore.compat.chemotimelines.__main__ import main
from chronoscore.compat.chemotimelines.faults import FAULTS, comparison, numbers
from chronoscore.errors import DataError, UsageError

Vector = dict[str, Any]
GROUPS = ("quirks", "days", "weeks", "duplicates", "mixed", "large")
VECTORS: dict[str, Vector] = {
    vector["name"]: vector for group in GROUPS for vector in free(f"clinical/chemo_{group}.json")
}
DAYS = ("2024-03-15", "2024-03-05", "2024-03-25", "2024-07-15", "2024-01-31")
REASONS = {
    "division by zero": "the original divides by zero",
    "unconverted data remains": "is a day of a week",
    "Unknown string format": "is not a date that is read",
    "String does not contain a date": "'' is not a date that is read",
    "day is out of range for month": "'2013-02-30' is not in the calendar",
    "not enough values to unpack": "expected [drug, relation, timex], three texts",
    "Malformated or some patients are missing": "ids, ",
    "The given patient ID: 'p2' does not exist": "'p2' is among the gold ids, but not in the gold",
}
"""What the original says when it ends, and what we say."""
MODES: tuple[Mode, ...] = ("strict", "day", "month", "year")
ONE = {"p1": [["taxol", "contains-1", "2013-04-11"]]}


def answers(vector: Vector) -> Iterator[tuple[date, Mode, dict[str, Any]]]:
    """The answers of the original by day and mode."""
    for day in DAYS:
        others = vector.get("other_days", {}).get(day, {})
        for mode, answer in {**vector["answers"], **others}.items():
            yield date.fromisoformat(day), mode, answer


def run(vector: Vector, mode: Mode, day: date) -> ChemoScores:
    return evaluate(
        *(vector["gold"], vector["predicted"], mode),
        today=day,
        all_ids=vector["all_ids"],
        gold_ids=vector.get("gold_ids"),
    )


@each("name", VECTORS)
def test_every_answer_is_that_of_the_original_on_every_day(name: str) -> None:
    for day, mode, answer in answers(VECTORS[name]):
        if "error" in answer:
            with pytest.raises(DataError) as error:
                run(VECTORS[name], mode, day)
            (reason,) = (ours for key, ours in REASONS.items() if key in answer["message"])
            assert reason in str(error.value)
            continue
        scores = run(VECTORS[name], mode, day)
        assert list(scores.patients) == list(answer["patients"]), "in the same order"
        assert {key: list(row) for key, row in scores.patients.items()} == answer["patients"]
        assert list(scores.micro) == answer["micro"]
        assert list(scores.type_a) == answer["type_a"]
        assert list(scores.type_b) == answer["type_b"]
        for official in answer.keys() & {"official_2024", "official_2025"}:
            assert scores.official == answer[official]


def test_there_are_answers_of_every_kind() -> None:
    kinds = [
        ("error" in answer, mode)
        for vector in VECTORS.values()
        for _, mode, answer in answers(vector)
    ]
    assert len(kinds) == 4480
    assert set(kinds) == {(ends, mode) for ends in (False, True) for mode in MODES}


def files(folder: Path, vector: Vector) -> list[str]:
    """Write a vector's files and return the options that name them."""
    options = []
    for option, key in (("gold_path", "gold"), ("pred_path", "predicted")):
        (folder / f"{key}.json").write_text(json.dumps(vector[key]), encoding="utf-8")
        options += [f"--{option}", str(folder / f"{key}.json")]
    for option, key in (("all_id_path", "all_ids"), ("gold_id_path", "gold_ids")):
        if key in vector:
            lines = "".join(f"{name}\n" for name in vector[key])
            (folder / key).write_text(lines, encoding="utf-8")
            options += [f"--{option}", str(folder / key)]
    return options


def mode_options(mode: str) -> list[str]:
    return ["--strict"] if mode == "strict" else ["--relaxed_to", mode]


PRINTED = [
    name
    for at, (name, vector) in enumerate(VECTORS.items())
    if any("printed" in answer for answer in vector["answers"].values()) or at % 20 == 0
]


@each("name", PRINTED)
def test_the_command_prints_what_the_original_prints(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The vectors whose print-out is known byte for byte, and each twentieth; no large one."""
    check_command(VECTORS[name], tmp_path, capsys)


@pytest.mark.campaign
@each("name", [name for name in VECTORS if name not in PRINTED])
def test_the_command_prints_what_the_original_prints_of_all_others(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_command(VECTORS[name], tmp_path, capsys)


def check_command(vector: Vector, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = files(tmp_path, vector)
    for mode, answer in vector["answers"].items():
        code = main([*options, *mode_options(mode), "--today", vector["clock"]])
        out, err = capsys.readouterr()
        if "error" in answer:
            assert (code, out) == (3, "")
            assert err.startswith("error: ")
        else:
            assert code == 0
            assert out == answer.get("printed", out)
            assert f"Micro recall: {answer['micro'][1]}\n" in out
            assert f"[Type B] Macro f1:  {answer['type_b'][2]}\n" in out
            official = answer.get("official_2024")
            assert (f"Official Score:  {official}\n" in out) == (mode == "month")


def test_some_print_outs_are_compared_byte_for_byte() -> None:
    printed = [
        mode
        for vector in VECTORS.values()
        for mode, answer in vector["answers"].items()
        if "printed" in answer
    ]
    assert {mode: printed.count(mode) for mode in MODES} == dict.fromkeys(MODES, 10)
    assert {name.partition("-")[0] for name in PRINTED} >= {"days", "weeks", "duplicates", "mixed"}
    some = [answer for name in PRINTED for answer in VECTORS[name]["answers"].values()]
    assert {"error" in answer for answer in some} == {True, False}


def test_weeks_are_those_of_strptime() -> None:
    for year in (1001, *range(1990, 2030), 9998):
        for week in range(54):
            monday = datetime.strptime(f"{year}-W{week:02}-1", "%Y-W%W-%w")  # noqa: DTZ007
            expected = (monday.year, monday.month, monday.day, 0)
            assert read_timex(f"{year}-W{week:02}").on(TODAY) == expected
            assert read_timex(f"{year}-w{week}").on(TODAY) == expected


@pytest.mark.parametrize(
    ("timex", "today", "moment"),
    [
        ("2013", "2024-02-29", (2013, 2, 28, 0)),
        ("2012", "2024-02-29", (2012, 2, 29, 0)),
        ("2013-4", "2024-01-31", (2013, 4, 30, 0)),
        ("2013-04-9", "2024-01-31", (2013, 4, 9, 0)),
        ("2013-04-09t06:47", "2024-01-31", (2013, 4, 9, 24_420)),
        ("2013-04-09T23:59:59", "2024-01-31", (2013, 4, 9, 86_399)),
        ("1000", "2024-01-31", (1000, 1, 31, 0)),
    ],
)
def test_what_a_timex_leaves_out_comes_from_today(
    timex: str, today: str, moment: tuple[int, ...]
) -> None:
    assert read_timex(timex).on(date.fromisoformat(today)) == moment


@pytest.mark.parametrize(
    ("timex", "reason"),
    [
        ("2013-W05-3", "is a day of a week"),
        ("2013-W54", "is not a date that is read, expected YYYY-MM-DD"),
        ("2013-02-29", "is not in the calendar"),
        ("2013-00", "is not in the calendar"),
        ("2013-01-00", "is not in the calendar"),
        ("0000", "is not in the calendar"),
        ("9999-W53", "is not in the calendar"),
        ("2013-04-11t24:00", "is not in the calendar"),
        ("0999-12", "is before the year 1000"),
        ("1000-W00", "is before the year 1000"),
        ("2013-04t06:47", "is not a date"),
        ("2013-04-11T06:47Z", "is not a date"),
        ("April 2013", "is not a date"),
        ("٢٠١٣", "is not a date"),
        ("2013-04-11\n", "is not a date"),
    ],
)
def test_other_dates_are_refused_with_the_reason(timex: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        read_timex(timex)


def test_a_time_of_day_is_part_of_the_end_of_a_range() -> None:
    gold = {"p1": [("a", "begins-on", "2013-04-01"), ("a", "ends-on", "2013-04-11"), *ONE["p1"]]}
    for clock, right in (("t00:00", 2), ("t00:01", 1)):
        said = {"p1": [("a", "contains-2", f"2013-04-11{clock}"), *ONE["p1"]]}
        assert evaluate(gold, said, "day").patients["p1"].true_positives == right


@pytest.mark.parametrize("name", ["clock_month_day", "clock_year_month", "clock_year_in_range"])
@pytest.mark.parametrize("mode", MODES)
def test_the_scores_of_a_year_are_those_of_its_days(name: str, mode: Mode) -> None:
    vector = VECTORS[name]
    year = over_the_year(check(vector["gold"], vector["predicted"]), mode)
    by_day = {}
    for number in range(366):
        day = date(2024, 1, 1) + timedelta(number)
        by_day[day] = run(vector, mode, day)
    assert year.officials == {day: scores.official for day, scores in by_day.items()}
    moved = any(scores.patients != by_day[TODAY].patients for scores in by_day.values())
    assert year.moved == moved


@pytest.mark.parametrize("group", ["days", "weeks", "mixed"])
def test_the_scores_of_a_year_hold_those_of_the_original_on_five_days(group: str) -> None:
    for vector in free(f"clinical/chemo_{group}.json")[::5]:
        years = {
            mode: over_the_year(check(vector["gold"], vector["predicted"]), mode) for mode in MODES
        }
        for day, mode, answer in answers(vector):
            official = None
            if "error" not in answer:
                official = (answer["type_a"][2] + answer["type_b"][2]) / 2
            assert years[mode].officials.get(day) == official
        for other in vector.get("other_days", {}).values():
            assert all(years[mode].moved for mode in other)


CLOCK = VECTORS["ends_on_gold_start_beside_a_right_patient"]


def test_without_today_the_lowest_and_highest_official_scores_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = files(tmp_path, CLOCK)
    assert main([*options, "--relaxed_to", "month"]) == 0
    out, err = capsys.readouterr()
    assert "Official Score:  0.75\n" in out
    assert "the lowest official score (mean of both F1) is 0.5 and the highest 0.75;" in err
    assert main([*options, "--relaxed_to", "month", "--today", "2024-03-05"]) == 0
    out, err = capsys.readouterr()
    assert "Official Score:  0.5\n" in out
    assert "the lowest official score" not in err
    assert main([*options, "--strict"]) == 0
    assert "the lowest official score" not in capsys.readouterr().err


def test_days_on_which_the_original_divides_by_zero_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = files(tmp_path, VECTORS["ends_on_gold_start"])
    assert main([*options, "--relaxed_to", "month"]) == 0
    # The 5th of each month is the first day of the range, and the last.
    assert "and 12 days without a score (a division by zero)" in capsys.readouterr().err


FAULT_OF: dict[str, tuple[str, Mode, int]] = {
    "repeats": ("duplicates_buy_recall", "strict", 19),
    "range as answer": ("inside_gold_range_all_right", "day", 11),
    "range forgives": ("range_buys_recall", "day", 11),
    "free relations": ("strict_any_labels_free", "strict", 3),
    "generic names": ("two_generics_vanish_beside_a_right_patient", "month", 4),
    "weeks": ("week_two_months", "month", 1),
    "week spelling": ("week_as_week", "strict", 1),
    "absent patients": ("renamed_patient_leaves_average", "month", 1),
}


@pytest.mark.parametrize("fault", FAULT_OF)
def test_faults_that_bear_on_the_numbers_are_counted(fault: str) -> None:
    name, mode, number = FAULT_OF[fault]
    vector = VECTORS[name]
    scores = evaluate(vector["gold"], vector["predicted"], mode)
    assert scores.faults[fault] == number
    assert scores.faults.keys() <= FAULTS.keys()


def test_one_prediction_that_answers_for_two_gold_tuples_is_counted() -> None:
    gold = {"p1": [("a", "begins-on", "2013"), ("a", "ends-on", "2013")]}
    scores = evaluate(gold, {"p1": [("a", "contains-1", "2013")]}, "day")
    assert scores.faults == {"forgiven relations": 1}
    assert scores.micro.f1 == 1


def test_a_right_prediction_has_no_fault() -> None:
    for mode in MODES:
        assert not evaluate(ONE, ONE, mode).faults


def test_our_numbers_stand_beside_those_of_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    vector = VECTORS["range_buys_recall"]
    right = {"micro precision": 1 / 3, "micro recall": 1 / 12, "micro f1": 2 / 15}
    monkeypatch.setattr("chronoscore.compat.chemotimelines.__main__.ours", lambda *_: right)
    assert main([*files(tmp_path, vector), "--relaxed_to", "day", "--today", "2024-03-15"]) == 0
    out, err = capsys.readouterr()
    assert out == vector["answers"]["day"]["printed"]
    assert err.splitlines() == [
        "                  original      ours  faults that make the difference",
        "micro precision     0.3333    0.3333",
        "micro recall        1.0000    0.0833  range forgives",
        "micro f1            0.5000    0.1333  range forgives",
        "range forgives: 11 missing gold tuples not counted, being between the first begin and the "
        "last end of the drug as predicted",
    ]


def test_data_that_only_we_refuse_are_printed_as_the_original_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DataError.of("'2013-W00' is not in the calendar")

    monkeypatch.setattr("chronoscore.compat.chemotimelines.__main__.ours", refuse)
    assert main([*files(tmp_path, VECTORS["identity"]), "--strict"]) == 0
    out, err = capsys.readouterr()
    assert out == VECTORS["identity"]["answers"]["strict"]["printed"]
    assert err == "notice: our own numbers are left out: '2013-W00' is not in the calendar\n"


def test_a_fault_of_precision_is_not_named_beside_recall() -> None:
    vector = VECTORS["strict_any_labels_free"]
    scores = evaluate(vector["gold"], vector["predicted"], "strict")
    lines = comparison(scores, dict.fromkeys(numbers(scores), 0.25), scores.faults)
    named = {line.split("  ")[0] for line in lines[1:11] if line.endswith("free relations")}
    scored = ("precision", "f1")
    kinds = ("micro", "type A", "type B")
    assert named == {f"{kind} {score}" for kind in kinds for score in scored} | {"mean of both F1"}


TEXT = json.dumps(ONE)


@pytest.mark.parametrize(
    ("gold", "predicted", "ids", "message"),
    [
        ("", TEXT, "p1\n", "gold.json:1: there is no JSON, only blanks"),
        ("{", TEXT, "p1\n", "gold.json:1: the JSON ends too early"),
        ("[]", TEXT, "p1\n", "gold.json: [], expected an object of patients"),
        (TEXT, "3", "p1\n", "predicted.json: 3, expected an object of patients"),
        (TEXT, TEXT[:-1] + "," + TEXT[1:], "p1\n", "predicted.json:1: the key 'p1' is there twice"),
        (TEXT, TEXT, "", "ids: no ids, expected one a line"),
        (TEXT, TEXT, "p1\n\n", "ids: 2 ids, but 1 predicted patients"),
        ('{"p1": 3}', TEXT, "p1", "gold.json: patient 'p1': 3, expected a list of tuples"),
        (TEXT, '{"p1": {}}', "p1", "predicted.json: patient 'p1': {}, expected a list of tuples"),
        (TEXT, '{"p1": ["abc"]}', "p1", "predicted.json: patient 'p1': \"abc\", expected [drug"),
        (
            TEXT,
            '{"p1": [["a", 1, "2013"]]}',
            "p1",
            'patient \'p1\': ["a",1,"2013"], expected [drug',
        ),
        (
            TEXT,
            '{"p1": [["a", "b", "1/2/3"]]}',
            "p1",
            "'1/2/3' is not a date that is read, expected",
        ),
        (TEXT, '{"q": [["a", "b", "1/2/3"]]}', "p1", "no predicted patient is in the gold"),
    ],
)
def test_bad_files_end_in_3_with_the_reason_and_its_place(
    gold: str,
    predicted: str,
    ids: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = []
    for option, name, text in (
        ("gold_path", "gold.json", gold),
        ("pred_path", "predicted.json", predicted),
        ("all_id_path", "ids", ids),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        options += [f"--{option}", str(tmp_path / name)]
    assert main([*options, "--strict"]) == 3
    out, err = capsys.readouterr()
    assert not out
    assert message in err


@pytest.mark.parametrize("name", ["gold.json", "predicted.json", "all_ids"])
def test_bytes_that_are_no_utf_8_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = files(tmp_path, VECTORS["identity"])
    data = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(data.replace(b"p1", b"p\xe9"))
    assert main([*options, "--strict"]) == 3
    assert f"{name}:1: a byte (0xe9) is not UTF-8" in capsys.readouterr().err


def test_a_file_that_is_not_there_ends_in_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = files(tmp_path, VECTORS["identity"])
    (tmp_path / "all_ids").unlink()
    assert main([*options, "--strict"]) == 3
    assert capsys.readouterr().err == f"error: {tmp_path / 'all_ids'}: No such file or directory\n"


def test_every_bad_tuple_is_reported() -> None:
    bad = [["a", "contains-1", f"2013-02-{day}"] for day in (30, 31)]
    with pytest.raises(DataError) as error:
        evaluate({"p1": ONE["p1"] + bad}, {"p1": bad}, "strict")
    assert [problem.path for problem in error.value.problems] == ["gold"] * 2 + ["predicted"] * 2


@pytest.mark.parametrize(
    ("gold_ids", "message"),
    [
        ([], "gold ids: no ids"),
        (["p1", "p2"], "gold ids: 2 ids, but 1 gold patients"),
    ],
)
def test_gold_ids_must_be_as_many_as_gold_patients(gold_ids: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate(ONE, ONE, "strict", gold_ids=gold_ids)


def test_gold_ids_must_not_be_more_than_predicted_patients() -> None:
    gold = {"p1": ONE["p1"], "p2": []}
    with pytest.raises(DataError, match="2 ids, but 1 predicted patients; expected at least"):
        evaluate(gold, ONE, "strict", gold_ids=["p1", "p2"])


def test_more_ids_than_gold_patients_need_a_file_of_gold_ids() -> None:
    predicted = {"p1": ONE["p1"], "p2": []}
    with pytest.raises(DataError, match="2 ids, but 1 gold patients"):
        evaluate(ONE, predicted, "strict", all_ids=["p1", "p2"])
    assert evaluate(ONE, predicted, "strict", all_ids=["x", "y"], gold_ids=["p1"]).official == 1


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError, match="mode is 'week', expected strict, day, month, year"):
        evaluate(ONE, ONE, "week")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["--strict", "--relaxed_to", "day"],
        ["--relaxed_to", "week"],
        ["--strict", "--today", "20240315"],
        ["--strict", "--today", "2024-02-30"],
        ["--strict", "more"],
    ],
)
def test_wrong_options_end_in_2(
    wrong: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([*files(tmp_path, VECTORS["identity"]), *wrong])
    assert end.value.code == 2
    assert capsys.readouterr().out == ""


NAMES = ("gold.json", "predicted.json", "all_ids")
MIXED = free("clinical/chemo_mixed.json")


@given(
    seed=st.integers(0, 2**32),
    vector=st.sampled_from(MIXED),
    mode=st.sampled_from(MODES),
    changed=st.sampled_from(NAMES),
)
def test_changed_files_are_scored_or_refused_with_a_message(
    tmp_path_factory: pytest.TempPathFactory, seed: int, vector: Vector, mode: str, changed: str
) -> None:
    folder = tmp_path_factory.mktemp("changed")
    options = files(folder, vector)
    path = folder / changed
    path.write_bytes(mutate(changed, path.read_bytes(), random.Random(seed)).data)
    with pytest.MonkeyPatch.context() as patch:
        out, err = Stream(), Stream()
        patch.setattr("sys.stdout", out)
        patch.setattr("sys.stderr", err)
        code = main([*options, *mode_options(mode)])
    if code == 0:
        assert out.text.startswith("Evaluation code for ChemoTimelines")
        assert out.text.endswith("Evaluation completed!\n")
    else:
        assert (code, out.text) == (3, "")
        assert err.text.startswith("error: ")
        assert str(folder) in err.text or "the original divides by zero" in err.text


class Stream:
    """A text stream that refuses what a UTF-8 terminal can't show."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> int:
        text.encode()
        self.text += text
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Nothing waits."""
