"""Random annotations, and our scores of them, for the packages of spans."""

import numpy as np

from chronoscore.annotations.breakdown import TYPE, divided
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.case import Case

Spans = list[tuple[str, int, int]]
"""Types, starts and ends, the end not included."""


def case_of(gold: Spans, predicted: Spans) -> Case[Document, Document]:
    """Make a case of one document."""
    target, response = (
        Document("d", tuple(Annotation(str(at), *span) for at, span in enumerate(side)))
        for side in (gold, predicted)
    )
    return Case("d", target, response, {"gold": "1", "document": "d"})


def counts_and_scores(
    name: str, gold: Spans, predicted: Spans
) -> tuple[dict[str, float], dict[str, float]]:
    """Return our statistics and scores of one document by name; 0 where undefined."""
    metric = FAMILY.metric(name)
    case = case_of(gold, predicted)
    row = metric.measure(FAMILY.compare(case, metric.setting)).statistics
    scores = np.nan_to_num(metric.link(np.array(row, np.float64))).tolist()
    names = [one.name for one in metric.definition.statistics]
    return dict(zip(names, row, strict=True)), dict(zip(metric.scores, scores, strict=True))


def scores_by_type(name: str, gold: Spans, predicted: Spans) -> dict[str, dict[str, float]]:
    """Return our scores of each type, all types matched together; 0 where undefined."""
    metric = FAMILY.metric(name)
    compared = FAMILY.compare(case_of(gold, predicted), metric.setting)
    (parts,) = divided(compared, match(compared, metric.values), (TYPE,))
    return {
        kind: dict(
            zip(
                metric.scores,
                np.nan_to_num(metric.link(np.array(row, np.float64))).tolist(),
                strict=True,
            )
        )
        for (kind,), row in parts
    }
