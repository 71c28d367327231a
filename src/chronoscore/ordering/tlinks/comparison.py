"""Comparing two documents: their links, each side reduced once, or their entities."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from chronoscore.core.case import Case
from chronoscore.ordering.awareness import Awareness, Method, Reduced, judged, reduce
from chronoscore.ordering.pairwise import cycles
from chronoscore.ordering.tlinks.model import Document, Entity, Kind

LINKS, ENTITIES = "links", "entities"
_LONGEST = 30


@dataclass(frozen=True, slots=True)
class LinkComparison:
    """The links of two documents with shared names, and the words that the names stand for."""

    gold: Reduced
    system: Reduced
    gold_cycles: int
    system_cycles: int
    labels: "Labels"

    def awareness(self, method: Method) -> Awareness:
        """How much of each side the other one knows."""
        return judged(self.gold, self.system, method)


class Labels(dict[str, str]):
    """Names with the words they stand for; a name without words stands for itself."""

    def __missing__(self, name: str) -> str:
        return name


class EntityPair(NamedTuple):
    """An entity that both sides have, or one that only one of them has."""

    gold: Entity | None
    system: Entity | None

    @property
    def strict(self) -> bool:
        """Whether both have it with the same words."""
        return (
            self.gold is not None
            and self.system is not None
            and self.gold.text.split() == self.system.text.split()
        )

    @property
    def relaxed(self) -> bool:
        """Whether both have it."""
        return self.gold is not None and self.system is not None

    def agrees(self, attribute: str) -> bool:
        """Whether both have it, with the same value of an attribute, or both without one."""
        return (
            self.gold is not None
            and self.system is not None
            and self.gold.attributes.get(attribute, "") == self.system.attributes.get(attribute, "")
        )


EntityComparison = dict[Kind, tuple[EntityPair, ...]]


def compare(case: Case[Document, Document], setting: Hashable) -> LinkComparison | EntityComparison:
    """Compare the links of two documents, or their entities."""
    if setting == ENTITIES:
        return {kind: _entities(case.gold, case.predicted, kind) for kind in ("event", "time")}
    gold, system = case.gold.links, case.predicted.links
    return LinkComparison(
        reduce(gold),
        reduce(system),
        cycles(gold),
        cycles(system),
        _labels(case.predicted, case.gold),
    )


def _entities(gold: Document, system: Document, kind: Kind) -> tuple[EntityPair, ...]:
    """Bring entities together by their ids, which those in the same place share by now."""
    own, others = (
        {
            entity.id: entity
            for entity in document.entities
            if entity.kind == kind and not entity.is_creation_time
        }
        for document in (gold, system)
    )
    names = dict.fromkeys((*own, *others))
    return tuple(EntityPair(own.get(name), others.get(name)) for name in names)


def _labels(*documents: Document) -> Labels:
    labels = Labels()
    for document in documents:
        for entity in document.entities:
            words = " ".join(entity.text.split())
            if words:
                shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
                for name in (entity.id, *entity.names):
                    labels[name] = f"{shown} ({name})"
    return labels
