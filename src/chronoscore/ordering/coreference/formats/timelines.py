"""Clusters from timelines: the mentions of one row, or of one event, corefer."""

from collections.abc import Iterator
from pathlib import Path

from chronoscore.core.collection import ONLY
from chronoscore.core.event import numbered_events
from chronoscore.core.reading import Reading
from chronoscore.ordering.coreference.formats.gathering import Gathering
from chronoscore.ordering.coreference.model import Clustering
from chronoscore.ordering.formats import read_tab_file


def read_rows(path: Path, reading: Reading) -> Clustering:
    """Take each row of a SemEval-2015 timeline as a cluster, whatever its position."""
    gathering = Gathering(reading, path)
    for number, row in enumerate(read_tab_file(path, reading).rows, 1):
        for mention in row.mentions:
            if not mention.strip():
                reading.problem(f"row {number} has a mention without a name", path)
            gathering.add(mention, number, None, f"row {number}: ")
    return gathering.done()


def read_mentions(path: Path, reading: Reading) -> Iterator[tuple[str, str, Clustering]]:
    """Take the mentions of each event as a cluster: topics, golds of a topic, and clusters."""
    gatherings: dict[tuple[str, str], Gathering] = {}
    without: list[tuple[int, str]] = []
    for line, event in numbered_events(path, reading):
        if not event.mentions:
            without.append((line, event.id))
            continue
        key = (event.topic or path.stem, event.timeline or ONLY)
        gathering = gatherings.setdefault(key, Gathering(reading, path))
        for mention in event.mentions:
            if not mention.strip():
                reading.problem("a mention has no name", path, line)
            gathering.add(mention, event.id, line)
    reading.tally(
        "{count} events have no mentions and are not scored, first '{first}'", without, path
    )
    for (topic, timeline), gathering in gatherings.items():
        yield topic, timeline, gathering.done()
