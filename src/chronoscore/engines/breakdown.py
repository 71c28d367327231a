"""Rows by the values that the items of cases have, such as the types of annotations.

A case has one row of statistics for each value that occurs in it. The rows of one value are then
summarised as the rows of cases are, and the mean over values (macro) is one more step of the path.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import json

from chronoscore.core.evidence import NO_VALUE
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.metric import Metric
from chronoscore.errors import UsageError
from chronoscore.statistics.averaging import Path, Step
from chronoscore.statistics.labels import Labels

MEAN = "mean (macro)"
_LEVEL = "\0value"


@dataclass(frozen=True, eq=False)
class ItemValues:
    """A row for each case and value, and what the values are, those without a value last."""

    rows: EvidenceTable
    groups: dict[str, dict[str, str]]

    def each(self) -> Iterator[tuple[dict[str, str], EvidenceTable]]:
        """Yield each value, and the rows of the cases that have it."""
        column = self.rows.tags[_LEVEL]
        for name, group in self.groups.items():
            place = column.names.index(name)
            yield group, self.rows.take(np.flatnonzero(column.at == place))

    def lines(self, name: str) -> dict[str, list[float]]:
        """Return the statistics of a value in each case that has it."""
        column, (statistics,) = self.rows.tags[_LEVEL], self.rows.statistics.values()
        if name not in column.names:
            return {}
        places = np.flatnonzero(column.at == column.names.index(name)).tolist()
        return {self.rows.cases[at]: statistics[at].tolist() for at in places}

    def names(self) -> set[str]:
        """Return the values of the mean: all but that of items without a value."""
        return {name for name, group in self.groups.items() if {*group.values()} != {NO_VALUE}}

    def named(self) -> EvidenceTable:
        """Return the rows of the values of the mean."""
        column = self.rows.tags[_LEVEL]
        chosen = [column.names.index(name) for name in self.names()]
        return self.rows.take(np.flatnonzero(np.isin(column.at, chosen)))

    def mean_path(self, path: Path) -> Path:
        """Return the path over cases, extended by the mean over values."""
        return Path((*path.steps, Step((_LEVEL,), "mean-f")))


def of_values(rows: EvidenceTable, metric: str, by: Sequence[str]) -> ItemValues:
    """Split the rows of a metric by value; they must have been scored with these names."""
    parts_by_case = [
        (at, name, line) for at, parts in enumerate(rows.parts[metric]) for name, line in parts
    ]
    case_rows = rows.take(np.array([at for at, _, _ in parts_by_case], np.int64))
    width = rows.statistics[metric].shape[1]
    lines = np.array([line for _, _, line in parts_by_case], np.float64).reshape(-1, width)
    column = Labels.of(name for _, name, _ in parts_by_case)
    groups = {name: json.decode(name, type=dict[str, str]) for name in column.names}
    if groups and (names := [*groups[column.names[0]]]) != [*by]:
        raise UsageError(
            f"the rows of {metric} are kept by {', '.join(names)}, not by {', '.join(by)}: "
            f"leave out --by, or score with {' '.join(f'--by {name}' for name in by)}"
        )
    order = sorted(groups, key=lambda name: [(v == NO_VALUE, v) for v in groups[name].values()])
    value_rows = replace(
        case_rows,
        tags={**case_rows.tags, _LEVEL: column},
        statistics={metric: lines},
        steps={},
        parts={},
    )
    return ItemValues(value_rows, {name: groups[name] for name in order})


def divisible(metrics: Sequence[Metric], by: Sequence[str], *tables: EvidenceTable) -> list[Metric]:
    """Return the metrics whose rows have values; refuse if there is none."""
    chosen = [metric for metric in metrics if all(str(metric) in rows.parts for rows in tables)]
    if not chosen:
        raise UsageError(
            f"the rows of {', '.join(map(str, metrics))} are not kept by {', '.join(by)}: score "
            f"spans with {' '.join(f'--by {name}' for name in by)}"
        )
    return chosen
