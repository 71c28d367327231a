"""The signature names everything that a number depends on, and parses back to the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, unquote

from chronoscore.core import names
from chronoscore.core.errors import UsageError

IntervalMethod = Literal["auto", "jackknife", "logit", "bootstrap", "bayes"]
INTERVAL_METHODS: Mapping[IntervalMethod, str] = {
    "auto": "the jackknife",
    "jackknife": "Student's t around the score, its error from leaving out each unit in turn",
    "logit": "the jackknife on the scale of log odds, for scores near an end of their range",
    "bootstrap": "the middle of the scores of resampled units",
    "bayes": "from pooled whole counts; nothing is drawn",
}
"""How intervals of scores are made, for the parser, the help and the documentation."""

_SAFE = "".join(chr(code) for code in range(33, 127) if chr(code) not in "|%")


@dataclass(frozen=True)
class Signature:
    """What was computed, how, on which data, by which version."""

    family: str
    metrics: tuple[str, ...]
    path: str
    undefined: str
    version: str
    protocol: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    interval: str = ""
    gold: str = ""
    predicted: str = ""

    def __str__(self) -> str:
        """Write as `key=value|key=value|...`, in a fixed order."""
        parts = {
            "family": self.family,
            "protocol": self.protocol,
            "metrics": ";".join(self.metrics),
            "path": self.path,
            "undefined": self.undefined,
            **{f"option.{name}": value for name, value in sorted(self.options.items())},
            "interval": self.interval,
            "gold": self.gold,
            "predicted": self.predicted,
            "version": self.version,
        }
        return "|".join(
            f"{key}={quote(value, safe=_SAFE)}" for key, value in parts.items() if value
        )

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Parse what `str` wrote."""
        fields: dict[str, str] = {}
        # Tables print it as `system: family=...`; what is before it may be copied along.
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
        unknown = fields.keys() - {*needed, "protocol", "interval", "gold", "predicted"}
        if absent or unknown:
            why = f"it lacks {', '.join(absent)}" if absent else f"unknown: {', '.join(unknown)}"
            raise UsageError(f"this is not a complete signature: {why}")
        metrics = tuple(names.split(fields.pop("metrics"), ";"))
        return cls(metrics=metrics, options=options, **fields)
