"""Read judgements from files of any kind, and report duplicates."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from chronoscore.core.case import given_once
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.sources import Source
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.exports import is_json, is_judgement, json_items, read_json
from chronoscore.rubric.formats.rows import JudgementRow, RowReader
from chronoscore.rubric.formats.sheets import read_sheet
from chronoscore.rubric.formats.workbooks import is_workbook, read_workbook
from chronoscore.rubric.judgements import Judgement, Judgements, is_numbered, round_order
from chronoscore.statistics.labels import grouped

KEY = ("system", "event", "evaluator", "round")
"""The fields that identify a judgement."""
_ROUND = "round"
"""A fact: the name of a round, where an evaluator judged an event in several rounds."""
RowTable: TypeAlias = tuple[Judgements, Callable[[int], JudgementRow]]
"""Judgements, and a function that returns the row of each."""


def read_judgements(
    sources: Sequence[Source],
    codebook: Codebook,
    problems: Problems,
    *,
    evaluator: str | None = None,
    events: Iterable[str] | None = None,
) -> Judgements:
    """Read the judgements of all files; a duplicate is a problem, even if it is identical.

    The ending says what a file is: `.xlsx`, `.jsonl`, `.json` (Label Studio, Argilla or a list of
    our records), and any other is a sheet. `evaluator` names the author of files that don't;
    `events` are the ids of the events to be judged: any other event is a problem. The result does
    not depend on the order of files, rows and columns.
    """
    # If not all events were read, judgements of other events can't be recognised.
    expected = None if events is None or problems.problems else set(events)
    reader = RowReader(codebook, problems, evaluator)
    tables = [t for source in given_once(sources, problems) for t in _tables(source, reader)]
    judgements = Judgements.together([table for table, _ in tables], len(codebook.criteria))
    ends = np.cumsum([len(table) for table, _ in tables])

    def row(at: int) -> JudgementRow:
        place = int(np.searchsorted(ends, at, side="right"))
        table, row_of = tables[place]
        return row_of(at - int(ends[place]) + len(table))

    groups = grouped([judgements.words[name].at for name in KEY], len(judgements))
    doubled = np.setdiff1d(groups.order, groups.firsts)
    first_of = groups.firsts[groups.at()]
    for at in doubled.tolist():
        both = (int(first_of[at]), at)
        _report_duplicate(reader, [judgements[i] for i in both], [row(i) for i in both])
    if expected is not None:
        event = judgements.words["event"]
        strange = np.array([name not in expected for name in event.names], np.bool_)
        for at in np.sort(groups.firsts[strange[event.at[groups.firsts]]]).tolist():
            message = f"event '{event[at]}' is not among the events to be judged"
            row(at).report(problems, message, "unknown_event", "event_id")
    judgements = judgements.take(groups.firsts)
    rounds = _repeated_rounds(judgements)
    if problems.partial:  # the rounds of all chunks are reported together
        problems.facts.update((_ROUND, name) for name in rounds)
    else:
        report_rounds(rounds, problems)
    return judgements


def _repeated_rounds(judgements: Judgements) -> list[str]:
    """Return the rounds of people who judged an event several times; a model's are samples."""
    words = judgements.words
    if len(words["round"].names) < 2:
        return []
    groups = grouped([words[name].at for name in KEY[:-1]], len(judgements))
    repeated = groups.sizes()[groups.at()] > 1
    people = np.array([kind == "person" for kind in words["kind"].names])[words["kind"].at]
    return words["round"].take(np.flatnonzero(repeated & people)).used()


def rounds_counted(facts: Mapping[Fact, int]) -> list[str]:
    """Return the rounds that the facts of all chunks name."""
    return [name for kind, *names in facts if kind == _ROUND for name in names]


def report_rounds(names: Iterable[str], problems: Problems) -> None:
    """Report the alphabetic order of named rounds, where it decides which one is the last."""
    rounds = sorted(names, key=round_order)
    if any(name and not is_numbered(name) for name in rounds):
        listed = ", ".join(name or "(none)" for name in rounds)
        problems.notice(
            f"some rounds have names, which are in the order of the alphabet: {listed}; "
            "if the last of them is not the last round, number them"
        )


def _tables(source: Source, reader: RowReader) -> Iterator[RowTable]:
    """Read a file: a sheet in blocks of rows, anything else as one table."""
    if is_workbook(source):
        yield _row_by_row(read_workbook(source, reader), reader)
    elif is_json(source):
        yield _row_by_row(read_json(source, reader), reader)
    else:
        for block in read_sheet(source, reader):
            table = block.judgements(reader)
            yield _row_by_row(block, reader) if table is None else (table, block.row)


def _row_by_row(rows: Iterable[JudgementRow], reader: RowReader) -> RowTable:
    """Read each row by itself, and report everything that is wrong with it."""
    pairs = [(row, judgement) for row in rows if (judgement := reader.judgement(row)) is not None]
    table = Judgements.of((judgement for _, judgement in pairs), len(reader.criteria))
    return table, lambda at: pairs[at][0]


def _report_duplicate(
    reader: RowReader, judgements: Sequence[Judgement], rows: Sequence[JudgementRow]
) -> None:
    """Report the second of two judgements by the same evaluator of the same event."""
    (first, second), (first_row, row) = judgements, rows
    values = zip(reader.criteria, first.values, second.values, strict=True)
    differ = [field for field, a, b in values if a != b]
    difference = f" and the two differ in {', '.join(differ)}" if differ else ""
    message = (
        f"evaluator '{second.evaluator}' judged event '{second.event}' already in "
        f"{first_row.seen_from(row)}{difference}; name a second round in the column 'round'"
    )
    row.report(reader.problems, message, "duplicate_judgement")


def row_order(
    sources: Sequence[Source], codebook: Codebook, problems: Problems, evaluator: str | None = None
) -> dict[tuple[str, str, str, str], int]:
    """Return the place of each judgement among all rows, by key: the order of judging.

    `read_judgements` does not keep this order, so that no score depends on the order of files.
    """
    reader = RowReader(codebook, problems, evaluator)
    tables = (table for source in sources for table, _ in _tables(source, reader))
    keys = dict.fromkeys(judgement.key for table in tables for judgement in table)
    return {key: place for place, key in enumerate(keys)}


def holds_judgements(source: Source, problems: Problems) -> bool:
    """Whether a workbook or a JSON file holds judgements, by its first record; reports nothing."""
    if not is_json(source):
        return is_workbook(source)
    _, _, item = next(json_items(source, problems.unreported()), (None, "", None))
    return is_judgement(item)
