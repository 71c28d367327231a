"""Matched events against answers that were computed twice, in exact fractions."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from every import each
from vectors_home import free

from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.text.tokeniser import Token, Tokeniser
from chronoscore.elements.time import Time
from chronoscore.elements.time.calendar import DAY
from chronoscore.elements.time.closeness import Closeness, Extents
from chronoscore.events import comparison
from chronoscore.events.comparison import EventBlock, EventSetting
from chronoscore.events.family import FAMILY
from chronoscore.events.groups import ALONE, PART, groups_of
from chronoscore.events.model import order

SPLIT = Tokeniser(lambda text: (Token(m[0], *m.span()) for m in re.finditer(r"\S+", text)))
"""The tokens of the vectors: what stands between blanks."""
EXACT = 1e-12
HAND = free("events/matched_hand.json")


@pytest.fixture(autouse=True)
def _plain_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "tokeniser", lambda _: SPLIT)


def number(value: Any) -> float | None:
    return None if value is None else float(Fraction(value))


def time(days: Sequence[int] | None) -> Time | None:
    return None if days is None else Time(days[0] * DAY, (days[1] + 1) * DAY, "day")


def events(items: Sequence[Mapping[str, Any]], texts: Sequence[str] = ()) -> list[DatedEvent]:
    return [
        DatedEvent(
            time(item["time"]),
            texts[at] if texts else item["text"],
            facts=tuple(item.get("facts", ())),
            weight=item.get("weight"),
        )
        for at, item in enumerate(items)
    ]


def closeness_of(rule: Mapping[str, Any]) -> str:
    return f"{rule['name']}({rule['days']})" if "days" in rule else str(rule["name"])


SIMILARITY = {"words": "rouge-1L"}


def block_of(
    vector: Mapping[str, Any], predicted: list[DatedEvent], gold: list[DatedEvent], **further: Any
) -> EventBlock:
    weight, threshold = vector.get("time_weight"), vector.get("threshold")
    setting = EventSetting(
        similarity=SIMILARITY.get(name := vector.get("similarity", vector.get("kernel", "")), name),
        tokens="plain",
        closeness=closeness_of(vector.get("closeness", vector.get("time", {}))),
        time_weight=float(Fraction(str(vector["lam"] if weight is None else weight))),
        threshold=float(Fraction(str(vector["theta"] if threshold is None else threshold))),
        inside=float(vector.get("phi", 0.6)),
        gain=float(vector.get("delta", 0.1)),
    )._replace(**further)
    sides = [Timeline(events=tuple(predicted))], [(Timeline(events=tuple(gold)),)]
    return EventBlock(*sides, setting)


STATISTICS = {
    "event-f1": ("matched", "predicted", "gold"),
    "event-timed": ("timed", "predicted", "gold"),
    "event-soft": ("credit", "predicted", "gold"),
    "event-date": ("same_date", "dated_predicted", "dated_gold"),
    "event-rouge": ("shared_words", "words_predicted", "words_gold"),
    "event-order": ("concordant_predicted", "pairs_predicted", "concordant_gold", "pairs_gold"),
    "concordance": ("concordant_gold", "pairs_gold_matched"),
    "text-quality": ("quality", "matched"),
    "event-similarity": ("text", "matched"),
    "date-accuracy": ("same_date", "dated"),
    "time-off": ("days_off", "dated"),
    "event-rates": (
        *("matched", "split", "repeat", "reused", "predicted", "merged", "gold_repeat", "gold"),
        "short",
    ),
    "event-facts": ("facts_matched", "facts_predicted", "facts_gold"),
    "salient-recall": ("weight_matched", "weight_credit", "weight"),
}
"""The statistics of each metric by their names in the vectors."""


def check_statistics(
    block: EventBlock, expected: Mapping[str, Any], parameters: Mapping[str, Mapping[str, Any]]
) -> int:
    checked = 0
    for name, statistics in STATISTICS.items():
        if not {*statistics} & expected.keys():
            continue
        metric = FAMILY.metric(name)
        values = {**metric.values, **parameters.get(name, {})}
        assert metric.definition.measure_batch is not None
        (row,) = metric.definition.measure_batch(block, values).statistics.tolist()
        for statistic, value in zip(statistics, row, strict=True):
            if statistic in expected:
                wanted = number(expected[statistic])
                assert value == pytest.approx(wanted, rel=EXACT, abs=EXACT), (name, statistic)
                checked += 1
    return checked


def check_answer(
    block: EventBlock,
    answer: Mapping[str, Any],
    parameters: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> None:
    if answer.get("T") is not None:
        wanted = np.array(answer["T"], float).ravel()
        assert block.similarity == pytest.approx(wanted, rel=EXACT, abs=EXACT)
    if answer["matches"] is not None:
        pairs = zip(block.matched.row.tolist(), block.matched.column.tolist(), strict=True)
        assert [*map(list, pairs)] == sorted(answer["matches"])
    if answer.get("labels") is not None and answer["matches"] is not None:
        for side, group in zip(("predicted", "gold"), groups_of(block), strict=True):
            found = {
                str(at): ["part" if kind == PART else "repeat", int(group.owner[at])]
                for at, kind in enumerate(group.kind.tolist())
                if kind != ALONE
            }
            assert found == answer["labels"][side]
    assert check_statistics(block, answer["statistics"], parameters)


@each("vector", free("events/matched_times.json"), ids=str)
def test_closeness_is_that_of_the_vectors(vector: Mapping[str, Any]) -> None:
    rule = Closeness.parse(closeness_of(vector["kernel"]))
    one, other = (Extents.of([time(vector[side])], rule.grain()) for side in "ab")
    for pair in ((one, other), (other, one)):
        (weight,) = rule.weights(*pair, None)
        assert weight == pytest.approx(number(vector["weight"]), abs=EXACT)


@each(
    "vector",
    [*free("events/rarity_texts.json"), *free("events/rarity_hand.json")],
    ids=lambda vector: vector["name"],
)
def test_rarity_matches_as_in_the_vectors(vector: Mapping[str, Any]) -> None:
    predicted, gold = events(vector["predicted"]), events(vector["gold"])
    assert predicted == sorted(predicted, key=order)
    check_answer(block_of(vector, predicted, gold), vector["answer"])


@each(
    "vector",
    [*free("events/matched_texts.json"), *(v for v in HAND if "T" not in v)],
    ids=lambda vector: vector["name"],
)
def test_rouge_matches_as_in_the_vectors(vector: Mapping[str, Any]) -> None:
    predicted, gold = events(vector["predicted"]), events(vector["gold"])
    facts = {"threshold_facts": float(vector.get("theta_facts", 0.5))}
    block = block_of(vector, predicted, gold)
    check_answer(block, vector["answer"], {"event-facts": facts})


@each(
    "vector",
    [*free("events/matched_matrices.json"), *(vector for vector in HAND if "T" in vector)],
    ids=lambda vector: vector["name"],
)
def test_a_given_matrix_matches_as_in_the_vectors(
    vector: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    predicted = events(vector["predicted"], [f"p{at}" for at in range(len(vector["predicted"]))])
    gold = events(vector["gold"], [f"g{at}" for at in range(len(vector["gold"]))])
    table = {
        (f"p{row}", f"g{column}"): value
        for row, values in enumerate(vector["T"])
        for column, value in enumerate(values)
    }

    def similarity(one: Sequence[str], other: Sequence[str]) -> list[list[float]]:
        return [[table.get((a, b), table.get((b, a), 0.0)) for b in other] for a in one]

    monkeypatch.setattr(comparison, "allowed", lambda _: similarity)
    block = block_of(vector, predicted, gold, similarity="tests:similarity")
    answer = vector["answer"]
    if answer["matches"] is not None:
        texts = block.predicted.keys, block.gold.keys
        pairs = zip(block.matched.row.tolist(), block.matched.column.tolist(), strict=True)
        found = sorted((texts[0][row], texts[1][column]) for row, column in pairs)
        assert found == sorted((f"p{row}", f"g{column}") for row, column in answer["matches"])
    assert check_statistics(block, answer["statistics"], {})


@each("vector", free("events/rarity_similarity.json"), ids=lambda vector: vector["name"])
def test_rarity_is_that_of_the_vectors(vector: Mapping[str, Any]) -> None:
    sides = [
        [DatedEvent(None, text) for text in sorted(vector[side])] for side in ("predicted", "gold")
    ]
    block = EventBlock(
        [Timeline(events=tuple(sides[0]))], [(Timeline(events=tuple(sides[1])),)], EventSetting()
    )
    wanted = np.array(vector["T"], float).reshape(len(sides[0]), len(sides[1]))
    rows, columns = (np.argsort(vector[side], kind="stable") for side in ("predicted", "gold"))
    assert block.similarity == pytest.approx(wanted[rows][:, columns].ravel(), abs=EXACT)
