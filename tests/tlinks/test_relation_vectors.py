"""Lists of relations: the counts of an exact closure, and those of the toolkit's own."""

from collections.abc import Sequence
from itertools import count
from random import Random
from typing import Any

import pytest
from vectors_home import free

from chronoscore.core.case import Case
from chronoscore.ordering.graph import INVERSE
from chronoscore.ordering.model import Link
from chronoscore.ordering.timegraph import ToolkitGraph
from chronoscore.ordering.tlinks.family import FAMILY
from chronoscore.ordering.tlinks.model import LinkDocument

RELATIONS = free("ordering/relations.json")
BUGS = free("ordering/toolkit_bugs.json")
COUNTS = ("prec_matched", "system_total", "rec_matched", "gold_total")


def document(links: Sequence[Sequence[str]]) -> LinkDocument:
    return LinkDocument(tuple(Link(*link) for link in links))


def counts(vector: Any, method: str, closure: str = "exact") -> list[int]:
    metric = FAMILY.metric(f"awareness(method={method},closure={closure})")
    case = Case("c", document(vector["gold"]), document(vector["system"]))
    found = metric.measure(FAMILY.compare(case, metric.setting)).statistics
    return [int(number) for number in found[:4]]


@pytest.mark.parametrize("method", ["default", "acl11"])
def test_counts_are_those_of_an_exact_closure(method: str) -> None:
    assert len(RELATIONS) == 700
    for vector in RELATIONS:
        assert counts(vector, method) == vector["exact_closure"][method], vector["id"]


@pytest.mark.parametrize("method", ["default", "acl11"])
def test_counts_are_the_toolkits_where_it_agrees(method: str) -> None:
    agreeing = [vector for vector in RELATIONS if vector["agrees"][method]]
    assert len(agreeing) > 600
    for vector in agreeing:
        toolkit = [vector["methods"][method][name] for name in COUNTS]
        assert counts(vector, method) == toolkit, vector["id"]


@pytest.mark.parametrize("method", ["default", "acl11"])
def test_the_toolkits_closure_gives_all_its_counts(method: str) -> None:
    for vector in RELATIONS:
        toolkit = [vector["methods"][method][name] for name in COUNTS]
        assert counts(vector, method, "toolkit") == toolkit, vector["id"]


def test_the_smallest_bugs_of_the_toolkit_are_only_in_its_own_closure() -> None:
    assert len(BUGS) > 20
    for vector in BUGS:
        _, toolkit, exact = vector["result"]
        assert counts(vector, "default") == exact != toolkit
        assert counts(vector, "default", "toolkit") == toolkit


@pytest.mark.parametrize("method", ["default", "acl11"])
def test_gold_against_itself_matches_all(method: str) -> None:
    for vector in RELATIONS:
        gold = {"gold": vector["gold"], "system": vector["gold"]}
        matched, total, found, there = counts(gold, method)
        assert matched == total == found == there


@pytest.mark.parametrize(("depth", "met"), [(9, False), (10, True)])
def test_the_toolkits_points_meet_where_entities_are_nested_deeply(depth: int, met: bool) -> None:
    """Each entity is half as long as the one that it begins, rounded down; the tenth has length 1.

    What is inside that one has no length: what ends at its start meets what starts at its end.
    """
    graph = ToolkitGraph()
    graph.take(Link("b1", "later", "BEFORE"))
    graph.take(Link("other", "b1", "BEGINS"))
    for number in range(2, depth + 1):
        graph.take(Link(f"b{number}", f"b{number - 1}", "BEGINS"))
    graph.take(Link("inside", f"b{depth}", "IS_INCLUDED"))
    graph.take(Link("until", "inside", "IBEFORE"))
    graph.take(Link("from", "inside", "IAFTER"))
    assert graph.judge(Link("until", "from", "IBEFORE")) == ("holds" if met else "contradicted")
    assert graph.judge(Link("until", "from", "BEFORE")) == ("contradicted" if met else "holds")


def test_contradictory_links_are_searched_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """All paths that enter no chain twice would be several hundred thousand here."""
    steps = count()
    crossed = ToolkitGraph._crossed
    monkeypatch.setattr(
        ToolkitGraph, "_crossed", lambda graph, point: (next(steps), crossed(graph, point))[1]
    )
    random, graph = Random(0), ToolkitGraph()
    for _ in range(600):
        source, target = random.sample(range(150), 2)
        graph.take(Link(str(source), str(target), random.choice([*INVERSE])))
    assert 1_000 < next(steps) < 60_000
