"""How far the ranking of systems depends on the weights of the codebook's criteria.

The weights of event quality are a recommendation. The score is linear in them: with m the means of
a system's criteria, each from 0 to 1, and w the weights as shares of 1, it is m · w. So a ranking
can be tried under any weights without a judgement being read again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.result import ResultDocument
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook
from chronoscore.statistics.drawing import stream
from chronoscore.statistics.ratios import Array

WEIGHTINGS = 10_000
NEAR = (0.1, 0.2)
"""How far each weight may be from the recommended one, as a share of it."""
MOST_RANKINGS = 10
_EQUAL = 1e-12
"""Scores that are nearer than this are equal; they are computed from whole numbers."""


class SystemUnderWeights(msgspec.Struct, frozen=True):
    """A system under all weightings."""

    system: str
    score: float
    """Under the codebook's weights."""
    means: tuple[float, ...]
    """Of the criteria, each from 0 to 1."""
    best: float
    """The share of weightings under which no system is better."""
    ranks: tuple[int, int]
    """The best and the worst rank under the weightings drawn."""


class Flip(msgspec.Struct, frozen=True):
    """The weighting nearest to the codebook's under which two systems are equal."""

    weights: tuple[float, ...]
    moved: float
    """The weight that has to go to other criteria, of 1 in all: the total variation distance."""
    largest: float
    """The largest change of a single weight."""


class PairUnderWeights(msgspec.Struct, frozen=True):
    """Two systems under all weightings; the three shares add up to 1."""

    one: str
    two: str
    difference: float
    """Under the codebook's weights."""
    one_ahead: float
    two_ahead: float
    ties: float
    flip: Flip | None
    """None where the second is ahead under no weighting, since the first is at least as good on
    every criterion."""


class RankingShare(msgspec.Struct, frozen=True):
    """A ranking and the share of weightings under which it comes about."""

    ranking: tuple[str, ...]
    share: float


class NearWeights(msgspec.Struct, frozen=True):
    """Weightings that are near the codebook's."""

    within: float
    """How far each weight may be from the codebook's, as a share of it."""
    holds: float
    """The share of these weightings under which the ranking is the same."""
    best_holds: float
    """The share under which the best system is the same."""
    always: bool
    """Whether the ranking is the same under all of them, drawn or not."""


class WeightSensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """The document: how the ranking fares under other weights."""

    format: Literal["chronoscore-weights"] = "chronoscore-weights"
    version: int = 1
    codebook: str
    score: str
    criteria: tuple[str, ...]
    weights: tuple[float, ...]
    """The codebook's, as shares of 1."""
    weightings: int
    seed: int
    systems: tuple[SystemUnderWeights, ...]
    """The best first, under the codebook's weights."""
    holds: float
    """The share of weightings under which no two systems change places."""
    rankings: tuple[RankingShare, ...]
    """The most frequent first, ten at most."""
    pairs: tuple[PairUnderWeights, ...]
    near: tuple[NearWeights, ...]
    notices: tuple[str, ...] = ()

    @property
    def nearest(self) -> PairUnderWeights | None:
        """The best system and the one that catches up with it first; None if none can."""
        best = self.systems[0].system
        rivals = [pair for pair in self.pairs if pair.one == best and pair.flip is not None]
        return min(rivals, key=lambda pair: pair.flip.moved if pair.flip else 0.0, default=None)


def weight_sensitivity(
    result: ResultDocument, codebook: Codebook, seed: int = 0
) -> WeightSensitivity:
    """Rank the systems of a result of judgements under random weightings."""
    means: dict[str, list[float]] = {}
    undefined: list[str] = []
    for system in result.systems:
        whole = next(s for s in system.summaries if not s.group)
        scaled = [*_scaled(codebook, whole.scores)]
        if any(value is None for value in scaled):
            undefined.append(system.name)
        else:
            means[system.name] = [value for value in scaled if value is not None]
    if len(means) < 2:
        raise UsageError("it takes two systems to rank: give sheets with judgements of two or more")
    weights = [Fraction(criterion.weight) for criterion in codebook.criteria]
    shares = np.array([float(weight / sum(weights)) for weight in weights])
    return msgspec.structs.replace(
        sensitivity(means, shares, seed),
        codebook=codebook.name,
        score=codebook.score,
        criteria=tuple(criterion.name for criterion in codebook.criteria),
        notices=tuple(f"{name} has no score and no rank" for name in undefined),
    )


def _scaled(codebook: Codebook, scores: Mapping[str, float | None]) -> Iterator[float | None]:
    """The mean of each criterion on a scale from 0 to 1."""
    for criterion in codebook.criteria:
        low, high = criterion.allowed[0], criterion.allowed[-1]
        value = scores[criterion.name]
        yield None if value is None else (value - low) / (high - low)


