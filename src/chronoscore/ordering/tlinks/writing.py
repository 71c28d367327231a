"""Write temporal links as TimeML, JSON lines or a table of relations."""

import re
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import msgspec

from chronoscore.core.case import ONLY
from chronoscore.core.writing import path_inside, write_file
from chronoscore.elements.timeml import OUTSIDE
from chronoscore.elements.xml import xml_safe
from chronoscore.errors import UsageError
from chronoscore.ordering.formats import named_items
from chronoscore.ordering.tlinks.model import Collection, Entity, Kind, LinkDocument

_TIME = re.compile(r"t[0-9]+")


def write_links(collection: Collection, target: Path, form: str) -> list[Path]:
    """Write links into a file or, as TimeML, into a folder with a file for each document.

    Pairs that are VAGUE are written where they are links: where they were read with ``vague`` as
    ``keep``.
    """
    if form == "timeml":
        if target.exists() and not target.is_dir():
            raise UsageError(f"'{target}' is a file, expected a folder for the TimeML files")
        return [
            write_file(target / path_inside(f"{name}.tml"), as_timeml(document))
            for name, _, document in named_items(collection)
        ]
    writers = {"tsv": as_table, "jsonl": as_lines}
    if form not in writers:
        raise UsageError(f"unknown form '{form}'; there are: {', '.join((*writers, 'timeml'))}")
    return [write_file(target, writers[form](collection))]


def as_table(collection: Collection) -> str:
    """Write all links as a table with a title; documents without links are lost."""
    rows = [("document", "source", "target", "relation")]
    for name, _, document in named_items(collection):
        rows += [(name, *link) for link in document.links]
    for fields in rows:
        if any(mark in field for field in fields for mark in "\t\n\r"):
            raise UsageError(f"{fields} has a tab or a line end: write it as JSON lines")
    return "".join("\t".join(fields) + "\n" for fields in rows)


def as_lines(collection: Collection) -> str:
    """Write all links as JSON lines; documents without links are lost."""
    records = [
        {"document": key, **link._asdict(), **({"gold": gold} if gold != ONLY else {})}
        for _, (key, gold), document in named_items(collection)
        for link in document.links
    ]
    return "".join(msgspec.json.encode(record).decode() + "\n" for record in records)


def as_timeml(document: LinkDocument) -> str:
    """Write a TimeML file: the text with its tags, event instances and links.

    For a document of links only, every name in them becomes an event, or a time if it looks like
    one (``t3``), and the text consists of those names.
    """
    if not document.entities:
        document = _document_of(document)
    head = [
        f"{_begin(entity)}{_plain(entity.text)}{_end(entity)}\n"
        for entity in document.entities
        if entity.kind == "time" and entity.start == OUTSIDE
    ]
    lines = ['<?xml version="1.0" ?>\n<TimeML>\n', *head, "<TEXT>", _marked(document), "</TEXT>\n"]
    times: set[str] = set()
    for entity in document.entities:
        if entity.kind == "time":
            times |= {entity.id, *entity.names}
        for name in entity.names if entity.kind == "event" else ():
            rest = {k: v for k, v in entity.attributes.items() if k != "class"}
            attributes = {"eiid": name, "eventID": entity.id, **rest}
            lines.append(f"<MAKEINSTANCE{_attributes(attributes)}/>\n")
    for number, (source, target, relation) in enumerate(document.links, 1):
        attributes = {
            "lid": f"l{number}",
            "relType": relation,
            "timeID" if source in times else "eventInstanceID": source,
            "relatedToTime" if target in times else "relatedToEventInstance": target,
        }
        lines.append(f"<TLINK{_attributes(attributes)}/>\n")
    return "".join([*lines, "</TimeML>\n"])


def _document_of(document: LinkDocument) -> LinkDocument:
    """Make a document whose text consists of the names in its links."""
    entities, text = [], "\n"
    for name in dict.fromkeys(document.names()):
        start, end = len(text), len(text) + len(name)
        text += f"{name}\n"
        kind: Kind = "time" if _TIME.fullmatch(name) else "event"
        key = name if kind == "time" else f"event-{name}"
        entities.append(Entity(key, kind, name, start, end, {}, (name,)))
    return replace(document, entities=tuple(entities), text=text)


def _marked(document: LinkDocument) -> str:
    """Return the text with a tag around every entity; entities that cross are refused."""
    inside = [entity for entity in document.entities if entity.start != OUTSIDE]
    inside.sort(key=lambda entity: (entity.start, -entity.end))
    pieces: list[str] = []
    open_: list[Entity] = []
    place = 0
    for entity in (*inside, None):
        limit = entity.start if entity else len(document.text)
        while open_ and open_[-1].end <= limit:
            closed = open_.pop()
            pieces += [_plain(document.text[place : closed.end]), _end(closed)]
            place = closed.end
        pieces.append(_plain(document.text[place:limit]))
        place = limit
        if entity and open_ and entity.end > open_[-1].end:
            raise UsageError(f"'{entity.id}' and '{open_[-1].id}' cross: TimeML can't have both")
        if entity:
            pieces.append(_begin(entity))
            open_.append(entity)
    return "".join(pieces)


def _plain(text: str) -> str:
    return escape(xml_safe(text))


def _begin(entity: Entity) -> str:
    if entity.kind == "time":
        return f"<TIMEX3{_attributes({'tid': entity.id, **entity.attributes})}>"
    kind = {name: value for name, value in entity.attributes.items() if name == "class"}
    return f"<EVENT{_attributes({'eid': entity.id, **kind})}>"


def _end(entity: Entity) -> str:
    return "</TIMEX3>" if entity.kind == "time" else "</EVENT>"


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(xml_safe(value))}" for name, value in values.items())
