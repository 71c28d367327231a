"""What a language says of time: its words and patterns, from the file `LANGUAGE.toml`.

Whatever belongs to one language is in its file, which `en.toml` explains; the other modules of this
package know none. A pattern captures words in named groups, and the file's tables turn those words
into values that mean the same in every language: the month of "Sept." is 9, the unit of "days" is
"day".
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from chronoscore.elements.text import language_code, mostly_foreign, not_english
from chronoscore.elements.time.expressions import meanings
from chronoscore.elements.time.expressions.meanings import Groups

Kind = Literal["date", "bound", "offset", "duration", "started", "ignored", "unknown"]


class Core(NamedTuple):
    """A pattern, what it finds, the rule that reads it, and what must stand before it."""

    pattern: re.Pattern[str]
    kind: Kind
    rule: meanings.Rule | None
    after: re.Pattern[str] | None


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The words and patterns of one language; what its file leaves out matches nothing."""

    language: str
    """The first part of its BCP 47 code."""
    name: str
    """What the language is called in English."""
    words: Mapping[str, frozenset[str]]
    """Words by what they say of a date."""
    patterns: Mapping[str, re.Pattern[str]]
    unsettled: tuple[str, ...]
    """Words after which an event may have happened on another day than planned, or not at all."""
    cores: tuple[Core, ...]
    modifiers: tuple[tuple[re.Pattern[str], str], ...]
    """Patterns of the words before a date, and the change that each makes to it."""
    values: Mapping[str, Mapping[str, Any]]
    """The values of the words that a group captures, by the name of the group."""

    @classmethod
    def parse(cls, language: str, text: str) -> "Lexicon":
        """Make the lexicon of a language from the text of its file.

        >>> rules = "cores = [{rule = 'relative_day', pattern = '(?P<days>{days})'}]"
        >>> latin = Lexicon.parse("la", f"name = 'Latin'\\n{rules}\\n[values.days]\\nheri = -1")
        >>> latin.groups(latin.cores[0].pattern.match("heri"))
        {'days': -1}
        """
        tables = defaultdict[str, Any](dict, tomllib.loads(text))
        lists = {name: words.split() for name, words in tables["lists"].items()}
        short_months, other_numbers = tables["short_months"], tables["other_numbers"]
        values = {
            "weekday": _numbered(lists.get("weekdays", [])),
            "month": _numbered(lists.get("months", [])) | short_months,
            "number": _numbered(lists.get("numbers", [])) | other_numbers,
            **tables["values"],
        }
        named = {"short_months": short_months, "other_numbers": other_numbers}
        fragments = {name: _any(words) for name, words in (values | lists | named).items()}
        for name in ("weekdays", "months", "short_months"):
            names = (word.capitalize() for word in (lists | named).get(name, ()))
            fragments[name.capitalize()] = _any(names)

        def compiled(pattern: str) -> re.Pattern[str]:
            return re.compile(_filled(pattern, fragments))

        for name, pattern in tables["fragments"].items():
            fragments[name] = _filled(pattern, fragments)
        patterns = defaultdict[str, re.Pattern[str]](lambda: re.compile("(?!)"))
        patterns |= {name: compiled(pattern) for name, pattern in tables["patterns"].items()}
        words = defaultdict[str, frozenset[str]](frozenset)
        words |= {name: frozenset(text.split()) for name, text in tables["words"].items()}
        cores = (
            Core(
                compiled(row["pattern"]),
                row.get("kind", "date"),
                getattr(meanings, row["rule"]) if "rule" in row else None,
                patterns[row["after"]] if "after" in row else None,
            )
            for row in tables["cores"]
        )
        return cls(
            language=language,
            name=tables["name"],
            words=words,
            patterns=patterns,
            unsettled=tuple(tables["unsettled"]),
            cores=tuple(cores),
            modifiers=tuple(
                (compiled(row["pattern"]), row["change"]) for row in tables["modifiers"]
            ),
            values=values,
        )

    def groups(self, match: re.Match[str]) -> Groups:
        """Return the values of the groups that a pattern matched: numbers, and words by table."""
        return {
            name: self._value(name, text.lower().replace("’", "'").rstrip("."))
            for name, text in match.groupdict().items()
            if text
        }

    def _value(self, group: str, word: str) -> Any:
        values = self.values.get(group, {})
        return values[word] if word in values else int(word) if word.isdecimal() else word


def _numbered(words: Iterable[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words, 1)}


def _any(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first; an apostrophe may be typographic."""
    escaped = (re.escape(word) for word in sorted(words, key=len, reverse=True))
    return "|".join(escaped).replace("'", "['’]")


def _filled(pattern: str, fragments: Mapping[str, str]) -> str:
    """Replace every {name} in a pattern by the fragment of this name."""
    return re.sub(r"\{([A-Za-z_]+)\}", lambda name: fragments[name[1]], pattern)


@cache
def known_languages() -> list[str]:
    """The codes of the languages that have a file.

    >>> known_languages()
    ['en']
    """
    names = (file.name for file in files(__package__).iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def known_names() -> str:
    """The names of the languages that have a file, for messages.

    >>> known_names()
    'English'
    """
    return " or ".join(load_lexicon(code).name for code in known_languages())


@cache
def load_lexicon(language: str) -> Lexicon:
    """Load the lexicon of a known language.

    >>> load_lexicon("en").name
    'English'
    """
    file = files(__package__).joinpath(f"{language}.toml")
    return Lexicon.parse(language, file.read_text(encoding="utf-8"))


def lexicon_for(text: str, language: str = "") -> Lexicon | None:
    """Return the lexicon of a text, None if its language is not known.

    Without the language's code a text is taken for English unless it looks like something else.

    >>> lexicon_for("He left on Monday.").language, lexicon_for("He left.", "pt-BR")
    ('en', None)
    >>> lexicon_for("Он уехал в понедельник.") is None
    True
    """
    if not language and (mostly_foreign([text]) or not_english([text])):
        return None
    code = language_code(language or "en")
    return load_lexicon(code) if code in known_languages() else None
