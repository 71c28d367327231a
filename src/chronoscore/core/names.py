"""Names with parameters, `name(key=value, ...)`: written and parsed back without loss.

>>> write("align", {"rouge": 2, "features": ("id", "a,b")})
'align(rouge=2,features=[id,"a,b"])'
>>> parse('align(rouge=2, features=[id,"a,b"])')
('align', {'rouge': '2', 'features': ('id', 'a,b')})
"""

import json
import re
from collections.abc import Mapping

from chronoscore.core.errors import UsageError

Value = int | float | str | bool | tuple[str, ...]
_BARE = re.compile(r"[^\s,;|()\[\]\"=%]+")
_OPEN, _CLOSE = "([", ")]"


def write(name: str, values: Mapping[str, Value]) -> str:
    """Write a name and its parameters."""
    if not values:
        return name
    return f"{name}({','.join(f'{key}={_written(value)}' for key, value in values.items())})"


def parse(text: str) -> tuple[str, dict[str, str | tuple[str, ...]]]:
    """Split a name from its parameters; what the parameters mean is the metric's to say."""
    name, bracket, rest = text.strip().partition("(")
    name = name.strip()
    if not name:
        raise UsageError(f"'{text}' has no name before its parameters")
    if not bracket:
        return name, {}
    if not rest.rstrip().endswith(")"):
        raise UsageError(f"'{text}' has no closing bracket")
    values: dict[str, str | tuple[str, ...]] = {}
    for part in split(rest.rstrip()[:-1], ","):
        key, equals, value = part.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not key or not value:
            raise UsageError(f"'{part.strip()}' in '{text}' is not of the form parameter=value")
        if key in values:
            raise UsageError(f"parameter '{key}' is given twice in '{text}'")
        if value.startswith("["):
            if not value.endswith("]"):
                raise UsageError(f"'{value}' in '{text}' has no closing bracket")
            values[key] = tuple(_read(item.strip(), text) for item in split(value[1:-1], ","))
        else:
            values[key] = _read(value, text)
    return name, values


def split(text: str, separator: str) -> list[str]:
    """Split at a separator that is outside brackets and quotes; nothing gives nothing."""
    parts, depth, quoted, start, previous = [], 0, False, 0, ""
    for place, character in enumerate(text):
        if character == '"' and not (quoted and previous == "\\"):
            quoted = not quoted
        elif not quoted and character in _OPEN:
            depth += 1
        elif not quoted and character in _CLOSE:
            depth -= 1
        elif not quoted and depth == 0 and character == separator:
            parts.append(text[start:place])
            start = place + 1
        # An escaped backslash does not escape what follows it.
        previous = "" if (character, previous) == ("\\", "\\") else character
    if quoted or depth:
        raise UsageError(f"brackets or quotes do not close in '{text}'")
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{','.join(_written(item) for item in value)}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return text if _BARE.fullmatch(text) else json.dumps(text)


def _read(text: str, whole: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        raise UsageError(f"{text} in '{whole}' is not a quoted text") from None
    return str(value)
