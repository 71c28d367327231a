"""No interval leaves what its number can be: scores, differences, and coefficients."""

from collections.abc import Mapping, Sequence
from math import inf, isnan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chronoscore
from chronoscore.core.case import Case
from chronoscore.core.evidence_table import unite
from chronoscore.core.metric import Metric
from chronoscore.core.result import ResultDocument
from chronoscore.demo import SYSTEMS, home
from chronoscore.engines.assemble import assemble
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import IntervalPlan, Settings
from chronoscore.families import NAMES, family
from chronoscore.rubric.codebook import Codebook, Criterion, Level
from chronoscore.rubric.family import rubric_family
from chronoscore.rubric.judgements import Judgement
from chronoscore.statistics.agreement import COEFFICIENTS, coefficient, estimates
from chronoscore.statistics.ratings import Ratings

FILES: dict[str, Path] = {name: home() / f"{name}.jsonl" for name in SYSTEMS}


def criterion(name: str, *values: int) -> Criterion:
    levels = tuple(Level(value, f"is {value}") for value in values)
    return Criterion(name.title(), name, "1", "ordinal", "?", levels)


BOOK = Codebook(
    name="short",
    version="1",
    title="Short",
    source="us",
    score="Q2",
    comment="Note",
    criteria=(criterion("sign", -2, 0, 2), criterion("use", 1, 3, 5)),
)
OWN = rubric_family(BOOK)


def judged(values: Sequence[tuple[int, int]]) -> list[Case[str, Judgement]]:
    return [
        Case(
            f"e{at}/ana",
            "short 1",
            Judgement(f"e{at}", "ana", own),
            {"event": f"e{at}", "judgement": "ana", "evaluator": "ana", "article": f"a{at}"},
        )
        for at, own in enumerate(values)
    ]


def own_result(chance: IntervalPlan | None = None) -> ResultDocument:
    systems = {"s": judged([(2, 5), (-2, 1)]), "t": judged([(-2, 1), (2, 3)])}
    return score(Settings.make(OWN, chance=chance), systems).result


def test_an_own_codebook_bounds_its_score_and_criteria() -> None:
    metric = OWN.metric("q2")
    assert [metric.range(name) for name in metric.scores] == [(0, 1), (-2, 2), (1, 5)]
    for system in own_result(IntervalPlan()).systems:
        (summary,) = system.summaries
        assert summary.intervals["q2"].high == 1
        assert summary.intervals["sign"].low == -2
        assert (summary.intervals["use"].low, summary.intervals["use"].high) == (1, 5)


def test_compare_bounds_scores_and_their_difference() -> None:
    made = contrast(OWN, [own_result()], Question())
    (metric,) = made.metrics
    for ranked in metric.ranking:
        assert ranked.interval is not None
        assert (ranked.interval.low, ranked.interval.high) == (0, 1)
    sure = metric.pairs[0].interval
    assert sure is not None
    assert (sure.low, sure.high) == (-1, 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_interval_lies_in_the_range_of_its_score(name: str) -> None:
    home_family = family(name)
    if name == "rubric":
        result = chronoscore.score(name, None, home() / "judgements.csv").document
    else:
        every = [d.name for d in home_family.definitions if not d.curve]
        if name == "annotations":
            every = [one for one in every if "candidates" not in one and "max" not in one]
            every.remove("classification")
        if name == "events":
            every = [one for one in every if one not in ("event-strict", "event-facts")]
        if name == "tlinks":
            every = [one for one in every if one not in ("events", "timexes")]  # of TimeML alone
        result = chronoscore.score(name, home() / "gold.jsonl", FILES, metrics=every).document
    metrics = [info.name for info in result.metrics]
    few = {system.name: unite(list(system.rows)[:6]) for system in result.systems}
    settings = Settings.make(home_family, metrics=metrics, chance=IntervalPlan())
    for system in assemble(settings, few).systems:
        for summary in system.summaries:
            metric = home_family.metric(summary.metric)
            for score_name, sure in summary.intervals.items():
                least, most = metric.range(score_name)
                value = summary.scores[score_name]
                assert value is not None
                assert least <= sure.low <= value <= sure.high <= most


RANGES: Mapping[tuple[str, str], Mapping[str, tuple[float, float]]] = {
    ("ordering", "tau"): {"tau": (-1, 1), "coverage": (0, 1)},
    ("timelines", "date-distance"): {"from_gold": (0, inf)},
    ("annotations", "slot-errors"): {"slot_error_rate": (0, inf), "substitution": (0, 1)},
    ("annotations", "span-loss"): {"loss_ratio": (0, 1), "mean_loss": (0, inf)},
    ("annotations", "span-loss(loss=json:dumps)"): {"loss_ratio": (-inf, inf)},
    ("timelines", "date-f1"): {"f1": (0, 1)},
}


@pytest.mark.parametrize("of", RANGES)
def test_ranges_are_those_of_the_score(of: tuple[str, str]) -> None:
    metric: Metric = family(of[0]).metric(of[1])
    assert {name: metric.range(name) for name in RANGES[of]} == RANGES[of]


WELL_AGREED = Ratings.of(
    [(f"u{at}", who, float(at % 2)) for at in range(8) for who in "pq"]
    + [("u8", "p", 0.0), ("u8", "q", 1.0)]
)
BADLY_AGREED = Ratings.of(
    [(f"u{at}", who, float(who == "p")) for at in range(8) for who in "pq"]
    + [("u8", "p", 0.0), ("u8", "q", 0.0)]
)


def test_no_coefficient_is_thought_to_be_above_1() -> None:
    suited = [one for one in COEFFICIENTS.values() if not one.name.startswith("ICC")]
    found = estimates(WELL_AGREED, suited)
    assert all(one.high <= 1 for one in found if not isnan(one.high))
    assert {one.name for one in found if one.high == 1} >= {"kappa", "AC1", "alpha nominal"}


def test_a_share_is_not_thought_to_be_below_0_and_alpha_may_be() -> None:
    share, alpha = estimates(BADLY_AGREED, [coefficient("percent"), coefficient("alpha nominal")])
    assert share.low == 0
    assert -1 <= alpha.low < 0


def two_articles(first: str, second: str) -> tuple[Ratings, dict[str, str]]:
    """Ratings of two raters in two articles, a unit for each two digits: 00 11 10."""
    units = {
        f"{article}{at}": pair
        for article, text in (("a", first), ("b", second))
        for at, pair in enumerate(text.split())
    }
    table = [
        (unit, who, float(value))
        for unit, pair in units.items()
        for who, value in zip("pq", pair, strict=True)
    ]
    return Ratings.of(table, categories=[0, 1, 2]), {unit: unit[0] for unit in units}


UNLIKE = two_articles("00 11 22 00 11 22", "01 12 20 00 11 02")
ALIKE = two_articles("00 11 22 01", "22 00 11 10")
COMPLETE = [name for name in COEFFICIENTS if not name.endswith(",k)")]


@pytest.mark.parametrize("name", COMPLETE)
def test_bounds_of_two_articles_stay_in_the_range_of_the_coefficient(name: str) -> None:
    ratings, articles = UNLIKE
    (found,) = estimates(ratings, [coefficient(name)], articles)
    least, most = coefficient(name).prepare(ratings).range
    assert -5 < least < 0 or name == "percent"
    assert least <= found.low < found.value < found.high <= most == 1


def test_ranges_of_coefficients_by_hand() -> None:
    ratings, _ = UNLIKE  # two raters, three categories
    wanted = {
        "percent": 0,
        "kappa quadratic": -1,
        "alpha ordinal": -1,
        "ICC(2,1)": -1,  # -1 / (raters - 1)
        "AC1": -0.5,  # chance is 1/3 at most
        "AC2 quadratic": -2,  # Σ w / 9 is 2/3
        "brennan-prediger linear": -1.25,  # 5/9
    }
    for name, least in wanted.items():
        assert coefficient(name).prepare(ratings).range == pytest.approx((least, 1)), name
    assert coefficient("ICC(2,k)").prepare(ratings).range == (-inf, 1)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=2))
