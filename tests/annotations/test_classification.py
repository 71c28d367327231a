"""Labels of the same spans: agreement, and agreement beyond chance."""

from typing import Any

import pytest
from annotations.gate_documents import document
from hypothesis import given
from laws.cases import CASES, AnyCase
from vectors_home import free

from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.labels import LabelConfusion, confusion, label_pairs
from chronoscore.annotations.model import Annotation

VECTORS = free("annotations/classification.json")


def found_in(raw: dict[str, Any], params: dict[str, Any]) -> LabelConfusion:
    one, two = (document(raw, params[name]).annotations for name in ("keySet", "respSet"))
    return confusion(label_pairs(one, two, params["feature"], params["type"]))


def check(found: LabelConfusion, answer: dict[str, Any]) -> None:
    assert found.labels == answer["labels"]
    assert found.matrix == answer["matrix"]
    assert (found.agreed, found.total) == (answer["agreed"], answer["total"])
    ours = (found.observed, found.cohen, found.scott)
    theirs = (answer["observedAgreement"], answer["kappaCohen"], answer["kappaPi"])
    if found.total:
        assert ours == pytest.approx(theirs, abs=1e-6)
    else:  # where there is nothing to agree on the plugin says 0
        assert ours == (None, None, None)


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_agreement_is_the_plugins(vector: dict[str, Any]) -> None:
    whole = LabelConfusion({})
    for raw, answer in zip(vector["documents"], vector["oracle"]["docs"], strict=True):
        found = found_in(raw, vector["params"])
        check(found, answer)
        whole += found
    check(whole, vector["oracle"]["total"])


@given(CASES["annotations"])
def test_agreement_is_the_same_from_either_side(case: AnyCase) -> None:
    one, two = case.gold.annotations, case.predicted.annotations
    found, turned = (confusion(label_pairs(a, b, "id")) for a, b in ((one, two), (two, one)))
    assert found.total == turned.total
    assert found.cohen == pytest.approx(turned.cohen)
    assert found.scott == pytest.approx(turned.scott)
    for label in found.labels:
        assert found.specific(label) == pytest.approx(turned.specific(label))


def span(name: str, start: int, label: str) -> Annotation:
    return Annotation(name, "T", start, start + 1, {"id": label})


def test_a_span_that_is_there_twice_is_left_out() -> None:
    one = [span("1", 0, "a"), span("2", 1, "a"), span("3", 1, "b")]
    two = [span("1", 0, "a"), span("2", 1, "a")]
    assert confusion(label_pairs(one, two, "id")).cells == {("a", "a"): 1}
    assert confusion(label_pairs(two, one, "id")).cells == {("a", "a"): 1}


def test_only_one_label_ever_is_full_agreement() -> None:
    found = LabelConfusion({("a", "a"): 4})
    assert (found.observed, found.cohen, found.scott) == (1, 1, 1)
    assert found.specific("a") == (1, None)


def test_chance_agreement_has_kappa_zero() -> None:
    found = LabelConfusion({("a", "a"): 1, ("a", "b"): 1, ("b", "a"): 1, ("b", "b"): 1})
    assert (found.cohen, found.scott) == (0, 0)


def test_the_type_is_the_label_where_no_feature_is() -> None:
    one = [Annotation("1", "A", 0, 3)]
    two = [Annotation("1", "B", 0, 3)]
    assert confusion(label_pairs(one, two, "")).cells == {("A", "B"): 1}
    assert FAMILY.metric("classification").scores == ("agreement",)
