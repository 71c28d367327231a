"""Entities of two annotators are one where they stand in the same place, whatever their ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.case import Case
from chronoscore.core.problems import Problems
from chronoscore.elements.timeml import OUTSIDE
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.alignment import same_text, with_ids_of
from chronoscore.ordering.tlinks.family import aligned
from chronoscore.ordering.tlinks.model import Entity, Kind, LinkDocument

TEXT = "He left on New Year and came back."


def entity(name: str, words: str, kind: Kind = "event", *, at: str = TEXT) -> Entity:
    start = at.index(words)
    names = (f"i{name}",) if kind == "event" else (name,)
    return Entity(name, kind, words, start, start + len(words), names=names)


def renamed(gold: LinkDocument, system: LinkDocument) -> list[str]:
    return [found.id for found in with_ids_of(gold, system).entities]


GOLD = LinkDocument(
    (Link("ie1", "t1", "BEFORE"), Link("ie2", "ie1", "AFTER")),
    (entity("e1", "left"), entity("e2", "came back"), entity("t1", "New Year", "time")),
    TEXT,
)


def test_the_same_place_is_the_same_entity() -> None:
    system = LinkDocument(
        (Link("ie7", "t9", "BEFORE"), Link("ie1", "ie7", "AFTER")),
        (entity("e7", "left"), entity("e1", "came back"), entity("t9", "New Year", "time")),
        TEXT,
    )
    assert with_ids_of(GOLD, system) == GOLD


def test_places_that_overlap_are_one_and_the_largest_overlap_wins() -> None:
    system = LinkDocument(
        (), (entity("e1", "came"), entity("e5", "back"), entity("e6", "He left")), TEXT
    )
    assert renamed(GOLD, system) == ["e2", "e5", "e1"]


def test_an_event_is_no_time() -> None:
    system = LinkDocument((), (entity("t1", "left", "time"), entity("e1", "New Year")), TEXT)
    assert renamed(GOLD, system) == ["t1 (system)", "e1 (system)"]


def test_an_id_that_is_another_one_in_the_gold_is_changed() -> None:
    system = LinkDocument(
        (Link("ie1", "ie3", "AFTER"),), (entity("e1", "on"), entity("e3", "He")), TEXT
    )
    made = with_ids_of(GOLD, system)
    assert [found.id for found in made.entities] == ["e1 (system)", "e3"]
    assert made.links == (Link("ie1 (system)", "ie3", "AFTER"),)


def test_creation_times_are_one() -> None:
    created = {"functionInDocument": "CREATION_TIME"}
    gold = LinkDocument(
        (), (Entity("t0", "time", "today", attributes=created, names=("t0",)),), "x"
    )
    system = LinkDocument(
        (Link("t7", "t8", "BEFORE"),),
        (
            Entity("t8", "time", "then", names=("t8",)),
            Entity("t7", "time", "1 May", attributes=created, names=("t7",)),
        ),
        "x",
    )
    assert with_ids_of(gold, system).links == (Link("t0", "t8", "BEFORE"),)


def test_instances_of_an_event_are_matched_by_name_and_then_in_order() -> None:
    gold = LinkDocument((), (Entity("e1", "event", "a", 0, 1, names=("x", "y", "z")),), "a")
    system = LinkDocument(
        (Link("1", "y", "BEFORE"), Link("2", "3", "AFTER")),
        (Entity("e9", "event", "a", 0, 1, names=("1", "y", "2", "3")),),
        "a",
    )
    made = with_ids_of(gold, system)
    assert made.links == (Link("x", "y", "BEFORE"), Link("z", "3", "AFTER"))


def test_blanks_may_differ_and_nothing_else() -> None:
    spaced = TEXT.replace(" ", "\n ")
    system = LinkDocument((), (entity("e9", "came\n back", at=spaced),), spaced)
    assert same_text(GOLD, system)
    assert renamed(GOLD, system) == ["e2"]
    assert not same_text(GOLD, LinkDocument((), (), TEXT.replace("left", "went")))


def test_another_text_is_told_and_ids_are_taken_or_refused() -> None:
    system = LinkDocument(GOLD.links, (entity("e1", "left", at="Then he left."),), "Then he left.")
    cases = [Case("d", GOLD, system)]
    problems = Problems()
    assert aligned(cases, "auto", "s", problems) == cases
    assert "the text is not the gold's in 1 document: d" in str(problems.notices[0])
    assert aligned(cases, "ids", "s", Problems()) == cases
    strict = Problems()
    aligned(cases, "offsets", "s", strict)
    assert len(strict.problems) == 1


@pytest.mark.parametrize("align", ["auto", "offsets"])
def test_links_alone_are_matched_by_ids_and_have_no_text_to_differ(align: str) -> None:
    bare = LinkDocument(GOLD.links)
    cases = [Case("d", GOLD, bare), Case("e", bare, GOLD)]
    problems = Problems()
    assert aligned(cases, align, "s", problems) == cases
    assert not problems.problems
    assert not problems.notices


def test_links_without_a_common_entity_are_told() -> None:
    problems = Problems()
    case = Case(
        "d", LinkDocument((Link("a", "b", "AFTER"),)), LinkDocument((Link("x", "y", "AFTER"),))
    )
    aligned([case], "auto", "s", problems)
    assert "nothing can match: d" in str(problems.notices[0])


SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 5), st.sampled_from(("event", "time"))), max_size=6
)


@given(SPANS, SPANS)
def test_no_two_entities_become_one(
    golds: list[tuple[int, int, Kind]], systems: list[tuple[int, int, Kind]]
) -> None:
    text = "abc def ghi jkl mno pqr"

    def document(spans: list[tuple[int, int, Kind]]) -> LinkDocument:
        return LinkDocument(
            (),
            tuple(
                Entity(f"x{n}", kind, text[s : s + w], s, s + w, names=(f"i{n}",))
                for n, (s, w, kind) in enumerate(spans)
            ),
            text,
        )

    gold, system = document(golds), document(systems)
    made = with_ids_of(gold, system).entities
    assert len({(found.kind, found.id) for found in made}) == len(systems)
    assert len({name for found in made for name in found.names}) == len(systems)
    assert with_ids_of(gold, gold) == gold
    own = {found.id: found for found in gold.entities}
    for before, after in zip(system.entities, made, strict=True):
        if after.id in own and own[after.id].kind == after.kind:
            other = own[after.id]
            assert before.start != OUTSIDE
            assert other.start <= before.end
            assert before.start <= other.end
