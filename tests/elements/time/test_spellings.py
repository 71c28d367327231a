"""Spellings of times: what each is read as, strictly and leniently, or why it is refused."""

import pickle
import random
from datetime import date
from typing import Any

import pytest
from every import each
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore import Time, TimeError, UsageError
from chronoscore.elements.time.reading import Rules, read_time
from chronoscore.elements.time.value import Dialect

CASES = free("time/spellings.json")
LEVEL_2 = [case for case in CASES if case["group"].startswith("edtf-2")]
READ = [case for case in CASES if not case["group"].startswith("edtf-2")]


def reading(case: dict[str, Any], *, lenient: bool) -> dict[str, Any]:
    """What we read a spelling as, in the words of the vectors."""
    try:
        time = Time.parse(
            case["text"], lenient=lenient, dialect=case["dialect"], unit=case.get("unit")
        )
    except TimeError as refused:
        return {"refused": refused.kind}
    return {
        **{"begin_tick": time.begin, "end_tick": time.end, "resolution": time.resolution},
        **{"shape": time.shape, "zone_minutes": time.zone, "qualifier": time.qualifier},
        **{"open": list(time.open), "part": time.part, "axis": time.axis},
    }


def expected(case: dict[str, Any], *, lenient: bool) -> dict[str, Any]:
    wanted = case.get("lenient", case["strict"]) if lenient else case["strict"]
    if "refused" in wanted:
        return {"refused": wanted["refused"]}
    defaults: dict[str, Any] = {"zone_minutes": None, "qualifier": "", "part": ""}
    defaults |= {"open": ["", ""], "axis": "calendar"}
    fields = {key: value for key, value in wanted.items() if key not in ("begin", "end")}
    for tick in ("begin_tick", "end_tick"):
        fields[tick] = None if fields[tick] is None else int(fields[tick])
    return {**defaults, **fields}


@each("lenient", [False, True])
@each("group", sorted({case["group"] for case in READ}))
def test_every_spelling_is_read_as_the_vectors_say(group: str, lenient: bool) -> None:
    for case in READ:
        if case["group"] == group:
            assert reading(case, lenient=lenient) == expected(case, lenient=lenient), case["text"]


def test_level_2_of_edtf_is_refused_by_that_name() -> None:
    assert len(LEVEL_2) > 100
    assert {reading(case, lenient=False)["refused"] for case in LEVEL_2} == {"EDTF level 2"}


def test_a_time_is_written_so_that_it_is_read_as_an_equal_one() -> None:
    for case in READ:
        for lenient in (False, True):
            words: dict[str, Any] = {"dialect": case["dialect"], "unit": case.get("unit")}
            try:
                time = Time.parse(case["text"], lenient=lenient, **words)
            except TimeError:
                continue
            if time.resolution == "decade" or (time.axis == "offset" and time.qualifier):
                continue  # only the lenient reading has them
            again = Time.parse(str(time), **words)
            assert (again, str(again)) == (time, str(time)), case["text"]


@given(st.text(alphabet="0123456789-/.T:ZX+W?~% QY[]{},BCMJan", max_size=24))
def test_lenient_reads_all_that_strict_reads_and_equally(text: str) -> None:
    for dialect, unit in (("calendar", None), ("timex3", None), ("offset", "h")):
        words: dict[str, Any] = {"dialect": dialect, "unit": unit}
        try:
            strict = Time.parse(text, **words)
        except TimeError:
            with_reason(text, words)
            continue
        assert Time.parse(text, lenient=True, **words) == strict


def with_reason(text: str, words: dict[str, Any]) -> None:
    """Whatever is refused leniently has a reason; nothing else is ever raised."""
    kind = "read"
    try:
        Time.parse(text, lenient=True, **words)
    except TimeError as refused:
        kind = refused.kind
    assert kind


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for dialect, unit in (("calendar", None), ("timex3", None), ("offset", "min")):
        with_reason(text, {"dialect": dialect, "unit": unit})


