"""Which keys of a mapping are meant as dates: the quick answer is the careful one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.elements.dated import values
from chronoscore.elements.dated.values import is_date

WORDS = st.sampled_from(
    [
        *("jan", "February", "MAR", "may", "mayor", "sept.", "dec", "Mon,", "tuesday", "sunny"),
        *("c.", "ca", "circa", "about", "ad", "A.D.", "bc", "today", "Now", "yesterday", "nowhere"),
        *("XXXX", "xxx-xx", "P1D", "PT2H", "p1", "Y17000", "FUTURE_REF", "PAST_REF", "T1", "t1"),
        *("25", "2011", "2011-01", "1st", "of", "egypt", "H1N1", "at 3:45", "{", "..", "/", "-"),
    ]
)
TEXTS = st.one_of(st.text(max_size=8), st.lists(WORDS, max_size=4).map(" ".join))


@given(st.one_of(TEXTS, st.lists(WORDS, max_size=3).map("".join)))
def test_a_key_that_begins_like_a_name_is_no_date(text: str) -> None:
    quick = is_date(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "_NAME", re.compile("(?!)"))
        assert is_date(text) == quick


@pytest.mark.parametrize("text", ["May", "march 2011", "sun", "ca", "today", "PRESENT_REF", "1999"])
def test_a_key_that_may_be_a_date_is_read(text: str) -> None:
    assert not values._NAME.match(text)
