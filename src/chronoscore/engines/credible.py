"""Bayesian intervals: which scores can have them, and their bounds from pooled counts."""

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Metric
from chronoscore.elements.ratios import Array, precision_recall
from chronoscore.statistics.averaging import Path
from chronoscore.statistics.intervals import Bounds, bayes, bayes_share

_SIDES = 4
"""Hits and all, on either side."""
Share = tuple[tuple[str, ...], str]
"""The statistics whose sum is the hits, and the statistic that they are a share of."""


def refuse(metric: Metric, path: Path) -> None:
    """Say why a metric can have no Bayesian interval with this average, if so."""
    if not _shares(metric):
        raise _no_counts(metric)
    if any(step.rule != "sum" for step in path.steps):
        raise UsageError(
            f"a Bayesian interval is of pooled counts, and '{path}' is a mean of scores, which is "
            "another number: use --average micro, or --interval auto"
        )


def credible(metric: Metric, path: Path, sums: Array, estimate: Array, level: float) -> Bounds:
    """Bounds of precision, recall and F1 of the pooled counts; NaN for the other scores.

    F1 has bounds where precision and recall have the same hits; other F have no known posterior.
    """
    refuse(metric, path)
    places = {statistic.name: at for at, statistic in enumerate(metric.definition.statistics)}
    low, high = np.full(len(metric.scores), np.nan), np.full(len(metric.scores), np.nan)

    def put(score: str, counted: float, bounds: Array) -> None:
        # What is counted nowhere has no score, whatever stands for it by convention.
        at = metric.definition.scores.index(score)
        if counted and metric.scores[at] == score and not np.isnan(estimate[at]):
            low[at], high[at] = bounds

    for precision, sides in _shares(metric).items():
        found, right = (float(sum(sums[places[name]] for name in names)) for names, _ in sides)
        predicted, gold = (float(sums[places[total]]) for _, total in sides)
        if found > predicted or right > gold:
            raise _no_counts(metric)
        put(precision, predicted, bayes_share(found, predicted, level))
        put(precision.replace("precision", "recall"), gold, bayes_share(right, gold, level))
        if found == right and _same_hits(metric):
            bounds = bayes(found, predicted, gold, level)[2]
            put(precision.replace("precision", "f1"), predicted + gold, bounds)
    return Bounds(low, high, "bayes")


def _shares(metric: Metric) -> dict[str, tuple[Share, Share]]:
    """For each precision of whole counts, what it and its recall are shares of."""
    definition = metric.definition
    if definition.hits:
        return {
            f1.replace("f1", "precision"): ((names, predicted), (names, gold))
            for f1, (names, predicted, gold) in definition.hits.items()
        }
    four = definition.statistics[:_SIDES]
    # Metrics without F1 as their score count what hangs together, such as the days of a period.
    plain = definition.ratios is precision_recall and definition.primary == "f1"
    if not plain or any(statistic.kind != "integer" for statistic in four):
        return {}
    matched, predicted, recalled, gold = (statistic.name for statistic in four)
    return {"precision": (((matched,), predicted), ((recalled,), gold))}


def _same_hits(metric: Metric) -> bool:
    """Whether hits are things that both sides have; links may be found on either side alone."""
    return bool(metric.definition.hits) or len(metric.definition.statistics) == _SIDES


def _no_counts(metric: Metric) -> UsageError:
    return UsageError(
        "Bayesian intervals need whole counts of hits, each counted alone; "
        f"{metric} has none: use --interval auto"
    )
