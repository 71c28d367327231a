"""Who gave which value to what: the long table of ratings, checked and coded once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.elements.ratios import Array

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
        given = [row for row in rows if row[2] is not None and not isnan(row[2])]
        units = tuple(sorted({row[0] for row in rows}))
        raters = tuple(sorted({row[1] for row in rows}))
        used = {row[2] for row in given if row[2] is not None}
        known = used if categories is None else set(categories)
        values = sorted(known)
        unit_place = {name: place for place, name in enumerate(units)}
        rater_place = {name: place for place, name in enumerate(raters)}
        value_place = {value: place for place, value in enumerate(values)}
        if used - known:
            raise DataError(
                Problem(f"{unit}, {rater}: {value:g} is not one of {_listed(values)}")
                for unit, rater, value in given
                if value is not None and value not in known
            )
        count = len(given)
        unit_at = np.fromiter((unit_place[row[0]] for row in given), np.int64, count)
        rater_at = np.fromiter((rater_place[row[1]] for row in given), np.int64, count)
        value_at = np.fromiter((value_place[row[2] or 0.0] for row in given), np.int64, count)
        cell = unit_at * len(raters) + rater_at
        order = np.argsort(cell, kind="stable")
        doubled = np.unique(cell[order][1:][np.diff(cell[order]) == 0])
        if len(doubled):
            raise DataError(
                Problem(f"{units[at // len(raters)]}: rated twice by {raters[at % len(raters)]}")
                for at in doubled.tolist()
            )
        numbers = np.array(values, dtype=np.float64)
        return cls(units, raters, numbers, unit_at[order], rater_at[order], value_at[order])

    def among(self, raters: Sequence[str]) -> "Ratings":
        """Only what some raters said; units and categories stay."""
        if unknown := sorted(set(raters) - set(self.rater_names)):
            raise UsageError(
                f"no rater {', '.join(unknown)}: there are {_listed(self.rater_names)}"
            )
        names = tuple(sorted(set(raters)))
        place = np.array([names.index(n) if n in names else -1 for n in self.rater_names], np.int64)
        kept = place[self.rater_at] >= 0
        return Ratings(
            self.units,
            names,
            self.values,
            self.unit_at[kept],
            place[self.rater_at[kept]],
            self.value_at[kept],
        )

    def within(self, places: Places) -> "Ratings":
        """Only what was said of the units in some places; raters and categories stay."""
        place = np.full(len(self.units), -1)
        chosen = np.sort(places)
        place[chosen] = np.arange(len(chosen))
        kept = place[self.unit_at] >= 0
        return Ratings(
            tuple(self.units[at] for at in chosen.tolist()),
            self.rater_names,
            self.values,
            place[self.unit_at[kept]],
            self.rater_at[kept],
            self.value_at[kept],
        )

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
    def matrix(self) -> Array:
        """Units x raters, NaN where a rating is missing."""
        matrix = np.full((len(self.units), self.raters), np.nan)
        matrix[self.unit_at, self.rater_at] = self.values[self.value_at]
        return matrix

    @cached_property
    def centred(self) -> Array:
        """The value of each rating, less the mean of all, which keeps sums of squares exact."""
        numbers = self.values[self.value_at]
        return numbers - numbers.mean() if len(numbers) else numbers

    def sums(self, of_rating: Array) -> Array:
        """Add up what each rating has, by unit."""
        return np.bincount(self.unit_at, of_rating, len(self.units)).astype(np.float64)

    @cached_property
    def deviations(self) -> Array:
        """Of each rating, how far it is above the mean of its unit; exactly 0 where all agree."""
        numbers = self.values[self.value_at]
        starts = np.flatnonzero(np.diff(self.unit_at, prepend=-1))
        if len(starts):
            lowest = np.minimum.reduceat(numbers, starts)
            numbers = numbers - np.repeat(lowest, np.diff(starts, append=len(numbers)))
        means = self.sums(numbers) / np.maximum(self.sizes, 1)
        return numbers - means[self.unit_at]

    def why_undefined(self) -> str:
        """Say why nothing can be corrected for chance within units, or nothing if it can."""
        comparable = self.value_at[self.paired[self.unit_at]]
        if not len(comparable):
            return "no unit has two ratings"
        if (comparable == comparable[0]).all():
            return "no variation: all ratings that can be compared are the same"
        return ""


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f"{name:g}" if isinstance(name, float) else str(name) for name in names)
