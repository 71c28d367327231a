"""Grain, zone, tolerance and extent: how metrics of timelines compare times."""

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.cases import DAYS, HARD_TIMES, OFFSETS, PERIODS
from msgspec import structs
from reports.made import timelines_of

from chronoscore.core.case import Case
from chronoscore.core.evidence import Match
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.time import Time
from chronoscore.elements.time.calendar import GRAINS
from chronoscore.elements.time.parameters import cells_in
from chronoscore.errors import UsageError
from chronoscore.timelines import score_many
from chronoscore.timelines.comparison import Setting, compare, texts_by_day
from chronoscore.timelines.family import FAMILY

Days = Mapping[str, Sequence[str]]
TIMES = DAYS | PERIODS | HARD_TIMES


def timeline(days: Days, unit: str = "") -> Timeline:
    words = {"dialect": "offset", "unit": unit} if unit else {}
    return Timeline.of({Time.parse(day, **words): texts for day, texts in days.items()})  # type: ignore[arg-type]


def case(gold: Days, predicted: Days, unit: str = "") -> Case[tuple[Timeline, ...], Timeline]:
    return Case("c", (timeline(gold, unit),), timeline(predicted, unit))


def scores(name: str, gold: Days, predicted: Days, unit: str = "") -> dict[str, float]:
    metric = FAMILY.metric(name)
    comparison = FAMILY.compare(case(gold, predicted, unit), metric.setting)
    linked = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    return dict(zip(metric.scores, linked.tolist(), strict=True))


def f1(name: str, gold: Days, predicted: Days, unit: str = "") -> float:
    return scores(name, gold, predicted, unit)["f1"]


def matches(name: str, gold: Days, predicted: Days) -> tuple[Match, ...]:
    metric = FAMILY.metric(name)
    return metric.explain(FAMILY.compare(case(gold, predicted), metric.setting))


# Names


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("date-f1(grain=day,zone=+00:00,tolerance=0)", "date-f1"),
        ("date-f1(tolerance=03)", "date-f1(tolerance=3)"),
        ("date-f1(tolerance=36h,grain=hour)", "date-f1(tolerance=36h,grain=hour)"),
        ("AR-1(extent=hausdorff,grain=month)", "align+m:1(grain=month)"),
        ("align+m:1(extent=gap)", "align+m:1(extent=gap)"),
        ("agreement(grain=hour,zone=+05:30)", "agreement(grain=hour,zone=+05:30)"),
    ],
)
def test_grain_and_tolerance_are_part_of_the_name(name: str, written: str) -> None:
    assert str(FAMILY.metric(name)) == written
    assert FAMILY.metric(written) == FAMILY.metric(name)


def test_a_plain_tolerance_stays_a_number() -> None:
    assert FAMILY.metric("date-f1(tolerance=3)").values["tolerance"] == 3
    assert FAMILY.metric("date-f1(tolerance=2d)").values["tolerance"] == "2d"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("date-f1(tolerance=36h)", "36h is not a whole number of cells of grain=day"),
        ("date-f1(tolerance=1month)", "1month is not a whole number of cells of grain=day"),
        ("date-f1(tolerance=2d,grain=month)", "2d is not a whole number of cells of grain=month"),
        ("date-f1(tolerance=1month,grain=year)", "not a whole number of cells of grain=year"),
        ("date-f1(tolerance=3x)", "'3x' is no length of time"),
        ("date-f1(tolerance=²)", "expected a whole number, or one with a unit"),
        ("date-f1(tolerance=1.5)", "expected a whole number, or one with a unit"),
        ("date-f1(tolerance=-1)", "parameter 'tolerance' is -1, expected 0 or more"),
        ("date-f1(grain=fortnight)", "expected one of: tick, second, minute, hour, day"),
        ("date-f1(zone=CET)", "'CET' is no zone, expected hours east of UTC"),
        ("date-distance(extent=overlap)", "expected one of: hausdorff, gap"),
    ],
)
def test_what_can_not_be_compared_is_refused_by_name(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("+", r"\+")):
        FAMILY.metric(name)


