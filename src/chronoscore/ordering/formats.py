"""Reading orders of events: the tab format of SemEval-2015 Task 4, and `events.jsonl`."""

import re
from dataclasses import replace
from pathlib import Path

from chronoscore.core.case import some
from chronoscore.core.collection import ONLY, put
from chronoscore.core.event import numbered_events
from chronoscore.core.numbers import whole_number
from chronoscore.core.reading import Reading
from chronoscore.elements.dates import parse_partial
from chronoscore.elements.timeml import SUFFIXES
from chronoscore.ordering.model import UNKNOWN_DATE, Row, Timeline

Collection = dict[str, dict[str, Timeline]]
"""Timelines by target entity and, where there are several golds, by name."""

MOST_ROWS = 100_000
"""Rows of a timeline; those of the task have some dozens."""
_ASCII_SPACE = " \t\r\n\v\f"
_FILE_NAME = re.compile(r"[^A-Z\s]+")
_WHOLE_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_orders(path: Path, reading: Reading) -> Collection:
    """Read a file, a folder with one `.txt` for each target entity, or a folder of such folders.

    In a folder of folders a target is named with its folder: `corpus_1/airbus`.
    """
    found: Collection = {}
    path = reading.plain(path)
    if not path.exists():
        reading.problem("there is no such file or folder", path)
    elif path.is_dir():
        files = {file.stem: file for file in _tab_files(path)}
        inner = {
            f"{folder.name}/{file.stem}": file
            for folder in folders_of(path)
            for file in _tab_files(folder)
        }
        if files and inner:
            reading.notice(
                "there are timelines beside the folders, so that those in the folders are not "
                f"read: {some(list(inner))}",
                path,
            )
        files = files or inner
        if not files:
            reading.problem("no timelines (.txt) in the folder", path)
        for target, file in files.items():
            put(found, target, ONLY, read_tab_file(file, reading), reading, file)
    elif path.suffix == ".jsonl":
        for target, named in _from_events(path, reading).items():
            for name, timeline in named.items():
                put(found, target, name, timeline, reading, path)
    elif path.suffix in SUFFIXES:
        reading.problem(
            "TimeML, expected a timeline; `chronoscore tlinks` scores its links, and `chronoscore "
            "convert --to semeval` makes a timeline of it if it is one",
            path,
        )
    else:
        put(found, path.stem, ONLY, read_tab_file(path, reading), reading, path)
    return found


def _tab_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix == ".txt" and file.is_file())


def folders_of(path: Path) -> list[Path]:
    """The folders in a folder, without hidden ones."""
    return sorted(f for f in path.iterdir() if f.is_dir() and not f.name.startswith("."))


def runs_of(path: Path, gold: Path) -> dict[str, Path]:
    """The runs in a folder of runs by name; none if the folder is one run itself, or a file.

    A run has timelines as the gold has them: in it, or in folders of the names that the gold has.
    """
    if not path.is_dir() or not gold.is_dir() or _tab_files(path):
        return {}
    folders = folders_of(path)
    corpora = set() if _tab_files(gold) else {folder.name for folder in folders_of(gold)}
    if any(folder.name in corpora for folder in folders):
        return {}
    return {folder.name: folder for folder in folders}


def check_names(path: Path, reading: Reading) -> None:
    """Note the files that are not named as the task asks: in lower case, with underscores."""
    files = sorted(path.rglob("*.txt")) if path.is_dir() else [path]
    for file in files:
        if file.suffix == ".txt" and not _FILE_NAME.fullmatch(file.stem):
            wanted = "_".join(file.stem.lower().split())
            reading.doubt(
                "a file is named after its target entity in lower case, with an underscore "
                f"between words: expected '{wanted}.txt'",
                file,
            )


def read_tab_file(path: Path, reading: Reading) -> Timeline:
    """Read a title, then rows of position, time anchor and mentions, separated by tabs.

    The official scorer drops the first line whatever it holds, drops short rows, and on a
    position that is no number counts the previous file again. The first line is dropped here
    too, but said aloud if it looks like a row; the others are problems.
    """
    rows: list[Row] = []
    first: dict[Row, int] = {}
    before = len(reading.problems)
    for number, raw in reading.lines(path):
        line = raw.rstrip(_ASCII_SPACE)
        if number == 1:
            if "\t" in line and whole_number(line.split("\t")[0]) is not None:
                reading.notice(
                    "the first line is a title and is not scored, but it looks like a row",
                    path,
                    number,
                )
        elif line:
            row = _row(line, path, number, reading)
            if row is None:
                continue
            if len(rows) == MOST_ROWS:
                reading.problem(
                    f"there are more than {MOST_ROWS} rows, which is no timeline", path, number
                )
                break
            if row in first:
                reading.notice(f"the row is that of line {first[row]} again", path, number)
            first.setdefault(row, number)
            rows.append(row)
    if not rows and len(reading.problems) == before:
        reading.notice("there are no rows below the title", path)
    return Timeline(tuple(rows))


def _row(line: str, path: Path, number: int, reading: Reading) -> Row | None:
    fields = line.split("\t")
    if len(fields) < 3 and len(line.split()) >= 3:
        reading.doubt("no tabs; fields are taken apart at spaces", path, number)
        fields = line.split()
        line = "\t".join(fields)
    if len(fields) < 3:
        reading.doubt(
            f"{len(fields)} field{'s' * (len(fields) != 1)}, expected position, anchor and one or "
            "more mentions; the row is not scored",
            path,
            number,
        )
        return None
    position = whole_number(fields[0])
    if position is None or position < 0:
        reading.problem(f"position is '{fields[0][:30]}', expected 0, 1, 2, ...", path, number)
        return None
    if not fields[1].strip():
        reading.notice(
            f"there is no time anchor; one that nobody knows is '{UNKNOWN_DATE}'", path, number
        )
    mentions = fields[2:]
    if not all(mention.strip() for mention in mentions):
        reading.doubt("a mention is empty; it counts as an event", path, number)
    elif len(set(mentions)) < len(mentions):
        twice = next(mention for mention in mentions if mentions.count(mention) > 1)
        reading.notice(f"'{twice[:40]}' is there twice in the row, and counts twice", path, number)
    if _WHOLE_DATE.fullmatch(fields[1]):
        try:
            parse_partial(fields[1])
        except ValueError as error:  # anchors are compared as they are written, so it may stay
            reading.notice(f"the time anchor {error}", path, number)
    row = Row(position, fields[1], tuple(mentions))
    return row if row.text == line else replace(row, line=line)  # mostly it is written just so


def _from_events(path: Path, reading: Reading) -> Collection:
    """Take positions, dates and mentions of events; events without a position have no place."""
    rows: dict[tuple[str, str], list[Row]] = {}
    unplaced: list[tuple[int, str]] = []
    for line, event in numbered_events(path, reading):
        if event.position is None:
            unplaced.append((line, event.id))
            continue
        if not all(mention.strip() for mention in event.mentions or ("",)):
            reading.problem("there is a position but no mention to find the event by", path, line)
        anchor = UNKNOWN_DATE
        if event.date is not None:
            try:
                anchor = parse_partial(event.date)
            except ValueError as error:
                reading.problem(str(error), path, line)
        key = (event.topic or path.stem, event.timeline or ONLY)
        row = Row(event.position, anchor, event.mentions)
        rows.setdefault(key, []).append(row)
    reading.tally(
        "{count} events have no position and are not ordered, first '{first}'", unplaced, path
    )
    found: Collection = {}
    for (target, name), placed in rows.items():
        found.setdefault(target, {})[name] = Timeline(tuple(placed))
    return found
