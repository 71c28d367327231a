"""The long table of ratings (unit, rater, value), checked and coded once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.statistics.labels import Labels
from chronoscore.statistics.ratios import Array, ratio

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Ratings:
    """A long table of ratings, one entry a rating, in the order of units and raters."""

    units: tuple[str, ...]
    rater_names: tuple[str, ...]
    values: Array
    """The categories, ascending: those declared, else those that occur."""
    unit_at: Places
    rater_at: Places
    value_at: Places
    """Of each rating, the places of its unit, rater and value."""

    @classmethod
    def of(
        cls,
        table: Iterable[tuple[str, str, float | None]],
        categories: Iterable[float] | None = None,
    ) -> "Ratings":
        """Read a long table of (unit, rater, value), where None and NaN are missing ratings.

        Where `categories` are declared, those that nobody used count too, and other values are
        errors. A rater has one value for a unit.
        """
        rows = list(table)
        return cls.columns(
            Labels.of(row[0] for row in rows),
            Labels.of(row[1] for row in rows),
            np.array([np.nan if row[2] is None else row[2] for row in rows], np.float64),
            categories,
        )

    @classmethod
    def columns(
        cls,
        units: Labels,
        raters: Labels,
        ratings: Array,
        categories: Iterable[float] | None = None,
    ) -> "Ratings":
        """Take the same table as three columns, where NaN is a missing rating."""
        units, raters = units.compact, raters.compact
        present = ~np.isnan(ratings)
        numbers = ratings[present]
        values = np.unique(numbers if categories is None else np.array([*categories], np.float64))
        value_at = np.minimum(np.searchsorted(values, numbers), max(len(values) - 1, 0))
        unit_at, rater_at = units.at[present].astype(np.int64), raters.at[present].astype(np.int64)
        wrong = values[value_at] != numbers if len(values) else np.ones(len(numbers), np.bool_)
        if wrong.any():
            raise DataError(
                Problem(
                    f"{units.names[unit_at[at]]}, {raters.names[rater_at[at]]}: {numbers[at]:g} "
                    f"is not one of {_listed(values.tolist())}"
                )
                for at in np.flatnonzero(wrong).tolist()
            )
        cell = unit_at * len(raters.names) + rater_at
        order = np.argsort(cell, kind="stable")
        doubled = np.unique(cell[order][1:][np.diff(cell[order]) == 0])
        if len(doubled):
            raise DataError(
                Problem(
                    f"{units.names[at // len(raters.names)]}: rated twice by "
                    f"{raters.names[at % len(raters.names)]}"
                )
                for at in doubled.tolist()
            )
        return cls(
            units.names, raters.names, values, unit_at[order], rater_at[order], value_at[order]
        )

    def among(self, raters: Sequence[str]) -> "Ratings":
        """Only the ratings of some raters; units and categories stay."""
        if unknown := sorted(set(raters) - set(self.rater_names)):
            raise UsageError(
                f"no rater {', '.join(unknown)}: there are {_listed(self.rater_names)}"
            )
        names = tuple(sorted(set(raters)))
        place = np.array([names.index(n) if n in names else -1 for n in self.rater_names], np.int64)
        return self._subset(self.units, names, self.unit_at, place[self.rater_at])

    def within(self, places: Places) -> "Ratings":
        """Only the ratings of the units in some places; raters and categories stay."""
        ascending = np.sort(places)
        place = np.full(len(self.units), -1)
        place[ascending] = np.arange(len(ascending))
        units = tuple(self.units[at] for at in ascending.tolist())
        return self._subset(units, self.rater_names, place[self.unit_at], self.rater_at)

    def _subset(
        self, units: tuple[str, ...], names: tuple[str, ...], unit_at: Places, rater_at: Places
    ) -> "Ratings":
        """Only the ratings whose unit and rater have a new place, which is not -1."""
        chosen = (unit_at >= 0) & (rater_at >= 0)
        at = unit_at[chosen], rater_at[chosen], self.value_at[chosen]
        return Ratings(units, names, self.values, *at)

    @property
    def width(self) -> float:
        """How far apart two ratings can be: from the lowest category to the highest."""
        return float(np.ptp(self.values)) if len(self.values) else 0.0

    @property
    def raters(self) -> int:
        """How many raters there are."""
        return len(self.rater_names)

    @cached_property
    def sizes(self) -> Array:
        """How many ratings each unit has."""
        return np.bincount(self.unit_at, minlength=len(self.units)).astype(np.float64)

    @cached_property
    def paired(self) -> Flags:
        """Which units have two ratings or more."""
        return np.asarray(self.sizes >= 2)

    @cached_property
    def complete(self) -> Flags:
        """Which units were rated by every rater."""
        return np.asarray(self.sizes == self.raters)

    @cached_property
    def counts(self) -> Array:
        """How often each unit got each value: counts[u, k]."""
        width = len(self.values)
        cells = np.bincount(self.unit_at * width + self.value_at, minlength=len(self.units) * width)
        return cells.reshape(len(self.units), width).astype(np.float64)

    @cached_property
    def centred(self) -> Array:
        """The value of each rating, less the mean of all, which keeps sums of squares exact."""
        numbers = self.values[self.value_at]
        return numbers - numbers.mean() if len(numbers) else numbers

    def sums(self, of_rating: Array) -> Array:
        """Add up a number of each rating, by unit."""
        return np.bincount(self.unit_at, of_rating, len(self.units)).astype(np.float64)

    @cached_property
    def deviations(self) -> Array:
        """How far each rating is above the mean of its unit; exactly 0 where all agree."""
        numbers = self.values[self.value_at]
        starts = np.flatnonzero(np.diff(self.unit_at, prepend=-1))
        if len(starts):
            lowest = np.minimum.reduceat(numbers, starts)
            numbers = numbers - np.repeat(lowest, np.diff(starts, append=len(numbers)))
        means = self.sums(numbers) / np.maximum(self.sizes, 1)
        return numbers - means[self.unit_at]

    def why_undefined(self) -> str:
        """Say why agreement can't be corrected for chance, or nothing if it can."""
        comparable = self.value_at[self.paired[self.unit_at]]
        if not len(comparable):
            return "no unit has two ratings"
        if (comparable == comparable[0]).all():
            return "no variation: all ratings that can be compared are the same"
        return ""


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f"{name:g}" if isinstance(name, float) else str(name) for name in names)


