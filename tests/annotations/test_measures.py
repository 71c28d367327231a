"""What else is measured of spans: target accuracy, losses, error rates, partial credit, parts."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.cases import CASES, AnyCase

from chronoscore.annotations.breakdown import MISSING, SPURIOUS, confusion
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.comparing import SpanComparison, batch_of, compare
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.parameters import question_of
from chronoscore.core.case import Case
from chronoscore.engines.chunks import measure, measured
from chronoscore.errors import UsageError

unhurried = settings(deadline=None)  # machines differ

Spans = list[tuple[str, int, int]]


def document(spans: Spans, features: Mapping[str, Any] | None = None, set_: str = "") -> Document:
    made = (
        Annotation(str(n), kind, start, end, features or {}, None, set_)
        for n, (kind, start, end) in enumerate(spans)
    )
    return Document("d", tuple(made))


def scores(name: str, gold: Document, predicted: Document) -> dict[str, float]:
    metric = FAMILY.metric(name)
    metric = metric.allowing(metric.functions.values())
    case = Case("d", gold, predicted, {"gold": "1", "document": "d"})
    found = metric.measure(FAMILY.compare(case, metric.setting))
    linked = metric.link(np.array(found.statistics, np.float64)).tolist()
    names = [one.name for one in metric.definition.statistics]
    counted = dict(zip(names, found.statistics, strict=True))
    return {**counted, **dict(zip(metric.scores, linked, strict=True))}


def loss_of_borders(gold: Annotation | None, response: Annotation | None) -> float:
    """How many characters the borders are off; 10 for what is missing or spurious."""
    if gold is None or response is None:
        return 10
    return abs(gold.start - response.start) + abs(gold.end - response.end)


def nearness(gold: Annotation, response: Annotation) -> float:
    """A score for alignment: near starts belong together, wherever they are."""
    return 1 / (1 + abs(gold.start - response.start))


def test_target_accuracy_tells_none_one_and_many_apart() -> None:
    gold = document([("T", 0, 4), ("T", 10, 14), ("T", 20, 24), ("T", 30, 34)])
    predicted = document([("T", 0, 4), ("T", 2, 6), ("U", 10, 14), ("T", 20, 24), ("T", 50, 51)])
    found = scores("target-accuracy", gold, predicted)
    strict = [found[f"strict_{what}"] for what in ("correct", "wrong", "none", "many")]
    lenient = [found[f"lenient_{what}"] for what in ("correct", "wrong", "none", "many")]
    # The first target has a strict response and one that overlaps: many, if leniently judged.
    assert strict == [2, 1, 1, 0]
    assert lenient == [1, 1, 1, 1]
    assert found["elsewhere"] == 1
    assert found["strict_accuracy"] == 0.5


def test_targets_that_overlap_are_judged_alone_and_told() -> None:
    gold = document([("T", 0, 4), ("T", 0, 4), ("T", 8, 9)])
    found = scores("target-accuracy", gold, document([("T", 0, 4)]))
    assert found["overlapping_targets"] == 2
    assert found["strict_correct"] == 2


def test_partial_credit_is_half_for_an_overlap() -> None:
    gold = document([("T", 0, 4), ("T", 10, 14)])
    found = scores("spans", gold, document([("T", 0, 4), ("T", 11, 14), ("T", 20, 21)]))
    assert found["partial_precision"] == pytest.approx(1.5 / 3)
    assert found["partial_recall"] == pytest.approx(1.5 / 2)


SLOTS = (
    "slot_error_rate",
    "error_per_response_fill",
    "undergeneration",
    "overgeneration",
    "substitution",
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Pairs: one right, one that overlaps, one of another type; one missed, two spurious.
        ("slot-errors", (4.5 / 4, 4.5 / 6, 1 / 4, 2 / 5, 1.5 / 3)),
        ("slot-errors(partial=wrong)", (5 / 4, 5 / 6, 1 / 4, 2 / 5, 2 / 3)),
        ("slot-errors(partial=right)", (4 / 4, 4 / 6, 1 / 4, 2 / 5, 1 / 3)),
    ],
)
def test_slot_errors_by_hand(name: str, expected: tuple[float, ...]) -> None:
    gold = document([("T", 0, 4), ("T", 10, 14), ("T", 20, 24), ("T", 30, 34)])
    predicted = document([("T", 0, 4), ("T", 11, 14), ("U", 20, 24), ("T", 50, 51), ("T", 60, 61)])
    found = scores(name, gold, predicted)
    assert [found[score] for score in SLOTS] == pytest.approx(expected)


def test_a_copy_has_no_slot_errors_and_nothing_has_five_undefined_ones() -> None:
    gold = document([("T", 0, 4), ("T", 10, 14)])
    found = scores("slot-errors", gold, gold)
    assert [found[score] for score in SLOTS] == [0] * 5
    found = scores("slot-errors", document([]), document([]))
    assert np.isnan([found[score] for score in SLOTS]).all()
    found = scores("slot-errors", gold, document([]))
    assert [found[score] for score in SLOTS[:3]] == [1, 1, 1]
    assert np.isnan([found[score] for score in SLOTS[3:]]).all()


@unhurried
@given(CASES["annotations"])
def test_slot_errors_turn_round_with_the_sides_and_meet_the_loss(case: AnyCase) -> None:
    there = scores("slot-errors", case.gold, case.predicted)
    back = scores("slot-errors", case.predicted, case.gold)
    for one, two in (
        ("undergeneration", "overgeneration"),
        ("substitution", "substitution"),
        ("error_per_response_fill", "error_per_response_fill"),
    ):
        assert there[one] == pytest.approx(back[two], nan_ok=True)
    for name, loss in (("wrong", "0-1"), ("right", "lenient-0-1")):
        assert scores(f"slot-errors(partial={name})", case.gold, case.predicted)[
            "slot_error_rate"
        ] == pytest.approx(
            scores(f"span-loss(loss={loss})", case.gold, case.predicted)["mean_loss"], nan_ok=True
        )


def test_error_rate_counts_wrong_pairs_among_responses() -> None:
    gold = document([("T", 0, 4), ("T", 10, 14)])
    found = scores("error-rate", gold, document([("U", 0, 4), ("U", 11, 14), ("U", 30, 31)]))
    assert found["strict_error_rate"] == pytest.approx(1 / 3)
    assert found["lenient_error_rate"] == pytest.approx(2 / 3)


def test_f_weighs_recall_by_beta() -> None:
    gold, predicted = document([("T", 0, 4), ("T", 10, 14)]), document([("T", 0, 4)])
    found = scores("spans(beta=2)", gold, predicted)
    assert found["strict_f2"] == pytest.approx(5 * 0.5 / (4 * 1 + 0.5))


def test_zero_one_loss_is_one_for_all_but_strictly_correct() -> None:
    gold = document([("T", 0, 4), ("T", 10, 14), ("T", 20, 24)])
    predicted = document([("T", 0, 4), ("T", 11, 14), ("T", 30, 31)])
    found = scores("span-loss", gold, predicted)
    assert (found["loss"], found["worst"], found["targets"]) == (3, 6, 3)
    assert (found["mean_loss"], found["loss_ratio"]) == (1.0, 0.5)
    assert scores("span-loss(loss=lenient-0-1)", gold, predicted)["loss"] == 2


def test_a_loss_of_ones_own() -> None:
    gold, predicted = document([("T", 0, 4), ("T", 10, 14)]), document([("T", 1, 6)])
    found = scores(f"span-loss(loss={__name__}:loss_of_borders)", gold, predicted)
    assert (found["loss"], found["worst"]) == (3 + 10, 30)


def no_loss(gold: Annotation | None, _: Annotation | None) -> float:
    """Not a loss: it can be below 0."""
    return 1 if gold is None else -1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{__name__}:no_loss", "gave -1, expected a loss of 0 or more"),
        ("builtins:repr", "builtins:repr failed: TypeError"),
        ("builtins:print", "gave None, expected a finite number"),
    ],
)
def test_a_loss_that_is_none_is_told(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        scores(f"span-loss(loss={name})", document([("T", 0, 1)]), document([]))


def test_scored_matching_over_all_pairs_reaches_what_does_not_overlap() -> None:
    gold, predicted = document([("T", 0, 4)]), document([("T", 6, 8)])
    name = f"spans(matching=scored,alignment={__name__}:nearness,candidates=%s)"
    assert scores(name % "overlap", gold, predicted)["correct_partial"] == 0
    assert scores(name % "all", gold, predicted)["correct_partial"] == 1


def test_scored_matching_takes_the_largest_share() -> None:
    gold = document([("T", 0, 10), ("T", 8, 20)])
    predicted = document([("T", 7, 20), ("T", 0, 9)])
    found = scores("spans(matching=scored)", gold, predicted)
    assert found["correct_partial"] == 2


def test_types_may_have_other_names() -> None:
    gold, predicted = document([("Person", 0, 4)]), document([("Per", 0, 4), ("Org", 5, 6)])
    found = scores('spans(types=["Person=Per"])', gold, predicted)
    assert (found["correct_strict"], found["responses"]) == (1, 1)
    with pytest.raises(UsageError, match="named twice"):
        scores('spans(types=["A=B","A=C"])', gold, predicted)


def test_features_may_count_for_one_type_and_have_other_names() -> None:
    gold = Document("d", (Annotation("1", "A", 0, 1, {"x": 1}), Annotation("2", "B", 2, 3)))
    predicted = Document(
        "d", (Annotation("1", "A", 0, 1, {"y": 1}), Annotation("2", "B", 2, 3, {"x": 2}))
    )
    assert scores("spans(features=[x])", gold, predicted)["correct_strict"] == 0
    assert scores('spans(features=["A:x=y"])', gold, predicted)["correct_strict"] == 2


def test_sets_are_chosen_on_either_side() -> None:
    key, other = document([("T", 0, 4)], set_="Key"), document([("T", 5, 6)], set_="Tool")
    both = Document("d", (*key.annotations, *other.annotations))
    assert scores("spans", both, both)["targets"] == 2
    found = scores("spans(gold_set=Key,predicted_set=Tool)", both, both)
    assert (found["targets"], found["responses"], found["correct_strict"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("how", "kept"), [("overlapping", [1, 3]), ("contained", [1, 2]), ("coextensive", [0, 1])]
)
def test_only_what_lies_within_takes_part(how: str, kept: list[int]) -> None:
    places = [Annotation("s", "Sentence", 0, 10, set="Text")]
    targets = [Annotation("1", "T", 2, 4, set="Key"), Annotation("2", "T", 20, 24, set="Key")]
    gold = Document("d", (*places, *targets))
    predicted = document([("T", 2, 4), ("T", 8, 12), ("T", 0, 10), ("T", 30, 31)])
    name = f'spans(gold_set=Key,within="Text:Sentence",containment={how})'
    found = scores(name, gold, predicted)
    assert [found["targets"], found["responses"]] == kept


@pytest.mark.parametrize(
    ("least", "kept"), [(0, 2), (1, 2), (40, 2), (40.1, 1), (50, 1), (50.1, 0), (100, 0)]
)
def test_a_pair_below_the_least_overlap_is_missed_and_spurious(least: float, kept: int) -> None:
    gold = document([("T", 0, 10), ("T", 20, 30)])
    predicted = document([("T", 0, 5), ("T", 26, 40)])  # 50 and 40 percent of the target
    found = scores(f"spans(min_overlap={least})", gold, predicted)
    assert (found["correct_partial"], found["targets_with_lenient"]) == (kept, kept)
    assert (found["targets"], found["responses"]) == (2, 2)


def test_the_least_overlap_is_a_share_of_the_target_not_of_the_response() -> None:
    short, long = document([("T", 0, 2)]), document([("T", 0, 10)])
    assert scores("spans(min_overlap=50)", short, long)["correct_partial"] == 1
    assert scores("spans(min_overlap=50)", long, short)["correct_partial"] == 0


def test_the_same_span_has_the_least_overlap_even_if_it_is_empty() -> None:
    spans = document([("T", 3, 3), ("T", 0, 4)])
    assert scores("spans(min_overlap=100)", spans, spans)["correct_strict"] == 2


def test_a_response_below_the_least_overlap_is_not_at_the_target() -> None:
    gold, predicted = document([("T", 0, 10)]), document([("T", 0, 10), ("T", 9, 20)])
    assert scores("spans", gold, predicted)["single_correct_strict"] == 0
    assert scores("spans(min_overlap=50)", gold, predicted)["single_correct_strict"] == 1
    assert scores("target-accuracy", gold, predicted)["lenient_many"] == 1
    assert scores("target-accuracy(min_overlap=50)", gold, predicted)["lenient_correct"] == 1


@pytest.mark.parametrize("wrong", ["-1", "100.5", "half", "nan"])
def test_a_least_overlap_that_is_no_percentage_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="'min_overlap' is"):
        FAMILY.metric(f"spans(min_overlap={wrong})")


def test_the_least_overlap_is_refused_where_all_pairs_are_taken() -> None:
    spans = document([("T", 0, 4)])
    with pytest.raises(UsageError, match="candidates=all takes all pairs"):
        scores("spans(min_overlap=50,matching=scored,candidates=all)", spans, spans)


def test_what_stands_for_nothing_can_be_left_out() -> None:
    gold = Document("d", (Annotation("1", "T", 0, 1, {"id": "NIL"}),))
    assert scores("spans(features=[id])", gold, gold)["targets"] == 1
    assert scores("spans(features=[id],nil=absent)", gold, gold)["targets"] == 0


def test_clusters_without_names_are_given_to_each_other() -> None:
    def linked(*names: str) -> Document:
        spans = (Annotation(str(n), "T", n, n + 1, {"id": name}) for n, name in enumerate(names))
        return Document("d", tuple(spans))

    gold = linked("NIL1", "NIL1", "NIL2", "Q7")
    predicted = linked("NIL2", "NIL2", "NIL1", "Q7")
    assert scores("spans(features=[id])", gold, predicted)["correct_strict"] == 1
    assert scores("spans(features=[id],nil=clusters)", gold, predicted)["correct_strict"] == 4
    # Two clusters of the prediction can't both be one of the gold's.
    split = linked("NIL1", "NIL2", "NIL3", "Q7")
    assert scores("spans(features=[id],nil=clusters)", gold, split)["correct_strict"] == 3


def found_in(case: AnyCase) -> tuple[SpanComparison, Any]:
    metric = FAMILY.metric("spans")
    found = compare(case.gold, case.predicted, question_of(metric.values))
    return found, match(found, metric.values)


@unhurried
@given(CASES["annotations"])
def test_a_confusion_has_every_target_and_every_response_once(case: AnyCase) -> None:
    found, matched = found_in(case)
    cells = confusion(found, matched)
    targets = {cell: number for cell, number in cells.items() if cell[0] != SPURIOUS}
    responses = {cell: number for cell, number in cells.items() if cell[1] != MISSING}
    assert sum(targets.values()) == len(found.keys)
    assert sum(responses.values()) == len(found.responses)
    assert sum(cells[cell] for cell in targets.keys() & responses.keys()) == len(matched)
    same_type = sum(number for (gold, predicted), number in cells.items() if gold == predicted)
    assert same_type == (matched.value >= 2).sum()


@unhurried
@given(st.lists(CASES["annotations"], min_size=1, max_size=4))
def test_a_batch_is_measured_as_its_cases(cases: list[AnyCase]) -> None:
    named = [
        Case(f"c{n}", case.gold, case.predicted, dict(case.tags)) for n, case in enumerate(cases)
    ]
    metrics = [FAMILY.metric(name) for name in ("spans", "spans-curve", "target-accuracy")]
    for by in ((), ("type",), ("target:type", "target:id")):
        together = list(measured(FAMILY, batch_of(named), metrics, by).rows)
        assert together == [row for row, _ in measure(FAMILY, named, metrics, by=by)]
