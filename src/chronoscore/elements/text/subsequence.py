"""The longest common subsequence of two lists of tokens, for ROUGE-L."""

from collections.abc import Mapping, Sequence


def places(tokens: Sequence[str]) -> Mapping[str, int]:
    """For each token, the bits of the places where it stands."""
    found: dict[str, int] = {}
    for place, token in enumerate(tokens):
        found[token] = found.get(token, 0) | 1 << place
    return found


def longest_common(places_of_one: Mapping[str, int], length: int, other: Sequence[str]) -> int:
    """Count the tokens of the longest common subsequence.

    All columns of the usual table are advanced at once as the bits of one integer (Hyyrö 2004,
    Bit-parallel LCS-length computation revisited).

    >>> one = "police kill the gunman".split()
    >>> longest_common(places(one), len(one), "the gunman kill police".split())
    2
    """
    every = (1 << length) - 1
    row = every
    for token in other:
        hits = row & places_of_one.get(token, 0)
        row = ((row + hits) | (row - hits)) & every
    return length - row.bit_count()
