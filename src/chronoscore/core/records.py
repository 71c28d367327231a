"""Records of files: JSON lines, our saved documents, columns of tables, and numbers in text."""

import gc
import math
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from mmap import mmap
from operator import ne
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

from chronoscore.core.problems import Problems, ReadingOptions, escaped
from chronoscore.core.sources import NUL, Source, source_of
from chronoscore.core.writing import FIELD
from chronoscore.errors import DataError, Problem, similar_name

Record = TypeVar("Record", bound=msgspec.Struct)


def read_records(
    source: Source, record: type[Record], problems: Problems
) -> Iterable[tuple[int, Record]]:
    """Read one record a line; problems are reported, and each unknown field once."""
    known = set(record.__struct_fields__)
    unknown: dict[str, list[int]] = {}
    names: set[str] = set()
    quick = _plain_records(record)
    for number, line in source.lines(problems):
        plain = None if source.is_table else quick(line)  # names of columns are checked together
        if plain is not None:
            yield number, plain
            continue
        if not line.strip():
            continue
        try:
            raw = parse_json(line)
        except JsonError as error:
            problems.problem(str(error), source, number)
            continue
        if not isinstance(raw, Mapping):
            problems.problem(
                f"the line is {_kind(raw)}, expected an object: {{...}}", source, number
            )
            continue
        for name in raw.keys() - known:
            unknown.setdefault(name, []).append(number)
        names.update(raw)
        try:
            yield number, msgspec.convert(raw, record)
        except msgspec.ValidationError:  # it names the first misfit only
            for misfit in [*misfits(raw, record)] or ["the line can't be read"]:
                problems.problem(misfit, source, number)
    if unknown and source.is_table:
        refuse_misspelt(misspelt(sorted(names), sorted(known)), problems, source)
    for name, lines in sorted(unknown.items()):
        similar = similar_name(name, known)
        hint = f"; did you mean '{similar}'?" if similar else ""
        problems.count(
            f"unknown field '{escaped(name)}' is ignored ({{count}} record{{s}}, first in "
            f"{{place}}){hint}",
            [(number, name) for number in lines],
            source,
        )


def _plain_records(kind: type[Record]) -> Callable[[str], Record | None]:
    """Return a quick reader of lines that nothing is to be reported of; others give None.

    Such a line has no key but those of the record, each once: as many as there are colons behind
    a quotation mark.
    """
    decode = msgspec.json.Decoder(kind).decode
    fields = msgspec.structs.fields(kind)
    defaults = [_REQUIRED if field.required else _default(field) for field in fields]
    mappings = [place for place, field in enumerate(fields) if get_origin(field.type) is dict]
    numbers = [place for place, field in enumerate(fields) if field.type not in _TEXT_TYPES]

    def plain(line: str) -> Record | None:
        if '" ' in line or '"\t' in line or "\\u0000" in line:  # a colon may be farther off
            return None
        try:
            record = decode(line)
        except (msgspec.MsgspecError, RecursionError):
            return None
        values = msgspec.structs.astuple(record)
        is_set = [*map(ne, values, defaults)]
        if line.count('":') != sum(is_set) + sum(len(values[place]) for place in mappings):
            return None
        if any(is_set[place] for place in numbers) and _LONG.search(line):
            return None
        return record

    return plain


_REQUIRED = object()
_TEXT_TYPES: tuple[Any, ...] = (
    *(str, str | None, tuple[str, ...]),
    dict[str, str | tuple[str, ...]],
)


def _default(field: msgspec.structs.FieldInfo) -> object:
    make = field.default_factory
    return field.default if isinstance(make, msgspec.NODEFAULT.__class__) else make()


def json_lines(source: Source, problems: Problems) -> Iterator[tuple[int, Any]]:
    """Parse each line that is not blank; lines that are no JSON are reported."""
    for number, line in source.lines(problems):
        if line.strip():
            try:
                raw = parse_json(line)
            except JsonError as error:
                problems.problem(str(error), source, number)
            else:
                yield number, raw


