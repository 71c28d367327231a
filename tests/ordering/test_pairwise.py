"""The pairwise score is that of the closure, whatever the order of the links and their names."""

import itertools
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.ordering.awareness import inverse
from chronoscore.ordering.graph import RELATIONS, TemporalGraph
from chronoscore.ordering.model import Link
from chronoscore.ordering.pairwise import RelatedPairs, cycles, entity_pairs, pairwise

ELEVEN = [relation for relation in RELATIONS if relation != "IDENTITY"]
LINKS = st.lists(
    st.builds(Link, st.sampled_from("abcde"), st.sampled_from("abcde"), st.sampled_from(ELEVEN)),
    max_size=7,
)


def consistent(links: list[Link]) -> list[Link]:
    graph = TemporalGraph()
    kept = []
    for link in links:
        if graph.judge(link) != "contradicted":
            graph.add(link)
            kept.append(link)
    return kept


def related(links: list[Link]) -> dict[tuple[str, str], str]:
    """What follows between each two entities, asked relation by relation."""
    graph = TemporalGraph()
    for link in links:
        graph.add(link)
    found = {}
    for one, two in combinations("abcde", 2):
        for relation in ELEVEN:
            if graph.judge(Link(one, two, relation)) == "holds":
                found[one, two] = relation
    return found


@given(LINKS, LINKS)
@settings(deadline=None)
def test_pairs_are_those_of_the_closure(gold: list[Link], system: list[Link]) -> None:
    gold, system = consistent(gold), consistent(system)
    ours, theirs = related(gold), related(system)
    same = sum(ours[pair] == theirs.get(pair) for pair in ours)
    assert pairwise(gold, system) == RelatedPairs(same, len(theirs), len(ours))


@given(LINKS, LINKS, st.data())
@settings(deadline=None)
def test_order_direction_and_names_of_links_change_nothing(
    gold: list[Link], system: list[Link], data: st.DataObject
) -> None:
    counts, found = pairwise(gold, system), cycles(gold)
    shuffled = data.draw(st.permutations([inverse(link) for link in gold]))
    assert pairwise(shuffled, data.draw(st.permutations(system))) == counts
    names = dict(zip("abcde", data.draw(st.permutations("vwxyz")), strict=True))
    renamed = [
        [Link(names[source], names[target], relation) for source, target, relation in links]
        for links in (gold, system)
    ]
    assert pairwise(*renamed) == counts
    assert cycles(shuffled) == found


@given(LINKS)
@settings(deadline=None)
def test_each_pair_is_counted_at_both_its_ends(links: list[Link]) -> None:
    shares = entity_pairs(links, links).values()
    assert sum(share.gold for share in shares) == 2 * pairwise(links, links).gold


@given(LINKS)
@settings(deadline=None)
def test_a_copy_agrees_with_itself_even_if_it_contradicts_itself(links: list[Link]) -> None:
    counts = pairwise(links, links)
    assert counts.matched == counts.system == counts.gold


@given(LINKS)
@settings(deadline=None)
def test_there_is_a_cycle_where_a_link_is_violated_and_nowhere_else(links: list[Link]) -> None:
    assert bool(cycles(links)) == (consistent(links) != links)


def chain(names: str, relation: str = "BEFORE") -> list[Link]:
    return [Link(one, two, relation) for one, two in itertools.pairwise(names)]


def test_a_reversed_chain_has_no_pair_right() -> None:
    assert pairwise(chain("abcd"), chain("dcba")) == RelatedPairs(0, 6, 6)
    assert pairwise(chain("abcd"), chain("dcba", "AFTER")) == RelatedPairs(6, 6, 6)


def test_writing_out_the_closure_gains_nothing() -> None:
    whole = [Link(one, two, "BEFORE") for one, two in combinations("abcd", 2)]
    assert pairwise(chain("abcd"), whole) == RelatedPairs(6, 6, 6)


def test_a_contradiction_costs_its_own_pairs_and_no_others() -> None:
    links = [*chain("abcde"), Link("c", "b", "BEFORE")]
    counts = pairwise(chain("abcde"), links)
    assert counts == RelatedPairs(9, 9, 10)  # b and c have no order; a, d and e keep theirs
    assert cycles(links) == 1


def test_less_than_a_relation_is_no_relation() -> None:
    links = [Link("a", "b", "BEGINS"), Link("c", "b", "ENDS")]  # a starts before c, no more
    assert pairwise(links, links) == RelatedPairs(2, 2, 2)


@pytest.mark.parametrize("word", ["IDENTITY", "DURING", "DURING_INV", "simultaneous"])
def test_words_of_one_meaning_are_one_relation(word: str) -> None:
    assert pairwise([Link("a", "b", "SIMULTANEOUS")], [Link("b", "a", word)]).matched == 1


def test_an_unknown_relation_says_nothing() -> None:
    assert pairwise([Link("a", "b", "VAGUE")], [Link("a", "b", "VAGUE")]) == RelatedPairs(0, 0, 0)
