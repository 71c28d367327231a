"""Sentences: the answers of the vectors, then the laws of the rule."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.elements.text.sentences import sentences, sentences_of_day

SIGNS = ".!?…‼。！？।؟\"'”’)]»」“‘(["
PIECES = st.one_of(
    st.sampled_from(
        [
            *(
                "Cairo",
                "he",
                "Mr.",
                "No.",
                "15",
                "15.",
                "U.S.",
                "J.",
                "p.m.",
                "3.5",
                "埃及。",
                "आज",
            ),
            *("Étienne", "''", '"', "'", ".", "...", "…", "?!", "left.”", "(D-Calif.)", "सेना।"),
        ]
    ),
    st.text(st.sampled_from("aB1é中" + SIGNS), min_size=1, max_size=5),
)
BLANKS = st.sampled_from([" ", "  ", "\t", "\u00a0", "\u3000", "\n", "\r\n", "\x1c", "\u2028"])
TEXTS = st.lists(st.tuples(PIECES, BLANKS), max_size=20).map(
    lambda pieces: "".join(piece + blank for piece, blank in pieces)
)
ENDS_IN_SIGN = re.compile(r"[.!?…‼。！？।؟][\"'”’)\]»」]*$")


def test_sentences_of_our_own_texts() -> None:
    cases = free("events/sentences.json")
    assert len(cases) == 243
    for case in cases:
        assert sentences(case["text"]) == case["sentences"], case


def test_sentences_of_whole_days() -> None:
    cases = free("events/sentences_days.json")
    assert len(cases) == 174
    for case in cases:
        assert sentences_of_day(case["entries"]) == case["sentences"], case


@given(TEXTS | st.text())
def test_a_sentence_is_cut_no_further(text: str) -> None:
    for sentence in sentences(text):
        assert sentences(sentence) == [sentence]


@given(st.lists(PIECES, min_size=1, max_size=20), st.data())
def test_a_day_cut_after_any_end_signs_has_the_same_sentences(
    pieces: list[str], data: st.DataObject
) -> None:
    entries = [pieces[0]]
    for before, piece in pairwise(pieces):
        if ENDS_IN_SIGN.search(before) and data.draw(st.booleans()):
            entries.append(piece)
        else:
            entries[-1] += f" {piece}"
    assert sentences_of_day(entries) == sentences(" ".join(pieces))


@given(st.lists(TEXTS, max_size=4))
def test_blank_entries_and_blanks_around_entries_change_nothing(entries: list[str]) -> None:
    padded = [line for entry in entries for line in (" \n", f"\t{entry}\n ")]
    assert sentences_of_day(padded) == sentences_of_day(entries)


@given(TEXTS)
def test_every_letter_and_number_is_in_one_sentence(text: str) -> None:
    composed = "".join(sentences(text))
    assert re.findall(r"[^\W_]", composed) == re.findall(r"[^\W_]", text)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["It is over . ''", "he said."], ["It is over . '' he said."]),
        (['It is over. "', "he said."], ["It is over.", "he said."]),
        (["Troops leave", "home."], ["Troops leave", "home."]),
        (["First line\nsecond line.", "more\nlast"], ["First line", "second line. more", "last"]),
    ],
)
def test_only_an_entry_that_ends_in_an_end_sign_goes_on(
    entries: list[str], expected: list[str]
) -> None:
    assert sentences_of_day(entries) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e\u0301te\u0301. fin", ["été. fin"]),
        ("He has no. 5 is next.", ["He has no. 5 is next."]),
        ("He said no. (5 left.", ["He said no. (5 left."]),
        ("He said no. Five left.", ["He said no.", "Five left."]),
        ("(1. One. Two.", ["(1.", "One.", "Two."]),
        ("End。（1）.next", ["End。", "（1）.next"]),
        ("A_b. C", ["A_b. C"]),
        ("\u0ca1\u0cbf. Ab", ["\u0ca1\u0cbf.", "Ab"]),
    ],
)
def test_the_word_before_a_dot_decides(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize("unit", [".", '"', " ", ". ''", ".'", "a.", "No. (", "。", "“", "\u0301"])
@pytest.mark.parametrize("tail", ["", "x", " X"])
def test_long_runs_of_signs_are_read_to_their_end(unit: str, tail: str) -> None:
    found = sentences_of_day([unit * 100_000 + tail, "Z z"])
    assert found[-1].endswith("Z z")
