"""Which reader a file needs, and folders of files."""

from collections.abc import Iterator
from pathlib import Path

from chronoscore.core.collection import ONLY, put
from chronoscore.core.reading import Reading
from chronoscore.core.sharding import COLLECTION
from chronoscore.ordering.coreference.formats.conll import BEGIN, read_conll
from chronoscore.ordering.coreference.formats.links import LINK_FEATURE, ROWS, read_links
from chronoscore.ordering.coreference.formats.records import read_json, read_lines
from chronoscore.ordering.coreference.formats.timelines import read_mentions, read_rows
from chronoscore.ordering.coreference.model import Clustering

Collection = dict[str, dict[str, Clustering]]
"""Clusterings by document and, where there are several golds, by name."""

_READ = (".conll", ".txt", ".json", ".jsonl", ".key", ".response", *ROWS)


def read_clusterings(path: Path, reading: Reading, link_feature: str = LINK_FEATURE) -> Collection:
    """Read a file, or all files of a folder that may hold clusters.

    Links make clusters across documents, so that the documents of all files with links are one.
    """
    found: Collection = {}
    path = reading.plain(path)
    if not path.exists():
        reading.problem("there is no such file or folder", path)
        return found
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and _may_hold(file))
        if not files:
            reading.problem(f"no clusters ({', '.join(_READ)}, *_conll) in the folder", path)
    linked = [file for file in files if _holds_links(file, reading)]
    for name, clusters in read_links(linked, reading, link_feature):
        put(found, COLLECTION, name, clusters, reading, path)
    for file in files:
        if file not in linked:
            for document, name, clustering in _documents(file, reading):
                put(found, document, name, clustering, reading, file)
    return found


def _holds_links(file: Path, reading: Reading) -> bool:
    if file.suffix == ".jsonl":
        first = _first_line(file, reading)
        return '"annotations"' in first and '"clusters"' not in first
    return file.suffix in ROWS


def _may_hold(file: Path) -> bool:
    return file.suffix in _READ or file.name.endswith("_conll")


def _documents(path: Path, reading: Reading) -> Iterator[tuple[str, str, Clustering]]:
    first = _first_line(path, reading)
    if path.suffix == ".json":
        yield from ((name, ONLY, found) for name, found in read_json(path, reading))
    elif path.suffix == ".jsonl" and '"clusters"' in first:
        yield from ((name, ONLY, found) for name, found in read_lines(path, reading))
    elif path.suffix == ".jsonl":
        yield from read_mentions(path, reading)
    elif path.suffix == ".txt" and not first.startswith(BEGIN):
        yield path.stem, ONLY, read_rows(path, reading)
    else:
        yield from ((name, ONLY, found) for name, found in read_conll(path, reading))


def _first_line(path: Path, reading: Reading) -> str:
    """The first line that is not blank; what is wrong with the file is told by its reader."""
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line, lenient=True)
    lines = (line.strip() for _, line in trial.lines(path))
    return next(filter(None, lines), "")
