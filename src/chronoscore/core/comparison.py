"""Comparisons are the expensive step: made once a case and setting, shared by all metrics."""

from collections import OrderedDict
from collections.abc import Collection, Hashable, Sequence
from typing import Any

from chronoscore.core.case import Case, digest
from chronoscore.core.family import Family


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
            made = self.family.compare_many(list(new.values()), setting)
            self.made += len(new)
            self._kept.update(zip(new, made, strict=True))
        while len(self._kept) > max(self.keep, len(cases) * len(settings)):
            self._kept.popitem(last=False)

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
        comparison = self._kept[key] = self.family.compare(case, setting)
        if len(self._kept) > self.keep:
            self._kept.popitem(last=False)
        return comparison
