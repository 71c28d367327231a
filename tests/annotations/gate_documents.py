"""Documents and settings of the vectors that the GATE Evaluation plugin answered."""

from collections.abc import Iterable
from typing import Any

from chronoscore.annotations.model import Annotation, Counts, Document
from chronoscore.annotations.parameters import Selection

COMPARISONS: Any = {
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
    "targetsWithStrictResponses": "targets_with_strict",
    "targetsWithLenientResponses": "targets_with_lenient",
}
SINGLE = {
    "singleCorrectStrict": "single_correct_strict",
    "singleCorrectPartial": "single_correct_partial",
}


def document(raw: dict[str, Any], *sets: str) -> Document:
    """A document with the annotations of some of its sets."""
    return Document(
        raw["name"],
        tuple(
            Annotation(
                str(item["id"]),
                item["type"],
                item["start"],
                item["end"],
                {
                    name: tuple(value) if isinstance(value, list) else value
                    for name, value in item["features"].items()
                },
                set=name,
            )
            for name in sets
            for item in raw["sets"].get(name, [])
        ),
    )


def selection(params: dict[str, Any]) -> Selection:
    """What the parameters of a vector of candidate lists ask for."""
    return Selection(
        params["listType"],
        params["edge"],
        params["score"],
        params["keyType"],
        params["elementType"],
        features=tuple(params["features"]),
        compare=COMPARISONS[params["fcmp"]],
        nil="absent" if params.get("nilTreatment") == "NIL_IS_ABSENT" else "none",
        nil_value=params.get("nilValue", "NIL"),
        gold_set=params["keySet"],
        predicted_set=params["respSet"],
        within=params.get("containing", ""),
    )


def expected(block: dict[str, Any], *, single: bool) -> dict[str, int]:
    """The counters of a stat block, those of single correct ones only if they were counted."""
    return {ours: block[theirs] for theirs, ours in (NAMES | (SINGLE if single else {})).items()}


def found(parts: Iterable[Counts], *, single: bool) -> dict[str, int]:
    """The same counters of our own, added up over documents."""
    whole = sum(parts, Counts()).with_derived()
    return {name: whole[name] for name in (NAMES | (SINGLE if single else {})).values()}
