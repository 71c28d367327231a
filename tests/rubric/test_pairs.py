"""Pairs of events against people's verdicts: each figure by its definition, and by topic."""

from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches
from chronoscore.elements.verdicts import PairVerdict
from chronoscore.errors import DataError, UsageError
from chronoscore.rubric.pairs import (
    PairAgreement,
    PairFigure,
    PairPlan,
    ScoredPair,
    auc,
    pairs_of_matches,
    study_pairs,
    threshold_of,
)

VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=9)


def scored(
    topic: str, gold: str, predicted: str, similarity: float | None, matched: bool = False
) -> ScoredPair:
    return ScoredPair(topic, gold, predicted, similarity, matched)


def says(gold: str, predicted: str, word: str, **more: Any) -> PairVerdict:
    fields = {"gold": gold, "predicted": predicted, "verdict": word, "by": "ana", **more}
    return PairVerdict(**fields)


def studied(
    rows: list[ScoredPair], verdicts: list[PairVerdict], **plan: Any
) -> tuple[PairAgreement, dict[str, PairFigure]]:
    (found,) = study_pairs({"event-f1": rows}, verdicts, PairPlan(**plan)).metrics
    return found, {figure.name: figure for figure in found.figures}


def topics(number: int, seed: int = 0) -> tuple[list[ScoredPair], list[PairVerdict]]:
    """Topics of four gold and four predicted events: the same number tells the same event."""
    draw, rows, verdicts = Random(seed), [], []
    for topic in range(number):
        for at in range(4):
            for other in range(4):
                gold, predicted = f"t{topic}-g{at}", f"t{topic}-p{other}"
                same = at == other
                similarity = draw.random() * 0.5 + 0.2 * same
                rows.append(scored(f"t{topic}", gold, predicted, similarity, same and at < 3))
                verdicts.append(says(gold, predicted, "same" if same else "different"))
    return rows, verdicts


@given(VALUES, VALUES)
def test_auc_is_the_share_of_pairs_in_the_right_order(
    same: list[float], other: list[float]
) -> None:
    expected = np.mean([(a > b) + (a == b) / 2 for a in same for b in other])
    assert auc(np.sort(same), np.sort(other)) == pytest.approx(expected)


@given(VALUES, st.floats(0, 0.9))
def test_a_threshold_lets_at_most_its_share_pass_and_no_lower_one_does(
    values: list[float], rate: float
) -> None:
    limit = threshold_of(np.sort(values), rate)
    assert sum(value > limit for value in values) <= rate * len(values) + 1e-9
    lower = [value for value in values if value < limit]
    if lower:
        assert sum(value > max(lower) for value in values) > rate * len(values)


def test_matched_pairs_are_set_against_the_most_that_people_allow() -> None:
    # g1 is told by p1 and by p2, g2 by p1 alone: a matching can have two of the three.
    rows = [
        scored("t", "g1", "p1", 0.9, matched=True),
        scored("t", "g1", "p2", 0.5),
        scored("t", "g2", "p1", 0.6),
        scored("t", "g2", "p2", 0.1),
        scored("t", "g3", "p3", 0.4, matched=True),
    ]
    verdicts = [says("g1", "p1", "same"), says("g1", "p2", "same"), says("g2", "p1", "same")]
    verdicts += [says("g3", "p3", "different")]
    found, figures = studied(rows, verdicts)
    assert (found.same, found.different, found.matched, found.right) == (3, 1, 2, 1)
    assert figures["precision"].value == 0.5
    assert figures["recall"].value == 0.5
    assert figures["F1"].value == 0.5


def test_the_most_pairs_are_those_of_every_one_to_one_matching() -> None:
    draw = Random(4)
    for _ in range(20):
        pairs = [(g, p) for g in range(4) for p in range(4) if draw.random() < 0.4]
        rows = [scored("t", f"g{g}", f"p{p}", 0.5) for g in range(4) for p in range(4)]
        rows.append(scored("t", "g9", "p9", 0.5, matched=True))
        verdicts = [says(f"g{g}", f"p{p}", "same") for g, p in pairs] + [says("g9", "p9", "same")]
        best = max(sum((g, p) in pairs for g, p in enumerate(o)) for o in permutations(range(4)))
        assert studied(rows, verdicts)[1]["recall"].value == pytest.approx(1 / (best + 1))


def test_a_contradiction_is_the_same_event() -> None:
    rows = [scored("t", "g1", "p1", 0.9, matched=True)]
    assert studied(rows, [says("g1", "p1", "contradicts")])[0].right == 1


@pytest.mark.parametrize(("part", "counts"), [("same", (1, 1)), ("different", (0, 2))])
def test_a_part_counts_as_the_plan_says(part: str, counts: tuple[int, int]) -> None:
    rows = [scored("t", "g1", "p1", 0.9), scored("t", "g2", "p2", 0.1)]
    verdicts = [says("g1", "p1", "part"), says("g2", "p2", "different")]
    found, _ = studied(rows, verdicts, part=part)
    assert (found.same, found.different) == counts


