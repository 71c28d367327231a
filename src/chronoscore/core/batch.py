"""Many cases at once, kept as the family's own columns; each is made when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from chronoscore.core.case import Case
from chronoscore.core.evidence import Steps
from chronoscore.core.labels import Labels


@dataclass(frozen=True, eq=False)
class Measured:
    """What a metric found in all cases of a batch: statistics[cases, k], and steps of a curve."""

    statistics: NDArray[np.float64]
    steps: Sequence[Steps] = ()


@dataclass(frozen=True, eq=False)
class Batch(Sequence[Case[Any, Any]]):
    """Cases as columns, for families that can measure many at once.

    To everyone else it is a sequence of cases like any other.
    """

    ids: Sequence[str]
    tags: Mapping[str, Labels]
    columns: Any
    """What the family measures from."""
    case: Callable[[int], Case[Any, Any]]
    """Makes the case in some place, for those who look at it."""
    digests: Callable[[], tuple[NDArray[np.bytes_], NDArray[np.bytes_]]]
    """Those of gold and prediction, as `digest` gives them for each case."""

    @overload
    def __getitem__(self, at: int) -> Case[Any, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> list[Case[Any, Any]]: ...
    def __getitem__(self, at: int | slice) -> Case[Any, Any] | list[Case[Any, Any]]:
        if isinstance(at, slice):
            return [self.case(place) for place in range(*at.indices(len(self)))]
        return self.case(range(len(self))[at])

    def __len__(self) -> int:
        return len(self.ids)
