"""The words that a page marks: those of both sides that gave the same token.

The page looks the words of a text up in a table of words for each token, so that it stores no text
twice and needs no tokeniser. It finds words by one pattern. Where a metric cuts a text in other
places, as Chinese into characters, the page also has the places of its tokens.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from chronoscore.elements.text import Token, Tokeniser
from chronoscore.errors import UsageError
from chronoscore.reports.html.explained import Explained, Items

_WORD = re.compile(r"[0-9A-Za-z\u00c0-\u1fff\u2070-\U0010ffff]+")
"""A word, with the same characters as in panel.js."""
_TWO_UNITS = "\U00010000"
"""From here on a character is two units of a script's strings."""
Readings = Mapping[str, Tokeniser]
"""The texts of one side, each with the tokeniser that read it."""


Key = tuple[int, str]
"""A token, and which tokeniser gave it."""


def marks_of(
    explained: Explained,
    tokeniser_of: Callable[[Mapping[str, str]], Tokeniser],
    texts: Sequence[str],
) -> dict[str, Any]:
    """Return what a page marks in its texts; the tokeniser of a case is found by its tags.

    Nothing is marked where a package or a stop list of the tokeniser is not here.
    """

    def read(cases: Iterable[tuple[str, Items]]) -> dict[str, Tokeniser]:
        return {
            text: tokeniser_of(explained.tags.get(case, {}))
            for case, items in cases
            for several in items.values()
            for text in several
        }

    predicted = ((case, items) for (_, case), items in explained.predicted.items())
    try:
        return marked_words(read(explained.gold.items()), read(predicted), texts)
    except UsageError:
        return {}


def marked_words(gold: Readings, predicted: Readings, texts: Sequence[str]) -> dict[str, Any]:
    """Return the words of each token that both sides have, and the places of unusual tokens.

    Places are the beginnings and ends of tokens, by the number that the text has among `texts`.
    Words that are no tokens, such as stop words, are ignored: nobody finds or misses them.

    >>> from chronoscore.elements.text import tokeniser
    >>> gold, predicted = "The parliament agreed.", "Parliaments agree on nothing"
    >>> read = tokeniser("rouge155")
    >>> found = marked_words({gold: read}, {predicted: read}, [gold, predicted])
    >>> found["words"], found["ignored"]
    ([['agree', 'agreed'], ['Parliaments', 'parliament']], ['The'])
    >>> read = tokeniser("words")
    >>> marked_words({"他说": read}, {"说": read}, ["他说", "说"])
    {'words': [['说']], 'places': {'0': [1, 2]}, 'ignored': []}
    """
    readings = {**gold, **predicted}
    spans = {text: [*read.spans(text)] for text, read in readings.items()}
    sides = (
        {(id(readings[text]), token.text) for text in side for token in spans[text]}
        for side in (gold, predicted)
    )
    shared = set.intersection(*sides)
    token_of_word: dict[str, Key | None] = {}
    ambiguous: set[str] = set()
    exact: list[str] = []
    ignored: set[str] = set()
    for text, tokens in spans.items():
        words = _words_with_tokens(text, tokens)
        if words is None:
            exact.append(text)
            continue
        reader = id(readings[text])
        for word, token_text in words:
            if not token_text and text in gold:
                ignored.add(word)
            key = (reader, token_text) if (reader, token_text) in shared else None
            if token_of_word.setdefault(word, key) != key:
                ambiguous.add(word)
    # A word may have a token here and none there, as behind the "<" of ROUGE-1.5.5.
    exact += [text for text in spans if ambiguous and not ambiguous.isdisjoint(_WORD.findall(text))]
    groups: dict[Key, set[str]] = {}
    for word, key in token_of_word.items():
        if key is not None and word not in ambiguous:
            groups.setdefault(key, set()).add(word)
    numbers = {text: number for number, text in enumerate(texts)}
    places = {}
    for text in dict.fromkeys(exact):
        reader = id(readings[text])
        counted = [token for token in spans[text] if (reader, token.text) in shared]
        for token in counted:
            groups.setdefault((reader, token.text), set()).add(text[token.start : token.end])
        if counted:
            places[str(numbers[text])] = _places(text, counted)
    words_of = {key: sorted(several) for key, several in groups.items()}
    in_order = sorted(words_of, key=lambda key: (key[1], words_of[key]))
    found = [words_of[key] for key in in_order]
    return {"words": found, "places": places, "ignored": sorted(ignored)}


def _words_with_tokens(text: str, tokens: Iterable[Token]) -> list[tuple[str, str]] | None:
    """Return the words of a text with their tokens, or empty ones; None if words have several."""
    words = [found.span() for found in _WORD.finditer(text)]
    token_of = [""] * len(words)
    at = 0
    for token in tokens:
        while at < len(words) and words[at][1] <= token.start:
            at += 1
        inside = at < len(words) and words[at][0] <= token.start and token.end <= words[at][1]
        if not inside or token_of[at]:
            return None
        token_of[at] = token.text
    return [(text[start:end], token) for (start, end), token in zip(words, token_of, strict=True)]


def _places(text: str, tokens: Iterable[Token]) -> list[int]:
    """Return where tokens begin and end, in the units by which a script counts."""
    return script_offsets(text, [end for token in tokens for end in (token.start, token.end)])


def script_offsets(text: str, offsets: list[int]) -> list[int]:
    """Return offsets into a text in the units by which a script counts.

    >>> script_offsets("\U0001f680 up", [0, 1, 2])
    [0, 2, 3]
    """
    if text.isascii() or max(text) < _TWO_UNITS:
        return offsets
    units = [0]
    for character in text:
        units.append(units[-1] + 1 + (character >= _TWO_UNITS))
    return [units[offset] for offset in offsets]
