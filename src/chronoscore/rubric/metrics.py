"""The score of judgements: EQS and the means of its criteria."""

from collections.abc import Hashable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.batch import Measured
from chronoscore.core.case import Case
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import Definition, Law, Values
from chronoscore.elements.ratios import Array, ratio
from chronoscore.rubric.codebook import Codebook, Criterion
from chronoscore.rubric.judgement import Judgement
from chronoscore.rubric.judgements import Judgements


def compare(case: Case[str, Judgement], _: Hashable) -> Judgement:
    """Take the judgement as it is: people have compared already."""
    return case.predicted


def quality_metric(codebook: Codebook) -> Definition:
    """Make the metric of a codebook: its weighted mean, and the mean of each criterion.

    EQS = sum of weight x (value - lowest) / (highest - lowest), over the sum of weights. It is
    counted in whole parts (48ths for event quality), so that sums are exact.
    """
    parts = codebook.denominator
    criteria = codebook.criteria

    # What each answer adds in whole parts: `codebook.quality`, at a fraction of its cost.
    weights = sum(Fraction(criterion.weight) for criterion in criteria)
    shares = [
        {value: int(criterion.credit(value) / weights * parts) for value in criterion.allowed}
        for criterion in criteria
    ]

    def measure(judgement: Judgement, _: Values) -> Evidence:
        counted = sum(map(dict.__getitem__, shares, judgement.values))
        return Evidence((counted, 1, *judgement.values))

    def measure_batch(judgements: Judgements, _: Values) -> Measured:
        values = judgements.values
        counted = np.ones((len(values), 2 + len(criteria)))
        counted[:, 0] = sum(_looked_up(one, values[:, at]) for at, one in enumerate(shares))
        counted[:, 2:] = values
        return Measured(counted)

    def explain(judgement: Judgement, _: Values) -> list[Match]:
        total = sum(criterion.credit(criterion.allowed[-1]) for criterion in criteria)
        matches = []
        for criterion, value in zip(criteria, judgement.values, strict=True):
            label = next(level.label for level in criterion.values if level.value == value)
            matches.append(
                Match(
                    side="both",
                    outcome=f"{criterion.name} {value}: {label}",
                    credit=float(criterion.credit(value) / total * parts),
                    possible=float(criterion.credit(criterion.allowed[-1]) / total * parts),
                    predicted=judgement.event,
                )
            )
        return matches

    def ratios(statistics: Array, _: Values) -> Array:
        judged = statistics[..., 1]
        means = [ratio(statistics[..., 0], judged) / parts]
        means += [ratio(statistics[..., 2 + at], judged) for at in range(len(criteria))]
        return np.stack(means, axis=-1)

    names = (codebook.score.lower(), *(criterion.name for criterion in criteria))
    return Definition(
        name=codebook.score.lower(),
        meaning=f"{codebook.score}, the weighted mean of the criteria from 0 to 1, and their means",
        citation=codebook.source,
        statistics=(
            Statistic("quality", "integer", f"{codebook.score} in {parts}ths"),
            Statistic("judgements", "integer", "judgements"),
            *(Statistic(c.name, "integer", f"sum of {c.field}") for c in criteria),
        ),
        components=names,
        scores=names,
        primary=names[0],
        measure=measure,
        measure_batch=measure_batch,
        explain=explain,
        ratios=ratios,
        laws=lambda _: frozenset({Law.EXPLAINED, Law.MORE_IS_BETTER}),
        explained={"both": (("quality",), ())},
        ranges=lambda _: {names[0]: (0.0, 1.0), **{c.name: _ends(c) for c in criteria}},
    )


def _ends(criterion: Criterion) -> tuple[float, float]:
    """The lowest and the highest value, which no mean of values can leave."""
    return float(criterion.allowed[0]), float(criterion.allowed[-1])


def _looked_up(share: Mapping[int, int], values: NDArray[np.int64]) -> NDArray[np.int64]:
    """What each value adds; values are some of the allowed ones."""
    allowed = np.array(sorted(share))
    adds = np.array([share[value] for value in sorted(share)])
    return np.asarray(adds[np.searchsorted(allowed, values)])
