"""Clusters from links: mentions with one KB id, or one NIL id, corefer, in whatever document.

Links are annotations of documents (`.jsonl`) with the id in a feature, or rows (`.tsv`, `.tab`) in
the format of neleval or in that of TAC. A NIL id begins with ``NIL`` and names a cluster that the
knowledge base lacks. The last column of a place in rows is the last character of the mention; in
JSON it is the one after it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from chronoscore.core.collection import ONLY
from chronoscore.core.numbers import Whole, real_number, whole_number
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json, read_records
from chronoscore.core.tally import escaped
from chronoscore.ordering.coreference.formats.gathering import Gathering
from chronoscore.ordering.coreference.model import LinkedClustering, Mark, span_name

ROWS = (".tsv", ".tab")
LINK_FEATURE = "kbid"
NIL = "NIL"
_PLACE = re.compile(r"(.+):(\d+)-(\d+)")
_TAC_COLUMNS = 8
_EXPECTED = (
    "expected document, start, end, id (and score and type), or the eight columns of TAC: "
    "run, mention id, text, document:start-end, id, type, mention type, confidence"
)


class _Annotation(msgspec.Struct, frozen=True):
    start: Whole
    end: Whole
    type: str = ""
    features: dict[str, Any] = {}


class _Document(msgspec.Struct, frozen=True):
    id: str
    annotations: tuple[_Annotation, ...]
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
    paths: Iterable[Path], reading: Reading, feature: str
) -> Iterator[tuple[str, LinkedClustering]]:
    """Gather the mentions of all files, by the name of the gold where there are several."""
    gatherings: dict[str, Gathering] = {}
    marks: dict[str, dict[str, Mark]] = {}
    for path in paths:
        rows = path.suffix in ROWS
        unnamed: list[tuple[int, str]] = []
        for mention in _rows(path, reading) if rows else _annotations(path, reading, feature):
            if not 0 <= mention.start < mention.end:
                last = mention.end - rows
                problem = f"the span {mention.start} to {last} of '{mention.document}' has no text"
                reading.problem(
                    f"{problem}, expected a start of 0 or more, before the end", path, mention.line
                )
                continue
            gathering = gatherings.setdefault(mention.timeline, Gathering(reading, path))
            gathering.path = path
            name = f"{mention.document} {span_name(mention.start, mention.end)}"
            gathering.add(name, mention.link, mention.line)
            link = "" if mention.link.startswith(NIL) else mention.link
            marks.setdefault(mention.timeline, {}).setdefault(name, Mark(mention.type, link))
            if mention.link == NIL:
                unnamed.append((mention.line, name))
        reading.tally(
            f"{{count}} mentions have the id '{NIL}' without more, and make one cluster, first "
            "'{first}'",
            unnamed,
            path,
        )
    for name, gathering in gatherings.items():
        yield name, LinkedClustering(gathering.done().clusters, marks[name])


def looks_like_rows(line: str) -> bool:
    """Whether a line is a mention with its link, in the tab format of neleval or TAC."""
    try:
        _mention([cell.strip() for cell in line.split("\t")], 1)
    except ValueError:
        return False
    return True


def _annotations(path: Path, reading: Reading, feature: str) -> Iterator[_Mention]:
    """Read one document a line; only annotations with the feature are mentions."""
    without: list[tuple[int, str]] = []
    others: set[str] = set()
    mentions = 0
    for line, document in read_records(path, _Document, reading):
        for one in document.annotations:
            link = one.features.get(feature)
            if link is None:
                without.append((line, f"{document.id} {span_name(one.start, one.end)}"))
                others.update(one.features)
            elif not isinstance(link, str | int) or isinstance(link, bool) or not str(link).strip():
                found = msgspec.json.encode(link).decode()[:40]
                problem = f"feature '{feature}' is {found}, expected a KB id or a NIL id"
                reading.problem(problem, path, line)
            else:
                mentions += 1
                yield _Mention(
                    document.id,
                    one.start,
                    one.end,
                    str(link).strip(),
                    one.type,
                    line,
                    document.timeline or ONLY,
                )
    if without and not mentions:
        known = f"there are: {', '.join(sorted(others))}" if others else "there is no feature"
        reading.problem(
            f"no annotation has the feature '{feature}', which names what it links to; {known} "
            "(--link-feature NAME chooses one)",
            path,
        )
    elif without:
        reading.tally(
            f"{{count}} annotations have no feature '{escaped(feature)}' and are not scored, "
            "first '{first}'",
            without,
            path,
        )


def _rows(path: Path, reading: Reading) -> Iterator[_Mention]:
    """Read a mention a row."""
    for line, text in reading.lines(path):
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.rstrip("\r\n\t").split("\t")]
        try:
            yield _mention(cells, line)
        except ValueError as error:
            reading.problem(str(error), path, line)


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
    """The id and type of the candidate with the highest score, the first of several."""
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
    """A type, which may be an object with more about the mention."""
    if not text.startswith("{"):
        return text
    try:
        kind = parse_json(text).get("type", "")
    except JsonError as error:
        raise ValueError(f"the type is no JSON: {error}") from None
    return kind if isinstance(kind, str) else str(kind)
