"""Timelines as a metric of Hugging Face `evaluate`: `evaluate.load("chronoscore_metric.py")`.

A timeline is a list of {"date", "text"}; a reference may also be a list of such timelines.
"""

from typing import Any

import datasets
import evaluate

from chronoscore import timelines

ENTRY = {"date": datasets.Value("string"), "text": datasets.Value("string")}
ONE, SEVERAL = [ENTRY], [[ENTRY]]


class ChronoscoreMetric(evaluate.Metric):
    """Content, dates and their alignment, averaged over samples as the protocol says."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description="Scores event timelines: what they say, and on which dates.",
            citation="",
            inputs_description=__doc__,
            features=[
                datasets.Features({"predictions": ONE, "references": references})
                for references in (ONE, SEVERAL)
            ],
        )

    def _compute(
        self, *, predictions: list[Any], references: list[Any], **settings: Any
    ) -> dict[str, float]:
        """Give each score by name, such as "AR-1 f1"; a score that is undefined is NaN.

        `settings` are those of `chronoscore.timelines.score`: metrics, protocol, average, ...
        """
        golds = {f"sample {n}": _golds(each) for n, each in enumerate(references)}
        found = {f"sample {n}": timelines.timeline(each) for n, each in enumerate(predictions)}
        return {
            f"{score.metric} {name}": value
            for score in timelines.score(golds, found, **settings)
            for name, value in score.scores.items()
        }


def _golds(reference: list[Any]) -> list[timelines.Timeline]:
    several = bool(reference) and isinstance(reference[0], list)
    return [timelines.timeline(each) for each in (reference if several else [reference])]
