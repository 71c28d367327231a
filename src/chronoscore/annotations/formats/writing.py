"""Writing annotated documents: our JSON lines, brat standoff, and bdoc JSON."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from chronoscore.annotations.formats.bdoc import written_bdoc
from chronoscore.annotations.formats.book import Collection
from chronoscore.annotations.formats.brat_notes import written_brat
from chronoscore.annotations.formats.jsonl import AnnotationRecord, DocumentRecord
from chronoscore.annotations.model import Document
from chronoscore.core.collection import ONLY
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.writing import path_inside, write_file

WRITTEN = ("jsonl", "brat", "bdoc")
"""The formats that are written."""


def write_documents(
    documents: Collection | Iterable[Document], folder: Path, format: str
) -> list[Path]:
    """Write documents; returns the files.

    JSON lines go into one file, `folder` if it ends in `.jsonl`, else `documents.jsonl` in it. The
    others have a file a document, or two; several golds of a document go into folders of its name.
    """
    if format not in WRITTEN:
        raise UsageError(f"unknown format '{format}'; there are: {', '.join(WRITTEN)}")
    each = [*_each(documents)]
    if format == "jsonl":
        file = folder if folder.suffix == ".jsonl" else folder / "documents.jsonl"
        return [write_file(file, "".join(written_line(one, by) for _, by, one in each))]
    places = _places(each, format)
    files = []
    for (_, _, document), inside in zip(each, places, strict=True):
        place = folder / inside
        if format == "bdoc":
            files.append(
                write_file(place.with_name(f"{place.name}.bdocjs"), written_bdoc(document))
            )
            continue
        text, lines = written_brat(document)
        files.append(write_file(place.with_name(f"{place.name}.txt"), text))
        files.append(write_file(place.with_name(f"{place.name}.ann"), lines))
    return files


def _places(each: Sequence[tuple[str, str, Document]], format: str) -> list[PurePosixPath]:
    """A file for each document; what can't be written is told before anything is."""
    problems = [
        Problem(f"document '{name}' has no text, and brat needs it")
        for name, _, document in each
        if format == "brat" and document.text is None
    ]
    taken: dict[PurePosixPath, str] = {}
    for name, by, _ in each:
        whole = f"{name}/{by}" if by else name
        place = path_inside(whole)
        if place in taken:
            problems.append(
                Problem(f"documents '{taken[place]}' and '{whole}' would be one file: {place}")
            )
        taken[place] = whole
    if problems:
        raise DataError(problems)
    return [*taken]


def written_line(document: Document, by: str = "") -> str:
    """Write a document as a line of JSON, and whose it is, where several have annotated it."""
    items = tuple(
        AnnotationRecord(
            one.type, one.start, one.end, one.id, dict(one.features), one.score, one.set
        )
        for one in document.annotations
    )
    record = DocumentRecord(
        document.id, items, document.text, dict(document.features), document.stored, by
    )
    return msgspec.json.encode(record).decode() + "\n"


def _each(documents: Collection | Iterable[Document]) -> Iterator[tuple[str, str, Document]]:
    """The id, the gold's name if there are several, and the document."""
    if not isinstance(documents, dict):
        yield from ((document.id, "", document) for document in documents)
        return
    for key, named in documents.items():
        for by, document in named.items():
            yield key, "" if by == ONLY and len(named) == 1 else by, document
