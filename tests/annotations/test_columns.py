"""Whole corpora in columns count as their documents do one by one, and as all pairs do."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching import comparing
from chronoscore.annotations.matching.assignment import heaviest, heaviest_in_floats
from chronoscore.annotations.matching.comparing import (
    SpanSides,
    compare_columns,
    count,
    same_documents,
)
from chronoscore.annotations.matching.meetings import meetings
from chronoscore.annotations.matching.strategies import match_by
from chronoscore.annotations.model import Annotation, Document, coextensive, overlaps
from chronoscore.annotations.parameters import STRATEGIES, SpanQuestion

unhurried = settings(deadline=None)  # machines differ

Corpus = list[Document]


@st.composite
def corpora(draw: st.DrawFn, most: int = 4) -> tuple[Corpus, Corpus]:
    """Two sides of a few crowded documents."""
    spans = st.tuples(st.integers(0, 6), st.integers(0, 4), st.sampled_from("AB"))
    values = st.sampled_from([None, 1, 1.0, "1"])
    sides: tuple[Corpus, Corpus] = ([], [])
    for number in range(draw(st.integers(1, most))):
        for side in sides:
            drawn = draw(st.lists(st.tuples(spans, values), max_size=6))
            annotations = tuple(
                Annotation(str(n), kind, start, start + length, {"n": value}, n / 10)
                for n, ((start, length, kind), value) in enumerate(drawn)
            )
            side.append(Document(f"d{number}", annotations))
    return sides


@unhurried
@given(corpora())
def test_spans_that_meet_are_those_that_looking_at_all_pairs_finds(
    sides: tuple[Corpus, Corpus],
) -> None:
    gold, predicted = (Columns.of(side) for side in sides)
    met = meetings(gold, predicted)
    found = {(i, j) for i, j, _ in met.pairs.rows()}
    assert len(found) == len(met.pairs)
    near = set(zip(met.near_key.tolist(), met.near_response.tolist(), strict=True))
    for i, j in product(range(len(gold)), range(len(predicted))):
        one, two = gold.annotation(i), predicted.annotation(j)
        together = gold.document[i] == predicted.document[j]
        assert ((i, j) in found) == (together and (coextensive(one, two) or overlaps(one, two)))
        in_range = one.start <= two.start < one.end
        only_near = in_range and two.start == two.end == one.start
        assert ((i, j) in near) == (together and only_near)


@pytest.mark.parametrize("strategy", STRATEGIES)
@unhurried
@given(sides=corpora(), how=st.sampled_from(["equal", "text", "subsumes", "span"]))
def test_a_corpus_counts_as_its_documents_one_by_one(
    strategy: str, sides: tuple[Corpus, Corpus], how: str
) -> None:
    question = SpanQuestion(features=("n",), compare=how)  # type: ignore[arg-type]
    gold, predicted = (Columns.of(side) for side in sides)
    found = compare_columns(gold, predicted, question)
    together = count(found, match_by(found, strategy)).tolist()
    alone = []
    for one, other in zip(*sides, strict=True):
        own = compare_columns(Columns.of([one]), Columns.of([other]), question)
        alone += count(own, match_by(own, strategy)).tolist()
    assert together == alone


@unhurried
@given(corpora())
def test_columns_give_back_their_annotations(sides: tuple[Corpus, Corpus]) -> None:
    gold = Columns.of(sides[0])
    again = [gold.annotation(place) for place in range(len(gold))]
    assert again == [one for document in sides[0] for one in document.annotations]
    assert [type(a.features["n"]) for a in again] == [
        type(a.features["n"]) for document in sides[0] for a in document.annotations
    ]


@unhurried
@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_no_document(
    sides: tuple[Corpus, Corpus], random: object
) -> None:
    gold = Columns.of(sides[0])
    predicted = Columns.of(sides[1])
    turned = Columns.of(
        [*reversed(sides[1]), Document("of no gold", (Annotation("1", "A", 0, 1),))]
    )
    rows = []
    for side in (predicted, turned):
        found = compare_columns(gold, side, SpanQuestion())
        rows.append(count(found, match_by(found, "best")).tolist())
    assert rows[0] == rows[1]
    assert same_documents(gold, predicted) is predicted


def test_whole_numbers_order_before_other_ids_and_by_size() -> None:
    names = ["10", "e1", "9", "9"]
    columns = Columns.of([Document("d", tuple(Annotation(n, "T", 0, 1) for n in names))])
    assert columns.id_ranks(np.arange(4)).tolist() == [1, 2, 0, 0]


Weight = TypeVar("Weight", int, Fraction)


def every_choice(
    rows: list[list[tuple[int, Weight]]], used: frozenset[int]
) -> Iterator[Weight | int]:
    """The total weight of every way to give rows a column, or none."""
    if not rows:
        yield 0
        return
    yield from every_choice(rows[1:], used)
    for column, weight in rows[0]:
        if column not in used:
            yield from (weight + more for more in every_choice(rows[1:], used | {column}))


@unhurried
@given(
    st.lists(
        st.dictionaries(st.integers(0, 4), st.integers(1, 9) | st.just(10**25), max_size=4),
        min_size=1,
        max_size=5,
    ),
)
def test_the_heaviest_choice_is_as_heavy_as_trying_all(weights: list[dict[int, int]]) -> None:
    check_choice(weights, heaviest)
    small = [{column: weight % 11 + 1 for column, weight in row.items()} for row in weights]
    check_choice(small, heaviest_in_floats)


@unhurried
@given(
    st.lists(
        st.dictionaries(st.integers(0, 4), st.integers(1, 40).map(lambda n: n / 7), max_size=4),
        min_size=1,
        max_size=5,
    ),
)
def test_fractions_do_not_lead_in_circles(weights: list[dict[int, float]]) -> None:
    exact = [{column: Fraction(weight) for column, weight in row.items()} for row in weights]
    answer = heaviest([sorted(row.items()) for row in weights], 5)
    total = sum(exact[row][column] for row, column in enumerate(answer) if column >= 0)
    assert total == max(every_choice([sorted(row.items()) for row in exact], frozenset()))


def check_choice(weights: list[dict[int, int]], solve: Callable[..., list[int]]) -> None:
    rows = [sorted(row.items()) for row in weights]
    answer = solve(rows, 5)
    taken = [column for column in answer if column >= 0]
    assert len(set(taken)) == len(taken)
    total = sum(weights[row][column] for row, column in enumerate(answer) if column >= 0)
    assert total == max(every_choice(rows, frozenset()))


def test_a_million_pairs_are_not_made_by_one_span_over_all() -> None:
    spans = [(0, 400_000), *((n, n + 3) for n in range(0, 400_000, 4))]
    document = Document("d", tuple(Annotation(str(n), "T", *span) for n, span in enumerate(spans)))
    found = compare_columns(Columns.of([document]), Columns.of([document]), SpanQuestion())
    assert len(found.pairs) == 300_001
    assert count(found, match_by(found, "best"))[0, 2] == len(spans)


@pytest.mark.parametrize(("length", "pairs"), [(12, 5_999), (60, 35_964)])
def test_a_chain_of_thousands_of_spans_is_solved_as_one(length: int, pairs: int) -> None:
    gold, predicted = (
        Columns.of(
            [
                Document(
                    "d",
                    tuple(
                        Annotation(str(n), "T", 10 * n + moved, 10 * n + moved + length)
                        for n in range(3_000)
                    ),
                )
            ]
        )
        for moved in (0, 7)
    )
    found = compare_columns(gold, predicted, SpanQuestion())
    assert len(found.pairs) == pairs
    assert count(found, match_by(found, "best"))[0, :4].tolist() == [3_000, 3_000, 0, 3_000]


@pytest.mark.parametrize("name", ["spans", "spans-curve", "spans(matching=gate)"])
@unhurried
@given(sides=corpora(), spans=st.integers(1, 12), pairs=st.integers(0, 12))
def test_blocks_of_any_size_measure_the_same(
    name: str, sides: tuple[Corpus, Corpus], spans: int, pairs: int
) -> None:
    gold, predicted = (Columns.of(side) for side in sides)
    metric = FAMILY.metric(name)
    measure = metric.definition.measure_batch
    assert measure is not None
    whole = measure(SpanSides(lambda: (gold, predicted)), metric.values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "SPANS_AT_ONCE", spans)
        patch.setattr(comparing, "PAIRS_AT_ONCE", pairs)
        blocks = measure(SpanSides(lambda: (gold, predicted)), metric.values)
    assert np.array_equal(blocks.statistics, whole.statistics)
    assert [*blocks.steps] == [*whole.steps]


def test_documents_with_too_many_pairs_together_are_compared_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spans = tuple(Annotation(str(n), "A", 0, 4) for n in range(2))  # four pairs with themselves
    side = Columns.of([Document(f"d{number}", spans) for number in range(4)])
    sides = SpanSides(lambda: (side, side))
    for most, sizes in ((16, [16]), (15, [8, 8]), (7, [4] * 4), (3, [4] * 4)):
        monkeypatch.setattr(comparing, "PAIRS_AT_ONCE", most)
        assert [len(block.pairs) for block in sides.blocks(SpanQuestion())] == sizes
