"""A result file of news-tls is a prediction, paired by position if its dates prove the pairs."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run
from vectors_home import real

import chronoscore
from chronoscore.compat.tilse.data.timelines import GroundTruth
from chronoscore.compat.tilse.data.timelines import Timeline as TilseTimeline
from chronoscore.compat.tilse.evaluation import dates, rouge
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.families import family

Days = list[list[Any]]
# Byte order: capitals first. Topic `a` sorts before `a-b`, though its cases `a/1` do not.
GOLDS: dict[str, list[Days]] = {
    "Zurich": [[["2011-01-01T00:00:00", ["A strike begins in the city."]]]],
    "a": [
        [
            ["2011-02-01T00:00:00", ["The first text of this day."]],
            ["2011-02-03T00:00:00", ["Talks fail again."]],
            ["2011-02-01T00:00:00", ["Crowds fill the square."]],
        ],
        [["2011-02-03T00:00:00", ["The talks have failed."]]],
    ],
    "a-b": [[["2011-03-01T00:00:00", ["Rain falls."]], ["2011-03-02T00:00:00", ["It stops."]]]],
}
PREDICTED: list[Days] = [
    [["2011-01-01 00:00:00", ["A strike begins."]], ["2011-01-05 00:00:00", ["It ends."]]],
    [["2011-02-01 00:00:00", ["Crowds fill the streets."]]],
    [["2011-02-02 00:00:00", ["Talks go on."]], ["2011-02-03 00:00:00", ["Talks failed."]]],
    [["2011-03-01 00:00:00", ["Heavy rain falls."]]],
]


def result_of(gold: Days, predicted: Days) -> list[Any]:
    """What the evaluation of news-tls writes for one gold, by the drop-in for tilse."""

    def timeline(days: Days) -> TilseTimeline:
        return TilseTimeline({date.fromisoformat(day[:10]): texts for day, texts in days})

    truth = GroundTruth([timeline(gold)])
    evaluator = rouge.TimelineRougeEvaluator(measures=["rouge_1", "rouge_2"])
    scored = evaluator.evaluate_align_date_content_costs_many_to_one(timeline(predicted), truth)
    return [scored, dates.evaluate_dates(timeline(predicted), truth), predicted]


def averages(results: list[list[Any]]) -> list[dict[str, float]]:
    """Plain sums from left to right, then F, as news-tls has it."""
    made = []
    for each in (
        [result[0]["rouge_1"] for result in results],
        [result[0]["rouge_2"] for result in results],
        [result[1] for result in results],
    ):
        precision = recall = 0.0
        for scores in each:
            precision += scores["precision"]
            recall += scores["recall"]
        precision, recall = precision / len(each), recall / len(each)
        f_score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        made.append({"precision": precision, "recall": recall, "f_score": f_score})
    return made


@pytest.fixture
def document() -> dict[str, Any]:
    golds = [gold for topic in sorted(GOLDS) for gold in GOLDS[topic]]
    results = [result_of(gold, days) for gold, days in zip(golds, PREDICTED, strict=True)]
    return {"average_clusters": 2.5, "average": averages(results), "results": results}


@pytest.fixture
def files(tmp_path: Path) -> Callable[[Any], tuple[Path, Path]]:
    for topic, golds in GOLDS.items():
        (tmp_path / "gold" / topic).mkdir(parents=True)
        lines = "".join(json.dumps(gold) + "\n" for gold in golds)
        (tmp_path / "gold" / topic / "timelines.jsonl").write_text(lines, encoding="utf-8")

    def write(value: Any) -> tuple[Path, Path]:
        path = tmp_path / "run.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return tmp_path / "gold", path

    return write


Files = Callable[[Any], tuple[Path, Path]]


def test_results_are_paired_by_position(document: dict[str, Any], files: Files) -> None:
    gold, path = files(document)
    home = family("timelines")
    problems = Problems()
    cases = home.read_cases(
        source_of(gold), {"run": source_of(path)}, problems, home.default_options
    )
    problems.check()
    texts = {case.id: case.predicted.days[0][1][0] for case in cases["run"]}
    assert texts == {
        "Zurich": "A strike begins.",
        "a/1": "Crowds fill the streets.",
        "a/2": "Talks go on.",
        "a-b": "Heavy rain falls.",
    }


def test_the_scores_are_those_of_the_file(document: dict[str, Any], files: Files) -> None:
    result = chronoscore.score("timelines", *map(str, files(document)))
    for label, inner in zip(("AR-1", "AR-2", "Date-F1"), document["average"], strict=True):
        assert result[label].precision == pytest.approx(inner["precision"], abs=1e-15)
        assert result[label].f1 == pytest.approx(inner["f_score"], abs=1e-15)


def test_a_value_of_that_shape_is_a_prediction(document: dict[str, Any], files: Files) -> None:
    gold, path = files(document)
    assert (
        chronoscore.score("timelines", str(gold), {"run": document})["AR-1"]
        == chronoscore.score("timelines", str(gold), str(path))["AR-1"]
    )


def test_odd_bytes_are_replaced_and_counted_once(document: dict[str, Any], files: Files) -> None:
    gold, path = files(document)
    path.write_bytes(path.read_bytes().replace(b"It ends.", b"It ends\xe2"))
    ran = run("timelines", gold, path)
    assert ran.code == FINE
    assert ran.err.count("1 byte not valid UTF-8") == 1
    assert "(0xe2) is not valid utf-8" in run("timelines", gold, path, "--strict").err


def test_the_last_of_a_repeated_day_counts(document: dict[str, Any], files: Files) -> None:
    days = document["results"][0][2]
    days.insert(0, [days[0][0], ["Other words."]])
    assert run("timelines", *files(document), "--check-scores").code == FINE


def test_results_in_another_order_are_refused(document: dict[str, Any], files: Files) -> None:
    document["results"][1:3] = document["results"][2:0:-1]
    ran = run("timelines", *files(document))
    assert ran.code == BAD_DATA
    assert "result 2 is not of the gold 'a/1'" in ran.err


def test_pairs_are_checked_by_the_day_at_any_grain(document: dict[str, Any], files: Files) -> None:
    month = ("-m", "date-f1(grain=month)")
    assert run("timelines", *files(document), *month).code == FINE
    document["results"][1:3] = document["results"][2:0:-1]
    assert run("timelines", *files(document), *month).code == BAD_DATA


def test_another_number_of_results_is_refused(document: dict[str, Any], files: Files) -> None:
    document["results"].pop()
    ran = run("timelines", *files(document))
    assert ran.code == BAD_DATA
    assert "3 results, and the gold has 4 timelines" in ran.err


def test_a_broken_result_is_named(document: dict[str, Any], files: Files) -> None:
    del document["results"][2][1]["recall"]
    ran = run("timelines", *files(document))
    assert ran.code == BAD_DATA
    assert "result 3: expected" in ran.err
    del document["results"][2]
    document["average"].pop()
    assert "expected as average" in run("timelines", *files(document)).err


def test_a_result_file_is_no_gold(document: dict[str, Any], files: Files) -> None:
    _, path = files(document)
    ran = run("timelines", path, path)
    assert ran.code == BAD_DATA
    assert ran.problems[0].endswith("chronoscore timelines GOLD FILE")


def test_topics_named_average_and_results_are_topics(tmp_path: Path) -> None:
    topics = {"average": {"2011-01-01": ["One."]}, "results": {"2011-01-02": ["Two."]}}
    path = tmp_path / "topics.json"
    path.write_text(json.dumps(topics), encoding="utf-8")
    assert run("timelines", path, path).code == FINE


def test_check_scores_compares_all_of_them(document: dict[str, Any], files: Files) -> None:
    ran = run("timelines", *files(document), "--check-scores", "--full", "--form", "jsonl")
    assert ran.code == FINE
    assert "45 of 45 numbers equal to the last digit" in ran.out
    assert ran.out.count(" equal\n") == 45


def test_check_scores_finds_what_was_changed(document: dict[str, Any], files: Files) -> None:
    document["average"][0]["f_score"] += 1e-9
    document["results"][3][0]["rouge_2"]["recall"] = 0.123456
    ran = run("timelines", *files(document), "--check-scores", "-f", "json")
    assert ran.code == 1
    numbers = json.loads(ran.out)[0]["numbers"]
    assert [n["number"] for n in numbers if not n["equal"]] == [
        "average AR-1 f_score",
        "a-b/1 AR-2 recall",
    ]


def test_check_scores_names_the_reading_of_the_file(document: dict[str, Any], files: Files) -> None:
    ran = run("timelines", *files(document), "--check-scores", "--repeated-gold", "first")
    assert ran.code == 1
    assert "printed as with the last of" in " ".join(ran.out.split())


def test_check_scores_is_for_result_files(document: dict[str, Any], files: Files) -> None:
    gold, _ = files(document)
    ran = run("timelines", gold, gold, "--check-scores")
    assert ran.code == BAD_DATA
    assert "no result file of news-tls" in ran.err
    assert run("timelines", *files(document), "--check-scores", "--by", "topic").code == USAGE


def test_the_released_file_is_paired_as_published() -> None:
    home = real("collections/news-tls-results")
    expected = json.loads((home / "expected.json").read_text(encoding="utf-8"))["expected"]
    timelines = family("timelines")
    cases = timelines.read_cases(
        source_of(home / "t17"),
        {"run": source_of(home / "colab.json")},
        Problems(),
        timelines.default_options,
    )["run"]
    assert [
        {
            "topic": case.tags["topic"],
            "gold": case.tags["gold"],
            "predicted_dates": len(case.predicted.days),
            "gold_dates": len(case.gold[0].days),
        }
        for case in cases
    ] == expected["colab.json"]["pairs"]
