"""The formats of GATE: its XML, and bdoc JSON (`.bdocjs`), the format of python-gatenlp.

GATE XML is a text with nodes, and annotation sets whose annotations go from node to node; bdoc is
a text and named annotation sets.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, nan
from types import MappingProxyType
from typing import Any, cast

import msgspec
import numpy as np

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.annotations.model import Annotation, Document, FeatureValue, Scalar
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, misfits, parse_json, real_number, whole_number
from chronoscore.core.sources import Source
from chronoscore.elements.xml import XmlElement, parse_xml, read_xml

XML_ROOT = "GateDocument"
_LISTS = ("List", "Set", "Vector", "Collection", "Queue", "Stack")
_NOT_FINITE = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}


def read_gate_xml(source: Source, name: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read a document; the places of its nodes in the text are the offsets of an annotation."""
    xml = read_xml(source, problems)
    parsed = parse_xml(xml, source, problems) if xml is not None and xml.strip() else None
    if parsed is None:
        return []  # the reader has reported why
    (root,), text = parsed[0].children, parsed[1]
    if root.name != XML_ROOT:
        problems.problem(f"the XML is of '{root.name}', expected '{XML_ROOT}'", source, 1)
        return []
    builder = DocumentBuilder(name or source.stem, source, problems)
    nodes = _xml_text(root, text, builder)
    group, relations = "", 0
    for element in root.inside():
        match element.name:
            case "GateDocumentFeatures":
                builder.features |= _xml_features(element, text, builder)
            case "AnnotationSet":
                group = element.attributes.get("Name", "")
            case "Annotation":
                _enter_xml(element, group, _xml_features(element, text, builder), nodes, builder)
            case "Relation":
                relations += 1
    origin = builder.features.get("gate.SourceURL")
    builder.stored = origin.rstrip("/").rpartition("/")[2] if isinstance(origin, str) else ""
    if relations:
        problems.notice(f"{relations} relations are not read", source)
    return [(ONLY, builder.document())]


def _xml_text(root: XmlElement, text: str, builder: DocumentBuilder) -> dict[str, int]:
    """Set the text of the document, if there is one, and return the places of its nodes."""
    nodes: dict[str, int] = {}
    for element in root.inside():
        if element.name == "TextWithNodes":
            before = builder.text or ""
            builder.text = before + text[element.start : element.end]
            for node in (child for child in element.inside() if child.name == "Node"):
                key = node.attributes.get("id", "")
                if key in nodes:
                    builder.problem(f"node '{key}' is there twice", node.line)
                nodes[key] = len(before) + node.start - element.start
    return nodes


def _enter_xml(
    element: XmlElement,
    group: str,
    features: Mapping[str, FeatureValue],
    nodes: Mapping[str, int],
    builder: DocumentBuilder,
) -> None:
    attributes, line = element.attributes, element.line
    missing = [n for n in ("Id", "Type", "StartNode", "EndNode") if n not in attributes]
    if missing:
        return builder.problem(f"an annotation has no {', no '.join(missing)}", line)
    name, ends = attributes["Id"], (attributes["StartNode"], attributes["EndNode"])
    unknown = [end for end in dict.fromkeys(ends) if end not in nodes]
    if unknown:
        names = "', '".join(unknown)
        message = f"annotation '{name}' is at the node '{names}', which is not in the text"
        return builder.problem(message, line)
    start, end = (nodes[end] for end in ends)
    return builder.enter(name, attributes["Type"], start, end, features, None, group, line)


def _xml_features(
    owner: XmlElement, text: str, builder: DocumentBuilder
) -> dict[str, FeatureValue]:
    """Return the features of a document or an annotation, and report problems with them."""
    features: dict[str, FeatureValue] = {}
    for element in owner.children:
        if element.name != "Feature":
            continue
        name, value = "", cast("FeatureValue", None)
        for part in element.children:
            written = text[part.start : part.end]
            if part.name == "Name":
                name = written
            elif part.name == "Value":
                value = _xml_value(part, written, builder)
        if not name:
            builder.problem("a feature has no name", element.last_line)
        elif name in features:
            builder.problem(f"the feature '{name}' is there twice", element.last_line)
        else:
            features[name] = value
    return features


def _xml_value(element: XmlElement, text: str, builder: DocumentBuilder) -> FeatureValue:
    """Read a value as its class says; unknown classes stay text, as in GATE."""

    def scalar(kind: str, text: str) -> Scalar:
        read = _JAVA_KINDS.get(kind.rpartition(".")[2])
        value = text if read is None else read(text.strip())
        if value is None:
            builder.problem(f"the value '{text[:40]}' is not a {kind}", element.line)
        return value

    kind = element.attributes.get("className", "java.lang.String")
    if kind.endswith(_LISTS):
        item = element.attributes.get("itemClassName", "java.lang.String")
        # GATE separates items by semicolons and cannot write a semicolon within an item.
        return tuple(scalar(item, part) for part in text.split(";") if part)
    return scalar(kind, text)


def _real(text: str) -> float | None:
    return _NOT_FINITE[text] if text in _NOT_FINITE else real_number(text)


_JAVA_KINDS: Mapping[str, Callable[[str], Scalar]] = MappingProxyType(
    {
        **dict.fromkeys(("Integer", "Long", "Short", "Byte", "BigInteger"), whole_number),
        **dict.fromkeys(("Double", "Float", "BigDecimal"), _real),
        "Boolean": lambda text: {"true": True, "false": False}.get(text.lower()),
    }
)
"""The functions that read values, by Java class; values of other classes are text."""

