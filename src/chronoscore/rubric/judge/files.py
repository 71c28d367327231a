"""The files of a run: judgements, and beside them failures, votes, the manifest and the cache."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from chronoscore.core.errors import UsageError
from chronoscore.core.writing import write_file
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.workbooks import library
from chronoscore.rubric.formats.writing import FORMATS, write_judgements
from chronoscore.rubric.judge.judge import Judge
from chronoscore.rubric.judge.manifest import Manifest
from chronoscore.rubric.judge.outcome import Outcome, votes_of


@dataclass(frozen=True)
class Files:
    """Where a run writes."""

    judgements: Path
    failures: Path
    votes: Path
    manifest: Path
    cache: Path


def files_of(output: Path, cache: Path | None = None) -> Files:
    """Name the files beside the judgements.

    >>> files_of(Path("out/judged.csv")).failures.name
    'judged.failures.jsonl'
    """
    if output.suffix.lower().removeprefix(".") not in FORMATS:
        endings = ", ".join(f".{known}" for known in FORMATS)
        raise UsageError(f"--output {output}: end the name with one of: {endings}")
    return Files(
        output,
        output.with_name(f"{output.stem}.failures.jsonl"),
        output.with_name(f"{output.stem}.votes.jsonl"),
        output.with_name(f"{output.stem}.manifest.json"),
        cache or output.with_name(f"{output.stem}.cache"),
    )


def check_files(files: Files, judge: Judge, events_file: str) -> None:
    """Refuse to write over what is not this judge's own, such as the judgements of people."""
    if files.judgements.suffix.lower() == ".xlsx":
        library()  # better told before anything is paid for
    if not files.judgements.exists():
        return
    try:
        found = msgspec.json.decode(files.manifest.read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        raise UsageError(
            f"--output {files.judgements} is there already and no judge wrote it; "
            "choose another name"
        ) from None
    same = (found.judge, found.events_file) == (judge.id, events_file)
    if found.counts.judgements and not same:
        raise UsageError(
            f"--output {files.judgements} holds what {found.judge} said of {found.events_file}; "
            "choose another name"
        )


def write_files(files: Files, outcome: Outcome, manifest: Manifest, codebook: Codebook) -> None:
    """Write all files of a run; the manifest first, by which a later run knows its own."""
    write_file(files.manifest, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    _write_lines(files.failures, outcome.failures)
    votes = votes_of(outcome.judgements, codebook) if manifest.samples > 1 else []
    _write_lines(files.votes, votes)
    write_judgements(outcome.judgements, files.judgements, codebook)


def _write_lines(path: Path, records: Sequence[msgspec.Struct]) -> None:
    """Write a record a line; no records leave no file, not one of an earlier run either."""
    if records:
        write_file(path, b"".join(msgspec.json.encode(one) + b"\n" for one in records))
    else:
        path.unlink(missing_ok=True)
