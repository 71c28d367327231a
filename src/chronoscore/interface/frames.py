"""Rows of scores for other software: pandas, polars, Arrow, or plain Python."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from chronoscore.core.result import Interval
from chronoscore.errors import UsageError
from chronoscore.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


class Exportable:
    """What has rows, and can print them or export them to other software.

    Results, comparisons, evaluations and agreement are exportable.
    """

    def table(self) -> "ScoreTable":
        """Return the rows."""
        raise NotImplementedError

    def _tables(self) -> Sequence[Table]:
        raise NotImplementedError

    def __str__(self) -> str:
        from chronoscore.reports.rendering import render_tables  # noqa: PLC0415 - where shown

        return render_tables(self._tables(), "text")

    def _repr_html_(self) -> str:
        from chronoscore.reports.html.notebook import table_html  # noqa: PLC0415 - where shown

        return "\n".join(map(table_html, self._tables()))

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a frame of pandas, which `chronoscore[frames]` installs."""
        return self.table().to_pandas()

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a frame of polars, which `chronoscore[frames]` installs."""
        return self.table().to_polars()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return the rows as an Arrow stream, which many libraries read; needs pyarrow."""
        return self.table().__arrow_c_stream__(requested_schema)


class ScoreTable(Exportable):
    """Rows of scores, stored as columns; an undefined score is None.

    `columns` maps the name of each column to its cells. Iterating yields the rows as dicts.

    >>> table = ScoreTable({"system": ["ours", "theirs"], "score": [0.5, None]})
    >>> len(table), list(table)[0]
    (2, {'system': 'ours', 'score': 0.5})
    >>> table.to_dict()["score"]
    [0.5, None]
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = {name: list(cells) for name, cells in columns.items()}

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> "ScoreTable":
        """Make a table from dicts, one for each row; cells that a row lacks are None.

        >>> ScoreTable.of([{"system": "ours", "score": 0.5}, {"system": "theirs"}]).columns
        ('system', 'score')
        """
        names = dict.fromkeys(name for row in rows for name in row)
        return cls({name: [row.get(name) for row in rows] for name in names})

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows as dicts."""
        for cells in zip(*self._columns.values(), strict=True):
            yield dict(zip(self._columns, cells, strict=True))

    def table(self) -> "ScoreTable":
        """Return the table itself."""
        return self

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name."""
        return {name: [*cells] for name, cells in self._columns.items()}

    def to_pandas(self) -> "pd.DataFrame":
        """Return a frame of pandas."""
        frame: pd.DataFrame = _extra("pandas").DataFrame(self.to_dict())
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return a frame of polars."""
        frame: pl.DataFrame = _extra("polars").DataFrame(self.to_dict(), strict=False)
        return frame

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return an Arrow stream, which many libraries read."""
        table = _extra("pyarrow", "scale").table(self.to_dict())
        return table.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<ScoreTable: {len(self)} rows of {', '.join(self._columns)}>"

    def _tables(self) -> list[Table]:
        return [Table.of(f"{len(self)} rows", self.columns, [[*row.values()] for row in self])]


def ends_of(interval: Interval | None) -> dict[str, float | None]:
    """Return the cells of an interval's ends; they are empty if there is none."""
    return {name: getattr(interval, name, None) for name in ("low", "high")}


def _extra(package: str, extra: str = "frames") -> Any:
    """Import a package of an extra, or name the extra."""
    try:
        return import_module(package)
    except ImportError:
        raise UsageError(
            f"{package} is not installed: pip install 'chronoscore[{extra}]'"
        ) from None
