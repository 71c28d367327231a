"""The codebook as data: what is judged, on which scale, with which weight."""

from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import lcm
from typing import Literal

import msgspec


class Level(msgspec.Struct, frozen=True):
    """A value that a criterion may have."""

    value: int
    label: str


class Criterion(msgspec.Struct, frozen=True):
    """One thing that is judged."""

    field: str
    name: str
    weight: str
    """A decimal number, kept as text so that it stays exact."""
    scale: Literal["nominal", "ordinal"]
    question: str
    values: tuple[Level, ...]

    @property
    def allowed(self) -> tuple[int, ...]:
        """The values, ascending."""
        return tuple(sorted(level.value for level in self.values))

    def credit(self, value: int) -> Fraction:
        """The criterion's share of its weight: its value on a scale from 0 to 1."""
        low, high = self.allowed[0], self.allowed[-1]
        return Fraction(self.weight) * Fraction(value - low, high - low)


class Codebook(msgspec.Struct, frozen=True):
    """Criteria whose weighted mean is one score from 0 to 1."""

    name: str
    version: str
    title: str
    source: str
    score: str
    comment: str
    criteria: tuple[Criterion, ...]

    def quality(self, values: tuple[int, ...]) -> Fraction:
        """The score of one judgement, exact.

        >>> event_quality().quality((1, 0, 1, 2, 3))
        Fraction(11, 16)
        """
        credits = (c.credit(value) for c, value in zip(self.criteria, values, strict=True))
        return sum(credits, Fraction(0)) / sum(Fraction(c.weight) for c in self.criteria)

    @property
    def denominator(self) -> int:
        """The number of equal parts in which every score can be counted.

        >>> event_quality().denominator
        48
        """
        total = sum(Fraction(criterion.weight) for criterion in self.criteria)
        steps = (
            criterion.credit(value) / total
            for criterion in self.criteria
            for value in criterion.allowed
        )
        return lcm(*(step.denominator for step in steps))


@cache
def event_quality() -> Codebook:
    """Give the built-in codebook for events extracted from news."""
    text = files("chronoscore.rubric").joinpath("codebooks", "event-quality.json").read_bytes()
    return msgspec.json.decode(text, type=Codebook)
