"""Reading TimeML: events, time expressions and temporal links marked up in a text.

Real files are untidy, and what the TempEval-3 toolkit reads is read here too, wherever the XML is
well formed: tags in any place and nested in each other, links anywhere in the file, the creation
time outside of the text, documents without a ``TEXT`` element.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from chronoscore.core.problems import Problems
from chronoscore.core.sources import Source
from chronoscore.elements.xml import XmlElement, parse_xml, read_xml

SUFFIXES = (".tml", ".xml", ".timeml")
TIMEML_TAGS = ("TimeML", "TEXT", "EVENT", "TIMEX3", "MAKEINSTANCE", "TLINK")
OUTSIDE = -1
"""The start and end of what is not in the text, such as the creation time of the document."""
_LINK_ENDS = (("timeID", "eventInstanceID"), ("relatedToTime", "relatedToEventInstance"))
"""The attributes that name the source and the target of a link: a time, or an event instance."""


@dataclass(frozen=True, slots=True)
class TimemlMark:
    """An ``EVENT`` or ``TIMEX3`` tag: where it is in the text, the end not included."""

    id: str
    start: int
    end: int
    text: str
    attributes: Mapping[str, str]
    line: int


class TimemlInstance(NamedTuple):
    """A ``MAKEINSTANCE`` tag: one realisation of an event, with its tense, aspect and so on."""

    eiid: str
    eid: str
    attributes: Mapping[str, str]


class TimemlLink(NamedTuple):
    """A ``TLINK`` tag: how one event instance or time stands to another; as it is written."""

    source: str
    target: str
    relation: str
    line: int


@dataclass(frozen=True, slots=True)
class TimemlDocument:
    """One TimeML file.

    The text is that of its ``TEXT`` element, or all of it where there is none; offsets are
    characters in that text.
    """

    text: str = ""
    events: tuple[TimemlMark, ...] = ()
    instances: tuple[TimemlInstance, ...] = ()
    timexes: tuple[TimemlMark, ...] = ()
    links: tuple[TimemlLink, ...] = ()


def read_timeml(source: Source, problems: Problems) -> TimemlDocument | None:
    """Read a TimeML file; report its problems and return None if it can't be read.

    A duplicate id, a link that lacks an end, and a link to an id that the document does not have
    are refused; lenient reading keeps the first of two, leaves out the link without an end, and
    keeps the link to an unknown id, since links are compared by their ids. Relations are kept as
    they are written; the scorer interprets them.
    """
    text = read_xml(source, problems)
    if text is None:
        return None
    if not text.strip():
        return TimemlDocument()  # an empty file was reported already
    return parse_timeml(text, source, problems)


def parse_timeml(xml: str, source: Source, problems: Problems) -> TimemlDocument | None:
    """Read a TimeML document from its text; the source is for messages."""
    parsed = parse_xml(xml, source, problems)
    return None if parsed is None else timeml_of(*parsed, source, problems)


def timeml_of(whole: XmlElement, text: str, source: Source, problems: Problems) -> TimemlDocument:
    """Return the document that parsed XML holds."""
    return _TimemlReader(source, problems, whole, text).document()


@dataclass(frozen=True)
class _TimemlReader:
    """Turns the elements and the text of a document into events, times and links."""

    source: Source
    problems: Problems
    whole: XmlElement
    text: str

    def document(self) -> TimemlDocument:
        """Return the document with its events, times and links."""
        texts = list(_texts(self.whole)) or [(0, len(self.text))]
        events: dict[str, TimemlMark] = {}
        timexes: dict[str, TimemlMark] = {}
        kinds = {"EVENT": ("eid", "event", events), "TIMEX3": ("tid", "time", timexes)}
        marks = (tag for tag in self.whole.inside_by_end() if tag.name in kinds)
        for element in sorted(marks, key=lambda tag: (tag.start, -tag.end)):
            name, what, known = kinds[element.name]
            if key := self._id(element, name, what, known):
                place = _place(element.start, element.end, texts)
                text = self.text[element.start : element.end]
                rest = _without(element.attributes, name)
                known[key] = TimemlMark(key, *place, text, rest, element.line)
        instances = self._instances(events)
        ids = {*events, *instances, *timexes}
        links = (self._link(element, ids) for element in self._named("TLINK"))
        return TimemlDocument(
            "".join(self.text[start:end] for start, end in texts),
            tuple(events.values()),
            tuple(instances.values()),
            tuple(timexes.values()),
            tuple(link for link in links if link is not None),
        )

    def _named(self, name: str) -> list[XmlElement]:
        return [element for element in self.whole.inside() if element.name == name]

    def _instances(self, events: Mapping[str, TimemlMark]) -> dict[str, TimemlInstance]:
        instances: dict[str, TimemlInstance] = {}
        for element in self._named("MAKEINSTANCE"):
            key = self._id(element, "eiid", "event instance", instances)
            if key is None:
                continue
            eid = element.attributes.get("eventID", "")
            rest = _without(element.attributes, "eiid", "eventID")
            instances[key] = TimemlInstance(key, eid, rest)
            if eid not in events:
                message = f"event instance '{key}' is of '{eid}', an event that is not in the text"
                self.problems.notice(message, self.source, element.line)
        return instances

    def _id(
        self, element: XmlElement, name: str, what: str, known: Mapping[str, object]
    ) -> str | None:
        key = element.attributes.get(name, "")
        if not key.strip():
            message = f"the {element.name} has no {name} and is left out"
        elif key in known:
            message = f"{what} '{key}' is there twice; the first is taken"
        else:
            return key
        self.problems.accept_or_report(message, self.source, element.line)
        return None

    def _link(self, element: XmlElement, known: set[str]) -> TimemlLink | None:
        attributes, line = element.attributes, element.line
        named = f"link '{attributes.get('lid', '')}'"
        needed = (*_LINK_ENDS, ("relType",))
        absent = [" or ".join(names) for names in needed if attributes.keys().isdisjoint(names)]
        if absent:
            message = f"{named} has no {', and no '.join(absent)}; it is left out"
            self.problems.accept_or_report(message, self.source, line)
            return None
        for names in _LINK_ENDS:
            if attributes.keys() >= set(names):
                message = f"{named} has a {' and a '.join(names)}; the time is taken"
                self.problems.notice(message, self.source, line)
        source, target = (
            attributes[time if time in attributes else instance] for time, instance in _LINK_ENDS
        )
        for end in dict.fromkeys((source, target)):
            if end not in known:
                message = f"{named} is to '{end}', which the document does not have"
                self.problems.accept_or_report(message, self.source, line)
        return TimemlLink(source, target, attributes["relType"], line)


def _texts(element: XmlElement) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the outermost `TEXT` elements."""
    for child in element.children:
        if child.name == "TEXT":
            yield child.start, child.end
        else:
            yield from _texts(child)


def _place(start: int, end: int, texts: list[tuple[int, int]]) -> tuple[int, int]:
    """Turn offsets in the document into offsets in its text."""
    offset = 0
    for first, last in texts:
        if first <= start and end <= last:
            return offset + start - first, offset + end - first
        offset += last - first
    return OUTSIDE, OUTSIDE


def _without(attributes: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if name not in names}
