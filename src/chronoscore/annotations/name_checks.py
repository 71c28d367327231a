"""Report types, sets and features that metrics name but no annotation has: mostly typing errors.

A type without annotations leaves nothing to compare, and two empty sides agree: that must not pass
for a perfect score.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from chronoscore.annotations.breakdown import TYPE, features_of
from chronoscore.annotations.columns import Label
from chronoscore.annotations.curves import thresholds
from chronoscore.annotations.formats.reading import check_scores
from chronoscore.annotations.model import Annotation
from chronoscore.annotations.parameters import EVERY_SET, compared_features, type_map
from chronoscore.core.case import some
from chronoscore.core.evidence_table import Batch
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Fact, Problems

Labels = tuple[Label, ...]
_GOLD, _PREDICTED, _SCORES = "gold", "predicted", "lowest and highest score"


def count_names(batches: Mapping[str, Batch], problems: Problems) -> None:
    """Count the sets, types and features of each side, and the range of each system's scores."""
    for number, (system, batch) in enumerate(batches.items()):
        gold, predicted = batch.columns.columns
        for side, columns in ((_GOLD, gold), (_PREDICTED, predicted)):
            if side == _PREDICTED or not number:  # all systems have the same gold
                labels = {(label.set, label.type, *label.features) for label in columns.labels}
                problems.facts.update((side, *names) for names in labels)
        scores = predicted.score[~np.isnan(predicted.score)]
        if len(scores):
            lowest, highest = scores.min().item(), scores.max().item()
            problems.facts[_SCORES, system, repr(lowest), repr(highest)] += 1


def check_names(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, by: Sequence[str]
) -> None:
    """Report types, sets and features that metrics or breakdowns name but annotations lack.

    A name that neither side has is a problem, unless reading is lenient; a name that only one side
    lacks is a notice.
    """
    check_scores(facts, problems)
    labels = {
        side: tuple(
            Label(fact[2], dict.fromkeys(fact[3:]), fact[1]) for fact in facts if fact[0] == side
        )
        for side in (_GOLD, _PREDICTED)
    }
    features = [name for name in features_of(by)[0] if name != TYPE] if by else []
    _report(metrics, labels[_GOLD], labels[_PREDICTED], problems, features)
    ranges: dict[str, list[float]] = {}
    for fact in facts:
        if fact[0] == _SCORES:
            ranges.setdefault(fact[1], []).extend(map(float, fact[2:]))
    for metric in metrics:
        if kind := metric.values.get("thresholds", ""):
            _report_thresholds(str(kind), ranges, problems)


def check_annotations(
    metric: Metric, annotations: Iterable[Annotation], problems: Problems, by: Iterable[str] = ()
) -> None:
    """Report names that annotations lack, where neither side is the gold."""
    labels = tuple(
        Label(annotation.type, annotation.features, annotation.set) for annotation in annotations
    )
    _report([metric], labels, labels, problems, by)


def _report_thresholds(
    kind: str, ranges: Mapping[str, Sequence[float]], problems: Problems
) -> None:
    """Report thresholds above all scores of a system: the curve then has no point."""
    for system, scores in ranges.items():
        lowest = thresholds(kind, (min(scores), max(scores)))[-1:]
        if lowest and max(scores) < lowest[0]:
            problems.notice(
                f"{system}: no response reaches the threshold {lowest[0]:g}, the highest score is "
                f"{max(scores):g}, so that its curve is undefined"
            )


def _report(
    metrics: Iterable[Metric],
    gold: Labels,
    predicted: Labels,
    problems: Problems,
    by: Iterable[str],
) -> None:
    messages: dict[str, bool] = {}
    for metric in metrics:
        messages |= _of_metric(metric.values, gold, predicted)
    for name in by:
        if not any(name in label.features for label in gold):
            messages[f"no target has the feature '{name}'{_known(_features(gold))}"] = True
    for text, refused in messages.items():
        (problems.accept_or_report if refused else problems.notice)(text)


def _of_metric(
    values: Mapping[str, Any], gold: Labels, predicted: Labels
) -> Iterator[tuple[str, bool]]:
    """Yield messages about a metric, each with whether it is a problem or only a notice."""
    gold_types, predicted_types = ({label.type for label in side} for side in (gold, predicted))
    for response, target in type_map(values.get("types", ())).items():
        if target not in gold_types and response not in predicted_types:
            type_ = target if target == response else f"{target}={response}"
            known = _known(gold_types | predicted_types)
            yield f"no annotation has the type '{type_}'{known}", True
        elif target not in gold_types:
            yield f"the gold has no annotation of type '{target}'", False
        elif response not in predicted_types:
            yield f"no prediction has an annotation of type '{response}'", False
    for name, whose, labels in (
        ("gold_set", "the gold", gold),
        ("predicted_set", "the prediction", predicted),
    ):
        set_ = values.get(name, EVERY_SET)
        if set_ != EVERY_SET and not any(label.set == set_ for label in labels):
            sets = _known({label.set or "(default)" for label in labels})
            yield f"{whose} has no annotation set '{set_}'{sets}", name == "gold_set"
    within, places = values.get("within", ""), {f"{label.set}:{label.type}" for label in gold}
    if within and within not in places:
        yield f"the gold has no '{within}' to be within{_known(places)}", True
    features = _features(gold), _features(predicted)
    for name, predicted_name in compared_features(values.get("features", ())).pairs:
        if name not in features[0] and predicted_name not in features[1]:
            known = _known(features[0] | features[1])
            yield f"no annotation has the feature '{name}'{known}", True
    for name, types, whose in (
        ("list", predicted_types, "the prediction has no list"),
        ("element", predicted_types, "the prediction has no candidate"),
        ("key", gold_types, "the gold has no target"),
    ):
        kind = values.get(name, "")
        if kind and types and kind not in types:
            yield f"{whose} of type '{kind}'{_known(types)}", True


def _features(labels: Labels) -> set[str]:
    return {name for label in labels for name in label.features}


def _known(names: set[str]) -> str:
    return f"; there are: {some(sorted(names))}" if names else "; there are none"
