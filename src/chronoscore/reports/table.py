"""A table: what every textual rendering shows, whatever the family."""

from dataclasses import dataclass

Cell = str | int | float | None


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
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)
