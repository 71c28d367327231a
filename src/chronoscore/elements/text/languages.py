"""Languages: their codes and stemmers, and what can be seen of them in a text."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from string import ascii_letters
from typing import TYPE_CHECKING, Final

from chronoscore.elements.text.rouge155 import stop_words
from chronoscore.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chronoscore.elements.text.columns import PieceFacts

_CODE: Final = re.compile("([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]+)*")
_SNOWBALL: Final = {
    **{"ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech"},
    **{"da": "danish", "nl": "dutch", "en": "english", "eo": "esperanto", "et": "estonian"},
    **{"fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi"},
    **{"hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian"},
    **{"ne": "nepali", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "fa": "persian"},
    **{"pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian"},
    **{"st": "sesotho", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish"},
    **{"yi": "yiddish", "az": ""},
}
"""Codes of languages, and the names of their stemmers; Azerbaijani has only its dotless i."""


def language_code(text: str) -> str:
    """Return the first part of a BCP 47 code, in lower case; refuse what is no such code.

    >>> language_code("zh-Hant"), language_code("ES")
    ('zh', 'es')
    """
    found = _CODE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"language is '{text[:40]}', expected a code such as es or zh-Hant")
    return found[1].lower()


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """Return the Snowball stemmer of a language code.

    >>> stemmer("es")("elecciones")
    'eleccion'
    """
    name = _SNOWBALL.get(language)
    if name is None:
        raise UsageError(
            f"there is no stemmer for '{language}', use text=words; there are stemmers for: "
            + ", ".join(sorted(_SNOWBALL))
        )
    return snowball(name) if name else str


def snowball(name: str) -> Callable[[str], str]:
    """Return a Snowball stemmer by its own name, such as german."""
    import Stemmer  # noqa: PLC0415 - most runs need none

    if name not in Stemmer.algorithms():
        listed = ", ".join(sorted(Stemmer.algorithms()))
        raise UsageError(
            f"PyStemmer {Stemmer.version()} has no stemmer for '{name}', 3.1 has most; there are: "
            f"{listed}"
        )
    stem: Callable[[str], str] = cache(Stemmer.Stemmer(name).stemWord)
    return stem


def stemmer_version() -> str:
    """Return the version of the stemmers: versions differ in stems."""
    import Stemmer  # noqa: PLC0415 - most runs need none

    return f"pystemmer={Stemmer.version()}"


# What can be seen of a language in a text


_FEWEST_WORDS: Final = 50
_LEAST_STOP_WORDS: Final = 0.2
_LATIN_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_ASCII_BYTES: Final = bytes(range(128))


def mostly_foreign(sentences: Iterable[str]) -> bool:
    """Whether more than half of the letters are not ASCII, so that few or no tokens are left.

    >>> mostly_foreign(["Москва, 9 мая"]), mostly_foreign(["Le café fermé à Orléans"])
    (True, False)
    """
    return bool(seen_in([" ".join(sentences)])[0][0])


def not_english(sentences: Iterable[str]) -> bool:
    """Whether less than a fifth of at least 50 words are English stop words.

    227 English timelines have 28 to 56 of 100, Spanish, French and Italian ones 3 to 7, and the
    Universal Declaration of Human Rights in 38 other languages in Latin script at most 14.

    >>> not_english(["El gobierno anuncia la retirada de las tropas en la frontera."] * 5)
    True
    >>> not_english(["José flew from Zürich to São Paulo, and met the mayor of the city."] * 5)
    False
    """
    return bool(seen_in([" ".join(sentences)])[1][0])


def seen_in(texts: Sequence[str]) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
    """Return which of many texts are mostly foreign, and which are not English."""
    letters, ascii_ones, words, english = _counts().sums(texts).T
    return (
        2 * ascii_ones < letters,
        (words >= _FEWEST_WORDS) & (english < _LEAST_STOP_WORDS * words),
    )


@cache
def _counts() -> "PieceFacts":
    """Return what is counted of a text piece by piece; no letter and no word spans white space."""
    from chronoscore.elements.text.columns import PieceFacts  # noqa: PLC0415 - numpy

    return PieceFacts(_count, 4)


def _count(piece: str) -> tuple[int, int, int, int]:
    """Count the letters, those of ASCII, the words, and those that are stop words of English."""
    words = _LATIN_WORD.findall(piece.lower())
    return (
        sum(map(str.isalpha, piece)),
        sum(map(ascii_letters.__contains__, piece)),
        len(words),
        sum(map(stop_words().__contains__, words)),
    )


# Letters, marks and numbers that came with Unicode 15 to 18, in ranges that are empty in Unicode 14
_NEWER: Final = (
    "558 58B-58C 5C8-5C9 88F 897 B53-B54 C5C CDC CF3 ECE 1ACF-1AF0 1C89-1C8A 208F 209D-209F "
    "A7CB-A7CF A7D2 A7D4 A7DA-A7F1 AB6C-AB6D 105C0-105F3 107BB-107BF 10940-10959 10D40-10D85 "
    "10EC2-10EFF 1123F-11241 11380-113E2 116D0-116E3 11B0A-11BF9 11DB0-11DF1 11F00-11F5A 1246F "
    "12475-1247F 12550-12686 1342F 13439-143FA 16100-16139 16D40-16D79 16EA0-16ED3 16FF2-16FF6 "
    "187F8-187FF 18CD6-18CFF 18D09-191D2 1B123-1B132 1B155 1B168 1CCF0-1CCF9 1D127-1D128 "
    "1D250-1D2D3 1D6A6 1DF1F-1DFFF 1E030-1E08F 1E4D0-1E6FF 2B739-2B73F 2B81E 2CEA2-2CEAD "
    "2EBF0-2EE5D 31350-3FC3F"
)


@cache
def _newer() -> re.Pattern[str]:
    ends = (part.split("-") for part in _NEWER.split())
    ranges = "".join(f"{chr(int(part[0], 16))}-{chr(int(part[-1], 16))}" for part in ends)
    return re.compile(f"[{ranges}]")


def has_newer_characters(sentences: Iterable[str]) -> bool:
    """Whether a text has characters that came after Unicode 14.

    They may be letters to one version of Python and nothing to another.

    >>> has_newer_characters(["Straße", "\\U00011F04"]), has_newer_characters(["日本"])
    (True, False)
    """
    text = "".join(text for text in sentences if not text.isascii())
    rest = text.encode("utf-8", "surrogatepass").translate(None, _ASCII_BYTES)
    return _newer().search(rest.decode("utf-8", "surrogatepass")) is not None
