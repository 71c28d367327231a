"""Each evaluator beside the agreed values."""

from collections.abc import Sequence

import pytest
from rubric.judging import BEST, BOOK, WORST, said, systems_of
from rubric.test_agreement_study import drawn

from chronoscore.core.problems import Problems
from chronoscore.rubric.agreement.coefficients import AgreementPlan, RatedEvents
from chronoscore.rubric.agreement.study import AgainstAgreed, against_agreed, agreed_values
from chronoscore.rubric.judgements import Judgement


def beside(judgements: Sequence[Judgement], agreed: Sequence[Judgement]) -> list[AgainstAgreed]:
    problems = Problems()
    systems = systems_of(judgements)
    known = agreed_values(systems_of(agreed), systems, problems)
    problems.check()
    clusters = RatedEvents.of_judgements(systems, BOOK).articles
    return list(against_agreed(systems, known, BOOK, clusters, AgreementPlan()))


def of(who: str, judgements: Sequence[Judgement]) -> list[Judgement]:
    return [one for one in judgements if one.evaluator == who]


def test_who_gives_the_agreed_values_is_without_fault() -> None:
    ana = of("ana", drawn())
    for row in beside(ana, ana):
        assert (row.equal, row.bias) == (1, 0)
        assert row.value == pytest.approx(1)
        assert row.events == len(ana)


def test_swapping_the_two_turns_the_bias_and_the_confusion() -> None:
    judgements = drawn()
    both = {one.event for one in of("ana", judgements)} & {o.event for o in of("ben", judgements)}
    ana, ben = ([one for one in of(who, judgements) if one.event in both] for who in ("ana", "ben"))
    for one, two in zip(beside(ana, ben), beside(ben, ana), strict=True):
        assert (one.criterion, one.events, one.equal) == (two.criterion, two.events, two.equal)
        assert one.value == pytest.approx(two.value)
        assert one.bias == pytest.approx(-(two.bias or 0))
        assert one.interval is not None
        assert two.interval is not None
        assert one.interval.low == pytest.approx(-two.interval.high)
        for agreed, cells in one.confusion.items():
            assert cells == {given: two.confusion[given][agreed] for given in cells}


def test_a_case_by_hand() -> None:
    agreed = said({f"e{n}": {"team": BEST if n < 3 else WORST} for n in range(4)})
    given = said(
        {
            "e0": {"ana": BEST},
            "e1": {"ana": (0, 1, 1, 2, 3)},
            "e2": {"ana": (0, 1, 1, 3, 3)},
            "e3": {"ana": WORST},
            "not agreed on": {"ana": WORST, "ben": BEST},
        }
    )
    rows = {(row.evaluator, row.criterion): row for row in beside(given, agreed)}
    date = rows["ana", "date"]
    assert (date.events, date.equal, date.bias) == (4, 0.5, -0.5)
    assert date.confusion == {"0": {"0": 1, "1": 0}, "1": {"0": 2, "1": 1}}
    # pa = 1/2; agreed has 1/4 and 3/4, ana 3/4 and 1/4: pe = 3/8
    assert date.value == pytest.approx((1 / 2 - 3 / 8) / (1 - 3 / 8))
    clarity = rows["ana", "clarity"]
    assert clarity.coefficient == "kappa quadratic"
    assert (clarity.equal, clarity.bias) == (0.75, -0.25)
    assert clarity.confusion["3"] == {"1": 0, "2": 1, "3": 2}
    quality = rows["ana", "EQS"]
    assert quality.bias == pytest.approx(-(16 + 3 + 16) / 48 / 4)
    assert quality.confusion == {}
    none = rows["ben", "date"]
    assert (none.events, none.equal, none.value, none.bias) == (0, None, None, None)
    assert none.reason == "no event that was agreed on"


def test_one_value_only_has_no_kappa_and_says_why() -> None:
    judgements = said({f"e{n}": {"ana": BEST} for n in range(3)})
    row = beside(judgements, judgements)[0]
    assert (row.equal, row.value) == (1, None)
    assert "no variation" in row.reason


def test_agreed_values_that_name_no_system_are_of_all() -> None:
    judgements = [
        Judgement("e1", "ana", values, system=system)
        for system, values in (("s", BEST), ("t", WORST))
    ]
    rows = beside(judgements, [Judgement("e1", "team", BEST)])
    assert (rows[0].events, rows[0].equal) == (2, 0.5)
    named = beside(judgements, [Judgement("e1", "team", BEST, system="t")])
    assert (named[0].events, named[0].equal) == (1, 0)


def test_two_agreed_judgements_of_an_event_are_a_problem() -> None:
    problems = Problems()
    systems = systems_of([Judgement("e1", "ana", BEST)])
    twice = systems_of([Judgement("e1", "team", BEST), Judgement("e1", "boss", BEST)])
    agreed_values(twice, systems, problems)
    (problem,) = problems.problems
    assert problem.code == "duplicate_judgement"
    assert "boss and team" in problem.message


def test_agreed_values_of_other_events_are_a_problem() -> None:
    problems = Problems()
    systems = systems_of([Judgement("e1", "ana", BEST)])
    assert not agreed_values(systems_of([Judgement("e2", "team", BEST)]), systems, problems)
    assert len(problems.problems) == 1
