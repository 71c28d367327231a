"""Annotations read in parts: what each part has is counted, what none has is told of all."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from chronoscore.annotations.columns import Label
from chronoscore.annotations.family import read_cases
from chronoscore.annotations.formats.scores import SCORED
from chronoscore.annotations.naming import doubt_labels
from chronoscore.core.batch import Batch
from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading

_SIDES = ("gold", "predicted")
_ASKED = "score feature"


def read_part(
    gold: Path,
    predictions: Mapping[str, Path],
    reading: Reading,
    options: Mapping[str, str],
    input_format: str | None = None,
    score_feature: str | None = None,
) -> dict[str, Batch]:
    """Read some documents, and count the types, sets and features of each side."""
    batches = read_cases(gold, predictions, reading, options, input_format, score_feature)
    for batch in batches.values():
        for side, columns in zip(_SIDES, batch.columns.columns, strict=True):
            for label in columns.labels:
                names = sorted(name for name in label.features)
                reading.counts["\0".join((side, label.set, label.type, *names))] += 1
    if score_feature:
        reading.counts["\0".join((_ASKED, score_feature))] += 1
    return batches


def doubt_parts(
    metrics: Sequence[Metric], counts: Mapping[str, int], reading: Reading, by: Sequence[str]
) -> None:
    """Note what metrics name and no part has, as reading all at once does."""
    labels: dict[str, list[Label]] = {side: [] for side in _SIDES}
    for key in sorted(counts):
        side, *words = key.split("\0")
        if side == _ASKED and not counts.get(SCORED):
            told = f"no annotation has the feature '{words[0]}', which was to be its score"
            reading.notice(told)
        if side in labels:
            group, kind, *features = words
            labels[side].append(Label(kind, dict.fromkeys(features), group))
    doubt_labels(metrics, tuple(labels["gold"]), tuple(labels["predicted"]), reading, by)