def test_no_complete_table_has_a_value_below_the_range(values: list[tuple[int, int, int]]) -> None:
    table = [
        (f"u{u}", who, float(v))
        for u, row in enumerate(values)
        for who, v in zip("pqr", row, strict=True)
    ]
    ratings = Ratings.of(table, categories=range(4))
    for name in COMPLETE:
        if name.startswith("ICC(2"):
            continue  # whose sample value has no least of its own
        tally = coefficient(name).prepare(ratings)
        value = float(tally())
        assert isnan(value) or tally.range[0] - 1e-9 <= value <= 1 + 1e-9, name


def test_a_value_beyond_the_range_stays_in_its_interval() -> None:
    # Nine raters who say 0 are each paired with one who says 1: chance knows pairs that never met.
    table = [(f"u{at}", who, float(who == "z")) for at in range(9) for who in (f"r{at}", "z")]
    table += [("v", "r0", 1.0), ("v", "z", 1.0)]
    (found,) = estimates(Ratings.of(table), [coefficient("kappa")])
    assert found.value < -1
    assert found.low == found.value <= found.high


@pytest.mark.parametrize(
    ("method", "names"),
    [("jackknife", ("percent", "kappa", "AC1", "alpha nominal")), ("bootstrap", ("percent",))],
)
def test_two_articles_that_agree_by_accident_are_no_certainty(
    method: Any, names: Sequence[str]
) -> None:
    ratings, articles = ALIKE
    for name in names:
        (found,) = estimates(ratings, [coefficient(name)], articles, method=method)
        assert isnan(found.low), name
        assert isnan(found.high), name
        assert found.reason.startswith("no interval: it is the same whichever of the 2 clusters")


@pytest.mark.parametrize("articles", [2, 3, 12])
def test_complete_agreement_has_a_value_and_no_interval(articles: int) -> None:
    table = [(f"a{a}e{e}", who, float(e)) for a in range(articles) for e in (0, 1) for who in "pq"]
    clusters = {unit: unit[:-2] for unit, _, _ in table}
    (found,) = estimates(Ratings.of(table), [coefficient("kappa")], clusters)
    assert found.value == 1
    assert isnan(found.low)
    assert found.missing.startswith("it is the same")


def test_large_articles_leave_few_units() -> None:
    ratings, articles = UNLIKE
    assert estimates(ratings, [coefficient("percent")], articles)[0].n_eff == 2
    large = {unit: "a" if unit != "b0" else "b" for unit in ratings.units}
    (found,) = estimates(ratings, [coefficient("percent")], large)
    assert found.n_eff == pytest.approx(12**2 / (11**2 + 1))


def test_one_cluster_has_no_interval_by_bootstrap_either() -> None:
    clusters = dict.fromkeys(WELL_AGREED.units, "article")
    (found,) = estimates(WELL_AGREED, [coefficient("percent")], clusters, method="bootstrap")
    assert isnan(found.low)
    assert found.reason == "no interval: there is one cluster only"
