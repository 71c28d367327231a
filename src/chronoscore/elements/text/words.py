"""Words of every script: the rule `words.1`, which needs neither a package nor the language.

Text is folded first, so that spellings of one word become equal: forms of Unicode, case, width,
digits, apostrophes, invisible characters, Arabic vowels, Greek accents (capitals have none). Then

- a word is a run of letters, numbers and marks;
- in scripts whose characters are words or parts of words (Han, Bopomofo, Yi), every character with
  its marks is a token;
- in alphabets that write no blanks between words (kana, Thai, Lao, Khmer, Myanmar, ...), a run
  gives its overlapping pairs of clusters, a cluster being a letter with its marks: single letters
  of an alphabet mean nothing, and would make unrelated texts alike.

Everything else separates. Changing any of this changes scores, and so needs a new version number.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Final
from unicodedata import category, digit, normalize

from chronoscore.elements.text.tokeniser import Token, Tokeniser, folded


def _all_of(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(code for first, last in ranges for code in range(first, last + 1))


_ONE_BY_ONE: Final = (
    *((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3038, 0x303C), (0x3100, 0x312F)),
    *((0x31A0, 0x31BF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA000, 0xA4CF), (0xF900, 0xFAFF)),
    *((0x16FE2, 0x16FE3), (0x20000, 0x323AF)),
)
"""Han, Bopomofo, Yi."""
_IN_PAIRS: Final = (
    *((0x3031, 0x3035), (0x3041, 0x30FF), (0x31F0, 0x31FF), (0x1AFF0, 0x1B16F)),  # kana
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),  # Thai to Myanmar
    *((0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF), (0xAA80, 0xAADF)),  # Khmer, Tai
    (0x11700, 0x1174F),  # Ahom
)
_STACKING: Final = (0x1039, 0x17D2)
"""Marks that write the next letter below: Myanmar's virama, Khmer's coeng."""
_APOSTROPHES: Final = frozenset(map(ord, "'’‘ʼʻ′`´"))
_DROPPED: Final = _all_of(
    *((0x034F, 0x034F), (0xFE00, 0xFE0F)),  # grapheme joiner, variants
    *((0x0640, 0x0640), (0x064B, 0x0652), (0x0670, 0x0670), (0x06D6, 0x06DC)),  # Arabic vowels
    *((0x06DF, 0x06E4), (0x06E7, 0x06E8), (0x06EA, 0x06ED)),
    *((0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7)),
)
_KEYBOARDS: Final = {0x064A: 0x06CC, 0x0649: 0x06CC, 0x0643: 0x06A9}
"""Arabic letters that stand for Persian ones, depending on the keyboard."""
_GREEK: Final = re.compile("[\u0370-\u03e1\u03f0-\u03ff]")
_ACCENTS: Final = re.compile("[\u0300\u0301\u0342]")
_TONES: Final = re.compile("([\u0e48-\u0e4b])(\u0e4d)|([\u0ec8-\u0ecb])(\u0ecd)")
_ZERO_WIDTH: Final = re.compile("\u200b+")
_ASCII: Final = re.compile("[a-z0-9]+")
_LETTER, _SINGLE, _PAIRED, _MARK, _STACK, _NEITHER = "acpms "
"""The classes of characters, as the patterns below name them."""
_UNITS: Final = re.compile("a[ams]*|c[ms]*|p(?:sp|[ms])*|[ ms]+")
_WHOLE: Final = _LETTER + _SINGLE
_CHARACTERS: Final = re.compile("[acp][ms]*")


class _Classes(dict[int, str]):
    """The class of each character, found when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = _class_of(code)
        return self[code]


def _class_of(code: int) -> str:
    kind = category(chr(code))[0]
    if code in _STACKING:
        return _STACK
    if kind == "M":
        return _MARK
    if kind not in "LN":
        return _NEITHER
    if _within(code, _ONE_BY_ONE):
        return _SINGLE
    return _PAIRED if _within(code, _IN_PAIRS) else _LETTER


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


class _Folds(dict[int, int | str | None]):
    """What each character becomes in the last step, found when it is first met."""

    def __init__(self, keyboards: dict[int, int]) -> None:
        super().__init__(keyboards)

    def __missing__(self, code: int) -> int | str | None:
        self[code] = _fold_of(code)
        return self[code]


def _fold_of(code: int) -> int | str | None:
    kind = category(chr(code))
    if code in _APOSTROPHES:
        return " "
    if code in _DROPPED or kind == "Cf":
        return None
    return str(digit(chr(code))) if kind == "Nd" else code


