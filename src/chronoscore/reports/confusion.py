"""Which kind of annotation was taken for which: a table, also from the matches of a report."""

from collections import Counter
from collections.abc import Mapping, Sequence

from chronoscore.annotations.breakdown import MISSING, SPURIOUS, TYPE, Confusion
from chronoscore.annotations.explaining import type_shown
from chronoscore.core.evidence import Match
from chronoscore.reports.table import Cell, Column, Table


def confusion_table(system: str, found: Confusion) -> Table:
    """Gold in rows, prediction in columns; what is missing or spurious is the last of each."""
    what = ", ".join("type" if name == TYPE else name for name in found.features)
    names = ["/".join(part) for part in found.names]
    return _table(f"{system}: {what} of targets and their responses", names, found.matrix.tolist())


def confusion_of_types(matches: Mapping[tuple[str, str, str], Sequence[Match]]) -> list[Table]:
    """The confusion of types of each system, from its matches by (system, case, metric).

    There is one table a system: that of its first metric of spans.
    """
    cells: dict[str, Counter[tuple[str, str]]] = {}
    first: dict[str, str] = {}
    for (system, _, metric), found in matches.items():
        if metric.partition("(")[0] != "spans" or first.setdefault(system, metric) != metric:
            continue
        cells.setdefault(system, Counter()).update(
            (
                type_shown(match.gold) if match.gold else SPURIOUS,
                type_shown(match.predicted) if match.predicted else MISSING,
            )
            for match in found
        )
    tables = []
    for system, counted in cells.items():
        met = {name for cell in counted for name in cell} - {MISSING, SPURIOUS}
        names = sorted(met)
        matrix = [
            [counted[row, column] for column in [*names, MISSING]] for row in [*names, SPURIOUS]
        ]
        tables.append(_table(f"{system}: types of targets and their responses", names, matrix))
    return tables


def _table(caption: str, names: Sequence[str], matrix: Sequence[Sequence[int]]) -> Table:
    columns = (Column("gold"), *(Column(name, "predicted") for name in [*names, MISSING]))
    rows: list[tuple[Cell, ...]] = [
        (name, *cells) for name, cells in zip([*names, SPURIOUS], matrix, strict=True)
    ]
    rows[-1] = (*rows[-1][:-1], "-")  # nothing is both
    return Table(caption, columns, tuple(rows))
