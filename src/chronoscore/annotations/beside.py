"""Metrics beside those of spans, which look at a document in their own way."""

from collections.abc import Callable, Hashable
from typing import Any

from chronoscore.annotations import candidate_metrics, label_metrics, rank_metrics
from chronoscore.annotations.candidates import Selection, compare_candidates
from chronoscore.annotations.label_metrics import Labels, compare_labels
from chronoscore.annotations.model import Document
from chronoscore.core.case import Case

DEFINITIONS = (
    *candidate_metrics.DEFINITIONS,
    *rank_metrics.DEFINITIONS,
    *label_metrics.DEFINITIONS,
)

Compare = Callable[[Case[Document, Document], Hashable], Any]


def comparing(spans: Compare) -> Compare:
    """Compare a document as its metric wants it: by candidates, by labels, or by spans."""

    def compare(case: Case[Document, Document], setting: Hashable) -> Any:
        if isinstance(setting, Selection):
            return compare_candidates(case.gold, case.predicted, setting)
        if isinstance(setting, Labels):
            return compare_labels(case.gold, case.predicted, setting)
        return spans(case, setting)

    return compare
