"""Timelines from Python."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from chronoscore.core.errors import DataError, UsageError
from chronoscore.demo import home
from chronoscore.timelines import Timeline, evaluate, evaluate_all, score_many, timeline

DAY = date(2011, 1, 25)
PLAIN = Timeline.of({DAY: ["Protests begin."]})


@pytest.mark.parametrize(
    "value",
    [
        {DAY: ["Protests begin."]},
        {"2011-01-25": ["Protests begin."]},
        {"2011-01-25": "Protests begin."},
        {datetime(2011, 1, 25, 13, 30): ["Protests begin."]},  # noqa: DTZ001  # a naive one is meant
        [("2011-01-25", ["Protests begin."])],
        [{"date": "2011-01-25", "summary": "Protests begin."}],
        [{"start": "2011-01-25", "events": ["Protests begin."]}],
        PLAIN,
    ],
)
def test_timelines_come_in_many_forms(value: Any) -> None:
    assert timeline(value) == PLAIN


def test_what_is_no_timeline_is_told() -> None:
    with pytest.raises(DataError, match="not a date"):
        timeline({"soon": ["x"]})
    with pytest.raises(DataError, match="expected a date and a summary"):
        timeline([{"day": "2011-01-25"}])


def test_an_impossible_date_is_told() -> None:
    with pytest.raises(DataError, match="not in the calendar"):
        evaluate({"2011-01-25": ["x"]}, {"2011-02-30": ["x"]})


def test_paths_and_values_score_alike() -> None:
    gold, quick = home() / "gold.jsonl", home() / "quick.jsonl"
    assert (
        evaluate(gold, quick).systems[0].summaries
        == evaluate(str(gold), quick).systems[0].summaries
    )


def test_many_golds_of_many_topics_are_refused() -> None:
    with pytest.raises(UsageError, match="one topic"):
        score_many({"a": {"2011-01-25": ["x"]}, "b": {"2011-01-25": ["x"]}}, [PLAIN])
    assert score_many(PLAIN, []) == []


class Echo:
    """Gives back the gold, except where it is told to fail."""

    def run(self, topic: Any) -> Any:
        if topic["fails"]:
            raise RuntimeError("no articles")
        return topic["gold_timelines"]["desk"]


def test_a_pipeline_that_fails_on_a_topic_is_still_scored() -> None:
    dataset = {
        name: {
            "gold_timelines": {"desk": {"2011-01-25": ["Protests begin."]}},
            "fails": name == "b",
        }
        for name in ("a", "b")
    }
    seen: list[str] = []

    def progress(topics: Any) -> Any:
        for topic in topics:
            seen.append(topic)
            yield topic

    done = evaluate_all(Echo(), dataset, metrics=["Date-F1"], progress=progress)
    assert seen == ["a", "b"]
    assert done.failures == {"b": "RuntimeError: no articles"}
    scores = {
        summary.group.get("topic", "all"): summary.scores["f1"]
        for summary in done.result.systems[0].summaries
    }
    assert scores["a"] == 1
    assert scores["b"] == 0
    assert any("failed on 'b'" in notice for notice in done.result.notices)


def test_a_folder_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "egypt.txt").write_text(
        f"2011-01-25\nProtests begin.\n{'-' * 32}\n", encoding="utf-8"
    )
    result = evaluate(tmp_path, {"egypt": {"2011-01-25": "Protests begin."}}, metrics=["AR-1"])
    assert result.systems[0].summaries[0].scores["f1"] == 1
