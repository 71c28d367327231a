"""Bayesian intervals: which scores can have them, and their bounds from pooled counts."""

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Metric
from chronoscore.elements.ratios import Array
from chronoscore.statistics.averaging import Path
from chronoscore.statistics.intervals import Bounds, bayes

_PLAIN = ("precision", "recall", "f1")
_SIDES = 4
"""Hits and all, on either side."""


def refuse(metric: Metric, path: Path) -> None:
    """Say why a metric can have no Bayesian interval with this average, if so."""
    if not _hits(metric):
        raise _no_counts(metric)
    if metric.primary != metric.definition.primary:  # F is named after its beta
        raise UsageError(
            f"Bayesian intervals are known for F1, not for {metric.primary}: use --interval auto"
        )
    if any(step.rule != "sum" for step in path.steps):
        raise UsageError(
            f"a Bayesian interval is of pooled counts, and '{path}' is a mean of scores, which is "
            "another number: use --average micro, or --interval auto"
        )


def credible(metric: Metric, path: Path, sums: Array, estimate: Array, level: float) -> Bounds:
    """Bounds of precision, recall and F1 of the pooled counts; NaN for the other scores."""
    refuse(metric, path)
    places = {statistic.name: at for at, statistic in enumerate(metric.definition.statistics)}
    low, high = np.full(len(metric.scores), np.nan), np.full(len(metric.scores), np.nan)
    for score, (names, *totals) in _hits(metric).items():
        hits = float(sum(sums[places[name]] for name in names))
        predicted, gold = (float(sums[places[name]]) for name in totals)
        if hits > min(predicted, gold) or (not metric.definition.hits and hits != sums[2]):
            raise _no_counts(metric)
        bounds = bayes(hits, predicted, gold, level)
        # What is counted nowhere has no score, whatever stands for it by convention.
        for name, counted, (least, most) in zip(
            _PLAIN, (predicted, gold, predicted + gold), bounds, strict=True
        ):
            at = metric.definition.scores.index(score.replace("f1", name))
            if counted and not np.isnan(estimate[at]):
                low[at], high[at] = least, most
    return Bounds(low, high, "bayes")


def _hits(metric: Metric) -> dict[str, tuple[tuple[str, ...], str, str]]:
    """For each F1, the statistics that are its hits, and all of the prediction and of the gold."""
    definition = metric.definition
    if definition.hits or any(one.kind != "integer" for one in definition.statistics):
        return dict(definition.hits)
    names = [statistic.name for statistic in definition.statistics]
    plain = definition.scores == _PLAIN and len(names) == _SIDES and metric.primary != "recall"
    return {"f1": ((names[0],), names[1], names[3])} if plain else {}


def _no_counts(metric: Metric) -> UsageError:
    return UsageError(
        "Bayesian intervals need whole counts of the same hits on both sides, each counted alone; "
        f"{metric} has none: use --interval auto"
    )
