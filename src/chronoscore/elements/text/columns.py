"""Texts as columns: the tokens of many documents as numbers, and the n-grams that they share.

A tokeniser is exact and reads one document; here its answers are looked up. A text is cut at white
space, and every distinct piece is given to the tokeniser once: all that is left of a token is its
number, and counting is arithmetic on arrays.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.text.tokeniser import Tokeniser

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Keys = NDArray[np.uint64]

MOST_PIECES = 1 << 20
"""Pieces of text that are remembered; tokens keep their numbers when pieces are forgotten."""
_BITS = 62
"""What a whole number may take, with room for a sign."""
_END = b"\0"
"""Separates texts, where many are cut at once; keys of pieces can't tell it from nothing."""
_BLANKS = bytes(ord(" ") if chr(code) in "\t\n\v\f\r" else code for code in range(256))
_SHORT = 24
"""The bytes of a piece that three whole numbers hold."""
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)
"""Odd numbers whose products spread: that of Fibonacci hashing (Knuth 1973), and two of those that
xxHash multiplies by (Collet 2012)."""
_HALVES = "surrogatepass"
"""Halves of a surrogate pair may be read, if a file has them."""
CROWDED = 1 << 10
"""The pairs of documents with a common n-gram from which on it is counted in a table."""
NGRAMS_IN_A_TABLE = 512
"""The n-grams that are counted in one table, so that it stays small."""
PAIRS_TOGETHER = 1 << 18
"""Pairs of documents that share an n-gram, as many as are counted in one pass."""
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

    def document(self, at: int) -> list[int]:
        """Return the tokens of one document."""
        tokens: list[int] = self.numbers[self.starts[at] : self.starts[at + 1]].tolist()
        return tokens

    def padded(self, documents: Integers, fill: int) -> Integers:
        """Return a table with the tokens of a document in each row, filled up at the end."""
        sizes = self.sizes[documents]
        table = np.full((len(documents), int(sizes.max(initial=0))), fill, np.int64)
        is_token = np.arange(table.shape[1]) < sizes[:, None]
        table[is_token] = self.numbers[ranges(self.starts[documents], sizes)]
        return table

    @classmethod
    def together(cls, several: "Sequence[TokenColumns]") -> "TokenColumns":
        """Put documents one after the other; only documents of one tokeniser can be compared."""
        return cls(
            np.concatenate([columns.numbers for columns in several]),
            ends_from_zero(np.concatenate([columns.sizes for columns in several])),
            max(columns.known for columns in several),
        )


