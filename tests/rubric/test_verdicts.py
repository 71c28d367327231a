"""What is advised about a criterion: laws of the rule, and that the words state it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.result import Agreement, Interval
from chronoscore.rubric.agreement.coefficients import ENOUGH, AgreementPlan
from chronoscore.rubric.agreement.verdicts import (
    FEWEST,
    POOR,
    RULE,
    CriterionVerdict,
    advise,
    rule,
    verdict_on,
)

ALPHAS = st.floats(-1, 1)
EVENTS = st.integers(FEWEST, 500)


def verdict(
    alpha: float | None, low: float | None = None, threshold: float = ENOUGH
) -> CriterionVerdict:
    interval = None if low is None else Interval(low, 1, 0.95, "jackknife-t", 5)
    row = Agreement("date", "alpha nominal", alpha, 20, 40, 2, interval=interval)
    return verdict_on(row, AgreementPlan(threshold=threshold))


@given(ALPHAS, st.integers(0, FEWEST - 1))
def test_fewer_events_than_needed_get_no_verdict_whatever_alpha_is(
    alpha: float, events: int
) -> None:
    advice = advise(verdict(alpha, alpha), events, events)
    assert advice.action == "too few"
    assert advice.reason.startswith(f"{events} event")
    assert f"{FEWEST} are needed" in advice.reason


@given(ALPHAS, ALPHAS, EVENTS)
def test_a_higher_alpha_is_never_judged_worse(one: float, other: float, events: int) -> None:
    order = ("judge anew", "talk about it", "fine")
    ranks = [order.index(advise(verdict(a, a), events, 1).action) for a in sorted((one, other))]
    assert ranks == sorted(ranks)


@given(ALPHAS, ALPHAS, EVENTS)
def test_fine_means_that_the_whole_interval_reaches_the_threshold(
    one: float, other: float, events: int
) -> None:
    low, alpha = sorted((one, other))
    fine = advise(verdict(alpha, low), events, 1).action == "fine"
    assert fine is (low >= ENOUGH)


@pytest.mark.parametrize(
    ("alpha", "low", "action"),
    [
        (0.9, 0.667, "fine"),
        (0.9, 0.666, "talk about it"),
        (0.9, None, "talk about it"),
        (0.666, 0.5, "talk about it"),
        (POOR, -0.2, "talk about it"),
        (0.399, 0.3, "judge anew"),
        (-0.2, None, "judge anew"),
        (None, None, "talk about it"),
    ],
)
def test_each_side_of_each_threshold(alpha: float | None, low: float | None, action: str) -> None:
    assert advise(verdict(alpha, low), 10, 3).action == action


def test_where_nobody_differs_there_is_nothing_to_talk_about() -> None:
    for alone in (verdict(None), verdict(1.0)):
        assert advise(alone, FEWEST, 0) == ("fine", f"nobody differs on any of {FEWEST} events")


def test_a_threshold_below_that_of_poor_agreement_moves_both() -> None:
    lenient = verdict(0.3, 0.25, threshold=0.2)
    assert advise(lenient, 20, 4).action == "fine"
    assert advise(verdict(0.19, threshold=0.2), 20, 4).action == "judge anew"
    assert rule(0.2)["judge anew"] == "alpha is below 0.2"


@given(ALPHAS)
def test_the_sentence_and_the_advice_name_the_same_action(alpha: float) -> None:
    one = verdict(alpha, -1)
    if one.verdict == "below":
        assert one.sentence.endswith(advise(one, 20, 5).action)


def test_the_rule_has_words_for_every_action() -> None:
    assert set(RULE) == {"fine", "talk about it", "judge anew", "too few"}
    assert "{" not in " ".join(rule(ENOUGH).values())
