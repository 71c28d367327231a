"""In which order the rows of files stand, which is the order in which people judged."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.archives import ENDINGS
from chronoscore.rubric.formats.exports import read_export, read_lines
from chronoscore.rubric.formats.rows import Row, as_text
from chronoscore.rubric.formats.sheets import read_sheet
from chronoscore.rubric.formats.workbooks import read_workbook

Key = tuple[str, str, str, str]


def row_order(
    paths: Sequence[Path], codebook: Codebook, reading: Reading, evaluator: str | None = None
) -> dict[Key, int]:
    """The place of each judgement among all rows, by system, event, evaluator and round.

    Judgements themselves have no order, so that the order of files changes no score.
    """
    order: dict[Key, int] = {}
    for path in paths:
        for row in _rows(path, codebook, reading, evaluator):
            told = [as_text(row.values.get(name)) for name in ("system", "event_id")]
            who = as_text(row.values.get("evaluator")) or evaluator
            told += [who, as_text(row.values.get("round"))]
            system, event, name, time = (str(part or "").strip() for part in told)
            order.setdefault((system, event, name, time), len(order))
    return order


def _rows(path: Path, codebook: Codebook, reading: Reading, evaluator: str | None) -> Iterable[Row]:
    ending = path.suffix.lower()
    if ending in ENDINGS:
        return read_workbook(path, codebook, reading, evaluator)
    if ending in (".jsonl", ".ndjson"):
        return read_lines(path, codebook, reading)
    if ending == ".json":
        return read_export(path, codebook, reading)
    blocks = read_sheet(path, codebook, reading, evaluator)
    return (block.row(at) for block in blocks for at in range(len(block.lines)))
