"""Tables of matches: what was set against what, and what it earned."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from chronoscore.core.evidence import Match
from chronoscore.core.result import CaseMatches, Result
from chronoscore.reports.table import Cell, Column, Table

_COLUMNS = (
    *("side", "gold", "predicted", "outcome", "distance", "weight", "shared"),
    *("credit", "possible"),
)


def explanation(
    result: Result, matches: Iterable[CaseMatches], cases: Sequence[str] = ()
) -> list[Table]:
    """Tables of matches, a table for each system, case and metric; no cases given means all."""
    labels = {metric.name: metric.label for metric in result.metrics}
    curves = {metric.name for metric in result.metrics if metric.curve}
    tables = []
    for item in matches:
        if (cases and item.case not in cases) or (item.metric in curves and not item.matches):
            continue
        sides = [
            side for side in ("precision", "recall") if any(m.side == side for m in item.matches)
        ]
        totals = [
            f"{side}: {sum(m.credit for m in item.matches if m.side in (side, 'both')):.3f} of "
            f"{sum(m.possible for m in item.matches if m.side in (side, 'both')):g}"
            for side in sides
        ]
        caption = f"{item.system}, {item.case}: {labels.get(item.metric, item.metric)}"
        tables.append(match_table(caption, item.matches, totals))
    return tables


def match_table(caption: str, matches: Sequence[Match], remarks: Sequence[str]) -> Table:
    """Tell matches row by row; what is said in several lines has several rows."""
    silent = {
        "distance": all(match.distance is None for match in matches),
        "weight": all(match.weight == 1 for match in matches),
        "shared": all(match.shared is None for match in matches),
    }
    kept = [place for place, name in enumerate(_COLUMNS) if not silent.get(name)]
    return Table(
        caption,
        tuple(Column(_COLUMNS[place]) for place in kept),
        tuple(tuple(row[place] for place in kept) for match in matches for row in _rows(match)),
        tuple(remarks),
    )


def _rows(match: Match) -> Iterator[tuple[Cell, ...]]:
    gold, *more_gold = match.gold.split("\n")
    predicted, *more_predicted = match.predicted.split("\n")
    yield (
        match.side,
        gold or "-",
        predicted or "-",
        match.outcome,
        "" if match.distance is None else f"{match.distance:g}",
        match.weight,
        "" if match.shared is None else f"{match.shared:g}",
        match.credit,
        f"{match.possible:g}",
    )
    for ours, theirs in zip_longest(more_gold, more_predicted, fillvalue=""):
        yield ("", ours and f"  {ours}", theirs and f"  {theirs}", *[""] * 6)
