"""Every metric obeys the laws that all obey, and those that it declares."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from laws.cases import CASES, AnyCase, copied, improved, shuffled, swapped

from chronoscore.core.evidence import Evidence
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger, unite
from chronoscore.core.metric import Definition, Law, Metric
from chronoscore.core.names import Value
from chronoscore.core.result import encode
from chronoscore.core.signature import Signature
from chronoscore.elements.ratios import Array
from chronoscore.engines.here import measure
from chronoscore.engines.scoring import assemble
from chronoscore.engines.settings import Settings
from chronoscore.families import NAMES, family

lawful = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.filter_too_much]
)


OTHERS: dict[str, tuple[Value, ...]] = {
    "integer": (2,),
    "number": (2.0,),
    "words": (("id",),),
    "rouge": ("2",),
    "text": ("rouge155", "reimpl", "plain", "snowball-german"),
}


def variants(definition: Definition) -> list[Metric]:
    """The metric and its presets, and with each other choice of each parameter."""
    made = [definition(), *(definition(**preset) for preset in definition.presets.values())]
    for parameter in definition.parameters:
        others: list[Value] = [*OTHERS.get(parameter.kind, ()), *OTHERS.get(parameter.name, ())]
        others += [choice for choice in parameter.choices if "meaning" not in choice]
        for other in others:
            made.append(definition(**{parameter.name: other}))
            if "align+m:1" in definition.presets:
                preset = definition.presets["align+m:1"]
                made.append(definition(**{**preset, parameter.name: other}))
    return list(dict.fromkeys(made))


METRICS = [
    (family(name), metric)
    for name in NAMES
    for definition in family(name).definitions
    for metric in variants(definition)
]


def each(metrics: list[tuple[Family, Metric]]) -> pytest.MarkDecorator:
    names = [f"{home.name}: {metric}" for home, metric in metrics]
    return pytest.mark.parametrize(("home", "metric"), metrics, ids=names)


every_metric = each(METRICS)


def having(law: Law) -> pytest.MarkDecorator:
    """Parametrise over the metrics that declare a law."""
    return each([(home, metric) for home, metric in METRICS if law in metric.laws])


def found(home: Family, metric: Metric, case: AnyCase) -> Evidence:
    return metric.measure(home.compare(case, metric.setting))


def statistics(home: Family, metric: Metric, case: AnyCase) -> Array:
    return np.array(found(home, metric, case).statistics, dtype=np.float64)


def same(one: Array, two: Array) -> bool:
    return bool(np.allclose(one, two, rtol=0, atol=1e-12, equal_nan=True))


@every_metric
def test_name_parses_back(home: Family, metric: Metric) -> None:
    again = home.metric(str(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert str(again) == str(metric)


@every_metric
def test_signature_gives_back_the_settings(home: Family, metric: Metric) -> None:
    made = Settings.make(home, metrics=[str(metric)], average="micro")
    signature = Signature.parse(str(made.signature(Ledger.of(()))))
    assert str(signature) == str(made.signature(Ledger.of(())))
    assert Settings.from_signature(home, signature) == made


@every_metric
def test_nothing_over_nothing_is_undefined(home: Family, metric: Metric) -> None:
    nothing = np.zeros(len(metric.definition.statistics))
    assert np.isnan(metric.link(nothing)).all()


@every_metric
def test_link_takes_any_leading_axes(home: Family, metric: Metric) -> None:
    rows = np.arange(1.0, 1 + 6 * len(metric.definition.statistics)).reshape(2, 3, -1)
    linked = metric.link(rows)
    assert linked.shape == (2, 3, len(metric.scores))
    assert same(linked[1, 2], metric.link(rows[1, 2]))


@every_metric
@lawful
@given(data=st.data())
def test_order_and_shards_of_cases_change_no_digit(
    home: Family, metric: Metric, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(CASES[home.name], min_size=1, max_size=6))
    coarse = home.levels[-1]
    cases = [
        replace(
            case,
            id=f"c{place}",
            tags={**case.tags, coarse: f"t{place % 2}", "evaluator": f"e{place}"},
        )
        for place, case in enumerate(drawn)
    ]
    average = "micro" if metric.definition.curve else data.draw(st.sampled_from(("micro", "macro")))
    made = Settings.make(home, metrics=[str(metric)], average=average, by=["case"])
    whole = unite(row for row, _ in measure(home, cases, made.metrics))
    cut = data.draw(st.integers(0, len(cases)))
    order = data.draw(st.permutations(cases))
    shards = [
        [row for row, _ in measure(home, part, made.metrics)] for part in (order[:cut], order[cut:])
    ]
    united = unite(*reversed(shards))
    assert encode(assemble(made, {"s": united})) == encode(assemble(made, {"s": whole}))


@every_metric
@lawful
@given(data=st.data())
def test_matches_have_a_side_and_no_more_credit_than_possible(
    home: Family, metric: Metric, data: st.DataObject
) -> None:
    case = data.draw(CASES[home.name])
    for match in metric.explain(home.compare(case, metric.setting)):
        assert 0 <= match.credit <= match.possible + 1e-12
        assert match.outcome


@having(Law.IDENTITY)
@lawful
@given(data=st.data())
def test_a_copy_of_the_gold_scores_one(home: Family, metric: Metric, data: st.DataObject) -> None:
    case = copied(home.name, data.draw(CASES[home.name]))
    scores = metric.link(statistics(home, metric, case))
    names = [name for name in metric.scores if "accuracy" not in name]
    for name, score in zip(metric.scores, scores, strict=True):
        if name in names and not np.isnan(score):
            assert score == pytest.approx(1, abs=1e-12), name


@having(Law.SWAP)
@lawful
@given(data=st.data())
def test_swapping_sides_swaps_precision_and_recall(
    home: Family, metric: Metric, data: st.DataObject
) -> None:
    case = data.draw(CASES[home.name])
    names = metric.definition.components
    one = dict(zip(names, metric.components(statistics(home, metric, case)), strict=True))
    other = statistics(home, metric, swapped(home.name, case))
    two = dict(zip(names, metric.components(other), strict=True))
    for name in names:
        if "precision" in name:
            assert same(one[name], two[name.replace("precision", "recall")]), name


@having(Law.ITEM_ORDER)
@lawful
@given(data=st.data())
def test_order_of_items_changes_nothing(home: Family, metric: Metric, data: st.DataObject) -> None:
    case = data.draw(CASES[home.name])
    before = found(home, metric, case)
    after = found(home, metric, shuffled(home.name, case, data.draw))
    assert after.statistics == before.statistics
    assert after.steps == before.steps


@having(Law.BOUNDED)
@lawful
@given(data=st.data())
def test_scores_are_between_zero_and_one(home: Family, metric: Metric, data: st.DataObject) -> None:
    scores = metric.link(statistics(home, metric, data.draw(CASES[home.name])))
    defined = scores[~np.isnan(scores)]
    assert ((defined >= 0) & (defined <= 1 + 1e-12)).all()


@having(Law.EXPLAINED)
@lawful
@given(data=st.data())
def test_matches_add_up_to_the_statistics(
    home: Family, metric: Metric, data: st.DataObject
) -> None:
    case = data.draw(CASES[home.name])
    evidence = found(home, metric, case)
    explained = metric.explain(home.compare(case, metric.setting))
    names = [statistic.name for statistic in metric.definition.statistics]
    counted = dict(zip(names, evidence.statistics, strict=True))
    assert metric.definition.explained
    for side, (credits, possibles) in metric.definition.explained.items():
        matches = [m for m in explained if m.side in (side, "both")]
        assert sum(m.credit for m in matches) == pytest.approx(sum(counted[n] for n in credits))
        if possibles:
            whole = sum(m.possible for m in matches)
            assert whole == pytest.approx(sum(counted[n] for n in possibles))


@having(Law.MORE_IS_BETTER)
@lawful
@given(data=st.data())
def test_more_of_the_right_never_lowers_the_score(
    home: Family, metric: Metric, data: st.DataObject
) -> None:
    case = data.draw(CASES[home.name])
    better = improved(home.name, case, data.draw)
    assume(better is not None)
    assert better is not None
    place = metric.scores.index(metric.primary)
    before = np.nan_to_num(metric.link(statistics(home, metric, case))[place])
    after = np.nan_to_num(metric.link(statistics(home, metric, better))[place])
    assert after >= before - 1e-12


def test_every_law_is_declared_by_some_metric() -> None:
    declared = set(chain.from_iterable(metric.laws for _, metric in METRICS))
    assert declared == set(Law)
