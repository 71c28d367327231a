"""Ratios and threshold curves, through the whole engine, are those of the GATE plugin."""

from typing import Any

import pytest
from every import each
from vectors_home import free

from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.case import Case
from chronoscore.core.names import write
from chronoscore.core.result import Summary
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings

COMPARISONS = {
    "FEATURE_EQUALITY": "equal",
    "FEATURE_EQUALITY_AS_STRING": "text",
    "FEATURE_SUBSUMPTION": "subsumes",
}
THRESHOLDS = {
    "USE_ALL": "all",
    "USE_ALLROUNDED": "rounded",
    "USE_11FROM0TO1": "11",
    "USE_21FROM0TO1": "21",
    "USE_51FROM0TO1": "51",
}
NAMES = {
    "precisionStrict": "strict_precision",
    "recallStrict": "strict_recall",
    "F1Strict": "strict_f1",
    "precisionLenient": "lenient_precision",
    "recallLenient": "lenient_recall",
    "F1Lenient": "lenient_f1",
    "F1Average": "average_f1",
    "accuracyStrict": "strict_accuracy",
    "accuracyLenient": "lenient_accuracy",
}
COUNTS = (
    "targets",
    "responses",
    "correctStrict",
    "correctPartial",
    "incorrectStrict",
    "incorrectPartial",
)


def document(vector: dict[str, Any], name: str) -> Document:
    (only,) = vector["documents"]
    annotations = []
    for item in only["sets"].get(name, []):
        features = dict(item["features"])
        raw = features.pop("s", None)
        annotations.append(
            Annotation(
                str(item["id"]),
                item["type"],
                item["start"],
                item["end"],
                features,
                None if raw is None else float(raw),
            )
        )
    return Document(only["name"], tuple(annotations))


def scored(vector: dict[str, Any]) -> dict[str, Summary]:
    params = vector["params"]
    values: dict[str, Any] = {"matching": "gate", "compare": COMPARISONS[params["fcmp"]]}
    if params["features"]:
        values["features"] = tuple(params["features"])
    curve = {**values, "thresholds": THRESHOLDS[params["thresholds"]]}
    settings = Settings.make(FAMILY, metrics=[write("spans", values), write("spans-curve", curve)])
    case = Case(
        vector["name"],
        document(vector, "Key"),
        document(vector, "Resp"),
        {"gold": "1", "document": vector["name"]},
    )
    result = score(settings, {"gate": [case]}).result
    return {summary.metric.split("(")[0]: summary for summary in result.systems[0].summaries}


VECTORS = free("annotations/documents.json")


@each("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_scores_and_curve(vector: dict[str, Any]) -> None:
    expected = vector.get("fixed", vector["oracle"])
    found = scored(vector)
    total = expected["total"]
    for theirs, ours in NAMES.items():
        if "accuracy" in theirs and not total["targets"]:
            continue  # the plugin says 0 where there is nothing; here the policy decides
        assert found["spans"].scores[ours] == pytest.approx(total[theirs], abs=1e-12), theirs

    points = found["spans-curve"].curve
    for key, block in expected["byThreshold"].items():
        threshold = float(key.replace("Inf", "inf"))
        # Thresholds at which nothing changes are left out: the next higher one stands for them.
        reached = [point for point in points if point.threshold >= threshold]
        counts = reached[-1].statistics if reached else (total["targets"], 0, 0, 0, 0, 0)
        assert list(counts[:6]) == [block[name] for name in COUNTS], key
        if reached:
            assert reached[-1].scores["strict_f1"] == pytest.approx(block["F1Strict"], abs=1e-12)
