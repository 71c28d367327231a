"""An evaluation: a list of analyses, each of which sets one kind of annotation against another.

{"title": "Who and where", "average": "macro", "analyses": [
    {"name": "people", "gold": {"set": "Key", "type": "Person", "features": ["gender"]},
     "predicted": {"set": "Tagger", "type": "Per", "features": ["sex"]}},
    {"gold": {"type": "Place"}}]}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from chronoscore.annotations.parameters import EVERY_SET
from chronoscore.core.names import Value, write
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source


class AnnotationChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which annotations, and which of their features are compared."""

    set: str = EVERY_SET
    type: str = ""
    features: tuple[str, ...] = ()


class AnalysisRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An analysis as the file has it; type and features default to those of the gold."""

    gold: AnnotationChoice = AnnotationChoice()
    predicted: AnnotationChoice | None = None
    name: str = ""


class EvaluationRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An evaluation as the file has it."""

    analyses: tuple[AnalysisRecord, ...]
    title: str = ""
    description: str = ""
    average: Literal["micro", "macro"] = "micro"


@dataclass(frozen=True)
class Analysis:
    """One comparison, as parameters of `spans`."""

    name: str
    parameters: Mapping[str, Value]

    def metric(self, shared: Mapping[str, Value]) -> str:
        """Return the metric of this analysis; all analyses have the `shared` parameters."""
        return write("spans", {**shared, **self.parameters})


@dataclass(frozen=True)
class AnnotationEvaluation:
    """Analyses under a title, averaged over the list."""

    title: str
    description: str
    average: Literal["micro", "macro"]
    analyses: tuple[Analysis, ...]


def read_evaluation(source: Source, problems: Problems) -> AnnotationEvaluation | None:
    """Read an evaluation from JSON; report problems, and return None if it is not readable."""
    text = source.text(problems)
    if text is None:
        return None
    try:
        record = msgspec.convert(parse_json(text), EvaluationRecord)
    except (JsonError, msgspec.ValidationError) as error:
        problems.problem(str(error), source)
        return None
    if not record.analyses:
        problems.problem("there is no analysis in the evaluation", source)
    analyses = [
        _analysis(number, analysis, source, problems)
        for number, analysis in enumerate(record.analyses, 1)
    ]
    names = [analysis.name for analysis in analyses]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.problem(f"two analyses are named '{name}'", source)
    title = record.title or source.stem
    return AnnotationEvaluation(title, record.description, record.average, tuple(analyses))


def _analysis(number: int, record: AnalysisRecord, source: Source, problems: Problems) -> Analysis:
    gold = record.gold
    predicted = record.predicted or AnnotationChoice(type=gold.type, features=gold.features)
    type_ = predicted.type or gold.type
    features = predicted.features or gold.features
    name = record.name or gold.type or f"analysis {number}"
    if len(features) != len(gold.features):
        problems.problem(
            f"analysis '{name}' compares {len(gold.features)} features of the gold with "
            f"{len(features)} of the prediction",
            source,
        )
    if type_ and not gold.type:
        problems.problem(
            f"analysis '{name}' names a type of the prediction, none of the gold", source
        )
    parameters: dict[str, Value] = {
        "gold_set": gold.set,
        "predicted_set": predicted.set,
        "types": (_both(gold.type, type_),) if gold.type else (),
        "features": tuple(map(_both, gold.features, features)),
    }
    return Analysis(
        name, {key: value for key, value in parameters.items() if value not in ("*", ())}
    )


def _both(gold: str, predicted: str) -> str:
    return gold if gold == predicted else f"{gold}={predicted}"


def each_type(types: Sequence[str]) -> AnnotationEvaluation:
    """Return an analysis of each type, averaged over types: the plugin's macro average."""
    analyses = tuple(Analysis(type_.partition("=")[0], {"types": (type_,)}) for type_ in types)
    return AnnotationEvaluation("each type", "", "macro", analyses)
