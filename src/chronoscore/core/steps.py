"""The steps of many curves kept as columns: each case's are made when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.evidence import Steps


@dataclass(frozen=True, eq=False)
class StepColumns(Sequence[Steps]):
    """Steps in the order of their cases, in each the highest threshold first."""

    case: NDArray[np.int64]
    threshold: NDArray[np.float64]
    change: NDArray[np.int64]
    cases: int

    @overload
    def __getitem__(self, at: int) -> Steps: ...
    @overload
    def __getitem__(self, at: slice) -> list[Steps]: ...
    def __getitem__(self, at: int | slice) -> Steps | list[Steps]:
        if isinstance(at, slice):
            places = np.arange(*at.indices(self.cases))
            firsts = np.searchsorted(self.case, places).tolist()
            lasts = np.searchsorted(self.case, places + 1).tolist()
            return [self._between(*ends) for ends in zip(firsts, lasts, strict=True)]
        place = range(self.cases)[at]
        first, last = np.searchsorted(self.case, [place, place + 1]).tolist()
        return self._between(first, last)

    def _between(self, first: int, last: int) -> Steps:
        thresholds, changes = self.threshold[first:last], self.change[first:last]
        return tuple(zip(thresholds.tolist(), map(tuple, changes.tolist()), strict=True))

    def __len__(self) -> int:
        return self.cases


def flat(steps: Sequence[Steps], width: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """All steps one after the other: their thresholds, and their changes[n, width]."""
    if isinstance(steps, StepColumns):
        return steps.threshold, steps.change.astype(np.float64)
    every = [step for own in steps for step in own]
    changes = np.array([step[1] for step in every], np.float64).reshape(len(every), width)
    return np.array([step[0] for step in every], np.float64), changes
