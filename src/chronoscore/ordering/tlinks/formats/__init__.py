"""Reading temporal links from files and folders, and writing them."""

from collections.abc import Mapping
from pathlib import Path

from chronoscore.core.collection import ONLY, put
from chronoscore.core.reading import Reading
from chronoscore.elements.timeml import SUFFIXES
from chronoscore.ordering.tlinks.formats.checking import Tally
from chronoscore.ordering.tlinks.formats.lines import read_lines
from chronoscore.ordering.tlinks.formats.tables import read_table
from chronoscore.ordering.tlinks.formats.timeml import read_timeml_file
from chronoscore.ordering.tlinks.formats.writing import FORMS, write_links
from chronoscore.ordering.tlinks.model import Collection, Document

__all__ = ["FORMS", "MOST_ENTITIES", "read_links", "write_links"]

MOST_ENTITIES = 10_000
"""What follows from the links of a document is kept for each two of its entities."""
_TABLES = (".tsv", ".txt")


def read_links(
    path: Path, reading: Reading, options: Mapping[str, str] | None = None
) -> Collection:
    """Read a file, or all files of a folder and the folders in it, by document.

    TimeML (`.tml`, `.xml`, `.timeml`), tables (`.tsv`, `.txt`) and JSON lines (`.jsonl`) are told
    by their endings, and kinds of tables by their first lines.
    """
    found: Collection = {}
    tally = Tally(reading)
    path = reading.plain(path)
    if not path.exists():
        reading.problem("there is no such file or folder", path)
    elif path.is_dir():
        known = (*SUFFIXES, *_TABLES, ".jsonl")
        files = sorted(file for file in path.rglob("*") if file.suffix in known and file.is_file())
        if not files:
            reading.problem(f"no links ({', '.join(known)}) in the folder", path)
        for file in files:
            name = file.relative_to(path).with_suffix("").as_posix()
            _enter(file, name, found, reading, tally, options or {})
    else:
        _enter(path, path.stem, found, reading, tally, options or {})
    tally.tell()
    return found


def _read(
    path: Path, name: str, reading: Reading, tally: Tally, options: Mapping[str, str]
) -> dict[tuple[str, str], Document]:
    if path.suffix in SUFFIXES:
        document = read_timeml_file(path, reading, tally)
        return {} if document is None else {(name, ONLY): document}
    if path.suffix == ".jsonl":
        lines = read_lines(path, reading, tally)
        return {key: Document(tuple(links)) for key, links in lines.items()}
    rows = read_table(path, reading, tally, options)
    return {(key, ONLY): Document(tuple(links)) for key, links in rows.items()}


def _enter(
    path: Path,
    name: str,
    found: Collection,
    reading: Reading,
    tally: Tally,
    options: Mapping[str, str],
) -> None:
    before = len(reading.problems)
    documents = _read(path, name, reading, tally, options)
    linked = any(document.links for document in documents.values())
    told = len(reading.problems) > before or reading.partial  # that is why, or a part may have none
    if not linked and not told:
        reading.notice("there are no links in the file", path)
    for (key, gold), document in documents.items():
        entities = len({*document.names()})
        if entities > MOST_ENTITIES:
            reading.problem(
                f"document '{key}' links {entities} entities, more than the {MOST_ENTITIES} that "
                "can be compared; is the column with the document missing?",
                path,
            )
        put(found, key, gold, document, reading, path)
