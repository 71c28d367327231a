"""Timelines as values, out of a JSON file or straight from Python, under the same policies.

A value is one timeline, several golds of one topic (in a list or by name), topics with one or
several timelines each, or records that name their topic and timeline. A record is a mapping or any
object whose attributes have the same names, such as a dataclass.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from chronoscore.core.collection import ONLY, put
from chronoscore.core.columns import misspelt
from chronoscore.core.errors import DataError
from chronoscore.core.event import Event
from chronoscore.core.reading import Reading, odd_character
from chronoscore.core.records import as_json
from chronoscore.elements.periods import Period
from chronoscore.timelines.formats.days import Collection, DayBook, Policies, said
from chronoscore.timelines.model import Timeline

EXPECTED = (
    "expected {date: [sentence, ...]}, [[date, [sentence, ...]], ...] or "
    '[{"date": ..., "summary": ...}, ...], or an object with such entries'
)
SHAPE = "shape"
"""The code of problems with values that can't be understood at all."""
_DATE_FIELDS = ("date", "start", "time")
_TEXT_FIELDS = ("summary", "events", "sentences", "text")
_WHOLE_FIELDS = ("entries", "days", "predict-timeline", "dates_to_summaries")
"""Where a record, a CHRONOS result or an object of tilse has the days of a whole timeline."""
_NAME_FIELDS = ("topic", "timeline")
_FIELDS = (*_DATE_FIELDS, *_TEXT_FIELDS, *_WHOLE_FIELDS, *_NAME_FIELDS, "id")
_KNOWN_FIELDS = frozenset(_FIELDS).union(Event.__struct_fields__)
UNDATED = "{count} events have no date and are in no timeline, first '{first}'"
_NOTHING = (None, None)


