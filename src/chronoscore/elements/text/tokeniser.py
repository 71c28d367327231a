"""A tokeniser gives the tokens of a text, and where in the text each of them is.

Metrics count the tokens, and reports mark their positions: both come from one tokeniser, so that
what is marked is what was counted.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category

_CHUNKS = re.compile(r"\s+|\S+")
_EXTENDING = frozenset("\u0e33\u0eb3\uff9e\uff9f")
"""Letters that normalisation joins with the letter before them: sara am, half-width kana marks."""


class Token(NamedTuple):
    """A token, and the characters of the text from `start` to before `end` that it comes from."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Tokeniser:
    """Turns the sentences of a document into tokens; `spans` gives those of one text with places.

    >>> from chronoscore.elements.text import tokeniser
    >>> list(tokeniser("words").spans("An Straße 7"))
    [Token(text='an', start=0, end=2), Token(text='strasse', start=3, end=9), \
Token(text='7', start=10, end=11)]
    """

    spans: Callable[[str], Iterable[Token]]
    quick: Callable[[Iterable[str]], list[str]] | None = None
    """The same tokens of all sentences of a document, without their places."""
    texts: Callable[[Sequence[Sequence[str]]], list[str]] | None = None
    """Makes one text of the sentences of each of many documents, so that its tokens are those of
    its pieces, cut at white space; None if the tokens depend on more than the piece."""

    def __call__(self, sentences: Iterable[str]) -> list[str]:
        """Return the tokens of a document, in order and across its sentences."""
        if self.quick is not None:
            return self.quick(sentences)
        return [token.text for sentence in sentences for token in self.spans(sentence)]

    def mapped(self, change: Callable[[str], str]) -> "Tokeniser":
        """Return the tokeniser whose tokens are changed one by one, as by a stemmer."""

        def spans(text: str) -> Iterator[Token]:
            return (token._replace(text=change(token.text)) for token in self.spans(text))

        return replace(self, spans=spans, quick=lambda several: [*map(change, self(several))])

    def without(self, stop_words: frozenset[str]) -> "Tokeniser":
        """Return the tokeniser that leaves these tokens out."""

        def spans(text: str) -> Iterator[Token]:
            return (token for token in self.spans(text) if token.text not in stop_words)

        return replace(
            self,
            spans=spans,
            quick=lambda several: [token for token in self(several) if token not in stop_words],
        )


def joined(documents: Sequence[Sequence[str]]) -> list[str]:
    """Return the sentences of each document as one text."""
    return [one[0] if len(one) == 1 else " ".join(one) for one in documents]


class Folded(NamedTuple):
    """A text as it is compared, and the places of each of its characters in the text as written."""

    text: str
    starts: list[int]
    ends: list[int]

    def token(self, start: int, end: int) -> Token:
        """Return the token between two places of the folded text."""
        return Token(self.text[start:end], self.starts[start], self.ends[end - 1])


def folded(text: str, fold: Callable[[str], str]) -> Folded:
    """Fold a text, and keep where each character of the result comes from.

    A letter and the marks behind it are folded together. Where the result would differ from that of
    the whole text, since more of it must be seen at once, a word has only one place.

    >>> folded("Ma\u0308ße", str.casefold).ends
    [1, 3, 3, 4, 4, 5]
    """
    whole = fold(text)
    if len(whole) == len(text) and text.isascii():
        return Folded(whole, [*range(len(text))], [*range(1, len(text) + 1)])
    result = Folded(whole, [], [])
    parts: list[str] = []
    for chunk in _CHUNKS.finditer(text):
        pieces, word = [*_pieces(chunk[0])], fold(chunk[0])
        changes = [_folded_piece(fold, piece) for piece in pieces]
        if "".join(changes) != word:
            pieces, changes = [chunk[0]], [word]
        place = chunk.start()
        for piece, changed in zip(pieces, changes, strict=True):
            result.starts.extend([place] * len(changed))
            place += len(piece)
            result.ends.extend([place] * len(changed))
        parts += changes
    if "".join(parts) != whole:
        return Folded(whole, [0] * len(whole), [len(text)] * len(whole))
    return result


@lru_cache(maxsize=1 << 16)
def _folded_piece(fold: Callable[[str], str], piece: str) -> str:
    return fold(piece)


def _pieces(word: str) -> Iterator[str]:
    """Yield each character with those that normalisation may join with it."""
    start = 0
    for place, character in enumerate(word):
        if place and not _extends(character):
            yield word[start:place]
            start = place
    yield word[start:]


@lru_cache(maxsize=1 << 16)
def _extends(character: str) -> bool:
    """Whether a character belongs to the one before: marks, format characters, parts of Hangul."""
    is_mark = category(character)[0] == "M" or category(character) == "Cf"
    return is_mark or "\u1160" <= character <= "\u11ff" or character in _EXTENDING
