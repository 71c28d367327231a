"""A table, which every rendering shows, and the forms in which numbers are written."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace


class Several(msgspec.Struct, frozen=True):
    """Several numbers in one cell: text for people, a column for each number for programs."""

    text: str
    parts: tuple[tuple[str, float | None], ...]
    """The numbers, each with the name that its column adds to the cell's own column."""
    strong: bool = False
    """Whether it stands out, as the best of its column does."""


Cell = str | int | float | None | Several


class Column(msgspec.Struct, frozen=True):
    """A column; adjacent columns of one group stand under a common heading."""

    name: str
    group: str = ""
    optional: int = 0
    """Left out where there is no room: the greatest number first, and never if it is 0."""

    @property
    def full(self) -> str:
        """The heading in one line."""
        return f"{self.group} {self.name}".strip()


class Table(msgspec.Struct, frozen=True):
    """A caption, columns, rows, and remarks below."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        caption: str,
        columns: Iterable[Column | Sequence[str] | None],
        rows: Iterable[Sequence[Any]],
        remarks: Iterable[str] = (),
    ) -> "Table":
        """Make a table; a column may be given as its name, or as its name and its group.

        A column that is None is left out, with its cells.

        >>> Table.of("t", ("a", None, ("b", "group")), [(1, 2, 3)]).rows
        ((1, 3),)
        """
        heads = [Column(one) if isinstance(one, str) else one for one in columns]
        places = [at for at, one in enumerate(heads) if one is not None]
        return cls(
            caption,
            tuple(
                one if isinstance(one, Column) else Column(one[0], one[1]) for one in heads if one
            ),
            tuple(tuple(row[at] for at in places) for row in rows),
            tuple(remarks),
        )

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds a number in some row."""
        return [
            any(isinstance(row[place], int | float) for row in self.rows)
            for place in range(len(self.columns))
        ]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above the columns, each with the number of columns that it spans."""
        groups: list[tuple[str, int]] = []
        for column in self.columns:
            if groups and column.group and groups[-1][0] == column.group:
                groups[-1] = (column.group, groups[-1][1] + 1)
            else:
                groups.append((column.group, 1))
        return groups


def shown(cell: Cell, *, undefined: str = "undef.") -> str:
    """Write a cell for people: reals to three places, undefined in words, never as 0."""
    if cell is None:
        return undefined
    if isinstance(cell, Several):
        return cell.text
    if isinstance(cell, str):
        return cell
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def trimmed(value: float) -> str:
    """Write a number to three places, without zeros at its end.

    >>> trimmed(3.5), trimmed(14.0), trimmed(1 / 3), trimmed(120.0)
    ('3.5', '14', '0.333', '120')
    """
    return f"{value:.3f}".rstrip("0").rstrip(".")


def signed(value: float | None) -> str:
    """Write a difference with its sign."""
    return "undef." if value is None else f"{value:+.3f}"


def p_value(value: float | None) -> str:
    """Write a probability; a small one is never 0."""
    if value is None:
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def plural(count: int, noun: str) -> str:
    """Write a number and its noun.

    >>> plural(1, "topic"), plural(7, "topic")
    ('1 topic', '7 topics')
    """
    return f"{count} {noun}" + "s" * (count != 1)


def joined_by_and(words: Sequence[str]) -> str:
    """Write an enumeration.

    >>> joined_by_and(["a"]), joined_by_and(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def spaced(name: str) -> str:
    """Write the name of a statistic or a score as words."""
    return name.replace("_", " ")


def spread(table: Table) -> Table:
    """The table for programs: cells of several numbers become columns of numbers.

    >>> cell = Several("0.100 to 0.200", (("low", 0.1), ("high", 0.2)))
    >>> wide = spread(Table.of("t", ("F1", "interval"), [(0.15, cell)]))
    >>> [column.name for column in wide.columns], wide.rows
    (['F1', 'interval low', 'interval high'], ((0.15, 0.1, 0.2),))
    """
    inside = [_parts(table, place) for place in range(len(table.columns))]
    columns = [
        replace(column, name=f"{column.name} {part}".strip()) if parts else column
        for column, parts in zip(table.columns, inside, strict=True)
        for part in parts or [""]
    ]
    rows = [
        [value for cell, parts in zip(row, inside, strict=True) for value in _numbers(cell, parts)]
        for row in table.rows
    ]
    return Table.of(table.caption, columns, rows, table.remarks)


def _parts(table: Table, place: int) -> list[str]:
    """The names of the numbers in the cells of a column; none if its cells are single."""
    cells = [cell for row in table.rows if isinstance(cell := row[place], Several)]
    return list(dict.fromkeys(name for cell in cells for name, _ in cell.parts))


def _numbers(cell: Cell, parts: list[str]) -> Iterator[Cell]:
    if not parts:
        yield cell
        return
    numbers = dict(cell.parts) if isinstance(cell, Several) else {}
    yield from (numbers.get(part) for part in parts)
