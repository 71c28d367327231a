"""What a page marks: the same as the metric counts, whatever its text processing."""

from collections.abc import Set
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.text import tokeniser
from chronoscore.reports.html.marks import _WORD, marked_words

MODES = ("rouge155", "reimpl", "words", "chars", "plain", "jieba", "stems-de", "content")
sentences = st.text(
    st.sampled_from(
        "ab the children child café naïve < ^ 他说不会 ผมรักกำ あい Straße STRASSE 😀.,-"
    ),
    max_size=20,
)


def piece_places(text: str, data: dict[str, Any], texts: list[str]) -> list[tuple[int, int]]:
    """What panel.js takes as the pieces of a text, in characters instead of units of UTF-16."""
    ends = data["places"].get(str(texts.index(text)))
    if ends is None:
        return [found.span() for found in _WORD.finditer(text)]
    units = text.encode("utf-16-le")
    places = [len(units[: 2 * end].decode("utf-16-le")) for end in ends]
    return list(zip(places[::2], places[1::2], strict=True))


def marked(text: str, other: str, data: dict[str, Any], texts: list[str]) -> set[int]:
    """The characters of a text that panel.js marks, as it looks them up."""
    tokens_of: dict[str, set[int]] = {}
    for token, group in enumerate(data["words"]):
        for word in group:
            tokens_of.setdefault(word, set()).add(token)

    def pieces(of: str) -> list[tuple[int, int, Set[int]]]:
        places = piece_places(of, data, texts)
        return [(*place, tokens_of.get(of[slice(*place)], set())) for place in places]

    others = set().union(*(tokens for *_, tokens in pieces(other)))
    return {
        place
        for start, end, tokens in pieces(text)
        if tokens & others
        for place in range(start, end)
    }


@pytest.mark.parametrize("mode", MODES)
@given(gold=sentences, predicted=sentences)
def test_what_is_marked_is_what_is_counted(mode: str, gold: str, predicted: str) -> None:
    read = tokeniser(mode)
    texts = list(dict.fromkeys((gold, predicted)))
    data = marked_words({gold: read}, {predicted: read}, texts)
    shared = set(read([gold])) & set(read([predicted]))
    for text, other in ((gold, predicted), (predicted, gold)):
        spans = [token for token in read.spans(text) if token.text in shared]
        counted = {place for token in spans for place in range(token.start, token.end)}
        words = [found.span() for found in _WORD.finditer(text)]
        around = {p for word in words if counted & {*range(*word)} for p in range(*word)}
        assert counted <= marked(text, other, data, texts) <= counted | around
