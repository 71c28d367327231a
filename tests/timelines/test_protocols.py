"""Every protocol's number by hand, with unequal numbers of golds."""

from collections.abc import Sequence

import pytest

from chronoscore.timelines import evaluate, score_many

# Date-F1 alone, so that the averages can be followed: (found, predicted, gold) for each gold.
# Topic a has two golds, topic b one.
A1 = ["2011-01-01", "2011-01-02"]
A2 = ["2011-01-02", "2011-01-03", "2011-01-04", "2011-01-05"]
A_PREDICTED = ["2011-01-01", "2011-01-02", "2011-01-09"]  # a1: 2/3, 2/2; a2: 1/3, 1/4
B1 = ["2012-01-01"]
B_PREDICTED = ["2012-01-01", "2012-01-02"]  # 1/2, 1/1


def days(dates: Sequence[str]) -> dict[str, list[str]]:
    return {day: [f"words of {day}"] for day in dates}


GOLD = {"a": {"desk": days(A1), "agency": days(A2)}, "b": days(B1)}
PREDICTED = {"a": days(A_PREDICTED), "b": days(B_PREDICTED)}


def f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


F_A1, F_A2, F_B = f(2 / 3, 1), f(1 / 3, 1 / 4), f(1 / 2, 1)
MEAN_PR = f((2 / 3 + 1 / 3 + 1 / 2) / 3, (1 + 1 / 4 + 1) / 3)
# All golds of a topic at once: their dates are one set of five.
POOLED = f((2 / 3 + 1 / 2) / 2, (2 / 5 + 1) / 2)


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        ("news-tls", MEAN_PR),
        ("llm-tls", MEAN_PR),
        ("tilse", MEAN_PR),
        ("chronos", POOLED),
        ("steen", (F_A1 + F_A2 + F_B) / 3),
        ("entities", MEAN_PR),
        ("sunset", ((F_A1 + F_A2) / 2 + F_B) / 2),
    ],
)
def test_date_f1_by_hand(protocol: str, expected: float) -> None:
    result = evaluate(GOLD, PREDICTED, protocol=protocol, metrics=["Date-F1"])
    assert result.protocol == protocol
    assert result["Date-F1"].f1 == pytest.approx(expected, abs=1e-15)


def test_macro_and_micro_are_options_of_any() -> None:
    macro = evaluate(GOLD, PREDICTED, average="macro", metrics=["Date-F1"])
    assert macro["Date-F1"].f1 == pytest.approx((F_A1 + F_A2 + F_B) / 3)
    micro = evaluate(GOLD, PREDICTED, average="micro", metrics=["Date-F1"])
    assert micro["Date-F1"].f1 == pytest.approx(f(4 / 8, 4 / 7))
    assert not macro.protocol
    assert not micro.protocol


def test_exact_date_by_hand() -> None:
    # "words of D" has three words, and each day's text shares two with any other.
    result = evaluate(GOLD, PREDICTED, protocol="sunset", metrics=["exact-date"])
    a1, a2, b = (1 + 1) / 2, 1 / 4, 1.0
    assert result["exact-date"].f1 == pytest.approx(((a1 + a2) / 2 + b) / 2)


def test_many_predictions_score_as_one_does() -> None:
    golds = [days(A1), days(A2)]
    for protocol in ("news-tls", "sunset", "chronos"):
        one = evaluate(golds, days(A_PREDICTED), protocol=protocol)
        many = score_many(golds, [days(A_PREDICTED), days(A1)], protocol=protocol)
        assert len(many) == 2
        for found in one:
            assert many[0][found.metric] == pytest.approx(found.scores)
