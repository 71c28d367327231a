"""Two systems on the same gold: tables, marks and tests of what changed."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from annotations.gate_documents import COMPARISONS, document
from annotations.plain_matching import outcomes
from every import each
from hypothesis import given
from hypothesis import strategies as st
from laws.cases import DOCUMENTS
from vectors_home import free, real

from chronoscore.annotations.differences import (
    CHANGE_FEATURE,
    CHANGES,
    Outcomes,
    change_annotations,
    contingency,
)
from chronoscore.annotations.model import Annotation, Document, written
from chronoscore.statistics.significance import mcnemar

PAIRED = ("CS", "CP", "IS", "IP")
NAMES = ("annotations/corpora.json", "annotations/quirks.json", "annotations/documents.json")
FREE = [
    pytest.param(vector, id=vector["name"])
    for name in NAMES
    for vector in free(name)
    if "tableStrict" in vector["oracle"]
]


def passes(vector: dict[str, Any]) -> list[list[str] | None]:
    """The plugin looks at all types together, and then at each again if there are several."""
    types = vector["params"]["types"]
    if types is None:
        return [None]
    return [*([types] if len(types) > 1 else []), *([one] for one in types)]


def both(vector: dict[str, Any]) -> Iterator[tuple[Outcomes, Outcomes]]:
    params = vector["params"]
    features = tuple(params["features"] or ())
    nil = params.get("nilValue") if params.get("nilTreatment") == "NIL_IS_ABSENT" else None

    def side(raw: dict[str, Any], name: str, types: list[str] | None) -> list[Annotation]:
        return [
            one
            for one in document(raw, params[name]).annotations
            if (types is None or one.type in types)
            and not (nil and features and written(one.features.get(features[0])) == nil)
        ]

    for raw in vector["documents"]:
        for types in passes(vector):
            gold = side(raw, "keySet", types)
            old, new = (
                outcomes(
                    gold, side(raw, name, types), features, COMPARISONS[params["fcmp"]], "gate"
                )
                for name in ("refSet", "respSet")
            )
            yield old, new


def check(vector: dict[str, Any]) -> None:
    answer = vector.get("fixed", vector["oracle"])
    pairs = list(both(vector))
    for strict, name in ((True, "tableStrict"), (False, "tableLenient")):
        assert [*contingency(pairs, strict=strict)] == answer[name], name
    if "outSets" in answer:
        features = tuple(vector["params"]["features"] or ())
        marks = Counter(
            mark.type for old, new in pairs for mark in change_annotations(old, new, features)
        )
        assert marks == answer["outSets"]["_Diff"]


@each("vector", FREE)
def test_tables_and_marks_are_the_plugins(vector: dict[str, Any]) -> None:
    check(vector)


@pytest.mark.parametrize("path", ["annotations/corp2.json", "annotations/unit.json"])
def test_tables_of_public_documents_are_the_plugins(path: str) -> None:
    vectors = json.loads(real(path).read_text(encoding="utf-8"))
    tabled = [vector for vector in vectors if "tableStrict" in vector["oracle"]]
    assert tabled
    for vector in tabled:
        check(vector)


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(["best", "gate"]))
def test_a_system_has_not_changed_from_itself(
    gold: Document, predicted: Document, matching: str
) -> None:
    found = outcomes(gold.annotations, predicted.annotations, matching=matching)
    assert len(found.targets) == len(gold.annotations)
    lost, paired = len(found.by_outcome["ML"]), sum(len(found.by_outcome[o]) for o in PAIRED)
    assert lost + paired == len(found.targets)
    assert change_annotations(found, found) == []
    for strict in (True, False):
        _, only_old, only_new, _ = contingency([(found, found)], strict=strict)
        assert (only_old, only_new) == (0, 0)


@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_every_target_is_in_a_table_once_and_sides_can_be_swapped(
    gold: Document, one: Document, two: Document
) -> None:
    old, new = (outcomes(gold.annotations, side.annotations) for side in (one, two))
    for strict in (True, False):
        both, only_old, only_new, neither = contingency([(old, new)], strict=strict)
        assert both + only_old + only_new + neither == len(old.targets)
        assert contingency([(new, old)], strict=strict) == (both, only_new, only_old, neither)
        assert mcnemar(only_old, only_new) == mcnemar(only_new, only_old)
        assert mcnemar(only_old, only_new, mid=True) <= mcnemar(only_old, only_new)


def test_what_was_right_and_is_missing_now_is_marked_as_worse() -> None:
    gold = [Annotation("k", "T", 0, 4)]
    old = outcomes(gold, [Annotation("r", "T", 0, 4)])
    new = outcomes(gold, [])
    assert (len(old.by_outcome["CS"]), len(new.by_outcome["ML"])) == (1, 1)
    # The old system had this very annotation, so that the plugin's rule marks nothing.
    assert change_annotations(old, new) == []
    (mark,) = change_annotations(outcomes(gold, [Annotation("r", "T", 0, 3)]), new)
    assert (mark.type, mark.features) == ("T_CP_ML", {CHANGE_FEATURE: "-"})


def test_every_change_of_outcome_has_a_mark() -> None:
    names = ("CS", "CP", "IS", "IP", "ML")
    assert CHANGES.keys() == {(a, b) for a in names for b in names if a != b}
    assert set(CHANGES.values()) == {"+", "-", "+-"}
