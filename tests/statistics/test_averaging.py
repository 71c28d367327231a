"""Averages by hand: each path, each policy, and weights."""

import numpy as np
import pytest

from chronoscore.core.evidence_table import flat
from chronoscore.errors import UsageError
from chronoscore.families import family
from chronoscore.statistics.averaging import Path, Rule, average, curve, finish, phi, scores_of
from chronoscore.statistics.exact import exact_sum
from chronoscore.statistics.labels import labelled
from chronoscore.statistics.ratios import Array

DATE_F1 = family("timelines").metric("date-f1")
LEVELS = ("gold", "topic")
# (hits, predicted, hits, gold): topic a has two golds, topic b has one.
ROWS = np.array([[1, 2, 1, 4], [2, 2, 2, 2], [3, 10, 3, 5]], dtype=float)
TAGS = [
    {"gold": "1", "topic": "a"},
    {"gold": "2", "topic": "a"},
    {"gold": "1", "topic": "b"},
]
F = [1 / 3, 1.0, 0.4]  # of each row: 2PR/(P+R)


def f_of(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize(
    ("path", "f1"),
    [
        ("micro", f_of(6 / 14, 6 / 11)),
        ("macro", sum(F) / 3),
        ("gold:mean-f > topic:mean-f", ((F[0] + F[1]) / 2 + F[2]) / 2),
        ("gold+topic:mean-pr", f_of((0.5 + 1 + 0.3) / 3, (0.25 + 1 + 0.6) / 3)),
        ("gold:sum > topic:mean-pr", f_of((3 / 4 + 0.3) / 2, (3 / 6 + 0.6) / 2)),
        ("gold:sum > topic:mean-f", (f_of(3 / 4, 3 / 6) + F[2]) / 2),
        ("gold:sum > topic:sum", f_of(6 / 14, 6 / 11)),
        (
            "gold:mean-pr > topic:mean-f",
            (f_of((0.5 + 1) / 2, (0.25 + 1) / 2) + F[2]) / 2,
        ),
    ],
)
def test_paths_by_hand(path: str, f1: float) -> None:
    scores = average(DATE_F1, ROWS, labelled(TAGS), Path.parse(path, LEVELS), "zero")
    assert scores[2] == pytest.approx(f1, abs=1e-15)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("topic:mean-f", "expected gold then topic"),
        ("topic:mean-f > gold:mean-f", "expected gold then topic"),
        ("gold+topic:median", "with a rule of"),
        ("gold+topic", "with a rule of"),
        ("gold:mean-f > topic:sum", "only be averaged by mean-f"),
        ("gold:mean-f > topic:mean-pr", "only be averaged by mean-f"),
    ],
)
def test_wrong_paths_are_explained(path: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Path.parse(path, LEVELS)


NOTHING_PREDICTED = np.array([0.0, 0.0, 0.0, 4.0])
NOTHING_AT_ALL = np.zeros(4)


@pytest.mark.parametrize(
    ("policy", "one_side", "both_sides"),
    [
        ("zero", [0, 0, 0], [0, 0, 0]),
        ("one", [1, 0, 0], [1, 1, 1]),
        ("agree", [0, 0, 0], [1, 1, 1]),
    ],
)
def test_policies_for_what_is_undefined(
    policy: str, one_side: list[float], both_sides: list[float]
) -> None:
    assert scores_of(DATE_F1, NOTHING_PREDICTED, policy).tolist() == one_side  # type: ignore[arg-type]
    assert scores_of(DATE_F1, NOTHING_AT_ALL, policy).tolist() == both_sides  # type: ignore[arg-type]


def test_skipped_rows_do_not_count_in_a_mean() -> None:
    rows = np.vstack([ROWS, NOTHING_AT_ALL])
    tags = [*TAGS, {"gold": "2", "topic": "b"}]
    path = Path.parse("macro", LEVELS)
    assert average(DATE_F1, rows, labelled(tags), path, "skip")[2] == pytest.approx(sum(F) / 3)
    assert average(DATE_F1, rows, labelled(tags), path, "zero")[2] == pytest.approx(sum(F) / 4)
    assert np.isnan(average(DATE_F1, NOTHING_AT_ALL[None], labelled(tags[:1]), path, "skip")).all()


def weighed_scores(rows: Array, rule: Rule, weights: Array) -> Array:
    sums = weights @ phi(DATE_F1, rows, rule, "zero", linked=False)
    return finish(DATE_F1, sums, rule, "zero")


@pytest.mark.parametrize("rule", ["sum", "mean-f", "mean-pr"])
def test_weights_of_one_are_no_weights(rule: Rule) -> None:
    tags = labelled([{"gold": "g", "topic": str(row)} for row in range(len(ROWS))])
    plain = average(DATE_F1, ROWS, tags, Path.parse(f"gold+topic:{rule}", LEVELS), "zero")
    weighed = weighed_scores(ROWS, rule, np.ones((5, 3)))
    assert weighed.shape == (5, 3)
    assert np.allclose(weighed, plain, rtol=0, atol=1e-15)


def test_leaving_one_out_is_a_matrix_of_weights() -> None:
    weights = 1 - np.eye(3)
    left = weighed_scores(ROWS, "sum", weights)
    for row in range(3):
        rest = np.delete(ROWS, row, axis=0)
        assert np.allclose(left[row], weighed_scores(rest, "sum", np.ones(2)))


def test_sums_are_exact_in_any_order() -> None:
    rows = np.array([[1e16], [1.0], [-1e16], [0.1]])
    assert exact_sum(rows)[0] == exact_sum(rows[::-1])[0] == 1.1


def test_curves_add_up_although_documents_lack_thresholds() -> None:
    base = np.array([5.0, 0.0])
    steps = ((0.9, (0, 1)), (0.5, (0, 1)), (0.7, (0, 3)))
    thresholds, counts = curve(*flat([steps], 2), base)
    assert thresholds.tolist() == [0.9, 0.7, 0.5]
    assert counts.tolist() == [[5, 1], [5, 4], [5, 5]]
    assert curve(*flat([], 2), base)[1].shape == (0, 2)