class _Table:
    """The numbers of short pieces by their bytes, for many pieces at once.

    The bytes of a piece are three whole numbers, its key. A piece has the row that its key leads
    to, or the next one that is free (open addressing).
    """

    def __init__(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._keys = np.zeros((3, 1 << bits), np.uint64)
        self._numbers = np.full(1 << bits, -1)
        """The numbers of the pieces, -1 in rows that are free."""

    def _rows(self, keys: Keys) -> Integers:
        mixed: Keys = keys[0] * _MIX[0] + keys[1] * _MIX[1] + keys[2] * _MIX[2]
        return (mixed >> self._shift).astype(np.int64)

    def look_up(self, keys: Keys) -> Integers:
        """Return the numbers of pieces by their keys, -1 for those that are not known."""
        rows = self._rows(keys)
        numbers = self._numbers[rows]
        others = np.flatnonzero(self._differ(rows, keys) & (numbers >= 0))
        if len(others):  # another piece has the row
            numbers[others] = self._look_further(rows[others], keys[:, others])
        return numbers

    def _look_further(self, rows: Integers, keys: Keys) -> Integers:
        numbers = np.full(len(rows), -1)
        waiting = np.arange(len(rows))
        while len(waiting):
            rows = (rows + 1) % len(self._numbers)
            found = self._numbers[rows]
            goes_on = self._differ(rows, keys) & (found >= 0)
            numbers[waiting[~goes_on]] = found[~goes_on]
            rows, keys, waiting = rows[goes_on], keys[:, goes_on], waiting[goes_on]
        return numbers

    def _differ(self, rows: Integers, keys: Keys) -> NDArray[np.bool_]:
        differ: NDArray[np.bool_] = self._keys[0][rows] != keys[0]
        for known, key in zip(self._keys[1:], keys[1:], strict=True):
            differ |= known[rows] != key
        return differ

    def with_pieces(self, keys: Keys, numbers: Integers) -> "_Table":
        """Add pieces that are not there; return this table, or a larger one."""
        known = self._numbers >= 0
        size = 2 * (np.count_nonzero(known) + len(numbers))
        if size > len(self._numbers):
            larger = _Table(int(2 * size).bit_length())
            larger._put(self._keys[:, known], self._numbers[known])
            return larger.with_pieces(keys, numbers)
        self._put(keys, numbers)
        return self

    def _put(self, keys: Keys, numbers: Integers) -> None:
        rows = self._rows(keys)
        while len(rows):
            is_first = np.zeros(len(rows), np.bool_)  # of those that come to the same row
            is_first[np.unique(rows, return_index=True)[1]] = True
            settles = is_first & (self._numbers[rows] < 0)
            self._keys[:, rows[settles]] = keys[:, settles]
            self._numbers[rows[settles]] = numbers[settles]
            rows, keys, numbers = rows[~settles], keys[:, ~settles], numbers[~settles]
            rows = (rows + 1) % len(self._numbers)


class Pieces:
    """Numbers pieces of text, the first time they are met and ever after.

    A dictionary has the numbers. A table has those of short pieces as well, and answers for
    thousands of them at once.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        """The pieces by their numbers."""
        self._known: dict[bytes, int] = {}
        self._lock = Lock()
        self._table = _Table(bits=12)

    def number(self, piece: bytes) -> int:
        """Return the number of a piece."""
        number = self._known.get(piece)
        if number is None:
            with self._lock:
                number = self._known.get(piece, len(self.texts))
                if number == len(self.texts):
                    self.texts.append(piece.decode("utf-8", _HALVES))
                    self._known[piece] = number  # whoever sees it finds its text
        return number

    def numbers(self, text: bytes, starts: Integers, ends: Integers) -> Integers:
        """Return the numbers of the pieces of a text between these places."""
        keys = _keys(text, starts, ends)
        numbers = self._table.look_up(keys)
        is_short = ends - starts <= _SHORT
        numbers[~is_short] = -1
        unknown = np.flatnonzero(numbers < 0)
        if len(unknown):
            pieces = zip(starts[unknown].tolist(), ends[unknown].tolist(), strict=True)
            numbers[unknown] = [self.number(text[start:end]) for start, end in pieces]
            short = unknown[is_short[unknown]]
            distinct, places = np.unique(numbers[short], return_index=True)
            with self._lock:
                self._table = self._table.with_pieces(keys[:, short[places]], distinct)
        return numbers


def _keys(text: bytes, starts: Integers, ends: Integers) -> Keys:
    """Return the first 24 bytes of pieces as three whole numbers each."""
    windows = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    sizes = ends - starts
    keys = np.zeros((3, len(starts)), np.uint64)
    keys[0] = windows[starts] & _MASKS[np.minimum(sizes, 8)]
    for part in (1, 2):
        longer = np.flatnonzero(sizes > 8 * part)
        rest = np.minimum(sizes[longer] - 8 * part, 8)
        keys[part][longer] = windows[starts[longer] + 8 * part] & _MASKS[rest]
    return keys


class _Memory:
    """The pieces of this process, as many as are worth remembering."""

    pieces = Pieces()

    @classmethod
    def current(cls) -> Pieces:
        if len(cls.pieces.texts) > MOST_PIECES:
            cls.pieces = Pieces()
        return cls.pieces


class PieceColumns(NamedTuple):
    """The pieces of some texts, end to end, as numbers."""

    numbers: Integers
    sizes: Integers
    """How many pieces each text has."""
    pieces: Pieces

    @classmethod
    def of(cls, texts: Sequence[str]) -> "PieceColumns":
        """Cut texts at white space."""
        pieces = _Memory.current()
        every = " \0 ".join(["", *texts, ""]).encode("utf-8", _HALVES).translate(_BLANKS)
        if every.count(_END) != len(texts) + 1:  # some text has it
            cut = [text.encode("utf-8", _HALVES).split() for text in texts]
            one_by_one = map(pieces.number, chain.from_iterable(cut))
            return cls(np.fromiter(one_by_one, np.int64), _lengths(cut), pieces)
        text = every + bytes(_SHORT)
        is_blank = np.frombuffer(every, np.uint8) == ord(" ")
        edges = np.flatnonzero(is_blank[1:] != is_blank[:-1]) + 1
        starts, ends = edges[::2], edges[1::2]
        numbers = pieces.numbers(text, starts, ends)
        is_end = numbers == pieces.number(_END)
        return cls(numbers[~is_end], np.diff(np.flatnonzero(is_end)) - 1, pieces)


class Documents:
    """Documents as sequences of sentences, cut into pieces once for all tokenisers."""

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        self.sentences = sentences
        self.texts = [one[0] if len(one) == 1 else " ".join(one) for one in sentences]
        """The sentences of each document as one text."""

    @cached_property
    def pieces(self) -> PieceColumns:
        """The pieces of all documents."""
        return PieceColumns.of(self.texts)

    def without_hidden(self, mark: str) -> PieceColumns:
        """Return the pieces without the rest of each sentence from a mark on."""
        hiding = [place for place, text in enumerate(self.texts) if mark in text]
        if not hiding:
            return self.pieces
        texts = self.texts.copy()
        for place in hiding:
            texts[place] = " ".join([part.partition(mark)[0] for part in self.sentences[place]])
        return PieceColumns.of(texts)


class PieceFacts:
    """What a function says of each piece of text, as whole numbers; it is asked once."""

    def __init__(self, say: Callable[[str], Sequence[int]], width: int) -> None:
        self._say = say
        self._width = width
        self._lock = Lock()
        self._pieces: Pieces | None = None
        self._facts = np.empty((0, width), np.int64)
        self._known = 0

    def of(self, cut: PieceColumns) -> Integers:
        """Return what is said of each piece, a row for each."""
        with self._lock:
            if cut.pieces is not self._pieces:
                self._pieces, self._known = cut.pieces, 0
            number = len(cut.pieces.texts)
            if number > len(self._facts):
                facts = np.empty((2 * number, self._width), np.int64)
                facts[: self._known] = self._facts[: self._known]
                self._facts = facts
            if number > self._known:
                new = cut.pieces.texts[self._known : number]
                self._facts[self._known : number] = [*map(self._say, new)]
                self._known = number
            return self._facts[cut.numbers]

    def sums(self, texts: Sequence[str]) -> Integers:
        """Return what is said of the pieces of each text, added up."""
        cut = PieceColumns.of(texts)
        sums = np.zeros((len(cut.numbers) + 1, self._width), np.int64)
        np.cumsum(self.of(cut), axis=0, out=sums[1:])
        return np.diff(sums[ends_from_zero(cut.sizes)], axis=0)


class Vocabulary:
    """Numbers the tokens of one tokeniser; equal tokens have equal numbers, always.

    >>> from chronoscore.elements.text import tokeniser
    >>> documents = Documents([["The river rose."], ["Rivers, rising"]])
    >>> vocabulary(tokeniser("rouge155")).read(documents).starts
    array([0, 2, 4])
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._tokeniser = tokeniser
        self._lock = Lock()
        self.numbers: dict[str, int] = {}
        """The number of each token that was met."""
        self._several: dict[tuple[int, ...], int] = {}
        """The tokens of pieces that have more than one, and their place here."""
        self._codes = PieceFacts(self._code, 1)
        """For each piece the number of its token, or a number below 0."""

    def read(self, documents: Documents) -> TokenColumns:
        """Return the tokens of documents."""
        if self._tokeniser.sees_more_than_words:
            tokens = [*map(self._tokeniser, documents.sentences)]
            every = [*map(self._number, chain.from_iterable(tokens))]
            numbers, sizes = np.array(every, np.int64), _lengths(tokens)
        else:
            mark = self._tokeniser.hides_from
            pieces = documents.without_hidden(mark) if mark else documents.pieces
            numbers, sizes = self._tokens(pieces)
        return TokenColumns(numbers, ends_from_zero(sizes), len(self.numbers))

    def _number(self, token: str) -> int:
        number = self.numbers.get(token)
        if number is None:
            with self._lock:
                number = self.numbers.setdefault(token, len(self.numbers))
        return number

    def _tokens(self, cut: PieceColumns) -> tuple[Integers, Integers]:
        codes, sizes = self._codes.of(cut)[:, 0], cut.sizes
        several = np.flatnonzero(codes < _NOTHING)
        if len(several):
            codes, sizes = self._expanded(codes, sizes, several)
        is_token = codes >= 0
        return codes[is_token], _sums(is_token, sizes)

    def _code(self, piece: str) -> tuple[int]:
        tokens = tuple(map(self._number, self._tokeniser([piece])))
        if not tokens:
            return (_NOTHING,)
        if len(tokens) == 1:
            return tokens
        place = self._several.setdefault(tokens, len(self._several))
        return (_NOTHING - 1 - place,)

    def _expanded(
        self, codes: Integers, sizes: Integers, several: Integers
    ) -> tuple[Integers, Integers]:
        """Replace the codes of pieces with several tokens, at these places, by the tokens."""
        of_place = [*self._several]
        tokens = [of_place[at] for at in (_NOTHING - 1 - codes[several]).tolist()]
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
) -> Iterator[Shared]:
    """Find the n-grams that predicted documents share with the gold documents of their group.

    Groups are whole numbers from 0 that ascend from document to document. A pair of documents
    occurs once for every n-gram that both have, with the smaller of its two counts. Very many pairs
    come in parts, in the order of predicted documents.
    """
    groups = np.concatenate([predicted_groups, gold_groups])
    number = int(groups.max(initial=0)) + 1
    firsts = [np.searchsorted(one, np.arange(number)) for one in (predicted_groups, gold_groups)]
    places = np.concatenate(
        [
            np.arange(len(one)) - first[one]
            for one, first in zip((predicted_groups, gold_groups), firsts, strict=True)
        ]
    )
    low_bits = 1 + int(places.max(initial=0)).bit_length()
    side = 1 << (low_bits - 1)
    places[len(predicted_groups) :] |= side
    room = _BITS - low_bits - number.bit_length()
    grams, totals, bits = _ngrams(TokenColumns.together([predicted, gold]), n, room)
    # What is the same is in a row when sorted by group, n-gram, side and document.
    keys = np.repeat((groups << (bits + low_bits)) | places, totals) + (grams << low_bits)
    keys.sort()
    begins = np.flatnonzero(is_new(keys))
    entries, times = keys[begins], np.diff(begins, append=len(keys))
    ngrams = entries >> low_bits
    group, is_gold = ngrams >> bits, (entries & side) != 0
    document = np.where(is_gold, firsts[1][group], firsts[0][group]) + (entries & (side - 1))
    if low_bits == 1:  # one document a side: it is followed by its partner
        left = np.flatnonzero(ngrams[1:] == ngrams[:-1])
        meetings = iter([(left, left + 1)])
    else:
        runs = _Runs.of(ngrams, is_gold)
        crowded = runs.others * runs.golds >= CROWDED
        yield from _counted_in_tables(runs.take(crowded), group, document, times)
        meetings = _meetings(runs.take(~crowded), document)
    for left, right in meetings:
        yield Shared(document[left], document[right], np.minimum(times[left], times[right]))


