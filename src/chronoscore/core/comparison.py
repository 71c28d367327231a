"""Comparisons are the expensive step: made once a case and setting, shared by all metrics."""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from chronoscore.core import budget
from chronoscore.core.case import Case, digest
from chronoscore.core.family import Family

BYTES_A_CELL = 80
"""About what a cell takes in all the tables that the metrics of a run make of a case."""


class Comparisons:
    """A cache of a family's comparisons by content, so that trying other metrics costs little.

    It keeps the `keep` latest: enough for all metrics of a case, and for a small collection that
    is scored again and again.
    """

    def __init__(self, family: Family, keep: int = 256) -> None:
        self.family = family
        self.keep = keep
        self.made = 0
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._cells: dict[Hashable, int] = {}
        self._latest: Sequence[Case[Any, Any]] = ()
        self._digests: dict[int, tuple[str, str]] = {}

    def prepare(self, cases: Sequence[Case[Any, Any]], settings: Collection[Hashable]) -> None:
        """Compare these cases, which are asked for next: together, where the family can."""
        # Known by their identity, which holds as long as they are held.
        self._latest = cases
        self._digests = {id(c): (digest(c.gold), digest(c.predicted)) for c in cases}
        if self.family.compare_many is None:
            return
        for setting in settings:
            new = {
                key: case
                for case in cases
                if (key := (*self._digests[id(case)], setting)) not in self._kept
            }
            self._make_room(new)
            made = self.family.compare_many(list(new.values()), setting)
            self.made += len(new)
            self._kept.update(zip(new, made, strict=True))
        while len(self._kept) > max(self.keep, len(cases) * len(settings)):
            self._forget()

    def _make_room(self, new: Mapping[Any, Case[Any, Any]]) -> None:
        """Forget comparisons until the tables of all that are kept fit into the budget."""
        if self.family.cells is None:
            return
        self._cells |= {key: self.family.cells(case) for key, case in new.items()}
        most = budget.limit() // BYTES_A_CELL
        while self._kept and sum(self._cells.values()) > most:
            self._forget()

    def _forget(self) -> None:
        key, _ = self._kept.popitem(last=False)
        self._cells.pop(key, None)

    def digests(self, case: Case[Any, Any]) -> tuple[str, str]:
        """The digests of gold and prediction; all metrics ask for those of the same case."""
        if id(case) not in self._digests:
            self.prepare((case,), ())
        return self._digests[id(case)]

    def of(self, case: Case[Any, Any], setting: Hashable) -> Any:
        """Compare gold and prediction of a case, unless that was done before."""
        key = (*self.digests(case), setting)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        self.made += 1
        self._make_room({key: case})
        comparison = self._kept[key] = self.family.compare(case, setting)
        if len(self._kept) > self.keep:
            self._forget()
        return comparison
