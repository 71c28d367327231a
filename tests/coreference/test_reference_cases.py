"""The test cases of the reference scorer of CoNLL-2011 and 2012, and one by hand.

Cases TC-A to TC-N and what is expected of them are documented with the scorer
(github.com/conll/reference-coreference-scorers, test/TestCases.README and
test/CorefMetricTestConfig.pm). TC-A to TC-C are of Luo, TC-D and TC-E of Bagga and Baldwin 1998,
TC-F to TC-L of Vilain et al. 1995, TC-M and TC-N are the edges of BLANC. Clusters are written as
words, mentions as letters. Where the scorer says 0 for 0/0, the score here is undefined, and the
policy `zero` of the protocol makes it 0.
"""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest
from every import each

from chronoscore.core.case import Case
from chronoscore.ordering.coreference.family import FAMILY
from chronoscore.ordering.coreference.model import Clustering
from chronoscore.statistics.averaging import scores_of

KEY = "a bc def"
ALL, ONES = "abcdef", "a b c d e f"
METRICS = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
Scores = tuple[Fraction | float, Fraction | float]
"""Recall and precision, as the scorer lists them."""


@dataclass(frozen=True)
class Example:
    """Two partitions and what is expected of them."""

    name: str
    gold: str
    predicted: str
    expected: dict[str, Scores]
    f: dict[str, float] = field(default_factory=dict)
    """Where only F is documented, or F is not that of precision and recall."""


