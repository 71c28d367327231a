"""Where it was lost: parts that add up exactly, and to the score that the tables show."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.cases import TIMELINES
from reports.made import demo, timelines_of

from chronoscore.core.evidence import Match
from chronoscore.engines.scoring import Scored
from chronoscore.families import family
from chronoscore.reports.html.explained import SIDES, Explained
from chronoscore.timelines.pages import Loss, case_losses, loss_of, rounded, system_losses

VARIANTS = ("AR-1", "AR-2", "align", "align+", "agreement", "concat", "exact-date", "date-f1")


def explained(scored: Scored) -> Explained:
    return Explained.of(family("timelines"), scored.result, scored.matches, scored.texts)


def check_cases(scored: Scored) -> None:
    """Every case: the parts add up to what was possible, exactly."""
    found = explained(scored)
    for item in scored.matches:
        losses = case_losses(found, item.system, item.case, item.metric)
        for side in SIDES:
            loss = losses[side]
            own = [match for match in item.matches if match.side == side]
            if loss is None:
                assert not own
                continue
            assert min(loss) >= 0
            assert loss.possible == sum(Fraction(match.possible) for match in own)
            credit = sum(Fraction(match.credit) for match in own)
            assert loss.earned == credit
            weighed = sum((1 - m.weight) * (m.shared or 0.0) for m in own if m.shared is not None)
            assert float(loss.wrong_day) == pytest.approx(weighed)


def check_systems(scored: Scored) -> None:
    """Every system: what is counted is the score, whatever the average."""
    found, result = explained(scored), scored.result
    for system in result.systems:
        wholes = {summary.metric: summary for summary in system.summaries if not summary.group}
        for metric in result.metrics:
            for side, loss in system_losses(found, system, metric).items():
                if side not in found.sides.get(metric.name, ()):
                    continue
                name = side if side in metric.scores else metric.primary
                score = wholes[metric.name].scores[name]
                assert (loss is None) == (score is None)
                if loss is not None:
                    assert loss.possible == 1
                    assert float(loss.earned) == pytest.approx(score, abs=1e-12)
                    assert f"{rounded(loss)[0]:.3f}" == f"{score:.3f}"


@pytest.mark.parametrize("average", ["micro", "macro", "gold+topic:mean-pr>trial:mean-f"])
@pytest.mark.parametrize("undefined", ["zero", "one", "skip", "agree"])
def test_parts_add_up_on_the_demo(average: str, undefined: str) -> None:
    scored = demo("timelines", VARIANTS, average=average, undefined=undefined)
    check_cases(scored)
    check_systems(scored)


@given(st.dictionaries(st.sampled_from("abc"), st.tuples(TIMELINES, TIMELINES), min_size=1))
def test_parts_add_up_on_any_timelines(pairs: dict[str, tuple[object, object]]) -> None:
    for undefined in ("zero", "skip", "agree"):
        scored = timelines_of({"s": pairs}, VARIANTS, undefined=undefined)  # type: ignore[dict-item]
        check_cases(scored)
        check_systems(scored)


PART = st.fractions(0, 100)


@given(st.builds(Loss, PART, PART, PART, PART, PART), st.integers(0, 4))
def test_rounded_parts_add_up_to_the_rounded_whole(loss: Loss, places: int) -> None:
    unit = 10**places
    parts = [round(part * unit) for part in rounded(loss, places)]
    assert sum(parts) == round(loss.possible * unit)
    for part, exact in zip(parts, loss, strict=True):
        assert abs(part - exact * unit) <= 1


def match(side: str, **known: object) -> Match:
    return Match(side=side, outcome="", **known)  # type: ignore[arg-type]


def test_a_day_that_is_given_a_partner_but_shares_nothing_is_missing() -> None:
    given_one = match(
        "recall", gold="2001-01-01", predicted="2001-01-05", credit=0.0, possible=7.0,
        distance=4.0, weight=0.2, shared=0.0,
    )  # fmt: skip
    assert loss_of([given_one], "recall", {"2001-01-05"}) == Loss(alone=Fraction(7))


def test_a_day_whose_date_was_predicted_has_wrong_words() -> None:
    elsewhere = match(
        "recall", gold="2001-01-01", predicted="2001-01-05", credit=0.0, possible=7.0,
        distance=4.0, weight=0.2, shared=0.0,
    )  # fmt: skip
    days = {"2001-01-01", "2001-01-05"}
    assert loss_of([elsewhere], "recall", days) == Loss(wrong_words=Fraction(7))


def test_wrong_day_is_what_the_weight_takes() -> None:
    late = match(
        "precision", gold="2001-01-01", predicted="2001-01-02", credit=2.0, possible=5.0,
        distance=1.0, weight=0.5, shared=4.0,
    )  # fmt: skip
    assert loss_of([late], "precision", {"2001-01-01"}) == Loss(
        Fraction(2), Fraction(2), Fraction(1)
    )
