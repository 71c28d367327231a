"""An evaluation: a list of analyses, each of which sets one kind of annotation against another.

{"title": "Who and where", "average": "macro", "analyses": [
    {"name": "people", "gold": {"set": "Key", "type": "Person", "features": ["gender"]},
     "predicted": {"set": "Tagger", "type": "Per", "features": ["sex"]}},
    {"gold": {"type": "Place"}}]}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from chronoscore.annotations.question import EVERY_SET
from chronoscore.core.names import Value, write
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json


class Triple(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which annotations, and which of their features are compared."""

    set: str = EVERY_SET
    type: str = ""
    features: tuple[str, ...] = ()


class AnalysisRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An analysis as it is written; what the prediction does not say is as in the gold."""

    gold: Triple = Triple()
    predicted: Triple | None = None
    name: str = ""


class EvaluationRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An evaluation as it is written."""

    analyses: tuple[AnalysisRecord, ...]
    title: str = ""
    description: str = ""
    average: Literal["micro", "macro"] = "micro"


@dataclass(frozen=True)
class Analysis:
    """One comparison, as parameters of `spans`."""

    name: str
    parameters: Mapping[str, Value]

    def metric(self, given: Mapping[str, Value]) -> str:
        """The metric that measures it, beside what is given for all."""
        return write("spans", {**given, **self.parameters})


@dataclass(frozen=True)
class Evaluation:
    """Analyses under a title, averaged over the list."""

    title: str
    description: str
    average: Literal["micro", "macro"]
    analyses: tuple[Analysis, ...]


def read_evaluation(path: Path, reading: Reading) -> Evaluation | None:
    """Read an evaluation from JSON; problems are noted, and then there is none."""
    text = reading.text(path)
    if text is None:
        return None
    try:
        record = msgspec.convert(parse_json(text), EvaluationRecord)
    except (JsonError, msgspec.ValidationError) as error:
        reading.problem(str(error), path)
        return None
    if not record.analyses:
        reading.problem("there is no analysis in the evaluation", path)
    found = [_analysis(number, one, path, reading) for number, one in enumerate(record.analyses, 1)]
    doubled = {one.name for one in found if sum(one.name == other.name for other in found) > 1}
    for name in sorted(doubled):
        reading.problem(f"two analyses are named '{name}'", path)
    return Evaluation(record.title or path.stem, record.description, record.average, tuple(found))


def _analysis(number: int, record: AnalysisRecord, path: Path, reading: Reading) -> Analysis:
    gold = record.gold
    predicted = record.predicted or Triple(type=gold.type, features=gold.features)
    type_ = predicted.type or gold.type
    features = predicted.features or gold.features
    name = record.name or gold.type or f"analysis {number}"
    if len(features) != len(gold.features):
        reading.problem(
            f"analysis '{name}' compares {len(gold.features)} features of the gold with "
            f"{len(features)} of the prediction",
            path,
        )
        features = gold.features
    if type_ and not gold.type:
        reading.problem(f"analysis '{name}' names a type of the prediction, none of the gold", path)
    types = (_both(gold.type, type_),) if gold.type else ()
    wanted: dict[str, Value] = {
        "gold_set": gold.set,
        "predicted_set": predicted.set,
        "types": types,
        "features": tuple(map(_both, gold.features, features)),
    }
    return Analysis(name, {key: value for key, value in wanted.items() if value not in ("*", ())})


def _both(gold: str, predicted: str) -> str:
    return gold if gold == predicted else f"{gold}={predicted}"


def each_type(types: Sequence[str]) -> Evaluation:
    """Every type against itself, with the mean over types: the plugin's macro average."""
    analyses = tuple(Analysis(one.partition("=")[0], {"types": (one,)}) for one in types)
    return Evaluation("each type", "", "macro", analyses)
