"""Read the timelines of a file or a folder, in any of the known layouts.

A folder holds topics: a file is a topic's only timeline; a subfolder is a topic whose files, or
files in its subfolder `timelines`, or lines of `timelines.jsonl`, are its golds; a folder of
folders is searched at any depth. Files of one name and several endings are forms of one timeline,
and so are `timelines.jsonl` and `timelines/`: one form is read, if they say the same.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from math import inf
from pathlib import Path, PurePath
from typing import Any

import msgspec

from chronoscore.core.case import ONLY, put, some
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.records import JsonError, parse_json, read_records
from chronoscore.core.sources import Source
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.dated.options import FORMS, LAYOUT
from chronoscore.elements.dated.values import (
    AT_ONCE,
    UNDATED,
    Collection,
    DatedEntry,
    Policies,
    Role,
    TimelineBuilder,
    Values,
    batched,
    count_language,
    dated_event,
    sentences_of,
)

# Most runs read one format: the modules of tilse text and sheets are imported when they are used.

NamedTimeline = tuple[str, str, Timeline, Source]
"""A topic, a timeline's name, the timeline, and its file."""
SUFFIXES = (".txt", ".json", ".jsonl", ".csv", ".tsv")
_NOT_TIMELINES = ("articles", "keywords", "InputDocs", "time_annotated")
_GOLDS = "timelines"
"""The folder, or the file of JSON lines, that has all golds of a topic."""
_TIMELINES, _DAYS, _EMPTY, _SILENT = "timelines", "days", "empty files", "empty lists"
"""Facts about a file."""
_KINDS = {"summaries": "summary", "days": "days"}
"""For each kind of lines that are no events, the field by which it is recognised."""
_DATE_KEY = re.compile(r'\s*\{\s*"-?[0-9]{4}-')
_NOT_BLANK = re.compile(r"\S")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
BESIDE = "{count} folder{s} beside the files of a topic not read, first {first}"
_NO_TIMELINES = ("tweet_ids", "reference-1")
"""Fields of CrisisLTLSum, whose references are summaries of whole timelines."""


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
        problems.problem(source.absence("file or folder"), source)
        return collection
    source.replaces_bytes = True
    reader = _Reader(problems, Policies(options or {}, role))
    timelines = reader.folder(source) if source.is_folder else reader.file(source, source.stem)
    files: list[Source] = []
    for topic, name, timeline, file in timelines:
        files.append(file)
        put(collection, topic, name, timeline, problems, file)
    if len(problems.problems) > before:
        return collection
    if collection:
        every = [t for named in collection.values() for t in named.values()]
        days = sum(len(t.dates) + len(t.events) + len(t.undated) for t in every)
        key = (role, source.name)
        facts: dict[Fact, int] = {(_TIMELINES, *key): len(collection), (_DAYS, *key): days}
        if not days and all(_is_blank_text(file, problems) for file in files):
            facts[_EMPTY, *key] = len(files)  # lenient reading takes them for timelines
        if not days and reader.policies.keeps_events and all(f.suffix == ".json" for f in files):
            facts[_SILENT, *key] = len(files)  # {patient: []} says that nothing is predicted
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
            if role == "gold" and not facts.get((_EMPTY, *key)):
                message = (
                    "no entry has a date, so there is no timeline; is it another kind of file?"
                )
                problems.problem(message, name)
            elif role == "predicted" and facts.get((_SILENT, *key)):
                problems.notice("all its timelines are empty", name)
            else:
                message = "no entry has a date, so all its timelines are empty"
                problems.accept_or_report(message, name)


def kind_of_lines(first: str) -> str:
    """Return the kind of a file by its first line: events, summaries, days, or timelines."""
    if not first.lstrip().startswith("{"):
        return "timelines"
    if '"id"' in first:
        return "events"
    if _DATE_KEY.match(first):
        return "timelines"
    return next((k for k, word in _KINDS.items() if f'"{word}"' in first), "events")


