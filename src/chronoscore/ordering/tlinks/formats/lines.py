"""Relations from JSON lines: records of links, or events with their positions."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from sys import intern

import msgspec

from chronoscore.core.collection import ONLY
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.reading import Reading
from chronoscore.core.records import read_records
from chronoscore.ordering.model import Link
from chronoscore.ordering.tlinks.formats.checking import Tally

Links = dict[tuple[str, str], list[Link]]
"""Links by document and name of the gold."""


class Relation(msgspec.Struct, frozen=True):
    """A link as a line of JSON."""

    source: str
    target: str
    relation: str
    document: str = ""
    gold: str = ""


def read_lines(path: Path, reading: Reading, tally: Tally) -> Links:
    """Read a file of JSON lines, told by its first line: links or events."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line, lenient=True)
    first = next((line for _, line in trial.lines(path) if line.strip()), "")
    if '"relation"' in first:
        return _relations(path, reading, tally)
    return _events(path, reading)


def _relations(path: Path, reading: Reading, tally: Tally) -> Links:
    found: Links = {}
    for line, record in read_records(path, Relation, reading):
        link = Link(*map(intern, (record.source, record.target, record.relation)))
        if not all(part.strip() for part in link):
            reading.problem("source, target or relation is empty", path, line)
            continue
        document = record.document or path.stem
        tally.link(f"{document}/{record.gold}", link, path, line)
        found.setdefault((document, record.gold or ONLY), []).append(link)
    return found


def _events(path: Path, reading: Reading) -> Links:
    """Link the mentions of events by the positions of the events.

    The mentions of one event are IDENTITY, and its first mention is BEFORE or SIMULTANEOUS with
    the first one of the next event.
    """
    placed: dict[tuple[str, str], list[Event]] = {}
    unplaced: list[tuple[int, str]] = []
    for line, event in numbered_events(path, reading):
        if not event.position:
            unplaced.append((line, event.id))
        elif not event.mentions or not all(mention.strip() for mention in event.mentions):
            reading.problem("there is a position but no mention to find the event by", path, line)
        else:
            placed.setdefault((event.topic or path.stem, event.timeline or ONLY), []).append(event)
    reading.tally(
        "events without a position, which are not linked: {count}, first '{first}'", unplaced, path
    )
    return {key: _chain(events) for key, events in placed.items()}


def _chain(events: Sequence[Event]) -> list[Link]:
    ordered = sorted(events, key=lambda event: (event.position or 0, event.mentions))
    links = [
        Link(one, two, "IDENTITY") for event in ordered for one, two in pairwise(event.mentions)
    ]
    for one, two in pairwise(ordered):
        relation = "BEFORE" if (one.position or 0) < (two.position or 0) else "SIMULTANEOUS"
        links.append(Link(one.mentions[0], two.mentions[0], relation))
    return links