@pytest.mark.parametrize(
    ("length", "grain", "cells"),
    [
        *((3, "month", 3), ("36h", "hour", 36), ("2d", "day", 2), ("1w", "day", 7)),
        *(("2w", "week", 2), ("90min", "minute", 90), ("90min", "second", 5400)),
        *(("30s", "tick", 30_000_000), ("1year", "month", 12), ("2quarter", "month", 6)),
        *(("20year", "decade", 2), ("0h", "year", 0)),
    ],
)
def test_a_length_is_a_number_of_cells(length: int | str, grain: str, cells: int) -> None:
    assert cells_in(length, grain) == cells


# Grain and zone


def test_days_of_one_month_are_one_entry_by_the_month() -> None:
    gold = {"2011-02-03": ["quake hits"], "2011-02-11": ["rescue begins"], "2011-03-01": ["vote"]}
    predicted = {"2011-02-25": ["quake hits rescue begins"], "2011-04": ["vote"]}
    assert scores("date-f1(grain=month)", gold, predicted) == {
        **{"precision": 0.5, "recall": 0.5, "f1": 0.5}
    }
    assert f1("date-f1", gold, predicted) == 0
    assert f1("agreement(grain=month)", gold, predicted) == pytest.approx(4 / 5)
    assert f1("align(grain=month)", gold, predicted) == pytest.approx((4 + 1 / 2) / 5)
    assert f1("align(grain=year)", gold, predicted) == 1
    assert scores("exact-date(grain=month)", gold, predicted)["f1"] == pytest.approx(
        (2 / 3 + 2 / 3 + 0) / 3
    )
    assert scores("date-period(grain=month)", gold, predicted)["recall"] == 1
    assert scores("date-distance(grain=month)", gold, predicted)["from_gold"] == 0.5


def test_matches_name_merged_entries_as_their_texts_do() -> None:
    gold = {"2011-02-03": ["quake"], "2011-02-11": ["rescue"], "2011-03-01": ["vote"]}
    predicted = {"2011-02-25": ["quake"], "2011-04": ["vote"]}
    for name in ("align(grain=month)", "date-f1(grain=month)", "exact-date(grain=month)"):
        explained = matches(name, gold, predicted)
        assert {match.gold for match in explained} - {""} == {"2011-02", "2011-03-01"}
        assert {match.predicted for match in explained} - {""} <= {"2011-02-25", "2011-04"}
        assert {m.outcome for m in explained} & {"same month", "date found"}
    texts = texts_by_day(case(gold, predicted), [Setting("plain", "month")])
    assert texts == (
        {"2011-02": ("quake", "rescue"), "2011-03-01": ("vote",)},
        {"2011-02-25": ("quake",), "2011-04": ("vote",)},
    )


def test_every_name_in_matches_has_its_texts() -> None:
    gold = {"2011-02-03": ["quake"], "2011-02-11": ["rescue"], "2011-03-01": ["vote"]}
    pairs = {"s": {"t": (timeline(gold), timeline({"2011-02-25": ["quake"], "2011-04": []}))}}
    scored = timelines_of(pairs, ["AR-1", "align(grain=month)", "date-f1(grain=year)"])
    (texts,) = scored.texts
    for item in scored.matches:
        assert {match.gold for match in item.matches} - {""} <= texts.gold.keys()
        assert {match.predicted for match in item.matches} - {""} <= texts.predicted.keys()
    assert texts.gold["2011"] == ("quake", "rescue", "vote")


def test_golds_that_are_pooled_share_the_cells_of_the_grain() -> None:
    golds = [{"2011-02-03": ["quake"]}, {"2011-02-11": ["rescue"]}]
    (found,) = score_many(
        golds,
        [{"2011-02-25": ["quake rescue"]}],
        metrics=["date-f1(grain=month)", "agreement(grain=month)"],
        options={"golds": "pooled"},
    )
    assert found["date-f1(grain=month)"]["f1"] == 1
    assert found["agreement(grain=month)"]["recall"] == 1


