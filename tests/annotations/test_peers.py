"""On flat data our numbers are those of others, under the names that the documentation gives."""

import collections
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nervaluate.evaluator import Evaluator

from chronoscore.annotations.breakdown import TYPE, divided
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.case import Case

unhurried = settings(deadline=None)  # machines differ

OURS = {
    "strict": ("spans", "strict"),
    "exact": ("spans(compare=span)", "strict"),
    "ent_type": ("spans", "lenient"),
    "partial": ("spans(compare=span)", "partial"),
}
NELEVAL = {
    "strong_typed_mention_match": "spans",
    "strong_mention_match": "spans(compare=span)",
}
Spans = list[tuple[str, int, int]]


@st.composite
def flat(draw: st.DrawFn) -> tuple[Spans, Spans]:
    """Gold and predicted spans with gaps between them: nothing meets two of the other side."""
    gold: Spans = []
    predicted: Spans = []
    place = 0
    kinds = st.sampled_from("AB")
    for what in draw(st.lists(st.sampled_from(["both", "moved", "gold", "predicted"]), min_size=1)):
        start, end = place, place + draw(st.integers(2, 4))
        if what != "predicted":
            gold.append((draw(kinds), start, end))
        if what != "gold":
            predicted.append((draw(kinds), start, end + (what == "moved")))
        place = end + 3
    return gold, predicted


@st.composite
def partly_covered(draw: st.DrawFn) -> tuple[Spans, Spans]:
    """Flat spans of which the prediction covers some part, from one character to all and more."""
    gold: Spans = []
    predicted: Spans = []
    kinds = st.sampled_from("AB")
    for place in range(2, 20 * draw(st.integers(1, 4)), 20):
        end = place + draw(st.integers(1, 12))
        gold.append((draw(kinds), place, end))
        start = draw(st.integers(place - 1, end - 1))
        predicted.append((draw(kinds), start, draw(st.integers(max(start, place) + 1, end + 1))))
    return gold, predicted


def theirs(gold: Spans, predicted: Spans, min_overlap: float = 1.0) -> dict[str, Any]:
    """Its ends are the last character, ours the first after it."""
    sides = (
        [[{"label": kind, "start": start, "end": end - 1} for kind, start, end in side]]
        for side in (gold, predicted)
    )
    made = Evaluator(*sides, tags=["A", "B"], loader="dict", min_overlap_percentage=min_overlap)
    return dict(made.evaluate())


def paired(gold: Spans, predicted: Spans) -> Case[Document, Document]:
    ours, answer = (
        Document("d", tuple(Annotation(str(n), *span) for n, span in enumerate(side)))
        for side in (gold, predicted)
    )
    return Case("d", ours, answer, {"gold": "1", "document": "d"})


def counted(name: str, gold: Spans, predicted: Spans) -> tuple[dict[str, float], dict[str, float]]:
    metric, case = FAMILY.metric(name), paired(gold, predicted)
    row = metric.measure(FAMILY.compare(case, metric.setting)).statistics
    scores = np.nan_to_num(metric.link(np.array(row, np.float64))).tolist()
    names = [one.name for one in metric.definition.statistics]
    return dict(zip(names, row, strict=True)), dict(zip(metric.scores, scores, strict=True))


@unhurried
@given(flat())
def test_scores_on_flat_data_are_those_of_nervaluate(sides: tuple[Spans, Spans]) -> None:
    found = theirs(*sides)["overall"]
    for scheme, (name, how) in OURS.items():
        _, scores = counted(name, *sides)
        for theirs_, ours in (("precision", "precision"), ("recall", "recall"), ("f1", "f1")):
            assert abs(getattr(found[scheme], theirs_) - scores[f"{how}_{ours}"]) < 1e-12


@unhurried
@given(partly_covered(), st.integers(1, 100))
def test_the_least_overlap_is_that_of_nervaluate(sides: tuple[Spans, Spans], least: int) -> None:
    found = theirs(*sides, least)["overall"]
    for scheme, (name, how) in OURS.items():
        metric = FAMILY.metric(name)
        limited = metric.definition(**{**metric.values, "min_overlap": least})
        counts, scores = counted(str(limited), *sides)
        for one in ("precision", "recall", "f1"):
            assert abs(getattr(found[scheme], one) - scores[f"{how}_{one}"]) < 1e-12
        pairs = sum(counts[n] for n in counts if n.startswith(("correct", "incorrect")))
        assert found[scheme].missed == counts["targets"] - pairs
        assert found[scheme].spurious == counts["responses"] - pairs


