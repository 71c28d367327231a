"""From text to tokens, by name, so that a metric's name says how its text was read.

`rouge155` and `reimpl` are for English and for comparison with published scores, `words` is for
every language, `stems-XX` stems these words, `content` keeps those of English that carry content,
and `jieba` and `icu-XX` find words by a dictionary.
Whatever depends on a rule or a package of ours has a version, which signatures state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from chronoscore.core.functions import late
from chronoscore.core.named_files import read_named, with_digest
from chronoscore.core.names import parse, write
from chronoscore.elements.text.languages import (
    has_newer_characters,
    language_code,
    mostly_foreign,
    not_english,
    seen_in,
    snowball,
    stemmer,
    stemmer_version,
)
from chronoscore.elements.text.rouge155 import (
    PLAIN,
    RAW,
    REIMPL,
    ROUGE155,
    plain,
    raw,
    reimpl,
    rouge155,
    stop_words,
    token,
)
from chronoscore.elements.text.tokeniser import Token, Tokeniser
from chronoscore.errors import UsageError

__all__ = [
    "RAW",
    "Token",
    "Tokeniser",
    "has_newer_characters",
    "language_code",
    "mostly_foreign",
    "not_english",
    "plain",
    "raw",
    "reimpl",
    "rouge155",
    "seen_in",
    "stop_words",
    "token",
    "tokeniser",
    "tokens",
]

_SNOWBALL: Final = "snowball"


@dataclass(frozen=True)
class _Mode:
    """A way to read text: how its tokeniser is made, and what its tokens depend on."""

    make: Callable[[str], Tokeniser]
    """From what stands behind the hyphen of its name: a language, or nothing."""
    suffix: str = ""
    """What may stand there, as messages name it."""
    check: Callable[[str], object] = language_code
    """Refuses a wrong suffix, without loading what only reading text needs."""
    rule: str = ""
    """The version of our own rule; empty where it is that of a published program."""
    package: Callable[[], str] = lambda: ""
    """The name and version of the package that does the work."""


def _later(home: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called: English needs none of these."""

    def call(*arguments: Any) -> Any:
        return late(home)()(*arguments)

    return call


_words = _later("chronoscore.elements.text.words:words")
_content = _later("chronoscore.elements.text.content:content")
_chars = _later("chronoscore.elements.text.words:chars")
_jieba = _later("chronoscore.elements.text.segmenters:jieba")
_jieba_version = _later("chronoscore.elements.text.segmenters:jieba_version")
_icu = _later("chronoscore.elements.text.segmenters:icu")
_icu_version = _later("chronoscore.elements.text.segmenters:icu_version")


def _stems(language: str) -> Tokeniser:
    if not language:
        raise UsageError(
            "text=stems needs a language: write text=stems-es, give --language es, or name it in "
            "the field 'language' of the data"
        )
    words: Tokeniser = _words(language)
    return words.mapped(stemmer(language))


_MODES: Final = {
    "rouge155": _Mode(lambda _: ROUGE155),
    "reimpl": _Mode(lambda _: REIMPL),
    "words": _Mode(lambda _: _words(), rule="1"),
    "stems": _Mode(_stems, "XX", stemmer, rule="1", package=stemmer_version),
    "content": _Mode(lambda _: _content(), rule="1", package=stemmer_version),
    "chars": _Mode(lambda _: _chars(), rule="1"),
    "jieba": _Mode(lambda _: _jieba(), rule="1", package=_jieba_version),
    "icu": _Mode(_icu, "XX", rule="1", package=_icu_version),
    "plain": _Mode(lambda _: PLAIN),
    _SNOWBALL: _Mode(
        lambda name: PLAIN.mapped(snowball(name)), "LANGUAGE", snowball, package=stemmer_version
    ),
}
KNOWN: Final = tuple(
    f"{name}-{mode.suffix}" if mode.suffix else name for name, mode in _MODES.items()
)
"""The names that `text=` takes; XX is the code of a language."""
LOCALISED: Final = ("stems", "icu")
"""The modes that take the language of the data, where their name has none."""