@pytest.mark.parametrize(("days", "grain"), [("4440000", "tick"), ("40000000", "second")])
def test_times_that_a_grain_can_count_are_told_apart(days: str, grain: str) -> None:
    gold = {days: ["quake"], f"-{days}": ["rescue"]}
    same = scores(f"date-f1(grain={grain})", gold, gold, unit="day")
    half = scores(f"date-f1(grain={grain})", gold, {days: ["quake"]}, unit="day")
    assert (same["f1"], half["precision"], half["recall"]) == (1, 1, 0.5)


@pytest.mark.parametrize("days", ["4450000", "-4450000"])
def test_times_too_far_off_for_a_grain_are_refused_not_taken_as_one(days: str) -> None:
    gold = {days: ["quake"]}
    with pytest.raises(
        UsageError, match="too far off to be compared by tick; compare by a coarser"
    ):
        scores("date-f1(grain=tick)", gold, gold, unit="day")


def test_a_timeline_of_plain_days_is_compared_as_it_is() -> None:
    days = timeline({"2011-02-03": ["quake"], "2011-02-11": ["rescue"]})
    assert days.merged()[0] is days


def test_below_a_day_times_are_those_of_utc() -> None:
    gold, predicted = {"2011-01-25T23:30-05:00": ["quake"]}, {"2011-01-26T04:30Z": ["quake"]}
    assert f1("date-f1(grain=minute)", gold, predicted) == 1
    assert f1("date-f1", gold, predicted) == 0
    floating = {"2011-01-26T04:30": ["quake"]}
    assert f1("date-f1(grain=minute)", gold, floating) == 1
    assert f1("date-f1(grain=minute,zone=+05:30)", gold, floating) == 0
    assert f1("date-f1(grain=minute,zone=+05:30,tolerance=330min)", gold, floating) == 1
    assert f1("date-f1(grain=minute,zone=+05:30,tolerance=329)", gold, floating) == 0


def test_entries_at_one_moment_in_two_zones_are_one_entry() -> None:
    both = {"2011-01-26T04:30Z": ["quake"], "2011-01-25T23:30-05:00": ["rescue"]}
    metric = FAMILY.metric("align(grain=hour)")
    comparison = FAMILY.compare(case(both, both), metric.setting)
    assert len(comparison.predicted_dates) == len(comparison.gold_dates) == 1
    assert metric.measure(comparison).statistics == (2, 2, 2, 2)


@given(st.dictionaries(TIMES, st.just(("x",)), max_size=6), st.sampled_from(tuple(GRAINS)))
def test_merged_entries_have_names_and_extents_of_their_own(
    days: dict[Time, tuple[str, ...]], grain: str
) -> None:
    original = Timeline.of(days)
    merged, extents = original.merged(grain)
    assert extents == sorted({day.cells(grain) for day in original.dates})
    assert [day.cells(grain) for day in merged.dates] == extents
    assert len({str(day) for day in merged.dates}) == len(extents)
    assert sum(len(texts) for _, texts in merged.days) == len(days)


def test_a_week_in_two_months_keeps_a_name_of_its_own() -> None:
    assert str(Time.parse("2010-W52").truncate("month")) == "2010-12/2011-01"
    both = {"2010-W52": ["quake"], "2010-12-31/2011-01-01": ["rescue"], "2010-12": ["vote"]}
    explained = matches("align(grain=month)", both, both)
    assert {match.gold for match in explained} == {"2010-12", "2010-12/2011-01"}


# Offsets


def test_offsets_are_compared_from_their_zero() -> None:
    gold, predicted = {"0": ["fever"], "30": ["rash"]}, {"23.5": ["fever"], "47": ["rash"]}
    assert f1("date-f1", gold, predicted, "hour") == 1
    assert f1("AR-1", gold, predicted, "hour") == 1
    assert f1("date-f1(grain=hour)", gold, predicted, "hour") == 0
    assert f1("date-f1(grain=hour,tolerance=1d)", gold, predicted, "hour") == 1
    assert f1("date-f1(grain=week)", {"-1": ["x"]}, {"1": ["x"]}, "hour") == 0
    assert f1("date-f1(grain=week)", {"1": ["x"]}, {"6": ["x"]}, "day") == 1


