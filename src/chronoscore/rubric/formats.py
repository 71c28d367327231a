"""Reading judgements from sheets: CSV with commas, semicolons or tabs."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import TEXT_FIELDS, Judgement, check_values


def read_sheets(
    paths: Sequence[Path],
    codebook: Codebook,
    reading: Reading,
    *,
    evaluator: str | None = None,
    events: Iterable[str] | None = None,
) -> list[Judgement]:
    """Read judgements of all sheets; the same judgement twice is a problem, even if identical.

    `evaluator` names the author of sheets that have no such column; `events` are the ids of the
    events that were to be judged, any other is a problem.
    """
    judgements: list[Judgement] = []
    first: dict[tuple[str, str, str, str], tuple[Path, int, Judgement]] = {}
    # Events that were not all read can't tell which judgements are of others.
    wanted = None if events is None or reading.problems else set(events)
    for path in paths:
        for line, judgement in _rows(path, codebook, reading, evaluator):
            key = (judgement.system, judgement.event, judgement.evaluator, judgement.round)
            if key in first:
                _doubled(judgement, path, line, first[key], codebook, reading)
                continue
            first[key] = (path, line, judgement)
            if wanted is not None and judgement.event not in wanted:
                reading.problem(
                    f"event '{judgement.event}' is not among the events to be judged",
                    path,
                    line,
                    code="unknown_event",
                    field="event_id",
                )
            judgements.append(judgement)
    return judgements


def _rows(
    path: Path, codebook: Codebook, reading: Reading, evaluator: str | None
) -> Iterator[tuple[int, Judgement]]:
    before = len(reading.problems)
    lines = reading.lines(path)
    number, head = next(((number, line) for number, line in lines if line.strip()), (0, ""))
    if not head or len(reading.problems) > before:  # no header: what follows would be taken for it
        for _ in lines:
            pass  # so that what can't be read there is noted too
        return
    taken = [number]
    """The lines of the row that is read next: a cell may go over several."""

    def fed() -> Iterator[str]:
        yield f"{head}\n"
        for number, line in lines:
            taken.append(number)
            yield f"{line}\n"

    cells = csv.reader(fed(), delimiter=max(",;\t", key=head.count), strict=True)
    try:
        header = _header(next(cells), codebook, path, reading, evaluator)
        if header is None:
            return
        taken.clear()
        found = False
        for row in cells:
            line = taken[0]
            taken.clear()
            if not any(cell.strip() for cell in row):
                continue
            found = True
            if len(row) != len(header):
                reading.problem(
                    f"the row has {len(row)} cells, the header {len(header)}; is the file cut?",
                    path,
                    line,
                )
                continue
            judgement = _judgement(
                dict(zip(header, row, strict=True)), codebook, path, line, reading, evaluator
            )
            if judgement is not None:
                yield line, judgement
        if not found:
            reading.problem("there is a header but no judgement below it", path)
    except csv.Error as error:
        reading.problem(f"not a readable sheet: {_in_words(error)}", path, taken[0])


def _in_words(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quote is opened here and not closed; is the file cut?"
    if "field limit" in str(error):
        return f"a cell is longer than {csv.field_size_limit()} characters; is a quote not closed?"
    return "a quote ends within a cell; within quotes, write it twice"


def _header(
    cells: Sequence[str],
    codebook: Codebook,
    path: Path,
    reading: Reading,
    evaluator: str | None,
) -> list[str] | None:
    """Give each column its proper name, whatever its case and spacing; say which were changed."""
    criteria = [criterion.field for criterion in codebook.criteria]
    known = {_folded(name): name for name in (*criteria, codebook.comment, *TEXT_FIELDS)}
    header = [known.get(_folded(cell), cell.strip()) for cell in cells]
    changed = [f"'{a}' as {b}" for a, b in zip(cells, header, strict=True) if a != b]
    if changed:
        reading.notice(f"columns are read: {', '.join(changed)}", path)
    needed = ["event_id", *criteria, *([] if evaluator else ["evaluator"])]
    absent = [name for name in needed if name not in header]
    doubled = sorted({name for name in header if header.count(name) > 1})
    for name in absent:
        hint = " (or name the evaluator with --evaluator)" if name == "evaluator" else ""
        reading.problem(f"there is no column '{name}'{hint}; there are: {', '.join(cells)}", path)
    for name in doubled:
        reading.problem(f"the column '{name}' is there twice", path)
    unknown = [name for name in header if name not in known.values()]
    if unknown:
        reading.notice(f"columns not read: {', '.join(unknown)}", path)
    return None if absent or doubled else header


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "").replace("_", "").replace("-", "")


def _judgement(
    row: dict[str, str],
    codebook: Codebook,
    path: Path,
    line: int,
    reading: Reading,
    evaluator: str | None,
) -> Judgement | None:
    told = (*(criterion.field for criterion in codebook.criteria), codebook.comment)
    values, problems = check_values(
        {name: row[name] for name in told if name in row}, codebook, "csv"
    )
    for problem in problems:
        reading.problem(problem.message, path, line, code=problem.code, field=problem.field)
    who = row.get("evaluator", "").strip() or evaluator or ""
    event = row["event_id"].strip()
    for name, value in (("event_id", event), ("evaluator", who)):
        if not value:
            reading.problem(f"{name} is empty", path, line, code="missing", field=name)
    if problems or not who or not event:
        return None
    return Judgement(
        event=event,
        evaluator=who,
        values=values,
        round=row.get("round", "").strip(),
        system=row.get("system", "").strip(),
        article=row.get("article_id", "").strip(),
        type=row.get("event_type", "").strip(),
        comment=row.get(codebook.comment, ""),
    )


def _doubled(
    judgement: Judgement,
    path: Path,
    line: int,
    first: tuple[Path, int, Judgement],
    codebook: Codebook,
    reading: Reading,
) -> None:
    before, before_line, other = first
    differ = [
        criterion.field
        for criterion, one, two in zip(
            codebook.criteria, judgement.values, other.values, strict=True
        )
        if one != two
    ]
    where = f"line {before_line}" if before == path else f"{before}:{before_line}"
    how = f" and the two differ in {', '.join(differ)}" if differ else ""
    reading.problem(
        f"evaluator '{judgement.evaluator}' judged event '{judgement.event}' already in {where}"
        f"{how}; name a second round in the column 'round'",
        path,
        line,
        code="duplicate_judgement",
    )
