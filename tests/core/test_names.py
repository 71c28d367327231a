"""Names with parameters are written and parsed back without loss."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core.functions import lazy_names
from chronoscore.core.names import parse, split, write
from chronoscore.errors import UsageError
from chronoscore.families import family, metric

KEYS = st.sampled_from(("rouge", "text", "features"))
VALUES = st.text(min_size=1) | st.lists(st.text(min_size=1), min_size=1).map(tuple)


@given(st.dictionaries(KEYS, VALUES))
def test_any_value_survives(values: dict[str, str | tuple[str, ...]]) -> None:
    assert parse(write("align+m:1", values)) == ("align+m:1", values)


@given(st.lists(st.dictionaries(KEYS, VALUES), min_size=1))
def test_names_can_be_listed(many: list[dict[str, str | tuple[str, ...]]]) -> None:
    names = [write("m", values) for values in many]
    assert split(";".join(names), ";") == names


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("align(", "closing bracket"),
        ("(rouge=1)", "no name"),
        ("align(rouge)", "parameter=value"),
        ("align(rouge=)", "parameter=value"),
        ("align(rouge=1,rouge=2)", "twice"),
        ('align(text="a)', "do not close"),
        ("align(features=[a)", "do not close"),
    ],
)
def test_what_does_not_parse_is_explained(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("aling+m:1", "did you mean 'align"),
        ("align+m:1(rogue=2)", "did you mean 'rouge'"),
        ("align+m:1(rouge=two)", "expected 1 to 99, or L"),
        ("align+m:1(rouge=0)", "expected 1 to 99, or L"),
        ("align+m:1(rouge=100)", "expected 1 to 99, or L"),
        (f"align+m:1(rouge={'9' * 5000})", "expected 1 to 99, or L"),
        ("align+m:1(tie=last)", "expected one of: first, nearest"),
        ("align+m:1(rouge=[1,2])", "expected word"),
    ],
)
def test_wrong_metrics_are_explained(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        family("timelines").metric(text)


def test_short_names_are_found_in_any_case() -> None:
    assert family("timelines").metric("ar-2") == family("timelines").metric("align+m:1(rouge=2)")
    assert metric("semeval-ORDER")[0].name == "ordering"


def test_defaults_are_not_written() -> None:
    assert str(family("timelines").metric("align+m:1(rouge=1,tie=first)")) == "align+m:1"


def test_unknown_metric_anywhere() -> None:
    with pytest.raises(UsageError, match="chronoscore metrics"):
        metric("bleu")


def test_a_package_has_the_names_of_its_modules_and_no_others() -> None:
    find = lazy_names("chronoscore.core", {"chronoscore.core.names": ("parse",)})
    assert find("parse") is parse
    with pytest.raises(AttributeError, match="no attribute 'other'"):
        find("other")
