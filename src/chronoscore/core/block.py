"""A block: cases that are compared in one pass, of which each can be looked at alone."""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, overload

from chronoscore.core.evidence import Evidence
from chronoscore.core.metric import Metric

Comparison = TypeVar("Comparison")
Item = TypeVar("Item")


class Block(Sequence[Comparison]):
    """The comparisons of some cases; what is computed for all of them is kept here."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}

    @abstractmethod
    def comparison(self, place: int) -> Comparison:
        """Return the comparison of one case."""

    @overload
    def __getitem__(self, at: int) -> Comparison: ...
    @overload
    def __getitem__(self, at: slice) -> list[Comparison]: ...
    def __getitem__(self, at: int | slice) -> Comparison | list[Comparison]:
        found = range(len(self))[at]
        if isinstance(found, int):
            return self.comparison(found)
        return [self.comparison(place) for place in found]

    def keep(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """Return the value of a key, which `make` computes at the first call."""
        if key not in self._values:
            self._values[key] = make()
        item: Item = self._values[key]
        return item

    def evidence(self, metric: Metric, place: int) -> Evidence:
        """Return what a metric counts in one case."""
        measured = self.keep(metric, lambda: metric.measure_block(self))
        numbers = measured.statistics[place].tolist()
        kinds = [statistic.kind for statistic in metric.definition.statistics]
        pairs = zip(kinds, numbers, strict=True)
        statistics = tuple(int(value) if kind == "integer" else value for kind, value in pairs)
        return Evidence(statistics, measured.steps[place] if len(measured.steps) else ())
