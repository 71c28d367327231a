"""TimeML: events and time expressions as annotations of the text."""

from collections.abc import Iterable, Mapping

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.timeml import OUTSIDE, TimemlEvent, TimemlTimex, read_timeml


def read_time_markup(source: Source, name: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read `EVENT` and `TIMEX3`; their attributes, and those of an event's instance, are features.

    Marks outside of the text, such as the creation time of the document, are no annotations.
    Links are not read here: the `tlinks` family scores them.
    """
    document = read_timeml(source, problems)
    if document is None:
        return []
    instances = {instance.eid: instance.attributes for instance in reversed(document.instances)}
    builder = DocumentBuilder(name or source.stem, source, problems, document.text)
    marks: list[tuple[str, str, TimemlEvent | TimemlTimex, Mapping[str, str]]] = [
        (event.eid, "EVENT", event, {**instances.get(event.eid, {}), **event.attributes})
        for event in document.events
    ]
    marks += [(timex.tid, "TIMEX3", timex, timex.attributes) for timex in document.timexes]
    for key, kind, mark, features in marks:
        if mark.start != OUTSIDE:
            builder.enter(key, kind, mark.start, mark.end, features, line=mark.line)
    return [(ONLY, builder.document())]
