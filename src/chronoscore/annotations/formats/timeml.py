"""TimeML: events and time expressions as annotations of the text."""

from collections.abc import Iterable
from pathlib import Path

from chronoscore.annotations.formats.book import Book, Found
from chronoscore.core.collection import ONLY
from chronoscore.core.reading import Reading
from chronoscore.elements.timeml import OUTSIDE, read_timeml

EVENT, TIME = "EVENT", "TIMEX3"


def read_time_markup(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read `EVENT` and `TIMEX3`; their attributes, and those of an event's instance, are features.

    What is outside of the text, such as the creation time of the document, is no annotation.
    Links are not read here: they are scored as an order of events.
    """
    source = read_timeml(path, reading)
    if source is None:
        return []
    instances = {one.eid: one.attributes for one in reversed(source.instances)}
    book = Book(name or path.stem, path, reading, source.text)
    for event in source.events:
        if event.start != OUTSIDE:
            features = {**instances.get(event.eid, {}), **event.attributes}
            book.enter(event.eid, EVENT, event.start, event.end, features=features, line=event.line)
    for time in source.timexes:
        if time.start != OUTSIDE:
            book.enter(
                time.tid, TIME, time.start, time.end, features=time.attributes, line=time.line
            )
    return [(ONLY, book.document())]
