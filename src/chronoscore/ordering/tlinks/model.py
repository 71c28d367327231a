"""The data of the tlinks family: documents with temporal links, and the entities they link."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from chronoscore.elements.timeml import OUTSIDE
from chronoscore.ordering.model import Link

Kind = Literal["event", "time"]
CREATION_TIME = "t0"
VAGUE = "VAGUE"
"""The relation of a pair whose order is not clear."""


@dataclass(frozen=True, slots=True)
class Entity:
    """An event or a time expression: its place in the text, and the names that links use for it.

    Links speak of the *instances* of an event (``ei5``), and one event may have several; so an
    entity has an id and the names that links use. One that is not in the text, such as the
    creation time of the document, has the start and end `OUTSIDE`.
    """

    id: str
    kind: Kind
    text: str = ""
    start: int = OUTSIDE
    end: int = OUTSIDE
    attributes: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @property
    def is_creation_time(self) -> bool:
        """Whether the entity is the time of the document itself, which systems need not find."""
        created = self.attributes.get("functionInDocument") == "CREATION_TIME"
        return self.kind == "time" and (
            self.id == CREATION_TIME or (created and self.start == OUTSIDE)
        )


@dataclass(frozen=True, slots=True)
class LinkDocument:
    """The links of one document in their order, and its entities and text where known.

    ``vague`` are pairs that were annotated and have no clear relation.
    """

    links: tuple[Link, ...] = ()
    entities: tuple[Entity, ...] = ()
    text: str = ""
    vague: tuple[Link, ...] = ()

    def names(self) -> Iterator[str]:
        """Yield every name that a link could use or does use, some of them more than once."""
        for entity in self.entities:
            yield entity.id
            yield from entity.names
        for link in (*self.links, *self.vague):
            yield link.source
            yield link.target


Collection = dict[str, dict[str, LinkDocument]]
"""Documents by their id and, where there are several golds, by name."""
