"""A table: what every textual rendering shows, whatever the family."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Several:
    """Several numbers in one cell: a text to people, a column each to programs."""

    text: str
    parts: tuple[tuple[str, float | None], ...]
    """The numbers, each with what its column is called beside the cell's own."""


Cell = str | int | float | None | Several


@dataclass(frozen=True)
class Column:
    """A column; columns of one group stand under a common heading."""

    name: str
    group: str = ""

    @property
    def full(self) -> str:
        """The heading where there is only one line for it."""
        return f"{self.group} {self.name}".strip()


@dataclass(frozen=True)
class Table:
    """A caption, columns, rows, and remarks below."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remarks: tuple[str, ...] = ()


def shown(cell: Cell, *, undefined: str = "undef.") -> str:
    """Write a cell for people: reals to three places, undefined in words, never as 0."""
    if cell is None:
        return undefined
    if isinstance(cell, Several):
        return cell.text
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def spread(table: Table) -> Table:
    """The table for programs: cells of several numbers are columns of numbers.

    >>> cell = Several("0.100 to 0.200", (("low", 0.1), ("high", 0.2)))
    >>> made = spread(Table("t", (Column("F1"), Column("interval")), ((0.15, cell),)))
    >>> [column.name for column in made.columns], made.rows
    (['F1', 'interval low', 'interval high'], ((0.15, 0.1, 0.2),))
    """
    inside = [_parts(table, place) for place in range(len(table.columns))]
    columns = [
        Column(f"{column.name} {part}".strip(), column.group) if parts else column
        for column, parts in zip(table.columns, inside, strict=True)
        for part in parts or [""]
    ]
    rows = [
        tuple(
            value for cell, parts in zip(row, inside, strict=True) for value in _spread(cell, parts)
        )
        for row in table.rows
    ]
    return Table(table.caption, tuple(columns), tuple(rows), table.remarks)


def _parts(table: Table, place: int) -> list[str]:
    """The names of the numbers in the cells of a column, none if they are single."""
    cells = [cell for row in table.rows if isinstance(cell := row[place], Several)]
    return list(dict.fromkeys(name for cell in cells for name, _ in cell.parts))


def _spread(cell: Cell, parts: list[str]) -> Iterator[Cell]:
    if not parts:
        yield cell
        return
    numbers = dict(cell.parts) if isinstance(cell, Several) else {}
    yield from (numbers.get(part) for part in parts)
