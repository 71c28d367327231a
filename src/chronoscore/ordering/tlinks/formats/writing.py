"""Writing temporal links: as a table, as JSON lines, or as TimeML."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import msgspec

from chronoscore.core.collection import ONLY
from chronoscore.core.errors import UsageError
from chronoscore.core.writing import path_inside, write_file
from chronoscore.elements.timeml import OUTSIDE
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.model import Collection, Document, Entity

FORMS = ("tsv", "jsonl", "timeml")
_TIME = re.compile(r"t[0-9]+")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def write_links(collection: Collection, target: Path, form: str) -> list[Path]:
    """Write links in one of the forms: a file, or for TimeML a folder with a file a document."""
    if form == "timeml":
        if target.exists() and not target.is_dir():
            raise UsageError(f"'{target}' is a file, expected a folder for the TimeML files")
        return [
            _written(
                target / path_inside(f"{_key(collection, key, gold)}.tml"), as_timeml(document)
            )
            for key, gold, document in _each(collection)
        ]
    if form == "jsonl":
        return [_written(target, as_lines(collection))]
    if form == "tsv":
        return [_written(target, as_table(collection))]
    raise UsageError(f"unknown form '{form}'; there are: {', '.join(FORMS)}")


def as_table(collection: Collection) -> str:
    """All links as a table with a title; documents without links are lost."""
    lines = ["document\tsource\ttarget\trelation"]
    for key, gold, document in _each(collection):
        for link in document.links:
            fields = (_key(collection, key, gold), *link)
            if any(mark in field for field in fields for mark in "\t\n\r"):
                raise UsageError(f"{fields} has a tab or a line end: write it as JSON lines")
            lines.append("\t".join(fields))
    return "\n".join(lines) + "\n"


def as_lines(collection: Collection) -> str:
    """All links as JSON lines; documents without links are lost."""
    lines = []
    for key, gold, document in _each(collection):
        named = {"gold": gold} if gold != ONLY else {}
        for source, target, relation in document.links:
            record = {"document": key, "source": source, "target": target, "relation": relation}
            lines.append(msgspec.json.encode({**record, **named}).decode() + "\n")
    return "".join(lines)


def as_timeml(document: Document) -> str:
    """A TimeML file: the text with its tags, event instances and links.

    Where there are links only, every name in them becomes an event, or a time if it looks like
    one (``t3``), and the text is those names.
    """
    if not document.entities:
        document = _made(document.links)
    outside = [entity for entity in document.entities if entity.start == OUTSIDE]
    head = [_tag(entity) + "\n" for entity in outside if entity.kind == "time"]
    lines = ['<?xml version="1.0" ?>\n<TimeML>\n', *head, "<TEXT>", _marked(document), "</TEXT>\n"]
    times: set[str] = set()
    for entity in document.entities:
        if entity.kind == "time":
            times |= {entity.id, *entity.names}
        for name in entity.names if entity.kind == "event" else ():
            rest = {k: v for k, v in entity.attributes.items() if k != "class"}
            given = {"eiid": name, "eventID": entity.id, **rest}
            lines.append(f"<MAKEINSTANCE{_attributes(given)}/>\n")
    for number, (source, target, relation) in enumerate(document.links, 1):
        given = {
            "lid": f"l{number}",
            "relType": relation,
            "timeID" if source in times else "eventInstanceID": source,
            "relatedToTime" if target in times else "relatedToEventInstance": target,
        }
        lines.append(f"<TLINK{_attributes(given)}/>\n")
    return "".join([*lines, "</TimeML>\n"])


def _made(links: Iterable[Link]) -> Document:
    """A document of nothing but the names in its links."""
    entities, text = [], "\n"
    for name in dict.fromkeys(name for link in links for name in link[:2]):
        start, end = len(text), len(text) + len(name)
        text += f"{name}\n"
        if _TIME.fullmatch(name):
            entities.append(Entity(name, "time", name, start, end, {}, (name,)))
        else:
            entities.append(Entity(f"event-{name}", "event", name, start, end, {}, (name,)))
    return Document(tuple(links), tuple(entities), text)


def _marked(document: Document) -> str:
    """The text with a tag around every entity; of two that cross, the later one is refused."""
    inside = [entity for entity in document.entities if entity.start != OUTSIDE]
    inside.sort(key=lambda entity: (entity.start, -entity.end))
    pieces: list[str] = []
    open_: list[Entity] = []
    place = 0

    def close(limit: int) -> None:
        nonlocal place
        while open_ and open_[-1].end <= limit:
            ended = open_.pop()
            pieces.extend((escape(_clean(document.text[place : ended.end])), _end(ended)))
            place = ended.end

    for entity in inside:
        close(entity.start)
        if open_ and entity.end > open_[-1].end:
            raise UsageError(f"'{entity.id}' and '{open_[-1].id}' cross: TimeML can't have both")
        pieces.extend((escape(_clean(document.text[place : entity.start])), _begin(entity)))
        place = entity.start
        open_.append(entity)
    close(len(document.text))
    return "".join(pieces) + escape(_clean(document.text[place:]))


def _begin(entity: Entity) -> str:
    if entity.kind == "time":
        return f"<TIMEX3{_attributes({'tid': entity.id, **entity.attributes})}>"
    own = {k: v for k, v in entity.attributes.items() if k == "class"}
    return f"<EVENT{_attributes({'eid': entity.id, **own})}>"


def _end(entity: Entity) -> str:
    return "</TIMEX3>" if entity.kind == "time" else "</EVENT>"


def _tag(entity: Entity) -> str:
    return f"{_begin(entity)}{escape(_clean(entity.text))}{_end(entity)}"


def _attributes(given: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(_clean(value))}" for name, value in given.items())


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)


def _key(collection: Collection, key: str, gold: str) -> str:
    """The name of a document, with that of its gold if there are several to tell apart."""
    return key if len(collection[key]) == 1 else f"{key}.{gold}"


def _each(collection: Collection) -> Iterator[tuple[str, str, Document]]:
    for key, named in collection.items():
        for gold, document in named.items():
            yield key, gold, document


def _written(path: Path, text: str) -> Path:
    return write_file(path, text)
