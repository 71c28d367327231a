"""Reading JSON records: everything that does not fit is said in words, nothing is lost."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from chronoscore.core.columns import misspelt, refuse_misspelt
from chronoscore.core.numbers import fits
from chronoscore.core.reading import NUL, Reading
from chronoscore.core.tally import escaped

Record = TypeVar("Record", bound=msgspec.Struct)


def read_records(
    path: Path, record: type[Record], reading: Reading
) -> Iterable[tuple[int, Record]]:
    """Read one record a line; what does not fit is noted, unknown fields are told once."""
    known = set(record.__struct_fields__)
    unknown: dict[str, list[int]] = {}
    names: set[str] = set()
    for number, line in reading.lines(path):
        if not line.strip():
            continue
        try:
            raw = parse_json(line)
        except JsonError as error:
            reading.problem(str(error), path, number)
            continue
        if not isinstance(raw, Mapping):
            reading.problem(f"the line is {_kind(raw)}, expected an object: {{...}}", path, number)
            continue
        for name in raw.keys() - known:
            unknown.setdefault(name, []).append(number)
        names.update(raw)
        try:
            yield number, msgspec.convert(raw, record)
        except msgspec.ValidationError:  # it names the first misfit only
            for misfit in misfits(raw, record):
                reading.problem(misfit, path, number)
    if unknown and reading.is_table(path):
        refuse_misspelt(misspelt(sorted(names), sorted(known)), reading, path)
    for name, lines in sorted(unknown.items()):
        close = get_close_matches(name, known, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        reading.tally(
            f"unknown field '{escaped(name)}' is ignored ({{count}} record{{s}}, first in "
            f"{{place}}){hint}",
            [(number, name) for number in lines],
            path,
        )


class JsonError(ValueError):
    """Says in words why a text is not JSON that can be read, and in which of its lines."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


_KEY = re.compile(r'"\s*:')
_LONG = re.compile("[0-9]{19}")
_OUT_OF_RANGE = "a number in the JSON is out of range, expected at most 2^63 - 1 (19 digits)"


def parse_json(text: str) -> Any:
    """Read JSON; a key that is there twice is refused, since one of its values would be lost."""
    try:
        value = msgspec.json.decode(text)
        # Counting what may be keys is cheap, and never finds too few: only then look closely.
        if len(_KEY.findall(text)) > _number_of_keys(value):
            json.loads(text, object_pairs_hook=_without_doubles)
        # Digits and escapes may be of other texts: only where there are some, look closely.
        if (long := _LONG.search(text)) and not all(map(fits, _within(value))):
            raise JsonError(_OUT_OF_RANGE, _line_of(text, long.start()))
        if "\\u0000" in text and any(isinstance(v, str) and "\0" in v for v in _within(value)):
            raise JsonError(f"a text {NUL}", _line_of(text, text.index("\\u0000")))
    except RecursionError:
        raise JsonError("the JSON is nested too deeply", 1) from None
    except msgspec.DecodeError as error:
        raise _in_words(str(error), text) from None
    return value


def _within(value: object) -> Iterator[object]:
    """A decoded value, and all keys and values within it."""
    waiting = [value]
    for item in waiting:  # not by recursion: the value may be as deep as it likes
        yield item
        if type(item) is dict:
            yield from item
            waiting.extend(item.values())
        elif type(item) is list:
            waiting.extend(item)


def _line_of(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _number_of_keys(value: object) -> int:
    number, waiting = 0, [value]
    for item in waiting:  # not by recursion: the value may be as deep as it likes
        if type(item) is dict:
            number += len(item)
            waiting.extend(item.values())
        elif type(item) is list:
            waiting.extend(item)
    return number


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    key, times = Counter(key for key, _ in pairs).most_common(1)[0] if pairs else ("", 0)
    if times > 1:
        raise JsonError(f"the key '{key}' is there twice in one object", 1)
    return dict(pairs)


def _in_words(error: str, text: str) -> JsonError:
    """Say what msgspec found in words that need no knowledge of it."""
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
    before = text.encode()[: int(byte.rstrip(")") or 0)].decode(errors="ignore")
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
    """Write the beginning of a value for a message, as its file would have it.

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
    """Say of every part of a value that is not what the record wants there what it is."""
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(value, Mapping) and origin is None and issubclass(kind, msgspec.Struct):
        fields = {field.name: field for field in msgspec.structs.fields(kind)}
        for name, field in fields.items():
            if name in value:
                yield from misfits(value[name], field.type, f"{place}.{name}" if place else name)
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
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            yield _wrong_kind(str(error), place)


def _wrong_kind(error: str, place: str) -> str:
    found = _WRONG_KIND.fullmatch(error)
    if found is None:
        message, _, further = error.partition(" - at `$")
        message = message.replace("Invalid enum value", "expected another word than")
        return f"{place}{further.rstrip('`')}: {message.replace('`', chr(39))}"
    expected, length, got, further = found.groups(default="")
    if length:
        return f"{place} is a list of {got}, expected {length}"
    *others, last = [_WORDS[name] for name in expected.split(" | ") if name in _WORDS]
    wanted = f"{', '.join(others)} or {last}" if others else last
    return f"{place}{further} is {_WORDS.get(got, got)}, expected {wanted}"
