"""XML: GATE's own, and TimeML.

GATE XML is a text with nodes, and annotation sets whose annotations go from node to node. In TimeML
events and time expressions are marked in the text.
"""

from collections.abc import Callable, Iterable, Mapping
from math import inf, nan

from chronoscore.annotations.formats.documents import DocumentBuilder, NamedDocument
from chronoscore.annotations.model import FeatureValue, Scalar
from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems
from chronoscore.core.records import real_number, whole_number
from chronoscore.core.sources import Source
from chronoscore.elements.timeml import OUTSIDE, read_timeml
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
        parts = {part.name: (part, text[part.start : part.end]) for part in element.children}
        name = parts["Name"][1] if "Name" in parts else ""
        value = _xml_value(*parts["Value"], builder) if "Value" in parts else None
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


_JAVA_KINDS: Mapping[str, Callable[[str], Scalar]] = {
    **dict.fromkeys(("Integer", "Long", "Short", "Byte", "BigInteger"), whole_number),
    **dict.fromkeys(("Double", "Float", "BigDecimal"), _real),
    "Boolean": lambda text: {"true": True, "false": False}.get(text.lower()),
}
"""The functions that read values, by Java class; values of other classes are text."""


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
