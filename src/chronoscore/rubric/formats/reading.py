"""Reading judgements from any file: what kind it is, and that no judgement is there twice."""

import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.archives import ENDINGS
from chronoscore.rubric.formats.exports import read_export, read_lines
from chronoscore.rubric.formats.rows import Row, judgement_of
from chronoscore.rubric.formats.sheets import read_sheet
from chronoscore.rubric.formats.workbooks import read_workbook
from chronoscore.rubric.judgement import Judgement


def read_judgements(
    paths: Sequence[Path],
    codebook: Codebook,
    reading: Reading,
    *,
    evaluator: str | None = None,
    events: Iterable[str] | None = None,
) -> list[Judgement]:
    """Read judgements of all files; the same judgement twice is a problem, even if identical.

    What a file is, its ending says: `.xlsx`, `.jsonl`, `.json` (Label Studio, Argilla or a list of
    our records), and any other is a sheet. `evaluator` names the author of files that don't;
    `events` are the ids of the events that were to be judged, any other is a problem. The order
    of files, rows and columns changes nothing in what is returned.
    """
    judgements: dict[tuple[str, str, str, str], tuple[Row, Judgement]] = {}
    # Events that were not all read can't tell which judgements are of others.
    wanted = None if events is None or reading.problems else set(events)
    for path in paths:
        for row, judgement in _found(path, codebook, reading, evaluator):
            if judgement.key in judgements:
                _doubled(judgement, row, judgements[judgement.key], codebook, reading)
                continue
            judgements[judgement.key] = (row, judgement)
            if wanted is not None and judgement.event not in wanted:
                reading.problem(
                    f"{row.place('event_id')}event '{judgement.event}' is not among the events "
                    "to be judged",
                    row.path,
                    row.line,
                    code="unknown_event",
                    field="event_id",
                )
    return [judgement for _, (_, judgement) in sorted(judgements.items())]


def _found(
    path: Path, codebook: Codebook, reading: Reading, evaluator: str | None
) -> Iterator[tuple[Row, Judgement]]:
    ending = path.suffix.lower()
    if ending in ENDINGS or (path.is_file() and zipfile.is_zipfile(path)):
        rows, source = read_workbook(path, codebook, reading, evaluator), "csv"
    elif ending in (".jsonl", ".ndjson"):
        rows, source = read_lines(path, codebook, reading), "json"
    elif ending == ".json":
        rows, source = read_export(path, codebook, reading), "json"
    else:
        rows, source = read_sheet(path, codebook, reading, evaluator), "csv"
    for row in rows:
        judgement = judgement_of(
            row, codebook, reading, "csv" if source == "csv" else "json", evaluator
        )
        if judgement is not None:
            yield row, judgement


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
