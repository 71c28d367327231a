"""Tables as JSON: full numbers, each by itself, null for what is undefined or not there."""

import json
from collections.abc import Sequence

from chronoscore.reports.table import Cell, Table, spread


def tables_json(tables: Sequence[Table]) -> str:
    """A list of tables, each with its caption, columns, rows and remarks.

    >>> from chronoscore.reports.table import Column
    >>> tables_json([Table("t", (Column("P", "strict"),), ((None,),))]).replace("\\n", "")
    '[ {  "caption": "t",  "columns": [   "strict P"  ],  "rows": [   [    null   ]  ],\
  "remarks": [] }]'
    """
    plain = [
        {
            "caption": one.caption,
            "columns": [column.full for column in one.columns],
            "rows": _without_dashes(one),
            "remarks": one.remarks,
        }
        for one in map(spread, tables)
    ]
    return json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _without_dashes(table: Table) -> list[list[Cell]]:
    """The rows, with null for the dashes that people see among numbers."""
    columns = list(zip(*table.rows, strict=True))
    numeric = [any(isinstance(cell, int | float) for cell in column) for column in columns]
    return [
        [
            None if number and cell == "-" else cell
            for cell, number in zip(row, numeric, strict=True)
        ]
        for row in table.rows
    ]
