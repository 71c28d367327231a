"""Dates as they occur in public sets, with their counts: how many are read, and why others not."""

from collections import Counter
from typing import Any

import pytest
from vectors_home import free

from chronoscore import Time, TimeError

SETS = free("time/occurring.json")


def outcomes(name: str, *, lenient: bool, **words: Any) -> Counter[str]:
    found: Counter[str] = Counter()
    for text, number in SETS[name].items():
        try:
            Time.parse(text, lenient=lenient, **words)
        except TimeError as refused:
            found[refused.kind] += number
        else:
            found["read"] += number
    return found


def test_all_golds_of_chronos_are_read() -> None:
    assert outcomes("CHRONOS open golds", lenient=True) == {"read": 1130}


def test_all_anchors_of_semeval_are_read_or_undated() -> None:
    anchors = outcomes("SemEval-2015 T4 anchors", lenient=True)
    assert anchors == {"read": 714, "undated": 223}


def test_values_of_timeml() -> None:
    platinum = outcomes("TE3 platinum TIMEX3 value", lenient=False, dialect="timex3")
    assert (platinum["read"], platinum["undated"], platinum.total()) == (230, 12, 336)
    assert platinum.keys() == {
        "read",
        "undated",
        "a duration, not a time",
        "a reference, not a time",
    }


@pytest.mark.parametrize(("lenient", "read"), [(False, 667_737), (True, 684_689)])
def test_cells_of_clinical_series_in_hours(lenient: bool, read: int) -> None:
    cells: Counter[str] = Counter()
    for name in ("T2S2 model outputs", "T2S2 interval outputs", "T2S2 manual"):
        cells += outcomes(name, lenient=lenient, dialect="offset", unit="hour")
    assert (cells["read"], cells.total()) == (read, 701_149)  # 95.2 % and 97.6 %


def test_no_number_of_a_clinical_series_is_a_year() -> None:
    hours = Time.parse("1440", dialect="offset", unit="hour")
    assert (hours.axis, hours.gap(Time.parse("0", dialect="offset", unit="hour"), "day")) == (
        "offset",
        60,
    )
