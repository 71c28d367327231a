"""Names that metrics ask for and that the data does not have: mostly slips of the pen.

A type that nobody has leaves nothing to compare, and nothing against nothing agrees: it must not
pass for a perfect score.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from chronoscore.annotations.breakdown import TYPE, features_of
from chronoscore.annotations.columns import Label
from chronoscore.annotations.model import Annotation
from chronoscore.annotations.question import EVERY_SET, compared_features, type_map
from chronoscore.annotations.thresholds import thresholds
from chronoscore.core.batch import Batch
from chronoscore.core.case import some
from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading

Labels = tuple[Label, ...]


def doubt_names(
    metrics: Iterable[Metric],
    batches: Mapping[str, Batch],
    reading: Reading,
    by: Sequence[str] = (),
) -> None:
    """Note what metrics, and breakdowns by features, name and no annotation has.

    What neither side has is doubtful; what only one side lacks is said.
    """
    sides = [batch.columns.columns for batch in batches.values()]
    if sides:
        gold = tuple(label for ours, _ in sides[:1] for label in ours.labels)
        predicted = tuple(label for _, theirs in sides for label in theirs.labels)
        named = tuple(metrics)
        _tell(named, gold, predicted, reading, _features_named(by))
        for metric in named:
            _tell_thresholds(metric.values.get("thresholds", ""), batches, reading)


def _tell_thresholds(given: object, batches: Mapping[str, Batch], reading: Reading) -> None:
    """Say that thresholds are above all scores of a system: its curve has no point then."""
    for name, batch in batches.items() if given else ():
        _, theirs = batch.columns.columns
        scores = theirs.score[~np.isnan(theirs.score)]
        wanted = thresholds(str(given), scores.tolist())
        if wanted and len(scores) and scores.max() < wanted[-1]:
            reading.notice(
                f"{name}: no response reaches the threshold {wanted[-1]:g}, the highest score is "
                f"{scores.max():g}, so that its curve is undefined"
            )


def doubt_among(
    metric: Metric, annotations: Iterable[Annotation], reading: Reading, by: Iterable[str] = ()
) -> None:
    """The same where no side is the gold."""
    labels = tuple(Label(one.type, one.features, one.set) for one in annotations)
    _tell([metric], labels, labels, reading, by)


def doubt_labels(
    metrics: Iterable[Metric],
    gold: Labels,
    predicted: Labels,
    reading: Reading,
    by: Sequence[str] = (),
) -> None:
    """The same of the labels of both sides, wherever they were seen."""
    _tell(metrics, gold, predicted, reading, _features_named(by))


def _features_named(by: Sequence[str]) -> list[str]:
    return [name for name in features_of(by)[0] if name != TYPE] if by else []


def _tell(
    metrics: Iterable[Metric], gold: Labels, predicted: Labels, reading: Reading, by: Iterable[str]
) -> None:
    told: dict[str, bool] = {}
    for metric in metrics:
        told |= _of_metric(metric.values, gold, predicted)
    for name in by:
        if not any(name in label.features for label in gold):
            told[f"no target has the feature '{name}'{_there(_features(gold))}"] = True
    for text, doubtful in told.items():
        (reading.doubt if doubtful else reading.notice)(text)


def _of_metric(values: Mapping[str, Any], gold: Labels, predicted: Labels) -> dict[str, bool]:
    """What is to be said, and whether it is doubtful."""
    told = _types(values.get("types", ()), gold, predicted)
    for name, where, labels in (("gold_set", "the gold", gold), ("predicted_set", "", predicted)):
        set_ = values.get(name, EVERY_SET)
        if set_ != EVERY_SET and not any(label.set == set_ for label in labels):
            sets = _there({label.set or "(default)" for label in labels})
            told[f"{where or 'the prediction'} has no annotation set '{set_}'{sets}"] = bool(where)
    within = values.get("within", "")
    if within and not any(f"{label.set}:{label.type}" == within for label in gold):
        known = _there({f"{label.set}:{label.type}" for label in gold})
        told[f"the gold has no '{within}' to be within{known}"] = True
    for ours, theirs in _listed(values.get("features", ())):
        if not any(ours in one.features for one in gold) and not any(
            theirs in one.features for one in predicted
        ):
            known = _there(_features(gold) | _features(predicted))
            told[f"no annotation has the feature '{ours}'{known}"] = True
    for name, labels, whose in (
        ("list", predicted, "the prediction has no list"),
        ("element", predicted, "the prediction has no candidate"),
        ("key", gold, "the gold has no target"),
    ):
        kind = values.get(name, "")
        if kind and labels and not any(label.type == kind for label in labels):
            told[f"{whose} of type '{kind}'{_there({label.type for label in labels})}"] = True
    return told


def _types(types: Iterable[str], gold: Labels, predicted: Labels) -> dict[str, bool]:
    told: dict[str, bool] = {}
    ours, theirs = {label.type for label in gold}, {label.type for label in predicted}
    for response, target in type_map(tuple(types)).items():
        if target not in ours and response not in theirs:
            named = target if target == response else f"{target}={response}"
            told[f"no annotation has the type '{named}'{_there(ours | theirs)}"] = True
        elif target not in ours:
            told[f"the gold has no annotation of type '{target}'"] = False
        elif response not in theirs:
            told[f"no prediction has an annotation of type '{response}'"] = False
    return told


def _listed(features: Iterable[str]) -> list[tuple[str, str]]:
    found = compared_features(tuple(features))
    return [*found.common, *(pair for several in found.special.values() for pair in several)]


def _features(labels: Labels) -> set[str]:
    return {name for label in labels for name in label.features}


def _there(names: set[str]) -> str:
    return f"; there are: {some(sorted(names))}" if names else "; there are none"
