"""Timelines stay good: a test for pytest. `gold.jsonl` and `ours.jsonl` are beside this file."""

from collections.abc import Callable

from chronoscore import Result
from chronoscore.testing import assert_scores


def test_our_timelines_stay_good(score_timelines: Callable[..., Result]) -> None:
    result = score_timelines("gold.jsonl", "ours.jsonl", metrics=["AR-1", "Date-F1"])
    assert_scores(result, {"AR-1": 0.3, "Date-F1": 0.5})


def test_and_surely_so(score_timelines: Callable[..., Result]) -> None:
    result = score_timelines("gold.jsonl", "ours.jsonl")
    assert_scores(result, {"AR-1": 0.25}, bound="lower")
