"""Every metric obeys the laws that all obey, and those that it declares."""

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from laws.cases import CASES, AnyCase, copied, fits, improved, is_better, needed, shuffled, swapped
from msgspec import structs

from chronoscore.core.evidence_table import EvidenceTable, unite
from chronoscore.core.family import Family
from chronoscore.core.metric import Definition, Law, Metric
from chronoscore.core.names import Signature, Value
from chronoscore.core.result import encode
from chronoscore.engines.assemble import assemble
from chronoscore.engines.chunks import measure
from chronoscore.engines.settings import Settings
from chronoscore.events.metrics import EVENT_STRICT
from chronoscore.events.metrics import PARAMETERS as MATCHING
from chronoscore.events.verdicts import verdict_file
from chronoscore.families import NAMES, family
from chronoscore.statistics.ratios import Array

EXAMPLES = settings().max_examples
"""Examples of other tests: here each one is tried with all metrics of a family."""
lawful = settings(max_examples=EXAMPLES // 2, suppress_health_check=[HealthCheck.filter_too_much])
PARTS = 3 if EXAMPLES < 100 else 1
"""Into how many parts the metrics of a family are dealt: an example is tried with one of them.

A campaign tries each example with all metrics.
"""


OTHERS: dict[str, tuple[Value, ...]] = {
    "integer": (2,),
    "number": (2.0,),
    "words": (("id",),),
    "length": (2,),
    "rouge": ("2",),
    "grain": ("hour", "week", "month"),
    "zone": ("-05:00",),
    "time_weight": (0.0, 1.0),
    "threshold_facts": (0.0, 0.8),
    "text": (
        *("rouge155", "reimpl", "words", "stems-de", "content", "chars", "plain"),
        "snowball-german",
    ),
}
ALSO: dict[str, tuple[dict[str, Value], ...]] = {
    "align": (
        {"cost": "similarity", "text": "plain"},
        {"cost": "similarity", "extent": "gap"},
        {"cost": "similarity", "extent": "gap", "assign": "many-to-one"},
        {"cost": "similarity", "extent": "overlap", "grain": "month"},
        {"cost": "similarity", "kernel": "flat", "assign": "many-to-one", "tie": "nearest"},
        {"cost": "similarity", "time_weight": 0.0, "assign": "many-to-one", "tie": "nearest"},
    ),
}
"""Parameters that together decide which laws hold."""
VERDICTS = verdict_file(str(Path(__file__).with_name("verdicts.jsonl")))
"""Verdicts on pairs of the events that are drawn."""
MATCHINGS: tuple[dict[str, Value], ...] = (
    {"unit": "day", "similarity": "rouge-1", "tokens": "words", "closeness": "exact"},
    {"unit": "entry", "similarity": "rouge-2", "tokens": "chars", "closeness": "within(2)"},
    {"similarity": "rouge-L", "labels": "strict", "closeness": "within(36h)", "time_weight": 0.0},
    {"similarity": "rouge-1L", "labels": "compatible", "closeness": "linear(3)", "threshold": 0.0},
    {"similarity": "exact", "closeness": "level(month)", "time_weight": 0.0, "threshold": 0.0},
    {"closeness": "log(unit=hour,horizon=1y)", "time_weight": 0.0, "tokens": "stems-de"},
    {"closeness": "overlap", "time_weight": 1.0, "threshold": 0.5, "inside": 0.0, "gain": 0.0},
    {"closeness": "near(unit=hour)", "zone": "-05:00", "match": "greedy", "inside": 1.0},
    {"verdicts": VERDICTS},
    {"verdicts": VERDICTS, "otherwise": "0", "gain": 1.0},
)
"""Ways to match events, which every metric of events may use: each value of each parameter."""


def variants(definition: Definition) -> list[Metric]:
    """The metric and its presets, and with each other choice of each parameter."""
    own, ways = definition.parameters, ALSO.get(definition.name, ())
    if {*MATCHING} <= {*own}:
        own, ways = tuple(parameter for parameter in own if parameter not in MATCHING), MATCHINGS
    made = [definition(), *(definition(**preset) for preset in definition.presets.values())]
    made += [definition(**values) for values in ways]
    for parameter in own:
        others: list[Value] = [*OTHERS.get(parameter.name, OTHERS.get(parameter.kind, ()))]
        if parameter.name not in OTHERS:
            others += [choice for choice in parameter.choices if "meaning" not in choice]
        for other in others:
            values = {parameter.name: other, **needed(definition, parameter)}
            made.append(definition(**values))
            if "align+m:1" in definition.presets:
                made.append(definition(**{**definition.presets["align+m:1"], **values}))
    if definition is EVENT_STRICT:  # without verdicts it is refused
        made = [metric for metric in made if metric.values["verdicts"]]
    return list(dict.fromkeys(made))


METRICS = [
    (family(name), metric)
    for name in NAMES
    for definition in family(name).definitions
    for metric in variants(definition)
]


def each_family(law: Law | None = None) -> pytest.MarkDecorator:
    """Parametrise over families, with those of their metrics that declare a law.

    A drawn case is compared once for all of them, which costs more than measuring.
    """
    groups: dict[str, list[Metric]] = {}
    for home, metric in METRICS:
        if law is None or law in metric.laws:
            groups.setdefault(home.name, []).append(metric)
    rows = [(family(name), metrics) for name, metrics in groups.items()]
    return pytest.mark.parametrize(("home", "metrics"), rows, ids=[*groups])


def compared(home: Family, metrics: list[Metric], case: AnyCase) -> list[tuple[Metric, Any]]:
    """Each metric that can measure a case, and the comparison that it measures."""
    metrics = [metric for metric in metrics if fits(metric, case)]
    made = {
        setting: home.compare(case, setting)
        for setting in dict.fromkeys(metric.setting for metric in metrics)
    }
    return [(metric, made[metric.setting]) for metric in metrics]


def dealt(metrics: list[Metric], data: st.DataObject) -> list[Metric]:
    """The metrics that an example is tried with."""
    parts = min(PARTS, max(1, len(metrics) // 10))
    return metrics[data.draw(st.sampled_from(range(parts))) :: parts]


def statistics(home: Family, metrics: list[Metric], case: AnyCase) -> list[tuple[Metric, Array]]:
    """Each metric, and what it counts in a case."""
    return [
        (metric, np.array(metric.measure(comparison).statistics, dtype=np.float64))
        for metric, comparison in compared(home, metrics, case)
    ]


def same(one: Array, two: Array) -> bool:
    return bool(np.allclose(one, two, rtol=0, atol=1e-12, equal_nan=True))


@each_family()
def test_names_parse_back(home: Family, metrics: list[Metric]) -> None:
    for metric in metrics:
        again = home.metric(str(metric))
        assert again == metric
        assert hash(again) == hash(metric)
        assert str(again) == str(metric)


@each_family()
def test_signatures_give_back_the_settings(home: Family, metrics: list[Metric]) -> None:
    for metric in metrics:
        made = Settings.make(home, metrics=[str(metric)], average="micro")
        signature = Signature.parse(str(made.signature(EvidenceTable.of(()))))
        assert str(signature) == str(made.signature(EvidenceTable.of(())))
        assert Settings.from_signature(home, signature) == made


@each_family()
def test_nothing_over_nothing_is_undefined(home: Family, metrics: list[Metric]) -> None:
    for metric in metrics:
        nothing = np.zeros(len(metric.definition.statistics))
        assert np.isnan(metric.link(nothing)).all(), metric


@each_family()
def test_links_take_any_leading_axes(home: Family, metrics: list[Metric]) -> None:
    for metric in metrics:
        rows = np.arange(1.0, 1 + 6 * len(metric.definition.statistics)).reshape(2, 3, -1)
        linked = metric.link(rows)
        assert linked.shape == (2, 3, len(metric.scores)), metric
        assert same(linked[1, 2], metric.link(rows[1, 2])), metric


@each_family()
@settings(max_examples=EXAMPLES // 4)
@given(data=st.data())
def test_order_and_shards_of_cases_change_no_digit(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    drawn = data.draw(st.lists(CASES[home.name], min_size=1, max_size=4))
    coarse = home.levels[-1]
    cases = [
        structs.replace(
            case,
            id=f"c{place}",
            tags={**case.tags, coarse: f"t{place % 2}", "evaluator": f"e{place}"},
        )
        for place, case in enumerate(drawn)
    ]
    metrics = [metric for metric in metrics if all(fits(metric, case) for case in cases)]
    cut = data.draw(st.integers(0, len(cases)))
    order = data.draw(st.permutations(cases))
    macro = data.draw(st.booleans())
    by = data.draw(st.sampled_from(([], ["case"])))
    whole = unite(row for row, _ in measure(home, cases, metrics))
    shards = [
        [row for row, _ in measure(home, part, metrics)] for part in (order[:cut], order[cut:])
    ]
    united = unite(*reversed(shards))
    for curve in (True, False):  # a curve is only averaged over all cases at once
        names = [str(metric) for metric in metrics if bool(metric.definition.curve) == curve]
        if names:
            average = "macro" if macro and not curve else "micro"
            made = Settings.make(home, metrics=names, average=average, by=by)
            assert encode(assemble(made, {"s": united})) == encode(assemble(made, {"s": whole}))


@each_family()
@lawful
@given(data=st.data())
def test_matches_have_a_side_and_no_more_credit_than_possible(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    for metric, comparison in compared(home, metrics, data.draw(CASES[home.name])):
        for match in metric.explain(comparison):
            assert 0 <= match.credit <= match.possible + 1e-12, metric
            assert match.outcome, metric


@each_family(Law.IDENTITY)
@lawful
@given(data=st.data())
def test_a_copy_of_the_gold_scores_one(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    case = copied(home.name, data.draw(CASES[home.name]))
    for metric, counted in statistics(home, metrics, case):
        for name, score in zip(metric.scores, metric.link(counted), strict=True):
            if "accuracy" not in name and not np.isnan(score):
                assert score == pytest.approx(1, abs=1e-12), (metric, name)


@each_family(Law.SWAP)
@lawful
@given(data=st.data())
def test_swapping_sides_swaps_precision_and_recall(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    case = data.draw(CASES[home.name])
    others = statistics(home, metrics, swapped(home.name, case))
    for (metric, one), (_, two) in zip(statistics(home, metrics, case), others, strict=True):
        names = metric.definition.components
        before = dict(zip(names, metric.components(one), strict=True))
        after = dict(zip(names, metric.components(two), strict=True))
        for name in names:
            if "precision" in name:
                turned = after[name.replace("precision", "recall")]
                assert same(before[name], turned), (metric, name)


@each_family(Law.ITEM_ORDER)
@lawful
@given(data=st.data())
def test_order_of_items_changes_nothing(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    case = data.draw(CASES[home.name])
    mixed = compared(home, metrics, shuffled(home.name, case, data.draw))
    for (metric, one), (_, two) in zip(compared(home, metrics, case), mixed, strict=True):
        before, after = metric.measure(one), metric.measure(two)
        assert after.statistics == before.statistics, metric
        assert after.steps == before.steps, metric


@each_family(Law.BOUNDED)
@lawful
@given(data=st.data())
def test_scores_are_between_zero_and_one(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    for metric, counted in statistics(home, metrics, data.draw(CASES[home.name])):
        scores = metric.link(counted)
        defined = scores[~np.isnan(scores)]
        assert ((defined >= 0) & (defined <= 1 + 1e-12)).all(), metric


@each_family(Law.EXPLAINED)
@lawful
@given(data=st.data())
def test_matches_add_up_to_the_statistics(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    for metric, comparison in compared(home, metrics, data.draw(CASES[home.name])):
        explained = metric.explain(comparison)
        names = [statistic.name for statistic in metric.definition.statistics]
        counted = dict(zip(names, metric.measure(comparison).statistics, strict=True))
        assert metric.definition.explained, metric
        for side, (credits, possibles) in metric.definition.explained.items():
            matches = [m for m in explained if m.side in (side, "both")]
            credit, possible = sum(m.credit for m in matches), sum(m.possible for m in matches)
            assert credit == pytest.approx(sum(counted[n] for n in credits)), metric
            if possibles:
                assert possible == pytest.approx(sum(counted[n] for n in possibles)), metric


@each_family(Law.MORE_IS_BETTER)
@lawful
@given(data=st.data())
def test_more_of_the_right_never_lowers_the_score(
    home: Family, metrics: list[Metric], data: st.DataObject
) -> None:
    metrics = dealt(metrics, data)
    case = data.draw(CASES[home.name])
    better = improved(home.name, case, data.draw)
    assume(better is not None)
    assert better is not None
    metrics = [
        metric
        for metric, comparison in compared(home, metrics, case)
        if is_better(home.name, comparison, better)
    ]
    others = statistics(home, metrics, better)
    for (metric, one), (_, two) in zip(statistics(home, metrics, case), others, strict=True):
        place = metric.scores.index(metric.primary)
        before, after = (np.nan_to_num(metric.link(counted)[place]) for counted in (one, two))
        assert after >= before - 1e-12, metric


def test_every_law_is_declared_by_some_metric() -> None:
    declared = set(chain.from_iterable(metric.laws for _, metric in METRICS))
    assert declared == set(Law)