@dataclass(frozen=True)
class _Reader:
    """Reads the timelines of files, and reports all problems."""

    problems: Problems
    policies: Policies

    def folder(self, folder: Source) -> Iterator[NamedTimeline]:
        """Read the topics of a folder, or of the folders in it."""
        found: list[tuple[Source, tuple[Source, ...]]] = [(folder, ())]
        while found:
            entry, around = found.pop()
            if not entry.is_folder:
                yield from self.file(entry, entry.stem)
                continue
            if _leads_back(entry, around):
                self.problems.notice("a link to a folder around it is not followed", entry)
                continue
            inside = _entries(entry)
            files = [] if entry is folder else [one for one in inside if not one.is_folder]
            if golds := _golds(inside):
                yield from self.topic(entry, golds)
            elif files:
                beside = [one for one in inside if one.is_folder and _entries(one)]
                self.problems.count(BESIDE, [(0, one.name) for one in beside], folder)
                yield from self.topic(entry, files)
            elif inside:
                found += [(one, (*around, entry)) for one in reversed(self._chosen(inside))]
            elif entry is not folder:
                self.problems.notice("no timelines in this folder, it is not a topic", entry)

    def topic(self, folder: Source, entries: Sequence[Source]) -> Iterator[NamedTimeline]:
        """Read the golds of a topic: its files, or the files of its folder `timelines`."""
        for entry in self._chosen(entries):
            files = self._chosen(_entries(entry)) if entry.is_folder else [entry]
            for file in files:
                if not file.is_folder:
                    yield from self.file(file, folder.file_name, file.stem)

    def _chosen(self, entries: Sequence[Source]) -> list[Source]:
        """Return the entries of a folder, and of several forms of one timeline only one."""
        groups: dict[str, list[Source]] = {}
        for entry in entries:
            is_form = not entry.is_folder or _is_golds(entry)
            groups.setdefault(entry.stem if is_form else f"{entry.file_name}/", []).append(entry)
        return [entry for group in groups.values() for entry in self._one_form(group)]

    def _one_form(self, entries: Sequence[Source]) -> Sequence[Source]:
        """Return one form of some timelines: that of the user, or the first if all are equal."""
        entries = [entry for entry in entries if _form(entry)] or entries
        if len(entries) == 1:
            return entries
        forms = {_form(entry): entry for entry in entries}
        if self.policies.form in forms:
            return [forms[self.policies.form]]
        contents = [self._content(entry) for entry in entries]
        numbers = [Counter(content.values()) for content in contents]
        alone = {
            name: None
            for content, number in zip(contents, numbers, strict=True)
            for name, days in content.items()
            if any(number[days] != other[days] for other in numbers)
        }
        if alone or not all(contents):
            files = [entry for entry in entries if not entry.is_folder]
            names = " and ".join(entry.file_name + "/" * entry.is_folder for entry in entries)
            differ = "" if len(alone) <= len(entries) == len(files) else f" in {some([*alone])}"
            self.problems.problem(
                f"{names} are forms of the same timelines, and differ{differ}: choose one with "
                f"--form {' or '.join(sorted(forms))}",
                str(PurePath(entries[0].name).parent),
            )
            return []
        return sorted(entries, key=lambda entry: FORMS.index(_form(entry)))[:1]

    def _content(self, entry: Source) -> dict[str, Hashable]:
        """Return the timelines of a file or a folder, to compare them, and report nothing."""
        quiet = replace(self, problems=self.problems.unreported())
        timelines = (one for file in _files(entry) for one in quiet.file(file, "", file.stem))
        contents: dict[str, Hashable] = {}
        for topic, name, timeline, file in timelines:
            own_topic = "" if topic == file.folder_name else topic
            names = [part for part in (own_topic, name) if part and part != file.stem]
            days = tuple((day, tuple(map(_words, texts))) for day, texts in timeline.days)
            contents[":".join((file.file_name, *names))] = (own_topic, days)
        return contents

    def file(self, source: Source, topic: str, name: str = ONLY) -> Iterator[NamedTimeline]:
        """Read a file; `topic` and `name` are for a timeline that names none."""
        if source.suffix in (".csv", ".tsv"):
            from chronoscore.elements.dated.sheets import Sheet  # noqa: PLC0415

            self._recognised(source.suffix[1:].upper())
            sheet = Sheet(source, topic, self.problems, self.policies)
            return self._built(sheet.entries(), source, name=name)
        if source.suffix not in (".json", ".jsonl"):
            from chronoscore.elements.dated.tilse import read_text  # noqa: PLC0415

            self._recognised("tilse text")
            timeline = read_text(source, self.problems, self.policies)
            return iter([] if timeline is None else [(topic, name, timeline, source)])
        if self._has_lines(source):
            return self._lines(source, topic)
        return self._json(source, topic, name)

    def _recognised(self, layout: str) -> None:
        self.problems.facts[LAYOUT, self.policies.role, layout] += 1

    def _has_lines(self, source: Source) -> bool:
        """Whether a file of JSON has a value a line, whatever its ending."""
        quiet = self.problems.unreported()
        nonblank = (line for _, line in source.lines(quiet) if line.strip())
        lines = [*islice(nonblank, 2)]
        is_json = [_parsed(line) is not None for line in lines]
        if not all(is_json) and _values(source.text(quiet) or ""):
            return False
        # A damaged line is reported as such.
        return source.suffix == ".jsonl" or (is_json[:1] == [True] and len(lines) > 1)

    def _built(
        self, entries: Iterable[DatedEntry], source: Source, *, name: str = ONLY
    ) -> Iterator[NamedTimeline]:
        """Build timelines from entries in any order; `name` is for those that name none."""
        builders: dict[tuple[str, str], TimelineBuilder] = {}
        for entry in entries:
            key = (entry.topic, entry.timeline or name)
            if key not in builders:
                builders[key] = TimelineBuilder(source, self.problems, self.policies)
            builder, event = builders[key], None
            if entry.event is not None and self.policies.keeps_events:
                event = dated_event(entry.event)
            time = None if entry.date is None else builder.period(entry.date, entry.line)
            builder.enter(time, sentences_of(entry.texts), entry.line, event)
        for (topic, own_name), builder in builders.items():
            yield topic, own_name, builder.timeline(), source

    def _json(self, source: Source, topic: str, name: str) -> Iterator[NamedTimeline]:
        """Read one JSON value, or several: timelines by topic, records, or a gold each."""
        text = source.text(self.problems)
        if text is None or not text.strip():
            return
        try:
            raw = parse_json(text)
        except JsonError as error:
            raw = _values(text)
            if not raw:
                self.problems.problem(str(error), source, error.line)
                return
        if self._has_no_timelines(raw, source):
            return
        from chronoscore.elements.dated.results import (  # noqa: PLC0415 - only for JSON
            WITHOUT_GOLDS,
            is_result_file,
        )

        if is_result_file(raw):
            self.problems.problem(WITHOUT_GOLDS, source)
            return
        self._recognised("JSON")
        if source.suffix == ".jsonl":
            topic, name = source.folder_name if source.stem == _GOLDS else topic, ONLY
        values = Values(self.problems, self.policies, _LinesOfTexts(text).line_of)
        for key, named in values.collection(raw, source, topic, name).items():
            for timeline_name, timeline in named.items():
                yield key, timeline_name, timeline, source

    def _has_no_timelines(self, value: Any, source: Source) -> bool:
        """Report a known collection that has no dated timelines."""
        first = value[0] if isinstance(value, list) and value else value
        known = isinstance(first, Mapping) and any(name in first for name in _NO_TIMELINES)
        if known:
            self.problems.problem(
                "these are no dated timelines: each reference summarises a whole timeline of "
                "tweets, as in CrisisLTLSum. For ROUGE against all references of a timeline, write "
                "each as one day of its own timeline, as in "
                '{"topic": ID, "timeline": "1", "date": "2021-01-01", "summary": TEXT}, and score '
                "with -m concat --golds pooled. Labels of tweets are not scored here",
                source,
            )
        return known

    def _lines(self, source: Source, topic: str) -> Iterator[NamedTimeline]:
        """Read JSONL: events, summaries of days, or a timeline a line (ours, or news-tls)."""
        first = source.first_line(self.problems) or "{"
        kind = kind_of_lines(first)
        if kind == "events" and self._has_no_timelines(_parsed(first), source):
            return
        self._recognised("news-tls lines" if kind == "timelines" else f"lines of {kind}")
        if kind == "events":
            yield from self._built(self._events(source, topic), source)
        elif kind == "summaries":
            yield from self._built(self._summaries(source), source)
        elif kind == "days":
            yield from self._days(source)
        else:
            topic = source.folder_name if source.stem == _GOLDS else topic
            for number, timeline in enumerate(self._unnamed(source), 1):
                yield topic, str(number), timeline, source

    def _days(self, source: Source) -> Iterator[NamedTimeline]:
        """Read many lines at once, and report their problems line by line."""
        reported = self.problems.problems
        before = len(reported)
        for records in batched(read_records(source, TimelineRecord, self.problems), AT_ONCE):
            for line, record in records:
                self._language(record.topic, record.language, source, line)
            timelines = self._whole(records, source)
            reported[before:] = sorted(reported[before:], key=lambda one: one.line or inf)
            for (_, record), timeline in zip(records, timelines, strict=True):
                yield record.topic, record.timeline or ONLY, timeline, source
            before = len(reported)

    def _whole(
        self, records: Sequence[tuple[int, TimelineRecord]], source: Source
    ) -> Sequence[Timeline]:
        """Return the timelines of records, at once if there is nothing to report of them."""
        every = [record.days for _, record in records]
        plain = self.policies.plain_timelines(every, self.problems.options.lenient)
        if plain is not None:
            return plain
        timelines = []
        for line, record in records:
            builder = TimelineBuilder(source, self.problems, self.policies, whole_days=True)
            for written, texts in record.days.items():
                builder.enter(builder.period(written, line), sentences_of(texts), line)
            timelines.append(builder.timeline())
        return timelines

    def _language(self, topic: str, language: str, source: Source, line: int) -> None:
        count_language(topic, language, self.policies.role, self.problems, source, line)

    def _summaries(self, source: Source) -> Iterator[DatedEntry]:
        for line, record in read_records(source, SummaryRecord, self.problems):
            self._language(record.topic, record.language, source, line)
            yield DatedEntry(record.topic, record.timeline, str(record.date), record.summary, line)

    def _events(self, source: Source, topic: str) -> Iterator[DatedEntry]:
        """Yield the dates and texts of events, in file order within a day."""
        undated: list[tuple[int, str]] = []
        for line, event in numbered_events(source, self.problems):
            if event.date is None:
                undated.append((line, event.id))
            self._language(event.topic or topic, event.language, source, line)
            yield DatedEntry(
                event.topic or topic, event.timeline, event.date, event.text, line, event
            )
        if not self.policies.keeps_events:
            self.problems.count(UNDATED, undated, source)

    def _unnamed(self, source: Source) -> Iterator[Timeline]:
        """Read the timelines of one topic, one a line, without names."""
        values = Values(self.problems, self.policies)
        for number, line in source.lines(self.problems):
            if line.strip() == "[]" and self.policies.role == "gold":
                self.problems.notice("an empty timeline is left out", source, number)
            elif line.strip():
                try:
                    raw = parse_json(line)
                except JsonError as error:
                    self.problems.problem(str(error), source, number)
                else:
                    yield values.timeline(raw, source, number)