BDOC_SCORE, BDOC_ID = "_score", "_id"
"""Features that hold what bdoc has no field for: a confidence, and an id with letters."""


class BdocAnnotation(msgspec.Struct, frozen=True):
    """An annotation in a set."""

    type: str
    start: int
    end: int
    id: int | str
    features: dict[str, Any] | None = None


class BdocSet(msgspec.Struct, frozen=True, kw_only=True):
    """An annotation set."""

    name: str = ""
    annotations: tuple[BdocAnnotation, ...]
    next_annid: int = 0


class BdocDocument(msgspec.Struct, frozen=True):
    """A document."""

    annotation_sets: dict[str, BdocSet]
    text: str | None = None
    features: dict[str, Any] | None = None
    offset_type: str = "p"
    name: str | None = None


def read_bdoc(source: Source, name: str, problems: Problems) -> Iterable[NamedDocument]:
    """Read a document with all its sets; offsets of Java (`offset_type` j) become characters."""
    record = _bdoc_record(source, problems)
    if record is None:
        return []
    if record.offset_type not in ("p", "j"):
        problems.problem(
            f"offset_type is '{record.offset_type}', expected p (characters) or j (UTF-16)", source
        )
        return []
    if record.offset_type == "j" and record.text is None:
        problems.problem(
            "offset_type is j, but there is no text to count its characters in", source
        )
        return []
    characters = utf16_offsets(record.text or "") if record.offset_type == "j" else None
    builder = DocumentBuilder(name or source.stem, source, problems, record.text)
    builder.features = _bdoc_features(record.features, "the document", builder)
    builder.stored = record.name or ""
    for group, annotation_set in record.annotation_sets.items():
        for item in annotation_set.annotations:
            start, end = item.start, item.end
            if characters is not None:
                places = characters(start), characters(end)
                if places[0] is None or places[1] is None:
                    builder.problem(
                        f"annotation '{item.id}' is [{start}, {end}), which is within a character "
                        "or outside of the text"
                    )
                    continue
                start, end = places[0], places[1]
            features = _bdoc_features(item.features, f"annotation '{item.id}'", builder)
            stored_score, stored_id = (features.get(feature) for feature in (BDOC_SCORE, BDOC_ID))
            score = features.pop(BDOC_SCORE) if isinstance(stored_score, float) else None
            id_ = features.pop(BDOC_ID) if isinstance(stored_id, str) else item.id
            place = cast("str", id_), item.type, start, end
            builder.enter(*place, features, cast("float | None", score), group)
    return [(ONLY, builder.document())]


def _bdoc_record(source: Source, problems: Problems) -> BdocDocument | None:
    text = source.text(problems)
    if text is None or not text.strip():
        return None
    try:
        raw = parse_json(text)
    except JsonError as error:
        problems.problem(str(error), source, error.line)
        return None
    if not isinstance(raw, dict):
        problems.problem("expected an object with 'annotation_sets'", source)
        return None
    try:
        return msgspec.convert(raw, BdocDocument)
    except msgspec.ValidationError:
        for misfit in misfits(raw, BdocDocument):
            problems.problem(misfit, source)
        return None


def _bdoc_features(
    raw: Mapping[str, Any] | None, whose: str, builder: DocumentBuilder
) -> dict[str, FeatureValue]:
    """Return features that are scalars or lists of scalars; report features that nest deeper."""
    features: dict[str, FeatureValue] = {}
    for name, value in (raw or {}).items():
        if value is None or isinstance(value, str | int | float):
            features[name] = value
            continue
        try:
            features[name] = msgspec.convert(value, FeatureValue)
        except msgspec.ValidationError:
            message = f"{whose}: the feature '{name}' is nested and is not read"
            builder.problems.notice(message, builder.source)
    return features


def utf16_offsets(text: str) -> Callable[[int], int | None]:
    """Return a function from offsets in UTF-16 units, as Java counts, to offsets in characters.

    It returns None for an offset within a character, or outside of the text.

    >>> offset = utf16_offsets("a😀b")
    >>> [offset(place) for place in (0, 1, 2, 3, 4, 5)]
    [0, 1, None, 2, 3, None]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    units = np.append(0, np.cumsum(1 + (codes > 0xFFFF)))

    def offset(place: int) -> int | None:
        at = int(np.searchsorted(units, place))
        return at if at < len(units) and units[at] == place else None

    return offset


def written_bdoc(document: Document) -> str:
    """Return a document as bdoc JSON, with offsets in characters."""
    sets: dict[str, list[Annotation]] = {}
    for item in document.annotations:
        sets.setdefault(item.set, []).append(item)
    record = BdocDocument(
        {name: _bdoc_set(name, items) for name, items in sets.items()},
        document.text,
        dict(document.features),
        name=document.stored or document.id,
    )
    return msgspec.json.encode(record).decode()


def _bdoc_set(name: str, items: Sequence[Annotation]) -> BdocSet:
    """Return the record of a set; ids that are not whole numbers, and scores, become features."""
    ids = [n for item in items if (n := whole_number(item.id)) is not None and str(n) == item.id]
    if len(ids) < len(items):
        ids = [*range(len(items))]
    annotations = []
    for number, item in zip(ids, items, strict=True):
        features: dict[str, Any] = dict(item.features)
        if item.score is not None:
            features[BDOC_SCORE] = item.score
        if str(number) != item.id:
            features[BDOC_ID] = item.id
        annotations.append(BdocAnnotation(item.type, item.start, item.end, number, features))
    next_id = max(ids, default=-1) + 1
    return BdocSet(name=name, annotations=tuple(annotations), next_annid=next_id)
