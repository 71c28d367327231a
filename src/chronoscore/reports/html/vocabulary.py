"""Which words of two texts are the same to a metric, so that the page can mark them.

A word is written down once with the number of its token. The page splits texts at the same places
and looks its words up: no text is stored twice, and no stemmer is needed in a browser.
"""

import re
from collections.abc import Iterable

from chronoscore.core.errors import UsageError
from chronoscore.elements.text import Tokeniser, tokeniser

DEFAULT = "rouge155"
WORD = re.compile(r"[0-9A-Za-z\u00c0-\u1fff\u2070-\U0010ffff]+")
"""The same characters as in report.js, where marks and spaces stand between words, too."""


def vocabulary(text: str, gold: Iterable[str], predicted: Iterable[str]) -> list[list[str]]:
    """Groups of words of one token each, for all tokens that gold and prediction both have.

    >>> vocabulary("rouge155", ["The parliament agreed."], ["Parliaments agree on nothing"])
    [['agree', 'agreed'], ['Parliaments', 'parliament']]
    """
    tokenise = _known(text)
    sides = [_words(tokenise, texts) for texts in (gold, predicted)]
    tokens = sorted(sides[0].keys() & sides[1].keys())
    return [sorted(sides[0][token] | sides[1][token]) for token in tokens]


def _words(tokenise: Tokeniser, texts: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word in {word for text in texts for word in WORD.findall(text)}:
        for token in tokenise([word]):
            found.setdefault(token, set()).add(word)
    return found


def _known(text: str) -> Tokeniser:
    try:
        return tokeniser(text)
    except UsageError:  # a stemmer that is not installed here
        return tokeniser(DEFAULT)
