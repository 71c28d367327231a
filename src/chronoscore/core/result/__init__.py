"""The result: one versioned document, from which every table, page and gate is computed.

It is saved as JSON or, if it has very many rows, as an archive with the same head and the rows as
columns (see `archive`). A saved document carries a checksum of its content. Neither white space
nor the order of keys changes it; documents of earlier versions have none and are read without one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from io import BytesIO
from mmap import ACCESS_READ, mmap
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from chronoscore.core.case import some
from chronoscore.core.evidence import Match, Row, Statistic
from chronoscore.core.evidence_table import AT_ONCE, EvidenceTable, unite
from chronoscore.core.problems import Problems
from chronoscore.core.records import (
    ANY_TEXT,
    Warn,
    check_checksum,
    convert_document,
    json_schema,
    no_collector,
    parse_document,
    read_records,
    read_text,
    starts_archive,
)
from chronoscore.core.result.checks import inconsistencies, strangers
from chronoscore.core.sources import source_of
from chronoscore.core.writing import FIELD, canonical, checksum, replaced
from chronoscore.errors import DataError, Problem

VERSION = 1
FORMAT: Final = "chronoscore-result"
ARCHIVE_ENDING = ".chronoscore"
"""The ending of the name of an archive; a name that ends in .json is that of JSON."""
ARCHIVED_ROWS = 100_000
"""Rows from which a result becomes an archive if its name has neither ending."""
_ZIP = b"PK"


class MetricInfo(msgspec.Struct, frozen=True):
    """What a column of the table is."""

    name: str
    label: str
    meaning: str
    scores: tuple[str, ...]
    primary: str
    statistics: tuple[Statistic, ...]
    shown: tuple[str, ...]
    curve: Literal["", "best", "median"] = ""
    better: Literal["higher", "lower"] = "higher"


class CurvePoint(msgspec.Struct, frozen=True):
    """The summed statistics and the scores of what reaches a threshold."""

    threshold: float
    statistics: tuple[int | float, ...]
    scores: dict[str, float | None]


class Interval(msgspec.Struct, frozen=True, omit_defaults=True):
    """A confidence interval: the values between which a score probably lies.

    >>> from chronoscore import score
    >>> from chronoscore.demo import home
    >>> result = score("timelines", home() / "gold.jsonl", home() / "quick.jsonl", interval=True)
    >>> interval = result["AR-1"].interval
    >>> round(interval.low, 3), round(interval.high, 3), interval.level, interval.method
    (0.21, 0.341, 0.95, 'jackknife-t')
    """

    low: float
    """Its lower end."""
    high: float
    """Its upper end."""
    level: float
    """The confidence level, such as 0.95."""
    method: str
    """jackknife-t, jackknife-logit, bootstrap or bayes."""
    clusters: int
    """The number of independent units that it rests on; 0 for bayes, which draws none."""
    unit: str = ""
    """What these units are, such as topics."""
    coverage: float | None = None
    """If units are few: how often such intervals contain the true score in simulation, at worst."""
    draws: int | None = None
    """How many resamples were drawn, if that is fewer than usual."""
    n_eff: float | None = None
    """The number of equal units that would support the score as firmly; None if none is drawn."""


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One metric on one group of cases. A score that is None is undefined."""

    metric: str
    group: dict[str, str]
    cases: int
    scores: dict[str, float | None]
    statistics: tuple[int | float, ...] = ()
    """Sums over the group's rows; they explain the score where the average is micro."""
    undefined: dict[str, int] = {}
    """How many cases had no value for a component before the policy was applied."""
    curve: tuple[CurvePoint, ...] = ()
    units: dict[str, int] = {}
    """How many of each level were averaged, for example golds and topics."""
    intervals: dict[str, Interval] = {}
    """By score, where intervals were asked for and can be had."""
    kind: Literal["cases", "value", "mean"] = "cases"
    """Whether the group is of whole cases, of the items that have a value, or the mean over all
    values."""


