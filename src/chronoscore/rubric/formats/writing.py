"""Write judgements as CSV, TSV, XLSX or JSON lines; the readers return the same judgements."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from chronoscore.core.writing import write_file
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook
from chronoscore.rubric.formats.sheets import SheetTable, write_sheet
from chronoscore.rubric.formats.workbooks import fill_sheet, new_workbook, save_workbook
from chronoscore.rubric.judgements import ROW_FIELDS, Judgement

FORMATS = ("csv", "tsv", "xlsx", "jsonl")
ENDINGS = ", ".join(f".{ending}" for ending in FORMATS)
"""The endings of names in words."""
_ALWAYS = ("event_id", "evaluator")


def write_judgements(judgements: Iterable[Judgement], path: Path, codebook: Codebook) -> None:
    """Write judgements, sorted by system, event, evaluator and round.

    The ending of the file's name selects the format. Empty columns are left out.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        wrong = f"judgements are not written as '{path.name}'"
        raise UsageError(f"{wrong}; end the name with one of: {ENDINGS}")
    header, rows = _table(sorted(judgements, key=lambda judgement: judgement.key), codebook)
    if form == "xlsx":
        book, sheet = new_workbook("Judgements")
        fill_sheet(sheet, header, rows)
        save_workbook(book, path)
    elif form == "jsonl":
        records = (zip(header, row, strict=True) for row in rows)
        filled = [{name: value for name, value in record if value != ""} for record in records]
        write_file(path, msgspec.json.Encoder().encode_lines(filled))
    else:
        write_sheet(path, header, rows)


def _table(judgements: Sequence[Judgement], codebook: Codebook) -> SheetTable:
    texts = [
        {field: str(getattr(judgement, name)) for name, field in ROW_FIELDS.items()}
        | {"evaluator_kind": "llm" if judgement.kind == "llm" else ""}
        for judgement in judgements
    ]
    columns = [n for n in TEXT_FIELDS if n in _ALWAYS or any(row.get(n) for row in texts)]
    header = [*columns, *(criterion.field for criterion in codebook.criteria), codebook.comment]
    rows: list[list[str | int]] = [
        [*(text[name] for name in columns), *judgement.values, judgement.comment]
        for text, judgement in zip(texts, judgements, strict=True)
    ]
    return header, rows