# The statistics of each unit, and how a coefficient is computed from their sums.


Weighting: TypeAlias = Literal["identity", "linear", "quadratic", "ordinal"] | Array
"""How near two categories are, 1 if the same: a name, or a symmetric matrix."""


@dataclass(frozen=True, eq=False)
class Tally:
    """One number of a table of ratings, ready for any number of weightings of its units."""

    ratings: Ratings
    statistics: Array
    """Numbers that can be added up: statistics[u, q]."""
    link: Callable[[Array], Array]
    """From sums[..., q] to the number; NaN where undefined."""
    used: Flags
    """Which units have ratings that can be compared."""
    range: tuple[float, float] = (-1.0, 1.0)
    """The lowest and the highest possible value."""

    @classmethod
    def mean(
        cls, ratings: Ratings, values: Array, used: Flags, ends: tuple[float, float]
    ) -> "Tally":
        """The mean of a number over the units that are used; it must be 0 in all others."""
        return cls(ratings, stacked([values, used]), mean_of_sums, used, ends)

    @classmethod
    def undefined(cls, ratings: Ratings) -> "Tally":
        """Make a number that is undefined for these ratings, under any weights."""
        nothing = np.zeros((len(ratings.units), 1))
        return cls(ratings, nothing, lambda sums: np.full(sums.shape[:-1], nan), ratings.paired)

    def __call__(self, weights: Array | None = None) -> Array:
        """Compute under `weights[..., u]`, by default all 1."""
        if weights is None:
            return self.link(self.statistics.sum(axis=0))
        return self.link(np.asarray(weights, dtype=np.float64) @ self.statistics)


def mean_of_sums(sums: Array) -> Array:
    """Divide the first sum by the second."""
    return ratio(sums[..., 0], sums[..., 1])


def stacked(columns: Sequence[Array | Flags]) -> Array:
    """Stack statistics as columns, of one number or several each; flags count as 1."""
    wide = [column[:, np.newaxis] if column.ndim == 1 else column for column in columns]
    return np.concatenate(wide, axis=1, dtype=np.float64)


def nearness(weighting: Weighting, values: Array) -> Array:
    """The matrix of a weighting over categories.

    linear 1 - |a - b| / range, quadratic 1 - (a - b)² / range², of the categories' values; ordinal
    1 - C(|i - j| + 1, 2) / C(K, 2), of their ranks (*Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th edition, section 3.5*).

    >>> nearness("ordinal", np.array([1.0, 2.0, 3.0]))[0].round(3).tolist()
    [1.0, 0.667, 0.0]
    """
    number = len(values)
    if not isinstance(weighting, str):
        return _checked(np.asarray(weighting, dtype=np.float64), number)
    if weighting == "identity":
        return np.eye(number)
    if weighting not in ("linear", "quadratic", "ordinal"):
        raise UsageError(f"no weighting {weighting}: identity, linear, quadratic, ordinal")
    if number < 2:
        return np.ones((number, number))
    if weighting == "ordinal":
        ranks = np.arange(number)
        distance = np.abs(np.subtract.outer(ranks, ranks)).astype(np.float64)
        return np.asarray(1 - distance * (distance + 1) / (number * (number - 1)))
    distances = np.abs(np.subtract.outer(values, values)) / (values[-1] - values[0])
    return np.asarray(1 - (distances if weighting == "linear" else distances**2))


def _checked(matrix: Array, number: int) -> Array:
    if matrix.shape != (number, number):
        raise UsageError(
            f"the weighting is {' x '.join(map(str, matrix.shape))}, but there are {number}"
            " categories: declare those that it speaks of"
        )
    if not (np.array_equal(matrix, matrix.T) and (np.diag(matrix) == 1).all()):
        raise UsageError("a weighting is symmetric with 1 on its diagonal (1 - cost / most cost)")
    return matrix