def test_nervaluate_loses_a_hundredth_to_rounding_where_we_do_not() -> None:
    gold, predicted = [("A", 0, 100)], [("A", 0, 29)]
    assert 29 / 100 * 100 < 29
    assert theirs(gold, predicted, 29)["overall"]["ent_type"].correct == 0
    counts, _ = counted("spans(min_overlap=29)", gold, predicted)
    assert counts["correct_partial"] == 1


@unhurried
@given(flat())
def test_types_on_flat_data_are_those_of_nervaluate(sides: tuple[Spans, Spans]) -> None:
    found = theirs(*sides)["entities"]
    for scheme, (name, how) in OURS.items():
        metric, case = FAMILY.metric(name), paired(*sides)
        compared = FAMILY.compare(case, metric.setting)
        (parts,) = divided(compared, match(compared, metric.values), (TYPE,))
        assert {kind for (kind,), _ in parts} == found.keys()
        for (kind,), row in parts:
            linked = np.nan_to_num(metric.link(np.array(row, np.float64)))
            scores = dict(zip(metric.scores, linked, strict=True))
            for one in ("precision", "recall", "f1"):
                assert abs(getattr(found[kind][scheme], one) - scores[f"{how}_{one}"]) < 1e-12


@pytest.fixture(scope="module")
def neleval() -> Iterator[Callable[[Spans, Spans], dict[str, Any]]]:
    """What neleval says of its two measures; it asks for a name that Python no longer has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collections, "Sequence", Sequence, raising=False)
        from neleval.annotation import Annotation as Mention
        from neleval.document import Document as Mentions
        from neleval.evaluate import Evaluate

        def evaluate(gold: Spans, predicted: Spans) -> dict[str, Any]:
            sides = (
                [
                    Mentions(
                        "d", [Mention.from_string(f"d\t{s}\t{e}\tx\t1\t{k}") for k, s, e in side]
                    )
                ]
                for side in (predicted, gold)
            )
            found: dict[str, Any] = Evaluate(*sides, measures=list(NELEVAL), fmt="none")()
            return found

        yield evaluate


@pytest.mark.filterwarnings("ignore:Strict P/R defaulting")  # 0 for 0/0, as counted() has it
@unhurried
@given(sides=flat())
def test_scores_on_flat_data_are_those_of_neleval(
    neleval: Callable[[Spans, Spans], dict[str, Any]], sides: tuple[Spans, Spans]
) -> None:
    found = neleval(*sides)
    for measure, name in NELEVAL.items():
        counts, scores = counted(name, *sides)
        assert found[measure]["ptp"] == counts["correct_strict"]
        for theirs_, ours in (("precision", "precision"), ("recall", "recall"), ("fscore", "f1")):
            assert abs(found[measure][theirs_] - scores[f"strict_{ours}"]) < 1e-12


@unhurried
@given(flat())
def test_counts_on_flat_data_are_those_of_nervaluate(sides: tuple[Spans, Spans]) -> None:
    strict = theirs(*sides)["overall"]["strict"]
    counts, _ = counted("spans", *sides)
    wrong = counts["correct_partial"] + counts["incorrect_strict"] + counts["incorrect_partial"]
    matched = wrong + counts["correct_strict"]
    assert strict.correct == counts["correct_strict"]
    assert strict.incorrect == wrong
    assert strict.missed == counts["targets"] - matched
    assert strict.spurious == counts["responses"] - matched
    _, found = counted("slot-errors(partial=wrong)", *sides)
    errors = strict.incorrect + strict.missed + strict.spurious
    assert found["slot_error_rate"] == pytest.approx(
        errors / strict.possible if strict.possible else 0
    )
    assert found["undergeneration"] == pytest.approx(strict.missed / max(strict.possible, 1))
    assert found["overgeneration"] == pytest.approx(strict.spurious / max(strict.actual, 1))


def test_where_spans_overlap_nervaluate_follows_the_order_of_predictions() -> None:
    # The first prediction overlaps both targets and takes the first, which the second is equal to.
    gold = [("A", 0, 4), ("A", 5, 9)]
    predicted = [("A", 2, 8), ("A", 0, 4)]
    counts, _ = counted("spans", gold, predicted)
    assert (counts["correct_strict"], counts["correct_partial"]) == (1, 1)
    strict = [theirs(gold, side)["overall"]["strict"] for side in (predicted, predicted[::-1])]
    assert [one.correct for one in strict] == [0, 1]
