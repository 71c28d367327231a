"""Find annotated documents in a file or a folder, and recognise their format.

Each file of a folder, at any depth, is a document; its id is the path of the file in the folder
without the suffix. Files that hold several documents name them.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.formats.brat import read_brat
from chronoscore.annotations.formats.documents import Collection, Reader
from chronoscore.annotations.formats.json import (
    PRODIGY_MARKS,
    read_bdoc,
    read_event_spans,
    read_jsonl,
    read_prodigy,
)
from chronoscore.annotations.formats.table import read_table
from chronoscore.annotations.formats.tags import TAG_READERS, parse_tag
from chronoscore.annotations.formats.xml import XML_ROOT, read_gate_xml, read_time_markup
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.case import put
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.records import JsonError, parse_json, real_number
from chronoscore.core.sources import Source
from chronoscore.errors import UsageError

FORMATS: Mapping[str, Reader] = {
    "jsonl": read_jsonl,
    "events": read_event_spans,
    "prodigy": read_prodigy,
    "gate-xml": read_gate_xml,
    "bdoc": read_bdoc,
    "brat": read_brat,
    **TAG_READERS,
    "timeml": read_time_markup,
    "tsv": read_table,
}
"""The readers by the names of their formats."""

_TAGGED = ("conll", "conll03", "conll2003", "bio", "iob", "iob2", "iobes", "bilou", "bioes")
_BY_SUFFIX: Mapping[str, str] = {
    ".ann": "brat",
    ".bdocjs": "bdoc",
    ".json": "bdoc",
    ".tml": "timeml",
    ".timeml": "timeml",
    ".tsv": "tsv",
    **{f".{name}": "conll" for name in _TAGGED},
}
SUFFIXES = (".jsonl", ".xml", *_BY_SUFFIX, ".txt")
_UNREAD = (".bdocym", ".bdocmp", ".gz", ".zip", ".spacy", ".a1", ".a2")
"""Suffixes of annotation files that Chronoscore does not read."""
_LOOK = 40


def read_documents(source: Source, problems: Problems, format: str | None = None) -> Collection:
    """Read the documents of a file or a folder, and report all problems.

    Without `format`, the name and the first lines of each file tell its format.
    """
    format = format or source.format or None
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format '{format}'; there are: {', '.join(FORMATS)}")
    documents: Collection = {}

    def read(file: Source, name: str) -> None:
        reader = FORMATS[format or recognised(file, problems)]
        for gold, document in reader(file, name, problems):
            put(documents, document.id, gold, document, problems, file)

    if not source.exists:
        problems.problem(source.absence("file or folder"), source)
    elif source.is_folder:
        before = len(problems.problems)
        for inside, file in _files(source, format, problems):
            read(file, inside.with_suffix("").as_posix())
        if not documents and len(problems.problems) == before:
            problems.problem(f"no annotations in the folder ({', '.join(SUFFIXES)})", source)
    else:
        read(source, "")
    return documents


def read_columns(source: Source, problems: Problems, format: str | None = None) -> Columns:
    """Read documents of any format into columns.

    A document with several golds becomes one entry for each gold, named `document/gold`.
    """
    entries = [
        (key if len(versions) == 1 else f"{key}/{name}", document)
        for key, versions in read_documents(source, problems, format).items()
        for name, document in versions.items()
    ]
    return Columns.of([document for _, document in entries], tuple(name for name, _ in entries))


def _files(
    folder: Source, format: str | None, problems: Problems
) -> list[tuple[PurePosixPath, Source]]:
    """Return the files of a folder that may hold annotations; report files that are left out.

    In a folder with brat's files, a text file is never a document by itself.
    """
    files = [
        (inside, file)
        for inside, file in folder.files()
        if not any(part.startswith(".") for part in inside.parts)
    ]
    if format is not None:
        return [(inside, f) for inside, f in files if format != "brat" or inside.suffix == ".ann"]
    with_texts = any(inside.suffix == ".ann" for inside, _ in files)
    chosen = []
    for inside, file in files:
        suffix = inside.suffix.lower()
        if suffix in _UNREAD:
            problems.notice(f"files of the kind {suffix} are not read", file)
        elif suffix == ".txt" and with_texts:
            continue
        elif suffix in (".txt", ".json", ".xml") and not _holds_annotations(file, problems):
            problems.notice("there are no annotations in the file, it is left out", file)
        elif suffix in SUFFIXES:
            chosen.append((inside, file))
    return chosen


def _holds_annotations(file: Source, problems: Problems) -> bool:
    """Whether a file of a folder, with a suffix that other files have too, holds annotations."""
    lines = file.first_lines(problems, _LOOK)
    if file.suffix.lower() == ".txt":
        ends = [line.split()[-1] for line in lines if len(line.split()) > 1]
        return any(parse_tag(end) is not None for end in ends)
    marks = (f"<{XML_ROOT}", "<TimeML", "<EVENT", "<TEXT", '"annotation_sets"')
    if any(mark in line for line in lines for mark in marks):
        return True
    try:
        return b'"annotation_sets"' in file.data()
    except OSError:
        return True  # the reader reports it


def recognised(source: Source, problems: Problems) -> str:
    """Return the format by the name of a file or, where that is not enough, by its first lines."""
    suffix = source.suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix == ".txt" and source.beside(".ann").is_file:
        return "brat"
    lines = source.first_lines(problems, _LOOK)
    first = lines[0].lstrip() if lines else ""
    if suffix == ".xml" or first.startswith("<"):
        return "gate-xml" if any(f"<{XML_ROOT}" in line for line in lines) else "timeml"
    if suffix == ".jsonl" or first.startswith("{"):
        return _lines_of(first)
    return "conll"


def _lines_of(first: str) -> str:
    """Return the format of a file of JSON lines by its first line."""
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
    return "prodigy" if "text" in raw and any(name in raw for name in PRODIGY_MARKS) else "events"


_SCORED = "annotations with a score in a feature"
"""The name of the fact that is counted if a file is read in chunks."""


def scored_by(
    documents: Collection, feature: str, source: Source, problems: Problems
) -> Collection:
    """Return the documents with the number in this feature as the score of each annotation.

    The number may be a text, as in GATE. An annotation without the feature keeps its score; a
    value that is no number is a problem.
    """
    number = 0

    def scored(annotation: Annotation, document: str) -> Annotation:
        nonlocal number
        rest = dict(annotation.features)
        value = rest.pop(feature, None)
        if value is None:
            return annotation
        number += 1
        score = real_number(value)
        if score is None:
            problems.problem(
                f"document '{document}': annotation '{annotation.id}' has {value!r} as its "
                f"'{feature}', expected a finite number",
                source,
            )
        return replace(annotation, features=rest, score=score)

    def rescored(document: Document) -> Document:
        annotations = tuple(scored(one, document.id) for one in document.annotations)
        return replace(document, annotations=annotations)

    collection = {
        key: {name: rescored(document) for name, document in versions.items()}
        for key, versions in documents.items()
    }
    if problems.partial:
        problems.facts[_SCORED, feature, source.name] += number
    elif not number:
        _report_no_score(feature, source, problems)
    return collection


def check_scores(facts: Mapping[Fact, int], problems: Problems) -> None:
    """Report files that were read in chunks and never have the feature."""
    for fact, number in facts.items():
        if fact[0] == _SCORED and not number:
            _report_no_score(fact[1], fact[2], problems)


def _report_no_score(feature: str, source: Source | str, problems: Problems) -> None:
    problems.notice(f"no annotation has the feature '{feature}', which was to be its score", source)
