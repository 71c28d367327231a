"""Write annotated documents as Chronoscore's JSON lines, brat standoff, or bdoc JSON."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from chronoscore.annotations.formats.brat import written_brat
from chronoscore.annotations.formats.documents import Collection
from chronoscore.annotations.formats.json import written_bdoc, written_line
from chronoscore.annotations.model import Document
from chronoscore.core.case import ONLY
from chronoscore.core.writing import path_inside, write_file
from chronoscore.errors import DataError, Problem, UsageError

WRITTEN = ("jsonl", "brat", "bdoc")
"""The formats that are written."""


def write_documents(
    documents: Collection | Iterable[Document], folder: Path, format: str
) -> list[Path]:
    """Write documents, and return the files.

    JSON lines go into one file, `folder` if it ends in `.jsonl`, else `documents.jsonl` in it. The
    other formats have one or two files for each document; several golds of a document go into a
    folder with the name of the document.
    """
    if format not in WRITTEN:
        raise UsageError(f"unknown format '{format}'; there are: {', '.join(WRITTEN)}")
    entries = [*_each(documents)]
    if format == "jsonl":
        file = folder if folder.suffix == ".jsonl" else folder / "documents.jsonl"
        return [
            write_file(file, "".join(written_line(document, by) for _, by, document in entries))
        ]
    places = _places(entries, format)
    files = []
    for (_, _, document), inside in zip(entries, places, strict=True):
        place = folder / inside
        if format == "bdoc":
            contents = {".bdocjs": written_bdoc(document)}
        else:
            contents = dict(zip((".txt", ".ann"), written_brat(document), strict=True))
        for suffix, text in contents.items():
            files.append(write_file(place.with_name(place.name + suffix), text))
    return files


def _places(entries: Sequence[tuple[str, str, Document]], format: str) -> list[PurePosixPath]:
    """Return a file for each document; raise all problems before anything is written."""
    problems = [
        Problem(f"document '{name}' has no text, and brat needs it")
        for name, _, document in entries
        if format == "brat" and document.text is None
    ]
    names: dict[PurePosixPath, str] = {}
    for name, by, _ in entries:
        full_name = f"{name}/{by}" if by else name
        place = path_inside(full_name)
        if place in names:
            problems.append(
                Problem(f"documents '{names[place]}' and '{full_name}' would be one file: {place}")
            )
        names[place] = full_name
    if problems:
        raise DataError(problems)
    return [*names]


def _each(documents: Collection | Iterable[Document]) -> Iterator[tuple[str, str, Document]]:
    """Yield the id, the gold's name if there are several, and the document."""
    if not isinstance(documents, dict):
        yield from ((document.id, "", document) for document in documents)
        return
    for key, versions in documents.items():
        for by, document in versions.items():
            yield key, "" if by == ONLY and len(versions) == 1 else by, document
