"""Intervals of scores from rows: by resampling, and Bayesian ones from counts."""

from collections.abc import Mapping, Sequence
from math import isclose

import numpy as np

from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.result import Interval
from chronoscore.engines.settings import DAY, IntervalPlan
from chronoscore.errors import UsageError
from chronoscore.statistics import Undefined
from chronoscore.statistics.averaging import Path, Step
from chronoscore.statistics.drawing import RESAMPLES, affordable
from chronoscore.statistics.intervals import Bounds, bayes, bayes_share, effective, interval
from chronoscore.statistics.labels import Labels, labelled
from chronoscore.statistics.ratios import Array, precision_recall
from chronoscore.statistics.resampling import Resampler

COVERAGE: Mapping[str, Mapping[int, float]] = {
    "jackknife-t": {2: 0.85, 3: 0.85, 4: 0.86, 5: 0.86},
    "jackknife-logit": {2: 0.90, 3: 0.92, 4: 0.89, 5: 0.85},
}
"""How often nominal 95 % intervals of few clusters hold the true score: by method and clusters,
the lowest of all scores and populations that `python -m benchmarks.simulate` prints."""


def resampler(
    family: Family,
    metric: Metric,
    rows: EvidenceTable,
    path: Path,
    policy: Undefined,
    plan: IntervalPlan,
    others: Sequence[EvidenceTable] = (),
) -> Resampler:
    """Prepare rows for resampling: rows of the same unit are drawn together.

    `others` are the rows of systems to pair with; their units are included.
    """
    unit, strata = plan.unit or family.cluster, plan.strata
    if unit == DAY:
        if strata:
            raise UsageError("days are drawn within their timeline already: leave out --strata")
        return _days(metric, rows, path, policy, others)
    for tag in filter(None, (unit, strata)):
        if tag not in rows.tags or (rows.tags[tag].at < 0).any():
            known = ", ".join(rows.tags) or "none"
            raise UsageError(f"cases have no tag '{tag}' to resample by; they have: {known}")
    # A unit that is no level of the path, such as the article of judged events, holds whole items
    # of the second level. A gold is a unit within its topic; trials are no units: they share them.
    level = unit if unit in family.levels else family.levels[1]
    key = unit_tags(family, unit)
    return Resampler(
        metric,
        rows.statistics[str(metric)],
        rows.tags,
        rows.joined(key),
        names=_together([other.joined(key).compact.names for other in others]),
        path=path,
        policy=policy,
        level=level,
        strata=rows.tags[strata] if strata else None,
        repeats="trial",
    )


def unit_tags(family: Family, unit: str) -> list[str]:
    """Return the tags that together name a unit: its own, and those of coarser levels."""
    inside = unit in family.levels
    tags = family.levels[family.levels.index(unit) :] if inside else (unit,)
    return [tag for tag in tags if tag != "trial"]


