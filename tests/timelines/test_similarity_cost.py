"""Alignment by similarity: the text decides, and a wrong date takes its share at most."""

import json
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from vectors_home import real

from chronoscore.core.case import Case
from chronoscore.elements.dated.damages import PUBLISHED
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.similarity import BY_TOKENS
from chronoscore.elements.time import Time
from chronoscore.errors import UsageError
from chronoscore.evaluation.metric_tests import run
from chronoscore.timelines.alignment import similarity_cost
from chronoscore.timelines.comparison import ComparisonBlock, Setting
from chronoscore.timelines.family import FAMILY

MEANS = {  # after the five tests: remove, add, merge, shift by 1 and by 5 days
    "align": (0.969, 0.987, 0.947, 0.345, 0.083),
    "align+": (0.969, 0.987, 0.947, 0.500, 0.167),
    "align(cost=similarity)": (0.969, 0.987, 0.949, 0.500, 0.167),
    "align+m:1(cost=similarity)": (0.970, 0.987, 0.961, 0.500, 0.167),
}
LONGEST = 110
"""Sentences of a gold that takes part."""
PLAIN = Setting("plain")


def timeline(days: dict[str, list[str]]) -> Timeline:
    return Timeline.of({Time.parse(day): texts for day, texts in days.items()})


def public_golds() -> dict[str, dict[str, Timeline]]:
    """The golds of Crisis and Timeline17 by topic, each under its own name."""
    golds: dict[str, dict[str, Timeline]] = {}
    for file in ("crisis", "timeline17"):
        vectors: list[dict[str, Any]] = json.loads(
            real(f"timelines/{file}.json").read_text(encoding="utf-8")
        )
        for vector in vectors:
            collection, topic, *names = vector["name"].split("_")[1:-1]
            gold = timeline(vector["references"][0])
            sentences = sum(len(texts) for _, texts in gold.days)
            if names[0] != "allrefs" and sentences <= LONGEST:
                golds.setdefault(f"{collection}_{topic}", {})["_".join(names)] = gold
    return golds


def test_all_damages_of_the_poster_are_noticed_on_every_public_gold() -> None:
    report = run(public_golds(), [*MEANS])
    assert len(report.golds) == 38
    found = {(row.metric, row.test): row for row in report.outcomes}
    for metric, means in MEANS.items():
        rows = [found[metric, test] for test in PUBLISHED]
        assert [row.noticed for row in rows] == [38] * 5, metric
        assert [round(row.mean or 0, 3) for row in rows] == [*means], metric


GOLD = {
    "2011-01-25": ["Protests begin in Cairo.", "Police watch the square."],
    "2011-02-01": ["The army promises not to fire on the protests."],
    "2011-02-11": ["The president resigns.", "Crowds fill the square."],
}
OTHER_GOLD = {
    "2011-01-28": ["Police leave the square."],
    "2011-02-11": ["Mubarak resigns and the army takes power."],
    "2011-02-12": ["Crowds clean the square."],
}
PREDICTED = {
    "2011-01-26": ["Protests begin in Cairo."],
    "2011-02-10": ["The army takes power and the army promises elections.", "Crowds cheer."],
    "2011-02-11": ["Nothing of that."],
}


def aligned(metric: str, gold: dict[str, list[str]], predicted: dict[str, list[str]]) -> list[str]:
    """The gold day that each predicted day is aligned with."""
    chosen = FAMILY.metric(metric)
    case = Case("c", (timeline(gold),), timeline(predicted))
    matches = chosen.explain(FAMILY.compare(case, chosen.setting))
    return [match.gold for match in matches if match.side == "precision"]


def test_the_right_text_a_day_late_wins_over_another_text_of_that_day() -> None:
    gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-01-26": ["The army moves in."]}
    late = {"2011-01-26": ["Protests begin in all Cairo."], "2011-01-27": ["The army moves in."]}
    assert aligned("align+m:1", gold, late) == ["2011-01-26", "2011-01-26"]
    assert aligned("align+m:1(cost=similarity)", gold, late) == [*gold]


def test_of_two_days_with_equal_text_the_nearer_one_is_taken() -> None:
    gold = {"2011-01-01": ["Protests in Cairo."], "2011-01-09": ["Protests in Cairo."]}
    predicted = {"2011-01-07": ["Protests in Cairo."]}
    assert aligned("align+m:1(cost=similarity)", gold, predicted) == ["2011-01-09"]
    alone = "align+m:1(cost=similarity,time_weight=0)"
    assert aligned(alone, gold, predicted) == ["2011-01-01"]  # the first of equals


