"""Where times lie on the axis of a page, and what is written there."""

import random
from types import SimpleNamespace
from typing import Any

import pytest
from reports.made import timelines_of

from chronoscore import Time
from chronoscore.elements.dated.model import Timeline
from chronoscore.families import family
from chronoscore.reports.html.axis import time_axis
from chronoscore.reports.html.explained import Explained
from chronoscore.timelines.pages import PAGES, apart_words


def words(text: str, unit: str = "") -> str:
    _, _, near, far, *whole = time_axis([text], unit)["times"][text]
    return whole[0] if whole else " ".join(filter(None, (near, far)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2011-02-05", "5 Feb 2011"),
        ("2011-02", "Feb 2011"),
        ("2011", "2011"),
        ("2011-01-25T13:45", "13:45 on 25 Jan 2011"),
        ("2011-01-25T13", "13h on 25 Jan 2011"),
        ("2011-01-25T13:45:30.5Z", "13:45:30.500 UTC on 25 Jan 2011"),
        ("2011-01-25T13:45-03:30", "13:45 -03:30 on 25 Jan 2011"),
        ("2011-01-25T24:00", "00:00 on 26 Jan 2011"),
        ("2009-W01", "week 1 2009"),
        ("2011-Q2", "Q2 2011"),
        ("2011-24", "winter 2011"),
        ("1990s", "1990s"),
        ("2007-10-XX", "2007-10-XX"),
        ("1850~", "c. 1850"),
        ("1850-06?", "Jun 1850?"),
        ("-0043-03-15", "15 Mar 44 BC"),
        ("0000", "1 BC"),
        ("0079", "AD 79"),
        ("Y170000002", "170000002"),
        ("2011-01-25/2011-02", "25 Jan 2011 – Feb 2011"),
        ("1985/..", "from 1985"),
        ("1985/", "from 1985, end not known"),
        ("../1985", "until 1985"),
        ("/1985", "until 1985, begin not known"),
    ],
)
def test_times_in_words(text: str, said: str) -> None:
    assert words(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [("-72", "-72 h"), ("1.5", "1.5 h"), ("24/48", "24 h – 48 h"), ("5/..", "from 5 h")],
)
def test_offsets_in_words(text: str, said: str) -> None:
    assert words(text, "hour") == said


def places(*names: str, unit: str = "") -> tuple[float, list[tuple[int | None, int | None]]]:
    axis = time_axis(names, unit)
    return axis["cell"] * 24, [axis["times"][name][:2] for name in names]


def test_a_cell_is_as_long_as_all_times_allow() -> None:
    assert places("2011-01-25", "2011-02") == (24, [(0, 0), (7, 34)])
    assert places("2011-01-25T13", "2011-01-25") == (1, [(13, 13), (0, 23)])
    assert places("2011-01-25T13:45", "2011-01-25T13") == (1 / 60, [(45, 45), (0, 59)])
    offsets = places("0", "1.5", "2/3", unit="hour")
    assert offsets == (1 / 60, [(0, 0), (90, 90), (120, 180)])


def test_ends_without_a_bound_have_no_place() -> None:
    assert places("1985/..", "../1986-01-01") == (24, [(0, None), (None, 365)])


def test_zones_are_on_one_axis() -> None:
    _, (first, second) = places("2011-01-25T23:30-05:00", "2011-01-26T04:30Z")
    assert first == second


def test_days_keep_their_distances_to_the_end_of_the_calendar_and_before_it() -> None:
    days = ["-9999-01-01", "-0001-12-31", "0000-01-01", "2011-01-25", "9999-12-31"]
    _, spans = places(*days)
    for (first, _), (second, _), one, two in zip(spans, spans[1:], days, days[1:], strict=False):
        assert first is not None
        assert second is not None
        assert second - first == Time.parse(one).gap(Time.parse(two))


def test_names_that_are_no_times_have_no_place() -> None:
    assert time_axis(["e1", ""]) == {"cell": 1.0, "times": {}}


def test_offsets_of_a_case_are_in_order() -> None:
    offsets = ["-72", "-1.5", "0", "8", "24", "100"]
    shuffled = random.Random(0).sample(offsets, len(offsets))
    times = {Time.parse(o, dialect="offset", unit="hour"): ["x"] for o in shuffled}
    gold = Timeline.of(times)
    scored = timelines_of(
        {"s": {"t": (gold, gold)}}, ["align(grain=hour)"], options={"time_unit": "hour"}
    )
    explained = Explained.of(family("timelines"), scored.result, scored.matches, scored.texts)
    assert list(explained.gold["t"]) == offsets
    assert list(PAGES.view.data(explained, ())["axis"]["times"]) == sorted(offsets)


@pytest.mark.parametrize(
    ("grains", "said"),
    [
        (["day", "day"], ("day", "days")),
        (["century"], ("century", "centuries")),
        (["tick"], ("microsecond", "microseconds")),
        (["day", "hour"], ("step", "steps")),
        ([], ("day", "days")),
    ],
)
def test_distances_are_named_after_the_grain(grains: list[str], said: tuple[str, str]) -> None:
    metrics: list[Any] = [SimpleNamespace(values={"grain": grain}) for grain in grains]
    assert apart_words(metrics) == said


def test_a_cell_is_not_shorter_than_the_grain() -> None:
    names = ("2011-01-25T09:00:30Z", "2011-01-25T09:01Z")
    assert time_axis(names)["cell"] * 86_400 == 1
    axis = time_axis(names, grain="minute")
    assert axis["cell"] * 1_440 == 1
    assert [axis["times"][name][:2] for name in names] == [(0, 0), (1, 1)]
    assert time_axis(["0", "1.5"], "hour", "day")["cell"] * 1_440 == 1  # offsets stay points