class Agreement(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far raters agree on one criterion."""

    criterion: str
    coefficient: str
    value: float | None
    units: int
    ratings: int
    raters: int
    reason: str = ""
    """Why there is no value."""
    interval: Interval | None = None
    """Over clusters, such as articles."""
    no_interval: str = ""
    """Why there is a value and no interval."""


class SystemResult(msgspec.Struct, frozen=True):
    """All that is known of one system: its summaries and the rows they came from."""

    name: str
    signature: str
    summaries: tuple[Summary, ...]
    rows: Sequence[Row]
    """In the order of their cases; columns that make each row when it is looked at, if many."""
    names: dict[str, str] | UnsetType = UNSET
    """The gold of each prediction whose name differs from it, as TOPIC or TOPIC/GOLD."""

    @property
    def is_ranked(self) -> bool:
        """Whether it takes part in rankings; golds and baselines, in brackets, do not."""
        return not self.name.startswith("(")


class ResultDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result document."""

    format: Literal["chronoscore-result"] = FORMAT
    version: int = VERSION
    family: str
    protocol: str
    path: str
    undefined: str
    options: dict[str, str]
    metrics: tuple[MetricInfo, ...]
    systems: tuple[SystemResult, ...]
    agreement: tuple[Agreement, ...] = ()
    """Between raters, over all systems; only where people judged."""
    notices: tuple[str, ...] = ()
    left_out: int = 0
    """Cases that could not be read or measured, and are in none of the scores."""
    unicode: str | UnsetType = UNSET
    """The version of Unicode that decided what a letter is, where tokens depend on it."""


def left_out_notice(cases: int) -> str:
    """Return the notice that cases were left out of a result."""
    many = "1 case was" if cases == 1 else f"{cases} cases were"
    return f"only a part was scored: {many} bad and left out, so the scores cover only the others"


def unread_notice(places: list[str]) -> str:
    """Return the notice on unreadable lines, whose cases are unknown."""
    if len(places) == 1:
        notice = "1 line can't be read, so its case is unknown and is scored without it"
    else:
        notice = (
            f"{len(places)} lines can't be read, so their cases are unknown and are scored "
            "without them"
        )
    return f"{notice} ({some(places)})"


class CaseMatches(msgspec.Struct, frozen=True):
    """The matches of one metric on one case: a line of the sidecar file."""

    system: str
    case: str
    metric: str
    matches: tuple[Match, ...]


class CaseTexts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The texts that the matches of a case refer to: those of both sides, by the names in matches.

    For timelines these are days and their sentences. A line of the second sidecar file.
    """

    system: str
    case: str
    gold: dict[str, tuple[str, ...]]
    predicted: dict[str, tuple[str, ...]]
    gold_times: dict[str, str] = {}
    """The times of items that have one, where their names are no times."""
    predicted_times: dict[str, str] = {}


# Writing and reading the document


Item = TypeVar("Item", CaseMatches, CaseTexts)


def encode(result: ResultDocument) -> bytes:
    """Write the document with its checksum; equal results give equal bytes."""
    return b"".join(_pieces(result))


def _pieces(result: ResultDocument) -> Iterator[bytes]:
    """Yield the document in pieces, so that not all rows are text at once."""
    outline = outline_of(result)
    text = msgspec.json.format(msgspec.json.encode(outline), indent=1)
    head, *parts = text.removesuffix(b"\n}").split(EMPTY)
    row_digest = blake2b()
    yield head
    for system, part in zip(result.systems, parts, strict=True):
        yield from text_of(system.rows, row_digest.update)
        yield part
    sealed = _checksum(msgspec.to_builtins(outline), row_digest.digest())
    yield f',\n "{FIELD}": "{sealed}"\n}}\n'.encode()


def without_checksum(document: bytes) -> bytes:
    """Remove the checksum from the bytes that `encode` returned."""
    return _SEAL.sub(b"\n}\n", document)


_SEAL = re.compile(rf',\n "{FIELD}": "\w*"\n}}\n\Z'.encode())


def _checksum(outline: dict[str, Any], rows: bytes) -> str:
    """Return the checksum of a document, from the digest of its rows and from all other fields."""
    systems = [{**system, "rows": []} for system in outline["systems"]]
    rest = {name: value for name, value in outline.items() if name != FIELD}
    return checksum([rows, canonical({**rest, "systems": systems})])


def decode(data: bytes | str, path: object = "", warn: Warn | None = None) -> ResultDocument:
    """Read a document of this or any earlier version; an error names each problem.

    A wrong checksum is an error, or is passed to `warn` where that is given.
    """
    if isinstance(data, bytes):
        if data[:2] == _ZIP:
            return _from_archive(BytesIO(data), path)
        quick = _in_pieces(data, path, warn)
        if quick is not None:
            return quick
    document = _document(data, path)
    result = convert_document(document, ResultDocument, path)
    row_digest = blake2b()
    for system in result.systems:
        row_digest.update(canonical_rows(system.rows) + EMPTY)
    return _checked(result, document, row_digest.digest(), path, warn)


def _in_pieces(data: bytes | mmap, path: object, warn: Warn | None) -> ResultDocument | None:
    """Read the rows in pieces, and the other fields as a whole; None if that is not possible.

    This takes a third of the time and memory. A document that is damaged, or whose rows another
    program formatted, is read as a whole.
    """
    row_digest = blake2b()
    parts = without_rows(data, row_digest.update)
    if parts is None or f'\n "version": {VERSION},'.encode() not in parts[0]:
        return None
    try:
        document = _document(parts[0], path)
        outline = convert_document(document, ResultDocument, path)
    except DataError:
        return None
    if len(outline.systems) != len(parts[1]):
        return None
    result = with_rows(outline, parts[1])
    return _checked(result, document, row_digest.digest(), path, warn)


def _document(data: bytes | str, path: object) -> dict[str, Any]:
    advice = "a result is saved by the verb of one family"
    document = parse_document(data, FORMAT, VERSION, path, advice)
    if "archive" in document:
        raise DataError.of("this is only the head of an archive: name the archive itself", path)
    return document


def outline_of(result: ResultDocument) -> ResultDocument:
    """Return the document without its rows."""
    bare = [msgspec.structs.replace(system, rows=()) for system in result.systems]
    return msgspec.structs.replace(result, systems=tuple(bare))


def _from_archive(file: BinaryIO, path: object) -> ResultDocument:
    from chronoscore.core.result.archive import ArchiveReader  # noqa: PLC0415 - few are archives

    reader = ArchiveReader(file, path)
    document = parse_document(reader.head(), FORMAT, VERSION, path, "")
    outline = convert_document(document, ResultDocument, path)
    tables = reader.tables(document, len(outline.systems))
    result = with_rows(outline, [table.rows for table in tables])
    _refuse_inconsistent(result, path)
    return result


def with_rows(outline: ResultDocument, rows: Sequence[Sequence[Row]]) -> ResultDocument:
    """Return the document with the rows of its systems."""
    pairs = zip(outline.systems, rows, strict=True)
    systems = (msgspec.structs.replace(system, rows=system_rows) for system, system_rows in pairs)
    return msgspec.structs.replace(outline, systems=tuple(systems))


def _checked(
    result: ResultDocument, document: dict[str, Any], rows: bytes, path: object, warn: Warn | None
) -> ResultDocument:
    """Refuse a document that fits the schema but is inconsistent or was changed after saving."""
    _refuse_inconsistent(result, path)
    check_checksum(document, lambda: _checksum(document, rows), path, warn)
    return result


def _refuse_inconsistent(result: ResultDocument, path: object) -> None:
    if problems := inconsistencies(result):
        raise DataError(Problem(problem, str(path)) for problem in problems)


def schema() -> dict[str, Any]:
    """Return the JSON schema of the document."""
    document = json_schema(ResultDocument)
    document["$defs"]["ResultDocument"]["properties"][FIELD] = {"type": "string"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Chronoscore result, version 1",
        **document,
    }


def matches_path(path: Path) -> Path:
    """The path of the matches of a saved result, in the same folder."""
    return path.with_suffix(".matches.jsonl")


def texts_path(path: Path) -> Path:
    """The path of the texts of a saved result, in the same folder."""
    return path.with_suffix(".texts.jsonl")


def save(
    result: ResultDocument,
    matches: Sequence[CaseMatches],
    path: Path,
    texts: Sequence[CaseTexts] = (),
) -> None:
    """Write the document, and its matches and texts into sidecar files.

    The document is JSON if its name ends in .json, an archive if it ends in .chronoscore, and
    otherwise an archive from 100,000 rows on; a stream, such as /dev/stdout, is always JSON.
    """
    with ExitStack() as stack:  # the files are renamed together, once all are written
        draft = stack.enter_context(replaced(path))
        is_stream = draft == path  # which can have no sidecar
        with draft.open("wb") as file:
            if not is_stream and is_archived(result, path):
                _write_archive(result, file)
            else:
                file.writelines(_pieces(result))
        for of, items in () if is_stream else ((matches_path, matches), (texts_path, texts)):
            if items:
                with stack.enter_context(replaced(of(path))).open("wb") as file:
                    file.writelines(_lines(items))


def is_archived(result: ResultDocument, path: Path) -> bool:
    """Whether a result is saved under this name as an archive, not as JSON."""
    ending = path.suffix.lower()
    if ending in (ARCHIVE_ENDING, ".json"):
        return ending == ARCHIVE_ENDING
    return sum(len(system.rows) for system in result.systems) >= ARCHIVED_ROWS


def _write_archive(result: ResultDocument, file: BinaryIO) -> None:
    from chronoscore.core.result.archive import write  # noqa: PLC0415 - few are archives

    head = msgspec.to_builtins(outline_of(result))
    write(head, [(system.name, system.rows) for system in result.systems], file)


def save_again(result: ResultDocument, source: Path, target: Path) -> None:
    """Save a result that was loaded under another name, with its matches and texts."""
    same = matches_path(source).absolute() == matches_path(target).absolute()
    matches, texts = ([], []) if same else load_sidecars(source, result)
    save(result, matches, target, texts)


def _lines(items: Sequence[msgspec.Struct]) -> Iterator[bytes]:
    """Yield the items as lines, one by one, since they may be on disk."""
    for item in items:
        yield msgspec.json.encode(item) + b"\n"


def load(path: str | PathLike[str], warn: Warn | None = None) -> ResultDocument:
    """Read a saved result; a wrong checksum is an error, or is passed to `warn`."""
    path = Path(path)
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            if data[:2] == _ZIP:
                return _from_archive(file, path)
            quick = _in_pieces(data, path, warn)
        if quick is not None:
            return quick
    return decode(read_text(path), path, warn)


def head_of(path: Path) -> bytes:
    """Return the JSON of a saved document; that of an archive is without the rows."""
    with path.open("rb") as file:
        data = file.read(200)
        if not starts_archive(data):
            return data + file.read()
        from chronoscore.core.result.archive import ArchiveReader  # noqa: PLC0415 - as above

        return ArchiveReader(file, path).head()


def saved_files(folder: Path) -> list[Path]:
    """Return the files in a folder, and in those inside it, that have the names of results."""
    files = (file for ending in (".json", ARCHIVE_ENDING) for file in folder.rglob(f"*{ending}"))
    return sorted(file for file in files if file.is_file())


def load_matches(path: Path, result: ResultDocument | None = None) -> list[CaseMatches]:
    """Read the matches that were saved with a result; they must belong to that result."""
    sidecar = matches_path(path)
    if not sidecar.exists():
        raise DataError.of(f"there is no {sidecar.name} beside it to explain the scores", path)
    matches = _sidecar(sidecar, CaseMatches, result)
    if not matches:
        raise DataError.of("there are no matches in the file", sidecar)
    return matches


def load_texts(path: Path, result: ResultDocument | None = None) -> list[CaseTexts]:
    """Read the texts that were saved with a result, if there are any."""
    sidecar = texts_path(path)
    return _sidecar(sidecar, CaseTexts, result) if sidecar.exists() else []


def load_sidecars(path: Path, result: ResultDocument) -> tuple[list[CaseMatches], list[CaseTexts]]:
    """Read the matches and texts that were saved with a result, if there are any."""
    if not matches_path(path).exists():
        return [], []
    return load_matches(path, result), load_texts(path, result)


def _sidecar(path: Path, kind: type[Item], result: ResultDocument | None) -> list[Item]:
    problems = Problems(ANY_TEXT)
    items = [item for _, item in read_records(source_of(path), kind, problems)]
    problems.check()
    if result is not None and (wrong := strangers(result, items)):
        messages = (f"belongs to another result: {text}; move it away" for text in wrong)
        raise DataError(Problem(message, str(path)) for message in messages)
    return items


# Rows to and from the text of a result document, a few thousand at a time.


Watch = Callable[[bytes], None]
EMPTY = b'\n   "rows": []'
"""Where the rows of a system stand; nothing else of a document has this key that far in."""
_HEAD, _END = EMPTY[:-1], b"\n   ]"
_BETWEEN = b"\n    },\n    {"
_CANONICAL = msgspec.json.Encoder(order="sorted")
_PIECE = 1 << 22
"""Bytes that are read at once, and on to the end of a row."""


def canonical_rows(rows: Sequence[Row]) -> bytes:
    """Write rows as the checksum needs them: a line each, keys in ascending order."""
    return _CANONICAL.encode_lines(rows if isinstance(rows, list) else list(rows))


def text_of(rows: Sequence[Row], watch: Watch) -> Iterator[bytes]:
    """Yield the rows of a system as text in pieces; `watch` gets them as canonical lines."""
    if not len(rows):
        watch(EMPTY)
        yield EMPTY
        return
    yield _HEAD
    for first in range(0, len(rows), AT_ONCE):
        with no_collector():
            block = rows[first : first + AT_ONCE]
            piece = _piece(block)
            watch(canonical_rows(block))
        yield (b"," if first else b"") + piece
    watch(EMPTY)
    yield _END


def _piece(rows: Sequence[Row]) -> bytes:
    text = msgspec.json.format(msgspec.json.encode(rows), indent=1)
    return text[1:-2].replace(b"\n", b"\n   ")  # without brackets, and indented as in the document


def without_rows(data: bytes | mmap, watch: Watch) -> tuple[bytes, list[Sequence[Row]]] | None:
    """Split a document from the rows of each system; None if another program formatted the rows.

    `watch` gets the rows as canonical lines. All rows are encoded again and must give the same
    bytes, so that nothing is lost unnoticed.
    """
    pieces, rows_by_system, position = [], [], 0
    while (start := data.find(_HEAD, position)) >= 0:
        pieces += [data[position:start], EMPTY]
        position = start + len(_HEAD)
        rows: Sequence[Row] | None = []
        if data[position : position + 1] == b"]":
            position += 1
        else:
            end = data.find(_END, position)
            with no_collector():
                rows = _read(data, position, end, watch)
            position = end + len(_END)
        if rows is None:
            return None
        rows_by_system.append(rows)
        watch(EMPTY)
    return b"".join([*pieces, data[position:]]), rows_by_system


def _read(data: bytes | mmap, first: int, end: int, watch: Watch) -> Sequence[Row] | None:
    tables: list[EvidenceTable] = []
    while first < end:
        cut = data.find(_BETWEEN, first + _PIECE, end)
        last = end if cut < 0 else cut + _BETWEEN.index(b",")
        text = data[first:last]
        try:
            rows = msgspec.json.decode(b"[" + text + b"]", type=list[Row])
            watch(canonical_rows(rows))
            if not tables and last == end and len(rows) <= AT_ONCE:
                return rows if _piece(rows) == text else None
            table = EvidenceTable.of(rows)
        except (msgspec.MsgspecError, ValueError, RecursionError, DataError):
            return None
        if _piece(table.rows[:]) != text or (tables and not _follows(tables[-1], table)):
            return None
        tables.append(table)
        first = last + 1  # after the comma
    return unite(*tables).rows if tables else None


def _follows(first: EvidenceTable, second: EvidenceTable) -> bool:
    """Whether two tables can be concatenated without a change to any row."""

    def kinds(table: EvidenceTable) -> tuple[Any, ...]:
        mappings = (table.tags, table.statistics, table.steps, table.parts)
        return *(tuple(columns) for columns in mappings), table.whole

    return first.cases[-1] < second.cases[0] and kinds(first) == kinds(second)