EXAMPLES = [
    Example(
        "A1: perfect",
        KEY,
        "a bc def",
        dict.fromkeys(METRICS, (1, 1)),
    ),
    Example(
        "A2: mentions and a cluster are missing",
        KEY,
        "a de",
        {
            "muc": (Fraction(1, 3), 1),
            "b3": (Fraction(7, 18), 1),
            "ceafm": (Fraction(1, 2), 1),
            "ceafe": (0.6, 0.9),
            "blanc": (0.21591, 1),
            "lea": (Fraction(1, 3), 1),
        },
        {"blanc": 0.35385},
    ),
    Example(
        "A3: too many mentions and clusters",
        KEY,
        "a bcx defy z",
        {
            "muc": (1, Fraction(3, 5)),
            "b3": (1, Fraction(55, 108)),
            "ceafm": (1, Fraction(2, 3)),
            "ceafe": (0.88571, 0.66429),
            "blanc": (1, 0.42593),
            "lea": (1, Fraction(4, 9)),
        },
        {"blanc": 0.59717},
    ),
    Example(
        "A4: some missing, some too many",
        KEY,
        "a bcx dy z",
        {
            "muc": (Fraction(1, 3), Fraction(1, 3)),
            "b3": (Fraction(5, 9), Fraction(17, 42)),
            "ceafm": (Fraction(2, 3), Fraction(4, 7)),
            "ceafe": (0.73333, 0.55),
            "blanc": (0.35227, 0.27206),
            "lea": (Fraction(1, 2), Fraction(2, 7)),
        },
        {"blanc": 0.30357},
    ),
    Example(
        "A5: a mention that overlaps, in the aligned cluster",
        KEY,
        "a bcxB dy z",
        {
            "muc": (Fraction(1, 3), Fraction(1, 4)),
            "b3": (Fraction(5, 9), Fraction(5, 16)),
            "ceafm": (Fraction(2, 3), Fraction(1, 2)),
            "ceafe": (0.68889, 0.51667),
            "blanc": (0.35227, 0.19048),
            "lea": (Fraction(1, 2), Fraction(5, 24)),
        },
        {"blanc": 0.24716},
    ),
    Example(
        "A6: a mention that overlaps, in another cluster",
        KEY,
        "a bcx dy Bz",
        {
            "muc": (Fraction(1, 3), Fraction(1, 4)),
            "b3": (Fraction(5, 9), Fraction(17, 48)),
            "ceafm": (Fraction(2, 3), Fraction(1, 2)),
            "ceafe": (0.73333, 0.55),
            "blanc": (0.35227, 0.20870),
            "lea": (Fraction(1, 2), Fraction(1, 4)),
        },
        {"blanc": 0.25817},
    ),
    Example(
        "A10: only singletons",
        KEY,
        ONES,
        {
            "muc": (0, 0),
            "b3": (Fraction(1, 2), 1),
            "blanc": (0.5, 0.36667),
            "lea": (Fraction(1, 6), Fraction(1, 6)),
        },
        {"blanc": 0.42308},
    ),
    Example(
        "A11: all in one",
        KEY,
        ALL,
        {
            "muc": (1, Fraction(3, 5)),
            "b3": (1, Fraction(7, 18)),
            "blanc": (0.5, 0.13333),
            "lea": (Fraction(5, 6), Fraction(4, 15)),
        },
        {"blanc": 0.21053},
    ),
    Example(
        "A12: other mentions, only singletons",
        KEY,
        "a x y c d e z",
        {
            "muc": (0, 0),
            "b3": (Fraction(13, 36), Fraction(4, 7)),
            "blanc": (0.22727, 0.11905),
            "lea": (Fraction(1, 6), Fraction(1, 7)),
        },
        {"blanc": 0.15625},
    ),
    Example(
        "A13: other mentions, all in one",
        KEY,
        "axycdez",
        {
            "muc": (Fraction(1, 3), Fraction(1, 6)),
            "b3": (Fraction(17, 36), Fraction(6, 49)),
            "blanc": (0.125, 0.02381),
            "lea": (Fraction(1, 6), Fraction(1, 21)),
        },
        {"blanc": 0.04},
    ),
    Example(
        "B1",
        "ab cde",
        "bcx de",
        {"blanc": (Fraction(7, 24), Fraction(7, 24)), "lea": (Fraction(1, 5), Fraction(2, 5))},
        {"blanc": 7 / 24},
    ),
    Example(
        "C1",
        "ab cde fg",
        "bcx de fg",
        {"blanc": (Fraction(41, 80), Fraction(41, 80)), "lea": (Fraction(3, 7), Fraction(4, 7))},
        {"blanc": 0.5125},
    ),
    Example(
        "D1: a small cluster merged with a big one",
        "12345 67 89ABC",
        "12345 6789ABC",
        {
            "muc": (1, Fraction(9, 10)),
            "b3": (1, Fraction(16, 21)),
            "lea": (1, (5 + Fraction(77, 21)) / 12),
        },
        {"b3": 0.864864865, "muc": 0.947368421},
    ),
    Example(
        "E1: two big clusters merged",
        "12345 67 89ABC",
        "1234589ABC 67",
        {
            "muc": (1, Fraction(9, 10)),
            "b3": (1, Fraction(7, 12)),
            "lea": (1, (Fraction(40, 9) + 2) / 12),
        },
        {"b3": 0.736842105, "muc": 0.947368421},
    ),
    Example("F1", "ABCD", "AB CD", {"muc": (Fraction(2, 3), 1), "lea": (Fraction(1, 3), 1)}),
    Example("G1", "AB CD", "ABCD", {"muc": (1, Fraction(2, 3)), "lea": (1, Fraction(1, 3))}),
    Example("H1", "ABCD", "ABCD", {"muc": (1, 1), "lea": (1, 1)}),
    Example("J1", "ABC", "AC", {"muc": (Fraction(1, 2), 1), "lea": (Fraction(1, 3), 1)}),
    Example(
        "K1",
        "BCDEGHJ",
        "ABC DEF GHI",
        {"muc": (Fraction(1, 2), Fraction(1, 2)), "lea": (Fraction(1, 7), Fraction(1, 3))},
    ),
    Example(
        "L1",
        "ABC DEFG",
        "AB CD FGH",
        {"muc": (Fraction(2, 5), Fraction(1, 2)), "lea": (Fraction(5, 21), Fraction(3, 7))},
    ),
    Example("M1", ALL, ALL, dict.fromkeys(METRICS, (1, 1))),
    Example("M2", ALL, ONES, {"muc": (0, 0), "blanc": (0, 0), "lea": (0, 0)}, {"blanc": 0}),
    Example(
        "M3",
        ALL,
        "ab cde f",
        {"blanc": (Fraction(4, 15), 1), "lea": (Fraction(4, 15), Fraction(5, 6))},
        {"blanc": 8 / 19},
    ),
    Example(
        "M4",
        ALL,
        "abcxyz",
        {"blanc": (Fraction(1, 5), Fraction(1, 5)), "lea": (Fraction(1, 5), Fraction(1, 5))},
    ),
    Example("M5", ALL, "a b c x y z", {"muc": (0, 0), "blanc": (0, 0), "lea": (0, 0)}),
    Example(
        "M6",
        ALL,
        "ab cxy z",
        {"blanc": (Fraction(1, 15), Fraction(1, 4)), "lea": (Fraction(1, 15), Fraction(1, 3))},
    ),
    Example(
        "N1",
        ONES,
        ONES,
        {**dict.fromkeys(METRICS, (1, 1)), "muc": (0, 0)},
    ),
    Example("N2", ONES, ALL, {"blanc": (0, 0), "lea": (0, 0)}),
    Example(
        "N3",
        ONES,
        "ab cde f",
        {"blanc": (Fraction(11, 15), 1), "lea": (Fraction(1, 6), Fraction(1, 6))},
    ),
    Example(
        "N4",
        ONES,
        "a b c x y z",
        {
            "muc": (0, 0),
            "blanc": (Fraction(1, 5), Fraction(1, 5)),
            "lea": (Fraction(1, 2), Fraction(1, 2)),
        },
    ),
    Example("N5", ONES, "abcxyz", {"blanc": (0, 0), "lea": (0, 0)}),
    Example("N6", ONES, "ab cxy z", {"blanc": (Fraction(2, 15), Fraction(2, 11)), "lea": (0, 0)}),
    Example(
        "by hand, after the formulas of Pradhan et al. 2014",
        "abc defg",
        "ab cd fghi",
        {
            "muc": (Fraction(2, 5), Fraction(2, 5)),
            "b3": (Fraction(35, 12) / 7, Fraction(4, 8)),
            "ceafm": (Fraction(4, 7), Fraction(4, 8)),
            "ceafe": (0.65, 0.43333),
            "blanc": (
                (Fraction(2, 9) + Fraction(8, 12)) / 2,
                (Fraction(2, 8) + Fraction(8, 20)) / 2,
            ),
        },
        {"blanc": (4 / 17 + 16 / 32) / 2},
    ),
]


