"""The format of the CoNLL-2011 and 2012 shared tasks: a token a line, clusters in brackets.

A document is what stands between ``#begin document (name); part 000`` and ``#end document``. The
last column of a token says which mentions begin and end there: ``(7`` begins one of cluster 7,
``7)`` ends it, ``(7)`` is a mention of one token, and ``-`` (or ``_`` or ``*``) is nothing. Several
are written ``(7|(3)`` or one after the other. A mention is told by its first and last token, which
are numbered from 0 through the document.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.ordering.coreference.formats.gathering import Gathering
from chronoscore.ordering.coreference.model import Clustering, span_name

BEGIN = "#begin document"
_END = "#end document"
_BEGINNING = re.compile(r"#begin document \((.+)\);?(?:\s*part\s+([0-9]+))?;?\s*")
_BLANKS = re.compile("[ \t]+")
_NOTHING = ("-", "_", "*")
_BRACKETS = re.compile(r"(?:\|?(?:\([0-9]+\)?|[0-9]+\)))+")
_BRACKET = re.compile(r"(\(?)([0-9]+)(\)?)")


@dataclass
class _Document:
    """A document while it is read."""

    name: str
    line: int
    gathering: Gathering
    tokens: int = 0
    columns: int = 0
    """How many the lines of this sentence have; 0 before its first."""
    spans: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    """For each cluster, in the order in which they first come, the first and last token of its
    mentions, and the line where each ends."""
    open: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """For each cluster, the token and line of the mentions that have begun, the latest last."""


def read_conll(path: Path, reading: Reading) -> Iterator[tuple[str, Clustering]]:
    """Read the documents of a file by their names, ``name; part 000``."""
    before = len(reading.problems)
    lines = list(reading.lines(path))
    if len(reading.problems) > before:
        return  # lines are missing, and whatever they opened would be told as not closed
    document: _Document | None = None
    for number, raw in lines:
        line = raw.strip(" \t")
        if line.startswith(BEGIN):
            if document is not None:
                reading.problem(f"a document begins in '{document.name}'", path, number)
            name = _name(line, path, number, reading)
            document = _Document(name, number, Gathering(reading, path))
        elif line.startswith(_END):
            if document is None:
                reading.problem("a document ends that did not begin", path, number)
            else:
                yield document.name, _finished(document, path, reading)
            document = None
        elif document is None:
            if line:
                reading.problem(
                    f"'{line[:30]}' is in no document, expected '{BEGIN} (name); part 000'",
                    path,
                    number,
                )
                return  # the rest of the file would be told line by line
        elif not line:
            document.columns = 0
        else:
            _token(document, line, path, number, reading)
    if document is not None:
        reading.problem(f"'{document.name}' has no '{_END}'; is the file cut?", path, document.line)
        yield document.name, _finished(document, path, reading)


def _name(line: str, path: Path, number: int, reading: Reading) -> str:
    match = _BEGINNING.fullmatch(line)
    if match is None:
        reading.problem(f"'{line[:50]}', expected '{BEGIN} (name); part 000'", path, number)
        return line
    name, part = match.groups()
    return f"{name}; part {part}" if part else name


def _token(document: _Document, line: str, path: Path, number: int, reading: Reading) -> None:
    columns = _BLANKS.split(line)
    if document.columns and len(columns) != document.columns:
        reading.doubt(
            f"{len(columns)} column{'s' * (len(columns) != 1)}, expected {document.columns} as "
            "before in this sentence; the last one is taken",
            path,
            number,
        )
    document.columns = document.columns or len(columns)
    token = document.tokens
    document.tokens += 1
    last = columns[-1]
    if last in _NOTHING:
        return
    if not _BRACKETS.fullmatch(last):
        reading.problem(
            f"the last column is '{last[:30]}', expected '-' or brackets such as (0, 0) or (0)",
            path,
            number,
        )
        return
    brackets = _BRACKET.findall(last)
    # Mentions begin before others end: where one of the same cluster does both, the reference
    # scorer takes the later beginning first, too.
    for begins, cluster, ends in brackets:
        spans = document.spans.setdefault(cluster, [])
        if begins and ends:
            spans.append((token, token, number))
        elif begins:
            document.open.setdefault(cluster, []).append((token, number))
    for begins, cluster, ends in brackets:
        if ends and not begins:
            waiting = document.open.get(cluster)
            if not waiting:
                reading.problem(f"'{cluster})' ends a mention that did not begin", path, number)
            else:
                document.spans[cluster].append((waiting.pop()[0], token, number))


def _finished(document: _Document, path: Path, reading: Reading) -> Clustering:
    for cluster, waiting in document.open.items():
        for _, line in waiting:
            reading.problem(f"'({cluster}' begins a mention that does not end", path, line)
    for cluster, spans in document.spans.items():
        for start, end, line in spans:
            document.gathering.add(span_name(start, end), cluster, line)
    return document.gathering.done()
