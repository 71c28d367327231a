"""Pairs, rank correlation and anchors of matched events."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.core.case import Case
from chronoscore.errors import DataError
from chronoscore.ordering.family import FAMILY
from chronoscore.ordering.metrics import (
    MOST_EVENTS,
    agreed_parts,
    matched_events,
    named_events,
    order_counts,
    order_links,
)
from chronoscore.ordering.model import TargetTimeline, TimelineRow
from chronoscore.ordering.pairwise import pairwise

POSITIONS = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=12)


def scores(name: str, gold: TargetTimeline, system: TargetTimeline) -> dict[str, float]:
    metric = FAMILY.metric(name)
    comparison = FAMILY.compare(Case("c", gold, system), metric.setting)
    linked = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    return dict(zip(metric.scores, map(float, linked), strict=True))


def timeline(*rows: tuple[Any, ...]) -> TargetTimeline:
    return TargetTimeline(
        tuple(TimelineRow(position, anchor, tuple(names)) for position, anchor, *names in rows)
    )


def chain(mentions: str, anchor: str = "XXXX-XX-XX") -> TargetTimeline:
    return TargetTimeline(
        tuple(TimelineRow(n, anchor, (name,)) for n, name in enumerate(mentions, 1))
    )


@given(POSITIONS)
def test_order_counts_are_what_looking_at_every_pair_finds(
    positions: list[tuple[int, int]],
) -> None:
    signs = [
        (np.sign(one[0] - two[0]), np.sign(one[1] - two[1]))
        for one, two in combinations(positions, 2)
    ]
    found = order_counts(positions)
    assert found.concordant == sum(a == b != 0 for a, b in signs)
    assert found.discordant == sum(a == -b != 0 for a, b in signs)
    assert found.tied_in_gold == sum(a == 0 != b for a, b in signs)
    assert found.tied_in_system == sum(a != 0 == b for a, b in signs)
    assert found.tied_in_both == sum(a == b == 0 for a, b in signs)
    assert sum(found) == len(signs)


@given(POSITIONS)
@settings(deadline=None)  # scipy is imported in the first run
def test_tau_is_that_of_scipy(positions: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    gold = TargetTimeline(
        tuple(TimelineRow(g, "2001", (str(n),)) for n, (g, _) in enumerate(positions))
    )
    system = TargetTimeline(
        tuple(TimelineRow(s, "2001", (str(n),)) for n, (_, s) in enumerate(positions))
    )
    our_tau = scores("tau", gold, system)["tau"]
    scipy_tau = np.nan
    if len(positions) > 1:
        scipy_tau = stats.kendalltau(*zip(*positions, strict=True)).statistic
    assert our_tau == pytest.approx(scipy_tau, nan_ok=True)


@given(POSITIONS, st.integers(0, 3))
def test_pairs_of_events_are_those_of_the_general_score(
    positions: list[tuple[int, int]], lost: int
) -> None:
    gold = TargetTimeline(
        tuple(TimelineRow(g, "2001", (str(n),)) for n, (g, _) in enumerate(positions))
    )
    system = TargetTimeline(
        tuple(TimelineRow(s, "2001", (str(n),)) for n, (_, s) in enumerate(positions))
    )
    system = TargetTimeline(system.rows[lost:])
    metric = FAMILY.metric("pairwise(mode=order)")
    events = matched_events(gold, system)
    general = pairwise(order_links(events.gold.values()), order_links(events.system.values()))
    assert metric.measure(events).statistics == tuple(general)


def test_a_reversed_timeline_has_no_pair_right() -> None:
    gold, reverse = chain("abcde"), chain("edcba")
    assert scores("pairwise(mode=order)", gold, reverse)["f1"] == 0
    assert scores("tau", gold, reverse)["tau"] == -1
    assert scores("semeval2015(mode=order)", gold, reverse)["f1"] == 0


def test_contradiction_saves_a_reversed_timeline_in_the_official_score_only() -> None:
    gold = chain("abcde", "2001")  # one anchor, so that every link of the order is violated
    reverse = TargetTimeline(
        tuple(TimelineRow(6 - row.position, "2001", row.mentions) for row in gold.rows)
    )
    assert scores("semeval2015", gold, reverse)["f1"] > 0.5
    assert scores("pairwise(mode=order)", gold, reverse)["f1"] == 0


def test_a_mention_three_times_apart_is_matched_with_itself() -> None:
    gold = timeline((1, "2001", "a"), (2, "2001", "b", "a"), (3, "2001-05", "a"))
    assert scores("semeval2015", gold, gold)["f1"] < 1
    for name in ("pairwise", "anchors", "anchors(credit=graded)"):
        assert scores(name, gold, gold)["f1"] == 1
    assert scores("tau", gold, gold)["tau"] == 1


def test_names_tell_repeated_mentions_apart_even_from_texts_that_look_so() -> None:
    events = named_events(timeline((1, "2001", "a", "a"), (2, "2001", "a (2)")))
    assert list(events) == ["a", "a (2)", "a (2) (1)"]


def test_events_without_a_position_and_unknown_dates_are_no_claims() -> None:
    gold = timeline((0, "2001", "a"), (1, "XXXX-XX-XX", "b"), (2, "2002", "c"))
    metric = FAMILY.metric("pairwise")
    assert metric.measure(matched_events(gold, gold)).statistics == (2, 2, 2)
    assert scores("anchors", gold, gold)["recall"] == 1


@pytest.mark.parametrize(
    ("said", "true", "precision", "recall"),
    [
        ("2008-02-17", "2008-02-17", 1, 1),
        ("2008-02-18", "2008-02-17", 2 / 3, 2 / 3),
        ("2008-02", "2008-02-17", 1, 2 / 3),
        ("2008", "2008-02-17", 1, 1 / 3),
        ("2008-03-17", "2008-02-17", 1 / 3, 1 / 3),
        ("2009-02-17", "2008-02-17", 0, 0),
        ("2008-XX-XX", "2008-02-17", 1, 1 / 3),
        ("XXXX-XX-XX", "2008-02-17", np.nan, 0),
        ("PRESENT_REF", "PRESENT_REF", 1, 1),
        ("PRESENT_REF", "2008", 0, 0),
    ],
)
def test_graded_credit_is_the_share_of_a_date_that_is_right(
    said: str, true: str, precision: float, recall: float
) -> None:
    found = scores("anchors(credit=graded)", timeline((1, true, "a")), timeline((1, said, "a")))
    assert found["precision"] == pytest.approx(precision, nan_ok=True)
    assert found["recall"] == pytest.approx(recall, nan_ok=True)
    exact = scores("anchors", timeline((1, true, "a")), timeline((1, said, "a")))
    assert exact["recall"] == (said == true)


def test_years_months_and_days_are_told_apart() -> None:
    gold = timeline((1, "2001-05-07", "a"), (2, "2001-06", "b"), (3, "1999", "c"))
    system = timeline((1, "2001-05-08", "a"), (2, "2001-06", "b"), (3, "2000", "c"))
    found = scores("anchors", gold, system)
    assert (found["year"], found["month"], found["day"]) == (2 / 3, 1, 0)
    assert found["f1"] == pytest.approx(1 / 3)


def test_a_right_month_of_a_wrong_year_is_wrong() -> None:
    assert agreed_parts("2001-05", "2002-05") == 0


def test_lost_events_lower_coverage_and_not_tau() -> None:
    found = scores("tau", chain("abcd"), chain("ac"))
    assert (found["tau"], found["pair_accuracy"], found["coverage"]) == (1, 1, 0.5)
    assert np.isnan(scores("tau", chain("abcd"), chain("a"))["tau"])


def test_a_closure_that_does_not_fit_is_refused_and_pairs_are_still_counted() -> None:
    rows = tuple(TimelineRow(n, "2001", (str(n),)) for n in range(1, MOST_EVENTS + 2))
    long = TargetTimeline(rows)
    with pytest.raises(DataError, match=f"c: the gold has {MOST_EVENTS + 1} events"):
        FAMILY.compare(Case("c", long, TargetTimeline(())), "full")
    assert scores("pairwise", long, replace(long))["f1"] == 1
