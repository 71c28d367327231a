"""A quotation is in a text word for word, however it is set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.text.quotations import is_quoted

TEXT = "“We don’t know,” said Zoe\u0301 Smith – the mayor’s\naide – on 20 May."


@pytest.mark.parametrize(
    "quotation",
    [
        '"We don\'t know," said',
        "we don’t know",
        "Zo\u00e9 Smith - the mayor's aide",
        "on 20 May…",
        "  the   mayor’s aide ",
    ],
)
def test_the_form_of_signs_and_blanks_makes_no_difference(quotation: str) -> None:
    assert is_quoted(quotation, TEXT)


@pytest.mark.parametrize(
    "quotation", ["", " … ", "'", "We know", "the aide", "n 20 May", "on 2", "know said Zoé the"]
)
def test_left_out_or_cut_words_are_no_quotation(quotation: str) -> None:
    assert not is_quoted(quotation, TEXT)


@given(st.lists(st.text("abc", min_size=1), min_size=1), st.integers(0), st.integers(1, 5))
def test_words_in_a_row_are_a_quotation(words: list[str], start: int, length: int) -> None:
    start %= len(words)
    assert is_quoted(" ".join(words[start : start + length]), " ".join(words))
