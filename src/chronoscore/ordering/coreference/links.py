"""Read clusters from links: mentions with the same KB id or NIL id corefer, in all documents.

Links are annotations of documents (`.jsonl`) with the id in a feature, or rows (`.tsv`, `.tab`) in
the format of neleval or in that of TAC. A NIL id begins with ``NIL`` and names a cluster that the
knowledge base lacks. The last column of a place in rows is the last character of the mention; in
JSON it is the one after it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from chronoscore.core.case import ONLY
from chronoscore.core.problems import Problems, escaped
from chronoscore.core.records import (
    JsonError,
    Whole,
    parse_json,
    read_records,
    real_number,
    whole_number,
)
from chronoscore.core.sources import Source
from chronoscore.ordering.coreference.model import (
    ClusteringBuilder,
    LinkedClustering,
    MentionLink,
    span_name,
)

ROWS = (".tsv", ".tab")
LINK_FEATURE = "kbid"
NIL = "NIL"
_PLACE = re.compile(r"(.+):(\d+)-(\d+)")
_TAC_COLUMNS = 8
_EXPECTED = (
    "expected document, start, end, id (and score and type), or the eight columns of TAC: "
    "run, mention id, text, document:start-end, id, type, mention type, confidence"
)


class LinkAnnotation(msgspec.Struct, frozen=True):
    """An annotation that may link to a knowledge base."""

    start: Whole
    end: Whole
    type: str = ""
    features: dict[str, Any] = {}


class LinkedDocument(msgspec.Struct, frozen=True):
    """A document with its annotations, as a line of JSON."""

    id: str
    annotations: tuple[LinkAnnotation, ...]
    text: str | None = None
    features: dict[str, Any] = {}
    stored: str = ""
    timeline: str = ""


class _Mention(NamedTuple):
    document: str
    start: int
    end: int
    link: str
    type: str
    line: int
    timeline: str = ONLY


def read_links(
    sources: Iterable[Source], problems: Problems, feature: str
) -> Iterator[tuple[str, LinkedClustering]]:
    """Yield the clusters of the mentions of all files, one clustering for each gold's name."""
    builders: dict[str, ClusteringBuilder] = {}
    marks: dict[str, dict[str, MentionLink]] = {}
    for source in sources:
        rows = source.suffix in ROWS
        unnamed: list[tuple[int, str]] = []
        for mention in _rows(source, problems) if rows else _annotations(source, problems, feature):
            if not 0 <= mention.start < mention.end:
                problem = (
                    f"the span {mention.start} to {mention.end - rows} of '{mention.document}' has "
                    "no text, expected a start of 0 or more, before the end"
                )
                problems.problem(problem, source, mention.line)
                continue
            builder = builders.setdefault(mention.timeline, ClusteringBuilder(problems, source))
            builder.source = source
            name = f"{mention.document} {span_name(mention.start, mention.end)}"
            builder.add(name, mention.link, mention.line)
            link = "" if mention.link.startswith(NIL) else mention.link
            marks.setdefault(mention.timeline, {}).setdefault(name, MentionLink(mention.type, link))
            if mention.link == NIL:
                unnamed.append((mention.line, name))
        notice = "{count} mentions have the id 'NIL' without more, and make one cluster, first "
        problems.count(notice + "'{first}'", unnamed, source)
    for name, builder in builders.items():
        yield name, LinkedClustering(builder.done().clusters, marks[name])


def looks_like_rows(line: str) -> bool:
    """Whether a line is a mention with its link, in the tab format of neleval or TAC."""
    try:
        _mention([cell.strip() for cell in line.split("\t")], 1)
    except ValueError:
        return False
    return True


def _annotations(source: Source, problems: Problems, feature: str) -> Iterator[_Mention]:
    """Read one document a line; only annotations with the feature are mentions."""
    without: list[tuple[int, str]] = []
    other_features: set[str] = set()
    mentions = 0
    for line, document in read_records(source, LinkedDocument, problems):
        for annotation in document.annotations:
            link = annotation.features.get(feature)
            if link is None:
                without.append(
                    (line, f"{document.id} {span_name(annotation.start, annotation.end)}")
                )
                other_features.update(annotation.features)
            elif not isinstance(link, str | int) or isinstance(link, bool) or not str(link).strip():
                value = msgspec.json.encode(link).decode()[:40]
                problem = f"feature '{feature}' is {value}, expected a KB id or a NIL id"
                problems.problem(problem, source, line)
            else:
                mentions += 1
                name, timeline = str(link).strip(), document.timeline or ONLY
                yield _Mention(
                    document.id,
                    annotation.start,
                    annotation.end,
                    name,
                    annotation.type,
                    line,
                    timeline,
                )
    if without and not mentions:
        known = (
            f"there are: {', '.join(sorted(other_features))}"
            if other_features
            else "there is no feature"
        )
        problems.problem(
            f"no annotation has the feature '{feature}', which names what it links to; {known} "
            "(--link-feature NAME chooses one)",
            source,
        )
    elif without:
        lack = f"{{count}} annotations have no feature '{escaped(feature)}' and are not scored"
        problems.count(lack + ", first '{first}'", without, source)


def _rows(source: Source, problems: Problems) -> Iterator[_Mention]:
    """Read a mention a row."""
    for line, text in source.lines(problems):
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.rstrip("\r\n\t").split("\t")]
        try:
            yield _mention(cells, line)
        except ValueError as error:
            problems.problem(str(error), source, line)


def _mention(cells: Sequence[str], line: int) -> _Mention:
    place = _PLACE.fullmatch(cells[3]) if len(cells) >= _TAC_COLUMNS else None
    if place is not None:
        document, first, last = place.groups()
        link, kind = cells[4], cells[5]
    elif len(cells) < 4:
        raise ValueError(f"{len(cells)} columns, {_EXPECTED}")
    else:
        document, first, last = cells[:3]
        link, kind = _best(cells[3:])
    start, end = whole_number(first), whole_number(last)
    if start is None or end is None:
        raise ValueError(f"the span is '{first[:20]}' to '{last[:20]}', {_EXPECTED}")
    if not document or not link:
        raise ValueError(f"the {'id' if document else 'document'} is empty, {_EXPECTED}")
    return _Mention(document, start, end + 1, link, kind, line)


def _best(cells: Sequence[str]) -> tuple[str, str]:
    """Return id and type of the candidate with the highest score, the first of equals."""
    if len(cells) <= 2:
        return cells[0], ""
    if len(cells) % 3:
        raise ValueError(
            f"{len(cells)} columns after the span, expected an id, a score and a type for each "
            "candidate"
        )
    candidates = [tuple(cells[at : at + 3]) for at in range(0, len(cells), 3)]
    link, _, kind = max(candidates, key=lambda candidate: _number(candidate[1]))
    return link, _type(kind)


def _number(text: str) -> float:
    number = real_number(text)
    if number is None:
        raise ValueError(f"the score is '{text[:40]}', expected a number")
    return number


def _type(text: str) -> str:
    """Return the type in a cell, which may be a JSON object with more about the mention."""
    if not text.startswith("{"):
        return text
    try:
        kind = parse_json(text).get("type", "")
    except JsonError as error:
        raise ValueError(f"the type is no JSON: {error}") from None
    return kind if isinstance(kind, str) else str(kind)
