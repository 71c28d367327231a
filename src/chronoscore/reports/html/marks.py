"""The words that a page marks: those of both sides that gave the same token.

The page looks the words of a text up in a table of words for each token, so that it stores no text
twice and needs no tokeniser. It finds words by one pattern. Where a metric cuts a text in other
places, as Chinese into characters, the page also has the places of its tokens.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chronoscore.elements.text import Token, Tokeniser

_WORD = re.compile(r"[0-9A-Za-z\u00c0-\u1fff\u2070-\U0010ffff]+")
"""A word, with the same characters as in panel.js."""
_TWO_UNITS = "\U00010000"
"""From here on a character is two units of a script's strings."""
Readings = Mapping[str, Tokeniser]
"""The texts of one side, each with the tokeniser that read it."""


@dataclass(frozen=True)
class _Piece:
    """A word, or what a token comes from, with its place in the text; some words have no token."""

    start: int
    end: int
    token: tuple[int, str] | None


def marked_words(gold: Readings, predicted: Readings, texts: Sequence[str]) -> dict[str, Any]:
    """Return the words of each token that both sides have, and the places of unusual tokens.

    Places are the beginnings and ends of tokens, by the number that the text has among `texts`.

    >>> from chronoscore.elements.text import tokeniser
    >>> gold, predicted = "The parliament agreed.", "Parliaments agree on nothing"
    >>> read = tokeniser("rouge155")
    >>> marked_words({gold: read}, {predicted: read}, [gold, predicted])
    {'words': [['agree', 'agreed'], ['Parliaments', 'parliament']], 'places': {}}
    >>> read = tokeniser("words")
    >>> marked_words({"他说": read}, {"说": read}, ["他说", "说"])
    {'words': [['说']], 'places': {'0': [1, 2]}}
    """
    readings = {**gold, **predicted}
    spans = {text: [*read.spans(text)] for text, read in readings.items()}
    sides = (
        {(id(readings[text]), token.text) for text in side for token in spans[text]}
        for side in (gold, predicted)
    )
    shared = set.intersection(*sides)
    pieces: dict[str, list[_Piece]] = {}
    exact: dict[str, list[_Piece]] = {}
    for text, tokens in spans.items():
        of = id(readings[text])
        whole = [_Piece(t.start, t.end, (of, t.text)) for t in tokens if (of, t.text) in shared]
        regular = _words_with_tokens(text, tokens, of, shared)
        if regular is None:
            exact[text] = whole
        else:
            pieces[text] = regular
    words: dict[str, set[tuple[int, str]]] = {}
    for text, several in (*pieces.items(), *exact.items()):
        _collect(text, several, words)
    for text, several in pieces.items():
        # A word may be read otherwise elsewhere, as behind a "<", where ROUGE-1.5.5 reads nothing.
        if any(words.get(text[p.start : p.end], set()) != {p.token} - {None} for p in several):
            exact[text] = [piece for piece in several if piece.token]
    numbers = {text: number for number, text in enumerate(texts)}
    groups: dict[tuple[int, str], list[str]] = {}
    for word in sorted(words):
        for token in words[word]:
            groups.setdefault(token, []).append(word)
    return {
        "words": [
            groups[token] for token in sorted(groups, key=lambda token: (token[1], groups[token]))
        ],
        "places": {
            str(numbers[text]): _places(text, several) for text, several in exact.items() if several
        },
    }


def _words_with_tokens(
    text: str, tokens: Iterable[Token], of: int, shared: set[tuple[int, str]]
) -> list[_Piece] | None:
    """Return the words of a text with their shared tokens; None if words and tokens differ."""
    words = [found.span() for found in _WORD.finditer(text)]
    token_of: dict[int, tuple[int, str]] = {}
    at = 0
    for token in tokens:
        while at < len(words) and words[at][1] <= token.start:
            at += 1
        inside = at < len(words) and words[at][0] <= token.start and token.end <= words[at][1]
        if not inside or at in token_of:
            return None
        token_of[at] = (of, token.text)
    counted = {place: token for place, token in token_of.items() if token in shared}
    return [_Piece(*word, counted.get(place)) for place, word in enumerate(words)]


def _collect(text: str, pieces: Iterable[_Piece], words: dict[str, set[tuple[int, str]]]) -> None:
    for piece in pieces:
        if piece.token is not None:
            words.setdefault(text[piece.start : piece.end], set()).add(piece.token)


def _places(text: str, pieces: Iterable[_Piece]) -> list[int]:
    """Return where pieces begin and end, in the units by which a script counts."""
    ends = [end for piece in pieces for end in (piece.start, piece.end)]
    if text.isascii() or max(text) < _TWO_UNITS:
        return ends
    units = [0]
    for character in text:
        units.append(units[-1] + 1 + (character >= _TWO_UNITS))
    return [units[end] for end in ends]
