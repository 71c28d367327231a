"""Compositions of relations: known ones of Allen's table, and the laws of the algebra."""

from itertools import product

import pytest

from chronoscore.ordering.graph import INVERSE, RELATIONS, TemporalGraph, compose, table
from chronoscore.ordering.model import Link

SHORT = {
    "b": "BEFORE",
    "a": "AFTER",
    "m": "IBEFORE",
    "mi": "IAFTER",
    "s": "BEGINS",
    "si": "BEGUN_BY",
    "f": "ENDS",
    "fi": "ENDED_BY",
    "di": "INCLUDES",
    "d": "IS_INCLUDED",
    "e": "SIMULTANEOUS",
    "o": "OVERLAPS",
    "oi": "OVERLAPPED_BY",
}
ALLEN = tuple(SHORT.values())
OVERLAPS = {"OVERLAPS": "OVERLAPPED_BY", "OVERLAPPED_BY": "OVERLAPS"}
# Allen 1983, figure 4, in his letters (e is equal).
KNOWN = {
    ("b", "b"): "b",
    ("b", "d"): "b o m d s",
    ("b", "a"): "b a d di o oi m mi s si f fi e",
    ("a", "m"): "a oi mi d f",
    ("d", "b"): "b",
    ("d", "di"): "b a d di o oi m mi s si f fi e",
    ("d", "o"): "b o m d s",
    ("di", "d"): "o oi d s f di si fi e",
    ("di", "m"): "o di fi",
    ("o", "o"): "b o m",
    ("o", "oi"): "o oi d di s si f fi e",
    ("o", "d"): "o d s",
    ("o", "si"): "di fi o",
    ("oi", "m"): "o di fi",
    ("m", "m"): "b",
    ("m", "mi"): "f fi e",
    ("m", "s"): "m",
    ("mi", "m"): "s si e",
    ("s", "si"): "s si e",
    ("s", "f"): "d",
    ("s", "fi"): "b m o",
    ("f", "s"): "d",
    ("f", "fi"): "f fi e",
    ("e", "oi"): "oi",
}


@pytest.mark.parametrize(("first", "second"), KNOWN)
def test_compositions_are_those_of_allen(first: str, second: str) -> None:
    wanted = {SHORT[letter] for letter in KNOWN[first, second].split()}
    assert compose(SHORT[first], SHORT[second]) == wanted


def test_the_table_is_complete() -> None:
    assert set(table()) == set(product(ALLEN, repeat=2))
    assert sum(map(len, table().values())) == 409


def test_the_inverse_of_a_composition_is_that_of_the_inverses_the_other_way() -> None:
    for first, second in product(ALLEN, repeat=2):
        inverse = {**INVERSE, **OVERLAPS}
        turned = {inverse[relation] for relation in compose(first, second)}
        assert turned == compose(inverse[second], inverse[first])


def test_identity_composes_as_simultaneous() -> None:
    for relation in RELATIONS:
        assert compose("IDENTITY", relation) == compose("SIMULTANEOUS", relation)


def test_the_graph_knows_the_table() -> None:
    for first, second in product(RELATIONS, repeat=2):
        graph = TemporalGraph()
        graph.add(Link("x", "y", first))
        graph.add(Link("y", "z", second))
        possible = compose(first, second)
        for third in set(RELATIONS) - {"IDENTITY"}:
            judged = graph.judge(Link("x", "z", third))
            if third not in possible:
                assert judged == "contradicted"
            else:
                assert judged == ("holds" if len(possible) == 1 else "unknown")
