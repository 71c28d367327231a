"""Tables of candidate lists: how deep the answers are, and where each one stands."""

from collections.abc import Sequence

from chronoscore.annotations.candidate_curves import FirstMatch
from chronoscore.annotations.candidates import Candidates
from chronoscore.core.result import Summary
from chronoscore.reports.table import Cell, Column, Table


def rank_table(system: str, accuracy: Summary) -> Table:
    """How many lists have their first match at each rank, from the curve of the accuracy."""
    rows: list[tuple[Cell, ...]] = []
    strict = lenient = 0
    for point in accuracy.curve:
        _, found, partial, *_ = (int(number) for number in point.statistics)
        rows.append(
            (
                int(-point.threshold),
                found - strict,
                found + partial - lenient,
                point.scores["strict_accuracy"],
                point.scores["lenient_accuracy"],
            )
        )
        strict, lenient = found, found + partial
    columns = (
        Column("rank"),
        Column("strict", "first match here"),
        Column("lenient", "first match here"),
        Column("strict", "accuracy so far"),
        Column("lenient", "accuracy so far"),
    )
    remark = "of the lists that have the answer; a rank without a change is left out"
    return Table(f"{system}: rank of the first match", columns, tuple(rows), (remark,))


def first_match_table(
    system: str, found: Sequence[tuple[Candidates, Sequence[FirstMatch]]]
) -> Table:
    """Every list: how many targets it has, and rank and score of its first match."""
    rows: list[tuple[Cell, ...]] = []
    for document, firsts in found:
        for one in firsts:
            held = document.lists[one.place].annotation
            rows.append(
                (
                    document.document,
                    held.id,
                    f"{held.start}-{held.end}",
                    one.targets,
                    _rank(one.strict),
                    _rank(one.partial),
                    "" if one.strict_score is None else one.strict_score,
                    "" if one.partial_score is None else one.partial_score,
                )
            )
    columns = (
        Column("document"),
        Column("list"),
        Column("span"),
        Column("targets"),
        Column("strict", "rank of first match"),
        Column("partial", "rank of first match"),
        Column("strict", "score of first match"),
        Column("partial", "score of first match"),
    )
    return Table(f"{system}: first matches", columns, tuple(rows))


def _rank(place: int | None) -> Cell:
    return "" if place is None else place + 1
