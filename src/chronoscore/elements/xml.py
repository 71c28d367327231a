"""Reading XML as a tree of elements over one text, refusing everything that makes XML dangerous.

The reader drives expat itself and asks for little: text, start tags, end tags. A document may not
declare entities, nothing outside the file is ever fetched, and depth and size have limits.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import Source
from chronoscore.errors import UsageError

MOST_BYTES = 64 * 1024 * 1024
MOST_DEPTH = 100
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

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(slots=True)
class XmlElement:
    """An element: its name without a prefix, and where it is in the text of the document."""

    name: str
    attributes: dict[str, str]
    line: int
    start: int
    end: int = 0
    last_line: int = 0
    children: "list[XmlElement]" = field(default_factory=list)

    def inside(self) -> "Iterator[XmlElement]":
        """The elements inside, at any depth, in the order of their start tags."""
        for child in self.children:
            yield child
            yield from child.inside()

    def inside_by_end(self) -> "Iterator[XmlElement]":
        """The same in the order of their end tags: inner elements come before outer ones."""
        for child in self.children:
            yield from child.inside_by_end()
            yield child


class _RefusedXmlError(Exception):
    """The document uses a feature of XML that is refused."""


def read_xml(source: Source, problems: Problems) -> str | None:
    """Read the text of an XML file, which may declare its encoding; None if that fails."""
    size = source.size
    if size > MOST_BYTES:
        problems.problem(
            f"{size} bytes, more than the {MOST_BYTES} that a document may have", source
        )
        return None
    return source.text(problems, _declared(source, problems))


def _declared(source: Source, problems: Problems) -> str:
    """Return the encoding that the XML declares, if the file is not UTF-8; else empty.

    Valid UTF-8 is hardly ever anything else, whatever the declaration says, and an encoding that
    the user named wins over it.
    """
    data = b""
    with suppress(OSError):  # the source reports the problem
        data = source.data() if problems.options.encoding == "utf-8" else b""
    declared = _DECLARED.match(data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        with suppress(UsageError):  # an encoding that does not exist
            return ReadingOptions(encoding=declared[1].decode()).encoding if declared else ""
    return ""


def parse_xml(xml: str, source: Source, problems: Problems) -> tuple[XmlElement, str] | None:
    """Parse XML: return an element around the outermost one, and all text; None if refused."""
    whole = XmlElement("", {}, 0, 0)
    opened, pieces, length = [whole], list[str](), 0
    # With the encoding given, expat ignores what the XML declares: the text is decoded already.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True

    def begin(name: str, attributes: dict[str, str]) -> None:
        if len(opened) > MOST_DEPTH:
            raise _RefusedXmlError(f"elements are nested more than {MOST_DEPTH} deep")
        bare, line = name.rpartition(":")[2], parser.CurrentLineNumber
        opened[-1].children.append(XmlElement(bare, attributes, line, length))
        opened.append(opened[-1].children[-1])

    def end(_: str) -> None:
        element = opened.pop()
        element.end, element.last_line = length, parser.CurrentLineNumber

    def characters(data: str) -> None:
        nonlocal length
        pieces.append(data)
        length += len(data)

    def doctype(_: str, system: str | None, public: str | None, internal: int) -> None:
        if internal:
            raise _RefusedXmlError("the document has declarations of its own (DOCTYPE with [...])")
        if system or public:
            problems.accept_or_report(
                "the DOCTYPE names a file outside, which is never read",
                source,
                parser.CurrentLineNumber,
            )

    def refuse(message: str) -> Callable[..., Any]:
        def handle(name: str, *_: object) -> None:
            raise _RefusedXmlError(message.format(name=str(name)[:40]))

        return handle

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, doctype
    parser.EntityDeclHandler = refuse("the document declares the entity '{name}'")
    parser.SkippedEntityHandler = refuse(
        "the entity '&{name};' is not known without reading other files"
    )
    parser.ExternalEntityRefHandler = refuse("the document refers to a file outside")
    try:
        parser.Parse(xml.encode("utf-8"), True)
    except expat.ExpatError as error:
        reason = f"not well-formed XML: {expat.ErrorString(error.code)}"
        if error.code in _CUT:
            reason = "the XML ends too early; is the file cut?"
        problems.problem(reason, source, error.lineno)
        return None
    except _RefusedXmlError as error:
        problems.problem(str(error), source, parser.CurrentLineNumber)
        return None
    return whole, "".join(pieces)


def xml_safe(text: str) -> str:
    """Replace the characters that no XML document may have."""
    return _NOT_IN_XML.sub("\ufffd", text)
