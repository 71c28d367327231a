"""Which run a page is of: the names of its files, and its date."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chronoscore.core.names import Signature
from chronoscore.errors import UsageError
from chronoscore.reports.html.head import RunHead

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronoscore.core.result import ResultDocument
    from chronoscore.engines.plan import Inputs

EPOCH = "SOURCE_DATE_EPOCH"
"""The environment variable that fixes the date of pages which must be the same bytes."""
_MOST_NAMES = 8
"""Files that a head names."""


def head_of_inputs(inputs: Inputs) -> RunHead:
    """Return the head of a run that scores files: the gold is the data, sheets have none."""
    files = [source for sources in inputs.systems.values() for source in sources]
    return head_of_files(inputs.gold, files)


def head_of_files(gold: object, files: Iterable[object]) -> RunHead:
    """Return the head of a run that reads these files today; there may be no gold."""
    return RunHead("" if gold is None else file_names([gold]), file_names(files), date_of_run())


def head_of_saved(path: Path, result: ResultDocument) -> RunHead:
    """Return the head of a saved result: of its data it knows the digest of the gold."""
    golds = {Signature.parse(system.signature).gold for system in result.systems}
    data = f"gold {golds.pop()}" if len(golds) == 1 and not result.agreement else ""
    return RunHead(data, path.name, date_of_run(path))


def file_names(files: Iterable[object]) -> str:
    """Name files and folders without the folders that they are in, each once."""
    named = [*dict.fromkeys(Path(str(file)).name or str(file) for file in files)]
    more = len(named) - _MOST_NAMES
    return ", ".join(named[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def date_of_run(path: Path | None = None) -> str:
    """Return today's date, or that on which a file was written; SOURCE_DATE_EPOCH goes first."""
    seconds = os.environ.get(EPOCH)
    if not seconds:
        time = datetime.now(UTC)
        if path is not None:
            time = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return time.astimezone().date().isoformat()
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{EPOCH} is '{seconds}', expected a number of seconds since 1970, such as 1700000000; "
            "set it so, or unset it"
        ) from None
