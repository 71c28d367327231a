"""Finding timelines in a file or a folder, whatever its layout.

A folder holds topics: a file is a topic's only timeline; a subfolder is a topic whose files, or
files in its subfolder `timelines`, or lines of `timelines.jsonl`, are its golds; a folder of
folders is looked into at any depth.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from chronoscore.core.collection import ONLY, put
from chronoscore.core.reading import Reading
from chronoscore.timelines.formats.days import Collection, Policies, Role
from chronoscore.timelines.formats.sheets import read_sheet
from chronoscore.timelines.formats.structured import Found, read_json, read_lines
from chronoscore.timelines.formats.text import read_text

SUFFIXES = (".txt", ".json", ".jsonl", ".csv", ".tsv")
_NOT_TIMELINES = ("articles", "keywords")
READ: Mapping[Role, str] = {"gold": "golds read", "predicted": "predictions read"}
DAYS: Mapping[Role, str] = {"gold": "days of golds", "predicted": "days of predictions"}
"""What is counted where files are read in parts."""


def read_timelines(
    path: Path,
    reading: Reading,
    options: Mapping[str, str] | None = None,
    role: Role = "gold",
) -> Collection:
    """Read a file or a folder; everything wrong is noted in the reading."""
    policies = Policies(options or {}, role)
    path = reading.plain(path)
    before = len(reading.problems)
    found: Collection = {}
    if not path.exists():
        reading.problem("there is no such file or folder", path)
    elif path.is_dir():
        for topic, name, timeline, file in _folder(path, reading, policies):
            put(found, topic, name, timeline, reading, file)
        if not found and len(reading.problems) == before:
            reading.problem(f"no timelines in the folder ({', '.join(SUFFIXES)})", path)
    else:
        for topic, name, timeline, _ in _file(path, path.stem, ONLY, reading, policies):
            put(found, topic, name, timeline, reading, path)
    if found and len(reading.problems) == before:
        _doubt_nothing(found, path, reading, role)
    return found


def _doubt_nothing(found: Collection, path: Path, reading: Reading, role: Role) -> None:
    """Note that there is no day in any timeline: mostly, the file is of another kind."""
    days = sum(len(one.days) for named in found.values() for one in named.values())
    if reading.partial:
        reading.counts[READ[role]] += 1
        reading.counts[DAYS[role]] += days
    elif not days:
        tell_nothing(path, reading, role)


def tell_nothing(path: object, reading: Reading, role: Role) -> None:
    """Say that nothing has a date."""
    if role == "gold":
        reading.problem("nothing in it has a date, so that it holds no timeline", path)
    else:
        reading.doubt("nothing in it has a date, so that all its timelines are empty", path)


def _folder(folder: Path, reading: Reading, policies: Policies) -> Iterator[Found]:
    for entry in _entries(folder):
        if entry.is_file():
            yield from _file(entry, entry.stem, ONLY, reading, policies)
            continue
        inner = entry / "timelines"
        inside = _entries(inner if inner.is_dir() else entry)
        files = [file for file in inside if file.is_file()]
        if files:
            for file in files:
                yield from _file(file, entry.name, file.stem, reading, policies)
        elif inside:
            yield from _folder(entry, reading, policies)
        else:
            reading.notice("no timelines in this folder, it is not a topic", entry)


def _entries(folder: Path) -> list[Path]:
    return sorted(
        entry
        for entry in folder.iterdir()
        if not entry.name.startswith((".", *_NOT_TIMELINES))
        and (entry.is_dir() or entry.suffix in SUFFIXES)
    )


def _file(
    path: Path, topic: str, name: str, reading: Reading, policies: Policies
) -> Iterator[Found]:
    if path.suffix == ".jsonl":
        yield from read_lines(path, topic, reading, policies)
    elif path.suffix == ".json":
        yield from read_json(path, topic, name, reading, policies)
    elif path.suffix in (".csv", ".tsv"):
        yield from read_sheet(path, topic, reading, policies)
    else:
        yield topic, name, read_text(path, reading, policies), path
