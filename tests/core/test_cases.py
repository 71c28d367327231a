"""Cases: what is compared is compared once, and what has no partner is said aloud."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import pytest

from chronoscore.core.case import Case, check_pairs, digest, pair_up
from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import unite
from chronoscore.core.problems import Problems
from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.chunks import measured
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError
from chronoscore.families import family
from chronoscore.timelines.comparison import Setting


def paired(
    golds: dict[str, dict[str, str]], predicted: dict[str, dict[str, str]], **options: Any
) -> tuple[list[Case[str, str]], list[str]]:
    problems = Problems()
    cases = pair_up(
        golds, predicted, problems, level="topic", system="s", empty=lambda _: "", **options
    )
    check_pairs(problems)
    problems.check()
    return cases, [str(notice) for notice in problems.notices]


GOLDS = {"a": {"1": "x"}, "b": {"1": "y", "2": "z"}}


def test_every_gold_is_a_case() -> None:
    cases, notices = paired(GOLDS, {"a": {"1": "p"}, "b": {"1": "q"}})
    assert [case.id for case in cases] == ["a", "b/1", "b/2"]
    assert [case.predicted for case in cases] == ["p", "q", "q"]
    assert cases[2].tags == {"topic": "b", "gold": "2"}
    assert not notices


def test_a_prediction_for_this_gold_comes_first() -> None:
    cases, _ = paired(GOLDS, {"a": {"1": "p"}, "b": {"2": "r", "1": "q"}})
    assert [case.predicted for case in cases] == ["p", "q", "r"]
    with pytest.raises(DataError, match="none of them for the gold '2'"):
        paired(GOLDS, {"a": {"1": "p"}, "b": {"1": "q", "3": "r"}})


def test_a_missing_prediction_counts_as_empty() -> None:
    cases, notices = paired(GOLDS, {"a": {"1": "p"}})
    assert [case.predicted for case in cases] == ["p", "", ""]
    assert notices == ["s: no prediction for 1 topic, counted as empty: b"]


def test_a_gold_without_a_prediction_is_counted_as_a_gold_where_its_topic_has_others() -> None:
    golds = {"a": {"ap": "x", "bbc": "y"}, "b": {"ap": "y", "bbc": "z"}}
    _, notices = paired(golds, {"a": {"ap": "p"}}, by_name=True)
    assert notices == [
        "s: no prediction for 1 topic, counted as empty: b",
        "s: no prediction for 1 gold, counted as empty: a/bbc",
    ]


def test_a_missing_prediction_may_be_skipped_or_refused() -> None:
    cases, notices = paired(GOLDS, {"a": {"1": "p"}}, missing="skip")
    assert [case.id for case in cases] == ["a"]
    assert "left out of the score" in notices[0]
    with pytest.raises(DataError, match="no prediction for 1 topic,"):
        paired(GOLDS, {"a": {"1": "p"}}, missing="error")


def test_a_prediction_without_gold_is_said_aloud() -> None:
    cases, notices = paired({"a": {"1": "x"}}, {"a": {"1": "p"}, "c": {"1": "q"}})
    assert len(cases) == 1
    assert notices == ["s: no gold for 1 topic, not scored: c"]


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(DataError, match="no topic has both"):
        paired({"a": {"1": "x"}}, {"c": {"1": "q"}})


def test_a_case_twice_is_an_error() -> None:
    row = Row("a", {}, "", "", {})
    with pytest.raises(DataError, match="'a' is there twice"):
        unite([row], [row])


def test_digests_tell_content_apart() -> None:
    one, two = Timeline(), Timeline()
    assert digest(one) == digest(two)
    assert digest((one,)) != digest(one)


def test_metrics_of_equal_setting_share_a_comparison() -> None:
    home = family("timelines")
    settings: list[Hashable] = []

    def compare(case: Case[Any, Any], setting: Hashable) -> Any:
        settings.append(setting)
        return home.compare(case, setting)

    case: Case[Any, Any] = Case("c", (Timeline(),), Timeline())
    names = ("AR-1", "AR-2", "Date-F1", "align+m:1(tie=nearest)", "AR-1(text=plain)")
    counting = replace(home, compare=compare, compare_many=None)
    measured(counting, [case], [home.metric(name) for name in names])
    assert settings == [Setting("rouge155"), Setting("plain")]


def test_breaking_down_by_an_unknown_tag_names_the_known() -> None:
    settings = Settings.make(family("timelines"), by=["colour"])
    case: Case[Any, Any] = Case("c", (Timeline(),), Timeline(), {"topic": "a", "gold": "1"})
    with pytest.raises(Exception, match="case, topic, gold"):
        score(settings, {"s": [case]})
