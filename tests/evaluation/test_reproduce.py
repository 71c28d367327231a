"""Printed numbers of released outputs come out to the last digit, by the command."""

import csv
import io
import json
import shutil
from functools import reduce
from operator import add
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from readers.command_line import BAD_DATA, FINE, USAGE, run
from vectors_home import real

from chronoscore.cli.main import command
from chronoscore.core.problems import Problems
from chronoscore.errors import DataError
from chronoscore.reproduction.catalogue import PrintedNumber, ReleasedOutput, catalogue
from chronoscore.reproduction.recomputing import READINGS, first_difference, is_equal, recheck

NEWS, RELATIONS, TABLE = "news-tls", "tempeval3", "collections/matres-output"
PATHS = {
    "news-tls-colab": (
        "collections/news-tls-results/t17",
        "collections/news-tls-results/colab.json",
    ),
    "news-tls-clust": (f"{NEWS}/Timeline17", f"{NEWS}/result/t17.clust.json"),
    "news-tls-ap": (f"{NEWS}/Timeline17", f"{NEWS}/result/para_distillrobeta_doc_AP.json"),
    "flan-t5-t17": ("daivik/Gold", "daivik/Predicted"),
    "te3-sp-ilp": (f"{RELATIONS}/gold", f"{RELATIONS}/pred_table3_SP+ILP"),
    "te3-20": (f"{RELATIONS}/gold", f"{RELATIONS}/pred_20_0.01_0.0"),
    **{
        f"matres-{name}": (f"{TABLE}/testset-temprel.xml", f"{folder}/proposed_elmo_lr0.001_{file}")
        for name, folder, file in (
            ("seed102", TABLE, "seed102.matres.output"),
            ("seed102-nocse", "matres", "seed102_noCSE.matres.output"),
            ("seed103", "matres", "seed103.matres.output"),
            ("seed103-nocse", "matres", "seed103_noCSE.matres.output"),
        )
    },
}
"""The outputs whose files are among the public vectors: gold and output."""


