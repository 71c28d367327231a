"""How sure a score is, from rows: the plan that a signature names, and its intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose

import numpy as np

from chronoscore.core import names
from chronoscore.core.errors import UsageError
from chronoscore.core.family import Family, Undefined
from chronoscore.core.labels import Labels, labelled
from chronoscore.core.ledger import Ledger
from chronoscore.core.metric import Metric
from chronoscore.core.result import Interval
from chronoscore.core.signature import INTERVAL_METHODS, IntervalMethod
from chronoscore.elements.ratios import Array
from chronoscore.engines import credible as bayesian
from chronoscore.statistics.averaging import Path, Step
from chronoscore.statistics.drawing import RESAMPLES, affordable
from chronoscore.statistics.intervals import effective, interval
from chronoscore.statistics.resampling import Resampler

DAY = "day"
"""A unit that is no tag: the days of a timeline, drawn within its case."""
COVERAGE: Mapping[str, Mapping[int, float]] = {
    "jackknife-t": {2: 0.85, 3: 0.85, 4: 0.86, 5: 0.86},
    "jackknife-logit": {2: 0.90, 3: 0.92, 4: 0.89, 5: 0.85},
}
"""How often nominal 95 % intervals of few clusters hold the true score: by method and clusters,
the lowest of all scores and populations that `python -m benchmarks.simulate` prints."""


@dataclass(frozen=True)
class Chance:
    """How intervals are made: the method, the level, the seed, and what is drawn as a whole."""

    method: IntervalMethod = "auto"
    level: float = 0.95
    seed: int = 0
    unit: str = ""
    strata: str = ""

    def __str__(self) -> str:
        """Write a name that parses back; defaults are left out."""
        plain = Chance()
        given: dict[str, names.Value] = {
            name: getattr(self, name)
            for name in ("level", "seed", "unit", "strata")
            if getattr(self, name) != getattr(plain, name)
        }
        return names.write(self.method, given)

    @classmethod
    def parse(cls, text: str) -> "Chance":
        """Read what `str` wrote."""
        method, given = names.parse(text)
        unknown = given.keys() - {"level", "seed", "unit", "strata"}
        if method not in INTERVAL_METHODS or unknown:
            raise UsageError(
                f"unknown method '{text}' for intervals; there are: {', '.join(INTERVAL_METHODS)}"
            )
        try:
            level, seed = float(str(given.get("level", 0.95))), int(str(given.get("seed", 0)))
        except ValueError:
            raise UsageError(f"level and seed in '{text}' must be numbers") from None
        return cls.checked(
            str(method), level, seed, str(given.get("unit", "")), str(given.get("strata", ""))
        )

    @classmethod
    def checked(cls, method: str, level: float, seed: int, unit: str, strata: str) -> "Chance":
        """Make a plan, or say what is wrong with it."""
        known = next((each for each in INTERVAL_METHODS if each == method), None)
        if known is None:
            listed = ", ".join(INTERVAL_METHODS)
            raise UsageError(f"no method '{method}' for intervals; there are {listed}")
        if not 0 < level < 1:
            raise UsageError(f"the level of an interval is between 0 and 1, got {level:g}")
        if known == "bayes" and (unit or strata):
            raise UsageError("a Bayesian interval draws nothing: leave out --unit and --strata")
        return cls(known, level, seed, unit, strata)

    def check(self, metrics: Sequence[Metric], path: Path) -> None:
        """Say what can have no interval of this kind, before anything is measured."""
        for metric in metrics:
            if metric.definition.curve:
                continue
            if self.method == "bayes":
                bayesian.refuse(metric, path)
            if self.method == "logit" and not np.isfinite(metric.range(metric.primary)).all():
                raise UsageError(
                    f"logit intervals need a score with a least and a greatest value; {metric} has "
                    "none: use --interval auto"
                )


def resampler(
    family: Family,
    metric: Metric,
    rows: Ledger,
    path: Path,
    policy: Undefined,
    *,
    unit: str = "",
    strata: str = "",
    others: Sequence[Ledger] = (),
) -> Resampler:
    """Make ready for resampling: rows of the same unit stand or fall together.

    `others` are rows of systems to be paired with, whose units count too.
    """
    unit = unit or family.cluster
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
    inside = unit in family.levels
    level = unit if inside else family.levels[1]
    named = family.levels[family.levels.index(unit) :] if inside else (unit,)
    key = [tag for tag in named if tag != "trial"]
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


def _together(names: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """All names, in ascending order; systems mostly have the same."""
    if all(own == names[0] for own in names):
        return names[0] if names else ()
    return tuple(sorted({name for own in names for name in own}))


def _days(
    metric: Metric,
    rows: Ledger,
    path: Path,
    policy: Undefined,
    others: Sequence[Ledger],
) -> Resampler:
    """Draw days within each case: what then is said is of other days of these same topics."""
    name = str(metric)
    if len(rows) and name not in rows.parts:
        raise UsageError("these results do not say what each day adds: score with --unit day")
    named = [(row, day, values) for row in rows.values() for day, values in row.parts[name]]
    return Resampler(
        metric,
        np.array([values for _, _, values in named], dtype=np.float64),
        labelled([{**row.tags, DAY: day} for row, day, _ in named]),
        Labels.of(f"{row.case}\0{day}" for row, day, _ in named),
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


def intervals(
    chance: Chance, metric: Metric, sample: Resampler, estimate: Array, sums: Array, unit: str
) -> dict[str, Interval]:
    """The intervals of a metric's scores; none where a single unit says nothing of the spread.

    No interval leaves what its score can be.
    """
    clusters = len(sample.names)
    if chance.method == "bayes":
        bounds = bayesian.credible(metric, sample.path, sums, estimate, chance.level)
        clusters, unit = 0, ""  # nothing is drawn
    else:
        bounds = interval(
            sample, estimate, method=chance.method, level=chance.level, seed=chance.seed
        )
    draws = affordable(clusters)
    fewer = bounds.method == "bootstrap" and draws < RESAMPLES
    simulated = COVERAGE.get(bounds.method, {}) if chance.level == 0.95 else {}
    n_eff = float(effective(sample.sizes)) if clusters else np.nan
    found = {}
    for name, low, high in zip(metric.scores, bounds.low, bounds.high, strict=True):
        if not (np.isnan(low) or np.isnan(high)):
            least, most = metric.range(name)
            found[name] = Interval(
                low=max(least, float(low)),
                high=min(most, float(high)),
                level=chance.level,
                method=bounds.method,
                clusters=clusters,
                unit=unit,
                coverage=None if isclose(low, high) else simulated.get(clusters),
                draws=draws if fewer else None,
                n_eff=None if np.isnan(n_eff) else n_eff,
            )
    return found
