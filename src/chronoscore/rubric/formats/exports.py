"""JSON: our own records, one a line or in a list, and the exports of Label Studio and Argilla."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.argilla import argilla_rows, is_argilla
from chronoscore.rubric.formats.label_studio import is_flat, is_task, label_studio_rows
from chronoscore.rubric.formats.rows import Row


def read_lines(path: Path, codebook: Codebook, reading: Reading) -> Iterator[Row]:
    """Read one record a line: ours, or a tool's."""
    yield from _rows(_parsed(path, reading), path, codebook, reading)


def _parsed(path: Path, reading: Reading) -> Iterator[tuple[int | None, str, object]]:
    for number, line in reading.lines(path):
        if not line.strip():
            continue
        try:
            yield number, "", parse_json(line)
        except JsonError as error:
            reading.problem(str(error), path, number)


def read_export(path: Path, codebook: Codebook, reading: Reading) -> Iterator[Row]:
    """Read a JSON document: a list of records, or what an annotation tool exported."""
    text = reading.text(path)
    if text is None:
        return
    if not text.strip():  # told already, as a problem or, leniently, as a notice
        return
    try:
        document = parse_json(text)
    except JsonError as error:
        reading.problem(str(error), path, error.line)
        return
    items = document if isinstance(document, list) else [document]
    if not items:
        reading.problem("the list is empty, expected judgements", path)
    numbered = ((None, f"record {number}", item) for number, item in enumerate(items, 1))
    yield from _rows(numbered, path, codebook, reading)


def _rows(
    items: Iterable[tuple[int | None, str, object]],
    path: Path,
    codebook: Codebook,
    reading: Reading,
) -> Iterator[Row]:
    left_out: Counter[str] = Counter()
    for line, where, item in items:
        if not isinstance(item, Mapping):
            place = f"{where}: " if where else ""
            reading.problem(f"{place}expected an object with a judgement: {{...}}", path, line)
            continue
        row = Row(item, path, line, where)
        if is_task(item) or is_flat(item):
            yield from label_studio_rows(item, codebook, reading, row, left_out)
        elif is_argilla(item):
            yield from argilla_rows(item, codebook, reading, row, left_out)
        else:
            yield row
    for what, times in sorted(left_out.items()):
        reading.notice(f"{times} {what}", path)