def test_months_of_offsets_are_refused() -> None:
    with pytest.raises(UsageError, match="grain=month needs a calendar"):
        f1("date-f1(grain=month)", {"0": ["x"]}, {"1": ["x"]}, "hour")


def test_offsets_and_dates_are_not_compared() -> None:
    mixed = structs.replace(
        case({"0": ["x"]}, {}, "hour"), predicted=timeline({"2011-01-25": ["x"]})
    )
    with pytest.raises(UsageError, match="some times are offsets"):
        compare(mixed, Setting("rouge155"))


# Extents


@given(st.lists(TIMES, min_size=1, unique=True), st.lists(TIMES, min_size=1, unique=True))
def test_tables_are_those_of_the_times(gold: list[Time], predicted: list[Time]) -> None:
    for grain in ("second", "hour", "day", "week", "month", "century"):
        sides = [Timeline.of(dict.fromkeys(times, ())) for times in (gold, predicted)]
        comparison = compare(Case("c", (sides[0],), sides[1]), Setting("plain", grain, -300))
        tables = [comparison.distance(extent) for extent in ("gap", "hausdorff", "overlap")]
        block = comparison.block
        overlap = comparison.table(block.with_overlap(block.distance("gap")))
        for row, one in enumerate(comparison.predicted_dates):
            first, last = one.cells(grain, -300)
            for column, other in enumerate(comparison.gold_dates):
                gap = one.gap(other, grain, -300)
                far, share = one.hausdorff(other, grain, -300), one.overlap(other, grain, -300)
                several = first != last
                farther = inf if far is None else far
                expected = [gap, *[farther if several else gap] * 2]
                assert [table[row, column] for table in tables] == expected
                assert overlap[row, column] == ((share or 0) if several else gap)


EARNING = ("align", "agreement", "align+", "align+m:1", "align+m:1(tie=nearest)")


@pytest.mark.parametrize("wide", ["1900/2100", "1900/..", "../2100", "20XX"])
def test_a_prediction_of_two_centuries_earns_almost_nothing(wide: str) -> None:
    gold = {f"2011-{month:02}-11": ["quake hits"] for month in range(1, 13)}
    for name in EARNING:
        for extent in ("hausdorff", "overlap"):
            metric = f"{name[:-1]},extent={extent})" if "(" in name else f"{name}(extent={extent})"
            assert f1(metric, gold, {wide: ["quake hits"]}) < 0.001, metric
        loose = f"{name[:-1]},extent=gap)" if "(" in name else f"{name}(extent=gap)"
        assert scores(loose, gold, {wide: ["quake hits"]})["precision"] == 1
    assert f1("date-f1", gold, {wide: ["quake hits"]}) == 0
    distance = scores("date-distance", gold, {wide: ["quake hits"]})["from_gold"]
    assert np.isnan(distance) if ".." in wide else distance > 30_000
    assert scores("date-distance(extent=gap)", gold, {wide: ["quake hits"]})["from_gold"] == 0


WIDER = st.integers(0, 400)


@given(st.integers(-30, 30), st.lists(st.tuples(WIDER, WIDER), min_size=1, max_size=4))
def test_widening_a_prediction_around_a_gold_day_never_pays(
    first: int, steps: list[tuple[int, int]]
) -> None:
    gold = Time.parse("2011-06-15")
    assert gold.begin is not None
    assert gold.end is not None
    day = gold.end - gold.begin
    begin, end = gold.begin + min(first, 0) * day, gold.end + max(first, 0) * day
    metrics = [FAMILY.metric(name) for name in (*EARNING, "align(extent=overlap)", "date-distance")]
    metrics.append(FAMILY.metric("align+m:1(extent=overlap)"))
    before = dict.fromkeys(metrics, inf)
    for earlier, later in ((0, 0), *steps):
        begin, end = begin - earlier * day, end + later * day
        predicted = Timeline.of({Time(begin, end, "day", "span"): ["quake"]})
        single = Case("c", (Timeline.of({gold: ["quake"]}),), predicted)
        for metric in metrics:
            statistics = metric.measure(FAMILY.compare(single, metric.setting)).statistics
            linked = dict(zip(metric.scores, metric.link(np.array(statistics, float)), strict=True))
            credit = linked[metric.primary] * (1 if metric.better == "higher" else -1)
            assert credit <= before[metric], metric
            before[metric] = credit


