"""XML as a sequence of tags and texts, with everything refused that makes XML dangerous.

Nothing outside the file is fetched, no entities may be declared, and depth and size have limits.
"""

from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from chronoscore.core.reading import Reading

MOST_BYTES = 64 * 1024 * 1024
MOST_DEPTH = 100


class Begin(NamedTuple):
    """A start tag."""

    name: str
    attributes: dict[str, str]
    line: int


class End(NamedTuple):
    """An end tag."""

    name: str
    line: int


Piece = Begin | End | str
"""A tag, or the text between two of them."""


class _RefusedError(Exception):
    """The document does what no document of annotations has to."""


def read_markup(path: Path, reading: Reading) -> list[Piece] | None:
    """Read all tags and texts of a file; None if it can't be read, and then that was noted."""
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # the reading tells what is wrong with it
    if size > MOST_BYTES:
        reading.problem(f"{size} bytes, more than the {MOST_BYTES} that a document may have", path)
        return None
    text = reading.text(path)
    if text is None or not text.strip():
        return None  # and this was noted
    return _pieces(text, path, reading)


def _pieces(text: str, path: Path, reading: Reading) -> list[Piece] | None:
    found: list[Piece] = []
    depth = 0
    # Told the encoding, expat does not look at what the file says about it: it is decoded already.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise _RefusedError(f"elements are nested more than {MOST_DEPTH} deep")
        found.append(Begin(name.rpartition(":")[2], attributes, parser.CurrentLineNumber))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        found.append(End(name.rpartition(":")[2], parser.CurrentLineNumber))

    def doctype(_: str, system: str | None, public: str | None, internal: int) -> None:
        if internal:
            raise _RefusedError("the document has declarations of its own (DOCTYPE with [...])")
        if system or public:
            raise _RefusedError("the DOCTYPE names a file outside, which is never read")

    def refuse(*_: object) -> int:
        raise _RefusedError("the document has an entity, which is never looked up")

    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = found.append
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        reading.problem(f"not well-formed XML: {what}", path, error.lineno)
        return None
    except _RefusedError as error:
        reading.problem(str(error), path, parser.CurrentLineNumber)
        return None
    return found
