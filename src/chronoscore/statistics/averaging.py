"""Averages as one line, `link(W @ phi(E))`, over a path from the finest level to the collection.

A path such as ``gold:mean-f > topic:mean-f`` says, step by step, which levels are averaged away
and by which rule. A rule is a pair of functions: `phi` acts on every row, then rows are added up
(with any weights), then `finish` turns sums into scores.

============  ==========================================  =======================
rule          phi of a row                                finish
============  ==========================================  =======================
``sum``       its statistics                              link (micro average)
``mean-f``    its scores, and 1 where they are defined    sum / number (macro)
``mean-pr``   its P and R, and 1 where they are defined   F of mean P and mean R
============  ==========================================  =======================
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, Protocol, cast

import msgspec
import numpy as np

from chronoscore.errors import UsageError
from chronoscore.statistics import Undefined
from chronoscore.statistics.exact import exact_sums
from chronoscore.statistics.labels import Labels, grouped
from chronoscore.statistics.ratios import Array, ratio

Rule = Literal["sum", "mean-f", "mean-pr"]
RULES: tuple[Rule, ...] = ("sum", "mean-f", "mean-pr")


class Score(Protocol):
    """What averaging needs of a metric: how its statistics become scores."""

    @property
    def scores(self) -> tuple[str, ...]:
        """The names of the scores."""

    @property
    def better(self) -> str:
        """Whether `higher` or `lower` scores are better."""

    def components(self, statistics: Array) -> Array:
        """Turn statistics[..., k] into components[..., c], NaN where undefined."""

    def derive(self, components: Array) -> Array:
        """Turn components[..., c] into scores[..., m]."""

    def range(self, score: str) -> tuple[float, float]:
        """Return the lowest and the highest possible value of a score."""


class Step(msgspec.Struct, frozen=True):
    """Average away some levels at once, by one rule."""

    levels: tuple[str, ...]
    rule: Rule

    def __str__(self) -> str:
        return f"{'+'.join(self.levels)}:{self.rule}"


class Path(msgspec.Struct, frozen=True):
    """The steps from single rows to one number."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return ">".join(str(step) for step in self.steps)

    @classmethod
    def parse(cls, text: str, levels: Sequence[str]) -> "Path":
        """Read a path; it must run over all levels of the family, the finest first.

        `micro` and `macro` are short for one step over all levels.

        >>> str(Path.parse("gold:mean-f > topic:mean-f", ["gold", "topic"]))
        'gold:mean-f>topic:mean-f'
        >>> str(Path.parse("micro", ["gold", "topic"]))
        'gold+topic:sum'
        """
        short = {"micro": "sum", "macro": "mean-f"}.get(text.strip())
        if short is not None:
            text = f"{'+'.join(levels)}:{short}"
        steps = []
        for part in text.split(">"):
            names, colon, rule = part.strip().partition(":")
            if not colon or rule not in RULES:
                raise UsageError(
                    f"'{part.strip()}' in the averaging path is not level:rule "
                    f"with a rule of: {', '.join(RULES)}"
                )
            steps.append(Step(tuple(name.strip() for name in names.split("+")), rule))
        run = [level for step in steps for level in step.levels]
        if run != list(levels):
            raise UsageError(
                f"the averaging path runs over {' then '.join(run)}, "
                f"expected {' then '.join(levels)}"
            )
        for before, after in pairwise(steps):
            if before.rule != "sum" and after.rule != "mean-f":
                raise UsageError(
                    f"after '{before}' there are scores, which can only be averaged by mean-f, "
                    f"not by {after.rule}"
                )
        return cls(tuple(steps))


def resolve(components: Array, statistics: Array, policy: Undefined) -> Array:
    """Apply the policy for 0/0 to components; `skip` leaves them undefined (NaN)."""
    if policy == "skip":
        return components
    if policy == "agree":
        nothing = ~statistics.any(axis=-1, keepdims=True)
        return np.where(np.isnan(components), np.where(nothing, 1.0, 0.0), components)
    return np.where(np.isnan(components), 1.0 if policy == "one" else 0.0, components)


def applicable(metric: Score, policy: Undefined) -> Undefined:
    """Return the policy for a metric: where lower is better, 0/0 stays undefined, not perfect."""
    return policy if metric.better == "higher" else "skip"


def scores_of(metric: Score, statistics: Array, policy: Undefined) -> Array:
    """Link statistics[..., k] to scores[..., m] under a policy for what is undefined."""
    policy = applicable(metric, policy)
    return metric.derive(resolve(metric.components(statistics), statistics, policy))


def phi(metric: Score, values: Array, rule: Rule, policy: Undefined, *, linked: bool) -> Array:
    """Prepare rows for adding up; `linked` values are scores already."""
    policy = applicable(metric, policy)
    if rule == "sum":
        return values
    if linked:
        parts = values
    elif rule == "mean-f":
        parts = scores_of(metric, values, policy)
    else:
        parts = resolve(metric.components(values), values, policy)
    defined = ~np.isnan(parts)
    return np.concatenate([np.where(defined, parts, 0.0), defined], axis=-1)


def finish(metric: Score, sums: Array, rule: Rule, policy: Undefined) -> Array:
    """Turn sums of `phi` into scores."""
    if rule == "sum":
        return scores_of(metric, sums, policy)
    half = sums.shape[-1] // 2
    means = ratio(sums[..., :half], sums[..., half:])
    return metric.derive(means) if rule == "mean-pr" else means


def average(
    metric: Score,
    statistics: Array,
    tags: Mapping[str, Labels],
    path: Path,
    policy: Undefined,
) -> Array:
    """Average rows[n, k] with their tags along a path into scores[m]."""
    values, linked = statistics, False
    labels = {level: tags[level].at for step in path.steps for level in step.levels}
    for number, step in enumerate(path.steps):
        features = phi(metric, values, step.rule, policy, linked=linked)
        remaining = [level for later in path.steps[number + 1 :] for level in later.levels]
        groups = grouped([labels[level] for level in remaining], len(values))
        sums = exact_sums(features, groups)
        last = number == len(path.steps) - 1
        if step.rule == "sum" and not last:
            values = sums
        else:
            values, linked = finish(metric, sums, step.rule, policy), True
        labels = {level: labels[level][groups.firsts] for level in remaining}
    return cast("Array", values[0])


def curve(levels: Array, changes: Array, base: Array) -> tuple[Array, Array]:
    """Add up difference curves: thresholds, highest first, and statistics[t, k] at each."""
    if not len(levels):
        return np.empty(0), np.empty((0, len(base)))
    thresholds, at = np.unique(levels, return_inverse=True)
    differences = exact_sums(changes, grouped([at], len(levels)))
    return thresholds[::-1], base + np.cumsum(differences[::-1], axis=0)


def medians(values: Array, reaching: Array) -> Array:
    """Compute the median of each column of a histogram; NaN for an empty one.

    `values` are in descending order, `reaching[v, k]` says how many are not lower than each.

    >>> medians(np.array([5.0, 1.0]), np.array([[1.0, 0.0], [2.0, 3.0]])).tolist()
    [3.0, 1.0]
    """
    if not len(values):
        return np.full(reaching.shape[-1], np.nan)
    results = []
    for column in reaching.T:
        total = column[-1]
        # Counted from the highest, the two values in the middle (the same if their number is odd).
        middle = [np.searchsorted(column, place) for place in ((total + 1) // 2, total // 2 + 1)]
        results.append(values[middle].mean() if total else np.nan)
    return np.array(results, dtype=np.float64)
