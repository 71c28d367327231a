"""Timelines from Python."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.demo import home
from chronoscore.elements.time import Time
from chronoscore.errors import ChronoscoreError, DataError, UsageError
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
    with pytest.raises(DataError, match="expected a date and its list of sentences"):
        timeline([{"day": "2011-01-25"}])


def test_an_impossible_date_is_told() -> None:
    with pytest.raises(DataError, match="not in the calendar"):
        evaluate({"2011-01-25": ["x"]}, {"2011-02-30": ["x"]})


def test_paths_and_values_score_alike() -> None:
    gold, quick = home() / "gold.jsonl", home() / "quick.jsonl"
    assert (
        evaluate(gold, quick).document.systems[0].summaries
        == evaluate(str(gold), quick).document.systems[0].summaries
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
        for summary in done.result.document.systems[0].summaries
    }
    assert scores["a"] == 1
    assert scores["b"] == 0
    assert any("failed on 'b'" in notice for notice in done.result.notices)


def test_a_folder_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "egypt.txt").write_text(
        f"2011-01-25\nProtests begin.\n{'-' * 32}\n", encoding="utf-8"
    )
    result = evaluate(tmp_path, {"egypt": {"2011-01-25": "Protests begin."}}, metrics=["AR-1"])
    assert result.document.systems[0].summaries[0].scores["f1"] == 1


MONTH = {"2011-01": ["Protests begin."]}


@pytest.mark.parametrize("given", [MONTH, Timeline.of({Time.parse("2011-01"): ["x"]})])
def test_a_month_is_refused_as_in_a_file(given: Any) -> None:
    for call in (
        lambda: evaluate(PLAIN, given),
        lambda: evaluate(given, PLAIN),
        lambda: score_many(PLAIN, [PLAIN, given]),
        lambda: score_many(given, [PLAIN]),
        lambda: timeline(given),
    ):
        with pytest.raises(DataError, match="'2011-01' is only a month"):
            call()


def test_a_year_is_refused_and_the_prediction_is_named() -> None:
    with pytest.raises(DataError, match=r"^prediction 2: '2011' is only a year"):
        score_many(PLAIN, [PLAIN, {"2011": ["x"]}])
    with pytest.raises(DataError, match=r"^gold, egypt, desk: '2011' is only a year"):
        evaluate({"egypt": {"desk": {"2011": ["x"]}}}, PLAIN)


def test_predictions_beside_a_gold_of_many_days_are_read_one_at_a_time() -> None:
    gold = {str(DAY + timedelta(days=day)): ["x"] for day in range(501)}
    left: Iterator[Any] = iter([{"2011": ["x"]}, PLAIN, PLAIN])
    with pytest.raises(DataError, match="prediction 1: '2011' is only a year"):
        score_many(gold, left)
    assert len([*left]) == 2


@pytest.mark.parametrize(("dates", "f1"), [("first-day", 0.0), ("interval", 1.0)])
def test_dates_do_for_values_what_they_do_for_files(dates: str, f1: float, tmp_path: Path) -> None:
    path = tmp_path / "timeline.json"
    path.write_text('{"2011-01": ["Protests begin."]}', encoding="utf-8")
    options = {"dates": dates}
    for gold in (MONTH, path):
        found = (
            evaluate(gold, PLAIN, metrics=["Date-F1"], options=options)
            .document.systems[0]
            .summaries
        )
        assert found[0].scores["f1"] == f1
    (many,) = score_many(MONTH, [PLAIN], metrics=["Date-F1"], options=options)
    assert many["Date-F1"]["f1"] == f1


@pytest.mark.parametrize(
    ("repeated", "kept"),
    [("first", ("Protests.",)), ("last", ("Marches.",)), ("join", ("Protests.", "Marches."))],
)
def test_a_repeated_date_is_what_repeated_says(repeated: str, kept: tuple[str, ...]) -> None:
    twice = [("2011-01-25", ["Protests."]), ("2011-1-25", ["Marches."])]
    options = {"repeated": repeated}
    assert timeline(twice, options).days[0][1] == kept
    assert timeline(twice, options, "gold").days[0][1] == ("Marches.",)
    assert timeline(twice, {"repeated_gold": repeated}, "gold").days[0][1] == kept
    gold = Timeline.of({DAY: kept})
    found = evaluate(gold, twice, metrics=["AR-1"], options=options)
    assert found.document.systems[0].summaries[0].scores["f1"] == 1
    assert "1 date with several entries in the prediction, first 2011-01-25" in found.notices[0]
    (many,) = score_many(gold, [twice], metrics=["AR-1"], options=options)
    assert many["AR-1"]["f1"] == 1


def test_topics_and_days_are_told_apart_by_what_is_under_them() -> None:
    topics = evaluate(
        {"2011": {DAY: ["x"]}, "egypt": {DAY: ["x"]}}, {"2011": {DAY: ["x"]}}, by="topic"
    )
    assert {s.group.get("topic") for s in topics.document.systems[0].summaries} == {
        None,
        "2011",
        "egypt",
    }
    empty = evaluate({"egypt": {DAY: ["x"]}}, {"egypt": []}, metrics="Date-F1")
    assert empty.document.systems[0].summaries[0].scores["f1"] == 0
    assert "predicted, egypt: the timeline is empty" in empty.notices


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"bad": ["x"]}, "predicted: 'bad' is not a date"),
        ({"2011-01-25": ["x"], "soon": ["y"]}, "predicted: 'soon' is not a date"),
        (None, r"predicted: expected \{date: \[sentence, ...\]\}.* got null"),
        (3, "predicted: expected .* got 3"),
        ({"egypt": None}, "predicted, egypt: expected .* got null"),
        (["x"], 'predicted: expected a date and its list of sentences: "x"'),
        ({"2011-01-25": [3]}, "expected a date and its list of sentences"),
        ({"2011-01-25": None}, "expected a date and its list of sentences"),
        ({3.5: "x"}, "'3.5' is not a date.*--time-unit hour reads numbers as hours"),
    ],
)
def test_what_can_not_be_a_prediction_is_told(given: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        evaluate(PLAIN, given)


def test_a_pipeline_that_makes_no_dates_has_failed() -> None:
    class Vague:
        def run(self, topic: Any) -> Any:
            return MONTH if topic["vague"] else PLAIN

    gold = {"desk": {DAY: ["Protests begin."]}}
    dataset = {name: {"gold_timelines": gold, "vague": name == "a"} for name in ("a", "b")}
    assert "only a month" in evaluate_all(Vague(), dataset).failures["a"]
    assert not evaluate_all(Vague(), dataset, options={"dates": "interval"}).failures
    with pytest.raises(DataError, match="failed on every topic, first on 'a': '2011-01' is only"):
        evaluate_all(Vague(), {"a": dataset["a"]})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.dates() | st.just("2011"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(
            st.sampled_from(["2011-01-25", "2011-01", "date", "summary", "egypt"])
            | st.dates()
            | st.none(),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
).filter(lambda value: not isinstance(value, str))  # which would be a path


@given(VALUES)
def test_a_value_is_scored_as_the_timeline_that_it_is_or_refused_as_none(value: Any) -> None:
    try:
        read = timeline(value)
    except ChronoscoreError:
        with pytest.raises(ChronoscoreError, match="prediction 1"):
            score_many(PLAIN, [value])
        return
    assert repr(score_many(PLAIN, [value])) == repr(score_many(PLAIN, [read]))
    one, two = (evaluate(PLAIN, side).document.systems[0].summaries for side in (value, read))
    assert repr(one) == repr(two)


ONE_DAY = {"2011-01-25": ["Protests begin."]}


def test_many_predictions_are_a_list_and_topics_have_golds() -> None:
    with pytest.raises(UsageError, match="the predictions are a dict, expected a list of timel"):
        score_many(ONE_DAY, ONE_DAY)
    with pytest.raises(UsageError, match="metrics has 3, expected a name"):
        score_many(ONE_DAY, [ONE_DAY], metrics=[3])  # type: ignore[list-item]

    class Silent:
        def run(self, _: Any) -> dict[str, list[str]]:
            return {}

    with pytest.raises(UsageError, match="a topic of the dataset is a dict without gold_timelines"):
        evaluate_all(Silent(), {"egypt": ONE_DAY})