class JsonError(ValueError):
    """Says in words why a text is not JSON that can be read, and in which of its lines."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


_KEY = re.compile(r'"\s*:')
_LONG = re.compile("[0-9]{19}")
_OUT_OF_RANGE = "a number in the JSON is out of range, expected at most 2^63 - 1 (19 digits)"


def parse_json(text: str) -> Any:
    """Read JSON; a duplicate key is refused, since one of its values would be lost."""
    try:
        value = msgspec.json.decode(text)
        # Counting possible keys is cheap and never too low: parse again only if it is too high.
        objects = (len(container) for container in _containers(value) if type(container) is dict)
        if len(_KEY.findall(text)) > sum(objects):
            import json  # noqa: PLC0415 - few records have a key twice, and json is slow to import

            json.loads(text, object_pairs_hook=_without_doubles)
        # Long digits and escapes may be part of texts: check all values only where there are some.
        if (long := _LONG.search(text)) and not all(map(fits, _within(value))):
            raise JsonError(_OUT_OF_RANGE, _line_of(text, long.start()))
        if "\\u0000" in text and any(isinstance(v, str) and "\0" in v for v in _within(value)):
            raise JsonError(f"a text {NUL}", _line_of(text, text.index("\\u0000")))
    except RecursionError:
        raise JsonError("the JSON is nested too deeply", 1) from None
    except msgspec.DecodeError as error:
        raise _in_words(str(error), text) from None
    return value


def _containers(value: object) -> Iterator[dict[str, object] | list[object]]:
    """Yield the objects and lists in a decoded value, itself included."""
    waiting = [value]
    for item in waiting:  # no recursion: the value may be nested deeply
        if type(item) is dict:
            waiting.extend(item.values())
            yield item
        elif type(item) is list:
            waiting.extend(item)
            yield item


def _within(value: object) -> Iterator[object]:
    """Yield a decoded value, and all keys and values within it."""
    yield value
    for container in _containers(value):
        yield from container
        if isinstance(container, dict):
            yield from container.values()


def _line_of(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    key, times = Counter(key for key, _ in pairs).most_common(1)[0] if pairs else ("", 0)
    if times > 1:
        raise JsonError(f"the key '{key}' is there twice in one object", 1)
    return dict(pairs)


def _in_words(error: str, text: str) -> JsonError:
    """Turn an error of msgspec into a message that needs no knowledge of msgspec."""
    if not text.strip():
        return JsonError("there is no JSON, only blanks", 1)
    if "truncated" in error:
        end = text.rstrip()
        return JsonError(
            f"the JSON ends too early; is the file cut? Last characters: {end[-20:]!r}",
            end.count("\n") + 1,
        )
    if "out of range" in error:
        return JsonError(_OUT_OF_RANGE, 1)
    reason, _, byte = error.removeprefix("JSON is malformed: ").partition(" (byte ")
    # Of what follows the value, msgspec has read a character already.
    place = int(byte.rstrip(")") or 0) - (reason == "trailing characters")
    before = text.encode()[:place].decode(errors="ignore")
    rest = text[len(before) :]
    if rest.startswith(("NaN", "Infinity")):
        reason = "NaN and Infinity are no numbers in JSON, leave the field out"
    return JsonError(f"not JSON: {reason}, at {rest[:20]!r}", before.count("\n") + 1)


_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_NAMES = {list: "array", dict: "object", str: "str", int: "int", float: "float", bool: "bool"}
_WRONG_KIND = re.compile(r"Expected `(.+?)`(?: of length (\d+))?, got `?(\w+)`?(?: - at `\$(.*)`)?")


def as_json(value: object) -> str:
    """Write the beginning of a value as JSON, for a message.

    >>> as_json([None, True])
    '[null,true]'
    """
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    return text[:60]


def _kind(value: object) -> str:
    return _WORDS.get(_NAMES.get(type(value), ""), "null")


def misfits(value: object, kind: Any, place: str = "") -> Iterator[str]:
    """Yield a message for every part of a value that does not fit the type of the record."""
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(value, Mapping) and origin is None and issubclass(kind, msgspec.Struct):
        fields = {field.name: field for field in msgspec.structs.fields(kind)}
        for name, field in fields.items():
            if name in value:
                yield from misfits(
                    value[name], _of_present(field.type), f"{place}.{name}" if place else name
                )
            elif field.required:
                yield f"{place}{': ' * bool(place)}there is no '{name}'"
        if kind.__struct_config__.forbid_unknown_fields:
            for name in sorted(value.keys() - fields):
                yield f"{place}: unknown field '{name}'"
    elif isinstance(value, list) and origin is tuple and ... in inner:
        for number, item in enumerate(value):
            yield from misfits(item, inner[0], f"{place}[{number}]")
    elif isinstance(value, Mapping) and origin is dict:
        for name, item in value.items():
            yield from misfits(item, inner[1], f"{place}.{name}")
    elif kind is not msgspec.Raw:  # which any value fits
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            is_word = origin is Literal and isinstance(value, str)
            yield _wrong_word(value, inner, place) if is_word else _wrong_kind(str(error), place)


def _of_present(kind: Any) -> Any:
    """The type of an optional field where it is present."""
    inner = tuple(member for member in get_args(kind) if member is not UnsetType)
    return Union[inner] if len(inner) < len(get_args(kind)) else kind  # noqa: UP007


def _wrong_word(value: object, words: Sequence[object], place: str) -> str:
    return f"{place} is '{value}', expected one of: {', '.join(map(str, words))}"


def _wrong_kind(error: str, place: str) -> str:
    match = _WRONG_KIND.fullmatch(error)
    if match is None:
        message, _, further = error.partition(" - at `$")
        message = message.replace("Invalid enum value", "expected another word than")
        return f"{place}{further.rstrip('`')}: {message.replace('`', chr(39))}"
    expected, length, actual, further = match.groups(default="")
    if length:
        return f"{place} is a list of {actual}, expected {length}"
    *others, last = [_WORDS[name] for name in expected.split(" | ") if name in _WORDS]
    choices = f"{', '.join(others)} or {last}" if others else last
    return f"{place}{further} is {_WORDS.get(actual, actual)}, expected {choices}"


# Saved Chronoscore documents: their format, version, schema and checksum.


Warn = Callable[[str], None]
ANY_TEXT = ReadingOptions(max_line=sys.maxsize - 2, lenient=True)
"""How documents of ours are read: lenient, since a blank one is reported as no JSON."""
WRONG_CHECKSUM = (
    "the checksum is wrong: the document was damaged or edited after it was saved; save it again "
    f"by the command that made it, or delete its '{FIELD}' to have it read as it is"
)
_FORMAT = re.compile(rb'^\s*\{\s*"format"\s*:\s*"([a-z-]*)"')


ARCHIVE_HEAD = "chronoscore-result.json"
"""The first entry of the zip that is the archive of a result."""
_ARCHIVE = re.compile(rb"PK\x03\x04(?s:.{26})" + re.escape(ARCHIVE_HEAD.encode()))


class _Named(msgspec.Struct):
    format: str = ""


def starts_archive(data: bytes | mmap) -> bool:
    """Whether bytes, or the first 100 of them, are those of the archive of a result."""
    return _ARCHIVE.match(data) is not None


def format_of(path: Path) -> str:
    """Return the format that a saved document declares, such as chronoscore-result; else empty."""
    try:
        with path.open("rb") as file:
            head = file.read(200).removeprefix(BOM_UTF8)
            if starts_archive(head):
                return "chronoscore-result"
            if match := _FORMAT.search(head):
                return match[1].decode()
            if not head.lstrip().startswith(b"{"):
                return ""
            return msgspec.json.decode(head + file.read(), type=_Named).format
    except (OSError, ValueError, RecursionError):
        return ""


def is_saved_result(path: Path) -> bool:
    """Whether a file begins as a saved result does; the rest of it is not read."""
    try:
        with path.open("rb") as file:
            head = file.read(200).removeprefix(BOM_UTF8)
    except OSError:
        return False
    match = _FORMAT.search(head)
    return starts_archive(head) or (match is not None and match[1] == b"chronoscore-result")


def read_text(path: Path) -> str:
    """Read all text of a document, however long its lines are."""
    problems = Problems(ANY_TEXT)
    text = source_of(path).text(problems)
    problems.check()
    return text or ""


def parse_document(
    data: bytes | str, format: str, version: int, path: object, advice: str
) -> dict[str, Any]:
    """Parse a document, and refuse one of another format or of a newer version.

    `advice` is added to the message if it is another kind of Chronoscore document.
    """
    what = format.removeprefix("chronoscore-")
    try:
        document: Any = parse_json(data if isinstance(data, str) else data.decode())
    except JsonError as error:
        message = f"{error}; expected a {what} document that Chronoscore saved"
        raise DataError.of(message, path, error.line) from None
    except UnicodeDecodeError as error:
        raise DataError.of(f"byte {error.start + 1} is not UTF-8", path) from None
    actual = document.get("format") if isinstance(document, dict) else None
    if actual != format:
        is_ours = isinstance(actual, str) and actual.startswith("chronoscore-")
        hint = f" but a {actual}; {advice}" if is_ours else ""
        raise DataError.of(f"this is not a Chronoscore {what} document{hint}", path)
    number = document.get("version")
    if not isinstance(number, int) or isinstance(number, bool):
        raise DataError.of(f"the version is {as_json(number)}, expected a whole number", path)
    if number > version:
        raise DataError.of(
            f"the {what} has version {number}, this program reads up to {version}: "
            "update chronoscore",
            path,
        )
    if number < 1:
        raise DataError.of(f"there never was a {what} version {number}", path)
    return dict(document)


def json_schema(kind: type) -> dict[str, Any]:
    """Return the JSON schema of a document; its descriptions are without examples of Python."""
    schema: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(kind)))
    for definition in schema["$defs"].values():
        if "description" in definition:
            definition["description"] = definition["description"].partition(">>>")[0].strip()
    return schema


def convert_document(document: dict[str, Any], kind: type[Record], path: object) -> Record:
    """Convert a parsed document to its type; all misfits are reported in one error."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError:
        raise DataError(Problem(text, str(path)) for text in misfits(document, kind)) from None


