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

    def of(self, case: Case[Any, Any], setting: Hashable) -> Any:
        """Compare gold and prediction of a case, unless that was done before."""
        key = (digest(case.gold), digest(case.predicted), setting)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        self.made += 1
        comparison = self._kept[key] = self.family.compare(case, setting)
        if len(self._kept) > self.keep:
            self._kept.popitem(last=False)
        return comparison