_CLASSES: Final = _Classes()
_FOLDS: Final = _Folds(_KEYBOARDS)
_ARABIC_FOLDS: Final = _Folds({})
_TURKIC: Final = ("tr", "az")


def fold(text: str, language: str = "") -> str:
    """Fold a text for comparison; only Turkish, Azerbaijani and Arabic have rules of their own.

    >>> fold("ΑΘΗΝΑ Αθήνα ﬁve ２０１１"), fold("ISPARTA", "tr")
    ('αθηνα αθηνα five 2011', 'ısparta')
    """
    text = normalize("NFKC", text)
    if language in _TURKIC:
        text = text.replace("I", "ı").replace("İ", "i")
    text = normalize("NFKC", text.casefold())
    if language not in _TURKIC:
        text = text.replace("i\u0307", "i").replace("ı", "i")
    if _GREEK.search(text):
        text = _without_accents(text)
    text = normalize("NFC", text)
    if "\u0e4d" in text or "\u0ecd" in text:
        text = _TONES.sub(lambda found: found[0][::-1], text)
    if "\u200b" in text:
        text = _ZERO_WIDTH.sub(_blank_or_nothing, text)
    return text.translate(_ARABIC_FOLDS if language == "ar" else _FOLDS)


def _without_accents(text: str) -> str:
    """Drop grave, acute and circumflex of Greek letters."""
    text = normalize("NFD", text)
    pieces, last = [], 0
    accent, is_greek = -1, False
    for found in _ACCENTS.finditer(text):
        before, base = accent, found.start() - 1
        while base > before and _CLASSES[ord(text[base])] in (_MARK, _STACK):
            base -= 1
        if base > before:  # else the letter is that of the accent before
            is_greek = bool(_GREEK.match(text[base]))
        accent = found.start()
        if is_greek:
            pieces.append(text[last:accent])
            last = found.end()
    return "".join(pieces) + text[last:]


def _blank_or_nothing(found: re.Match[str]) -> str:
    """Zero width separates words, but only clusters in the scripts that write no blanks."""
    before, after = found.start() - 1, found.end()
    neighbours = [ord(found.string[at]) for at in (before, after) if 0 <= at < len(found.string)]
    without_blanks = any(
        _within(code, (*_ONE_BY_ONE, *_IN_PAIRS)) and category(chr(code))[0] in "LM"
        for code in neighbours
    )
    return "" if without_blanks else " "


def _word_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the words, characters and pairs of clusters of a folded text begin and end."""
    start, alone = 0, False
    pair: int | None = None
    for unit in _UNITS.findall(text.translate(_CLASSES)):
        kind, end = unit[0], start + len(unit)
        if kind == _PAIRED:
            if pair is not None:
                yield pair, end
            alone, pair = pair is None, start
        else:
            if alone and pair is not None:
                yield pair, start
            alone, pair = False, None
            if kind in _WHOLE:
                yield start, end
        start = end
    if alone and pair is not None:
        yield pair, start


def _character_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each letter or digit of a folded text begins and ends, with its marks."""
    return (found.span() for found in _CHARACTERS.finditer(text.translate(_CLASSES)))


def _tokeniser(
    places: Callable[[str], Iterator[tuple[int, int]]], ascii_tokens: re.Pattern[str], language: str
) -> Tokeniser:
    fold_text = partial(fold, language=language)
    turkic = language in _TURKIC

    def spans(text: str) -> Iterator[Token]:
        compared = folded(text, fold_text)
        return (compared.token(*place) for place in places(compared.text))

    def quick(sentences: Iterable[str]) -> list[str]:
        text = " ".join(sentences)
        if text.isascii() and not turkic:
            return ascii_tokens.findall(text.lower())
        text = fold_text(text)
        return [text[start:end] for start, end in places(text)]

    return Tokeniser(spans, quick)


@cache
def words(language: str = "") -> Tokeniser:
    """Return the tokeniser of the rule; the language matters for Turkish, Azerbaijani and Arabic.

    >>> words()(["E-Mail an Straße 7", "他说 हिन्दी", "กำลัง"])
    ['e', 'mail', 'an', 'strasse', '7', '他', '说', 'हिन्दी', 'กํา', 'าลั', 'ลัง']
    """
    return _tokeniser(_word_places, _ASCII, language)


@cache
def chars() -> Tokeniser:
    """Return the tokeniser of single letters and digits, each with its marks.

    >>> chars()(["Año 7"])
    ['a', 'ñ', 'o', '7']
    """
    return _tokeniser(_character_places, re.compile("[a-z0-9]"), "")
