"""Reading judgements from any file: what kind it is, and that no judgement is there twice."""

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from chronoscore.core.collection import given_once
from chronoscore.core.labels import grouped
from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.archives import ENDINGS
from chronoscore.rubric.formats.columns import judgements_of
from chronoscore.rubric.formats.exports import read_export, read_lines
from chronoscore.rubric.formats.rows import Row, judgement_of
from chronoscore.rubric.formats.sheets import read_sheet
from chronoscore.rubric.formats.workbooks import read_workbook
from chronoscore.rubric.judgement import Judgement, Source, is_numbered, round_order
from chronoscore.rubric.judgements import Judgements

KEY = ("system", "event", "evaluator", "round")
"""What there may be only one judgement of."""
_ROUND = "round\0"
"""Begins the names of what parts count of rounds."""
Part: TypeAlias = tuple[Judgements, Callable[[int], Row]]
"""Some judgements, and where each of them stands."""


def read_judgements(
    paths: Sequence[Path],
    codebook: Codebook,
    reading: Reading,
    *,
    evaluator: str | None = None,
    events: Iterable[str] | None = None,
) -> Judgements:
    """Read judgements of all files; the same judgement twice is a problem, even if identical.

    What a file is, its ending says: `.xlsx`, `.jsonl`, `.json` (Label Studio, Argilla or a list of
    our records), and any other is a sheet. `evaluator` names the author of files that don't;
    `events` are the ids of the events that were to be judged, any other is a problem. The order
    of files, rows and columns changes nothing in what is returned.
    """
    # Events that were not all read can't tell which judgements are of others.
    wanted = None if events is None or reading.problems else set(events)
    paths = [reading.plain(path) for path in given_once(paths, reading)]
    parts = [part for path in paths for part in _found(path, codebook, reading, evaluator)]
    found = Judgements.together([table for table, _ in parts], len(codebook.criteria))
    ends = np.cumsum([len(table) for table, _ in parts])

    def row(at: int) -> Row:
        """Where a judgement stands."""
        part = int(np.searchsorted(ends, at, side="right"))
        return parts[part][1](at - int(ends[part]) + len(parts[part][0]))

    groups = grouped([found.words[name].at for name in KEY], len(found))
    doubled = np.setdiff1d(groups.order, groups.firsts)
    first_of = groups.firsts[groups.at()]
    for at in doubled.tolist():
        before = int(first_of[at])
        _doubled(found[at], row(at), (row(before), found[before]), codebook, reading)
    if wanted is not None:
        event = found.words["event"]
        strange = np.array([name not in wanted for name in event.names], np.bool_)
        for at in np.sort(groups.firsts[strange[event.at[groups.firsts]]]).tolist():
            reading.problem(
                f"{row(at).place('event_id')}event '{event[at]}' is not among the events "
                "to be judged",
                row(at).path,
                row(at).line,
                code="unknown_event",
                field="event_id",
            )
    found = found.take(groups.firsts)
    chosen = _chosen_rounds(found)
    if reading.partial:  # those who see all parts tell the order of the rounds of all
        reading.counts.update(f"{_ROUND}{name}" for name in chosen)
    else:
        for notice in order_notices(chosen):
            reading.notice(notice)
    return found


def _chosen_rounds(found: Judgements) -> list[str]:
    """The rounds of which one had to be taken as someone's last; a model's are samples."""
    words = found.words
    if len(words["round"].names) < 2:
        return []
    groups = grouped([words[name].at for name in KEY[:-1]], len(found))
    again = groups.sizes()[groups.at()] > 1
    people = np.array([kind == "person" for kind in words["kind"].names])[words["kind"].at]
    return words["round"].take(np.flatnonzero(again & people)).used()


def rounds_counted(counts: Mapping[str, int]) -> list[str]:
    """The rounds that were chosen from in any part, from what was counted there."""
    return sorted(name.removeprefix(_ROUND) for name in counts if name.startswith(_ROUND))


def order_notices(chosen: Iterable[str]) -> list[str]:
    """Say in which order rounds come that have names, where that decides which one is the last."""
    rounds = sorted(chosen, key=round_order)
    if not any(name and not is_numbered(name) for name in rounds):
        return []
    order = ", ".join(name or "(none)" for name in rounds)
    return [
        f"some rounds have names, which are in the order of the alphabet: {order}; "
        "if the last of them is not the last round, number them"
    ]


def _found(
    path: Path, codebook: Codebook, reading: Reading, evaluator: str | None
) -> Iterator[Part]:
    ending = path.suffix.lower()
    if ending in ENDINGS or (path.is_file() and zipfile.is_zipfile(path)):
        rows = read_workbook(path, codebook, reading, evaluator)
        yield _one_by_one(rows, codebook, reading, "csv", evaluator)
    elif ending in (".jsonl", ".ndjson"):
        rows = read_lines(path, codebook, reading)
        yield _one_by_one(rows, codebook, reading, "json", evaluator)
    elif ending == ".json":
        rows = read_export(path, codebook, reading)
        yield _one_by_one(rows, codebook, reading, "json", evaluator)
    else:
        for block in read_sheet(path, codebook, reading, evaluator):
            table = judgements_of(block.header, block.cells, codebook, evaluator)
            if table is not None:
                yield table, block.row
            else:
                rows = map(block.row, range(len(block.lines)))
                yield _one_by_one(rows, codebook, reading, "csv", evaluator)


def _one_by_one(
    rows: Iterable[Row],
    codebook: Codebook,
    reading: Reading,
    source: Source,
    evaluator: str | None,
) -> Part:
    """Read row by row, which tells all that is wrong with each."""
    kept, judged = [], []
    for row in rows:
        judgement = judgement_of(row, codebook, reading, source, evaluator)
        if judgement is not None:
            kept.append(row)
            judged.append(judgement)
    return Judgements.of(judged, len(codebook.criteria)), kept.__getitem__


def _doubled(
    judgement: Judgement,
    row: Row,
    first: tuple[Row, Judgement],
    codebook: Codebook,
    reading: Reading,
) -> None:
    before, other = first
    differ = [
        criterion.field
        for criterion, one, two in zip(
            codebook.criteria, judgement.values, other.values, strict=True
        )
        if one != two
    ]
    where = before.told()
    if before.path != row.path:
        in_file = f"{before.path}:{before.line}"
        where = in_file if before.line and not before.where else f"{before.path}, {where}"
    how = f" and the two differ in {', '.join(differ)}" if differ else ""
    reading.problem(
        f"{row.place()}evaluator '{judgement.evaluator}' judged event '{judgement.event}' already "
        f"in {where}{how}; name a second round in the column 'round'",
        row.path,
        row.line,
        code="duplicate_judgement",
    )
