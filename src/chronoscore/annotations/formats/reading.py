"""Finding annotated documents in a file or a folder, and telling which format they are in.

A folder has a document a file, at any depth; its id is the place of the file in the folder without
the suffix. Files that hold several documents name them.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from chronoscore.annotations.formats.bdoc import read_bdoc
from chronoscore.annotations.formats.book import Collection, Found, Reader
from chronoscore.annotations.formats.brat import read_brat
from chronoscore.annotations.formats.conll import read_conll, read_conlleval, scheme_reader
from chronoscore.annotations.formats.events import read_spans
from chronoscore.annotations.formats.gate_xml import ROOT, read_gate_xml
from chronoscore.annotations.formats.jsonl import read_jsonl
from chronoscore.annotations.formats.prodigy import MARKS, read_prodigy
from chronoscore.annotations.formats.table import read_table
from chronoscore.annotations.formats.tags import SCHEMES, parse_tag
from chronoscore.annotations.formats.timeml import read_time_markup
from chronoscore.core.collection import put
from chronoscore.core.errors import UsageError
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json

FORMATS: Mapping[str, Reader] = MappingProxyType(
    {
        "jsonl": read_jsonl,
        "events": read_spans,
        "prodigy": read_prodigy,
        "gate-xml": read_gate_xml,
        "bdoc": read_bdoc,
        "brat": read_brat,
        "conll": read_conll,
        "conlleval": read_conlleval,
        **{name: scheme_reader(name) for name in SCHEMES},
        "timeml": read_time_markup,
        "tsv": read_table,
    }
)
"""The readers by the names that a person may choose them by."""

_COLUMNS = (
    ".conll",
    ".conll03",
    ".conll2003",
    ".bio",
    ".iob",
    ".iob2",
    ".iobes",
    ".bilou",
    ".bioes",
)
_BY_SUFFIX: Mapping[str, str] = MappingProxyType(
    {
        ".ann": "brat",
        ".bdocjs": "bdoc",
        ".json": "bdoc",
        ".tml": "timeml",
        ".timeml": "timeml",
        ".tsv": "tsv",
        **dict.fromkeys(_COLUMNS, "conll"),
    }
)
SUFFIXES = (".jsonl", ".xml", *_BY_SUFFIX, ".txt")
_UNREAD = (".bdocym", ".bdocmp", ".gz", ".zip", ".spacy", ".a1", ".a2")
"""Kinds of files that hold annotations for others, but not for us."""
_LOOK = 40


def read_documents(path: Path, reading: Reading, format: str | None = None) -> Collection:
    """Read the documents of a file or a folder; everything wrong is noted in the reading.

    The format is told by the name and the first lines of each file, unless it is given.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format '{format}'; there are: {', '.join(FORMATS)}")
    found: Collection = {}
    path = reading.plain(path)
    if not path.exists():
        reading.problem("there is no such file or folder", path)
    elif path.is_dir():
        before = len(reading.problems)
        for file in _files(path, format, reading):
            name = file.relative_to(path).with_suffix("").as_posix()
            reader = FORMATS[format or recognised(file, reading)]
            _add(reader(file, name, reading), found, file, reading)
        if not found and len(reading.problems) == before:
            reading.problem(f"no annotations in the folder ({', '.join(SUFFIXES)})", path)
    else:
        reader = FORMATS[format or recognised(path, reading)]
        _add(reader(path, "", reading), found, path, reading)
    return found


def _add(documents: Iterable[Found], found: Collection, path: Path, reading: Reading) -> None:
    for name, document in documents:
        put(found, document.id, name, document, reading, path)


def _files(folder: Path, format: str | None, reading: Reading) -> list[Path]:
    """The files of a folder that may hold annotations; what is left out, though it might, is told.

    Beside brat's files, a text is never a document of its own.
    """
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    if format is not None:
        return [file for file in files if format != "brat" or file.suffix == ".ann"]
    with_texts = any(file.suffix == ".ann" for file in files)
    taken = []
    for file in files:
        suffix = file.suffix.lower()
        if suffix in _UNREAD:
            reading.notice(f"files of the kind {suffix} are not read", file)
        elif suffix == ".txt" and with_texts:
            continue
        elif suffix in (".txt", ".json", ".xml") and not _is_one(file, reading):
            reading.notice("there are no annotations in the file, it is left out", file)
        elif suffix in SUFFIXES:
            taken.append(file)
    return taken


def _is_one(file: Path, reading: Reading) -> bool:
    """Whether a file of a common kind holds annotations; asked of all that lies in a folder."""
    lines = _first_lines(file, reading)
    if file.suffix.lower() == ".txt":
        ends = [line.split()[-1] for line in lines if len(line.split()) > 1]
        return any(parse_tag(end) is not None for end in ends)
    marks = (f"<{ROOT}", "<TimeML", "<EVENT", "<TEXT", '"annotation_sets"')
    if any(mark in line for line in lines for mark in marks):
        return True
    try:
        return b'"annotation_sets"' in file.read_bytes()
    except OSError:
        return True  # the reader tells


def _first_lines(path: Path, reading: Reading) -> list[str]:
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line)
    return [line for _, line in islice(trial.lines(path), _LOOK) if line.strip()]


def recognised(path: Path, reading: Reading) -> str:
    """Tell the format by the name of a file, and where that is not enough by its first lines."""
    suffix = path.suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix == ".txt" and path.with_suffix(".ann").is_file():
        return "brat"
    lines = _first_lines(path, reading)
    first = lines[0].lstrip() if lines else ""
    if suffix == ".xml" or first.startswith("<"):
        return "gate-xml" if any(f"<{ROOT}" in line for line in lines) else "timeml"
    if suffix == ".jsonl" or first.startswith("{"):
        return _lines_of(first)
    return "conll"


def _lines_of(first: str) -> str:
    """Tell what JSON lines are by the first of them."""
    try:
        raw = parse_json(first)
    except JsonError:
        return "jsonl" if '"annotations"' in first else "events"
    if not isinstance(raw, dict):
        return "events"
    if "annotation_sets" in raw:
        return "bdoc"
    if "annotations" in raw:
        return "jsonl"
    return "prodigy" if "text" in raw and any(name in raw for name in MARKS) else "events"
