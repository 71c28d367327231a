"""The English words and patterns that the check of dates knows, from `english.toml`."""

import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files

_TABLES = tomllib.loads(
    files("chronoscore.rubric.dates").joinpath("english.toml").read_text(encoding="utf-8")
)
WORDS = {name: frozenset(text.split()) for name, text in _TABLES["words"].items()}
"""Words by what they say of a date; `english.toml` explains each set."""
DAYS = tuple(_TABLES["days"].split())
MONTHS = tuple(_TABLES["months"].split())
SHORT_MONTHS = {name[:3]: number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
UNSETTLED: list[str] = _TABLES["unsettled"]
ORDINALS: dict[str, int] = _TABLES["ordinals"]
STEPS: dict[str, int] = _TABLES["steps"]
RELATIVE_DAYS: dict[str, int] = _TABLES["relative_days"]
FIXED_HOLIDAYS: dict[str, list[tuple[int, int, int]]] = _TABLES["fixed_holidays"]
EASTER_HOLIDAYS: dict[str, int] = _TABLES["easter_holidays"]
CORES: list[dict[str, str]] = _TABLES["cores"]
MODIFIERS: list[dict[str, str]] = _TABLES["modifiers"]

_ONES = {word: number for number, word in enumerate(_TABLES["one_to_nineteen"].split(), 1)}
_TENS = {word: 10 * number for number, word in enumerate(_TABLES["twenty_to_ninety"].split(), 2)}
NUMBERS: dict[str, int] = (
    _ONES
    | _TENS
    | {f"{ten}-{one}": a + b for ten, a in _TENS.items() for one, b in _ONES.items() if b < 10}
    | _TABLES["other_numbers"]
)


def _any(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first; an apostrophe may be typographic."""
    escaped = (re.escape(word) for word in sorted(words, key=len, reverse=True))
    return "|".join(escaped).replace("'", "['’]")


_FRAGMENTS = {
    "days": _any(DAYS),
    "months": _any(MONTHS),
    "day_names": _any(map(str.title, DAYS)),
    "month_names": _any(map(str.title, MONTHS)),
    "short_month_names": _any(name.title() for name in SHORT_MONTHS if name != "may"),
    "ones": _any(word for word in _ONES if NUMBERS[word] < 10),
    "tens": _any(_TENS),
    "plain_numbers": _any(word for word in NUMBERS if "-" not in word and word not in _TENS),
    "holidays": _any([*FIXED_HOLIDAYS, *EASTER_HOLIDAYS]),
    "relative_days": _any(RELATIVE_DAYS),
    **{
        name: _any(_TABLES[name].split())
        for name in ("parts_of_day", "naming_words", "clause_openers")
    },
}


def _filled(pattern: str) -> str:
    """Replace every {name} in a pattern by the fragment of this name."""
    return re.sub(r"\{([a-z_]+)\}", lambda name: _FRAGMENTS[name[1]], pattern)


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of `english.toml`."""
    return re.compile(_filled(pattern))


for _name, _pattern in _TABLES["fragments"].items():
    _FRAGMENTS[_name] = _filled(_pattern)
PATTERNS = {name: compiled(pattern) for name, pattern in _TABLES["patterns"].items()}