class Values:
    """Reads timelines out of values; what is wrong is noted with the place that it came from."""

    def __init__(
        self,
        reading: Reading,
        policies: Policies,
        line_of: Callable[[str], int | None] = lambda _: None,
    ) -> None:
        self.reading = reading
        self.policies = policies
        self.line_of = line_of
        self._reported: set[str] = set()

    def collection(self, value: Any, place: object, topic: str, name: str = ONLY) -> Collection:
        """Read all timelines of a value; `topic` and `name` are those of one that names none."""
        found = self._topics(value, place, topic, name)
        for key in {key for topic, named in found.items() for key in (topic, *named)}:
            if odd := odd_character(key):
                self.reading.problem(f"the name {key!a} {odd}", place)
        return found

    def _topics(self, value: Any, place: object, topic: str, name: str) -> Collection:
        value = _unwrapped(value)
        records = _records(value)
        if any(record.get("topic") is not None for record in records):
            return self._grouped(records, place, topic)
        if isinstance(value, Mapping) and _holds_timelines(value):
            return {
                str(key): self.golds(item, _within(place, key), name) for key, item in value.items()
            }
        return {topic: self.golds(value, place, name)}

    def golds(self, value: Any, place: object, name: str = ONLY) -> dict[str, Timeline]:
        """Read one timeline, or several of a topic, in a list or by name."""
        value = _unwrapped(value)
        records = _records(value)
        if any(record.get("timeline") is not None for record in records):
            return self._grouped(records, place, "").get("", {})
        if isinstance(value, Mapping) and _holds_timelines(value):
            named = {str(key): item for key, item in value.items()}
        elif isinstance(value, Sequence) and any(map(is_timeline, value)):
            named = {str(number): item for number, item in enumerate(value, 1)}
        else:
            return {name: self.one(value, place)}
        return {key: self.one(item, _within(place, key)) for key, item in named.items()}

    def _grouped(
        self, records: Sequence[Mapping[str, Any]], place: object, topic: str
    ) -> Collection:
        """Read records that name their topic, their timeline, or both."""
        found: Collection = {}
        entries: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        topics = any(record.get("topic") is not None for record in records)
        for number, record in enumerate(records, 1):
            names = [record.get(field) for field in _NAME_FIELDS]
            wrong = [f for f in _NAME_FIELDS if not isinstance(record.get(f), str | None)]
            if wrong:
                value = record[wrong[0]]
                days = isinstance(value, Mapping | list)
                message = f"record {number}: '{wrong[0]}' is {as_json(value)}, expected a name"
                message += "; put the days of a timeline under 'entries'" if days else " as text"
                self.reading.problem(message, place)
            elif topics and not names[0] and "id" not in record:
                message = f"record {number}: there is no 'topic', and other records have one"
                self.reading.problem(message, place)
            else:
                key = (names[0] or topic, names[1] or ONLY)
                whole = _whole(record)
                if whole is None:
                    entries.setdefault(key, []).append(record)
                else:
                    put(found, *key, self.one(whole, place), self.reading, place)
        for key, items in entries.items():
            put(found, *key, self.one(items, place, parts=True), self.reading, place)
        return found

    def one(
        self, value: Any, place: object, line: int | None = None, *, parts: bool = False
    ) -> Timeline:
        """Read one timeline; `parts` says that an entry may be only a part of its day."""
        if isinstance(value, Timeline):
            if all(day.is_day for day, _ in value.days):
                return value
            value = value.days
        value = _unwrapped(value)
        if isinstance(value, Mapping):
            entries: Iterable[Any] = value.items()
        elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
            entries = list(value)
            self._check_fields(entries, place)
            parts = parts or any("id" in record for record in _records(entries))
        else:
            self.reading.problem(f"{EXPECTED}; got {as_json(value)}", place, line, code=SHAPE)
            return Timeline()
        book = DayBook(place, self.reading, self.policies)
        undated: list[tuple[int, str]] = []
        empty = True
        for item in entries:
            empty = False
            event = _undated(item)
            if event is None:
                self._enter(item, book, line, parts)
            else:
                undated.append((0, event))
        self.reading.tally(UNDATED, undated, place)
        if parts:
            book.tell_repeats()
        if empty:
            self.reading.notice("the timeline is empty", place, line)
        return book.timeline()

    def _enter(self, item: Any, book: DayBook, line: int | None, parts: bool) -> None:
        when, sentences = _entry(item)
        if when is None or sentences is None:
            message = f"expected a date and its list of sentences: {as_json(item)}"
            self.reading.problem(message, book.path, line, code=SHAPE)
            return
        if isinstance(when, str):
            day = book.period(when, line, self.line_of)
        else:
            day = book.settled(when, str(when), line)
        if day is None:
            return
        if day in book.days and not parts:
            self.reading.notice(f"{day} stands twice, {book.told()}", book.path, line)
        book.enter(day, sentences)

    def _check_fields(self, entries: Sequence[Any], place: object) -> None:
        """Report fields of records that are not known, each once."""
        names = {name for item in entries if isinstance(item, Mapping) for name in item}
        unknown = sorted(str(name) for name in names - _KNOWN_FIELDS - self._reported)
        if not unknown:
            return
        self._reported.update(unknown)
        wanted = [*_NAME_FIELDS]
        for alike in (_DATE_FIELDS, _TEXT_FIELDS):
            wanted += alike if names.isdisjoint(alike) else ()
        meant = misspelt([*unknown, *(names & set(wanted))], wanted)
        for name in unknown:
            if name in meant:
                message = f"unknown field '{name}'; did you mean '{meant[name]}'? Rename the field"
                self.reading.doubt(message, place)
            else:
                self.reading.notice(f"unknown field '{name}' is ignored", place)


def entries_of(value: Any, place: str) -> list[tuple[str, list[str]]]:
    """The dates of one timeline, as they are written, each with its sentences.

    A value that is no timeline is an error that names its `place`.

    >>> entries_of({"2011-01-25": ["Protests begin.", "Police respond."]}, "gold")
    [('2011-01-25', ['Protests begin.', 'Police respond.'])]
    """
    value = _unwrapped(value.days if isinstance(value, Timeline) else value)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise DataError.of(f"{EXPECTED}; got {as_json(value)}", place)
    found = []
    for item in value.items() if isinstance(value, Mapping) else value:
        when, sentences = _entry(item)
        if when is None or sentences is None:
            raise DataError.of(f"expected a date and its list of sentences: {as_json(item)}", place)
        found.append((str(when), sentences))
    return found


def _within(place: object, key: object) -> object:
    """The place of something in a value; a file stays its file."""
    return place if isinstance(place, Path) else f"{place}, {key}"


def _fields(item: Any) -> Mapping[str, Any] | None:
    """The fields of a record: a mapping, or attributes of an object; None if it is no record."""
    if isinstance(item, Mapping):
        return item if any(name in item for name in _FIELDS) else None
    if item is None or isinstance(item, str | bytes | list | Timeline):
        return None
    found = {name: getattr(item, name, None) for name in _FIELDS}
    found = {n: value for n, value in found.items() if value is not None and not callable(value)}
    return found or None


