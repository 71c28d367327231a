"""Documents from TimeML files."""

from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.elements.timeml import TimemlDocument, read_timeml
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.formats.checking import Tally
from chronoscore.ordering.tlinks.model import Document, Entity


def read_timeml_file(path: Path, reading: Reading, tally: Tally) -> Document | None:
    """Read the links and entities of a TimeML file; None if it can't be read."""
    found = read_timeml(path, reading)
    if found is None:
        return None
    for link in found.links:
        tally.link(str(path), Link(link.source, link.target, link.relation), path, link.line)
    return from_timeml(found)


def from_timeml(found: TimemlDocument) -> Document:
    """Take what scores need.

    The attributes of an event are those of its last instance, with its own on top, as the toolkit
    of TempEval-3 has them. An event that has instances and no place in the text is an event too.
    """
    names: dict[str, list[str]] = {}
    given: dict[str, dict[str, str]] = {}
    for instance in found.instances:
        names.setdefault(instance.eid, []).append(instance.eiid)
        given[instance.eid] = dict(instance.attributes)
    entities = [
        Entity(
            event.eid,
            "event",
            event.text,
            event.start,
            event.end,
            {**given.get(event.eid, {}), **event.attributes},
            tuple(names.pop(event.eid, ())),
        )
        for event in found.events
    ]
    entities += [
        Entity(eid, "event", attributes=given[eid], names=tuple(eiids))
        for eid, eiids in names.items()
    ]
    entities += [
        Entity(time.tid, "time", time.text, time.start, time.end, time.attributes, (time.tid,))
        for time in found.timexes
    ]
    return Document(
        tuple(Link(link.source, link.target, link.relation) for link in found.links),
        tuple(entities),
        found.text,
    )
