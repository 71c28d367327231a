"""Agreement: published values in exact fractions, the edges, laws, intervals, and raters."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations
from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from every import each
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.errors import DataError, UsageError
from chronoscore.statistics.agreement import (
    COEFFICIENTS,
    MODELS,
    SCALES,
    Scale,
    alpha,
    brennan_prediger,
    coefficient,
    defaults,
    disagreements,
    drift,
    estimates,
    fleiss_kappa,
    gwet,
    gwet_error,
    icc,
    icc_interval,
    kappa,
    pairs,
    percent_agreement,
    scott_pi,
    severities,
)
from chronoscore.statistics.drawing import poisson_weights
from chronoscore.statistics.intervals import jackknife_t, percentile
from chronoscore.statistics.ratings import Ratings, Tally, Weighting, nearness
from chronoscore.statistics.ratios import Array

Table = list[tuple[str, str, float]]
VECTORS = {vector["id"]: vector for vector in free("rubric/agreement.json")["vectors"]}
EDGES = {vector["id"]: vector for vector in free("rubric/agreement.json")["edge_cases"]}
WEIGHTED: dict[str, Callable[[Ratings, Weighting], Tally]] = {
    "percent_agreement": percent_agreement,
    "fleiss_kappa": fleiss_kappa,
    "gwet": gwet,
    "brennan_prediger": brennan_prediger,
    "cohen_kappa": kappa,
}


def ratings_of(vector: dict[str, Any]) -> Ratings:
    kind = vector.get("rows_are", "units")
    if kind == "raters":
        units = [list(column) for column in zip(*vector["raters"], strict=True)]
    elif kind == "units":
        units = vector["units"]
    elif kind == "units_by_category_counts":
        units = [
            [value for value, count in enumerate(row, 1) for _ in range(count)]
            for row in vector["counts"]
        ]
    else:
        scale = 100 if kind == "2-rater proportions" else 1
        units = [
            [one, two]
            for one, row in enumerate(vector["table"], 1)
            for two, count in enumerate(row, 1)
            for _ in range(int(Fraction(count) * scale))
        ]
    table = [
        (f"{u:04}", str(r), value) for u, row in enumerate(units) for r, value in enumerate(row)
    ]
    return Ratings.of(table, vector.get("categories"))


def exact_cases() -> list[Any]:
    """Every exact value of the vectors that a function of ratings and weighting gives."""
    found = []
    for name, vector in VECTORS.items():
        expected = vector["expected"]
        for weighting in ("identity", "linear", "quadratic", "ordinal"):
            for key in ("percent_agreement", "fleiss_kappa", "gwet", "brennan_prediger"):
                if key in expected.get(weighting, {}):
                    wanted = expected[weighting][key]["exact"]
                    found.append(
                        pytest.param(name, key, weighting, wanted, id=f"{name}-{key}-{weighting}")
                    )
            of_cohen = expected.get("cohen_kappa", {})
            if weighting in of_cohen:
                wanted = of_cohen[weighting]["exact"]
                found.append(
                    pytest.param(
                        name, "cohen_kappa", weighting, wanted, id=f"{name}-cohen-{weighting}"
                    )
                )
    return found


EXACT = exact_cases()


@each(("name", "key", "weighting", "wanted"), EXACT)
def test_value_is_the_exact_fraction(
    name: str, key: str, weighting: Weighting, wanted: str
) -> None:
    found = WEIGHTED[key](ratings_of(VECTORS[name]), weighting)()
    assert float(found) == pytest.approx(float(Fraction(wanted)), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "scale"),
    [(n, s) for n, v in VECTORS.items() for s in v["expected"].get("krippendorff_alpha", {})],
)
def test_alpha_is_the_exact_fraction(name: str, scale: Scale) -> None:
    wanted = VECTORS[name]["expected"]["krippendorff_alpha"][scale]["exact"]
    found = alpha(ratings_of(VECTORS[name]), scale)()
    assert float(found) == pytest.approx(float(Fraction(wanted)), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "weighting"),
    [
        (n, w)
        for n, v in VECTORS.items()
        for w in ("identity", "linear", "quadratic", "ordinal")
        if "gwet_se" in v["expected"].get(w, {})
    ],
)
def test_gwets_standard_error_and_chance(name: str, weighting: Weighting) -> None:
    expected, ratings = VECTORS[name]["expected"][str(weighting)], ratings_of(VECTORS[name])
    assert gwet_error(ratings, weighting) == pytest.approx(expected["gwet_se"], abs=1e-9)
    # AC = (pa - pe) / (1 - pe), so pe = (pa - AC) / (1 - AC).
    found, agreed = (
        float(gwet(ratings, weighting)()),
        float(percent_agreement(ratings, weighting)()),
    )
    chance = float(Fraction(expected["gwet_pe"]["exact"]))
    assert (agreed - found) / (1 - found) == pytest.approx(chance, abs=1e-12)


def test_published_standard_errors() -> None:
    vector = VECTORS["gwet-distrib6raters"]
    found, published = ratings_of(vector), vector["published"]
    assert gwet_error(found) == pytest.approx(published["gwet_AC1_se"], abs=5e-8)
    assert gwet_error(found, "quadratic") == pytest.approx(published["AC2_quadratic_se"], abs=5e-8)


def test_kappa_with_the_costs_of_cohen_1968() -> None:
    vector = VECTORS["cohen-1968-weighted"]
    ratings, expected = ratings_of(vector), vector["expected"]
    plain = float(Fraction(expected["cohen_kappa"]["exact"]))
    weighted = float(Fraction(expected["cohen_kappa_cost"]["exact"]))
    costs = np.array(vector["disagreement_weights"])
    assert float(kappa(ratings)()) == pytest.approx(plain, abs=1e-12)
    assert float(kappa(ratings, 1 - costs / costs.max())()) == pytest.approx(weighted, abs=1e-12)


def test_scotts_pi_is_that_of_the_vignette() -> None:
    vector = VECTORS["gwet-abstractors-3x3"]
    exact = float(Fraction(vector["expected"]["identity"]["fleiss_kappa"]["exact"]))
    assert float(scott_pi(ratings_of(vector))()) == pytest.approx(exact, abs=1e-12)
    assert exact == pytest.approx(vector["published"]["scott"], abs=5e-8)


@pytest.mark.parametrize("model", MODELS)
def test_icc_of_shrout_and_fleiss(model: Any) -> None:
    vector = VECTORS["shrout-fleiss-1979-icc"]
    key = f"ICC{model[0]}" + ("k" if model[2] == "k" else "")
    ratings = ratings_of(vector)
    exact = float(Fraction(vector["expected"][key]["exact"]))
    assert float(icc(ratings, model)()) == pytest.approx(exact, abs=1e-12)
    assert icc_interval(ratings, model) == pytest.approx(vector["ci95_R_psych"][key], abs=1e-9)


def test_every_exact_value_was_checked() -> None:
    written = free("rubric/agreement.json")["vectors"]
    kinds = {"table": len(EXACT), "alpha": 15, "chance": 17, "Cohen 1968": 2, "ICC": 6}
    assert len(written) == 11
    assert str(written).count("'exact'") == sum(kinds.values())


# The edges.

EDGE_KEYS = {
    "percent_agreement": ["percent"],
    "cohen_kappa": ["kappa"],
    "fleiss_kappa": ["fleiss"],
    "gwet_AC1": ["AC1"],
    "gwet_AC2_quadratic_declared_3cats": ["AC2 quadratic"],
    "krippendorff_alpha": ["alpha nominal", "alpha ordinal", "alpha interval", "alpha ratio"],
    "krippendorff_alpha_nominal": ["alpha nominal"],
    "alpha_nominal": ["alpha nominal"],
    "alpha_ordinal": ["alpha ordinal"],
    "all": list(COEFFICIENTS),
}


@pytest.mark.parametrize("name", list(EDGES))
def test_edges(name: str) -> None:
    ratings = ratings_of(EDGES[name])
    for key, wanted in EDGES[name]["expected"].items():
        for one in map(coefficient, EDGE_KEYS.get(key, [])):
            found, reason = float(one(ratings)), one.why_undefined(ratings)
            if wanted is None:
                assert isnan(found)
                assert reason
            else:
                value = wanted["value"] if isinstance(wanted, dict) else wanted
                assert found == pytest.approx(value, abs=1e-12)
                assert reason == ""
    assert set(EDGES[name]["expected"]) <= {*EDGE_KEYS, "reason"}


def test_reasons_are_those_of_each_coefficient() -> None:
    single = ratings_of(EDGES["single-rating-units-only"])
    assert {one.why_undefined(single) for one in COEFFICIENTS.values()} == {
        "no unit has two ratings",
    }
    same, declared = (
        ratings_of(EDGES[name]) for name in ("all-same-category", "all-same-category-declared-cats")
    )
    assert "no other category was declared" in coefficient("AC1").why_undefined(same)
    assert coefficient("AC1").why_undefined(declared) == ""
    assert "no variation" in coefficient("fleiss").why_undefined(declared)
    assert "two raters" in coefficient("pi").why_undefined(same)
    assert "no variation" in coefficient("ICC(2,1)").why_undefined(same)
    negative = Ratings.of([("a", "x", -1), ("a", "y", 2), ("b", "x", 2), ("b", "y", 2)])
    assert "below 0" in coefficient("alpha ratio").why_undefined(negative)


def test_single_ratings_shift_fleiss_and_not_alpha() -> None:
    table: Table = [
        ("a", "x", 0),
        ("a", "y", 0),
        ("b", "x", 1),
        ("b", "y", 1),
        ("c", "x", 0),
        ("c", "y", 1),
    ]
    more = Ratings.of([*table, ("d", "x", 1), ("e", "x", 1)])
    for name, moves in (
        ("fleiss", True),
        ("AC1", True),
        ("alpha nominal", False),
        ("kappa", False),
    ):
        one = coefficient(name)
        assert (float(one(more)) != pytest.approx(float(one(Ratings.of(table))))) == moves
    assert float(percent_agreement(more)()) == pytest.approx(2 / 3)


def test_no_ratings_at_all() -> None:
    for nothing in (Ratings.of([]), Ratings.of([("a", "x", None), ("a", "y", nan)])):
        for one in COEFFICIENTS.values():
            assert isnan(one(nothing))
            assert one.why_undefined(nothing) == "no unit has two ratings" or one.name == "pi"
        assert all(isnan(e.low) and e.reason for e in estimates(nothing, defaults("nominal")))


def test_one_value_that_binary_numbers_miss_has_no_variation() -> None:
    same = Ratings.of([(str(u), r, 0.1) for u in range(7) for r in "xyz"])
    for name in ("alpha interval", *(f"ICC({model})" for model in MODELS)):
        assert isnan(coefficient(name)(same))
    # The same in a part of the units, where the mean of all is another.
    mixed = Ratings.of(
        [(str(u), r, 0.1) for u in range(7) for r in "xyz"]
        + [("7", "x", 0.7), ("7", "y", 0.9), ("7", "z", 0.3)]
    )
    without = np.array([[1.0] * 7 + [0.0]])
    for name in ("alpha interval", *(f"ICC({model})" for model in MODELS)):
        assert np.isnan(coefficient(name)(mixed, without)).all()


def test_perfect_and_severe_raters_in_icc() -> None:
    perfect = Ratings.of([(str(u), r, u / 10) for u in range(6) for r in "xyz"])
    for model in MODELS:
        assert float(icc(perfect, model)()) == pytest.approx(1)
        assert icc_interval(perfect, model) == pytest.approx((1, 1))
    severe = Ratings.of([(str(u), r, u + (r == "x") * 3) for u in range(6) for r in "xy"])
    assert float(icc(severe, "3,1")()) == pytest.approx(1)
    assert float(icc(severe, "2,1")()) < 0.8
    low, high = icc_interval(severe, "2,1")
    assert low < float(icc(severe, "2,1")()) < high


def test_severity_alone_is_no_error_in_icc() -> None:
    always = {"x": 0.1, "y": 0.3, "z": 0.7}
    ratings = Ratings.of([(str(u), r, value) for u in range(7) for r, value in always.items()])
    assert isnan(icc(ratings, "3,1")())
    assert "no variation between the units" in coefficient("ICC(3,1)").why_undefined(ratings)
    assert float(icc(ratings, "2,1")()) == 0


@pytest.mark.parametrize(("units", "reason"), [(1, "ICC needs two units"), (2, "no variation")])
def test_icc_says_how_many_complete_units_it_needs(units: int, reason: str) -> None:
    ratings = Ratings.of([(str(unit), rater, 3.0) for unit in range(units) for rater in "xy"])
    assert reason in coefficient("ICC(2,1)").why_undefined(ratings)


def test_icc_takes_complete_units_and_says_so() -> None:
    table: Table = [("a", "x", 1), ("a", "y", 2), ("b", "x", 3), ("b", "y", 3)]
    more = Ratings.of([*table, ("c", "x", 9)])
    assert float(icc(more)()) == pytest.approx(float(icc(Ratings.of(table))()))
    assert estimates(more, [coefficient("ICC(2,1)")])[0].units == 2
    third = Ratings.of([*table, ("c", "z", 9)])
    assert "all 3 raters" in coefficient("ICC(2,1)").why_undefined(third)
    assert icc_interval(third) == pytest.approx((nan, nan), nan_ok=True)


def test_bad_tables_and_weightings_are_refused() -> None:
    with pytest.raises(DataError, match="a: rated twice by x"):
        Ratings.of([("a", "x", 1), ("a", "x", 1)])
    with pytest.raises(DataError, match="a, y: 4 is not one of 1, 2, 3"):
        Ratings.of([("a", "x", 1), ("a", "y", 4)], categories=[1, 2, 3])
    ratings = Ratings.of([("a", "x", 1), ("a", "y", 2)])
    with pytest.raises(UsageError, match="3 x 3, but there are 2"):
        kappa(ratings, np.eye(3))()
    with pytest.raises(UsageError, match="symmetric"):
        kappa(ratings, np.array([[1.0, 0.5], [0.0, 1.0]]))()
    with pytest.raises(UsageError, match="no weighting cubic"):
        kappa(ratings, "cubic")()  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"no ICC\(4,1\)"):
        icc(ratings, "4,1")()  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no coefficient beta"):
        coefficient("beta")
    with pytest.raises(UsageError, match="no rater z: there are x, y"):
        ratings.among(["z"])
    with pytest.raises(UsageError, match="no cluster is given for 1 units, such as a"):
        estimates(ratings, defaults("nominal"), {})


# Laws.


@st.composite
def tables(draw: st.DrawFn, raters: int = 4, missing: bool = True) -> Table:
    units = draw(st.integers(2, 8))
    value: st.SearchStrategy[int | None] = st.integers(1, 4)
    if missing:
        value = st.one_of(value, st.none())
    cells = draw(st.lists(value, min_size=units * raters, max_size=units * raters))
    return [
        (str(at // raters), "xyzw"[at % raters], float(cell))
        for at, cell in enumerate(cells)
        if cell is not None
    ]


FOUR = (1.0, 2.0, 3.0, 4.0)


def matrix_of(ratings: Ratings) -> Array:
    """Units x raters, NaN where a rating is missing."""
    matrix = np.full((len(ratings.units), ratings.raters), nan)
    matrix[ratings.unit_at, ratings.rater_at] = ratings.values[ratings.value_at]
    return matrix


def everything(ratings: Ratings, weights: Array | None = None) -> Array:
    return np.stack([one(ratings, weights) for one in COEFFICIENTS.values()], axis=-1)


def close(one: Array, two: Array) -> bool:
    return bool(np.allclose(one, two, atol=1e-9, rtol=1e-9, equal_nan=True))


@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_changes_no_digit(table: Table, random: Any) -> None:
    shuffled = list(table)
    random.shuffle(shuffled)
    one, two = (everything(Ratings.of(t, FOUR)) for t in (table, shuffled))
    assert np.array_equal(one, two, equal_nan=True)


@given(tables(), st.permutations("xyzw"))
def test_names_of_raters_change_nothing(table: Table, names: list[str]) -> None:
    renamed = dict(zip("xyzw", names, strict=True))
    other = [(unit, renamed[rater], value) for unit, rater, value in table]
    assert close(everything(Ratings.of(table, FOUR)), everything(Ratings.of(other, FOUR)))


@given(tables())
def test_weights_of_one_are_no_weights(table: Table) -> None:
    ratings = Ratings.of(table, FOUR)
    ones = np.ones((2, 3, len(ratings.units)))
    found = everything(ratings, ones)
    assert found.shape == (2, 3, len(COEFFICIENTS))
    assert close(found, np.broadcast_to(everything(ratings), found.shape))


@given(tables())
def test_weight_zero_is_leaving_out(table: Table) -> None:
    ratings = Ratings.of(table, FOUR)
    found = everything(ratings, 1 - np.eye(len(ratings.units)))
    for place in range(len(ratings.units)):
        kept = np.delete(np.arange(len(ratings.units)), place)
        assert close(found[place], everything(ratings.within(kept)))
    if ratings.raters == 4:  # else a rater may be gone with the only unit rated
        rest = [row for row in table if row[0] != ratings.units[0]]
        if len({rater for _, rater, _ in rest}) == 4:
            assert close(found[0], everything(Ratings.of(rest, FOUR)))


@given(tables())
def test_weight_two_is_a_unit_twice(table: Table) -> None:
    ratings = Ratings.of(table, FOUR)
    twice = np.where(np.arange(len(ratings.units)) == 0, 2.0, 1.0)
    copied = [*table, *(("copy", r, v) for unit, r, v in table if unit == ratings.units[0])]
    assert close(everything(ratings, twice), everything(Ratings.of(copied, FOUR)))


@given(tables(raters=2), st.sampled_from(["identity", "linear", "quadratic", "ordinal"]))
def test_kappa_of_two_raters_is_the_plain_formula(table: Table, weighting: Weighting) -> None:
    ratings = Ratings.of(table, FOUR)
    near = nearness(weighting, ratings.values)
    said: dict[str, dict[str, int]] = {}
    for unit, rater, value in table:
        said.setdefault(unit, {})[rater] = int(value) - 1
    both = [(one["x"], one["y"]) for one in said.values() if len(one) == 2]
    if not both:
        assert isnan(kappa(ratings, weighting)())
        return
    observed = sum(near[one, two] for one, two in both) / len(both)
    chance = sum(near[one, two] for one, _ in both for _, two in both) / len(both) ** 2
    found = float(kappa(ratings, weighting)())
    if len({value for pair in both for value in pair}) == 1:
        assert isnan(found)
    else:
        assert found == pytest.approx((observed - chance) / (1 - chance), abs=1e-9)
    matrix = pairs(ratings, weighting)
    assert matrix.kappa[0, 1] == pytest.approx(found, abs=1e-9, nan_ok=True)
    assert matrix.percent[0, 1] == pytest.approx(observed, abs=1e-12)
    assert matrix.shared[0, 1] == len(both)


@given(tables(missing=False))
def test_kappa_of_many_raters_is_made_of_pairs(table: Table) -> None:
    ratings = Ratings.of(table, FOUR)
    matrix = matrix_of(ratings)
    observed, chance = [], []
    for one, two in combinations(range(4), 2):
        observed.append(float((matrix[:, one] == matrix[:, two]).mean()))
        chance.append(float((matrix[:, one, np.newaxis] == matrix[:, two]).mean()))
    a, e = float(np.mean(observed)), float(np.mean(chance))
    wanted = (a - e) / (1 - e) if len(set(matrix.ravel())) > 1 else nan
    assert float(kappa(ratings)()) == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def distance(scale: Scale, one: float, two: float, all_values: list[float]) -> float:
    if scale == "nominal":
        return float(one != two)
    if scale == "interval":
        return (one - two) ** 2
    if scale == "ratio":
        return ((one - two) / (one + two)) ** 2
    low, high = min(one, two), max(one, two)
    between = sum(low <= value <= high for value in all_values)
    return (between - (all_values.count(low) + all_values.count(high)) / 2) ** 2


@given(tables(), st.sampled_from(SCALES))
@settings(deadline=None)
def test_alpha_is_the_formula_over_all_pairs(table: Table, scale: Scale) -> None:
    by_unit: dict[str, list[float]] = {}
    for unit, _, value in table:
        by_unit.setdefault(unit, []).append(value)
    units = [values for values in by_unit.values() if len(values) > 1]
    pooled = [value for values in units for value in values]
    found, n = float(alpha(Ratings.of(table), scale)()), len(pooled)
    expected = sum(distance(scale, a, b, pooled) for a, b in permutations(pooled, 2)) if n else 0
    if not expected:
        assert isnan(found)
        return
    observed = sum(
        sum(distance(scale, a, b, pooled) for a, b in permutations(values, 2)) / (len(values) - 1)
        for values in units
    )
    assert found == pytest.approx(1 - (observed / n) / (expected / (n * (n - 1))), abs=1e-9)


@given(tables(missing=False))
def test_icc_is_the_analysis_of_variance(table: Table) -> None:
    ratings = Ratings.of(table)
    x = matrix_of(ratings)
    n, k = x.shape
    rows, columns, grand = x.mean(axis=1, keepdims=True), x.mean(axis=0), x.mean()
    of_units = k * ((rows - grand) ** 2).sum() / (n - 1)
    of_raters = n * ((columns - grand) ** 2).sum() / (k - 1)
    error = ((x - rows - columns + grand) ** 2).sum() / ((n - 1) * (k - 1))
    below = of_units + (k - 1) * error + k * (of_raters - error) / n
    if below > 1e-9:
        assert float(icc(ratings)()) == pytest.approx((of_units - error) / below, abs=1e-9)


@given(tables())
def test_identities_between_coefficients(table: Table) -> None:
    two = Ratings.of(table, FOUR)
    two = two.among(two.rater_names[:2])
    both = two.within(np.flatnonzero(two.paired))
    assert close(scott_pi(two)(), fleiss_kappa(both)() if both.raters == 2 else np.array(nan))
    # All categories alike often: AC1 is Brennan and Prediger's kappa.
    flat = Ratings.of(
        [(f"{u}", r, FOUR[(u + s) % 4]) for u in range(4) for s, r in enumerate("xy")]
    )
    assert float(gwet(flat)()) == pytest.approx(float(brennan_prediger(flat)()))


def test_ordinal_of_krippendorff_is_not_that_of_gwet() -> None:
    ratings = ratings_of(VECTORS["krippendorff-2011-4x12"])
    assert float(alpha(ratings, "ordinal")()) == pytest.approx(0.8154, abs=5e-5)
    assert float(fleiss_kappa(ratings, "ordinal")()) == pytest.approx(0.8502, abs=5e-5)


# The catalogue.


def test_defaults_are_those_of_the_rubric() -> None:
    assert [one.name for one in defaults("nominal")] == ["percent", "AC1", "alpha nominal", "kappa"]
    assert [one.name for one in defaults("interval")] == ["ICC(2,1)", "alpha interval"]
    for scale in SCALES:
        assert all(scale in one.scales for one in defaults(scale))


@pytest.mark.parametrize("name", list(COEFFICIENTS))
def test_a_coefficient_says_what_it_is(name: str) -> None:
    one = COEFFICIENTS[name]
    assert one.name == name
    assert one.meaning
    assert one.citation
    assert one.scales
    assert not isnan(one(ratings_of(VECTORS["gwet-abstractors-3x3"])))


# Intervals.


def simulated(units: int, seed: int = 0) -> Ratings:
    generator = np.random.default_rng(seed)
    truth = generator.integers(1, 4, units)
    guess = generator.integers(1, 4, (units, 3))
    values = np.where(generator.random((units, 3)) < 0.7, truth[:, np.newaxis], guess)
    return Ratings.of(
        ((f"{u:04}", "xyz"[r], float(values[u, r])) for u in range(units) for r in range(3)),
        categories=(1, 2, 3),
    )


def test_few_clusters_get_the_jackknife() -> None:
    ratings = simulated(60)
    clusters = {unit: str(int(unit) % 6) for unit in ratings.units}
    weights = np.array(
        [[float(int(unit) % 6 != out) for unit in ratings.units] for out in range(6)]
    )
    for one, found in zip(
        defaults("ordinal"), estimates(ratings, defaults("ordinal"), clusters), strict=True
    ):
        assert (found.method, found.clusters, found.units) == ("jackknife-t", 6, 60)
        wanted = jackknife_t(one(ratings, weights)[:, np.newaxis], one(ratings)[np.newaxis], 0.95)
        assert (found.low, found.high) == pytest.approx((wanted.low[0], wanted.high[0]))


@pytest.mark.parametrize("clustered", [True, False])
def test_the_bootstrap_is_the_coefficient_of_resamples(clustered: bool) -> None:
    ratings = simulated(2100 if not clustered else 120)
    clusters = {unit: f"a{int(unit) % 40}" if clustered else unit for unit in ratings.units}
    names = tuple(sorted(set(clusters.values())))
    of_unit = [names.index(clusters[unit]) for unit in ratings.units]
    weights = poisson_weights(names, 5, 200)[:, of_unit]
    found = estimates(
        ratings,
        defaults("ordinal"),
        clusters if clustered else None,
        method="bootstrap",
        seed=5,
        resamples=200,
    )
    for one, estimate in zip(defaults("ordinal"), found, strict=True):
        wanted = percentile(one(ratings, weights)[:, np.newaxis], 0.95)
        assert estimate.method == "bootstrap"
        assert (estimate.low, estimate.high) == pytest.approx((wanted.low[0], wanted.high[0]))
        assert estimate.low < estimate.value < estimate.high


def test_gwets_error_is_near_the_resampled_one() -> None:
    ratings = simulated(300)
    (found,) = estimates(ratings, [coefficient("AC2 quadratic")])
    width = (found.high - found.low) / (2 * 1.96)
    assert width == pytest.approx(gwet_error(ratings, "quadratic"), rel=0.1)


def test_clusters_without_shared_units_do_not_count() -> None:
    shared = [(f"s{u}", r, float((u + (r == "y") * (u == 3)) % 2)) for u in range(8) for r in "xy"]
    alone = [(f"t{u:03}", "x", float(u % 2)) for u in range(200)]
    found = estimates(Ratings.of([*shared, *alone]), defaults("nominal"))
    assert {(one.method, one.clusters, one.units, one.ratings) for one in found} == {
        ("jackknife-t", 8, 8, 16)
    }
    (alone_alpha,) = estimates(Ratings.of(shared), [coefficient("alpha nominal")])
    assert (found[2].low, found[2].high) == pytest.approx((alone_alpha.low, alone_alpha.high))


def test_an_interval_that_can_not_be_had_has_a_reason() -> None:
    table: Table = [
        ("a", "x", 0),
        ("a", "y", 0),
        ("b", "x", 0),
        ("b", "y", 0),
        ("c", "x", 1),
        ("c", "y", 1),
    ]
    ratings = Ratings.of(table)
    (one,) = estimates(ratings, [coefficient("alpha nominal")])
    assert one.value == 1
    assert isnan(one.low)
    assert "without some cluster" in one.reason
    (two,) = estimates(ratings, [coefficient("percent")], dict.fromkeys("abc", "article"))
    assert isnan(two.low)
    assert "one cluster only" in two.reason


def test_undefined_resamples_are_counted() -> None:
    table = [(f"{u:02}", r, float(u == 0)) for u in range(40) for r in "xy"]
    (found,) = estimates(
        Ratings.of(table), [coefficient("alpha nominal")], method="bootstrap", resamples=1000
    )
    assert 300 < found.undefined < 430  # the only other unit is drawn 0 times: 1/e
    assert isnan(found.low)
    assert "it is the same whichever of the 40 clusters are taken" in found.reason


# Raters.


def test_matrix_of_pairs() -> None:
    ratings = ratings_of(VECTORS["krippendorff-2011-4x12"])
    found = pairs(ratings, "quadratic")
    assert found.shared.tolist() == found.shared.T.tolist()
    assert np.diag(found.shared).tolist() == [9, 11, 10, 11]  # rated by each
    for one, two in permutations(ratings.rater_names, 2):
        at, pair = (int(one), int(two)), ratings.among([one, two])
        assert found.kappa[at] == pytest.approx(float(kappa(pair, "quadratic")()), abs=1e-12)
        assert found.percent[at] == pytest.approx(float(percent_agreement(pair, "quadratic")()))
        assert found.shared[at] == pair.paired.sum()
        assert found.why_undefined(*at) == ""
    assert "no pair" in found.why_undefined(0, 0)
    assert np.isnan([np.diag(found.percent), np.diag(found.kappa)]).all()
    apart = pairs(Ratings.of([("a", "x", 1), ("b", "y", 1), ("a", "z", 1)]))
    assert apart.why_undefined(0, 1) == "no unit was rated by both"
    assert "no variation" in apart.why_undefined(0, 2)
    assert apart.percent[0, 2] == 1


def test_severity_by_hand() -> None:
    table: Table = [
        ("a", "x", 3),
        ("a", "y", 1),
        ("b", "x", 2),
        ("b", "y", 2),
        ("c", "x", 1),
        ("d", "z", 1),
    ]
    found = {one.name: one for one in severities(Ratings.of(table, categories=range(-9, 9)))}
    assert (found["x"].value, found["y"].value) == (0.5, -0.5)
    assert (found["x"].units, found["x"].method) == (2, "jackknife-t")
    reach = 12.706204736432095 * 0.5  # t(1) at .975, times sqrt(1/2 · ((0 - .5)² + (1 - .5)²))
    assert (found["x"].low, found["x"].high) == pytest.approx((0.5 - reach, 0.5 + reach))
    assert isnan(found["z"].value)
    assert isnan(found["z"].low)
    assert found["z"].reason == "no unit that another rated too"


def test_severities_of_complete_tables_add_up_to_nothing() -> None:
    found = severities(simulated(100), method="bootstrap", resamples=200)
    assert sum(one.value for one in found) == pytest.approx(0, abs=1e-12)
    assert all(one.low < one.value < one.high and one.method == "bootstrap" for one in found)


def test_units_by_disagreement() -> None:
    table: Table = [
        ("c", "x", 1),
        ("c", "y", 1),
        ("b", "x", 1),
        ("b", "y", 3),
        ("a", "x", 3),
        ("a", "y", 1),
        ("d", "x", 1),
    ]
    found = disagreements(Ratings.of(table))
    assert [(one.unit, one.variance, one.mean, one.ratings) for one in found] == [
        ("a", 2.0, 2.0, 2),
        ("b", 2.0, 2.0, 2),
        ("c", 0.0, 1.0, 2),
    ]


def test_drift_is_agreement_in_each_block() -> None:
    ratings = simulated(50)
    order = sorted(ratings.units, reverse=True)
    for name in ("percent", "AC2 quadratic", "alpha ordinal", "ICC(2,1)"):
        found = drift(ratings, coefficient(name), order, blocks=4)
        assert [one.units for one in found] == [13, 13, 12, 12]
        assert (found[0].first, found[-1].last) == ("0049", "0000")
        last = ratings.within(np.arange(12))
        assert found[-1].value == pytest.approx(float(coefficient(name)(last)), abs=1e-12)


def test_drift_says_why_a_block_has_no_value() -> None:
    table = [(f"{u}", r, float(u == 3 and r == "x")) for u in range(4) for r in "xy"]
    ratings = Ratings.of(table)
    found = drift(ratings, coefficient("alpha nominal"), ratings.units, blocks=2)
    assert isnan(found[0].value)
    assert "no variation" in found[0].reason
    assert found[1].reason == ""
    with pytest.raises(UsageError, match="every unit once"):
        drift(ratings, coefficient("percent"), ["0", "1"])
    with pytest.raises(UsageError, match="can't be cut into 5"):
        drift(ratings, coefficient("percent"), ratings.units, blocks=5)
