"""Conflicts of two texts: the answers of the vectors, then what each flag asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.elements.text.conflicts import NEGATIONS, conflicts, numbers

WORDS = st.sampled_from(
    [
        *("Cairo", "Lima", "police", "left", "did", "one", "two", "Hundred", "and", "forty-six"),
        *("12", "1,500", "3.5", "million", "didn't", "can’t", *sorted(NEGATIONS)),
    ]
)
TEXTS = st.lists(WORDS, max_size=8).map(" ".join) | st.text(max_size=20)
UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spelled(number: int, hyphen: str, conjunction: str) -> str:
    hundreds, rest = divmod(number, 100)
    words = [UNITS[hundreds - 1], "hundred"] if hundreds else []
    words += [conjunction] if hundreds and rest and conjunction else []
    if rest >= 20:
        words += [TENS[rest // 10 - 2]]
        rest %= 10
    words += [("", *UNITS, *TEENS)[rest]] if rest else []
    return hyphen.join(words)


def test_conflicts_of_our_own_texts() -> None:
    cases = free("events/conflicts.json")
    assert len(cases) == 214
    for case in cases:
        assert list(conflicts(case["a"], case["b"])) == case["flags"], case


@given(TEXTS, TEXTS)
def test_neither_text_is_first(a: str, b: str) -> None:
    assert conflicts(a, b) == conflicts(b, a)


@given(TEXTS)
def test_a_text_has_no_conflict_with_itself(text: str) -> None:
    assert conflicts(text, text) == ()


@given(st.integers(2, 999), st.sampled_from(" -"), st.sampled_from(("", "and")))
def test_numbers_up_to_999_are_read_from_words(number: int, hyphen: str, conjunction: str) -> None:
    text = f"About {spelled(number, hyphen, conjunction).capitalize()}, it seems."
    assert numbers(text) == {str(number)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zero, ONE and Two", {"0", "2"}),
        ("a hundred; hundreds; one hundred", {"100"}),
        ("two hundred thousand, 3-million, five billions, 4.1 trillion", set()),
        ("five thousands 7 thousandths", {"7"}),
        ("sixteen sixty sixties onehundred", {"16", "60"}),
        ("twenty one, twenty, one", {"21", "20"}),
        ("5,000.50 84km v2.", {"500050", "84", "2"}),
        ("seventy, nine hundred", {"70", "900"}),
        ("9" * 5000, {"9" * 5000}),
    ],
)
def test_numbers_are_digits_and_number_words(text: str, expected: set[str]) -> None:
    assert numbers(text) == expected


def test_a_number_conflicts_only_if_both_sides_have_another() -> None:
    assert conflicts("12 of 20 left", "12 left") == ()
    assert conflicts("12 of 20 left", "12 of 30 left") == ("number",)


def test_two_negations_of_one_text_are_none() -> None:
    assert conflicts("He did not say nothing at all", "He did say at all") == ()
    assert conflicts("He DIDN’T say it", "He did say it") == ("negation",)
    assert conflicts("He didn't say it", "He did not say it") == ()


def test_negated_texts_share_at_least_four_fifths_of_their_words() -> None:
    assert conflicts("a b c d e not", "a b c d f") == ("negation",)
    assert conflicts("a b c d not", "a b c f") == ()


def test_roles_are_those_of_capitalised_words() -> None:
    assert conflicts("Rome beats Bonn", "Bonn beats Rome") == ("roles",)
    assert conflicts("rome beats bonn", "bonn beats rome") == ()
    assert conflicts("Rome beats Bonn", "Bonn fears Rome") == ()
    assert conflicts("Rome beats Bonn", "Bonn beats Bonn") == ()
