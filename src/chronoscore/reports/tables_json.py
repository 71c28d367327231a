"""Tables as JSON: full numbers, each by itself, null for what is undefined."""

import json
from collections.abc import Sequence

from chronoscore.reports.table import Table, spread


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
            "rows": one.rows,
            "remarks": one.remarks,
        }
        for one in map(spread, tables)
    ]
    return json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
