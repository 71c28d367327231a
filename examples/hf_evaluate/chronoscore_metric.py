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

        `settings` are those of `chronoscore.timelines.evaluate`: metrics, protocol, average, ...
        """
        golds = {f"sample {n}": _golds(each) for n, each in enumerate(references)}
        found = {f"sample {n}": timelines.timeline(each) for n, each in enumerate(predictions)}
        result = timelines.evaluate(golds, found, **settings)
        labels = {info.name: info.label for info in result.metrics}
        return {
            f"{labels[summary.metric]} {name}": float("nan") if value is None else value
            for summary in result.systems[0].summaries
            for name, value in summary.scores.items()
        }


def _golds(reference: list[Any]) -> list[timelines.Timeline]:
    several = bool(reference) and isinstance(reference[0], list)
    return [timelines.timeline(each) for each in (reference if several else [reference])]
