"""Writing judgements: CSV, TSV, XLSX and JSON lines, all of which are read back as they were."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from chronoscore.core.errors import UsageError
from chronoscore.core.writing import write_file
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook
from chronoscore.rubric.formats.sheets import write_sheet
from chronoscore.rubric.formats.workbooks import fill_sheet, new_workbook, save_workbook
from chronoscore.rubric.judgement import Judgement

FORMATS = ("csv", "tsv", "xlsx", "jsonl")
_ALWAYS = ("event_id", "evaluator")


def write_judgements(judgements: Iterable[Judgement], path: Path, codebook: Codebook) -> None:
    """Write judgements in their order by system, event, evaluator and round.

    The format is that of the file's ending. Columns that would be empty are left out.
    """
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(
            f"judgements are not written as '{path.name}'; end the name with one of: "
            f"{', '.join(f'.{known}' for known in FORMATS)}"
        )
    header, rows = _table(sorted(judgements, key=lambda judgement: judgement.key), codebook)
    if form == "xlsx":
        book, sheet = new_workbook("Judgements")
        fill_sheet(sheet, header, rows)
        save_workbook(book, path)
    elif form == "jsonl":
        records = (dict(zip(header, row, strict=True)) for row in rows)
        lines = (msgspec.json.encode({k: v for k, v in r.items() if v != ""}) for r in records)
        write_file(path, (line + b"\n" for line in lines))
    else:
        write_sheet(path, header, rows)


def _table(
    judgements: Sequence[Judgement], codebook: Codebook
) -> tuple[list[str], list[list[str | int]]]:
    texts = [_texts(judgement) for judgement in judgements]
    shown = [n for n in TEXT_FIELDS if n in _ALWAYS or any(row.get(n) for row in texts)]
    criteria = [criterion.field for criterion in codebook.criteria]
    header = [*shown, *criteria, codebook.comment]
    rows: list[list[str | int]] = [
        [*(text.get(name, "") for name in shown), *judgement.values, judgement.comment]
        for text, judgement in zip(texts, judgements, strict=True)
    ]
    return header, rows


def _texts(judgement: Judgement) -> dict[str, str]:
    return {
        "event_id": judgement.event,
        "evaluator": judgement.evaluator,
        "evaluator_kind": "llm" if judgement.kind == "llm" else "",
        "round": judgement.round,
        "system": judgement.system,
        "article_id": judgement.article,
        "event_date": judgement.date,
        "event_type": judgement.type,
        "event_text": judgement.text,
    }
