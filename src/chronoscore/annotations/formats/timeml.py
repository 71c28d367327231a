"""TimeML: events and time expressions as annotations of the text."""

from collections.abc import Iterable

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.timeml import OUTSIDE, read_timeml


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
    marks = [
        (event, "EVENT", {**instances.get(event.id, {}), **event.attributes})
        for event in document.events
    ]
    marks += [(timex, "TIMEX3", {**timex.attributes}) for timex in document.timexes]
    for mark, kind, features in marks:
        if mark.start != OUTSIDE:
            builder.enter(mark.id, kind, mark.start, mark.end, features, line=mark.line)
    return [(ONLY, builder.document())]