def test_a_day_within_a_gold_month_is_right() -> None:
    for name in (*EARNING, "align(extent=overlap)", "date-f1"):
        assert f1(name, {"2011-06": ["quake"]}, {"2011-06-15": ["quake"]}) == 1
        assert f1(name, {"2011-06": ["quake"]}, {"2011-06": ["quake"]}) == 1
        assert f1(name, {"2011-06/..": ["quake"]}, {"2011-06/..": ["quake"]}) == 1


def test_a_predicted_month_earns_by_its_farther_end_or_its_overlap() -> None:
    gold, predicted = {"2011-06-10": ["quake"]}, {"2011-06": ["quake"]}
    assert f1("align", gold, predicted) == pytest.approx(1 / 21)
    assert f1("align(extent=overlap)", gold, predicted) == pytest.approx(1 / 30)
    assert f1("align(extent=gap)", gold, predicted) == 1
    assert f1("align(grain=month)", gold, predicted) == 1


@pytest.mark.parametrize("tie", ["first", "nearest"])
def test_of_equally_cheap_days_an_infinitely_far_one_is_still_the_cheapest(tie: str) -> None:
    gold = {"2011-06-10": ["rescue"], "2011-06-20": ["quake"]}
    explained = matches(f"align+m:1(tie={tie})", gold, {"1900/..": ["quake"]})
    assert [m.gold for m in explained if m.side == "precision"] == ["2011-06-20"]
    assert explained[0].distance is None


@pytest.mark.parametrize("year", ["Y40000", "Y-200000", "Y170000002"])
def test_a_year_beyond_all_is_far_by_every_grain_that_can_count_to_it(year: str) -> None:
    for grain in GRAINS.keys() - {"tick"}:
        assert f1(f"align(grain={grain})", {"2011-06-10": ["quake"]}, {year: ["quake"]}) < 0.01
        assert f1(f"align(grain={grain})", {year: ["quake"]}, {year: ["quake"]}) == 1


def test_the_period_of_dates_ends_where_they_have_a_bound() -> None:
    gold: Days = {"2011-01-01": [], "2011-01-10": []}
    assert scores("date-period", gold, {"2011-01-06/..": []})["recall"] == 0.1
    assert scores("date-period", gold, {"1900/2100": []})["precision"] < 0.001


@given(st.lists(OFFSETS, unique=True), st.lists(OFFSETS, unique=True))
def test_ends_without_a_bound_give_no_warning(gold: list[Time], predicted: list[Time]) -> None:
    sides = [Timeline.of(dict.fromkeys(times, ("x",))) for times in (gold, predicted)]
    for definition in FAMILY.definitions:
        metric = definition()
        comparison = FAMILY.compare(Case("c", (sides[0],), sides[1]), metric.setting)
        assert all(np.isfinite(value) for value in metric.measure(comparison).statistics)
        assert all(np.isfinite(match.credit) for match in metric.explain(comparison))


def test_days_of_one_month_do_not_replace_each_other_where_months_are_compared() -> None:
    gold = [["2011-01-01", ["One strike."]], ["2011-01-02", ["Two votes."]]]
    both = [["2011-01-05", ["One strike. Two votes."]]]
    (scored,) = score_many(gold, [both], metrics=["AR-1(grain=month)"])
    assert [values["f1"] for values in scored.values()] == [1]
