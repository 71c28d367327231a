"""Who gave which value to what: the long table of ratings, checked and coded once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.labels import Labels
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
        units, raters = _compact(units), _compact(raters)
        given = ~np.isnan(ratings)
        numbers = ratings[given]
        values = np.unique(numbers if categories is None else np.array([*categories], np.float64))
        value_at = np.minimum(np.searchsorted(values, numbers), max(len(values) - 1, 0))
        unit_at, rater_at = units.at[given].astype(np.int64), raters.at[given].astype(np.int64)
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


def _compact(column: Labels) -> Labels:
    """The same column with only the words that occur."""
    if len(used := column.used()) == len(column.names):
        return column
    return Labels(tuple(used), np.unique(column.at, return_inverse=True)[1].astype(np.int32))


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f"{name:g}" if isinstance(name, float) else str(name) for name in names)
