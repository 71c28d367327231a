"""Telling files of judgements from others, without noting anything."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json
from chronoscore.rubric.formats.archives import ENDINGS
from chronoscore.rubric.formats.argilla import is_argilla
from chronoscore.rubric.formats.label_studio import is_flat


def holds_judgements(path: Path, reading: Reading) -> bool:
    """Whether a workbook or a JSON file holds judgements; sheets are told by their columns."""
    ending = path.suffix.lower()
    if ending in ENDINGS or (path.is_file() and zipfile.is_zipfile(path)):
        return True
    trial = Reading(encoding=reading.encoding, max_line=reading.max_line, lenient=True)
    if ending in (".jsonl", ".ndjson"):
        text = next((line for _, line in trial.lines(path) if line.strip()), "")
    elif ending == ".json":
        text = trial.text(path) or ""
    else:
        return False
    try:
        found = parse_json(text)
    except JsonError:
        return False
    first = found[0] if isinstance(found, list) and found else found
    return isinstance(first, Mapping) and (
        "event_id" in first
        or isinstance(first.get("data"), Mapping)  # a task of Label Studio
        or is_flat(first)
        or is_argilla(first)
    )
