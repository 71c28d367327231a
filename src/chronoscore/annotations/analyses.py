"""An evaluation: a list of analyses, each of which sets one kind of annotation against another.

{"title": "Who and where", "average": "macro", "analyses": [
    {"name": "people", "gold": {"set": "Key", "type": "Person", "features": ["gender"]},
     "predicted": {"set": "Tagger", "type": "Per", "features": ["sex"]}},
    {"gold": {"type": "Place"}}]}
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from chronoscore.annotations.parameters import EVERY_SET, type_map
from chronoscore.core.names import Value, write
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source


class AnnotationChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which annotations, and which of their features are compared."""

    set: str = EVERY_SET
    type: str = ""
    features: tuple[str, ...] = ()


class Analysis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One comparison; type and features of the prediction default to those of the gold."""

    gold: AnnotationChoice = AnnotationChoice()
    predicted: AnnotationChoice | None = None
    name: str = ""

    @property
    def response(self) -> AnnotationChoice:
        """The annotations of the prediction, with the type and features that the gold gives."""
        choice = self.predicted or AnnotationChoice()
        type_, features = choice.type or self.gold.type, choice.features or self.gold.features
        return AnnotationChoice(choice.set, type_, features)

    def metric(self, shared: Mapping[str, Value]) -> str:
        """Return the metric of this analysis; all analyses have the `shared` parameters."""
        gold, response = self.gold, self.response
        parameters: dict[str, Value] = {
            "gold_set": gold.set,
            "predicted_set": response.set,
            "types": (_both(gold.type, response.type),) if gold.type else (),
            "features": tuple(map(_both, gold.features, response.features)),
        }
        chosen = {key: value for key, value in parameters.items() if value not in (EVERY_SET, ())}
        return write("spans", {**shared, **chosen})


class AnnotationEvaluation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Analyses under a title, averaged over the list."""

    analyses: tuple[Analysis, ...]
    title: str = ""
    description: str = ""
    average: Literal["micro", "macro"] = "micro"


def read_evaluation(source: Source, problems: Problems) -> AnnotationEvaluation | None:
    """Read an evaluation from JSON; report problems, and return None if it is not readable."""
    text = source.text(problems)
    if text is None:
        return None
    try:
        evaluation = msgspec.convert(parse_json(text), AnnotationEvaluation)
    except (JsonError, msgspec.ValidationError) as error:
        problems.problem(str(error), source)
        return None
    if not evaluation.analyses:
        problems.problem("there is no analysis in the evaluation", source)
    analyses = [
        replace(analysis, name=analysis.name or analysis.gold.type or f"analysis {number}")
        for number, analysis in enumerate(evaluation.analyses, 1)
    ]
    for analysis in analyses:
        features, others = analysis.gold.features, analysis.response.features
        if len(features) != len(others):
            problems.problem(
                f"analysis '{analysis.name}' compares {len(features)} features of the gold with "
                f"{len(others)} of the prediction",
                source,
            )
        if analysis.response.type and not analysis.gold.type:
            message = "names a type of the prediction, none of the gold"
            problems.problem(f"analysis '{analysis.name}' {message}", source)
    names = [analysis.name for analysis in analyses]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.problem(f"two analyses are named '{name}'", source)
    return replace(evaluation, title=evaluation.title or source.stem, analyses=tuple(analyses))


def _both(gold: str, predicted: str) -> str:
    return gold if gold == predicted else f"{gold}={predicted}"


def each_type(types: Sequence[str]) -> AnnotationEvaluation:
    """Return an analysis of each type, averaged over types: the plugin's macro average."""
    analyses = []
    for text in types:
        ((predicted, gold),) = type_map((text,)).items()
        sides = AnnotationChoice(type=gold), AnnotationChoice(type=predicted)
        analyses.append(Analysis(*sides, gold))
    return AnnotationEvaluation(tuple(analyses), "each type", average="macro")
