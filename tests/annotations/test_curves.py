"""Curves over thresholds: which thresholds, what never changes, and what a curve is worth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.cases import CASES, AnyCase

from chronoscore.annotations.curves import (
    AREAS,
    area,
    areas,
    average_precision,
    eleven_point,
    levels,
    thresholds,
)
from chronoscore.annotations.curves import roc_area as roc
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.comparing import batch_of
from chronoscore.annotations.model import COUNTERS, Annotation, Document
from chronoscore.core.case import Case
from chronoscore.engines.assemble import MOST_POINTS
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import DataError, UsageError

unhurried = settings(deadline=None)  # machines differ


def scored(*spans: tuple[int, int, float | None]) -> Document:
    made = (Annotation(str(n), "T", s, e, {}, score) for n, (s, e, score) in enumerate(spans))
    return Document("d", tuple(made))


def case(gold: Document, predicted: Document) -> AnyCase:
    return Case("d", gold, predicted, {"gold": "1", "document": "d"})


@unhurried
@given(
    st.sampled_from(["all", "rounded", "11", "51", "0.2/0.75"]),
    st.lists(st.tuples(st.integers(0, 3), st.floats(-1, 2).map(lambda n: round(n, 3)))),
)
def test_a_response_appears_at_the_highest_threshold_it_reaches(
    kind: str, drawn: list[tuple[int, float]]
) -> None:
    document = np.array([where for where, _ in drawn], np.int64)
    score_of = np.array([value for _, value in drawn])
    found = levels(kind, document, score_of)
    for place, (where, value) in enumerate(drawn):
        own = thresholds(kind, [other for at, other in drawn if at == where])
        reached = [level for level in own if level <= value]
        expected = max(reached) if reached else np.nan
        assert found[place] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@unhurried
@given(st.lists(CASES["annotations"], min_size=1, max_size=3))
def test_no_threshold_loses_a_target_and_responses_only_grow(cases: list[AnyCase]) -> None:
    named = [Case(f"c{n}", c.gold, c.predicted, dict(c.tags)) for n, c in enumerate(cases)]
    settings = Settings.make(FAMILY, metrics=["spans", "spans-curve"])
    plain, curved = score(settings, {"s": named}).result.systems[0].summaries
    targets = plain.statistics[0]
    responses = [point.statistics[1] for point in curved.curve]
    assert all(point.statistics[0] == targets for point in curved.curve)
    assert responses == sorted(responses)
    if curved.curve:
        assert curved.curve[-1].statistics == plain.statistics


def test_without_scores_there_is_no_curve() -> None:
    metric = FAMILY.metric("spans-curve")
    gold, predicted = scored((0, 1, None)), scored((0, 1, None), (2, 3, 0.5))
    with pytest.raises(DataError, match=r"document 'd': a curve needs a finite score .*: 0"):
        metric.measure(FAMILY.compare(case(gold, predicted), metric.setting))


def test_the_message_about_missing_scores_has_the_ids_of_one_document() -> None:
    spans = scored((0, 1, None), (2, 3, None)).annotations
    documents = [Document(name, spans) for name in ("d", "e")]
    cases = [Case(one.id, one, one, {"gold": "1", "document": one.id}) for one in documents]
    metric = FAMILY.metric("spans-curve")
    measure = metric.definition.measure_batch
    assert measure is not None
    with pytest.raises(DataError, match=r"document 'd': .*; without one: 0, 1$"):
        measure(batch_of(cases).columns, metric.values)


@pytest.mark.parametrize("wrong", ["some", "0.5/x", "inf", ""])
def test_thresholds_are_named_or_numbers(wrong: str) -> None:
    with pytest.raises(UsageError, match="thresholds are"):
        FAMILY.metric("spans-curve").definition(thresholds=wrong)


def test_a_perfect_order_has_the_greatest_areas() -> None:
    responses, correct = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 2.0, 2.0])
    assert average_precision(responses, correct, 2) == 1
    assert area(responses, correct, 2) == pytest.approx(1)
    assert eleven_point(responses, correct, 2) == 1
    assert roc(responses, correct) == 1


def test_areas_of_a_small_curve_by_hand() -> None:
    responses, correct = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0])
    assert average_precision(responses, correct, 4) == pytest.approx((1 + 0.5) / 4)
    # Recall reaches 0.25 at precision 1 and 0.5 at precision 0.5.
    assert eleven_point(responses, correct, 4) == pytest.approx((3 * 1 + 3 * 0.5) / 11)
    # From (0, 0) up to (0, 1/2), along to (1/2, 1/2), and straight to (1, 1).
    assert roc(responses, correct) == pytest.approx(0.5 * 0.5 + 0.5 * 0.75)


@unhurried
@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=8),
    st.integers(1, 10),
)
def test_the_area_is_what_many_small_steps_add_up_to(
    drawn: list[tuple[bool, float]], more: int
) -> None:
    ordered = sorted(drawn, key=lambda one: -one[1])
    # Groups of three responses share a threshold, so that points are apart.
    correct = np.cumsum([one[0] for one in ordered]).astype(np.float64)[2::3]
    responses = np.arange(1.0, len(ordered) + 1)[2::3]
    targets = float(len(drawn) + more)
    total, x0, n0 = 0.0, 0.0, 0.0
    for n1, x1 in zip(responses, correct, strict=True):
        steps = np.linspace(0, 1, 20_001)
        x, n = x0 + steps * (x1 - x0), n0 + steps * (n1 - n0)
        precision = np.divide(x, n, out=np.full_like(x, x1 / n1), where=n > 0)
        total += float(np.trapezoid(precision, x))
        x0, n0 = x1, n1
    assert area(responses, correct, targets) == pytest.approx(total / targets, abs=1e-6)


def test_areas_without_targets_or_responses_are_undefined_or_nothing() -> None:
    none = np.zeros((0, len(COUNTERS)))
    assert np.isnan(areas(none)).all()
    assert len(areas(none)) == len(AREAS)
    only_targets = np.zeros((1, len(COUNTERS)))
    only_targets[0, 0] = 3
    found = dict(zip(AREAS, areas(only_targets), strict=True))
    assert found["strict_average_precision"] == found["strict_area"] == 0
    assert np.isnan(found["strict_roc_area"])


def test_a_long_curve_is_told_by_some_of_its_points() -> None:
    size = 2 * MOST_POINTS
    spans = [(3 * n, 3 * n + 2, n / size) for n in range(size)]
    settings = Settings.make(FAMILY, metrics=["spans-curve"])
    result = score(settings, {"s": [case(scored(*spans), scored(*spans))]}).result
    (summary,) = result.systems[0].summaries
    assert MOST_POINTS <= len(summary.curve) <= MOST_POINTS + 1
    assert summary.scores["strict_f1"] == 1
    assert summary.scores["threshold"] == 0
    assert summary.scores["strict_average_precision"] == 1