def sensitivity(
    means: Mapping[str, Sequence[float]],
    weights: Array,
    seed: int = 0,
    weightings: int = WEIGHTINGS,
) -> WeightSensitivity:
    """Rank systems under weightings that are drawn uniformly from all there are.

    `means` are the criteria of each system from 0 to 1, `weights` shares of 1. Weightings are
    drawn from the flat Dirichlet distribution, in which no weighting is likelier than another.
    """
    table = np.array([*means.values()], dtype=np.float64)
    scores = table @ weights
    order = sorted(range(len(means)), key=lambda at: (-round(float(scores[at]), 12), [*means][at]))
    names, table, scores = [[*means][at] for at in order], table[order], scores[order]
    drawn = stream("weightings", seed).standard_exponential((weightings, len(weights)))
    all_scores = _scores(table, drawn)
    ranks = _ranks(all_scores)
    rankings = Counter(map(tuple, np.argsort(ranks, axis=1, kind="stable").tolist()))
    return WeightSensitivity(
        codebook="",
        score="",
        criteria=(),
        weights=tuple(weights.tolist()),
        weightings=weightings,
        seed=seed,
        systems=tuple(
            SystemUnderWeights(
                name,
                float(scores[at]),
                tuple(table[at].tolist()),
                float((ranks[:, at] == 1).mean()),
                (int(ranks[:, at].min()), int(ranks[:, at].max())),
            )
            for at, name in enumerate(names)
        ),
        holds=float(_holds(all_scores, scores).mean()),
        rankings=tuple(
            RankingShare(tuple(names[at] for at in ranking), count / weightings)
            for ranking, count in rankings.most_common(MOST_RANKINGS)
        ),
        pairs=tuple(_pairs(names, table, weights, all_scores)),
        near=tuple(_near(table, weights, scores, within, seed, weightings) for within in NEAR),
    )


def _scores(table: Array, drawn: Array) -> Array:
    """The score of each system (a column) under each weighting (a row)."""
    return np.asarray(drawn @ table.T / drawn.sum(axis=1, keepdims=True))


def _ranks(scores: Array) -> NDArray[np.int64]:
    """The rank of each system under each weighting: 1 and the number of those that are better."""
    columns = [(scores > scores[:, [at]] + _EQUAL).sum(axis=1) for at in range(scores.shape[1])]
    return 1 + np.stack(columns, axis=1)


def _holds(scores: Array, recommended: Array) -> NDArray[np.bool_]:
    """Whether no two systems change places; those that are equal in `recommended` may."""
    gaps = scores[:, :-1] - scores[:, 1:]
    apart = recommended[:-1] - recommended[1:] > _EQUAL
    if apart.all():  # then neighbours suffice
        return np.asarray((gaps > _EQUAL).all(axis=1))
    held = np.ones(len(scores), dtype=np.bool_)
    for at in range(scores.shape[1]):
        lower = recommended[at] - recommended > _EQUAL
        held &= (scores[:, [at]] - scores[:, lower] > _EQUAL).all(axis=1)
    return held


def _pairs(
    names: Sequence[str], table: Array, weights: Array, all_scores: Array
) -> Iterator[PairUnderWeights]:
    for one in range(len(names)):
        for two in range(one + 1, len(names)):
            gaps = all_scores[:, one] - all_scores[:, two]
            ahead, behind = int((gaps > _EQUAL).sum()), int((gaps < -_EQUAL).sum())
            by_criterion = table[one] - table[two]
            yield PairUnderWeights(
                names[one],
                names[two],
                float(by_criterion @ weights),
                ahead / len(gaps),
                behind / len(gaps),
                (len(gaps) - ahead - behind) / len(gaps),
                _flip(by_criterion, weights),
            )


def _near(
    table: Array, weights: Array, scores: Array, within: float, seed: int, weightings: int
) -> NearWeights:
    """Draw every weight uniformly between its bounds, apart from the others."""
    factors = stream(f"weightings within {within}", seed).uniform(
        1 - within, 1 + within, (weightings, len(weights))
    )
    all_scores = _scores(table, factors * weights)
    gaps = (table[:-1] - table[1:]) * weights
    # The least favourable of the weightings takes from what speaks for the first of two systems
    # and gives to what speaks against it.
    least = (gaps * np.where(gaps > 0, 1 - within, 1 + within)).sum(axis=1)
    apart = scores[:-1] - scores[1:] > _EQUAL
    best = (all_scores[:, [0]] >= all_scores - _EQUAL).all(axis=1)
    return NearWeights(
        within,
        float(_holds(all_scores, scores).mean()),
        float(best.mean()),
        bool(apart.all() and (least > _EQUAL).all()),
    )


def _flip(gaps: Array, weights: Array) -> Flip | None:
    """Find the nearest weighting under which two systems are equal, in total variation.

    All weight that is moved goes to the criterion that speaks most for the second system, and is
    taken first from the criterion that speaks most for the first: no other move gains as much.
    """
    target = int(np.argmin(gaps))
    lead = float(gaps @ weights)
    if gaps[target] >= -_EQUAL and gaps.max() > _EQUAL:
        return None
    moved = weights.copy()
    for source in np.argsort(-gaps, kind="stable").tolist():
        gain = float(gaps[source] - gaps[target])
        if lead <= _EQUAL or gain <= _EQUAL:
            break
        amount = min(float(weights[source]), lead / gain)
        moved[source] -= amount
        moved[target] += amount
        lead -= amount * gain
    change = np.abs(moved - weights)
    return Flip(tuple(moved.tolist()), float(change.sum() / 2), float(change.max()))
