"""Gold and prediction that do not fit together, and many problems at once."""

import json
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, run
from readers.samples import EVENTS, NEWS, SAMPLES, SHEET, TAB, TILSE, Sample, put

ELSEWHERE = {
    "events as timelines": ('"suez"', '"panama"', "topic"),
    "events as an order": ('"suez"', '"panama"', "target"),
    "events as annotations": ('"a1"', '"a9"', "document"),
    "documents": ('"id":"a', '"id":"b', "document"),
}


@pytest.mark.parametrize("reader", ELSEWHERE)
def test_no_overlap_at_all_is_a_problem_for_each_system(tmp_path: Path, reader: str) -> None:
    found, other, what = ELSEWHERE[reader]
    sample = SAMPLES[reader]
    gold = put(tmp_path / "gold", sample, sample.text)
    paths = [put(tmp_path / n, sample, sample.text.replace(found, other)) for n in "ab"]
    ran = run(sample.verb, gold, *(f"{path.parent.name}={path}" for path in paths))
    assert ran.code == BAD_DATA
    if sample.verb == "timelines":
        wanted = [f"{name}: 1 prediction has no gold of its name" for name in "ab"]
    else:
        wanted = [f"{name}: no {what}" for name in "ab"]
    problems = [line for line in ran.problems if not line.startswith("  ")]
    assert [problem.split(" has both")[0] for problem in problems] == wanted


MISSING = {"empty": (FINE, 0.5), "skip": (FINE, 1.0), "error": (BAD_DATA, None)}


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("reader", ELSEWHERE)
def test_gold_without_prediction_is_counted_as_told(
    tmp_path: Path, reader: str, missing: str
) -> None:
    found, other, what = ELSEWHERE[reader]
    sample = SAMPLES[reader]
    again = sample.text.replace(found, other).replace('"id":"e', '"id":"f')
    gold = put(tmp_path / "gold", sample, sample.text + again)
    predicted = put(tmp_path / "predicted", sample, sample.text)
    ran = run(sample.verb, gold, predicted, "--missing", missing, "--format", "json")
    code, recall = MISSING[missing]
    assert ran.code == code
    assert f"suez: no prediction for {1 + (reader == 'documents')} {what}" in ran.err
    if recall is not None:
        scores = json.loads(ran.out)["systems"][0]["summaries"][0]["scores"]
        assert next(v for name, v in scores.items() if "recall" in name) == pytest.approx(recall)


@pytest.mark.parametrize("reader", ELSEWHERE)
def test_prediction_without_gold_is_told(tmp_path: Path, reader: str) -> None:
    found, other, what = ELSEWHERE[reader]
    sample = SAMPLES[reader]
    more = sample.text.replace(found, other).replace('"id":"e', '"id":"f')
    gold = put(tmp_path / "gold", sample, sample.text)
    words = (sample.verb, gold, put(tmp_path / "predicted", sample, sample.text + more))
    if sample.verb == "timelines":
        ran = run(*words)
        assert (ran.code, ran.problems[1]) == (BAD_DATA, "  panama")
        ran = run(*words, "--extra", "skip")
        assert ran.notices_but_copies == ["suez: 1 prediction without a gold left out: panama"]
        return
    ran = run(*words)
    assert ran.code == FINE
    (notice,) = ran.notices_but_copies
    assert f"suez: no gold for {1 + (reader == 'documents')} {what}" in notice
    assert "not scored" in notice


def test_more_predictions_than_golds_of_a_topic_are_told(tmp_path: Path) -> None:
    sample = SAMPLES["news-tls lines"]
    gold = put(tmp_path / "gold", sample, NEWS)
    words = ("timelines", gold, put(tmp_path / "predicted", sample, NEWS + NEWS))
    assert run(*words).problems[:3] == [
        "suez: 2 predictions have no gold of their name",
        "  suez/3",
        "  suez/4",
    ]
    told = "suez: 2 predictions without a gold left out: suez/3, suez/4"
    assert run(*words, "--extra", "skip").notices_but_copies == [told]


def test_more_golds_than_predictions_of_a_topic_is_a_problem(tmp_path: Path) -> None:
    sample = SAMPLES["news-tls lines"]
    gold = put(tmp_path / "gold", sample, NEWS + NEWS)
    ran = run("timelines", gold, put(tmp_path / "predicted", sample, NEWS))
    assert ran.code == BAD_DATA
    assert "'suez' has 2 predictions (1, 2), none of them for the gold '3'" in ran.problems[0]