def _undated(item: Any) -> str | None:
    """The id of an event without a date; None for all other items."""
    if isinstance(item, tuple | list) or not (fields := _fields(item)) or "id" not in fields:
        return None
    return None if any(fields.get(name) for name in _DATE_FIELDS) else str(fields["id"])


def _records(value: Any) -> Sequence[Mapping[str, Any]]:
    """The records that a list holds; nothing if anything in it is none."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return ()
    found = []
    for item in value:
        fields = _fields(item)
        if fields is None:
            return ()
        found.append(fields)
    return found


def _whole(record: Mapping[str, Any]) -> Any:
    """The days of a whole timeline in a record, or None."""
    return next((record[name] for name in _WHOLE_FIELDS if record.get(name) is not None), None)


def _unwrapped(value: Any) -> Any:
    """A value without the record or the object around its days, unless that names a topic."""
    fields = _fields(value)
    if fields is None or _whole(fields) is None:
        return value
    if isinstance(value, Mapping) and "predict-timeline" not in value:
        others = [item for name, item in value.items() if name not in _KNOWN_FIELDS]
        if any(isinstance(item, Mapping | list) for item in others):
            return value  # a topic may be named `days`
    return _whole(fields) if fields.get("topic") is None else [fields]


def _holds_timelines(value: Mapping[Any, Any]) -> bool:
    """Whether the keys are names of timelines, not dates.

    What is under them tells: days have sentences. Where nothing is under them, the keys do.
    """
    if any(is_timeline(item) or _has_entries(item) for item in value.values()):
        return True
    days = any(_is_day(item) for item in value.values()) or any(is_date(key) for key in value)
    return bool(value) and not days


def is_timeline(item: Any) -> bool:
    """Whether it is one timeline: days by date, entries, or an object that has them."""
    if isinstance(item, Mapping) and any(is_date(key) for key in item):
        return True
    if isinstance(item, Timeline):
        return True
    if isinstance(item, list):
        return bool(item) and all(_fields(part) is not None or _is_pair(part) for part in item)
    fields = _fields(item)
    return fields is not None and _whole(fields) is not None


def _is_pair(item: Any) -> bool:
    """Whether it is a date and what belongs to it."""
    pair = isinstance(item, tuple | list) and not isinstance(item, Period) and len(item) == 2
    return pair and isinstance(item[0], str | date | Period) and is_date(item[0])


def _has_entries(item: Any) -> bool:
    """Whether it holds anything but sentences: days, or timelines."""
    if isinstance(item, str | bytes) or not isinstance(item, Sequence):
        return isinstance(item, Mapping) and bool(item)
    return any(not isinstance(part, str) for part in item)


def _is_day(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, Sequence) and len(item) > 0)


def is_date(key: Any) -> bool:
    """Whether it is meant as a date, right or wrong."""
    if isinstance(key, date | Period):
        return True
    text = str(key)
    try:
        Period.parse(text)
    except ValueError:
        return text[:4].isdecimal() and "-" in text
    return True


def _entry(item: Any) -> tuple[str | Period | None, list[str] | None]:
    """Take a date and its sentences out of a pair or a record, None for what is not there."""
    if isinstance(item, tuple | list) and len(item) == 2:
        when, texts = item
    else:
        fields = _fields(item)
        if fields is None:
            return _NOTHING
        when = next((fields[name] for name in _DATE_FIELDS if name in fields), None)
        texts = next((fields[name] for name in _TEXT_FIELDS if name in fields), None)
        if texts is None and "id" in fields:  # as in a file of events
            texts = ""
    if isinstance(when, str):
        pass
    elif isinstance(when, date):
        # A datetime is a date too, but equals none: only its day counts here.
        when = Period.day(date(when.year, when.month, when.day))
    elif not isinstance(when, Period):
        when = None
    if isinstance(texts, str):
        return when, list(said(texts))
    if not isinstance(texts, list):  # the most common first: this is called for every day
        if isinstance(texts, Mapping | bytes) or not isinstance(texts, Iterable):
            return when, None
        texts = list(texts)
    for text in texts:
        if not isinstance(text, str):
            return when, None
    return when, texts
