"""Names with parameters, `name(key=value, ...)`, and signatures: written and parsed back.

>>> write("align", {"rouge": 2, "features": ("id", "a,b")})
'align(rouge=2,features=[id,"a,b"])'
>>> parse('align(rouge=2, features=[id,"a,b"])')
('align', {'rouge': '2', 'features': ('id', 'a,b')})
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote, unquote

import msgspec

from chronoscore.errors import UsageError

Value = int | float | str | bool | tuple[str, ...]
_BARE = re.compile(r"[^\s,;|()\[\]\"=%]+")
_NESTED = re.compile(_BARE.pattern + r"\([^\s;|()\[\]\"%]*\)")
"""A value with parameters of its own, such as `within(24h)`."""
_OPEN, _CLOSE = "([", ")]"


def write(name: str, values: Mapping[str, Value]) -> str:
    """Write a name and its parameters."""
    if not values:
        return name
    return f"{name}({','.join(f'{key}={_written(value)}' for key, value in values.items())})"


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, of Python or of numpy."""
    return hasattr(value, "__index__") and not isinstance(value, bool)


def parse(text: str) -> tuple[str, dict[str, str | tuple[str, ...]]]:
    """Split a name from its parameters; the metric decides what they mean."""
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
    """Split at a separator that is outside brackets and quotes; an empty text gives no parts."""
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
    if _BARE.fullmatch(text) or _NESTED.fullmatch(text):
        return text
    import json  # noqa: PLC0415 - few names need quotes, and json is slow to import

    return json.dumps(text)


def _read(text: str, whole: str) -> str:
    if not text.startswith('"'):
        return text
    import json  # noqa: PLC0415 - as above

    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        raise UsageError(f"{text} in '{whole}' is not a quoted text") from None
    return str(value)


# The signature names everything that a number depends on, and parses back to the settings.


_SAFE = "".join(chr(code) for code in range(33, 127) if chr(code) not in "|%")


class Signature(msgspec.Struct, frozen=True):
    """What was computed, how, on which data, by which version."""

    family: str
    metrics: tuple[str, ...]
    path: str
    undefined: str
    version: str
    protocol: str = ""
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    text: str = ""
    """The versions of what turns text into tokens, such as `stems-es.1(pystemmer=3.1.0)`."""
    interval: str = ""
    gold: str = ""
    predicted: str = ""

    @property
    def parts(self) -> dict[str, str]:
        """The parts of the signature by their keys, in a fixed order."""
        parts = {
            "family": self.family,
            "protocol": self.protocol,
            "metrics": ";".join(self.metrics),
            "path": self.path,
            "undefined": self.undefined,
            **{f"option.{name}": value for name, value in sorted(self.options.items())},
            "text": self.text,
            "interval": self.interval,
            "gold": self.gold,
            "predicted": self.predicted,
            "version": self.version,
        }
        return {key: value for key, value in parts.items() if value}

    def __str__(self) -> str:
        """Write as `key=value|key=value|...`."""
        return "|".join(f"{key}={quote(value, safe=_SAFE)}" for key, value in self.parts.items())

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Parse what `str` wrote."""
        fields: dict[str, str] = {}
        # Tables print it as `system: family=...`; a user may copy the system's name along.
        text = text[max(text.find("family="), 0) :]
        for part in text.strip().split("|"):
            key, equals, value = part.partition("=")
            if not equals or key in fields:
                raise UsageError(f"'{part}' is no part of a signature (key=value, each key once)")
            fields[key] = unquote(value)
        options = {
            key.removeprefix("option."): fields.pop(key)
            for key in list(fields)
            if key.startswith("option.")
        }
        needed = ("family", "metrics", "path", "undefined", "version")
        absent = [key for key in needed if key not in fields]
        unknown = fields.keys() - {*needed, "protocol", "text", "interval", "gold", "predicted"}
        if absent or unknown:
            why = f"it lacks {', '.join(absent)}" if absent else f"unknown: {', '.join(unknown)}"
            raise UsageError(f"this is not a complete signature: {why}")
        metrics = tuple(split(fields.pop("metrics"), ";"))
        return cls(metrics=metrics, options=options, **fields)


def short_signature(*signatures: str) -> str:
    """Return the short form of a signature, such as `timelines:news-tls#3fa9c1d2 v0.2.0`.

    It names the family, the protocol (or `custom`) and the version. The eight digits are the start
    of the SHA-256 hash of the whole signature: other settings, another gold, other predictions or
    another version give other digits. Several signatures, of the systems of one run, have one short
    form, by the hash of their sorted lines; the systems' names and order do not change it.

    >>> sig = "family=timelines|protocol=tls|metrics=AR-1|path=micro|undefined=zero|version=0.2.0"
    >>> short_signature(sig)
    'timelines:tls#03e7c744 v0.2.0'
    """
    parsed = [Signature.parse(text) for text in signatures]
    lines = sorted(str(signature) for signature in parsed)
    digits = sha256("\n".join(lines).encode()).hexdigest()[:8]
    of, protocol = parsed[0], quote(parsed[0].protocol, safe=_SAFE) or "custom"
    return f"{of.family}:{protocol}#{digits} v{of.version}"


def differences(first: Mapping[str, str], second: Mapping[str, str]) -> str:
    """Say in which parts the second signature differs from the first.

    >>> differences({"path": "micro"}, {"path": "macro", "interval": "auto"})
    'interval is auto, not none, path is macro, not micro'
    """
    names = sorted(name for name in {**first, **second} if first.get(name) != second.get(name))
    return ", ".join(
        f"{name} is {second.get(name, 'none')}, not {first.get(name, 'none')}" for name in names
    )
