"""Match the entities of a system with those of the gold, by their places in the text or their ids.

Links and entities are compared by ids, but each annotator numbers them differently. So the entities
of the system get the ids of the gold's entities in the same place, as the normaliser of TempEval-3
does before it scores. An event is only matched with an event, and a time with a time:

1. those with the same extent;
2. of the others, those that overlap, the largest overlap first and then the first in the text;
3. outside of the text, those with the same id, and then the creation times.

The instances of two matched events are matched by their ids, and then in their order. An
unmatched entity keeps its id, or gets a new one if another entity of the gold has that id.

Places are counted in characters that are not blank, so that two files may differ in blanks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from operator import itemgetter

from chronoscore.elements.timeml import OUTSIDE
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.model import Entity, LinkDocument

_Span = tuple[int, int]
_Placed = tuple[_Span, Entity]
Pair = tuple[Entity, Entity]


def same_text(gold: LinkDocument, system: LinkDocument) -> bool:
    """Whether two documents have the same text but for blanks, so that places can be compared."""
    return gold.text == system.text or gold.text.split() == system.text.split()


def with_ids_of(gold: LinkDocument, system: LinkDocument) -> LinkDocument:
    """Return the system's document with the ids of the gold's entities in the same place."""
    ids: dict[tuple[str, str], str] = {}  # of entities, by kind and id
    renamed: dict[str, str] = {}  # of names that links use
    pairs = _pairs(gold, system)
    for gold_entity, entity in pairs:
        ids[entity.kind, entity.id] = gold_entity.id
        for name, new in _instances(gold_entity.names, entity.names):
            renamed.setdefault(name, new)
    for gold_entity, entity in pairs:
        renamed.setdefault(entity.id, gold_entity.id)
    used_names = {*gold.names(), *renamed.values()}
    for name in (name for entity in system.entities for name in (*entity.names, entity.id)):
        if name not in renamed:
            new = name
            while new in used_names:
                new += " (system)"
            renamed[name] = new
            used_names.add(new)
    links, vague = (
        tuple(
            Link(renamed.get(source, source), renamed.get(target, target), relation)
            for source, target, relation in some
        )
        for some in (system.links, system.vague)
    )
    entities = []
    for entity in system.entities:
        new_id = ids.get((entity.kind, entity.id), renamed[entity.id])
        names = tuple(renamed[name] for name in entity.names)
        entities.append(replace(entity, id=new_id, names=names))
    return LinkDocument(links, tuple(entities), system.text, vague)


def _instances(golds: Sequence[str], systems: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each instance of a system's event with the matching instance of the gold's."""
    shared = set(golds) & set(systems)
    yield from ((name, name) for name in systems if name in shared)
    unmatched = (name for name in golds if name not in shared)
    yield from zip((name for name in systems if name not in shared), unmatched, strict=False)


def _pairs(gold: LinkDocument, system: LinkDocument) -> list[Pair]:
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
    steps = (sum(map(len, text[start:end].split())) for start, end in pairwise(places))
    before = dict(zip(places, accumulate(steps, initial=0), strict=True))
    return [((before[entity.start], before[entity.end]), entity) for entity in placed]


def _placed(golds: list[_Placed], systems: list[_Placed]) -> Iterator[Pair]:
    same: dict[_Span, list[Entity]] = {}
    for span, entity in golds:
        same.setdefault(span, []).append(entity)
    unmatched = []
    used: set[str] = set()
    for span, entity in systems:
        candidates = same.get(span, [])
        if candidates:
            # Of two on the same words, the one with the same id is meant.
            gold = next((g for g in candidates if g.id == entity.id), candidates[0])
            candidates.remove(gold)
            used.add(gold.id)
            yield gold, entity
        else:
            unmatched.append((span, entity))
    rest = [(span, entity) for span, entity in golds if entity.id not in used]
    matched: set[str] = set()
    for *_, gold, entity in sorted(_overlaps(rest, unmatched), key=itemgetter(0, 1, 2)):
        if gold.id not in used and entity.id not in matched:
            used.add(gold.id)
            matched.add(entity.id)
            yield gold, entity


def _overlaps(
    golds: list[_Placed], systems: list[_Placed]
) -> Iterator[tuple[int, _Span, _Span, Entity, Entity]]:
    """Yield all pairs that share a character, found in one sweep over the text.

    Sorted by their first three items, the pair with the largest overlap comes first.
    """
    waiting = sorted(golds, key=itemgetter(0), reverse=True)
    active: list[_Placed] = []
    for (start, end), entity in sorted(systems, key=itemgetter(0)):
        while waiting and waiting[-1][0][0] < end:
            active.append(waiting.pop())
        active = [gold for gold in active if gold[0][1] > start]
        for (first, last), gold_entity in active:
            shared = min(last, end) - max(first, start)
            if shared > 0:
                yield -shared, (first, last), (start, end), gold_entity, entity


def _unplaced(golds: Sequence[Entity], systems: Sequence[Entity]) -> Iterator[Pair]:
    by_id = {entity.id: entity for entity in golds}
    unmatched = []
    for entity in systems:
        if entity.id in by_id:
            yield by_id.pop(entity.id), entity
        else:
            unmatched.append(entity)
    created = (entity for entity in by_id.values() if entity.is_creation_time)
    yield from zip(created, (e for e in unmatched if e.is_creation_time), strict=False)
