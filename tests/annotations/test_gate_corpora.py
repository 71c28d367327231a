"""Corpora, type after type and all types together, count as the GATE plugin does."""

import json
import math
from typing import Any

import pytest
from vectors_home import free, real

from chronoscore.annotations.columns import Columns
from chronoscore.annotations.curves import difference_curve
from chronoscore.annotations.matching.comparing import SpanComparison, compare_columns, count
from chronoscore.annotations.matching.strategies import match_by
from chronoscore.annotations.model import COUNTERS, Annotation, Document
from chronoscore.annotations.parameters import SpanQuestion

HOW: dict[str, Any] = {
    "FEATURE_EQUALITY": "equal",
    "FEATURE_EQUALITY_AS_STRING": "text",
    "FEATURE_SUBSUMPTION": "subsumes",
}
NAMES = {
    "targets": "targets",
    "responses": "responses",
    "correctStrict": "correct_strict",
    "correctPartial": "correct_partial",
    "incorrectStrict": "incorrect_strict",
    "incorrectPartial": "incorrect_partial",
    "singleCorrectStrict": "single_correct_strict",
    "singleCorrectPartial": "single_correct_partial",
    "targetsWithStrictResponses": "targets_with_strict",
    "targetsWithLenientResponses": "targets_with_lenient",
}


def columns(entry: Any) -> Columns:
    """All sets of all documents together: the question chooses among them."""
    score = entry["params"].get("score")
    return Columns.of(
        Document(
            document["name"],
            tuple(
                Annotation(
                    str(a["id"]),
                    a["type"],
                    a["start"],
                    a["end"],
                    a["features"],
                    float(a["features"][score]) if score in a["features"] else None,
                    name,
                )
                for name, items in document["sets"].items()
                for a in items
            ),
        )
        for document in entry["documents"]
    )


def asked(entry: Any, spec: str, predicted_set: str) -> SpanComparison:
    params = entry["params"]
    question = SpanQuestion(
        types=tuple(t for t in params["types"] if not spec or t.partition("=")[0] == spec),
        features=tuple(params["features"] or ()),
        compare=HOW[params["fcmp"]],
        gold_set=params["keySet"],
        predicted_set=params[predicted_set],
        nil="absent" if params.get("nilTreatment") == "NIL_IS_ABSENT" else "none",
        nil_value=params.get("nilValue", "NIL"),
    )
    both = columns(entry)
    return compare_columns(both, both, question)


def same(found: Any, block: Any) -> None:
    ours = dict(zip(COUNTERS, (int(n) for n in found), strict=True))
    assert {name: ours[own] for name, own in NAMES.items()} == {name: block[name] for name in NAMES}


def check(entry: Any) -> None:
    expected = entry.get("fixed", entry["oracle"])
    for spec, block in expected["types"].items():
        for side, stats in (("respSet", "stats"), ("refSet", "refStats")):
            if side in entry["params"] and stats in block:
                found = asked(entry, spec, side)
                same(count(found, match_by(found, "gate")).sum(axis=0), block[stats])
        if "byThreshold" in block:
            check_thresholds(entry, spec, block)


def check_thresholds(entry: Any, spec: str, block: Any) -> None:
    found = asked(entry, spec, "respSet")
    which = entry["params"]["thresholds"][4:]
    kind = {"ALL": "all", "ALLROUNDED": "rounded"}.get(which, which[:2])
    curve = difference_curve(found, lambda one: match_by(one, "gate"), kind)
    for level, stats in block["byThreshold"].items():
        reached = curve.threshold >= float(level.replace("Inf", "inf"))
        counted = curve.change[reached].sum(axis=0)
        counted[COUNTERS.index("targets")] = len(found.keys)
        same(counted, stats)
        if math.isinf(float(level.replace("Inf", "inf"))):
            assert stats["responses"] == 0


CORPORA = free("annotations/corpora.json")
QUIRKS = free("annotations/quirks.json")
TAGGING = [entry for entry in (*CORPORA, *QUIRKS) if entry["mode"] == "pr_tagging"]


@pytest.mark.parametrize("entry", TAGGING, ids=lambda entry: entry["name"])
def test_a_corpus_counts_as_the_plugin(entry: Any) -> None:
    check(entry)


@pytest.mark.parametrize("name", ["corp1", "corp2"])
def test_public_corpora_count_as_the_plugin(name: str) -> None:
    entries = json.loads(real(f"annotations/{name}.json").read_text(encoding="utf-8"))
    for entry in entries:
        check(entry)