@given(st.integers(-9_999_999_999, 9_999_999_999), st.integers(1, 12), st.integers(1, 31))
def test_far_years_are_written_and_read_alike(year: int, month: int, day: int) -> None:
    text = f"Y{year}" if abs(year) > 9999 else f"{'-' * (year < 0)}{abs(year):04}"
    if text == "-0000":
        return
    time = Time.parse(text)
    assert str(time) == text
    if abs(year) <= 9999 and day <= 28:
        assert str(Time.parse(f"{text}-{month:02}-{day:02}")) == f"{text}-{month:02}-{day:02}"


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("01/02/2011", "dmy", "2011-02-01"),
        ("01/02/2011", "mdy", "2011-01-02"),
        ("25.1.2011", "dmy", "2011-01-25"),
        ("3-2-2009", "mdy", "2009-03-02"),
    ],
)
def test_the_order_of_day_and_month_is_the_users(text: str, order: str, day: str) -> None:
    for lenient in (False, True):
        assert str(Time.parse(text, lenient=lenient, date_order=order)) == day


@pytest.mark.parametrize(
    ("text", "order", "kind"),
    [("25/01/2011", "mdy", "not in the calendar"), ("1/2/11", "dmy", "a year of two digits")],
)
def test_a_date_that_the_order_does_not_fit_is_refused(text: str, order: str, kind: str) -> None:
    with pytest.raises(TimeError) as refused:
        Time.parse(text, date_order=order)
    assert refused.value.kind == kind


@pytest.mark.parametrize(
    "words",
    [
        {"dialect": "offset"},
        {"dialect": "offset", "unit": "month"},
        {"unit": "h"},
        {"date_order": "ymd"},
    ],
)
def test_rules_that_do_not_go_together_are_refused(words: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Time.parse("7/8/2011", **words)


def test_midnight_is_a_time_where_other_times_of_day_are() -> None:
    rules = Rules(midnight_is_time=True)
    assert read_time("2011-01-25T00:00:00", rules).time.resolution == "second"
    assert read_time("2019-05T00:00:00", rules).time.resolution == "month"
    night = Time.parse("2011-01-25T13:00/2011-01-26T00:00")
    assert str(night.end) == str(Time.parse("2011-01-26").begin + 60_000_000)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "month"), [("c. January 1850", "1850-01~"), ("about 25 Jan 1850", "1850-01-25~")]
)
def test_about_may_stand_before_words(text: str, month: str) -> None:
    time = Time.parse(text, lenient=True)
    assert str(time) == month


def test_the_zone_of_midnight_must_exist_as_well() -> None:
    assert str(Time.parse("2011-01-25T00:00:00+23:59")) == "2011-01-25"
    with pytest.raises(TimeError, match="not an offset of a zone"):
        Time.parse("2011-01-25T00:00:00+25:00")


def test_long_texts_are_quoted_in_part() -> None:
    with pytest.raises(TimeError, match=r"^'x{40}\.\.\.' is not a date"):
        Time.parse("x" * 100)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("2011-01-25T24:00:00." + "0" * 5000, "calendar"),
        ("2011" + "TXX" * 5000, "timex3"),
        ("X" + "XT00" * 5000, "timex3"),
        ("P" + "1" * 20_000, "offset"),
        ("1" * 5000 + ":00:00", "offset"),
    ],
)
def test_a_text_that_is_too_long_is_refused_at_once(text: str, dialect: Dialect) -> None:
    for lenient in (False, True):
        with pytest.raises(TimeError) as refused:
            Time.parse(text, lenient, dialect, "hour" if dialect == "offset" else None)
        assert refused.value.kind == "not a date"


def test_a_superscript_is_no_digit_of_a_year() -> None:
    with pytest.raises(TimeError):
        Time.parse("BC²²²²", dialect="timex3")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("-820X", "calendar"),
        ("-82XX-XX", "calendar"),
        ("-000X", "calendar"),
        ("-6XXX-XX-XX", "calendar"),
        ("5079-Q4/7297-08-26T23-05:30", "calendar"),
        ("../2011-01-25T23Z", "calendar"),
        ("09", "timex3"),
    ],
)
def test_what_is_written_is_read_as_the_same_time(text: str, dialect: Dialect) -> None:
    time = Time.parse(text, dialect=dialect)
    assert Time.parse(str(time), dialect=dialect) == time


