"""N-grams and subsequences of a single text."""

from collections.abc import Hashable, Mapping, Sequence


def ngrams(tokens: list[str], n: int) -> list[str]:
    """Return the n-grams of a document, in order.

    >>> ngrams(["a", "river", "rose"], 2)
    ['a river', 'river rose']
    """
    grams = tokens
    for start in range(1, n):
        # No token holds a space, so the joined text serves as the tuple and hashes faster.
        grams = list(map(" ".join, zip(grams, tokens[start:], strict=False)))
    return grams


def places(tokens: Sequence[Hashable]) -> Mapping[Hashable, int]:
    """Return the places of each token, as the bits of an integer."""
    token_places: dict[Hashable, int] = {}
    for place, token in enumerate(tokens):
        token_places[token] = token_places.get(token, 0) | 1 << place
    return token_places


def longest_common(
    token_places: Mapping[Hashable, int], length: int, other: Sequence[Hashable]
) -> int:
    """Count the tokens of the longest common subsequence of two texts.

    The first text is given by the places of its tokens (see `places`) and its length.

    All columns of the usual table are advanced at once as the bits of one integer (Hyyrö 2004,
    Bit-parallel LCS-length computation revisited).

    >>> tokens = "police kill the gunman".split()
    >>> longest_common(places(tokens), len(tokens), "the gunman kill police".split())
    2
    """
    every = (1 << length) - 1
    row = every
    for token in other:
        hits = row & token_places.get(token, 0)
        row = ((row + hits) | (row - hits)) & every
    return length - row.bit_count()
