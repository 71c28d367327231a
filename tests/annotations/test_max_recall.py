"""The most that a choice among candidates could find."""

import json
from collections.abc import Iterable
from itertools import accumulate, zip_longest
from typing import Any

from annotations.gate_documents import document, selection
from hypothesis import given
from laws.cases import CASES, AnyCase
from vectors_home import real

from chronoscore.annotations.candidates import compare_candidates, indicators, max_recall, reaches
from chronoscore.annotations.model import Annotation, Document
from chronoscore.annotations.parameters import Selection

CHOSEN = Selection("List", "ids", features=("id",))


@given(CASES["annotations"])
def test_ranks_add_up_and_strict_is_never_more_than_lenient(case: AnyCase) -> None:
    most = max_recall(compare_candidates(case.gold, case.predicted, CHOSEN))
    assert most.correct_strict <= most.correct_lenient <= most.targets_with_list <= most.targets
    assert most.lists_with_target <= most.lists
    assert sum(most.strict_by_rank) == most.correct_strict
    assert sum(most.lenient_by_rank) == most.correct_lenient


@given(CASES["annotations"])
def test_every_target_has_one_indicator(case: AnyCase) -> None:
    found = compare_candidates(case.gold, case.predicted, CHOSEN)
    written = indicators(found)
    assert [(a.id, a.start, a.end) for a in written] == [
        (key.id, key.start, key.end) for key in found.keys
    ]
    most = max_recall(found)
    endings = [a.type[-3:] for a in written]
    assert endings.count("_SM") == most.correct_strict
    assert endings.count("_SM") + endings.count("_PM") == most.correct_lenient
    assert endings.count("_NR") == most.targets - most.targets_with_list


def span(name: str, start: int, end: int, value: str) -> Annotation:
    return Annotation(name, "M", start, end, {"id": value})


GOLD = Document("d", (span("a", 0, 5, "x"), span("b", 10, 15, "x"), span("c", 20, 25, "x")))


def listed(name: str, start: int, end: int, *ids: str) -> Annotation:
    return Annotation(name, "List", start, end, {"ids": ids})


PREDICTED = Document(
    "d",
    (
        span("1", 0, 5, "y"),
        span("2", 0, 4, "x"),
        span("3", 0, 5, "x"),
        span("4", 10, 12, "y"),
        listed("l", 0, 5, "1", "2", "3"),
        listed("m", 0, 5, "3"),
        listed("n", 10, 15, "4"),
    ),
)


def test_the_best_of_several_lists_counts() -> None:
    found = reaches(compare_candidates(GOLD, PREDICTED, CHOSEN))
    assert [(one.strict, one.lenient) for one in found] == [(0, 0), (None, None), (None, None)]
    assert [one.indicator for one in found] == ["strict", "no match", "no list"]


def test_one_list_may_serve_two_targets() -> None:
    gold = Document("d", (span("a", 0, 5, "x"), span("b", 0, 5, "x")))
    assert max_recall(compare_candidates(gold, PREDICTED, CHOSEN)).correct_strict == 2


def added(histograms: Iterable[tuple[int, ...]]) -> list[int]:
    return [sum(rank) for rank in zip_longest(*histograms, fillvalue=0)]


def test_counts_of_public_documents_are_the_plugins() -> None:
    vectors = json.loads(real("annotations/corp2_lists.json").read_text(encoding="utf-8"))
    (vector,) = (v for v in vectors if v["mode"] == "pr_maxrecall")
    params: dict[str, Any] = vector["params"]
    every = []
    for raw in vector["documents"]:
        gold, predicted = document(raw, params["keySet"]), document(raw, params["respSet"])
        every.append(max_recall(compare_candidates(gold, predicted, selection(params))))
    answer = vector["oracle"]["maxRecall"]
    targets = sum(one.targets for one in every)
    assert targets == answer["targets"]
    assert sum(one.targets_with_list for one in every) == answer["targetsWithList"]
    assert sum(one.lists for one in every) == answer["lists"]
    assert sum(one.lists_with_target for one in every) == answer["listsWithTarget"]
    strict = added(one.strict_by_rank for one in every)
    assert strict == answer["correctStrictByRank"]
    assert added(one.lenient_by_rank for one in every) == answer["correctLenientByRank"]
    shares = [n / targets for n in accumulate(strict)]
    assert shares == answer["maxRecallStrictByRank"]
