"""Texts as columns: the tokens of many documents as numbers, and the n-grams that they share.

A tokeniser is exact and reads one document; here its answers are looked up. A text is cut at white
space, and every distinct piece is given to the tokeniser once: all that is left of a token is its
number, and counting is arithmetic on arrays.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.text.tokeniser import Tokeniser

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_PIECES = 1 << 20
"""Pieces of text that are remembered; the tokens themselves are all kept."""
_BITS = 62
"""What a whole number may take, with room for a sign."""
_NOTHING = -1
"""The code of a piece without a token; lower codes are those of pieces with several."""


class TokenColumns(NamedTuple):
    """The tokens of documents, end to end, as numbers below `known`."""

    numbers: Integers
    starts: Integers
    """Where each document begins, and where the last one ends."""
    known: int

    @property
    def sizes(self) -> Integers:
        """How many tokens each document has."""
        return np.diff(self.starts)

    def take(self, documents: Integers) -> "TokenColumns":
        """Return the documents at these places, any of them any number of times."""
        sizes = self.sizes[documents]
        places = ranges(self.starts[documents], sizes)
        return TokenColumns(self.numbers[places], ends_from_zero(sizes), self.known)

    def joined(self, starts: Integers) -> "TokenColumns":
        """Return longer documents, each from one of these places to the next, end to end."""
        return TokenColumns(self.numbers, self.starts[starts], self.known)

    def between(self, first: int, last: int) -> "TokenColumns":
        """Return the documents from one place to before another."""
        begin, end = self.starts[first], self.starts[last]
        starts = self.starts[first : last + 1] - begin
        return TokenColumns(self.numbers[begin:end], starts, self.known)

    def documents(self) -> list[Integers]:
        """Return the tokens of each document."""
        return [self.numbers[first:last] for first, last in pairwise(self.starts.tolist())]

    @classmethod
    def together(cls, several: "Sequence[TokenColumns]") -> "TokenColumns":
        """Put documents one after the other; only documents of one tokeniser can be compared."""
        return cls(
            np.concatenate([columns.numbers for columns in several]),
            ends_from_zero(np.concatenate([columns.sizes for columns in several])),
            max(columns.known for columns in several),
        )


class _Codes(dict[str, int]):
    """What becomes of each piece of text, found when it is first met."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        super().__init__()
        self._tokeniser = tokeniser
        self._lock = Lock()
        self.numbers: dict[str, int] = {}
        """The number of each token."""
        self.several: list[list[int]] = []
        """The tokens of the pieces that have more than one."""

    def __missing__(self, piece: str) -> int:
        tokens = self._tokeniser([piece])
        with self._lock:
            if len(tokens) == 1:
                self[piece] = self.number(tokens[0])
            elif tokens:
                self.several.append([*map(self.number, tokens)])
                self[piece] = _NOTHING - len(self.several)
            else:
                self[piece] = _NOTHING
            return self[piece]

    def number(self, token: str) -> int:
        """Return the number of a token, a new one where it is new."""
        return self.numbers.setdefault(token, len(self.numbers))

    def forget(self) -> None:
        """Forget the pieces."""
        with self._lock:
            self.clear()
            self.several = []


class Vocabulary:
    """Numbers the tokens of one tokeniser; equal tokens have equal numbers, always.

    >>> from chronoscore.elements.text import tokeniser
    >>> vocabulary(tokeniser("rouge155")).read([["The river rose."], ["Rivers, rising"]])
    TokenColumns(numbers=array([0, 1, 0, 2]), starts=array([0, 2, 4]), known=3)
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._tokeniser = tokeniser
        self._codes = _Codes(tokeniser)

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each token that was met."""
        return self._codes.numbers

    def forget(self) -> None:
        """Forget what pieces of text became, and keep the numbers of their tokens."""
        self._codes.forget()

    def read(self, documents: Sequence[Sequence[str]]) -> TokenColumns:
        """Return the tokens of documents, each of which is a sequence of sentences."""
        if len(self._codes) > MOST_PIECES:
            self.forget()
        if self._tokeniser.texts is None:
            numbers, sizes = self._read_whole(documents)
        else:
            numbers, sizes = self._read_pieces(self._tokeniser.texts(documents))
        return TokenColumns(numbers, ends_from_zero(sizes), len(self._codes.numbers))

    def _read_whole(self, documents: Sequence[Sequence[str]]) -> tuple[Integers, Integers]:
        tokens = [self._tokeniser(sentences) for sentences in documents]
        numbers = map(self._codes.number, chain.from_iterable(tokens))
        return np.fromiter(numbers, np.int64), _lengths(tokens)

    def _read_pieces(self, texts: Sequence[str]) -> tuple[Integers, Integers]:
        pieces = [*map(str.split, texts)]
        sizes = _lengths(pieces)
        looked_up = map(self._codes.__getitem__, chain.from_iterable(pieces))
        codes = np.fromiter(looked_up, np.int64, count=int(sizes.sum()))
        several = np.flatnonzero(codes < _NOTHING)
        if len(several):
            codes, sizes = self._expanded(codes, sizes, several)
        is_token = codes >= 0
        return codes[is_token], _sums(is_token, sizes)

    def _expanded(
        self, codes: Integers, sizes: Integers, several: Integers
    ) -> tuple[Integers, Integers]:
        """Replace the codes of pieces with several tokens, at these places, by the tokens."""
        tokens = [self._codes.several[at] for at in (_NOTHING - 1 - codes[several]).tolist()]
        more = _lengths(tokens) - 1
        times = np.ones_like(codes)
        times[several] += more
        codes = np.repeat(codes, times)
        first = several + np.cumsum(more) - more
        codes[ranges(first, more + 1)] = np.fromiter(chain.from_iterable(tokens), np.int64)
        document = np.searchsorted(np.cumsum(sizes), several, side="right")
        return codes, sizes + np.bincount(document, more, minlength=len(sizes)).astype(np.int64)


