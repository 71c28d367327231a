"""Read the timelines of a file or a folder, in any of the known layouts.

A folder holds topics: a file is a topic's only timeline; a subfolder is a topic whose files, or
files in its subfolder `timelines`, or lines of `timelines.jsonl`, are its golds; a folder of
folders is searched at any depth.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import msgspec

from chronoscore.core.case import ONLY, put
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.records import (
    JsonError,
    check_columns,
    parse_json,
    read_records,
    refuse_header_only,
)
from chronoscore.core.sources import Source
from chronoscore.elements.time import Time, TimeError
from chronoscore.timelines.formats.results import WITHOUT_GOLDS, is_result_file
from chronoscore.timelines.formats.values import (
    LANGUAGE,
    UNDATED,
    Collection,
    Policies,
    Role,
    TimelineBuilder,
    Values,
    count_language,
    sentences_of,
)
from chronoscore.timelines.model import Timeline

NamedTimeline = tuple[str, str, Timeline, Source]
"""A topic, a timeline's name, the timeline, and its file."""
Entry = tuple[str, str, str | None, str | tuple[str, ...], int]
"""A topic, a timeline's name (or empty), a date (or None), its sentences, and the line."""
SUFFIXES = (".txt", ".json", ".jsonl", ".csv", ".tsv")
COLUMNS = ("topic", "timeline", "date", "summary")
"""The columns of a CSV or TSV file; the last two are needed."""
DAY_END = "-" * 32
"""The line that ends each day of tilse text: a date, then a sentence a line."""
_NOT_TIMELINES = ("articles", "keywords")
_TIMELINES, _DAYS = "timelines", "days"
"""Facts about a file."""
_KINDS = {"summaries": "summary", "days": "days"}
"""For each kind of lines that are no events, the field by which it is recognised."""


class SummaryRecord(msgspec.Struct, frozen=True):
    """A line of `{topic, date, summary}`: a day, or a part of it."""

    topic: str
    date: str | int | float
    summary: str | tuple[str, ...]
    timeline: str = ""
    language: str = ""


class TimelineRecord(msgspec.Struct, frozen=True):
    """A line with a whole timeline of a topic, which is the quickest to read."""

    topic: str
    days: dict[str, str | tuple[str, ...]]
    timeline: str = ""
    language: str = ""


RECORD_FIELDS = frozenset().union(
    *(record.__struct_fields__ for record in (Event, SummaryRecord, TimelineRecord))
)
"""The fields that a line of any kind may have."""


def read_timelines(
    source: Source,
    problems: Problems,
    options: Mapping[str, str] | None = None,
    role: Role = "gold",
) -> Collection:
    """Read the timelines of a file or a folder, and report all problems."""
    before = len(problems.problems)
    collection: Collection = {}
    if not source.exists:
        problems.problem("there is no such file or folder", source)
        return collection
    reader = _Reader(problems, Policies(options or {}, role))
    timelines = reader.folder(source) if source.is_folder else reader.file(source, source.stem)
    for topic, name, timeline, file in timelines:
        put(collection, topic, name, timeline, problems, file)
    if len(problems.problems) > before:
        return collection
    if collection:
        days = sum(len(t.days) for named in collection.values() for t in named.values())
        key = (role, source.name)
        facts: dict[Fact, int] = {(_TIMELINES, *key): len(collection), (_DAYS, *key): days}
        if problems.partial:
            problems.facts.update(facts)
        else:
            check_days(facts, problems)
    elif source.is_folder:
        problems.problem(f"no timelines in the folder ({', '.join(SUFFIXES)})", source)
    return collection


def check_days(facts: Mapping[Fact, int], problems: Problems) -> None:
    """Report files in which no timeline has a day: most of them are another kind of file."""
    for fact, *key in facts:
        if fact == _TIMELINES and not facts.get((_DAYS, *key)):
            role, name = key
            if role == "gold":
                message = (
                    "no entry has a date, so there is no timeline; is it another kind of file?"
                )
                problems.problem(message, name)
            else:
                message = "no entry has a date, so all its timelines are empty"
                problems.accept_or_report(message, name)


def kind_of_lines(first: str) -> str:
    """Return the kind of a file by its first line: events, summaries, days, or timelines."""
    if not first.lstrip().startswith("{"):
        return "timelines"
    if '"id"' in first:
        return "events"
    return next((k for k, word in _KINDS.items() if f'"{word}"' in first), "events")