def _entries(folder: Source) -> list[Source]:
    """Return the folders and files of a folder that may hold timelines."""
    return [
        entry
        for entry in folder.children()
        if not entry.file_name.startswith((".", *_NOT_TIMELINES))
        and (entry.is_folder or (entry.suffix in SUFFIXES and not entry.packing))
    ]


def _leads_back(entry: Source, around: Iterable[Source]) -> bool:
    """Whether a folder is a link to one of the folders that it was found in, or around them."""
    return Path(entry.name).is_symlink() and any(
        PurePath(folder.identity).is_relative_to(entry.identity) for folder in around
    )


def _is_golds(entry: Source) -> bool:
    return entry.is_folder and entry.file_name == _GOLDS


def _golds(entries: Sequence[Source]) -> list[Source]:
    """Return the folder `timelines` with the golds of a topic, and the other forms of them."""
    if not any(_is_golds(entry) and _form(entry) for entry in entries):
        return []
    return [entry for entry in entries if _is_golds(entry) or entry.stem == _GOLDS]


def _form(entry: Source) -> str:
    """Return the form of a file, or of the files in a folder: the ending of its name."""
    files = _files(entry)
    return files[0].file_suffix[1:] if files else ""


def _files(entry: Source) -> list[Source]:
    """Return a file, or the files in a folder."""
    inside = _entries(entry) if entry.is_folder else [entry]
    return [file for file in inside if not file.is_folder]


def _words(text: str) -> str:
    return " ".join(text.split())


def _is_blank_text(source: Source, problems: Problems) -> bool:
    return source.suffix == ".txt" and not source.first_line(problems)


def _values(text: str) -> list[Any]:
    """Return the JSON values of a text, one after the other; none if it has anything else."""
    from json import JSONDecoder  # noqa: PLC0415 - few files have several values

    decoder, values, at = JSONDecoder(), list[Any](), 0
    try:
        while begin := _NOT_BLANK.search(text, at):
            at = decoder.raw_decode(text, begin.start())[1]
            values.append(parse_json(text[begin.start() : at]))
    except (ValueError, RecursionError):
        return []
    return values


def _parsed(line: str) -> Any:
    try:
        return parse_json(line)
    except JsonError:
        return None


class _LinesOfTexts:
    """Finds the first line of quoted texts in JSON; they are collected once, if at all."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _lines(self) -> dict[str, int]:
        lines: dict[str, int] = {}
        for number, line in enumerate(self._text.split("\n"), 1):
            for written in _QUOTED.findall(line):
                lines.setdefault(written, number)
        return lines

    def line_of(self, written: str) -> int | None:
        return self._lines.get(written)
