"""Clusters from JSON: a document is ``{"id": ..., "clusters": [[mention, ...], ...]}``.

A mention is ``[start, end]`` or a text that names it. Documents are one a line (`.jsonl`), or one
or a list of them in a file (`.json`).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, misfits, parse_json, read_records
from chronoscore.ordering.coreference.formats.gathering import Gathering
from chronoscore.ordering.coreference.model import Clustering, span_name

Mention = str | tuple[int, int]


class Document(msgspec.Struct, frozen=True):
    """A document as JSON has it."""

    clusters: tuple[tuple[Mention, ...], ...]
    id: str = ""


def read_lines(path: Path, reading: Reading) -> Iterator[tuple[str, Clustering]]:
    """Read one document a line."""
    for line, document in read_records(path, Document, reading):
        if not document.id.strip():
            reading.problem("there is no 'id' that names the document", path, line)
            continue
        yield document.id, _clustering(document, path, line, "", reading)


def read_json(path: Path, reading: Reading) -> Iterator[tuple[str, Clustering]]:
    """Read a document, or a list of them; one alone may be named by its file."""
    text = reading.text(path)
    if text is None:
        return
    try:
        raw = parse_json(text)
    except JsonError as error:
        reading.problem(str(error), path, error.line)
        return
    documents = raw if isinstance(raw, list) else [raw]
    if not documents:
        reading.doubt("there is no document in the file", path)
    for number, item in enumerate(documents, 1):
        of = f"document {number}: " if isinstance(raw, list) else ""
        if not isinstance(item, Mapping):
            reading.problem(f'{of}expected an object: {{"id": ..., "clusters": [...]}}', path)
            continue
        for name in sorted(item.keys() - {"id", "clusters"}):
            reading.notice(f"{of}unknown field '{name}' is ignored", path)
        try:
            document = msgspec.convert(item, Document)
        except msgspec.ValidationError:
            for misfit in misfits(item, Document):
                reading.problem(f"{of}{misfit}", path)
            continue
        if isinstance(raw, list) and not document.id.strip():
            reading.problem(f"{of}there is no 'id' that names it", path)
            continue
        name = document.id if document.id.strip() else path.stem
        yield name, _clustering(document, path, None, of, reading)


def _clustering(
    document: Document, path: Path, line: int | None, of: str, reading: Reading
) -> Clustering:
    gathering = Gathering(reading, path)
    for number, cluster in enumerate(document.clusters):
        where = f"{of}clusters[{number}]"
        if not cluster:
            reading.doubt(f"{where} is empty; it is left out", path, line)
        for mention in cluster:
            if isinstance(mention, str):
                if not mention.strip():
                    reading.problem(f"{where} has a mention without a name", path, line)
                gathering.add(mention, number, line, of)
            else:
                start, end = mention
                if start > end:
                    reading.problem(
                        f"{where}: [{start}, {end}] is not [start, end] with start <= end",
                        path,
                        line,
                    )
                gathering.add(span_name(start, end), number, line, of)
    return gathering.done()