@cache
def vocabulary(tokeniser: Tokeniser) -> Vocabulary:
    """Return the vocabulary of a tokeniser: one for the whole process."""
    return Vocabulary(tokeniser)


def _lengths(items: Sequence[Sequence[object]]) -> Integers:
    return np.fromiter(map(len, items), np.int64, count=len(items))


def ends_from_zero(sizes: Integers | NDArray[np.bool_]) -> Integers:
    """Return where items of these sizes begin, end to end, and where the last one ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def _sums(values: NDArray[np.bool_] | Integers, sizes: Integers) -> Integers:
    """Add up values over runs of these sizes, end to end."""
    return np.diff(ends_from_zero(values)[ends_from_zero(sizes)])


# N-grams


class Shared(NamedTuple):
    """Pairs of a predicted and a gold document, and how much of one n-gram they share."""

    predicted: Integers
    gold: Integers
    times: Integers


def shared_ngrams(
    predicted: TokenColumns,
    gold: TokenColumns,
    n: int,
    predicted_groups: Integers,
    gold_groups: Integers,
) -> Shared:
    """Find the n-grams that predicted documents share with the gold documents of their group.

    Groups are whole numbers from 0 that ascend from document to document. A pair of documents
    occurs once for every n-gram that both have, with the smaller of its two counts.
    """
    groups = np.concatenate([predicted_groups, gold_groups])
    firsts, places = zip(*map(_places_in_groups, (predicted_groups, gold_groups)), strict=True)
    low_bits = 1 + int(max(part.max(initial=0) for part in places)).bit_length()
    side = 1 << (low_bits - 1)
    low = np.concatenate([places[0], places[1] | side])
    room = _BITS - low_bits - int(groups.max(initial=0)).bit_length()
    grams, totals, bits = _ngrams(TokenColumns.together([predicted, gold]), n, room)
    # What is the same is in a row when sorted by group, n-gram, side and document.
    keys = np.repeat((groups << (bits + low_bits)) | low, totals) + (grams << low_bits)
    keys.sort()
    begins = np.flatnonzero(_is_new(keys))
    entries, times = keys[begins], np.diff(begins, append=len(keys))
    ngrams = entries >> low_bits
    runs = np.flatnonzero(_is_new(ngrams))
    sizes = np.diff(runs, append=len(entries))
    is_gold = (entries & side) != 0
    golds = _sums(is_gold, sizes)
    # Every predicted document with an n-gram meets the gold ones, the last of the run.
    met = np.flatnonzero((golds > 0) & (golds < sizes))
    runs, sizes, golds = runs[met], sizes[met], golds[met]
    others = sizes - golds
    partners = np.repeat(golds, others)
    left = np.repeat(ranges(runs, others), partners)
    right = ranges(np.repeat(runs + others, others), partners)
    group, place = ngrams[left] >> bits, side - 1
    return Shared(
        firsts[0][group] + (entries[left] & place),
        firsts[1][group] + (entries[right] & place),
        np.minimum(times[left], times[right]),
    )


def ngram_totals(columns: TokenColumns, n: int) -> Integers:
    """Count the n-grams of each document."""
    return np.maximum(columns.sizes - (n - 1), 0)


def _ngrams(columns: TokenColumns, n: int, room: int) -> tuple[Integers, Integers, int]:
    """Return the n-grams of all documents as numbers, how many each has, and the bits they take.

    A number is made of those of its tokens; where that would exceed the room, n-grams are numbered
    as they occur.
    """
    totals = ngram_totals(columns, n)
    bits = token_bits = (max(columns.known, 1) - 1).bit_length()
    if n == 1:
        return columns.numbers, totals, bits
    first = ranges(columns.starts[:-1], totals)
    grams = columns.numbers[first]
    for further in range(1, n):
        if bits + token_bits > room:
            distinct, grams = np.unique(grams, return_inverse=True)
            bits = max(len(distinct) - 1, 0).bit_length()
        grams = grams << token_bits | columns.numbers[first + further]
        bits += token_bits
    return grams, totals, bits


def _places_in_groups(groups: Integers) -> tuple[Integers, Integers]:
    """Return the first document of each group, and the place of each document in its group."""
    firsts = np.searchsorted(groups, np.arange(groups.max(initial=-1) + 2))
    return firsts, np.arange(len(groups)) - firsts[groups]


def ranges(starts: Integers, sizes: Integers) -> Integers:
    """Return whole numbers from each start on, so many of them, end to end."""
    before = np.cumsum(sizes) - sizes
    numbers: Integers = np.arange(sizes.sum()) + np.repeat(starts - before, sizes)
    return numbers


def summed(places: Integers, values: Integers | NDArray[np.float64], number: int) -> Array:
    """Add up the values at each of so many places, in the order in which they come."""
    return np.bincount(places, values, minlength=number).astype(np.float64, copy=False)


def _is_new(values: Integers) -> NDArray[np.bool_]:
    """Whether each value differs from the one before."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new
