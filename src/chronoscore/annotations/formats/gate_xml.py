"""GATE XML: a text with nodes, and annotation sets whose annotations go from node to node."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from types import MappingProxyType

from chronoscore.annotations.formats.book import Book, Found
from chronoscore.annotations.formats.markup import Begin, End, Piece, read_markup
from chronoscore.annotations.model import FeatureValue, Scalar
from chronoscore.core.collection import ONLY
from chronoscore.core.numbers import real_number, whole_number
from chronoscore.core.reading import Reading

ROOT = "GateDocument"
_LISTS = ("List", "Set", "Vector", "Collection", "Queue", "Stack")


def read_gate_xml(path: Path, name: str, reading: Reading) -> Iterable[Found]:
    """Read a document; an annotation is where its nodes are in the text."""
    pieces = read_markup(path, reading)
    if pieces is None:
        return []
    first = pieces[0]
    if not isinstance(first, Begin) or first.name != ROOT:
        shown = first.name if isinstance(first, Begin) else ""
        reading.problem(f"the XML is of '{shown}', expected '{ROOT}'", path, 1)
        return []
    walk = _Walk(path, reading)
    walk.through(pieces)
    book = Book(name or path.stem, path, reading, walk.content(), walk.features, walk.stored())
    for item in walk.annotations:
        _enter(item, walk.nodes, book, path, reading)
    if walk.relations:
        reading.notice(f"{walk.relations} relations are not read", path)
    return [(ONLY, book.document())]


@dataclass(slots=True)
class _Item:
    """An annotation's tag, the set it is in, and its features."""

    tag: Begin
    group: str
    features: dict[str, FeatureValue] = field(default_factory=dict)


@dataclass(slots=True)
class _Walk:
    """One pass over a document's tags: what was found, and where in the document it is."""

    path: Path
    reading: Reading
    text: list[str] = field(default_factory=list)
    length: int = 0
    has_text: bool = False
    nodes: dict[str, int] = field(default_factory=dict)
    features: dict[str, FeatureValue] = field(default_factory=dict)
    annotations: list[_Item] = field(default_factory=list)
    relations: int = 0
    in_text: bool = False
    group: str = ""
    whose: dict[str, FeatureValue] = field(default_factory=dict)
    part: Begin | None = None
    written: list[str] = field(default_factory=list)
    name: str = ""
    value: FeatureValue = None

    def through(self, pieces: Iterable[Piece]) -> None:
        """Take the text and its nodes, the sets, and all features."""
        for piece in pieces:
            if isinstance(piece, Begin):
                self._begin(piece)
            elif isinstance(piece, End):
                self._end(piece)
            elif self.part is not None:
                self.written.append(piece)
            elif self.in_text:
                self.text.append(piece)
                self.length += len(piece)

    def _begin(self, tag: Begin) -> None:
        match tag.name:
            case "TextWithNodes":
                self.in_text = self.has_text = True
            case "Node" if self.in_text:
                self._node(tag)
            case "GateDocumentFeatures":
                self.whose = self.features
            case "AnnotationSet":
                self.group = tag.attributes.get("Name", "")
            case "Annotation":
                self.annotations.append(_Item(tag, self.group))
                self.whose = self.annotations[-1].features
            case "Relation":
                self.relations += 1
                self.whose = {}  # its features are no annotation's
            case "Feature":
                self.name, self.value = "", None
            case "Name" | "Value":
                self.part, self.written = tag, []

    def _end(self, tag: End) -> None:
        match tag.name:
            case "TextWithNodes":
                self.in_text = False
            case "Name":
                self.name, self.part = "".join(self.written), None
            case "Value" if self.part is not None:
                self.value, self.part = self._value(self.part, "".join(self.written)), None
            case "Feature":
                self._feature(tag)

    def _node(self, tag: Begin) -> None:
        name = tag.attributes.get("id", "")
        if name in self.nodes:
            self.reading.problem(f"node '{name}' is there twice", self.path, tag.line)
        self.nodes[name] = self.length

    def _feature(self, end: End) -> None:
        if not self.name:
            self.reading.problem("a feature has no name", self.path, end.line)
        elif self.name in self.whose:
            self.reading.problem(f"the feature '{self.name}' is there twice", self.path, end.line)
        else:
            self.whose[self.name] = self.value

    def _value(self, tag: Begin, text: str) -> FeatureValue:
        """Read a value as what it is said to be; unknown classes stay text, as in GATE."""
        kind = tag.attributes.get("className", "java.lang.String")
        if kind.endswith(_LISTS):
            item = tag.attributes.get("itemClassName", "java.lang.String")
            # GATE writes items between semicolons and has no way to write one within an item.
            return tuple(self._scalar(item, part, tag) for part in text.split(";") if part)
        return self._scalar(kind, text, tag)

    def _scalar(self, kind: str, text: str, tag: Begin) -> Scalar:
        read = _KINDS.get(kind.rpartition(".")[2])
        value = text if read is None else read(text.strip())
        if value is None:
            self.reading.problem(f"the value '{text[:40]}' is not a {kind}", self.path, tag.line)
        return value

    def content(self) -> str | None:
        """The text, or None if the document has none."""
        return "".join(self.text) if self.has_text else None

    def stored(self) -> str:
        """The name that the document was given in GATE: the end of where it came from."""
        source = self.features.get("gate.SourceURL")
        return source.rstrip("/").rpartition("/")[2] if isinstance(source, str) else ""


def _enter(item: _Item, nodes: Mapping[str, int], book: Book, path: Path, reading: Reading) -> None:
    given, line = item.tag.attributes, item.tag.line
    absent = [n for n in ("Id", "Type", "StartNode", "EndNode") if n not in given]
    if absent:
        reading.problem(f"an annotation has no {', no '.join(absent)}", path, line)
        return
    unknown = [given[n] for n in ("StartNode", "EndNode") if given[n] not in nodes]
    if unknown:
        told = "', '".join(dict.fromkeys(unknown))
        reading.problem(
            f"annotation '{given['Id']}' is at the node '{told}', which is not in the text",
            path,
            line,
        )
        return
    start, end = nodes[given["StartNode"]], nodes[given["EndNode"]]
    book.enter(
        given["Id"],
        given["Type"],
        start,
        end,
        features=item.features,
        group=item.group,
        line=line,
    )


_NOT_FINITE = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}


def _real(text: str) -> float | None:
    return _NOT_FINITE[text] if text in _NOT_FINITE else real_number(text)


def _truth(text: str) -> bool | None:
    return {"true": True, "false": False}.get(text.lower())


_KINDS: Mapping[str, Callable[[str], Scalar]] = MappingProxyType(
    {
        **dict.fromkeys(("Integer", "Long", "Short", "Byte", "BigInteger"), whole_number),
        **dict.fromkeys(("Double", "Float", "BigDecimal"), _real),
        "Boolean": _truth,
    }
)
"""How the values of a Java class are read; all others are text."""