class _Runs(NamedTuple):
    """N-grams that both sides have, as runs of entries: first the predicted, then the gold ones."""

    starts: Integers
    others: Integers
    """How many predicted documents have each n-gram."""
    golds: Integers
    """How many gold documents have it."""

    @classmethod
    def of(cls, ngrams: Integers, is_gold: NDArray[np.bool_]) -> "_Runs":
        starts = np.flatnonzero(is_new(ngrams))
        sizes = np.diff(starts, append=len(ngrams))
        golds = _sums(is_gold, sizes)
        return cls(starts, sizes - golds, golds).take((golds > 0) & (golds < sizes))

    def take(self, chosen: NDArray[np.bool_]) -> "_Runs":
        return _Runs(*(column[chosen] for column in self))


def _meetings(runs: _Runs, document: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Pair each predicted entry with all gold entries of the same n-gram."""
    starts, others, golds = runs
    left, right = ranges(starts, others), np.repeat(starts + others, others)
    partners = np.repeat(golds, others)
    if partners.sum() > PAIRS_TOGETHER:  # the pairs of a document are summed in a small table
        order = np.argsort(document[left], kind="stable")
        left, right, partners = left[order], right[order], partners[order]
    ends = np.cumsum(partners)
    first = 0
    while first < len(left):
        done = ends[first] - partners[first]
        last = max(first + 1, int(np.searchsorted(ends, done + PAIRS_TOGETHER, side="right")))
        part = slice(first, last)
        yield np.repeat(left[part], partners[part]), ranges(right[part], partners[part])
        first = last


def _counted_in_tables(
    runs: _Runs, group: Integers, document: Integers, times: Integers
) -> Iterator[Shared]:
    """Count n-grams that many pairs share, in one table of documents for many n-grams.

    The smaller of two counts is the number of k that neither is below, so that a table is a sum of
    products of matrices of 0 and 1; whole numbers of this size are exact in them.
    """
    of_group = group[runs.starts]
    begins = np.flatnonzero(is_new(of_group))
    for begin, end in pairwise([*begins.tolist(), len(of_group)]):
        for first in range(begin, end, NGRAMS_IN_A_TABLE):
            part = slice(first, min(first + NGRAMS_IN_A_TABLE, end))
            starts, others, golds = (column[part] for column in runs)
            predicted, rows = _count_table(starts, others, document, times)
            gold, columns = _count_table(starts + others, golds, document, times)
            table = np.zeros((len(predicted), len(gold)), np.float32)
            for k in range(1, int(min(predicted.max(), gold.max())) + 1):
                table += (predicted >= k).astype(np.float32) @ (gold >= k).astype(np.float32).T
            step = max(1, PAIRS_TOGETHER // len(gold))
            for above in range(0, len(predicted), step):
                some = table[above : above + step]
                row, column = np.nonzero(some)
                counts = some[row, column].astype(np.int64)
                yield Shared(rows + above + row, columns + column, counts)


def _count_table(
    starts: Integers, sizes: Integers, document: Integers, times: Integers
) -> tuple[Integers, int]:
    """Return how often documents (rows) have n-grams (columns), and the first document."""
    entries, column = ranges(starts, sizes), np.repeat(np.arange(len(sizes)), sizes)
    first = int(document[entries].min())
    table = np.zeros((int(document[entries].max()) - first + 1, len(sizes)), np.int64)
    table[document[entries] - first, column] = times[entries]
    return table, first


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
    first = columns.starts[:-1] if n == 1 else ranges(columns.starts[:-1], totals)
    grams = columns.numbers if n == 1 else columns.numbers[first]
    for further in range(1, n):
        if bits + token_bits > room:
            grams, bits = _renumbered(grams)
        grams = grams << token_bits | columns.numbers[first + further]
        bits += token_bits
    if bits > room:
        grams, bits = _renumbered(grams)
    return grams, totals, bits


def _renumbered(grams: Integers) -> tuple[Integers, int]:
    """Number n-grams as they occur; return their numbers and the bits these take."""
    distinct, numbers = np.unique(grams, return_inverse=True)
    return numbers, max(len(distinct) - 1, 0).bit_length()


def ranges(starts: Integers, sizes: Integers) -> Integers:
    """Return ranges of whole numbers, each with its start and length, end to end."""
    before = np.cumsum(sizes) - sizes
    numbers: Integers = np.arange(sizes.sum()) + np.repeat(starts - before, sizes)
    return numbers


def summed(places: Integers, values: Integers | Array, number: int) -> Array:
    """Add up the values at each place, in the order in which they come."""
    return np.bincount(places, values, minlength=number).astype(np.float64, copy=False)


def add_up(sums: Array, places: Integers, values: Integers) -> None:
    """Add values to the sums at these places; those between the first and last are touched."""
    if len(places):
        first = places.min()
        part = np.bincount(places - first, values)
        sums[first : first + len(part)] += part


def is_new(values: Integers) -> NDArray[np.bool_]:
    """Whether each value differs from the one before."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new
