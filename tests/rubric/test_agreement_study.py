"""How far evaluators agree: the coefficients asked for, parts, verdicts, and what to discuss."""

import random
from dataclasses import replace

import numpy as np
import pytest
from rubric.judging import BEST, BOOK, WORST, cases_of, ledgers, said, studied

from chronoscore.core.evidence_table import Batch
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.demo import home
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.rubric.agreement.coefficients import (
    GROUPS,
    AgreementPlan,
    RatedEvents,
    suiting,
    unit_of,
)
from chronoscore.rubric.agreement.study import against_agreed, study
from chronoscore.rubric.codebook import builtin_codebook
from chronoscore.rubric.family import FAMILY, read_cases
from chronoscore.rubric.judgements import Judgement, Judgements
from chronoscore.statistics.agreement import COEFFICIENTS, alpha, severities


def demo() -> dict[str, Batch]:
    return read_cases([source_of(home() / "judgements.csv")], Problems())


def drawn(events: int = 40, people: int = 3, seed: int = 5) -> list[Judgement]:
    """Judgements that mostly agree; some are missing."""
    chance = random.Random(seed)
    found = []
    for number in range(events):
        truth = tuple(chance.choice(one.allowed) for one in BOOK.criteria)
        for who in ("ana", "ben", "cleo", "dov")[:people]:
            values = tuple(
                chance.choice(one.allowed) if chance.random() < 0.3 else value
                for one, value in zip(BOOK.criteria, truth, strict=True)
            )
            if chance.random() < 0.9:
                found.append(
                    Judgement(
                        f"e{number:02}",
                        who,
                        values,
                        system="s" if number % 2 else "t",
                        article=f"a{number % 7}",
                        type=f"type {number % 3}",
                    )
                )
    return found


def test_the_usual_coefficients_are_those_of_the_result() -> None:
    cases = demo()
    result = score(Settings.make(FAMILY), cases).result
    found = studied(cases)
    ours = [(a.criterion, a.coefficient, a.value, a.units, a.ratings) for a in found.agreement]
    assert ours == [
        (a.criterion, a.coefficient, a.value, a.units, a.ratings) for a in result.agreement
    ]


def test_units_are_named_as_those_that_are_rated() -> None:
    cases = cases_of(drawn())
    events = RatedEvents.of_rows(ledgers(cases), BOOK)
    named = {unit_of(s, case.predicted.event) for s, judged in cases.items() for case in judged}
    assert named == events.articles.keys() == set(events.ratings[0][1].units)


def test_rows_of_evidence_and_judgements_are_rated_the_same() -> None:
    cases = cases_of(drawn())
    one = RatedEvents.of_rows(ledgers(cases), BOOK)
    two = RatedEvents.of_judgements({s: batch.columns for s, batch in cases.items()}, BOOK)
    assert one.articles == two.articles
    for (column, ratings), (other, others) in zip(one.ratings, two.ratings, strict=True):
        assert column == other
        assert ratings.units == others.units
        assert ratings.rater_names == others.rater_names
        assert np.array_equal(ratings.values, others.values)
        for name in ("unit_at", "rater_at", "value_at"):
            assert np.array_equal(getattr(ratings, name), getattr(others, name))


def test_all_is_every_coefficient_that_suits_the_scale() -> None:
    found = studied(cases_of(drawn()), AgreementPlan(coefficients=("all",)))
    scales = {one.name: one.scale for one in BOOK.criteria}
    for criterion in (*scales, "EQS"):
        shown = [a.coefficient for a in found.agreement if a.criterion == criterion]
        assert shown == [one.name for one in suiting(scales.get(criterion, "interval"))]
    assert {a.coefficient for a in found.agreement} == COEFFICIENTS.keys() - {
        "alpha ratio",  # no criterion has a ratio scale
    }


def test_what_is_undefined_is_shown_with_its_reason() -> None:
    alike = said({f"e{n}": {"ana": BEST, "ben": BEST} for n in range(4)})
    found = studied(cases_of(alike), AgreementPlan(coefficients=("all",)))
    undefined = [a for a in found.agreement if a.value is None]
    assert undefined
    assert all(a.reason for a in undefined)
    assert {a.coefficient for a in found.agreement if a.criterion == "date" and a.value == 1} >= {
        "percent",
        "AC1",
    }


