"""Chains: they say what the graph says, and no shorter one does."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from chronoscore.ordering.awareness import reduce
from chronoscore.ordering.chains import Chains, shortest_chain, told, why, why_not
from chronoscore.ordering.graph import RELATIONS
from chronoscore.ordering.model import Link

LINKS = st.builds(Link, *[st.sampled_from("abcde")] * 2, st.sampled_from(list(RELATIONS)))
steady = settings(max_examples=150, deadline=None, derandomize=True, database=None)


@steady
@given(st.lists(LINKS, max_size=7), LINKS)
def test_chains_say_what_the_graph_says(links: list[Link], link: Link) -> None:
    kept = reduce(links).kept
    judged = reduce(kept).graph.judge(link)
    chains = Chains(kept)
    known = {end for other in kept for end in other[:2]}
    if {link.source, link.target} <= known:
        assert (chains.support(link) is not None) == (judged == "holds")
        assert (chains.against(link) is not None) == (judged == "contradicted")
    else:
        assert chains.support(link) is None


@steady
@given(st.lists(LINKS, max_size=7), LINKS)
def test_a_chain_is_enough_by_itself(links: list[Link], link: Link) -> None:
    kept = reduce(links).kept
    chain, contradiction = why(kept, link), why_not(kept, link)
    if chain:
        assert set(chain) <= set(kept)
        assert reduce(chain).graph.judge(link) == "holds"
    if contradiction:
        assert set(contradiction) <= set(kept)
        assert reduce(contradiction).graph.judge(link) == "contradicted"


@steady
@given(st.lists(LINKS, max_size=6), LINKS)
def test_no_shorter_contradiction_is_there(links: list[Link], link: Link) -> None:
    kept = reduce(links).kept
    contradiction = why_not(kept, link)
    for fewer in range(1, len(contradiction)):
        for part in combinations(kept, fewer):
            assert reduce(part).graph.judge(link) != "contradicted"


def test_the_shortest_way_is_told_and_not_the_first() -> None:
    links = [Link(one, two, "BEFORE") for one, two in ("ab", "bc", "cd", "ae", "ed")]
    assert told(shortest_chain(links, "d", "a")) == "a BEFORE e, e BEFORE d"
    said = Chains(links).relation("d", "a")
    assert said is not None
    assert said.relation == "AFTER"


def test_each_end_of_an_interval_has_its_reason() -> None:
    """C ends with a, which begins b: c starts after b does by both, and ends before b by both."""
    links = [Link("a", "b", "BEGINS"), Link("c", "a", "ENDS"), Link("x", "a", "BEFORE")]
    said = Chains(links).relation("c", "b")
    assert said is not None
    assert said.relation == "IS_INCLUDED"
    assert set(said.chain) == set(links[:2])
    assert shortest_chain(links[1:], "c", "b") == ()


def test_nothing_is_said_of_strangers_and_unknown_relations() -> None:
    links = [Link("a", "b", "VAGUE"), Link("c", "d", "BEFORE")]
    assert shortest_chain(links, "a", "b") == ()
    assert shortest_chain(links, "c", "x") == ()
    assert why(links, Link("c", "d", "OVERLAP")) == ()


def test_relations_in_small_letters_are_understood() -> None:
    assert shortest_chain([Link("a", "b", "before")], "b", "a") == (Link("a", "b", "before"),)