@pytest.mark.parametrize(
    ("text", "grain", "cells"),
    [
        ("2011-02", "week", "2011-01-31/2011-03-06"),
        ("2011-21", "quarter", "2011-01/2011-06"),
        ("2011-01-XX", "month", "2011-01"),
        ("2011-XX", "year", "2011"),
        ("2011-XX", "month", "2011-XX"),
        ("2011", "month", "2011"),
        ("2011-XX-XX", "half", "2011-XX"),
    ],
)
def test_truncated_times_are_written_as_what_they_are(text: str, grain: str, cells: str) -> None:
    truncated = Time.parse(text).truncate(grain)
    assert (str(truncated), truncated) == (cells, Time.parse(cells))
    assert truncated.truncate(grain) == truncated


def test_an_unknown_week_of_a_month_is_not_written_as_a_known_one() -> None:
    assert str(Time.parse("2011-02-XX").truncate("week")) == "2011-01-31/2011-03-06"


def test_there_is_no_year_0_of_our_era() -> None:
    with pytest.raises(TimeError, match="not in the calendar"):
        Time.parse("0 AD", lenient=True)


def test_random_days_have_one_spelling() -> None:
    generator = random.Random(5)
    for _ in range(2000):
        number = generator.randrange(1, 3_652_060)
        day = date.fromordinal(number)
        time = Time.parse(day.isoformat())
        assert (time.first, time.last, time) == (day, day, Time.of(day))
        iso = day.isocalendar()
        if 1 <= iso.year <= 9999:
            assert Time.parse(f"{iso.year:04}-W{iso.week:02}-{iso.weekday}") == time
        assert Time.parse(f"{day.year:04}-{day.timetuple().tm_yday:03}") == time
        assert Time.parse(f"{day.year:04}{day.month:02}{day.day:02}") == time


def test_what_is_no_text_and_what_is_no_dialect_is_refused() -> None:
    for wrong in (5, None, date(2011, 1, 25)):
        with pytest.raises(UsageError, match="expected a string"):
            Time.parse(wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no dialect 'edtf'; there are: calendar, timex3, offset"):
        Time.parse("2011", dialect="edtf")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not supported"):
        _ = Time.parse("2011") < 5


YEARS = st.one_of(  # a week of the year 9999 may end in 10000, of which only years are read
    st.integers(0, 9998).map("{:04}".format),
    st.integers(1, 9998).map("-{:04}".format),
    st.integers(10_000, 9_999_999_999).map("Y{}".format),
)
REST = st.sampled_from(
    ("", "-02", "-12-31", "-W01", "-W52-7", "-060", "-Q1", "-24", "-XX", "-01-XX", "-XX-XX")
)
CLOCKS = st.sampled_from(("", "", "T00", "T23", "T24:00", "T13:45Z", "T00:00:01.5-05:30"))
QUALIFIERS = st.sampled_from(("", "", "?", "~", "%"))


@st.composite
def ends(draw: st.DrawFn) -> str:
    year, rest = draw(YEARS), draw(REST)
    unknown = draw(st.integers(0, 3))
    if unknown and not year.startswith("Y"):
        rest = rest if set(rest) <= set("-X") else ""
        return year[:-unknown] + "X" * unknown + rest + draw(QUALIFIERS)
    return year + rest + draw(CLOCKS) + draw(QUALIFIERS)


@given(st.one_of(ends(), st.tuples(ends() | st.just(".."), ends() | st.just("")).map("/".join)))
def test_times_of_all_shapes_are_read_as_they_are_written(text: str) -> None:
    try:
        time = Time.parse(text)
    except TimeError:
        return
    again = Time.parse(str(time))
    assert (again, hash(again), str(again)) == (time, hash(time), str(time))
    assert (again.qualifier, again.open) == (time.qualifier, time.open)
    assert pickle.loads(pickle.dumps(time)) == time
