"""Notices of all parts together: numbers added up, the first by the order of the file."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from chronoscore.core.errors import Problem
from chronoscore.core.tally import MOST_NAMED, Tally, earliest
from chronoscore.engines.stream.index import Lines

NO_FILE = 1 << 30


class FileTally(msgspec.Struct, frozen=True):
    """A tally under the name that people know its file by."""

    tally: Tally
    file: int = NO_FILE
    """Which file of the run it is: the gold, then those of the systems."""
    names: tuple[str, ...] = ()
    """What the file's shards are called, if there are several."""


def placed_tallies(tallies: Iterable[Tally], lines: Mapping[Path, Lines]) -> list[FileTally]:
    """The tallies of a part, with the files and lines that were given."""
    files = {path: number for number, path in enumerate(lines)}
    found = []
    for tally in tallies:
        path = Path(tally.path)
        if not tally.path or path not in files:
            found.append(FileTally(tally))
            continue
        own = lines[path]
        first = earliest(
            (int(own.file_at[line - 1]), int(own.number[line - 1]), name) if line else (0, 0, name)
            for _, line, name in tally.first
        )
        moved = msgspec.structs.replace(tally, path=own.called, first=first)
        found.append(FileTally(moved, files[path], own.names if len(own.names) > 1 else ()))
    return found


def united(tallies: Iterable[FileTally]) -> tuple[FileTally, ...]:
    """One tally for all that say the same of a file, however the work was cut."""
    found: dict[tuple[int, str], FileTally] = {}
    for one in tallies:
        key = (one.file, one.tally.message)
        before = found.get(key)
        if before is None:
            found[key] = one
            continue
        both = msgspec.structs.replace(
            one.tally,
            count=before.tally.count + one.tally.count,
            first=earliest((*before.tally.first, *one.tally.first)),
        )
        found[key] = msgspec.structs.replace(one, tally=both)
    return tuple(found[key] for key in sorted(found))


def told(tallies: Iterable[FileTally]) -> list[str]:
    """The notices that tallies are."""
    notices = []
    for one in tallies:
        tally = one.tally
        file, line, _ = tally.first[0] if tally.first else (0, 0, "")
        place = f"{one.names[file]}:{line}" if one.names and line else ""
        at = (one.names[file] if one.names else tally.path) if tally.here else tally.path
        shown = Problem(tally.text(place), at, line or None if tally.here else None)
        notices.append(str(shown))
    return notices


def shortened(notices: Iterable[str]) -> list[str]:
    """Notices of single cases in their order; of many that differ only in names, the first."""
    alike: dict[str, list[str]] = {}
    for notice in sorted(notices):
        alike.setdefault(re.sub(r"'[^']*'|[0-9]+", "", notice), []).append(notice)
    found = []
    for same in alike.values():
        found += same[:MOST_NAMED]
        if len(same) > MOST_NAMED:
            found.append(f"and {len(same) - MOST_NAMED} more notices like this one: {same[0]}")
    return found