def test_a_part_may_count_for_neither() -> None:
    rows = [scored("t", "g1", "p1", 0.9), scored("t", "g2", "p2", 0.1)]
    found, _ = studied(rows, [says("g1", "p1", "part"), says("g2", "p2", "same")], part="skip")
    assert (found.same, found.different) == (1, 0)


def test_pairs_without_a_verdict_are_left_out_or_different() -> None:
    rows = [scored("t", "g1", "p1", 0.9), scored("t", "g2", "p2", 0.1, matched=True)]
    verdicts = [says("g1", "p1", "same")]
    found, figures = studied(rows, verdicts)
    assert (found.different, found.matched) == (0, 0)
    assert figures["precision"].value is None
    found, figures = studied(rows, verdicts, rest="different")
    assert (found.different, found.matched) == (1, 1)
    assert figures["precision"].value == 0.0


def test_a_pair_whose_verdicts_tie_is_not_different() -> None:
    rows = [scored("t", "g1", "p1", 0.9), scored("t", "g2", "p2", 0.1, matched=True)]
    verdicts = [says("g1", "p1", "same"), says("g2", "p2", "same")]
    verdicts += [says("g2", "p2", "different", by="ben")]
    found, _ = studied(rows, verdicts, rest="different")
    assert (found.same, found.different, found.matched) == (1, 0, 0)


def test_a_pair_that_is_judged_for_another_system_has_no_verdict() -> None:
    rows = [ScoredPair("t", "g1", "p1", 0.9, True, system=name) for name in ("careful", "quick")]
    verdicts = [says("g1", "p1", "same", system="careful")]
    found, _ = studied(rows, verdicts, rest="different")
    assert (found.same, found.different) == (1, 1)


def test_a_pair_that_no_row_has_was_not_matched() -> None:
    rows = [scored("t", "g1", "p1", 0.9, matched=True), scored("t", "g2", "", None)]
    rows += [scored("t", "", "p2", None)]
    found, figures = studied(rows, [says("g1", "p1", "same"), says("g2", "p2", "same")])
    assert found.same == 2
    assert figures["recall"].value == 0.5


def test_a_similarity_that_is_known_of_matched_pairs_only_has_no_figures() -> None:
    rows, verdicts = topics(2)
    matched = [row for row in rows if row.matched]
    ends = [scored(r.topic, r.gold, "", None) for r in rows]
    ends += [scored(r.topic, "", r.predicted, None) for r in rows]
    _, figures = studied(matched + ends, verdicts)
    for name in ("AUC", "recall at 1% false", "recall at 5% false"):
        assert figures[name].value is None
        assert figures[name].reason == "the similarity of 26 pairs with a verdict is not known"
    _, whole = studied(rows, verdicts)
    for name in ("precision", "recall", "F1"):
        assert figures[name] == whole[name]


def test_verdicts_on_events_that_are_not_there_are_reported() -> None:
    rows = [scored("t", "g1", "p1", 0.9)]
    verdicts = [says("g1", "p1", "same"), says("g7", "p7", "same")]
    study = study_pairs({"m": rows}, verdicts, PairPlan())
    assert study.notices == (
        "m: 1 pairs with a verdict whose events are not in the result, left out: g7 p7",
    )


def test_verdicts_of_models_do_not_count() -> None:
    rows = [scored("t", "g1", "p1", 0.9, matched=True)]
    model = says("g1", "p1", "different", by="small@5e1f")
    study = study_pairs({"m": rows}, [says("g1", "p1", "same"), model], PairPlan())
    assert study.metrics[0].right == 1
    assert study.people == ("ana",)
    with pytest.raises(DataError, match="no verdict is by a person"):
        study_pairs({"m": rows}, [model], PairPlan())


def test_no_shared_pair_is_an_error() -> None:
    with pytest.raises(DataError, match="no pair has both a verdict and a score"):
        study_pairs({"m": [scored("t", "g", "p", 1.0)]}, [says("x", "y", "same")], PairPlan())


def test_systems_with_the_same_ids_are_kept_apart() -> None:
    rows = [
        ScoredPair("t", "g1", "p1", 0.9, True, system="careful"),
        ScoredPair("t", "g1", "p1", 0.9, True, system="quick"),
    ]
    verdicts = [
        says("g1", "p1", "same", system="careful"),
        says("g1", "p1", "different", system="quick"),
    ]
    found, figures = studied(rows, verdicts)
    assert (found.same, found.different, found.right) == (1, 1, 1)
    assert figures["precision"].value == 0.5


