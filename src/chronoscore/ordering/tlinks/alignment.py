"""Which entity of a system is which of the gold: by their places in the text, or by their ids.

Links and scores of entities are compared by ids, and two annotators number as they like. So the
entities of the system get the ids of the gold's that stand in the same place, as the normaliser of
TempEval-3 does before it scores. An event is only matched with an event, and a time with a time:

1. those with the same extent;
2. of the others, those that overlap, the largest overlap first and then the first in the text;
3. outside of the text, those with the same id, and then the creation times.

The instances of two matched events are matched by their ids, and then in their order. What is left
over keeps its id, or gets a new one where that id is another entity's in the gold.

Places are counted in characters that are not blank, so that two files may differ in blanks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from chronoscore.elements.timeml import OUTSIDE
from chronoscore.ordering.tlinks.model import Document, Entity

_Span = tuple[int, int]
_Placed = tuple[_Span, Entity]
Pair = tuple[Entity, Entity]


def same_text(gold: Document, system: Document) -> bool:
    """Whether places in the one can be looked up in the other: nothing differs but blanks."""
    return gold.text == system.text or gold.text.split() == system.text.split()


def with_ids_of(gold: Document, system: Document) -> Document:
    """The system's document with the ids of the gold's entities that stand in the same place."""
    ids: dict[tuple[str, str], str] = {}  # of entities, by kind and id
    renamed: dict[str, str] = {}  # of names that links use
    pairs = _pairs(gold, system)
    for own, other in pairs:
        ids[other.kind, other.id] = own.id
        for name, new in _instances(own.names, other.names):
            renamed.setdefault(name, new)
    for own, other in pairs:
        renamed.setdefault(other.id, own.id)
    taken = {*gold.names(), *renamed.values()}
    for name in (name for entity in system.entities for name in (*entity.names, entity.id)):
        if name not in renamed:
            renamed[name] = new = _fresh(name, taken)
            taken.add(new)
    return Document(
        tuple(
            link._replace(
                source=renamed.get(link.source, link.source),
                target=renamed.get(link.target, link.target),
            )
            for link in system.links
        ),
        tuple(
            replace(
                entity,
                id=ids.get((entity.kind, entity.id), renamed[entity.id]),
                names=tuple(renamed[name] for name in entity.names),
            )
            for entity in system.entities
        ),
        system.text,
    )


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += " (system)"
    return name


def _instances(own: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each instance of a system's event with that of the gold's."""
    shared = set(own) & set(others)
    yield from ((name, name) for name in others if name in shared)
    left = (name for name in own if name not in shared)
    yield from zip((name for name in others if name not in shared), left, strict=False)


def _pairs(gold: Document, system: Document) -> list[Pair]:
    pairs: list[Pair] = []
    for kind in ("event", "time"):
        golds = [entity for entity in gold.entities if entity.kind == kind]
        systems = [entity for entity in system.entities if entity.kind == kind]
        pairs += _placed(_spans(golds, gold.text), _spans(systems, system.text))
        pairs += _unplaced(
            [entity for entity in golds if entity.start == OUTSIDE],
            [entity for entity in systems if entity.start == OUTSIDE],
        )
    return pairs


def _spans(entities: Sequence[Entity], text: str) -> list[_Placed]:
    placed = [entity for entity in entities if entity.start != OUTSIDE]
    places = sorted({0, *(place for entity in placed for place in (entity.start, entity.end))})
    steps = (sum(map(len, text[one:two].split())) for one, two in pairwise(places))
    before = dict(zip(places, accumulate(steps, initial=0), strict=True))
    return [((before[entity.start], before[entity.end]), entity) for entity in placed]


def _placed(golds: list[_Placed], systems: list[_Placed]) -> Iterator[Pair]:
    same: dict[_Span, list[Entity]] = {}
    for span, entity in golds:
        same.setdefault(span, []).append(entity)
    left = []
    used: set[str] = set()
    for span, entity in systems:
        there = same.get(span, [])
        if there:
            # Of two on the same words, the one with the same id is meant.
            found = next((own for own in there if own.id == entity.id), there[0])
            there.remove(found)
            used.add(found.id)
            yield found, entity
        else:
            left.append((span, entity))
    rest = [(span, entity) for span, entity in golds if entity.id not in used]
    matched: set[str] = set()
    for (_, own), (_, other) in sorted(_overlaps(rest, left), key=_largest):
        if own.id not in used and other.id not in matched:
            used.add(own.id)
            matched.add(other.id)
            yield own, other


def _overlap(one: _Span, two: _Span) -> int:
    return min(one[1], two[1]) - max(one[0], two[0])


def _largest(pair: tuple[_Placed, _Placed]) -> tuple[int, _Span, _Span]:
    (own, _), (other, _) = pair
    return -_overlap(own, other), own, other


def _overlaps(golds: list[_Placed], systems: list[_Placed]) -> Iterator[tuple[_Placed, _Placed]]:
    """All pairs that share a character, found in one sweep over the text."""
    waiting = sorted(golds, key=lambda placed: placed[0], reverse=True)
    active: list[_Placed] = []
    for system in sorted(systems, key=lambda placed: placed[0]):
        start, end = system[0]
        while waiting and waiting[-1][0][0] < end:
            active.append(waiting.pop())
        active = [gold for gold in active if gold[0][1] > start]
        for gold in active:
            if _overlap(gold[0], system[0]) > 0:
                yield gold, system


def _unplaced(golds: Sequence[Entity], systems: Sequence[Entity]) -> Iterator[Pair]:
    own = {entity.id: entity for entity in golds}
    left = []
    for entity in systems:
        if entity.id in own:
            yield own.pop(entity.id), entity
        else:
            left.append(entity)
    created = (entity for entity in own.values() if entity.is_creation_time)
    yield from zip(created, (entity for entity in left if entity.is_creation_time), strict=False)
