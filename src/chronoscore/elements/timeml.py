"""Reading TimeML: events, time expressions and temporal links marked up in a text.

The reader drives expat itself and asks for little: text, start tags, end tags. What makes XML
dangerous is refused where it is declared, so that no package has to guard against it: a document
may not declare entities, nothing outside the file is ever fetched, and depth and size have limits.

Real files are untidy, and what the TempEval-3 toolkit reads is read here too, wherever the XML is
well formed: tags in any place and nested in each other, links anywhere in the file, the creation
time outside of the text, documents without a ``TEXT`` element.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from chronoscore.core.errors import UsageError
from chronoscore.core.reading import Reading

MOST_BYTES = 64 * 1024 * 1024
MOST_DEPTH = 100
SUFFIXES = (".tml", ".xml", ".timeml")
_CUT = {
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
}
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
OUTSIDE = -1
"""The start and end of what is not in the text, such as the creation time of the document."""


@dataclass(frozen=True, slots=True)
class TimemlEvent:
    """An ``EVENT`` tag: where it is in the text, the end not included, and its attributes."""

    eid: str
    start: int
    end: int
    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TimemlInstance:
    """A ``MAKEINSTANCE`` tag: one realisation of an event, with its tense, aspect and so on."""

    eiid: str
    eid: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TimemlTimex:
    """A ``TIMEX3`` tag: a time expression, such as a date or a duration."""

    tid: str
    start: int
    end: int
    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TimemlLink:
    """A ``TLINK`` tag: how one event instance or time stands to another; as it is written."""

    lid: str
    source: str
    target: str
    relation: str
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TimemlDocument:
    """One TimeML file.

    The text is that of its ``TEXT`` element, or all of it where there is none; offsets are
    characters in that text.
    """

    id: str
    text: str = ""
    events: tuple[TimemlEvent, ...] = ()
    instances: tuple[TimemlInstance, ...] = ()
    timexes: tuple[TimemlTimex, ...] = ()
    links: tuple[TimemlLink, ...] = ()


def read_timeml(path: Path, reading: Reading) -> TimemlDocument | None:
    """Read a TimeML file; None if it can't be read, and then its problems were noted.

    An id that is there twice, a link that lacks an end, and a link to an id that the document
    does not have are refused; in a lenient reading the first of two is taken, the link without an
    end is left out, and the link to nowhere is kept, since links are compared by their ids.
    Relations are taken as they are written: what they mean is for those who score them.
    """
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # the reading tells what is wrong with it
    if size > MOST_BYTES:
        reading.problem(f"{size} bytes, more than the {MOST_BYTES} that a document may have", path)
        return None
    text = _as_declared(path, reading).text(path)
    if text is None:
        return None
    if not text.strip():
        return TimemlDocument(path.stem)  # an empty file was told already
    return parse_timeml(text, path, reading)


def _as_declared(path: Path, reading: Reading) -> Reading:
    """The same reading, in the encoding that the XML declares if the file is not UTF-8.

    What is valid UTF-8 is hardly ever anything else, whatever the declaration says, and an
    encoding that the user named is taken at their word.
    """
    try:
        data = path.read_bytes() if reading.encoding == "utf-8" else b""
    except OSError:
        return reading  # it tells what is wrong with the file
    declared = _DECLARED.match(data)
    if declared is None or _is_utf8(data):
        return reading
    try:
        other = Reading(
            encoding=declared[1].decode(), max_line=reading.max_line, lenient=reading.lenient
        )
    except UsageError:  # nobody knows such an encoding
        return reading
    other.problems, other.notices = reading.problems, reading.notices
    return other


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def parse_timeml(text: str, path: Path, reading: Reading) -> TimemlDocument | None:
    """Read a TimeML document from its text; the path is for messages and names it."""
    walk = _Walk(path, reading)
    try:
        walk.parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        what = f"not well-formed XML: {expat.ErrorString(error.code)}"
        if error.code in _CUT:
            what = "the XML ends too early; is the file cut?"
        reading.problem(what, path, error.lineno)
        return None
    except _RefusedError as error:
        reading.problem(str(error), path, walk.parser.CurrentLineNumber)
        return None
    return walk.document()


class _RefusedError(Exception):
    """The document does what no TimeML document has to."""


@dataclass(slots=True)
class _Open:
    """An element that has begun and not ended."""

    name: str
    attributes: dict[str, str]
    start: int
    line: int


@dataclass(slots=True)
class _Walk:
    """One pass over a document: what was found so far, with offsets in all its text."""

    path: Path
    reading: Reading
    parser: expat.XMLParserType = field(init=False)
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    open: list[_Open] = field(default_factory=list)
    texts: list[tuple[int, int]] = field(default_factory=list)
    marked: list[tuple[_Open, int]] = field(default_factory=list)
    instances: list[_Open] = field(default_factory=list)
    links: list[_Open] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Told the encoding, expat does not look at what the XML declaration says about it: the
        # file is decoded already.
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._finish
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.SkippedEntityHandler = self._skipped
        self.parser.ExternalEntityRefHandler = self._external

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) >= MOST_DEPTH:
            raise _RefusedError(f"elements are nested more than {MOST_DEPTH} deep")
        name = tag.rpartition(":")[2]
        element = _Open(name, attributes, self.length, self.parser.CurrentLineNumber)
        self.open.append(element)
        if name == "MAKEINSTANCE":
            self.instances.append(element)
        elif name == "TLINK":
            self.links.append(element)

    def _finish(self, _: str) -> None:
        element = self.open.pop()
        if element.name in ("EVENT", "TIMEX3"):
            self.marked.append((element, self.length))
        elif element.name == "TEXT" and not any(outer.name == "TEXT" for outer in self.open):
            self.texts.append((element.start, self.length))

    def _characters(self, data: str) -> None:
        self.pieces.append(data)
        self.length += len(data)

    def _doctype(self, _: str, system: str | None, public: str | None, internal: int) -> None:
        if internal:
            raise _RefusedError("the document has declarations of its own (DOCTYPE with [...])")
        if system or public:
            self.reading.doubt(
                "the DOCTYPE names a file outside, which is never read",
                self.path,
                self.parser.CurrentLineNumber,
            )

    def _entity(self, name: str, *_: object) -> None:
        raise _RefusedError(f"the document declares the entity '{name[:40]}'")

    def _skipped(self, name: str, *_: object) -> None:
        raise _RefusedError(f"the entity '&{name[:40]};' is not known without reading other files")

    def _external(self, *_: object) -> int:
        raise _RefusedError("the document refers to a file outside")

    def document(self) -> TimemlDocument:
        """Make the document of what was found."""
        whole = "".join(self.pieces)
        texts = self.texts or [(0, len(whole))]
        events: dict[str, TimemlEvent] = {}
        timexes: dict[str, TimemlTimex] = {}
        for element, end in sorted(self.marked, key=lambda found: (found[0].start, -found[1])):
            place, own = _place(element.start, end, texts), whole[element.start : end]
            given, line = element.attributes, element.line
            if element.name == "EVENT":
                key = self._id(element, "eid", "event", events)
                if key is not None:
                    events[key] = TimemlEvent(key, *place, own, _without(given, "eid"), line)
            else:
                key = self._id(element, "tid", "time", timexes)
                if key is not None:
                    timexes[key] = TimemlTimex(key, *place, own, _without(given, "tid"), line)
        instances = self._instances(events)
        known = {*events, *instances, *timexes}
        links = (self._link(element, known) for element in self.links)
        return TimemlDocument(
            self.path.stem,
            "".join(whole[start:end] for start, end in texts),
            tuple(events.values()),
            tuple(instances.values()),
            tuple(timexes.values()),
            tuple(link for link in links if link is not None),
        )

    def _instances(self, events: Mapping[str, TimemlEvent]) -> dict[str, TimemlInstance]:
        instances: dict[str, TimemlInstance] = {}
        for element in self.instances:
            key = self._id(element, "eiid", "event instance", instances)
            if key is None:
                continue
            eid = element.attributes.get("eventID", "")
            rest = _without(element.attributes, "eiid", "eventID")
            instances[key] = TimemlInstance(key, eid, rest, element.line)
            if eid not in events:
                told = f"event instance '{key}' is of '{eid}', an event that is not in the text"
                self.reading.notice(told, self.path, element.line)
        return instances

    def _id(self, element: _Open, name: str, what: str, taken: Mapping[str, object]) -> str | None:
        key = element.attributes.get(name, "")
        if not key.strip():
            told = f"the {element.name} has no {name} and is left out"
        elif key in taken:
            told = f"{what} '{key}' is there twice; the first is taken"
        else:
            return key
        self.reading.doubt(told, self.path, element.line)
        return None

    def _link(self, element: _Open, known: set[str]) -> TimemlLink | None:
        given, line = element.attributes, element.line
        source = given.get("timeID", given.get("eventInstanceID"))
        target = given.get("relatedToTime", given.get("relatedToEventInstance"))
        relation = given.get("relType")
        lid = given.get("lid", "")
        absent = [
            words
            for words, value in (
                ("timeID or eventInstanceID", source),
                ("relatedToTime or relatedToEventInstance", target),
                ("relType", relation),
            )
            if value is None
        ]
        if source is None or target is None or relation is None:
            told = f"link '{lid}' has no {', and no '.join(absent)}; it is left out"
            self.reading.doubt(told, self.path, line)
            return None
        for pair in (("timeID", "eventInstanceID"), ("relatedToTime", "relatedToEventInstance")):
            if given.keys() >= set(pair):
                told = f"link '{lid}' has a {' and a '.join(pair)}; the time is taken"
                self.reading.notice(told, self.path, line)
        for end in dict.fromkeys((source, target)):
            if end not in known:
                told = f"link '{lid}' is to '{end}', which the document does not have"
                self.reading.doubt(told, self.path, line)
        return TimemlLink(lid, source, target, relation, line)


def _place(start: int, end: int, texts: list[tuple[int, int]]) -> tuple[int, int]:
    """Offsets in the text, from offsets in all of the document."""
    before = 0
    for first, last in texts:
        if first <= start and end <= last:
            return before + start - first, before + end - first
        before += last - first
    return OUTSIDE, OUTSIDE


def _without(attributes: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if name not in names}
