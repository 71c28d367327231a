"""Texts as columns: the same tokens as the tokeniser gives, and the same counts as counters."""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.text import RAW, Tokeniser, columns, tokeniser
from chronoscore.elements.text.columns import (
    Documents,
    TokenColumns,
    Vocabulary,
    ngram_totals,
    shared_ngrams,
    vocabulary,
)
from chronoscore.elements.text.sequences import ngrams

MODES = (
    *("rouge155", "reimpl", "plain", "words", "chars", "stems-de", "stems-tr", "stems-ar"),
    *("snowball-russian", "icu-th", "jieba", "raw", "content"),
)
PIECES = st.sampled_from(
    [
        *("The", "river's", "owner-operator", "^", "a^b", "<", "x<y", "café", "US", "don't", "--"),
        *("can’t", "'won't'", "not"),
        *(
            "Straße",
            "ΟΔΟΣ",
            "Σ",
            "ΑΣ.",
            "İstanbul",
            "ISPARTA",
            "ı",
            "ﬁve",
            "２０１１",
            "他说",
            "हिन्दी",
        ),
        *(
            "กำลัง",
            "ํา",
            "かな",
            "か",
            "العَرَب",
            "\u200b",
            "\u0301",
            "\u00a0",
            "\u3000",
            "ﷺ",
            "Ά̓",
            "\x1c",
        ),
    ]
)
BLANKS = st.sampled_from([" ", "  ", "", "\u00a0", "\t", "\u200b", "\u3000", "\x85"])
SENTENCES = st.one_of(
    st.text(max_size=12),
    st.lists(st.tuples(PIECES, BLANKS), max_size=6).map(lambda parts: "".join(map("".join, parts))),
)
DOCUMENTS = st.lists(st.lists(SENTENCES, max_size=3).map(tuple), max_size=5)


def of(mode: str) -> Tokeniser:
    return RAW if mode == "raw" else tokeniser(mode)


def tokens_of(read: TokenColumns, known: Vocabulary) -> list[list[str]]:
    names = {number: token for token, number in known.numbers.items()}
    return [[names[number] for number in one.tolist()] for one in read.documents()]


@pytest.mark.parametrize("mode", MODES)
@given(DOCUMENTS)
def test_columns_have_the_tokens_of_the_tokeniser(
    mode: str, documents: list[tuple[str, ...]]
) -> None:
    known = vocabulary(of(mode))
    assert tokens_of(known.read(Documents(documents)), known) == [*map(of(mode), documents)]


def test_many_pieces_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_PIECES", 2)
    known = Vocabulary(tokeniser("words"))
    texts = [("one two three-four",), ("five three-four two",), ("one",)]
    numbers = known.read(Documents(texts)).numbers.tolist()
    assert known.read(Documents(texts)).numbers.tolist() == numbers
    assert [tokens_of(known.read(Documents([text])), known)[0] for text in texts] == [
        ["one", "two", "three", "four"],
        ["five", "three", "four", "two"],
        ["one"],
    ]


WORDS = st.lists(st.sampled_from("abcd"), max_size=8)
GROUPS = st.lists(
    st.tuples(st.lists(WORDS, max_size=3), st.lists(WORDS, max_size=3)), min_size=1, max_size=4
)


@given(
    GROUPS,
    st.integers(1, 4),
    st.sampled_from([0, 40, 56]),
    st.sampled_from([1, 3, 1 << 18]),
    st.sampled_from([0, 3, 1 << 10]),
)
def test_shared_ngrams_are_the_overlap_of_counts(
    groups: list[tuple[list[list[str]], list[list[str]]]],
    n: int,
    bits: int,
    pairs: int,
    crowded: int,
) -> None:
    known = Vocabulary(tokeniser("plain"))
    sides = [[words for group in groups for words in group[side]] for side in (0, 1)]
    of_group = [
        np.repeat(np.arange(len(groups)), [len(group[side]) for group in groups]) for side in (0, 1)
    ]
    predicted, gold = (
        known.read(Documents([(" ".join(words),) for words in side])) for side in sides
    )
    if bits:  # numbers too large to be joined: n-grams are numbered as they occur
        predicted, gold = (read._replace(known=1 << bits) for read in (predicted, gold))
    counts = np.zeros((len(sides[0]), len(sides[1])), int)
    with (
        patch.object(columns, "PAIRS_TOGETHER", pairs),
        patch.object(columns, "CROWDED", crowded),
        patch.object(columns, "NGRAMS_IN_A_TABLE", 2),
    ):
        for found in shared_ngrams(predicted, gold, n, *of_group):
            np.add.at(counts, (found.predicted, found.gold), found.times)
    for row, own in enumerate(sides[0]):
        for column, other in enumerate(sides[1]):
            both = Counter(ngrams(own, n)) & Counter(ngrams(other, n))
            same_group = of_group[0][row] == of_group[1][column]
            assert counts[row, column] == (both.total() if same_group else 0)
    assert ngram_totals(gold, n).tolist() == [len(ngrams(words, n)) for words in sides[1]]


def test_documents_are_taken_and_joined() -> None:
    documents = Documents([("a b",), (), ("c d e",), ("f",)])
    read = vocabulary(tokeniser("words")).read(documents)
    sizes = read.take(np.array([2, 2, 1, 0])).sizes
    assert sizes.tolist() == [3, 3, 0, 2]
    assert read.joined(np.array([0, 2, 4])).sizes.tolist() == [2, 4]
    assert read.between(2, 4).sizes.tolist() == [3, 1]
    together = TokenColumns.together([read.between(0, 2), read.between(2, 4)])
    assert together.numbers.tolist() == read.numbers.tolist()


@pytest.mark.parametrize("before", ["q1w\0", "\0\0", "\0q1w"])
def test_a_piece_that_ends_in_nul_is_another_piece(before: str) -> None:
    with patch.object(columns._Memory, "pieces", columns.Pieces()):
        known = Vocabulary(RAW)
        known.read(Documents([(before,)]))
        read = known.read(Documents([("q1w x",)]))
    assert read.numbers.tolist() == [known.numbers["q1w"], known.numbers["x"]]