def check_checksum(
    document: Mapping[str, Any], expected: Callable[[], str], path: object, warn: Warn | None
) -> None:
    """Refuse a wrong checksum, or pass it to `warn` where that is given."""
    if FIELD in document and document[FIELD] != expected():
        if warn is None:
            raise DataError.of(WRONG_CHECKSUM, path)
        warn(f"{path}: {WRONG_CHECKSUM}")


# Pausing the garbage collector, which is slow while many objects are made and few are cyclic.


@contextmanager
def no_collector() -> Iterator[None]:
    """Pause the garbage collector, and restore its state afterwards."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


# The names of columns and fields: unknown and misspelt ones.


_SHORTEST = 4
"""Of shorter names too many other words are one letter away."""


def misspelt(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """Find names that are one edit away from a known name that is not among them.

    An edit adds, drops or changes one letter, or swaps two neighbours. Case does not count.

    >>> misspelt(["topc", "date", "dates", "source"], ["topic", "date", "summary"])
    {'topc': 'topic'}
    """
    names = list(dict.fromkeys(names))
    absent = [name for name in known if name not in names and len(name) >= _SHORTEST]
    unknown = [name for name in names if name not in known]
    corrections = {
        name: next((other for other in absent if _one_edit(name.lower(), other.lower())), "")
        for name in unknown
    }
    return {name: other for name, other in corrections.items() if other}


def _one_edit(first: str, second: str) -> bool:
    if len(first) > len(second):
        first, second = second, first
    if len(second) - len(first) > 1:
        return False
    start = 0
    while start < len(first) and first[start] == second[start]:
        start += 1
    if len(first) < len(second):
        return first[start:] == second[start + 1 :]
    if first[start + 1 :] == second[start + 1 :]:
        return True
    swapped = second[start : start + 2][::-1]
    return first[start : start + 2] == swapped and first[start + 2 :] == second[start + 2 :]


def check_columns(
    header: Sequence[str],
    problems: Problems,
    source: Source | str,
    *,
    needed: Sequence[str],
    optional: Sequence[str],
    line: int | None = None,
    where: str = "",
    hints: Mapping[str, str] | None = None,
    features: bool = False,
    written: Sequence[str] = (),
) -> bool:
    """Check the header of a table; False if the rows below it can't be read.

    A missing or duplicate column is a problem; a misspelt one is refused unless reading is lenient;
    all other columns are named in one notice, unless they are `features`, which are read under any
    name. `hints` are ways out, by the needed column; `written` are the names in the file, if the
    header has others.
    """
    known = (*needed, *optional)
    corrections = misspelt(header, known)
    misspellings = {other: name for name, other in corrections.items()}
    absent = [name for name in needed if name not in header]
    doubled = sorted({name for name in header if name and header.count(name) > 1})
    for name in absent:
        if name in misspellings:
            message = (
                f"; '{misspellings[name]}' is one letter off: did you mean '{name}'? Rename it"
            )
        else:
            message = f"{(hints or {}).get(name, '')}; there are: {', '.join(written or header)}"
        message = f"{where}there is no column '{name}'{message}"
        problems.problem(message, source, line, code="missing", field=name)
    for name in doubled:
        problems.problem(f"{where}the column '{name}' is there twice", source, line)
    refuse_misspelt(
        {n: o for n, o in corrections.items() if o not in absent}, problems, source, line, where
    )
    unread = [name for name in header if name not in known and name not in corrections]
    if unread and not features:
        problems.notice(f"{where}columns not read: {', '.join(unread)}", source)
    return not absent and not doubled


def refuse_misspelt(
    corrections: Mapping[str, str],
    problems: Problems,
    source: Source | str,
    line: int | None = None,
    where: str = "",
) -> None:
    """Refuse columns that are misspelt, unless reading is lenient."""
    for name, other in corrections.items():
        message = f"{where}unknown column '{name}'; did you mean '{other}'? Rename it"
        problems.accept_or_report(message, source, line)


def sheet_problem(error: Exception) -> str:
    """Say in words what the reader of CSV raised.

    >>> sheet_problem(ValueError("field larger than field limit (131072)"))
    'not a readable sheet: a cell is longer than 131072 characters; is a quote not closed?'
    """
    message = str(error)
    if "end of data" in message:
        reason = "a quote is opened here and not closed; is the file cut?"
    elif "field limit" in message:
        most = message.rpartition("(")[2].rstrip(")")
        reason = f"a cell is longer than {most} characters; is a quote not closed?"
    else:
        reason = "a quote ends within a cell; within quotes, write it twice"
    return f"not a readable sheet: {reason}"


def refuse_header_only(
    what: str, problems: Problems, source: Source | str, where: str = ""
) -> None:
    """Refuse a table without rows, as an empty file is refused."""
    problems.accept_or_report(
        f"{where}there is a header but no {what} below it; is the file cut?", source
    )


# Numbers as files write them: ASCII digits, within the range that arrays and JSON can hold.


LEAST_WHOLE, MOST_WHOLE = -(2**63), 2**63 - 1
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=LEAST_WHOLE, le=MOST_WHOLE)]
"""A whole number of a record: one that 64 bits hold."""
BLANKS = " \t"
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_REAL = re.compile(
    r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?"
)


def whole_number(text: str) -> int | None:
    """Parse a whole number, or return None; a sign is accepted, so that -1 can be reported.

    >>> [whole_number(text) for text in ("12", " -3", "1.5", "²", "3\\x1c", "1_0", "9" * 19)]
    [12, -3, None, None, None, None, None]
    """
    plain = text.strip(BLANKS)
    if not _WHOLE.fullmatch(plain):
        return None
    number = int(plain)
    return number if LEAST_WHOLE <= number <= MOST_WHOLE else None


def real_number(value: object) -> float | None:
    """Return the finite number that a value is or that its text spells, or None.

    >>> [real_number(value) for value in (1, "0.5", "1e-3", True, "x", "nan", "1e999", 10**400)]
    [1.0, 0.5, 0.001, None, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        value = value.strip(BLANKS)
        if not _REAL.fullmatch(value):
            return None
    try:
        number = float(value)
    except OverflowError:  # a whole number that no float can hold
        return None
    return number if math.isfinite(number) else None


def by_size(digits: str) -> tuple[int, str]:
    """Return a sort key that orders texts of digits by number, however long they are.

    >>> by_size("007") == by_size("7") < by_size("10") < by_size("9" * 5000)
    True
    """
    plain = digits.lstrip("0")
    return len(plain), plain


def fits(value: object) -> bool:
    """Whether 64 bits can hold a value; any value that is no whole number passes.

    >>> [fits(value) for value in (2**63 - 1, 2**63, "text")]
    [True, False, True]
    """
    return type(value) is not int or LEAST_WHOLE <= value <= MOST_WHOLE
