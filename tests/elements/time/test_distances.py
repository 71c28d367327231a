"""Distances and order of times: the answers of the vectors, and laws on random times."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors_home import free

from chronoscore import Time, UsageError
from chronoscore.elements.time.calendar import BELOW_DAY, GRAINS, MONTHS

PAIRS = free("time/pairs.json")


def share(pair: Any) -> float | None:
    return None if pair is None else float(Fraction(*pair))


def test_pairs_of_the_calendar() -> None:
    for pair in PAIRS["pairs"]:
        one, other, grain = Time.parse(pair["a"]), Time.parse(pair["b"]), pair["grain"]
        found = {
            "gap": one.gap(other, grain),
            "begin": one.begin_distance(other, grain),
            "end": one.end_distance(other, grain),
            "hausdorff": one.hausdorff(other, grain),
            "overlap": one.overlap(other, grain),
            "a_contains_b": one.contains(other, grain),
            "b_contains_a": other.contains(one, grain),
            "order": one.order(other, grain),
            "weight": 1 / (one.gap(other, grain) + 1),
            "equal_at": {each: one.equal(other, each) for each in pair["equal_at"]},
        }
        assert found == {**{key: pair[key] for key in found}, "overlap": share(pair["overlap"])}


def test_pairs_of_offsets() -> None:
    for pair in PAIRS["offsets"]:
        one, other = (
            Time.parse(pair[side], dialect="offset", unit=pair["unit"]) for side in ("a", "b")
        )
        found = {
            "gap_ticks": one.gap(other, "tick"),
            "begin_ticks": one.begin_distance(other, "tick"),
            "end_ticks": one.end_distance(other, "tick"),
            "hausdorff_ticks": one.hausdorff(other, "tick"),
            "gap_hours": one.gap(other, "tick") / 3_600_000_000,
            "overlap": one.overlap(other, "tick"),
            "order": one.order(other, "tick"),
        }
        assert found == {**{key: pair[key] for key in found}, "overlap": share(pair["overlap"])}


def test_truncations() -> None:
    for case in PAIRS["truncations"]:
        time = Time.parse(case["text"]).truncate(case["to"])
        assert (time.begin, time.end) == (case["begin_tick"], case["end_tick"]), case


DAYS = st.dates().map(Time.of)
MOMENTS = st.datetimes(timezones=st.none() | st.timezones().map(lambda _: None)).map(Time.of)
ZONED = st.builds(
    lambda day, zone: Time.parse(f"{day}T12:30{zone}"),
    st.dates(),
    st.sampled_from(("Z", "+05:30", "-11:00", "")),
)
WRITTEN = st.sampled_from(
    (
        *("2011", "2011-01", "2011-W05", "2011-Q2", "2011-23", "201X", "2011-01-XX"),
        *("1900/2100", "2011-01-20/2011-02-03", "Y170000002", "0000", "-0044-03-15"),
    )
).map(Time.parse)
OPEN = st.sampled_from(("1985/..", "../2011-02", "2011-01-25/", "/1900")).map(Time.parse)
BOUNDED = st.one_of(DAYS, MOMENTS, ZONED, WRITTEN)
TIMES = st.one_of(BOUNDED, OPEN)
GRAIN = st.sampled_from(tuple(GRAINS))


@settings(max_examples=400)
@given(TIMES, TIMES, GRAIN)
def test_distances_are_symmetric_and_zero_with_themselves(a: Time, b: Time, grain: str) -> None:
    for name in ("gap", "begin_distance", "end_distance", "hausdorff", "ends", "overlap", "equal"):
        assert getattr(a, name)(b, grain) == getattr(b, name)(a, grain)
    assert (a.gap(a, grain), a.hausdorff(a, grain), a.ends(a, grain)) == (0, 0, 0)
    assert (a.overlap(a, grain), a.order(a, grain)) == (1, "equal")
    swapped = {"before": "after", "after": "before"}
    order = a.order(b, grain)
    assert b.order(a, grain) == swapped.get(order, order)


@settings(max_examples=400)
@given(TIMES, TIMES, TIMES, GRAIN)
def test_a_refinement_never_comes_nearer_to_a_third(a: Time, b: Time, c: Time, grain: str) -> None:
    if a.contains(b, grain):
        assert a.gap(b, grain) == 0
        assert a.gap(c, grain) <= b.gap(c, grain)


@settings(max_examples=400)
@given(BOUNDED, BOUNDED, BOUNDED, GRAIN)
def test_triangles(a: Time, b: Time, c: Time, grain: str) -> None:
    def far(one: Time, other: Time) -> int:
        distance = one.hausdorff(other, grain)
        assert distance is not None
        assert one.gap(other, grain) <= distance
        return distance

    def unlike(one: Time, other: Time) -> float:
        overlap = one.overlap(other, grain)
        assert overlap is not None
        return 1 - overlap

    assert far(a, c) <= far(a, b) + far(b, c)
    assert unlike(a, c) <= unlike(a, b) + unlike(b, c) + 1e-12


@settings(max_examples=400)
@given(TIMES, TIMES, GRAIN, GRAIN)
def test_a_coarser_grain_holds_equal_what_a_finer_one_does(
    a: Time, b: Time, fine: str, coarse: str
) -> None:
    nested = [grain for grain in GRAINS if grain != "week"]
    if fine in nested and coarse in nested and nested.index(fine) <= nested.index(coarse):
        one_zone = a.zone == b.zone or (fine not in BELOW_DAY) or coarse in BELOW_DAY
        if one_zone and a.equal(b, fine):
            assert a.equal(b, coarse)


@given(TIMES, GRAIN)
def test_a_truncated_time_has_the_same_cells(time: Time, grain: str) -> None:
    if grain not in BELOW_DAY:  # below a day cells are those of UTC, and ends those of the clock
        truncated = time.truncate(grain)
        assert truncated.cells(grain) == time.cells(grain)
        assert truncated.truncate(grain) == truncated


@given(st.lists(TIMES, max_size=6))
def test_times_sort_by_their_begin(times: list[Time]) -> None:
    begins = [time.begin for time in sorted(times) if time.begin is not None]
    assert begins == sorted(begins)
    assert len({*times}) == len({str(time.cells("tick")) + str(time) for time in times})


def test_the_wall_clock_counts_from_a_day_on_and_utc_below() -> None:
    evening, morning = Time.parse("2011-01-25T23:30-05:00"), Time.parse("2011-01-26T04:30Z")
    assert evening.gap(morning, "minute") == 0
    assert evening.gap(morning, "day") == 1
    floating = Time.parse("2011-01-25T23:30")
    assert floating.gap(morning, "hour") == 5
    assert floating.gap(morning, "hour", zone=-300) == 0


def test_two_axes_are_never_compared() -> None:
    day, offset = Time.parse("2011-01-25"), Time.parse("72", dialect="offset", unit="hour")
    for name in ("gap", "overlap", "contains", "order"):
        with pytest.raises(UsageError, match="not on one axis"):
            getattr(day, name)(offset)
    for grain in MONTHS.keys() & GRAINS.keys():
        with pytest.raises(UsageError, match="needs a calendar"):
            offset.cells(grain)
    with pytest.raises(UsageError, match="no grain 'eon'"):
        day.cells("eon")


def test_gaps_of_days_are_those_of_python() -> None:
    @given(st.dates(), st.dates())
    def check(one: Any, other: Any) -> None:
        assert Time.of(one).gap(Time.of(other)) == abs((one - other).days)

    check()