@dataclass(frozen=True)
class _Reader:
    """Reads the timelines of files, and reports all problems."""

    problems: Problems
    policies: Policies

    def folder(self, folder: Source) -> Iterator[NamedTimeline]:
        """Read the topics of a folder, or of the folders in it."""
        for entry in _entries(folder):
            if entry.is_file:
                yield from self.file(entry, entry.stem)
                continue
            inner = (e for e in entry.children() if e.is_folder and e.file_name == "timelines")
            inside = _entries(next(inner, entry))
            files = [file for file in inside if file.is_file]
            for file in files:
                yield from self.file(file, entry.file_name, file.stem)
            if not inside:
                self.problems.notice("no timelines in this folder, it is not a topic", entry)
            elif not files:
                yield from self.folder(entry)

    def file(self, source: Source, topic: str, name: str = ONLY) -> Iterator[NamedTimeline]:
        """Read a file; `topic` and `name` are for a timeline that names none."""
        if source.suffix == ".jsonl":
            return self._lines(source, topic)
        if source.suffix == ".json":
            return self._json(source, topic, name)
        if source.suffix in (".csv", ".tsv"):
            return self._built(self._rows(source, topic), source)
        return iter([(topic, name, self._text(source), source)])

    def _built(self, entries: Iterable[Entry], source: Source) -> Iterator[NamedTimeline]:
        """Build timelines from entries in any order, and report repeated dates."""
        builders: dict[tuple[str, str], TimelineBuilder] = {}
        for topic, name, written, texts, line in entries:
            key = (topic, name or ONLY)
            if key not in builders:
                builders[key] = TimelineBuilder(source, self.problems, self.policies)
            if written is not None:
                builder = builders[key]
                builder.enter(builder.period(written, line), sentences_of(texts))
        for (topic, name), builder in builders.items():
            builder.report_repeats()
            yield topic, name, builder.timeline(), source

    def _json(self, source: Source, topic: str, name: str) -> Iterator[NamedTimeline]:
        """Read a JSON file: one timeline, a CHRONOS result, timelines by topic, or records."""
        text = source.text(self.problems)
        if text is None or not text.strip():
            return
        try:
            raw = parse_json(text)
        except JsonError as error:
            self.problems.problem(str(error), source, error.line)
            return
        if is_result_file(raw):
            self.problems.problem(WITHOUT_GOLDS, source)
            return
        values = Values(self.problems, self.policies, lambda written: _line_of(written, text))
        for key, named in values.collection(raw, source, topic, name).items():
            for timeline_name, timeline in named.items():
                yield key, timeline_name, timeline, source

    def _lines(self, source: Source, topic: str) -> Iterator[NamedTimeline]:
        """Read JSONL: events, summaries of days, or a timeline a line (ours, or news-tls)."""
        kind = kind_of_lines(source.first_line(self.problems) or "{")
        if kind == "events":
            yield from self._built(self._events(source, topic), source)
        elif kind == "summaries":
            yield from self._built(self._summaries(source), source)
        elif kind == "days":
            for line, record in read_records(source, TimelineRecord, self.problems):
                names = (record.topic, record.timeline)
                self._language(record.topic, record.language, source, line)
                days = ((*names, written, texts, line) for written, texts in record.days.items())
                # A timeline without days is a timeline, too.
                yield from self._built(chain([(*names, None, "", line)], days), source)
        else:
            topic = source.folder_name if source.stem == "timelines" else topic
            for number, timeline in enumerate(self._unnamed(source), 1):
                yield topic, str(number), timeline, source

    def _language(self, topic: str, language: str, source: Source, line: int) -> None:
        count_language(topic, language, self.policies.role, self.problems, source, line)

    def _summaries(self, source: Source) -> Iterator[Entry]:
        for line, record in read_records(source, SummaryRecord, self.problems):
            self._language(record.topic, record.language, source, line)
            yield record.topic, record.timeline, str(record.date), record.summary, line

    def _events(self, source: Source, topic: str) -> Iterator[Entry]:
        """Yield the dates and texts of events, in file order within a day."""
        undated: list[tuple[int, str]] = []
        for line, event in numbered_events(source, self.problems):
            if event.date is None:
                undated.append((line, event.id))
            self._language(event.topic or topic, event.language, source, line)
            yield event.topic or topic, event.timeline, event.date, event.text, line
        self.problems.count(UNDATED, undated, source)

    def _unnamed(self, source: Source) -> Iterator[Timeline]:
        """Read the timelines of one topic, one a line, without names."""
        values = Values(self.problems, self.policies)
        for number, line in source.lines(self.problems):
            if line.strip() == "[]":
                self.problems.notice("an empty timeline is left out", source, number)
            elif line.strip():
                try:
                    raw = parse_json(line)
                except JsonError as error:
                    self.problems.problem(str(error), source, number)
                else:
                    yield values.timeline(raw, source, number)

    def _rows(self, source: Source, topic: str) -> Iterator[Entry]:
        """Read CSV or TSV, a summary a row; the most frequent separator of the header counts."""
        problems = self.problems
        lines = (f"{line}\n" for _, line in source.lines(problems))
        head = next(lines, None)
        if head is None:
            return
        rows = csv.reader(chain([head], lines), delimiter=max(",;\t", key=head.count), strict=True)
        empty, with_topic, without_topic = True, False, []
        try:
            header = [cell.strip().lower() for cell in next(rows)]
            needed = COLUMNS[2:]
            optional = (*COLUMNS, LANGUAGE)
            if not check_columns(header, problems, source, needed=needed, optional=optional):
                return
            for row in rows:
                if not any(cell.strip() for cell in row):
                    continue
                empty = False
                if len(row) != len(header):
                    problems.problem(
                        f"the row has {len(row)} cells, the header {len(header)}; is the file cut?",
                        source,
                        rows.line_num,
                    )
                    continue
                cells = dict(zip(header, row, strict=True))
                row_topic = cells.get("topic", "").strip()
                with_topic = with_topic or bool(row_topic)
                without_topic += [] if row_topic else [rows.line_num]
                language = cells.get(LANGUAGE, "").strip()
                self._language(row_topic or topic, language, source, rows.line_num)
                timeline, written, summary = (cells.get(name, "") for name in COLUMNS[1:])
                yield row_topic or topic, timeline, written, summary, rows.line_num
            if empty:
                refuse_header_only("row", problems, source)
        except csv.Error as error:
            message = f"not a readable sheet: {error}; is the file cut?"
            problems.problem(message, source, rows.line_num)
        for line in without_topic if with_topic else ():
            problems.problem("there is no 'topic', and other rows have one", source, line)

    def _text(self, source: Source) -> Timeline:
        """Read tilse text.

        tilse drops a last day without dashes, lets a second date replace the first, and keeps the
        latter of two equal days, all silently. Here each is a problem with its line.
        """
        problems = self.problems
        builder = TimelineBuilder(source, problems, self.policies)
        day: Time | None = None
        texts: list[str] = []
        begin: int | None = None
        for number, line in source.lines(problems):
            text = line.strip()
            if begin is None:
                if text == DAY_END:
                    problems.problem("a line of dashes with no date before it", source, number)
                elif text:
                    begin, texts, day = number, [], builder.period(text, number)
                    if day in builder.days:
                        # A repeated date is refused, unless the user chose a policy for it.
                        chosen = self.policies.chosen
                        report = problems.notice if chosen else problems.accept_or_report
                        report(builder.repeated(day), source, number)
            elif set(text) == {"-"} or DAY_END in text:
                if set(text) != {"-"}:
                    problems.problem("text beside the dashes that end a day", source, number)
                elif text != DAY_END:
                    problems.problem(
                        f"a line of {len(text)} dashes, expected {len(DAY_END)} to end a day",
                        source,
                        number,
                    )
                builder.enter(day, texts)
                begin = None
            elif text:
                if _is_day(text):
                    problems.accept_or_report(
                        f"a date within the day that begins in {source.refer(begin, number)}; are "
                        "the dashes before it missing?",
                        source,
                        number,
                    )
                texts.append(text)
        if begin is not None:
            builder.enter(day, texts)
            problems.accept_or_report(
                f"the last day is not closed by {len(DAY_END)} dashes; is the file cut?",
                source,
                begin,
            )
        return builder.timeline()


def _entries(folder: Source) -> list[Source]:
    """Return the folders and files of a folder that may hold timelines."""
    return [
        entry
        for entry in folder.children()
        if not entry.file_name.startswith((".", *_NOT_TIMELINES))
        and (entry.is_folder or (entry.suffix in SUFFIXES and not entry.packing))
    ]


def _line_of(written: str, text: str) -> int | None:
    place = text.find(f'"{written}"')
    return None if place < 0 else text.count("\n", 0, place) + 1


def _is_day(text: str) -> bool:
    try:
        return Time.parse(text).is_day
    except TimeError:
        return False
