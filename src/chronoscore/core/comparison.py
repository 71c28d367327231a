"""Comparisons are the expensive step: made once a case and setting, shared by all metrics."""

from collections import OrderedDict
from collections.abc import Hashable
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
        self._latest: Case[Any, Any] | None = None
        self._digests = ("", "")

    def digests(self, case: Case[Any, Any]) -> tuple[str, str]:
        """The digests of gold and prediction; all metrics ask for those of the same case."""
        if case is not self._latest:
            self._latest, self._digests = case, (digest(case.gold), digest(case.predicted))
        return self._digests

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
