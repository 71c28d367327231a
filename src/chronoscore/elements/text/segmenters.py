"""Words by a dictionary, for languages that write no blanks: each needs a package of its own."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from importlib.metadata import version
from typing import Final
from unicodedata import normalize

from chronoscore.elements.text.tokeniser import Token, Tokeniser, folded
from chronoscore.elements.text.words import fold
from chronoscore.errors import UsageError

_WHOLE: Final = frozenset({"AT&T", "C#", "c#", "C++", "c++"})
"""The words of jieba's dictionary that have marks inside."""
_LATIN_PIECES: Final = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")
_FIRST_OF_TWO: Final = 0xFFFF
"""Characters above this one are two units of UTF-16."""


def _missing(mode: str, extra: str) -> UsageError:
    return UsageError(f"text={mode} needs a package: pip install 'chronoscore[{extra}]'")


@cache
def jieba() -> Tokeniser:
    """Return the tokeniser whose tokens are those of jieba 0.42.1, blanks and marks included.

    rjieba has jieba's dictionary and model, and keeps Latin text with points and hyphens whole
    that jieba cuts; it is cut here by the same rule.

    >>> jieba()(["缅甸军方实施A-B测试"])
    ['缅甸', '军方', '实施', 'A', '-', 'B', '测试']
    """
    try:
        import rjieba  # noqa: PLC0415 - an extra, and it reads a dictionary
    except ImportError:
        raise _missing("jieba", "cjk") from None

    def spans(text: str) -> Iterator[Token]:
        place = 0
        for word in rjieba.cut(text):
            cut = len(word) > 1 and word.isascii() and word not in _WHOLE
            for piece in filter(None, _LATIN_PIECES.split(word) if cut else [word]):
                yield Token(piece, place, place + len(piece))
                place += len(piece)

    return Tokeniser(spans, sees_more_than_words=True)


def jieba_version() -> str:
    """Return the version of the package that stands for jieba."""
    return f"rjieba={version('rjieba')}"


@cache
def icu(locale: str) -> Tokeniser:
    """Return the tokeniser of ICU's word boundaries in a locale; each word is folded as in `words`.

    >>> icu("th")(["ผมรักเมืองไทย"])
    ['ผม', 'รัก', 'เมือง', 'ไทย']
    """
    try:
        from icu4py.breakers import WordBreaker  # noqa: PLC0415 - an extra
    except ImportError:
        raise _missing("icu", "icu") from None
    compose = partial(normalize, "NFC")

    def spans(text: str) -> Iterator[Token]:
        composed = folded(text, compose)
        places = _places_of_units(composed.text)
        for first, last in WordBreaker(composed.text, locale).segments():
            start, end = places[first], places[last]
            word = _word(composed.text[start:end])
            if word:
                yield composed.token(start, end)._replace(text=word)

    return Tokeniser(spans, sees_more_than_words=True)


def icu_version() -> str:
    """Return the version of ICU, which decides where words end."""
    from icu4py import icu_version as version_of_icu  # noqa: PLC0415 - an extra

    return f"icu={version_of_icu}"


def _places_of_units(text: str) -> Sequence[int]:
    """Return the place of the character that each unit of UTF-16 belongs to, and the end."""
    if not text or ord(max(text)) <= _FIRST_OF_TWO:
        return range(len(text) + 1)
    places = [at for at, c in enumerate(text) for _ in range(1 + (ord(c) > _FIRST_OF_TWO))]
    return [*places, len(text)]


@lru_cache(maxsize=1 << 16)
def _word(segment: str) -> str:
    """Return the folded word of a segment; empty if it has neither a letter nor a digit."""
    word = "".join(fold(segment).split())
    return word if any(map(str.isalnum, word)) else ""
