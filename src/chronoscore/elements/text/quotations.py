"""Quotations: whether a text has the words that someone says it has."""

import re
from typing import Final
from unicodedata import normalize

_SIGNS: Final = str.maketrans("‘’‚“”„«»–—‐‑", "''''''''----")
_OUTER: Final = " .,;:!?'\"…()[]-"
_QUOTES: Final = re.compile(r"'|\"")


def is_quoted(quotation: str, text: str) -> bool:
    """Whether the words of a quotation stand in a text, one after the other.

    Case, blanks, line ends, the form of quotation marks and dashes, and signs around the quotation
    make no difference; a word that was left out or changed does. A part of a word is no quotation.

    >>> text = "The vote, he said, was “free\\nand fair”."
    >>> [is_quoted(words, text) for words in ('was "free and fair"', "was fair", "ree and fair")]
    [True, False, False]
    """
    words = _plain(quotation).strip(_OUTER)
    if not re.search(r"\w", words):
        return False
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", _plain(text)) is not None


def _plain(text: str) -> str:
    signs = normalize("NFC", text).casefold().translate(_SIGNS)
    return " ".join(_QUOTES.sub("", signs).split())