def _together(names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return all names in ascending order."""
    if all(system_names == names[0] for system_names in names):
        return names[0] if names else ()
    return tuple(sorted({name for system_names in names for name in system_names}))


def _days(
    metric: Metric,
    rows: EvidenceTable,
    path: Path,
    policy: Undefined,
    others: Sequence[EvidenceTable],
) -> Resampler:
    """Prepare days for resampling within each case."""
    name = str(metric)
    if len(rows) and name not in rows.parts:
        raise UsageError("these results do not say what each day adds: score with --unit day")
    parts = [(row, day, values) for row in rows.values() for day, values in row.parts[name]]
    return Resampler(
        metric,
        np.array([values for _, _, values in parts], dtype=np.float64),
        labelled([{**row.tags, DAY: day} for row, day, _ in parts]),
        Labels.of(f"{row.case}\0{day}" for row, day, _ in parts),
        names={
            f"{row.case}\0{day}"
            for other in others
            for row in other.values()
            for day, _ in row.parts.get(name, ())
        },
        path=Path((Step((DAY,), "sum"), *path.steps)),
        policy=policy,
        level=DAY,
    )


def draws_of(plan: IntervalPlan, clusters: int) -> int:
    """Return how often a plan draws from this number of clusters."""
    return affordable(clusters, plan.resamples or RESAMPLES)


def intervals(
    chance: IntervalPlan, metric: Metric, sample: Resampler, estimate: Array, sums: Array, unit: str
) -> dict[str, Interval]:
    """Compute the intervals of a metric's scores; a single unit gives none.

    Intervals are cut to the range of their score.
    """
    clusters = len(sample.names)
    if chance.method == "bayes":
        bounds = credible(metric, sample.path, sums, estimate, chance.level)
        clusters, unit = 0, ""  # nothing is drawn
    else:
        bounds = interval(
            sample,
            estimate,
            method=chance.method,
            level=chance.level,
            seed=chance.seed,
            resamples=chance.resamples or RESAMPLES,
        )
    draws = draws_of(chance, clusters)
    unusual = bounds.method == "bootstrap" and draws != RESAMPLES
    simulated = COVERAGE.get(bounds.method, {}) if chance.level == 0.95 else {}
    n_eff = float(effective(sample.sizes)) if clusters else np.nan
    by_score = {}
    for name, low, high in zip(metric.scores, bounds.low, bounds.high, strict=True):
        if not (np.isnan(low) or np.isnan(high)):
            least, most = metric.range(name)
            by_score[name] = Interval(
                low=max(least, float(low)),
                high=min(most, float(high)),
                level=chance.level,
                method=bounds.method,
                clusters=clusters,
                unit=unit,
                coverage=None if isclose(low, high) else simulated.get(clusters),
                draws=draws if unusual else None,
                n_eff=None if np.isnan(n_eff) else n_eff,
            )
    return by_score


# Bayesian intervals: which scores can have them, and their bounds from pooled counts.


_SIDES = 4
"""Hits and all, on either side."""
Share = tuple[tuple[str, ...], str]
"""The statistics whose sum is the hits, and the statistic that they are a share of."""


def refuse(metric: Metric, path: Path) -> None:
    """Refuse a metric or an average that can have no Bayesian interval."""
    if not _shares(metric):
        raise _no_counts(metric)
    if any(step.rule != "sum" for step in path.steps):
        raise UsageError(
            f"a Bayesian interval is of pooled counts, and '{path}' is a mean of scores, which is "
            "another number: use --average micro, or --interval auto"
        )


def credible(metric: Metric, path: Path, sums: Array, estimate: Array, level: float) -> Bounds:
    """Compute bounds of precision, recall and F1 from pooled counts; NaN for other scores.

    F1 has bounds where precision and recall have the same hits; other F have no known posterior.
    """
    refuse(metric, path)
    places = {statistic.name: at for at, statistic in enumerate(metric.definition.statistics)}
    low, high = np.full(len(metric.scores), np.nan), np.full(len(metric.scores), np.nan)

    def put(score: str, counted: float, bounds: Array) -> None:
        # Without counts there is no score, whatever the policy for 0/0 puts in its place.
        at = metric.definition.scores.index(score)
        if counted and metric.scores[at] == score and not np.isnan(estimate[at]):
            low[at], high[at] = bounds

    for precision, sides in _shares(metric).items():
        hits, gold_hits = (float(sum(sums[places[name]] for name in names)) for names, _ in sides)
        predicted, gold = (float(sums[places[total]]) for _, total in sides)
        if hits > predicted or gold_hits > gold:
            raise _no_counts(metric)
        put(precision, predicted, bayes_share(hits, predicted, level))
        put(precision.replace("precision", "recall"), gold, bayes_share(gold_hits, gold, level))
        if hits == gold_hits and _same_hits(metric):
            bounds = bayes(hits, predicted, gold, level)[2]
            put(precision.replace("precision", "f1"), predicted + gold, bounds)
    return Bounds(low, high, "bayes")


def _shares(metric: Metric) -> dict[str, tuple[Share, Share]]:
    """Return for each precision of whole counts the terms of it and of its recall."""
    definition = metric.definition
    if definition.hits:
        return {
            f1.replace("f1", "precision"): ((names, predicted), (names, gold))
            for f1, (names, predicted, gold) in definition.hits.items()
        }
    four = definition.statistics[:_SIDES]
    # Metrics without F1 as main score count dependent items, such as the days of a period.
    plain = definition.ratios is precision_recall and definition.primary == "f1"
    if not plain or any(statistic.kind != "integer" for statistic in four):
        return {}
    matched, predicted, recalled, gold = (statistic.name for statistic in four)
    return {"precision": (((matched,), predicted), ((recalled,), gold))}


def _same_hits(metric: Metric) -> bool:
    """Whether hits are items of both sides; links may be found on one side alone."""
    return bool(metric.definition.hits) or len(metric.definition.statistics) == _SIDES


def _no_counts(metric: Metric) -> UsageError:
    return UsageError(
        "Bayesian intervals need whole counts of hits, each counted alone; "
        f"{metric} has none: use --interval auto"
    )