@pytest.mark.parametrize("name", PATHS)
def test_every_printed_number_is_equal(name: str) -> None:
    gold, predicted = (real(path) for path in PATHS[name])
    ran = run("reproduce", name, "--gold", gold, "--predicted", predicted, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    output = catalogue()[name]
    assert len(rows) == (output.inside or len(output.numbers))
    assert [row for row in rows if row["equal"] != "yes"] == []
    assert ran.code == FINE


def test_numbers_are_equal_in_a_clone_that_has_golds_in_two_forms(tmp_path: Path) -> None:
    """The repository has each gold as JSONL and as text, and the two differ."""
    clone = tmp_path / "news-tls-best"
    shutil.copytree(real(f"{NEWS}/result"), clone / "result")
    for source in (f"{NEWS}/Timeline17", "collections/timeline17-raw/Timeline17"):
        for path in real(source).rglob("*.*"):
            if path.is_file():
                place = clone / "dataset/Timeline17" / path.relative_to(real(source))
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
    ran = run("reproduce", "--data", tmp_path)
    assert ran.code == FINE
    assert "all: 360 of 360 numbers equal" in ran.out


def test_the_catalogue_has_the_printed_numbers() -> None:
    published = json.loads(real("reproduce.json").read_text(encoding="utf-8"))
    by_file = {Path(output.output).name: output for output in catalogue().values()}
    found = 0
    for entry in published:
        if not entry.get("file") or not entry["numbers"]:
            continue
        output = by_file.get(Path(entry["file"]).name.replace("TOPIC", "{topic}"))
        output = output or by_file[f"{Path(entry['file']).name}-normalized"]
        found += output.inside or len(output.numbers)
        if not output.inside:
            numbers = entry["published"]
            values = list(numbers.values()) if isinstance(numbers, dict) else numbers
            printed = {number.printed for number in output.numbers}
            assert printed == {value for value in values if isinstance(value, str)}
    assert found == 568


def test_the_catalogue_is_well_formed() -> None:
    for name, output in catalogue().items():
        assert output.name == name
        assert output.what
        assert output.licence
        assert output.repository.count("/") == 1
        assert len(output.commit) == 7
        assert output.gold
        assert output.output
        assert output.printed_in
        assert bool(output.inside) != bool(output.numbers)
        assert bool(output.protocol) != bool(output.program)
        assert bool(output.topics) == ("{topic}" in output.gold) == ("{topic}" in output.output)
        assert output.family in READINGS
        for number in output.numbers:
            float(number.printed)
            assert number.case is None


@pytest.mark.parametrize("layout", ["news-tls", "Haruhi07/news-tls", "Haruhi07-news-tls", "."])
def test_clones_are_found_in_a_folder(layout: str, tmp_path: Path) -> None:
    home = real("collections/news-tls-results")
    clone = tmp_path / layout
    for name, target in (("dataset", "t17"), ("result", "colab.json")):
        (clone / name).mkdir(parents=True)
        (clone / name / target).symlink_to(home / target)
    ran = run("reproduce", "--data", tmp_path)
    assert ran.code == FINE
    assert "180 of 180 numbers equal to the last digit" in ran.out
    ran = run("reproduce", "flan-t5-t17", "news-tls-colab", "--data", tmp_path)
    assert ran.code == BAD_DATA
    assert "flan-t5-t17 is not there, or not whole: it needs Evaluation/T17/Gold/" in ran.err


@pytest.mark.parametrize("inside", [False, True])
def test_a_released_file_that_is_not_in_its_clone_is_named(inside: bool, tmp_path: Path) -> None:
    home = real("collections/news-tls-results")
    clone = tmp_path / "news-tls"
    for name, target in (("dataset", "t17"), ("result", "colab.json")):
        (clone / name).mkdir(parents=True)
        (clone / name / target).symlink_to(home / target)
    other = replace(catalogue()["news-tls-colab"], name="other", output="result/other.json")
    with pytest.MonkeyPatch.context() as patch:
        outputs = [catalogue()["news-tls-colab"], other]
        patch.setattr("chronoscore.reproduction.catalogue.chosen", lambda _: outputs)
        ran = run("reproduce", "--data", clone if inside else tmp_path)
    assert ran.code == FINE
    assert ran.notices == [f"not found here: other ({clone}/result/other.json)"]


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    ran = run("reproduce", "--data", tmp_path / "none")
    assert ran.code == BAD_DATA
    assert "none: there is no such folder" in ran.err


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    ran = run("reproduce", "--data", tmp_path)
    assert ran.code == BAD_DATA
    assert "`chronoscore reproduce` lists" in ran.err


def test_wrong_calls_are_refused(tmp_path: Path) -> None:
    assert "there are: news-tls-colab" in run("reproduce", "flan").err
    assert run("reproduce", "--gold", tmp_path, "--predicted", tmp_path).code == USAGE
    assert run("reproduce", "flan-t5-t17", "--gold", tmp_path).code == USAGE


@pytest.mark.parametrize("name", ["matres-seed102", "news-tls-clust", "flan-t5-t17", "te3-20"])
def test_folders_of_other_data_are_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text("x", encoding="utf-8")
    for gold in (".", "notes.md"):
        ran = run("reproduce", name, "--gold", gold, "--predicted", ".")
        assert (ran.code, ran.out) == (BAD_DATA, "")


def test_means_are_taken_in_the_order_of_the_golds(tmp_path: Path) -> None:
    """The tenth gold is the last: in the order of texts, the last digit of the sum differs."""
    days = [[f"2011-01-{day:02}", ["x"]] for day in range(1, 11)]
    golds = "".join(json.dumps(days[:number]) + "\n" for number in range(1, 11))
    (tmp_path / "strike.jsonl").write_text(golds, encoding="utf-8")
    recalls = [1 / number for number in range(1, 11)]
    scores = [{"precision": 1.0, "recall": recall, "f_score": 0.0} for recall in recalls]
    results = [[{"rouge_1": one, "rouge_2": one}, one, days[:1]] for one in scores]
    average = {"precision": 1.0, "recall": reduce(add, recalls) / 10, "f_score": 0.0}
    whole = json.dumps({"average": [average] * 3, "results": results})
    (tmp_path / "run.json").write_text(whole, encoding="utf-8")
    words = (tmp_path / "strike.jsonl", tmp_path / "run.json", "--check-scores", "-f", "csv")
    rows = csv.DictReader(io.StringIO(run("timelines", *words).out))
    verdicts = {row["number"]: row["equal"] for row in rows}
    assert verdicts["average Date-F1 recall"] == verdicts["strike/10 Date-F1 recall"] == "yes"


def test_the_catalogue_is_listed_with_what_fetches_it() -> None:
    listed = run("reproduce").out
    for output in catalogue().values():
        assert output.name in listed
        assert f"git -C {output.folder} checkout {output.commit}" in listed
    described = run("reproduce", "te3-sp-ilp").out
    assert "67.2406" in described
    assert "licence: none stated" in described
    assert json.loads(run("reproduce", "te3-sp-ilp", "-f", "json").out)[0]["commit"] == "d6518a5"


# Readings, on data of our own

GOLD = (
    '[["2011-01-01", ["A strike begins with a march in town."]], ["2011-01-02", ["It ends."]], '
    '["2011-01-01", ["A vote is held in town."]]]\n[["2011-01-03", ["They vote again."]]]\n'
)
PREDICTED = (
    '[["2011-01-01", ["A strike, a march and a vote in town."]], ["2011-01-04", ["They vote."]]]\n'
)
STATED = ReleasedOutput("ours", "a test", "timelines", protocol="news-tls")


def scores(tmp_path: Path, output: ReleasedOutput, metric: str = "AR-1") -> dict[str, str]:
    """The number under the stated reading, as a source that uses `output` would print it."""
    for name, text in (("gold", GOLD), ("run", PREDICTED)):
        (tmp_path / name / "strike").mkdir(parents=True, exist_ok=True)
        (tmp_path / name / "strike" / "timelines.jsonl").write_text(text, encoding="utf-8")
    wanted = (PrintedNumber("F", metric, "f1", "0.0000000000"),)
    (verdict,) = recheck(
        replace(output, numbers=wanted),
        tmp_path / "gold",
        tmp_path / "run",
        Problems(),
    )
    return {"printed": verdict.ours, "reading": verdict.reading}


@pytest.mark.parametrize(
    ("changes", "metric", "reading"),
    [
        ({"options": {"repeated_gold": "join"}}, "AR-1", "repeated gold dates joined"),
        ({"options": {"repeated_gold": "first"}}, "AR-1", "the first of repeated gold dates"),
        ({"average": "gold+topic:mean-f>trial:mean-f"}, "AR-1", "mean of F over golds"),
        ({"options": {"golds": "pooled"}}, "AR-1", "all golds of a topic together"),
        ({}, "concat", "metric concat"),
        ({}, "agreement", "metric agreement"),
    ],
)
def test_the_reading_that_gives_a_number_is_named(
    changes: dict[str, object], metric: str, reading: str, tmp_path: Path
) -> None:
    printed = scores(tmp_path, replace(STATED, **changes), metric)["printed"]
    number = PrintedNumber("AR-1", "AR-1", "f1", printed)
    stated = replace(STATED, numbers=(number,))
    (verdict,) = recheck(stated, tmp_path / "gold", tmp_path / "run", Problems())
    assert not verdict.equal
    assert verdict.reading == reading


def test_a_number_that_no_reading_gives_has_none(tmp_path: Path) -> None:
    assert scores(tmp_path, STATED)["reading"] == ""


def test_a_reading_that_would_leave_out_predictions_is_refused(tmp_path: Path) -> None:
    """Each gold has a prediction of its own, and golds that are pooled want one for all."""
    pooled = replace(STATED, options={"golds": "pooled"})
    number = PrintedNumber("AR-1", "AR-1", "f1", scores(tmp_path, pooled)["printed"])
    path = tmp_path / "run" / "strike" / "timelines.jsonl"
    path.write_text(PREDICTED + '[["2011-01-03", ["They vote."]]]\n', encoding="utf-8")
    folders = tmp_path / "gold", tmp_path / "run"
    with pytest.raises(DataError, match="has 2 predictions"):
        recheck(replace(pooled, numbers=(number,)), *folders, Problems())
    (verdict,) = recheck(replace(STATED, numbers=(number,)), *folders, Problems())
    assert (verdict.equal, verdict.reading) == (False, "")


RESULT_SCORES = {"precision": 0.5, "recall": 0.5, "f_score": 0.5}
RESULTS = {
    "average": [RESULT_SCORES] * 3,
    "results": [
        [
            {"rouge_1": RESULT_SCORES, "rouge_2": RESULT_SCORES},
            RESULT_SCORES,
            [["2011-01-01 00:00:00", ["A strike."]], ["2011-01-03 00:00:00", ["A vote."]]],
        ]
    ],
}


def rechecked_results(tmp_path: Path, text: str) -> tuple[int, str]:
    gold, predicted = tmp_path / "strike.jsonl", tmp_path / "run.json"
    gold.write_text(
        '[["2011-01-01", ["A strike begins."]], ["2011-01-02", ["It ends."]]]\n', "utf-8"
    )
    predicted.write_text(text, "utf-8")
    ran = run("timelines", gold, predicted, "--check-scores", "-f", "csv")
    return ran.code, ran.out or ran.err


def test_a_short_number_inside_a_result_file_is_no_rounded_one(tmp_path: Path) -> None:
    average = [{**RESULT_SCORES, "recall": 0.3}, RESULT_SCORES, RESULT_SCORES]
    code, out = rechecked_results(tmp_path, json.dumps({**RESULTS, "average": average}))
    rows = {row["number"]: row for row in csv.DictReader(io.StringIO(out))}
    recall = rows["average AR-1 recall"]
    assert (recall["printed"], recall["ours"]) == ("0.3", "0.3333333333333333")
    assert (recall["equal"], code) == ("no", 1)
    assert rows["average Date-F1 recall"]["equal"] == "yes"


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("NaN", "NaN and Infinity are no numbers in JSON"),
        ("1e999", "a number in the JSON is out of range"),
        ("true", "result 1: expected [scores of ROUGE"),
        ('"0.5"', "result 1: expected [scores of ROUGE"),
        ("[" * 99999 + "]" * 99999, "nested too deeply"),
    ],
)
def test_odd_scores_inside_a_result_file_are_refused(
    score: str, words: str, tmp_path: Path
) -> None:
    whole = json.dumps(RESULTS)
    at = whole.rindex("0.5")
    code, out = rechecked_results(tmp_path, f"{whole[:at]}{score}{whole[at + 3 :]}")
    assert code == BAD_DATA
    assert words in out


