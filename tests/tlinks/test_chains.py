"""Chains: they say what the graph says, and no shorter one does."""

from collections.abc import Iterable
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from chronoscore.ordering.awareness import reduce
from chronoscore.ordering.graph import RELATIONS
from chronoscore.ordering.model import Link
from chronoscore.ordering.reasons import Chains

LINKS = st.builds(Link, *[st.sampled_from("abcde")] * 2, st.sampled_from(list(RELATIONS)))


def written(chain: Iterable[Link]) -> str:
    return ", ".join(f"{source} {relation} {target}" for source, target, relation in chain)


def shortest_chain(links: Iterable[Link], source: str, target: str) -> tuple[Link, ...]:
    implied = Chains(links).relation(source, target)
    return implied.chain if implied is not None else ()


@given(st.lists(LINKS, max_size=7), LINKS)
def test_chains_say_what_the_graph_says(links: list[Link], link: Link) -> None:
    consistent = reduce(links).consistent
    judged = reduce(consistent).graph.judge(link)
    chains = Chains(consistent)
    known = {end for other in consistent for end in other[:2]}
    if {link.source, link.target} <= known:
        assert (chains.support(link) is not None) == (judged == "holds")
        assert (chains.against(link) is not None) == (judged == "contradicted")
    else:
        assert chains.support(link) is None


@given(st.lists(LINKS, max_size=7), LINKS)
def test_a_chain_is_enough_by_itself(links: list[Link], link: Link) -> None:
    consistent = reduce(links).consistent
    chain, contradiction = Chains(consistent).support(link), Chains(consistent).against(link)
    if chain:
        assert set(chain) <= set(consistent)
        assert reduce(chain).graph.judge(link) == "holds"
    if contradiction:
        assert set(contradiction) <= set(consistent)
        assert reduce(contradiction).graph.judge(link) == "contradicted"


@given(st.lists(LINKS, max_size=6), LINKS)
def test_no_shorter_contradiction_is_there(links: list[Link], link: Link) -> None:
    consistent = reduce(links).consistent
    contradiction = Chains(consistent).against(link) or ()
    for fewer in range(1, len(contradiction)):
        for part in combinations(consistent, fewer):
            assert reduce(part).graph.judge(link) != "contradicted"


def test_the_shortest_way_is_told_and_not_the_first() -> None:
    links = [Link(one, two, "BEFORE") for one, two in ("ab", "bc", "cd", "ae", "ed")]
    assert written(shortest_chain(links, "d", "a")) == "a BEFORE e, e BEFORE d"
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
    assert Chains(links).support(Link("c", "d", "OVERLAP")) is None


def test_relations_in_small_letters_are_understood() -> None:
    assert shortest_chain([Link("a", "b", "before")], "b", "a") == (Link("a", "b", "before"),)
