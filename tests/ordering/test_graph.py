"""The closure is exact: it agrees with brute force, and shares no bug with older scorers."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.errors import DataError
from chronoscore.ordering.awareness import (
    LinkVerdict,
    awareness,
    inverse,
    normalise,
    reduce,
    verify,
)
from chronoscore.ordering.graph import INVERSE, RELATIONS, Judgement, TemporalGraph
from chronoscore.ordering.model import Link

Matrix = list[list[int]]  # what is known of two points: 0 nothing, 1 not after, 2 before

entities = st.sampled_from("abcde")
some_links = st.lists(st.builds(Link, entities, entities, st.sampled_from(sorted(RELATIONS))))
any_relation = st.sampled_from([*RELATIONS, "DURING", "DURING_INV", "before", "during", "VAGUE"])
any_links = st.lists(st.builds(Link, entities, entities, any_relation))


def closed(links: list[Link]) -> Matrix:
    """Floyd and Warshall over all start and end points."""
    names = sorted({name for link in links for name in link[:2]})
    matrix = [[0] * 10 for _ in range(10)]
    for name in names:
        matrix[point(name, 0)][point(name, 1)] = 2
    for link in links:
        for a, sign, b in constraints(link):
            if sign == "<":
                matrix[a][b] = 2
            else:
                matrix[a][b] = max(matrix[a][b], 1)
                matrix[b][a] = max(matrix[b][a], 1)
    for middle, a, b in product(range(10), repeat=3):
        if matrix[a][middle] and matrix[middle][b]:
            through = max(matrix[a][middle], matrix[middle][b])
            matrix[a][b] = max(matrix[a][b], through)
    return matrix


def point(name: str, end: int) -> int:
    return 2 * "abcde".index(name) + end


def constraints(link: Link) -> list[tuple[int, str, int]]:
    points = [point(name, end) for name in link[:2] for end in (0, 1)]
    return [(points[a], sign, points[b]) for a, sign, b in RELATIONS[link.relation]]


def brute_force(link: Link, links: list[Link]) -> Judgement:
    extended = closed([*links, link])
    if any(extended[a][a] == 2 for a in range(10)):
        return "contradicted"
    if not {link.source, link.target} <= {name for known in links for name in known[:2]}:
        return "unknown"
    known = closed(links)
    holds = all(
        known[a][b] == 2 if sign == "<" else a == b or known[a][b] == known[b][a] == 1
        for a, sign, b in constraints(link)
    )
    return "holds" if holds else "unknown"


@settings(deadline=None)
@given(
    some_links, st.lists(st.builds(Link, entities, entities, st.sampled_from(sorted(RELATIONS))))
)
def test_judgement_is_that_of_brute_force(links: list[Link], questions: list[Link]) -> None:
    graph, added = TemporalGraph(), list[Link]()
    for link in links:
        judgement = graph.judge(link)
        assert judgement == brute_force(link, added)
        if judgement != "contradicted":
            graph.add(link)
            added.append(link)
    for question in questions:
        assert graph.judge(question) == brute_force(question, added)


@settings(deadline=None)
@given(some_links)
def test_what_was_added_holds_from_both_ends(links: list[Link]) -> None:
    reduced = reduce(links)
    for link in reduced.stated.difference(reduced.violated):
        assert reduced.graph.judge(link) == "holds"
        assert reduced.graph.judge(inverse(link)) == "holds"
    for link in reduced.violated:
        assert reduced.graph.judge(link) == "contradicted"


def test_inverse_table_exchanges_the_points_of_source_and_target() -> None:
    swapped = {0: 2, 1: 3, 2: 0, 3: 1}
    for relation, points in RELATIONS.items():
        assert INVERSE[INVERSE[relation]] == relation
        theirs = {
            frozenset([a, b]) if s == "=" else (a, b) for a, s, b in RELATIONS[INVERSE[relation]]
        }
        ours = [(swapped[a], s, swapped[b]) for a, s, b in points]
        assert theirs == {frozenset([a, b]) if s == "=" else (a, b) for a, s, b in ours}


def graph_of(text: str) -> TemporalGraph:
    graph = TemporalGraph()
    for link in parse(text):
        graph.add(link)
    return graph


def parse(text: str) -> list[Link]:
    triples = [part.split() for part in text.split(";") if part]
    return [Link(source, target, relation) for source, relation, target in triples]


def test_two_that_follow_the_same_event_are_not_equal() -> None:
    graph = graph_of("a SIMULTANEOUS b; c AFTER a; d AFTER b")
    assert graph.judge(Link("c", "d", "SIMULTANEOUS")) == "unknown"


def test_inference_passes_through_equal_events() -> None:
    graph = graph_of(
        "1 AFTER 2; 3 SIMULTANEOUS 4; 1 AFTER 5; 5 AFTER 6; 4 SIMULTANEOUS 5; 2 SIMULTANEOUS 6"
    )
    assert graph.judge(Link("2", "3", "BEFORE")) == "holds"


def test_prepending_twice_keeps_order() -> None:
    graph = graph_of("3 BEFORE 4; 5 BEFORE 3; 1 BEFORE 5; 1 SIMULTANEOUS 2")
    assert graph.judge(Link("1", "2", "AFTER")) == "contradicted"


def test_events_nested_forty_deep_stay_apart() -> None:
    graph = graph_of(";".join(f"{i + 1} IS_INCLUDED {i}" for i in range(40)))
    assert graph.judge(Link("39", "40", "SIMULTANEOUS")) == "contradicted"
    assert graph.judge(Link("0", "40", "INCLUDES")) == "holds"


@pytest.mark.parametrize("relation", sorted(set(RELATIONS) - {"SIMULTANEOUS", "IDENTITY"}))
def test_an_event_can_only_equal_itself(relation: str) -> None:
    graph = TemporalGraph()
    assert graph.judge(Link("a", "a", relation)) == "contradicted"
    assert graph.judge(Link("a", "a", "IDENTITY")) == "unknown"
    graph.add(Link("a", "a", "IDENTITY"))
    assert graph.judge(Link("a", "a", "SIMULTANEOUS")) == "holds"


def test_long_chains_are_closed_in_whatever_order_they_come() -> None:
    chain = [Link(f"e{i}", f"e{i + 1}", "BEFORE") for i in range(400)]
    anchors = [Link(f"e{i}", f"t{i}", "SIMULTANEOUS") for i in range(401)]
    for links in (
        chain + anchors,
        anchors + chain,
        anchors + chain[::-1],
        chain[1::2] + chain[::2],
    ):
        graph = reduce(links).graph
        assert graph.judge(Link("e0", "e400", "BEFORE")) == "holds"
        assert graph.judge(Link("e400", "e399", "BEFORE")) == "contradicted"
    assert len(reduce(anchors + chain).consistent) == 801


def test_reduction_depends_on_the_order_of_links() -> None:
    assert len(reduce(parse("a BEFORE b; b BEFORE c; a BEFORE c")).links) == 2
    assert len(reduce(parse("a BEFORE c; a BEFORE b; b BEFORE c")).links) == 3


def test_exact_duplicates_are_skipped_and_inverses_redundant() -> None:
    reduced = reduce(parse("a BEGUN_BY b; a BEGUN_BY b; b BEGINS a"))
    assert (len(reduced.links), len(reduced.stated)) == (1, 2)


def test_violated_links_are_counted_and_matched_literally_only() -> None:
    gold = parse("a BEFORE b; b BEFORE a")
    result = awareness(gold, parse("b BEFORE a"))
    assert result.counts == (1, 1, 1, 2)
    assert (len(result.gold.violated), len(result.system.violated)) == (1, 0)
    assert result.gold_verdicts == (
        LinkVerdict(gold[0], "contradicted"),
        LinkVerdict(gold[1], "literal"),
    )


def test_during_is_simultaneous_and_identity_another_word_for_it() -> None:
    assert verify(Link("a", "b", "SIMULTANEOUS"), reduce(parse("b DURING_INV a"))) == "literal"
    assert verify(Link("a", "b", "SIMULTANEOUS"), reduce(parse("a IDENTITY b"))) == "inferred"


def test_lower_case_is_understood_by_the_graph_and_verified_as_written() -> None:
    lower = reduce(parse("a before b"))
    assert verify(Link("b", "a", "AFTER"), lower) == "literal"
    assert verify(Link("a", "b", "BEFORE"), lower) == "inferred"
    assert verify(Link("a", "b", "before"), reduce(parse("a BEFORE b"))) == "unknown"
    assert verify(Link("a", "b", "before"), lower) == "literal"


def test_relation_nobody_knows_is_counted_and_teaches_nothing() -> None:
    result = awareness(parse("a IAFTER b"), parse("a OVERLAP b"), lenient=True)
    assert result.counts == (0, 1, 0, 1)
    assert result.gold_verdicts[0].how == "entity missing"
    both = awareness(parse("a OVERLAP b"), parse("b OVERLAP a"), lenient=True)
    assert both.counts == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("relation", "told"),
    [
        ("OVERLAP", "gold link 2: relation is 'OVERLAP', expected one of AFTER, BEFORE, "),
        ("before", "gold link 2: relation is 'before', expected 'BEFORE'; or call with lenient"),
    ],
)
def test_a_relation_that_the_command_refuses_is_refused(relation: str, told: str) -> None:
    links = [Link("a", "b", "BEFORE"), Link("a", "c", relation)]
    for gold, system in ((links, []), ([], links)):
        with pytest.raises(DataError, match=told if gold else told.replace("gold", "system")):
            awareness(gold, system)


@pytest.mark.parametrize("relation", [None, 5, ["BEFORE"]])
@pytest.mark.parametrize("lenient", [False, True])
def test_a_relation_that_is_no_text_is_always_refused(relation: Any, lenient: bool) -> None:
    with pytest.raises(DataError, match=r"system link 1: relation is .*, expected one of AFTER"):
        awareness([], [Link("a", "b", relation)], lenient=lenient)


def test_all_relations_that_are_wrong_are_listed_at_once() -> None:
    with pytest.raises(DataError) as caught:
        awareness(parse("a X b; b Y c"), parse("a Z b"))
    assert len(caught.value.problems) == 3


@settings(deadline=None)
@given(any_links, any_links)
def test_swapping_the_sides_swaps_precision_and_recall(one: list[Link], two: list[Link]) -> None:
    there, back = awareness(one, two, lenient=True), awareness(two, one, lenient=True)
    assert there.counts == back.counts[2:] + back.counts[:2]
    assert there.gold_verdicts == back.system_verdicts
    assert there.gold.violated == back.system.violated


@settings(deadline=None)
@given(any_links)
def test_links_against_themselves_are_all_verified(links: list[Link]) -> None:
    result = awareness(links, links, lenient=True)
    counts = result.counts
    assert counts.recall_matched == counts.gold_total == counts.system_total
    assert counts.precision_matched == counts.system_total


@settings(deadline=None)
@given(any_links, any_links)
def test_a_link_is_literal_if_it_or_what_it_inverts_is_stated(
    links: list[Link], asked: list[Link]
) -> None:
    said = normalise(links)
    stated = {*said, *map(inverse, said)}
    for link in asked:
        assert (verify(link, reduce(links)) == "literal") == (link in stated)


@settings(deadline=None)
@given(any_links, any_links)
def test_all_links_and_inverses_are_known_as_each_is_by_itself(
    gold: list[Link], system: list[Link]
) -> None:
    found = awareness(gold, system, "acl11", lenient=True)
    for verdicts, other in ((found.system_verdicts, gold), (found.gold_verdicts, system)):
        known = reduce(other)
        assert [one.how for one in verdicts] == [verify(one.link, known) for one in verdicts]
