"""N-grams and common subsequences of texts."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from chronoscore.core import budget

if TYPE_CHECKING:
    from chronoscore.elements.text.columns import Integers, TokenColumns

_WORD = 63
"""The longest text whose places are the bits of one number."""
_TOGETHER = 1 << 21
"""Tokens that are compared at once."""
_LONG = 10_000
"""The words of a text from which on the memory for their places is looked at."""


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


def common_lengths(
    some: "TokenColumns", left: "Integers", others: "TokenColumns", right: "Integers"
) -> "Integers":
    """Count the tokens of the longest common subsequence of many pairs of texts.

    `left` and `right` are the places of the texts of each pair. Short texts are advanced all at
    once, each as the bits of one number (see `longest_common`).
    """
    import numpy as np  # noqa: PLC0415 - only where there are columns

    sizes, other_sizes = some.sizes[left], others.sizes[right]
    lengths = np.zeros(len(left), np.int64)
    is_short = other_sizes <= _WORD
    full = np.flatnonzero(is_short & (sizes > 0) & (other_sizes > 0))
    full = full[np.argsort(sizes[full], kind="stable")]  # texts of one length are padded least
    while len(full):
        some_of = full[:_TOGETHER]
        width = int(max(sizes[some_of].max(), other_sizes[some_of].max()))
        part, full = np.split(full, [max(1, _TOGETHER // width)])
        lengths[part] = _short_lengths(some, left[part], others, right[part])
    rows: dict[int, Mapping[Hashable, int]] = {}
    for pair in np.flatnonzero(~is_short & (sizes > 0)).tolist():
        at, other = int(left[pair]), int(right[pair])
        words, length = some.document(at), int(other_sizes[pair])
        if other not in rows:
            text = others.document(other)
            if words == text:
                lengths[pair] = length
                continue
            rows[other] = _checked_places(text)
        lengths[pair] = longest_common(rows[other], length, words)
    return lengths


def _checked_places(tokens: Sequence[Hashable]) -> Mapping[Hashable, int]:
    """Return the places of each token, unless their bits would exceed the memory budget."""
    if len(tokens) > _LONG:
        needed = len({*tokens}) * len(tokens) // 8
        what = f"the longest common sequence of a text of {len(tokens):,} words"
        budget.check(needed, what, advice="cut the text into shorter entries")
    return places(tokens)


def _short_lengths(
    some: "TokenColumns", left: "Integers", others: "TokenColumns", right: "Integers"
) -> "Integers":
    import numpy as np  # noqa: PLC0415 - as above

    first, other = some.padded(left, -1), others.padded(right, -2)
    powers = np.left_shift(np.uint64(1), np.arange(other.shape[1], dtype=np.uint64))
    row = np.full(len(left), np.uint64(2**64 - 1))
    for column in first.T:
        hits = row & ((other == column[:, None]) @ powers)
        row = (row + hits) | (row - hits)
    bits = np.unpackbits((~row).view(np.uint8).reshape(len(left), 8), axis=1)
    lengths: Integers = bits.sum(axis=1, dtype=np.int64)
    return lengths
