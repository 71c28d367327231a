"""Read and write orders of events: the tab format of SemEval-2015 Task 4, events, TimeML graphs.

At the end is what readers of links and clusters share with those of orders.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

from chronoscore.core.case import ONLY, Case, named_alike, paired_cases, put, some
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Problems, escaped
from chronoscore.core.records import whole_number
from chronoscore.core.sources import Source
from chronoscore.core.writing import path_inside, write_file
from chronoscore.elements.time import TimeError
from chronoscore.elements.time.files import FileTimes
from chronoscore.elements.timeml import SUFFIXES, read_timeml
from chronoscore.elements.xml import xml_safe
from chronoscore.ordering.model import UNKNOWN_DATE, TargetTimeline, TimelineRow, read_anchor
from chronoscore.ordering.semeval import Mode, NotATimeline, graph_in, timeline_of, timeml

Collection = dict[str, dict[str, TargetTimeline]]
"""Timelines by target entity and, where there are several golds, by name."""
Item = TypeVar("Item")
Key = tuple[str, str]
"""The topic or document of an item, and the name of its gold."""

MOST_ROWS = 100_000
"""The most rows of a timeline; those of the task have some dozens."""
_ASCII_SPACE = " \t\r\n\v\f"
_FILE_NAME = re.compile(r"[^A-Z\s]+")


def read_orders(source: Source, problems: Problems) -> Collection:
    """Read a file, a folder with one `.txt` for each target entity, or a folder of such folders.

    In a folder of folders a target is named with its folder: `corpus_1/airbus`.
    """
    files: dict[str, Source] = {}
    if not source.exists:
        problems.problem(source.absence("file or folder"), source)
    elif source.is_folder:
        files = {file.stem: file for file in _tab_files(source)}
        inner = {
            f"{folder.file_name}/{file.stem}": file
            for folder in folders_of(source)
            for file in _tab_files(folder)
        }
        if files and inner:
            problems.notice(
                "there are timelines next to the folders, so that those in the folders are not "
                f"read: {some(list(inner))}",
                source,
            )
        files = files or inner
        if not files:
            problems.problem("no timelines (.txt) in the folder", source)
    elif source.suffix == ".jsonl":
        return _from_events(source, problems)
    elif source.suffix in SUFFIXES:
        problems.problem(
            "TimeML, expected a timeline; `chronoscore tlinks` scores its links, and `chronoscore "
            "convert --to semeval` makes a timeline of it if it is one",
            source,
        )
    else:
        files = {source.stem: source}
    return {target: {ONLY: read_tab_file(file, problems)} for target, file in files.items()}


def _tab_files(folder: Source) -> list[Source]:
    files = (file for file in folder.children() if file.is_file and not file.packing)
    return [file for file in files if file.suffix == ".txt"]


def folders_of(source: Source) -> list[Source]:
    """Return the folders in a folder, without hidden ones."""
    return [f for f in source.children() if f.is_folder and not f.file_name.startswith(".")]


def runs_of(source: Source, gold: Source) -> dict[str, Source]:
    """Return the runs in a folder of runs by name; none if the source is a single run or a file.

    A run is laid out as the gold is: it has timelines, or folders with the names of the gold's.
    """
    if not source.is_folder or not gold.is_folder or _tab_files(source):
        return {}
    folders = folders_of(source)
    corpora = set() if _tab_files(gold) else {folder.file_name for folder in folders_of(gold)}
    if any(folder.file_name in corpora for folder in folders):
        return {}
    return {folder.file_name: folder for folder in folders}


def check_names(source: Source, problems: Problems) -> None:
    """Report files that are not named as the task asks: in lower case, with underscores."""
    files = [file for _, file in source.files()] if source.is_folder else [source]
    for file in files:
        if file.suffix == ".txt" and not file.packing and not _FILE_NAME.fullmatch(file.stem):
            expected = "_".join(file.stem.lower().split())
            problems.accept_or_report(
                "a file is named after its target entity in lower case, with an underscore "
                f"between words: expected '{expected}.txt'",
                file,
            )


def read_tab_file(source: Source, problems: Problems) -> TargetTimeline:
    """Read a title, then rows of position, time anchor and mentions, separated by tabs.

    The official scorer drops the first line whatever it holds, drops short rows, and on a
    position that is no number counts the previous file again. The first line is dropped here
    too, with a notice if it looks like a row; the others are problems.
    """
    rows: list[TimelineRow] = []
    first: dict[TimelineRow, int] = {}
    refused: dict[str, list[tuple[int, str]]] = {}
    before = len(problems.problems)
    for number, raw in source.lines(problems):
        line = raw.rstrip(_ASCII_SPACE)
        if number == 1:
            if "\t" in line and whole_number(line.split("\t")[0]) is not None:
                message = "the first line is a title and is not scored, but it looks like a row"
                problems.notice(message, source, number)
        elif line:
            row = _row(line, source, number, problems)
            if row is None:
                continue
            if len(rows) == MOST_ROWS:
                message = f"there are more than {MOST_ROWS} rows, which is no timeline"
                problems.problem(message, source, number)
                break
            if row in first:
                earlier = source.refer(first[row], number)
                problems.notice(f"the row repeats that of {earlier}", source, number)
            if isinstance(why := read_anchor(row.anchor), TimeError):
                refused.setdefault(why.kind, []).append((number, str(why)))
            first.setdefault(row, number)
            rows.append(row)
    if not rows and len(problems.problems) == before:
        problems.notice("there are no rows below the title", source)
    for (number, why_not), *others in refused.values():
        more = f" (and {len(others)} more of this kind)" * bool(others)
        message = f"the time anchor {why_not}{more}; anchors are compared as they are written"
        problems.notice(message, source, number)
    return TargetTimeline(tuple(rows))


def _row(line: str, source: Source, number: int, problems: Problems) -> TimelineRow | None:
    fields = line.split("\t")
    if len(fields) < 3 and len(line.split()) >= 3:
        problems.accept_or_report("no tabs; fields are split at spaces", source, number)
        fields = line.split()
        line = "\t".join(fields)
    if len(fields) < 3:
        many = f"{len(fields)} field{'s' * (len(fields) != 1)}"
        expected = "expected position, anchor and one or more mentions; the row is not scored"
        problems.accept_or_report(f"{many}, {expected}", source, number)
        return None
    position = whole_number(fields[0])
    if position is None or position < 0:
        problems.problem(f"position is '{fields[0][:30]}', expected 0, 1, 2, ...", source, number)
        return None
    if not fields[1].strip():
        message = f"there is no time anchor; write an unknown one as '{UNKNOWN_DATE}'"
        problems.notice(message, source, number)
    mentions = fields[2:]
    if not all(mention.strip() for mention in mentions):
        problems.accept_or_report("a mention is empty; it counts as an event", source, number)
    elif len(set(mentions)) < len(mentions):
        twice = next(mention for mention in mentions if mentions.count(mention) > 1)
        message = f"'{twice[:40]}' is there twice in the row, and counts twice"
        problems.notice(message, source, number)
    row = TimelineRow(position, fields[1], tuple(mentions))
    return row if row.text == line else replace(row, line=line)  # most rows are written like that


def _from_events(source: Source, problems: Problems) -> Collection:
    """Read timelines from positions, dates and mentions of events; others are only counted."""
    rows: dict[Key, list[TimelineRow]] = {}
    times = FileTimes(source, problems)
    for line, key, event in usable_events(
        source,
        problems,
        lambda event: event.position is not None,
        "{count} events have no position and are not ordered, first '{first}'",
    ):
        check_mentions(event, source, line, problems)
        time = None if event.date is None else times.read(event.date, line)
        anchor = str(time) if time else UNKNOWN_DATE
        row = TimelineRow(event.position or 0, anchor, event.mentions)
        rows.setdefault(key, []).append(row)
    times.report()
    timelines: Collection = {}
    for (target, name), timeline_rows in rows.items():
        timelines.setdefault(target, {})[name] = TargetTimeline(tuple(timeline_rows))
    return timelines


# Writing, and timelines from graphs


GRAPH_SUFFIXES = (".tml", ".timeml")


def read_any(source: Source, problems: Problems) -> Collection:
    """Read timelines in any format, and graphs (`.tml`) that are timelines."""
    graphs = [(inside, file) for inside, file in source.files() if inside.suffix in GRAPH_SUFFIXES]
    if source.suffix in GRAPH_SUFFIXES and not source.is_folder:
        graphs = [(PurePosixPath(source.file_name), source)]
    if not graphs:
        return read_orders(source, problems)
    timelines: Collection = {}
    for inside, file in graphs:
        before = len(problems.problems)
        document = read_timeml(file, problems)
        if document is None or len(problems.problems) > before:
            continue
        try:
            timeline = timeline_of(graph_in(document))
        except NotATimeline as error:
            problems.problem(f"the graph is no timeline: {error}", file)
            continue
        if not timeline.rows:
            problems.notice("there are no events in the graph", file)
        put(timelines, inside.with_suffix("").as_posix(), ONLY, timeline, problems, file)
    return timelines


def tab_text(timeline: TargetTimeline, title: str) -> str:
    r"""Write a timeline in the tab format, below its title.

    >>> from chronoscore.ordering.model import TimelineRow
    >>> row = TimelineRow(1, "2003", ("11778-3-launch", "11778-4-launch"))
    >>> tab_text(TargetTimeline((row,)), "itunes")
    'itunes\n1\t2003\t11778-3-launch\t11778-4-launch\n'
    """
    rows = sorted(timeline.rows, key=lambda row: row.position)
    lines = (replace(row, line="").text for row in rows)
    return "\n".join([title, *lines]) + "\n"


def write_orders(collection: Collection, target: Path, form: str) -> list[Path]:
    """Write each timeline into a file of the folder `target`, in the form `semeval` or `timeml`."""
    written = []
    for name, (entity, _), timeline in named_items(collection):
        if form == "semeval":
            suffix, text = "txt", tab_text(timeline, entity.rpartition("/")[2])
        else:
            suffix, text = "tml", xml_safe(timeml(timeline, TargetTimeline(()), "full")[0])
        written.append(write_file(target / path_inside(f"{name}.{suffix}"), text))
    return written


def write_graphs(
    cases: Iterable[Case[TargetTimeline, TargetTimeline]], target: Path, mode: Mode
) -> list[Path]:
    """Write the two graphs of each case: `<case>_gold.tml` and `<case>_sys.tml`."""
    return [
        write_file(target / path_inside(f"{case.id}_{side}.tml"), xml_safe(graph))
        for case in cases
        for side, graph in zip(
            ("gold", "sys"), timeml(case.gold, case.predicted, mode), strict=True
        )
    ]


# What reading orders, links and clusters has in common


def read_pairs(
    read: Callable[[Source], Mapping[str, Mapping[str, Item]]],
    gold: Source,
    predictions: Mapping[str, Source],
    problems: Problems,
    options: Mapping[str, str],
    level: str,
    empty: Item,
) -> dict[str, list[Case[Item, Item]]]:
    """Read the gold and the predictions of each system, and pair them up by name.

    `level` is the tag that holds the name; `empty` stands for a missing prediction.
    """
    golds = read(gold)
    predicted = {
        name: named_alike(golds, read(source), gold, source, problems)
        for name, source in predictions.items()
    }
    problems.check()
    return paired_cases(golds, predicted, problems, options, level=level, empty=lambda _: empty)


def report_strangers(
    system: str,
    cases: Sequence[Case[Item, Item]],
    names: Callable[[Item], set[str]],
    what: str,
    problems: Problems,
) -> None:
    """Report the cases in which both sides have names but share none."""
    sides = ((case.id, names(case.gold), names(case.predicted)) for case in cases)
    problems.count(
        f"{escaped(system)}: no {what} is also in the gold, so that nothing can match: {{some}}",
        [
            (0, case)
            for case, gold, predicted in sides
            if gold and predicted and gold.isdisjoint(predicted)
        ],
    )


def usable_events(
    source: Source, problems: Problems, is_usable: Callable[[Event], bool], notice: str
) -> Iterator[tuple[int, Key, Event]]:
    """Yield the usable events, each with its line, topic and gold, and count the others."""
    unusable: list[tuple[int, str]] = []
    for line, event in numbered_events(source, problems):
        if is_usable(event):
            yield line, (event.topic or source.stem, event.timeline or ONLY), event
        else:
            unusable.append((line, event.id))
    problems.count(notice, unusable, source)


def check_mentions(event: Event, source: Source, line: int, problems: Problems) -> bool:
    """Return whether an event has mentions to match it by; report it if not."""
    if event.mentions and all(mention.strip() for mention in event.mentions):
        return True
    problems.problem("there is a position but no mention to find the event by", source, line)
    return False


def named_items(
    collection: Mapping[str, Mapping[str, Item]],
) -> Iterator[tuple[str, Key, Item]]:
    """Yield each item with its key and a name: its topic's, with its gold's if there are several.

    >>> [name for name, *_ in named_items({"war": {"1": None}, "vote": {"a": None, "b": None}})]
    ['war', 'vote.a', 'vote.b']
    """
    for key, golds in collection.items():
        for gold, item in golds.items():
            yield key if len(golds) == 1 else f"{key}.{gold}", (key, gold), item