def rarity(predicted: Sequence[list[str]], gold: Sequence[list[str]]) -> list[list[float]]:
    """Shared words by how rare they are among the distinct texts, from the formula."""
    distinct = {*map(tuple, [*predicted, *gold])}
    spread = Counter(word for text in distinct for word in {*text})

    def weight(words: Counter[str]) -> float:
        return sum(n * log((len(distinct) + 1) / spread[word]) for word, n in words.items())

    bags = [[Counter(text) for text in side] for side in (predicted, gold)]
    return [[weight(p & g) / sqrt(weight(p) * weight(g)) for g in bags[1]] for p in bags[0]]


def words(days: dict[str, list[str]]) -> list[list[str]]:
    return [" ".join(texts).lower().replace(".", "").split() for texts in days.values()]


def test_a_match_costs_what_the_formula_says() -> None:
    block = ComparisonBlock([timeline(PREDICTED)], [(timeline(GOLD),)], PLAIN)
    weight = 1 / (block.distance() + 1)
    found = similarity_cost(block, weight, {"similarity": "rarity", "time_weight": 0.25})
    alike = np.array(rarity(words(PREDICTED), words(GOLD))).ravel()
    assert found == pytest.approx(1 - alike * (0.75 + 0.25 * weight), abs=1e-12)
    assert weight.tolist() == [1 / (days + 1) for days in (1, 6, 16, 16, 9, 1, 17, 10, 0)]


@pytest.mark.parametrize("name", BY_TOKENS)
def test_the_most_similar_of_several_references_counts_each_as_if_alone(name: str) -> None:
    golds = timeline(GOLD), timeline(OTHER_GOLD)
    days = sorted({*GOLD, *OTHER_GOLD})
    both = ComparisonBlock([timeline(PREDICTED)], [golds], PLAIN)
    expected = np.zeros((len(PREDICTED), len(days)))
    for gold in golds:
        alone = ComparisonBlock([timeline(PREDICTED)], [(gold,)], PLAIN)
        columns = [days.index(str(day)) for day in gold.dates]
        table = alone[0].table(alone.similarity(name))
        expected[:, columns] = np.maximum(expected[:, columns], table)
    found = both[0].table(both.similarity(name))
    assert found.tolist() == expected.tolist()
    assert len({*found[:, days.index("2011-02-11")].tolist()}) > 1


@pytest.mark.parametrize("name", BY_TOKENS)
def test_cases_of_a_block_are_as_similar_as_alone(name: str) -> None:
    predicted = [timeline(PREDICTED), timeline({}), timeline(OTHER_GOLD)]
    golds = [(timeline(GOLD),), (timeline(GOLD),), (timeline(GOLD), timeline(PREDICTED))]
    block = ComparisonBlock(predicted, golds, PLAIN)
    for place, sides in enumerate(zip(predicted, golds, strict=True)):
        alone = ComparisonBlock([sides[0]], [sides[1]], PLAIN).similarity(name)
        assert block[place].table(block.similarity(name)).ravel().tolist() == alone.tolist()


@pytest.mark.parametrize("name", BY_TOKENS)
def test_texts_without_tokens_are_alike_only_if_they_are_equal(name: str) -> None:
    gold = timeline({"2011-01-01": ["?", "!"], "2011-01-02": ["..."]})
    predicted = timeline({"2011-01-02": ["? !"], "2011-01-03": ["Protests."]})
    block = ComparisonBlock([predicted], [(gold,)], PLAIN)
    assert block.similarity(name).tolist() == [1, 0, 0, 0]


def test_names_say_similarity_and_share_and_parse_back() -> None:
    metric = FAMILY.definitions[0](cost="similarity", similarity="rouge-1L", time_weight=0.25)
    assert str(metric) == "align(cost=similarity,similarity=rouge-1L,time_weight=0.25)"
    assert FAMILY.metric(str(metric)) == metric
    many = FAMILY.metric("align(cost=similarity,assign=many-to-one)")
    assert str(many) == "align+m:1(cost=similarity)"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "align(time_weight=0.3)",
            "parameter 'time_weight' changes nothing with cost=date: write cost=similarity too, "
            "or leave it out",
        ),
        ("align+(similarity=rouge-1)", "'similarity' changes nothing with cost=date[+]text"),
        ("align(cost=similarity,time_weight=2)", "'time_weight' is 2.0, expected 0 to 1"),
        ("align(cost=similarity,time_weight=-1)", "'time_weight' is -1.0, expected 0 or more"),
        ("align(cost=similarity,similarity=cosine)", "expected one of: rarity, rouge-1, rouge-2"),
    ],
)
def test_parameters_that_change_nothing_or_make_no_sense_are_refused(
    name: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        FAMILY.metric(name)
