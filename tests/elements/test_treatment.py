"""Days of treatment: courses, single days, vague mentions, and what a wide course costs."""

from datetime import date, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.time import Time
from chronoscore.elements.treatment import Treatment, TreatmentDays, treatment_days
from chronoscore.errors import UsageError


def timeline(*tuples: str) -> list[Treatment]:
    """Tuples as ``drug relation time``; ``1`` stands for contains-1, ``b`` and ``e`` for others."""
    names = {"b": "begins-on", "e": "ends-on", "1": "contains-1"}
    parts = (line.split() for line in tuples)
    return [(drug, names.get(kind, kind), Time.parse(text)) for drug, kind, text in parts]


def days(*tuples: str) -> int:
    return treatment_days(timeline(*tuples), []).gold


def test_a_wide_course_finds_every_day_and_pays_for_it_in_precision() -> None:
    gold = timeline(*(f"cisplatin 1 2013-{month:02}-03" for month in range(1, 13)))
    predicted = timeline("cisplatin b 1900-01-01", "cisplatin e 2100-01-01")
    counted = treatment_days(gold, predicted)
    assert counted == TreatmentDays(shared=12, predicted=73_050, gold=12, vague=0)
    assert Fraction(counted.shared, counted.predicted) == Fraction(12, 73_050)


def test_a_course_of_eight_thousand_years_has_twenty_cycles_of_the_calendar() -> None:
    gold, number = timeline("a b 0001-01-01", "a e 8000-12-31"), 20 * 146_097
    assert treatment_days(gold, gold) == TreatmentDays(number, number, number, 0)


def test_two_courses_leave_the_gap_between_them() -> None:
    gold = ("a b 2013-01-05", "a e 2013-02-05", "a b 2015-01-05", "a e 2015-02-05")
    assert days(*gold) == 64
    assert treatment_days(timeline(*gold), timeline("a 1 2014-06-15")).shared == 0
    assert treatment_days(timeline(*gold), timeline("a 1 2015-01-15")).shared == 1


@pytest.mark.parametrize(
    ("tuples", "number"),
    [
        (("a b 2013-01-05",), 1),
        (("a e 2013-01-05",), 1),
        (("a e 2013-01-05", "a b 2013-02-05"), 2),  # an end before its begin ends nothing
        (("a b 2013-01-01", "a b 2013-01-05", "a e 2013-01-07"), 1 + 3),
        (("a b 2013-01-01", "a e 2013-01-05", "a e 2013-01-09"), 5 + 1),
        (("a b 2013-01-05", "a e 2013-01-05"), 1),
        (("a b 2013-01-05", "a b 2013-01-05", "a e 2013-01-09"), 5),
        (("a b 2013-01-01", "a e 2013-01-05", "a b 2013-01-05"), 2),  # the end is of the 2nd begin
        (("a b 2013-01-01", "b e 2013-01-05"), 2),  # of two drugs
    ],
)
def test_begins_and_ends_without_a_partner_are_their_own_days(
    tuples: tuple[str, ...], number: int
) -> None:
    assert days(*tuples) == number


@pytest.mark.parametrize(
    ("tuples", "number"),
    [
        (("a b 2013-W05", "a e 2013-W06"), 14),  # Monday of the first to Sunday of the second
        (("a b 2013-W05",), 7),
        (("a b 2013-02", "a e 2013-03"), 28 + 31),
        (("a b 2013-02-10", "a e 2013-02"), 19),
        (("a b 2013", "a e 2013-01-31"), 31),
        (("a b 2013-02-10T08:00", "a e 2013-02-10T17:30"), 1),
    ],
)
def test_a_course_goes_from_the_first_day_of_its_begin_to_the_last_of_its_end(
    tuples: tuple[str, ...], number: int
) -> None:
    assert days(*tuples) == number


@pytest.mark.parametrize(
    "time", ["2013-W05", "2013-02", "2013", "2013-02-01/2013-02-03", "2013/.."]
)
def test_a_mention_of_more_than_a_day_is_vague_on_either_side(time: str) -> None:
    vague, sure = timeline(f"a 1 {time}"), timeline("a 1 2013-02-01")
    assert treatment_days(vague, sure) == TreatmentDays(shared=0, predicted=1, gold=0, vague=1)
    assert treatment_days(sure, vague) == TreatmentDays(shared=0, predicted=0, gold=1, vague=1)


def test_a_begin_without_a_bound_and_an_unknown_relation_are_vague() -> None:
    counted = treatment_days(timeline("a b ../2013-02-01", "a anything 2013-02-01"), [])
    assert counted == TreatmentDays(shared=0, predicted=0, gold=0, vague=2)


def test_case_of_drugs_and_relations_does_not_matter() -> None:
    gold, predicted = timeline("Taxol begins-on 2013"), timeline("TAXOL BEGINS-ON 2013")
    assert treatment_days(gold, predicted) == TreatmentDays(365, 365, 365, 0)


def test_offsets_are_counted_in_days_and_not_with_dates() -> None:
    def hours(text: str) -> Time:
        return Time.parse(text, dialect="offset", unit="hour")

    gold: list[Treatment] = [("a", "begins-on", hours("-24")), ("a", "ends-on", hours("30"))]
    assert treatment_days(gold, gold) == TreatmentDays(3, 3, 3, 0)
    with pytest.raises(UsageError, match="offsets"):
        treatment_days(gold, timeline("a 1 2013-02-01"))


ORIGIN = date(2013, 1, 1)
TREATMENTS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from(["begins-on", "ends-on", "contains-1"]),
        st.integers(0, 40).map(lambda number: Time.of(ORIGIN + timedelta(number))),
    ),
    max_size=12,
)


def day_by_day(treatments: list[Treatment]) -> set[tuple[str, date]]:
    """The same by sets of days: slow and plain."""
    found = set()
    for drug in {drug for drug, _, _ in treatments}:
        begins, ends, mentions = (
            sorted(
                time.first for name, kind, time in treatments if (name, kind) == (drug, relation)
            )
            for relation in ("begins-on", "ends-on", "contains-1")
        )
        for number, begin in enumerate(begins):
            following = begins[number + 1] if number + 1 < len(begins) else date.max
            end = next((end for end in ends if begin <= end < following), begin)
            found |= {(drug, begin + timedelta(days)) for days in range((end - begin).days + 1)}
        found |= {(drug, day) for day in (*ends, *mentions)}
    return found


@given(TREATMENTS, TREATMENTS)
def test_counts_are_those_of_sets_of_days(
    gold: list[Treatment], predicted: list[Treatment]
) -> None:
    golds, predictions = day_by_day(gold), day_by_day(predicted)
    expected = TreatmentDays(len(golds & predictions), len(predictions), len(golds), 0)
    assert treatment_days(gold, predicted) == expected
    assert treatment_days(predicted[::-1], gold[::-1]) == expected._replace(
        predicted=expected.gold, gold=expected.predicted
    )
