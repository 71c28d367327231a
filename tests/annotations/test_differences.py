"""Differences as annotations: the marks and scores of the GATE plugin, in files of one's own."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from annotations.format_samples import read
from annotations.plain_matching import outcomes
from vectors_home import free

from chronoscore.annotations.differences import (
    TARGET_FEATURE,
    change_annotations,
    difference_annotations,
    marked_document,
)
from chronoscore.annotations.formats.writing import WRITTEN, write_documents
from chronoscore.annotations.metrics import SPANS
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.case import Case

CORPORA = [vector for vector in free("annotations/corpora.json") if "outSets" in vector["oracle"]]
COMPARE = {
    "FEATURE_EQUALITY": "equal",
    "FEATURE_EQUALITY_AS_STRING": "text",
    "FEATURE_SUBSUMPTION": "subsumes",
}


def annotations(
    items: list[dict[str, Any]], kinds: list[str], vector: dict[str, Any]
) -> list[Annotation]:
    params = vector["params"]
    feature = (params["features"] or [None])[0]
    absent = params.get("nilTreatment") == "NIL_IS_ABSENT" and feature is not None
    return [
        Annotation(str(one["id"]), one["type"], one["start"], one["end"], one["features"])
        for one in items
        if one["type"] in kinds
        and not (absent and str(one["features"].get(feature, "")) == params["nilValue"])
    ]


@pytest.mark.parametrize("vector", CORPORA, ids=lambda vector: str(vector["name"]))
def test_marks_are_those_of_the_plugin(vector: dict[str, Any]) -> None:
    params = vector["params"]
    wanted = vector.get("fixed", vector["oracle"])["outSets"]
    features, how = tuple(params["features"] or ()), COMPARE[params["fcmp"]]
    found: dict[str, Counter[str]] = {"_Res": Counter(), "_Ref": Counter(), "_Diff": Counter()}
    for document in vector["documents"]:
        # The plugin marks what each of its passes finds: one for each type, and one for all.
        passes = [[kind] for kind in params["types"]]
        for kinds in [params["types"], *passes] if len(passes) > 1 else passes:
            keys = annotations(document["sets"].get(params["keySet"], []), kinds, vector)
            sides = []
            for name, group in (("_Res", "respSet"), ("_Ref", "refSet")):
                if not params.get(group):
                    continue
                responses = annotations(document["sets"].get(params[group], []), kinds, vector)
                sides.append(outcomes(keys, responses, features, how, "gate"))  # type: ignore[arg-type]
                made = difference_annotations(sides[-1], name)
                assert {one.set for one in made} <= {name}
                found[name].update(one.type for one in made)
            if len(sides) == 2:
                changes = change_annotations(sides[1], sides[0], features)
                found["_Diff"].update(one.type for one in changes)
    for name in wanted:
        assert found[name] == Counter(wanted[name]), name


KEYS = (Annotation("1", "T", 0, 4), Annotation("2", "T", 6, 9, {"n": 1}))
RESPONSES = (Annotation("1", "T", 0, 4, score=0.5), Annotation("2", "T", 20, 23))


def example() -> Document:
    case = Case("d", Document("d", KEYS, "x" * 30), Document("d", RESPONSES))
    return marked_document(case, SPANS().values, "mine")


def test_every_annotation_is_marked_once_with_its_outcome() -> None:
    marks = [one for one in example().annotations if one.set == "Differences_Res"]
    assert [(one.id, one.type, one.start) for one in marks] == [
        ("1", "T_CS", 0),
        ("2", "T_ML", 6),
        ("3", "T_SL", 20),
    ]
    assert marks[0].features == {TARGET_FEATURE: "1"}
    assert marks[1].features == {"n": 1}


def test_both_sides_are_beside_the_marks() -> None:
    assert Counter(one.set for one in example().annotations) == {
        "Key": 2,
        "Response": 2,
        "Differences_Res": 3,
    }


def test_scores_have_the_names_and_values_of_the_plugin() -> None:
    features = example().features
    assert len(features) == 18
    short = {name.rpartition(".")[2]: value for name, value in features.items()}
    assert all(
        name.startswith("evaluateTagging.response.mine.Response.[ALL].") for name in features
    )
    assert (short["PrecisionStrict"], short["RecallLenient"], short["FMeasureStrict"]) == (0.5,) * 3
    assert (short["Targets"], short["TrueMissingLenient"], short["TrueSpuriousStrict"]) == (2, 1, 1)


@pytest.mark.parametrize("form", WRITTEN)
def test_marked_documents_can_be_written_and_read(tmp_path: Path, form: str) -> None:
    document = example()
    write_documents([document], tmp_path, form)
    again = read(tmp_path)["d"]["1"]
    assert sorted(again.annotations, key=lambda a: (a.set, a.id)) == sorted(
        document.annotations, key=lambda a: (a.set, a.id)
    )
    if form != "brat":
        assert again.features == document.features