def test_other_readings_are_tried_only_for_scores_that_their_metrics_have(tmp_path: Path) -> None:
    path = tmp_path / "links.tsv"
    path.write_text("d\ta\tb\tBEFORE\nd\tb\tc\tAFTER\n", "utf-8")
    numbers = (PrintedNumber("accuracy", "matres", "accuracy", "0.1234"),)
    output = ReleasedOutput("ours", "a test", "tlinks", protocol="matres", numbers=numbers)
    (verdict,) = recheck(output, path, path, Problems())
    assert (verdict.ours, verdict.reading) == ("1.0000", "")


@pytest.mark.parametrize(
    ("printed", "ours", "digit"),
    [
        ("0.7482", 0.74816, None),
        ("0.7482", 0.74826, 4),
        ("0.07545706577498164", 0.07545706577498164, None),
        ("0.07545706577498164", 0.07545706577498161, 16),
        ("45.567", "45.567", None),
        ("45.567", "45.2869", 3),
        ("1.0", 1.0, None),
    ],
)
def test_digits_are_compared_as_printed(printed: str, ours: str | float, digit: int | None) -> None:
    assert is_equal(printed, ours) == (digit is None)
    if digit is not None:
        written = ours if isinstance(ours, str) else f"{ours:.{len(printed) - 2}f}"
        assert first_difference(printed, written) == digit


def test_what_is_printed_fits_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["reproduce"], ["reproduce", *catalogue()]):
        lines = CliRunner().invoke(command, words).output.splitlines()
        assert max(map(len, lines)) <= 80