def scores(metric: str, gold: str, predicted: str) -> tuple[float, float, float]:
    """Precision, recall and F under the protocol's policy for what is undefined."""
    found = FAMILY.metric(metric)
    case = Case("c", Clustering.of(gold.split()), Clustering.of(predicted.split()))
    statistics = found.measure(FAMILY.compare(case, found.setting)).statistics
    linked = scores_of(found, np.array(statistics, dtype=float), "zero")
    return float(linked[0]), float(linked[1]), float(linked[2])


@each(
    ("example", "metric"),
    [
        pytest.param(example, metric, id=f"{example.name} {metric}")
        for example in EXAMPLES
        for metric in example.expected
    ],
)
def test_scores_are_those_of_the_reference_scorer(example: Example, metric: str) -> None:
    recall, precision = (float(value) for value in example.expected[metric])
    both = precision + recall
    f = example.f.get(metric, 2 * precision * recall / both if both else 0.0)
    found = scores(metric, example.gold, example.predicted)
    assert found == pytest.approx((precision, recall, f), abs=5.1e-6)


@pytest.mark.parametrize(
    ("gold", "predicted", "f"),
    [
        ("a", "b", None),  # no link on any side: undefined
        ("a b", "a b", 1),  # (2) no coreference links: only the others count
        ("ab", "ab", 1),  # (3) no other links
        (ONES, "ab cxy z", 2 / 13),  # as in N6 the reference scorer: 2·2/(15 + 11)
    ],
)
def test_edges_of_blanc(gold: str, predicted: str, f: float | None) -> None:
    found = FAMILY.metric("blanc")
    case = Case("c", Clustering.of(gold.split()), Clustering.of(predicted.split()))
    statistics = np.array(found.measure(FAMILY.compare(case, None)).statistics, dtype=float)
    assert found.link(statistics)[2] == pytest.approx(np.nan if f is None else f, nan_ok=True)


def test_luo_leaves_a_kind_of_link_out_only_if_no_side_has_it() -> None:
    precision, recall, f = scores("blanc(edges=luo2014)", ONES, "ab cxy z")
    assert f == pytest.approx((0 + 4 / 26) / 2)
    assert (precision, recall) == pytest.approx((1 / 11, 1 / 15))
    assert scores("blanc(edges=luo2014)", ONES, ONES) == (1, 1, 1)


def test_blanc_of_the_reference_scorer_does_not_swap() -> None:
    assert scores("blanc", "a b c", "ab c")[0] == 1
    assert scores("blanc", "ab c", "a b c")[1] == 0.5
    assert scores("blanc(edges=luo2014)", "a b c", "ab c")[0] == 0.5


def test_conll_is_the_mean_of_three() -> None:
    parts = [scores(metric, KEY, "a bcx dy z") for metric in ("muc", "b3", "ceafe")]
    means = tuple(sum(column) / 3 for column in zip(*parts, strict=True))
    assert scores("conll", KEY, "a bcx dy z") == pytest.approx(means)
    b3 = 2 * (5 / 9) * (17 / 42) / (5 / 9 + 17 / 42)
    assert means[2] == pytest.approx((1 / 3 + b3 + 4.4 / 7) / 3)