NOTHING = {
    "no date": (SAMPLES["events as timelines"], '{"id":"1"}', "1 events have no date"),
    "no position": (SAMPLES["events as an order"], '{"id":"1"}', "1 events have no position"),
    "no span": (SAMPLES["events as annotations"], '{"id":"1"}', "1 events have no span"),
    "a title alone": (SAMPLES["tab file"], "Suez\n", "there are no rows below the title"),
    "no days": (SAMPLES["JSON timeline"], "{}", "the timeline is empty"),
    "empty timelines": (SAMPLES["news-tls lines"], "[]\n[]\n", "timeline is "),
}


@pytest.mark.parametrize("case", NOTHING)
def test_a_file_with_nothing_to_score_is_never_a_silent_zero(tmp_path: Path, case: str) -> None:
    sample, text, words = NOTHING[case]
    good, bad = put(tmp_path / "good", sample, sample.text), put(tmp_path / "bad", sample, text)
    for paths in ((good, bad), (bad, good)):
        ran = run(sample.verb, *paths)
        assert any(words in notice for notice in ran.notices), ran


@pytest.mark.parametrize("call", ["rubric {0}", "timelines {1} {0} --missing skip"])
def test_a_gate_does_not_pass_where_nothing_is_scored(tmp_path: Path, call: str) -> None:
    empty, gold = tmp_path / "empty.csv", tmp_path / "gold.jsonl"
    empty.write_text("")
    gold.write_text(EVENTS, encoding="utf-8")
    words = call.format(empty, gold).split()
    ran = run(*words, "--lenient", "--fail-under", "0.9")
    assert ran.code == BAD_DATA
    assert ran.out == ""


def test_a_topic_without_timelines_is_told(tmp_path: Path) -> None:
    sample = SAMPLES["folder of topics"]
    topics = put(tmp_path, sample, TILSE)
    put(tmp_path, Sample("", "topics/panama/articles.jsonl", ""), "{}")
    ran = run("timelines", topics, topics)
    assert ran.code == FINE
    assert f"{topics / 'panama'}: no timelines in this folder, it is not a topic" in ran.notices


def test_a_topic_in_two_files_is_told_with_the_file(tmp_path: Path) -> None:
    topics = put(tmp_path, Sample("", "topics/a.jsonl", ""), EVENTS)
    put(tmp_path, Sample("", "topics/b.jsonl", ""), EVENTS)
    ran = run("validate", "--as", "timelines", topics)
    assert ran.code == BAD_DATA
    assert f"  the first problem: {topics / 'b.jsonl'}: 'suez' is there twice" in ran.problems


def test_two_golds_that_come_to_one_name_are_told(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    names = [("a", "1"), ("a", "2"), ("a/1", "")]
    path.write_text(
        "".join(
            f'{{"id":"{number}","topic":"{topic}","timeline":"{timeline}","date":"2021-03-29"}}\n'
            for number, (topic, timeline) in enumerate(names)
        )
    )
    predicted = tmp_path / "predicted.jsonl"
    predicted.write_text('{"id":"0","topic":"a","date":"2021-03-29"}\n')
    ran = run("timelines", path, predicted)
    assert ran.code == BAD_DATA
    assert ran.problems == ["the gold has 'a/1' twice: as a topic, and in one"]
    ran = run("timelines", path, path)
    assert ran.code == BAD_DATA
    assert ran.problems == ["gold: two predictions are named 'a/1', one by its topic: rename it"]


def test_the_problems_of_all_files_are_listed_at_once(tmp_path: Path) -> None:
    files = {"gold.jsonl": '{"id": 1}\n', "a.txt": TAB, "b.json": "{", "c.jsonl": '\n\n{"id":""}'}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = run("timelines", *(tmp_path / name for name in files), tmp_path / "none.txt")
    assert ran.code == BAD_DATA
    assert [problem.removeprefix(f"{tmp_path}/").split(": ")[0] for problem in ran.problems] == [
        "gold.jsonl:1",
        "a.txt:1",
        "b.json:1",
        "c.jsonl:3",
        "none.txt",
    ]
    assert ran.err.endswith("5 problems\n")


def test_fifty_problems_are_shown_and_the_rest_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text('{"id": 1}\n' * 60)
    for call in (("timelines", path, path), ("validate", path, path)):
        ran = run(*call)
        assert ran.code == BAD_DATA
        assert len(ran.problems) == 51
        assert ran.problems[50] == "... and 70 more"
        assert ran.err.endswith("120 problems\n")


def test_what_is_quoted_breaks_no_line_and_speaks_to_no_terminal(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(SHEET.replace("e1", '"e\n\x1b[31m1"').replace(",1,1,1,3,3,", ",9,1,1,3,3,") * 2)
    ran = run("rubric", path)
    assert "\x1b" not in ran.err
    assert all(line.startswith(str(path)) for line in ran.problems)
    path.write_text(SHEET.replace(",1,1,1,3,3,", f",{'9' * 100_000},1,1,3,3,"))
    assert max(map(len, run("rubric", path).problems)) < 600
