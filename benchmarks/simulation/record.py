"""What the last full run of the simulation found: the only source of what the docs say of it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan, sqrt
from pathlib import Path

RECORD = Path(__file__).with_name("record.json")


@dataclass(frozen=True)
class Shares:
    """A table of shares of runs: a row for each population and score."""

    title: str
    runs: int
    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[float]]
    """Shares by `population, score`."""
    fewest: int = 0
    """The fewest runs that a share rests on, where some rest on a part of the runs; else 0."""

    @property
    def error(self) -> float:
        """What no standard error of a share in the table exceeds."""
        shares = (x for row in self.rows.values() for x in row if not isnan(x))
        return max(sqrt(x * (1 - x) / (self.fewest or self.runs)) for x in shares)

    def lines(self) -> list[str]:
        """The table in Markdown, and below it the runs and the error of its shares."""
        told = f"{self.runs:,} runs a cell; standard error of a share: {self.error:.3f} at most."
        return [*markdown(self.columns, self.rows), "", told]

    def lowest(self, column: str) -> float:
        """The lowest share of a column."""
        at = self.columns.index(column)
        return min(row[at] for row in self.rows.values())

    def apart(self, other: "Shares") -> list[str]:
        """The cells whose shares differ from another run's by more than chance allows."""
        slack = 4 * (self.error + other.error)
        return [
            f"{self.title}, {name}, {column}: {x:.3f}, recorded {other.rows[name][at]:.3f}"
            for name, row in self.rows.items()
            for at, (column, x) in enumerate(zip(self.columns, row, strict=True))
            if name in other.rows and abs(x - other.rows[name][at]) > slack
        ]


def markdown(columns: Sequence[str], rows: Mapping[str, Sequence[float]]) -> list[str]:
    """A table with a row for each population and score, numbers without the 0 before the point."""
    head = ["population", "score", *columns]
    body = [
        [*name.split(", "), *("–" if isnan(x) else f"{x:.3f}".removeprefix("0") for x in row)]
        for name, row in rows.items()
    ]
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body)]


def save(tables: Mapping[str, Shares]) -> None:
    """Keep what a full run found."""
    plain = {name: asdict(table) for name, table in tables.items()}
    RECORD.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


def load() -> dict[str, Shares]:
    """What was kept."""
    plain = json.loads(RECORD.read_text(encoding="utf-8"))
    return {
        name: Shares(**{**table, "columns": tuple(table["columns"])})
        for name, table in plain.items()
    }
