"""Times with and without a zone below a day: what is told, and what `zone` changes."""

from chronoscore import score

ZONED = {"2011-01-25T13:45+02:00": ["Protests begin."]}
FLOATING = {"2011-01-25T13:45": ["Protests begin."]}


def test_times_with_and_without_a_zone_are_told() -> None:
    by_minute = score("timelines", ZONED, FLOATING, metrics=["date-f1(grain=minute)"])
    assert by_minute["date-f1(grain=minute)"] == 0
    assert any("1 times name no zone" in notice for notice in by_minute.document.notices)
    here = "date-f1(grain=minute,zone=+02:00)"
    assert score("timelines", ZONED, FLOATING, metrics=[here])[here] == 1


def test_nothing_is_told_by_the_day_or_where_all_are_alike() -> None:
    for gold, grain in ((ZONED, "day"), (FLOATING, "minute")):
        result = score("timelines", gold, FLOATING, metrics=[f"date-f1(grain={grain})"])
        assert not any("zone" in notice for notice in result.document.notices)


def test_an_interval_within_a_day_is_told_as_well() -> None:
    hours = {"2011-01-25T10:00/2011-01-25T12:00": ["Protests begin."]}
    result = score("timelines", hours, {"2011-01-25": ["Protests begin."]})
    assert any("read as the day alone" in notice for notice in result.document.notices)
    assert result["Date-F1"] == 1