@pytest.mark.parametrize("name", ["alpha ratio", "ICC(3,k)", "kappa", "fleiss linear"])
def test_a_named_coefficient_is_computed_for_every_criterion(name: str) -> None:
    cases = cases_of(drawn())
    found = studied(cases, AgreementPlan(coefficients=(name,)))
    events = RatedEvents.of_rows(ledgers(cases), BOOK)
    for row, (column, ratings) in zip(found.agreement, events.ratings, strict=True):
        assert (row.criterion, row.coefficient) == (column.name, name)
        assert row.value == pytest.approx(float(COEFFICIENTS[name](ratings)))


def test_a_name_twice_is_shown_once() -> None:
    found = studied(demo(), AgreementPlan(coefficients=("percent", "all", "percent")))
    names = [a.coefficient for a in found.agreement if a.criterion == "date"]
    assert names[0] == "percent"
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (AgreementPlan(coefficients=("kapa",)), "no coefficient kapa"),
        (AgreementPlan(by=("evaluator",)), "no agreement by 'evaluator'"),
        (AgreementPlan(level=1), "--level"),
        (AgreementPlan(threshold=1.5), "--threshold"),
    ],
)
def test_what_cannot_be_computed_is_refused_at_once(plan: AgreementPlan, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        plan.check()


@pytest.mark.parametrize("tag", GROUPS)
def test_parts_hold_every_event_once(tag: str) -> None:
    found = studied(cases_of(drawn()), AgreementPlan(by=(tag,)))
    assert sum(part.events for part in found.parts) == found.events
    assert len({part.name for part in found.parts}) == len(found.parts) > 1


def test_agreement_within_a_system_is_that_of_the_system_alone() -> None:
    judgements = drawn()
    parts = {p.name: p for p in studied(cases_of(judgements), AgreementPlan(by=("system",))).parts}
    for system in ("s", "t"):
        alone = studied(cases_of([one for one in judgements if one.system == system]))
        known = {(a.criterion, a.coefficient): a for a in alone.agreement}
        for row in parts[system].agreement:
            same = known[row.criterion, row.coefficient]
            assert row.value == pytest.approx(same.value)
            assert row.interval is not None
            assert same.interval is not None
            assert row.interval.low == pytest.approx(same.interval.low)


def test_who_said_nothing_in_a_part_is_no_rater_there() -> None:
    judgements = [*drawn(people=2), Judgement("x", "zoe", BEST, article="far")]
    judgements.append(Judgement("x", "ana", WORST, article="far"))
    found = studied(cases_of(judgements), AgreementPlan(by=("article",)))
    (far,) = [part for part in found.parts if part.name == "far"]
    assert {row.raters for row in far.agreement} == {2}
    assert [row.value for row in far.agreement if row.coefficient == "percent"] == [0] * 5


def test_the_verdict_follows_alpha_and_its_interval() -> None:
    cases = cases_of(drawn())
    date = next(v for v in studied(cases).verdicts if v.criterion == "date")
    (interval,) = [
        a.interval
        for a in studied(cases).agreement
        if (a.criterion, a.coefficient) == ("date", "alpha nominal")
    ]
    assert date.value is not None
    assert interval is not None
    for threshold, verdict in (
        (date.value + 1e-9, "below"),
        (date.value, "unsure"),
        (interval.low + 1e-9, "unsure"),
        (interval.low, "enough"),
    ):
        found = studied(cases, AgreementPlan(threshold=threshold)).verdicts[0]
        assert found.verdict == verdict
        assert found.sentence.startswith("date: alpha nominal is ")


def test_no_variation_is_no_verdict() -> None:
    found = studied(cases_of(said({f"e{n}": {"ana": BEST, "ben": BEST} for n in range(4)})))
    assert {v.verdict for v in found.verdicts} == {"undefined"}
    assert "no variation" in found.verdicts[0].sentence


def test_verdicts_are_of_alpha_whatever_is_shown() -> None:
    found = studied(demo(), AgreementPlan(coefficients=("percent",)))
    assert [v.coefficient for v in found.verdicts][:4] == ["alpha nominal"] * 3 + ["alpha ordinal"]
    row = next(a for a in studied(demo()).agreement if a.coefficient == "alpha nominal")
    assert found.verdicts[0].value == row.value


def test_what_differs_most_is_discussed_first() -> None:
    judgements = said(
        {
            "alike": {"ana": BEST, "ben": BEST},
            "alone": {"ana": WORST},
            "little": {"ana": BEST, "ben": (1, 1, 1, 2, 3)},
            "much": {"ana": BEST, "ben": WORST, "cleo": BEST},
        }
    )
    judgements[-2] = replace(judgements[-2], comment=" no date at all ")
    found = studied(cases_of(judgements)).discussion
    assert (found.events, found.differing) == (3, 2)
    first, second = found.first
    assert (first.event, first.text, second.event) == ("much", "text of much", "little")
    assert first.spread == pytest.approx(5 / 3)
    assert second.spread == pytest.approx(1 / 8)
    assert second.criteria == ("clarity",)
    assert [one.evaluator for one in first.said] == ["ana", "ben", "cleo"]
    assert first.said[1].values == {"date": 0, "root": 0, "type": 0, "clarity": 1, "relevance": 1}
    assert [one.comment for one in first.said] == ["", "no date at all", ""]


def test_the_list_to_discuss_is_as_long_as_wanted() -> None:
    cases = cases_of(drawn())
    whole = studied(cases, AgreementPlan(most=1000)).discussion
    assert len(whole.first) == whole.differing > 5
    assert studied(cases, AgreementPlan(most=5)).discussion.first == whole.first[:5]
    assert studied(cases, AgreementPlan(most=0)).discussion.first == ()
    spreads = [event.spread for event in whole.first]
    assert spreads == sorted(spreads, reverse=True)


def test_the_order_of_judgements_changes_nothing() -> None:
    judgements = drawn()
    shuffled = random.Random(1).sample(judgements, len(judgements))
    plan = AgreementPlan(by=GROUPS)
    assert studied(cases_of(judgements), plan) == studied(cases_of(shuffled), plan)


def test_one_evaluator_agrees_with_nobody() -> None:
    found = studied(cases_of([one for one in drawn() if one.evaluator == "ana"]))
    assert {a.reason for a in found.agreement} == {"no unit has two ratings"}
    assert found.pairs == ()
    assert found.discussion.first == ()


def test_the_level_is_that_of_the_intervals() -> None:
    cases = cases_of(drawn())
    narrow, broad = (
        studied(cases, AgreementPlan(level=level)).agreement[0] for level in (0.5, 0.99)
    )
    assert narrow.interval is not None
    assert broad.interval is not None
    assert broad.interval.low < narrow.interval.low
    assert (narrow.interval.level, broad.interval.level) == (0.5, 0.99)


def test_the_seed_moves_the_bootstrap_alone() -> None:
    cases = cases_of(drawn())

    def low(seed: int, method: str) -> float:
        plan = AgreementPlan(seed=seed, method=method)  # type: ignore[arg-type]
        interval = studied(cases, plan).agreement[0].interval
        assert interval is not None
        return interval.low

    assert low(1, "jackknife") == low(2, "jackknife")
    assert low(1, "bootstrap") == low(1, "bootstrap") != low(2, "bootstrap")


def test_alpha_is_krippendorffs() -> None:
    judgements = drawn()
    cases = cases_of(judgements)
    events = RatedEvents.of_rows(ledgers(cases), BOOK)
    for verdict, (_, ratings) in zip(studied(cases).verdicts, events.ratings, strict=True):
        scale = verdict.coefficient.split()[1]
        assert verdict.value == pytest.approx(float(alpha(ratings, scale)()))  # type: ignore[arg-type]


def test_generosity_is_the_severity_of_each_rater() -> None:
    cases = cases_of(drawn())
    found = {(one.criterion, one.evaluator): one for one in studied(cases).generosity}
    events = RatedEvents.of_rows(ledgers(cases), BOOK)
    for column, ratings in events.ratings:
        size = BOOK.denominator if column.name == BOOK.score else 1
        for known in severities(ratings, events.articles):
            one = found[column.name, known.name]
            numbers = (one.above, one.low, one.high, one.events)
            wanted = (known.value / size, known.low / size, known.high / size, known.units)
            assert numbers == pytest.approx(wanted)


def test_gwets_error_stands_beside_the_interval() -> None:
    cases = cases_of([replace(one, article=one.event) for one in drawn(events=80)])
    found = studied(cases, AgreementPlan(coefficients=("AC1", "AC2 quadratic", "kappa")))
    rows = {(row.criterion, row.coefficient): row for row in found.agreement}
    assert {one.coefficient for one in found.checks} == {"AC1", "AC2 quadratic"}
    for one in found.checks:
        interval = rows[one.criterion, one.coefficient].interval
        if one.criterion != "EQS":
            assert one.error is not None
            assert interval is not None
            wide = interval.high - interval.low
            assert wide == pytest.approx(2 * 1.96 * one.error, rel=0.25)


def test_verdicts_without_an_order_have_agreement_and_nothing_that_takes_one() -> None:
    pairs, plan = builtin_codebook("pairs"), AgreementPlan()
    words = {"ana": (1, 2, 3, 4), "ben": (1, 4, 3, 4), "cleo": (1, 3, 3, 4)}
    rows = [
        Judgement(f"e{at}", who, (value,), article=f"a{at}")
        for who, values in words.items()
        for at, value in enumerate(values)
    ]
    table = Judgements.of(rows, 1)
    found = study({"all": table}, pairs, plan)
    usual = ["percent", "AC1", "alpha nominal", "kappa"]
    assert [row.coefficient for row in found.agreement] == usual
    assert [one.criterion for one in found.pairs] == ["verdict"] * 3
    assert found.generosity == ()
    (differing,) = found.discussion.first
    assert (differing.event, differing.spread) == ("e1", 0.5), "all three answers differ"
    agreed = {unit_of("all", "e1"): Judgement("e1", "agreed", (2,))}
    against = [*against_agreed({"all": table}, agreed, pairs, {unit_of("all", "e1"): "a1"}, plan)]
    assert [(one.evaluator, one.equal, one.bias) for one in against] == [
        ("ana", 1.0, None),
        ("ben", 0.0, None),
        ("cleo", 0.0, None),
    ]


def test_the_spread_of_two_values_is_the_same_with_and_without_an_order() -> None:
    from chronoscore.rubric.agreement.study import _spread
    from chronoscore.statistics.ratings import Ratings

    ratings = Ratings.of(
        [(f"e{n}", who, n >> at & 1) for n in range(8) for at, who in enumerate("abc")]
    )
    assert np.allclose(_spread(ratings, ordered=True), _spread(ratings, ordered=False))


def test_people_are_studied_apart_from_judge_models() -> None:
    people, judge = drawn(people=3), [row for row in drawn(seed=6) if row.evaluator == "ana"]
    models = [replace(row, evaluator="model-j", kind="llm") for row in judge]
    alone, both = studied(cases_of(people)), studied(cases_of(people + models))
    assert both.evaluators == ("ana", "ben", "cleo")
    for name in ("agreement", "verdicts", "pairs", "generosity", "discussion", "judgements"):
        assert getattr(both, name) == getattr(alone, name), name
    assert alone.with_models is None
    assert both.with_models is not None
    assert both.with_models.evaluators == ("ana", "ben", "cleo", "model-j")
    as_person = [replace(row, kind="person") for row in models]
    assert both.with_models.agreement == studied(cases_of(people + as_person)).agreement


def test_with_one_person_judge_models_count_as_evaluators() -> None:
    rows = [replace(row, kind="llm") if row.evaluator != "ana" else row for row in drawn()]
    found = studied(cases_of(rows))
    assert found.evaluators == ("ana", "ben", "cleo")
    assert found.with_models is None


def test_a_judge_model_is_compared_with_the_agreed_values_too() -> None:
    rows = drawn(people=2)
    models = [replace(row, evaluator="model-j", kind="llm") for row in rows[::2]]
    cases = cases_of(rows + models)
    systems = {system: batch.columns for system, batch in cases.items()}
    agreed = {unit_of(row.system, row.event): row for row in rows}
    found = study(systems, BOOK, AgreementPlan(), agreed=agreed)
    assert {row.evaluator for row in found.adjudicated} == {"ana", "ben", "model-j"}
