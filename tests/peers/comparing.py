"""What a campaign compares: numbers of both sides, tolerances, and documented differences."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, isnan
from typing import Any

import numpy as np

from chronoscore.statistics.ratios import Array

Chance = np.random.Generator


@dataclass(frozen=True)
class Comparison:
    """One quantity of one input, as both sides compute it.

    A documented difference has a reason. It must be exactly the difference that the reason
    describes: `holds` says whether it is.
    """

    quantity: str
    ours: Any
    theirs: Any
    tolerance: float = 0.0
    reason: str = ""
    holds: bool = True

    @property
    def distance(self) -> float:
        """How far the two are apart: relative to the larger one if that is above 1."""
        if not isinstance(self.ours, int | float) or not isinstance(self.theirs, int | float):
            return 0.0 if self.ours == self.theirs else inf
        if self.ours == self.theirs or (isnan(self.ours) and isnan(self.theirs)):
            return 0.0
        apart = abs(self.ours - self.theirs) / max(1.0, abs(self.ours), abs(self.theirs))
        return inf if isnan(apart) else float(apart)

    @property
    def unexplained(self) -> bool:
        """Whether the two differ, and no reason that was checked says why."""
        return not self.holds if self.reason else not self.distance <= self.tolerance


@dataclass(frozen=True)
class Raised:
    """The error that a peer raised instead of an answer."""

    kind: str
    message: str

    def says(self, *texts: str) -> bool:
        """Whether the message contains one of the texts."""
        return any(text in f"{self.kind}: {self.message}" for text in texts)


def outcome(call: Callable[[], Any]) -> Any:
    """Return what a peer answers, or the error that it raises."""
    try:
        return call()
    except Exception as error:  # a peer may fail in any way; whether it should is decided later
        return Raised(type(error).__name__, str(error))


@dataclass(frozen=True)
class Check:
    """Random inputs of one kind, and the quantities that both sides compute from each."""

    name: str
    draw: Callable[[Chance], Any]
    compare: Callable[[Any], Iterable[Comparison]]
    inputs: int
    """How many inputs a campaign draws unless the caller gives a number."""

    def given(self, seed: int, number: int) -> Any:
        """Draw one input; it depends on nothing but the seed, the check and its number."""
        chance = np.random.default_rng([seed, zlib.crc32(self.name.encode()), number])
        return self.draw(chance)


@dataclass
class Outcome:
    """What was compared of one quantity."""

    tolerance: float = 0.0
    inputs: set[int] = field(default_factory=set)
    exact: int = 0
    within: int = 0
    largest: float = 0.0
    """The largest difference within the tolerance."""
    documented: dict[str, int] = field(default_factory=dict)
    unexplained: int = 0

    @property
    def numbers(self) -> int:
        """How many numbers were compared."""
        return self.exact + self.within + sum(self.documented.values()) + self.unexplained

    def add(self, number: int, one: Comparison) -> None:
        """Count a comparison of the input with this number."""
        self.inputs.add(number)
        self.tolerance = max(self.tolerance, one.tolerance)
        if one.unexplained:
            self.unexplained += 1
        elif one.reason:
            self.documented[one.reason] = self.documented.get(one.reason, 0) + 1
        elif one.distance:
            self.within += 1
            self.largest = max(self.largest, one.distance)
        else:
            self.exact += 1


def compared(
    quantities: Sequence[str], ours: Iterable[Any], theirs: Iterable[Any], tolerance: float
) -> list[Comparison]:
    """Compare several quantities under one tolerance."""
    return [
        Comparison(name, _plain(one), _plain(other), tolerance)
        for name, one, other in zip(quantities, ours, theirs, strict=True)
    ]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def ratings_matrix(chance: Chance) -> Array:
    """Draw ratings[raters, units], NaN where one is missing.

    Scales are of two to seven values, with gaps, negative or far from 0. Raters agree never, often
    or always; one value may be the only one or nearly so; whole units may be missing.
    """
    raters, units = int(chance.integers(2, 7)), int(chance.integers(1, 31))
    scales = [[0, 1], [1, 2, 3], [1, 2, 3, 4, 5], [0, 0.25, 1, 10], [-3, -1, 0, 2]]
    scales += [[1e6, 1e6 + 1, 1e6 + 2], list(range(7)), [4]]
    values = np.array(scales[chance.integers(len(scales))], np.float64)
    shares = chance.dirichlet(np.full(len(values), chance.choice([0.2, 1.0, 10.0])))
    truth = chance.choice(values, size=units, p=shares)
    noise = chance.choice(values, size=(raters, units), p=shares)
    wrong = chance.random((raters, units)) < chance.choice([0.0, 0.1, 0.5, 1.0])
    matrix: Array = np.where(wrong, noise, truth)
    matrix[chance.random((raters, units)) < chance.choice([0.0, 0.0, 0.1, 0.4, 0.8])] = np.nan
    return matrix


def ratings_rows(matrix: Array) -> list[tuple[str, str, float | None]]:
    """Return the long table of a matrix of ratings, with a row for missing ones."""
    return [
        (f"u{unit:03}", f"r{rater:03}", None if isnan(value) else value)
        for rater, row in enumerate(matrix.tolist())
        for unit, value in enumerate(row)
    ]
