"""A signature names everything and parses back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.names import Signature, short_signature
from chronoscore.errors import UsageError

TEXT = st.text(min_size=1)


@given(path=TEXT, protocol=st.text(), options=st.dictionaries(st.sampled_from("ab"), TEXT))
def test_round_trip(path: str, protocol: str, options: dict[str, str]) -> None:
    made = Signature(
        "timelines", ("a(x=1)", "b"), path, "zero", "0.1.0", protocol, options, "g", "p"
    )
    written = str(made)
    assert "\n" not in written
    assert Signature.parse(written) == made


@pytest.mark.parametrize("text", ["", "family", "family=timelines", "a=1|a=2", "x=1|y=2"])
def test_what_is_no_signature(text: str) -> None:
    with pytest.raises(UsageError):
        Signature.parse(text)


def test_digests_do_not_depend_on_the_order_of_rows() -> None:
    rows = [Row(case, {}, gold, "p", {}) for case, gold in (("a", "1"), ("b", "2"), ("c", "3"))]
    assert EvidenceTable.of(rows).data_digests() == EvidenceTable.of(reversed(rows)).data_digests()
    other = [*rows[:2], Row("c", {}, "4", "p", {})]
    assert EvidenceTable.of(other).data_digests()[0] != EvidenceTable.of(rows).data_digests()[0]
    assert EvidenceTable.of(other).data_digests()[1] == EvidenceTable.of(rows).data_digests()[1]


RUN = Signature("timelines", ("a(x=1)",), "micro", "zero", "0.2.0", "tls", {}, "", "g", "p")


def test_the_short_form_changes_with_settings_data_and_version() -> None:
    others = [
        replace(RUN, metrics=("a(x=2)",)),
        replace(RUN, path="macro"),
        replace(RUN, options={"tokens": "basic"}),
        replace(RUN, gold="other"),
        replace(RUN, predicted="other"),
        replace(RUN, version="0.2.1"),
    ]
    short = short_signature(str(RUN))
    assert re.fullmatch(r"timelines:tls#[0-9a-f]{8} v0\.2\.0", short)
    assert len({short, *(short_signature(str(other)) for other in others)}) == 7


def test_the_short_form_depends_neither_on_the_system_s_name_nor_on_the_order() -> None:
    one, two = str(RUN), str(replace(RUN, predicted="q"))
    assert short_signature(f"careful: {one}") == short_signature(one)
    assert short_signature(one, two) == short_signature(two, one) != short_signature(one)
    assert short_signature(str(replace(RUN, protocol=""))).startswith("timelines:custom#")


@given(protocol=TEXT)
def test_the_short_form_is_one_line_without_spaces_but_one(protocol: str) -> None:
    assert len(short_signature(str(replace(RUN, protocol=protocol))).split()) == 2
