"""Date-F1: which predicted dates are hits, and how many of them there are at most."""

from datetime import date, timedelta
from random import Random
from typing import Any

import pytest

from chronoscore.core.case import Case
from chronoscore.core.evidence import Match
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.time import Time
from chronoscore.timelines import evaluate
from chronoscore.timelines.family import FAMILY

INTERVAL = {"dates": "interval"}


def timeline(dates: list[str]) -> dict[str, list[str]]:
    return {day: ["x"] for day in dates}


def scores(gold: list[str], predicted: list[str], tolerance: int = 0) -> dict[str, Any]:
    metric = f"date-f1(tolerance={tolerance})"
    result = evaluate(timeline(gold), timeline(predicted), metrics=[metric], options=INTERVAL)
    return result.document.systems[0].summaries[0].scores


def matches(
    gold: list[str], predicted: list[str], tolerance: int = 0, grain: str = "day"
) -> list[Match]:
    gold_days, predicted_days = (
        Timeline.of({Time.parse(day): () for day in days}) for days in (gold, predicted)
    )
    metric = FAMILY.metric(f"date-f1(tolerance={tolerance},grain={grain})")
    comparison = FAMILY.compare(Case("c", (gold_days,), predicted_days), metric.setting)
    explained = metric.explain(comparison)
    counted = metric.measure(comparison).statistics
    assert sum(m.credit for m in explained if m.side == "precision") == counted[0]
    assert sum(m.credit for m in explained if m.side == "recall") == counted[2]
    return [match for match in explained if match.side == "precision"]


def found(explained: list[Match]) -> list[tuple[str, str]]:
    return [(m.predicted, m.gold) for m in explained if m.credit]


def test_a_predicted_year_does_not_take_the_match_of_the_right_day() -> None:
    gold, predicted = ["2020-01-05", "2020-06-01"], ["2020", "2020-01-05"]
    assert scores(gold, predicted) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert found(matches(gold, predicted)) == [("2020-01-05", "2020-01-05")]


@pytest.mark.parametrize(
    ("gold", "predicted", "hits"),
    [
        ("2020-01", "2020-01-05", 1),
        ("2020", "2020-01", 1),
        ("2020", "2020", 1),
        ("2020-01", "2020", 0),
        ("2020-01-05", "2020-01", 0),
        ("2020-02", "2020-01-31", 0),
    ],
)
def test_a_hit_lies_within_the_extent_of_the_gold(gold: str, predicted: str, hits: int) -> None:
    assert scores([gold], [predicted])["f1"] == hits


def test_a_tolerance_widens_the_gold() -> None:
    assert scores(["2020-02"], ["2020-01-31"], tolerance=1)["f1"] == 1
    assert scores(["2020-02"], ["2020-01-30"], tolerance=1)["f1"] == 0
    assert scores(["2020-02"], ["2020-01"], tolerance=30)["f1"] == 0
    assert scores(["2020-02"], ["2020-01"], tolerance=31)["f1"] == 1


def test_of_several_maximum_matchings_one_with_equal_dates_is_explained() -> None:
    gold, predicted = ["2020", "2020-01", "2020-01-05"], ["2020-01-05", "2020-01", "2020"]
    assert set(found(matches(gold, predicted))) == {(day, day) for day in gold}


def test_of_several_maximum_matchings_one_with_near_dates_is_explained() -> None:
    explained = matches(["2020-01-05", "2020-01-08"], ["2020-01-06", "2020-01-07"], tolerance=3)
    assert found(explained) == [("2020-01-06", "2020-01-05"), ("2020-01-07", "2020-01-08")]


def test_equal_dates_do_not_cost_a_hit() -> None:
    explained = matches(["2020-01-08", "2020-01-10"], ["2020-01-10", "2020-01-12"], tolerance=2)
    assert found(explained) == [("2020-01-10", "2020-01-08"), ("2020-01-12", "2020-01-10")]


def test_the_order_of_dates_changes_neither_hits_nor_their_explanation() -> None:
    random = Random(3)
    for _ in range(100):
        gold, predicted, tolerance = drawn(random)
        mixed, mixed_too = (random.sample(days, len(days)) for days in (gold, predicted))
        assert matches(mixed, mixed_too, tolerance) == matches(gold, predicted, tolerance)


def drawn(random: Random) -> tuple[list[str], list[str], int]:
    """Draw times of many kinds, few enough to try all matchings."""
    days = [(date(2019, 12, 27) + timedelta(n)).isoformat() for n in range(0, 12)]
    pool = [*days, "2019-12", "2020-01", "2019", "2020", "2019-12-30/..", "../2020-01-02"]
    gold, predicted = (random.sample(pool, random.randint(1, 5)) for _ in range(2))
    return gold, predicted, random.choice((0, 0, 1, 2, 3))


def best(gold: list[Time], predicted: list[Time], tolerance: int, grain: str) -> tuple[int, int]:
    """The most hits and, with so many, the most equal dates, from all matchings."""
    if not predicted:
        return 0, 0
    day, rest = predicted[0], predicted[1:]
    results = [best(gold, rest, tolerance, grain)]
    first, last = day.cells(grain)
    for other in gold:
        gold_first, gold_last = other.cells(grain)
        if gold_first - tolerance <= first and last <= gold_last + tolerance:
            hits, equals = best([g for g in gold if g != other], rest, tolerance, grain)
            results.append((hits + 1, equals + day.equal(other, grain)))
    return max(results)


def one_of_each(days: list[str], grain: str) -> list[Time]:
    return list({Time.parse(day).cells(grain): Time.parse(day) for day in sorted(days)}.values())


@pytest.mark.parametrize("grain", ["day", "hour", "week", "month"])
def test_no_matching_has_more_hits_nor_more_equal_dates(grain: str) -> None:
    random = Random(20)
    for _ in range(200):
        gold, predicted, tolerance = drawn(random)
        pairs = found(matches(gold, predicted, tolerance, grain))
        equals = sum(Time.parse(one).equal(Time.parse(other), grain) for one, other in pairs)
        golds, others = (one_of_each(days, grain) for days in (gold, predicted))
        expected = best(golds, others, tolerance, grain)
        assert (len(pairs), equals) == expected, (gold, predicted, tolerance)


def test_days_alone_obey_the_laws_that_months_break() -> None:
    random = Random(5)
    days = [(date(2020, 1, 1) + timedelta(n)).isoformat() for n in range(9)]
    for _ in range(40):
        gold, predicted = (random.sample(days, random.randint(1, 5)) for _ in range(2))
        tolerance = random.randint(0, 2)
        one, other = scores(gold, predicted, tolerance), scores(predicted, gold, tolerance)
        assert (one["precision"], one["recall"]) == (other["recall"], other["precision"])
        before = scores(gold, predicted)["f1"]
        for day in set(gold) - set(predicted):
            assert scores(gold, [*predicted, day])["f1"] >= before
