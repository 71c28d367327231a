"""The other ways from text to tokens: tilse's own approximation, plain words, Snowball stems."""

import re
import string
from collections.abc import Iterable
from functools import cache

from chronoscore.elements.text import porter_nltk
from chronoscore.elements.text.rouge155 import stop_words

_WORD = re.compile(r"\w+")
_REIMPL_DROPPED = frozenset('.,;:-"') | {"``", "''"}


def plain(sentences: Iterable[str]) -> list[str]:
    """Words of any script in lower case; no stemming, no stop words.

    >>> plain(["Café-Besitzer: 3,5 %", "Москва"])
    ['café', 'besitzer', '3', '5', 'москва']
    """
    return _WORD.findall(" ".join(sentences).lower())


def reimpl(sentences: Iterable[str]) -> list[str]:
    """Tokens as tilse's own Python route counts them: an approximation of ROUGE-1.5.5.

    White-space tokens; stop words and a few marks are dropped, all others are stemmed by NLTK's
    Porter stemmer with whatever punctuation is attached.

    >>> reimpl(["The parliaments agreed , finally !"])
    ['parliament', 'agre', 'final', '!']
    """
    return [
        kept
        for sentence in sentences
        for kept in map(_reimpl_token, sentence.split())
        if kept is not None
    ]


@cache
def _reimpl_token(token: str) -> str | None:
    lower = token.lower()
    if lower in stop_words() or lower in _REIMPL_DROPPED:
        return None
    return porter_nltk.stem(token)


def raw(sentences: Iterable[str]) -> list[str]:
    """White-space tokens as they stand, without those that are a part of the punctuation marks.

    tilse drops a token that is found in the string of all marks, so that ``()`` goes and ``--``
    stays.

    >>> raw(['"I" -- said ()', "..."])
    ['"I"', '--', 'said', '...']
    """
    marks = string.punctuation
    return [token for token in " ".join(sentences).split() if token not in marks]
