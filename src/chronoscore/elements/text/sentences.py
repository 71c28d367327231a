"""Sentences of every language: the rule `sentences.1`, which needs no model and no language.

Text in files by day has no other unit that does not depend on who wrote the file: one writes a day
as one string, another as ten. The rule cuts too little rather than too much:

- a line end always ends a sentence;
- so do the signs that end nothing else, such as ``。`` and ``।`` (strong signs);
- ``. ! ? …`` (weak signs) do before a blank, unless a lower-case letter follows;
- a single ``.`` does not after an abbreviation, a single letter, a word with a ``.`` in it, or the
  number that a sentence begins with.

Quotation marks and brackets that close belong to the sign before them. Changing any of this
changes scores, and so needs a new version number.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import category, normalize

_STRONG: Final = "。！？｡．।॥؟۔።፧။៕"
_WEAK: Final = ".!?…‼⁇⁈⁉"
END_SIGNS: Final = _STRONG + _WEAK
"""The signs that may end a sentence."""
_CLOSING: Final = "\"'”’)]}»›」』）】》〉〕］｝"
_OPENING: Final = "\"'“‘‚„([{«‹「『（【《〈〔［｛¿¡"
_BLANK: Final = " "


def _any_of(signs: str) -> str:
    return f"[{re.escape(signs)}]"


_CLOSING_PIECES: Final = rf"(?: (?![\"'](?: |\Z)){_any_of(_CLOSING)}++(?= |\Z))*+"
"""Pieces between blanks that only close, as in tokenised text; a lone quotation mark may open."""
_CLOSED: Final = re.compile(f"{_any_of(_CLOSING)}*+{_CLOSING_PIECES}")
_SIGN: Final = _any_of(END_SIGNS)
_END: Final = re.compile(f"({_SIGN}{_SIGN}*+){_CLOSED.pattern}")  # never goes back
_NEXT: Final = re.compile(f"{_any_of(_BLANK + _OPENING)}*+(.?)")
_LETTER_OR_NUMBER: Final = re.compile(r"[^\W_]")
_ABBREVIATED: Final = (
    "mr mrs ms dr prof gen col lt maj sgt capt cmdr adm sen rep gov pres hon rev st jr sr vs inc "
    "ltd co corp dept est fig vol jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu "
    "fri approx"
)
_ABBREVIATIONS: Final = frozenset(_ABBREVIATED.split())
_BEFORE_NUMBERS: Final = frozenset({"no", "nos"})


class _WordCharacters(dict[int, str]):
    """A blank for each character that is no part of a word, found when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        is_part = character == "." or category(character)[0] in "LNM"
        self[code] = "w" if is_part else _BLANK
        return self[code]


_WORD_CHARACTERS: Final = _WordCharacters()


def sentences(text: str) -> list[str]:
    """Cut a text into sentences; those without a letter or number are dropped.

    >>> sentences("Mr. Smith left at 3.5 p.m. on Monday. Why? 总统辞职。军队接管。")
    ['Mr. Smith left at 3.5 p.m. on Monday.', 'Why?', '总统辞职。', '军队接管。']
    """
    return _sentences(_lines(text))


def sentences_of_day(entries: Iterable[str]) -> list[str]:
    """Cut the entries of a day into sentences that do not depend on who cut the day into entries.

    An entry that ends in an end sign goes on in the next entry, any other ends with its line. So
    entries that any program cut after end signs have the sentences of the whole text.

    >>> sentences_of_day(["He met Sen.", "Smith. Troops", "left. They"])
    ['He met Sen. Smith.', 'Troops', 'left.', 'They']
    """
    lines: list[list[str]] = []
    goes_on = False
    for entry in entries:
        entry_lines = _lines(entry)
        if not entry_lines:
            continue
        if goes_on:
            lines[-1].append(entry_lines.pop(0))
        lines += ([line] for line in entry_lines)
        goes_on = _ends_in_end_sign(lines[-1][-1])
    return _sentences(_BLANK.join(line) for line in lines)


def _sentences(lines: Iterable[str]) -> list[str]:
    return [piece for line in lines for piece in _cut(line) if _LETTER_OR_NUMBER.search(piece)]


def _lines(text: str) -> list[str]:
    """Return the lines that are not blank, in NFC, with single blanks."""
    composed = text if text.isascii() else normalize("NFC", text)
    return [_BLANK.join(pieces) for line in composed.splitlines() if (pieces := line.split())]


def _ends_in_end_sign(line: str) -> bool:
    before = line.rstrip(_CLOSING + _BLANK)
    return before.endswith((*_STRONG, *_WEAK)) and bool(_CLOSED.fullmatch(line, len(before)))


def _cut(line: str) -> Iterator[str]:
    start = 0
    for sign in _END.finditer(line):
        if _is_end(line, start, sign):
            end = sign.end()
            yield line[start:end]
            start = end + line.startswith(_BLANK, end)
    yield line[start:]


def _is_end(line: str, start: int, sign: re.Match[str]) -> bool:
    """Whether a run of end signs, with what closes behind it, ends the sentence that starts there.

    Only runs before a blank look at the word before them, so that no text is looked at twice.
    """
    run, end = sign[1], sign.end()
    if run.strip(_WEAK) or end == len(line):
        return True
    following = _NEXT.match(line, end)
    if line[end] != _BLANK or not following or category(following[1] or _BLANK) == "Ll":
        return False
    return run != "." or not _is_abbreviated(line, start, sign.start(), following[1])


def _is_abbreviated(line: str, start: int, dot: int, following: str) -> bool:
    """Whether a dot may belong to the word before it."""
    first = max(start, line.rfind(_BLANK, start, dot) + 1)
    first += line[first:dot].translate(_WORD_CHARACTERS).rfind(_BLANK) + 1
    word = line[first:dot].lower()
    return (
        word in _ABBREVIATIONS
        or (word in _BEFORE_NUMBERS and following.isdigit())
        or "." in word
        or (len(word) == 1 and word.isalpha())
        or (word.isdigit() and first == start)
    )