def test_figures_are_means_over_topics_and_not_over_pairs() -> None:
    rows = [scored("a", "a-g", "a-p", 0.9, matched=True)]
    rows += [scored("b", f"b-g{at}", f"b-p{at}", 0.9, matched=True) for at in range(3)]
    verdicts = [says("a-g", "a-p", "same")]
    verdicts += [says(f"b-g{at}", f"b-p{at}", "different") for at in range(3)]
    _, figures = studied(rows, verdicts)
    assert figures["precision"].by_topic == {"a": 1.0, "b": 0.0}
    assert figures["precision"].value == 0.5


def test_the_threshold_of_a_topic_comes_from_the_others() -> None:
    rows = [scored("a", "a-g", "a-p", 0.6), scored("a", "a-g", "a-q", 0.9)]
    rows += [scored("b", "b-g", "b-p", 0.8), scored("b", "b-g", "b-q", 0.7)]
    verdicts = [says("a-g", "a-p", "same"), says("a-g", "a-q", "different")]
    verdicts += [says("b-g", "b-p", "same"), says("b-g", "b-q", "different")]
    _, figures = studied(rows, verdicts)
    # Of a, 0.6 is not above b's 0.7; of b, 0.8 is not above a's 0.9, though above its own 0.7.
    assert figures["recall at 1% false"].by_topic == {"a": 0.0, "b": 0.0}
    assert figures["AUC"].by_topic == {"a": 0.0, "b": 1.0}


def test_one_topic_has_no_threshold_from_others() -> None:
    rows, verdicts = topics(1)
    _, figures = studied(rows, verdicts)
    assert figures["recall at 5% false"].value is None
    assert "two topics or more" in figures["recall at 5% false"].reason
    assert figures["AUC"].value is not None


def test_intervals_rest_on_topics_and_need_five() -> None:
    for number in (4, 5):
        rows, verdicts = topics(number)
        _, figures = studied(rows, verdicts)
        figure = figures["AUC"]
        assert figure.value is not None
        if number < 5:
            assert figure.interval is None
            assert figure.reason == "no interval: it needs at least 5 topics"
        else:
            assert figure.interval is not None
            assert figure.interval.low <= figure.value <= figure.interval.high
            assert (figure.interval.unit, figure.interval.clusters) == ("topic", 5)
            assert figure.interval.low < figure.interval.high


def test_topics_that_are_alike_have_an_interval_without_width() -> None:
    rows, verdicts = topics(6)
    _, figures = studied(rows, verdicts)
    assert figures["recall"].value == 0.75
    interval = figures["recall"].interval
    assert interval is not None
    assert interval.low == pytest.approx(0.75)
    assert interval.high == pytest.approx(0.75)


@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_and_verdicts_changes_nothing(random: Random) -> None:
    rows, verdicts = topics(6, seed=random.randrange(100))
    shuffled = random.sample(rows, len(rows)), random.sample(verdicts, len(verdicts))
    assert studied(rows, verdicts) == studied(*shuffled)


def test_a_better_similarity_has_better_figures() -> None:
    rows, verdicts = topics(6)
    right = {(v.gold, v.predicted): float(v.verdict == "same") for v in verdicts}
    perfect = [
        scored(r.topic, r.gold, r.predicted, right[r.gold, r.predicted], r.matched) for r in rows
    ]
    _, best = studied(perfect, verdicts)
    _, worse = studied(rows, verdicts)
    for name in ("AUC", "recall at 1% false", "recall at 5% false"):
        assert best[name].value == 1.0
        assert (worse[name].value or 0) < 1.0


@pytest.mark.parametrize("plan", [{"part": "half"}, {"confidence": 1.0}])
def test_impossible_settings_are_refused(plan: dict[str, Any]) -> None:
    rows, verdicts = topics(1)
    with pytest.raises(UsageError):
        studied(rows, verdicts, **plan)


def test_pairs_are_taken_from_matches() -> None:
    pair = {"gold": "g1", "predicted": "p1", "shared": 0.7}
    matches = (
        Match("precision", "matched", 1.0, 1.0, **pair),  # type: ignore[arg-type]
        Match("recall", "matched", 1.0, 1.0, **pair),  # type: ignore[arg-type]
        Match("precision", "repeat", 0.0, 1.0, gold="g1", predicted="p2"),
        Match("recall", "missed", 0.0, 1.0, gold="g2"),
    )
    metrics = ("event-f1", "event-timed")
    cases = [CaseMatches("quick", "t/1", metric, matches) for metric in metrics]
    cases.append(CaseMatches("quick", "t/1", "other", matches[-1:]))
    rows = pairs_of_matches(cases, {("quick", "t/1"): "t"})
    place = {"system": "quick", "case": "t/1"}
    assert rows.pop("other") == [ScoredPair("t", "g2", "", None, False, **place)]
    assert rows == {
        "event-f1, event-timed": [
            ScoredPair("t", "g1", "p1", 0.7, True, **place),
            ScoredPair("t", "", "p2", None, False, **place),
            ScoredPair("t", "g2", "", None, False, **place),
        ]
    }