def check_mode(name: str) -> None:
    """Refuse the name of a mode that does not exist; packages are not loaded for it."""
    if _parts(name)[2]:
        raise UsageError(f"'{name[:40]}': a stop list is a parameter of the metric: stop=FILE")


def _parts(name: str) -> tuple[str, str, str]:
    """Split the name of a mode into the mode, the language behind the hyphen, and its stop list."""
    whole, values = parse(name)
    mode, hyphen, suffix = whole.partition("-")
    if (
        mode not in _MODES
        or bool(hyphen) > bool(_MODES[mode].suffix)
        or not values.keys() <= {"stop"}
    ):
        raise UsageError(f"unknown text processing '{name[:40]}'; there are: {', '.join(KNOWN)}")
    if hyphen and mode in LOCALISED:
        suffix = language_code(suffix)
    if hyphen or mode == _SNOWBALL:
        _MODES[mode].check(suffix)
    return mode, suffix, str(values.get("stop", ""))


def full_mode(name: str, language: str = "", stop: str = "") -> str:
    """Name a mode with the language and the stop list that it is used with.

    >>> full_mode("stems", "es-MX"), full_mode("stems-de", "es"), full_mode("words", "es", "de.txt")
    ('stems-es', 'stems-de', 'words(stop=de.txt)')
    """
    if name in LOCALISED and language:
        name = f"{name}-{language_code(language)}"
    return write(name, {"stop": stop} if stop else {})


def localised(name: str, language: str) -> str:
    """Return the full name of a mode for a text in a language.

    >>> localised("stems(stop=de.txt)", "de"), localised("words", "de")
    ('stems-de(stop=de.txt)', 'words')
    """
    if not language or not name.startswith(LOCALISED):
        return name
    mode, suffix, stop = _parts(name)
    return full_mode(f"{mode}-{suffix}" if suffix else mode, language, stop)


@cache
def tokeniser(name: str) -> Tokeniser:
    """Return the tokeniser of a mode by its name, such as words, stems-es or words(stop=FILE).

    >>> tokeniser("stems-es")(["Las elecciones"])
    ['las', 'eleccion']
    """
    mode, suffix, stop = _parts(name)
    found = _MODES[mode].make(suffix)
    return found.without(frozenset(found([read_named(stop, _STOP_LIST)]))) if stop else found


def version(name: str) -> str:
    """Return a mode with the versions that its tokens depend on; empty if there is none.

    >>> version("words"), version("rouge155")
    ('words.1', '')
    """
    mode, suffix, _ = _parts(name)
    rule, package = _MODES[mode].rule, ""
    try:
        package = _MODES[mode].package()
    except ImportError:
        package = "not installed"
    if not rule and not package:
        return ""
    whole = f"{mode}-{suffix}" if suffix else mode
    return f"{whole}.{rule}".rstrip(".") + (f"({package})" if package else "")


_STOP_LIST: Final = "the stop list"


def stop_list(path: str) -> str:
    """Name a file of stop words together with a digest of its content, for names and signatures."""
    return with_digest(path, _STOP_LIST)


def tokens(text: str, mode: str = "rouge155", language: str | None = None) -> list[str]:
    """Return the tokens of a text, as the metrics with `text=mode` count them.

    - `text`: the text.
    - `mode`: `"rouge155"`, `"reimpl"`, `"words"`, `"stems"`, `"content"`, `"chars"`, `"jieba"`,
      `"icu"` or `"plain"`.
    - `language`: the code of the language (BCP 47), which `"stems"` and `"icu"` need. It may also
      be part of the mode, as in `"stems-es"` or `"icu-th"`.

    >>> tokens("Las elecciones del 9 de mayo", "stems", language="es")
    ['las', 'eleccion', 'del', '9', 'de', 'may']
    >>> tokens("他说：不会放弃。", "words")
    ['他', '说', '不', '会', '放', '弃']
    """
    for what, value in (("text", text), ("mode", mode)):
        if not isinstance(value, str):
            raise UsageError(f"the {what} is {value!r:.40}, expected a string")
    return tokeniser(full_mode(mode, language or ""))([text])
