"""Read timelines from values, whether from a JSON file or from Python.

A value is one timeline, several golds of one topic (in a list or by name), topics with one or
several timelines each, or records that name their topic and timeline. A record is a mapping or any
object whose attributes have the same names, such as a dataclass.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import accumulate, chain, islice, pairwise
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from chronoscore.core.case import ONLY, put, some
from chronoscore.core.event import Event, event_problems
from chronoscore.core.problems import Problems
from chronoscore.core.records import as_json, misfits, misspelt
from chronoscore.core.sources import Source, odd_character
from chronoscore.elements.dated.model import DatedEvent, Timeline, plain_texts
from chronoscore.elements.text import language_code
from chronoscore.elements.time import Time, TimeError, refusal
from chronoscore.elements.time.calendar import BELOW_DAY, DATE_ORDERS
from chronoscore.elements.time.files import FileTimes
from chronoscore.elements.time.reading import Rules, read_time, too_coarse
from chronoscore.elements.time.value import Reading
from chronoscore.errors import DataError, UsageError

Collection = dict[str, dict[str, Timeline]]
"""Timelines by topic and, within a topic, by name."""


class DatedEntry(NamedTuple):
    """A part of a timeline, as it stands in a file."""

    topic: str
    timeline: str
    """The name of the timeline, or empty."""
    date: str | None
    texts: str | Sequence[str]
    line: int
    event: Event | None = None
    """The event that it is, if it is one."""


Role = Literal["gold", "predicted"]
Item = TypeVar("Item")


def sentences_of(texts: str | Sequence[str]) -> Sequence[str]:
    """Return the sentences of a day; a blank text stands for a day without sentences.

    >>> sentences_of("It began."), sentences_of(" "), sentences_of(["One.", "Two."])
    (['It began.'], [], ['One.', 'Two.'])
    """
    if isinstance(texts, str):
        return [texts] if texts.strip() else []
    return texts


class KnownDates:
    """Dates that were read under the same policies, since most are repeated."""

    def __init__(self) -> None:
        self.readings: dict[str, Reading] = {}
        """What dates were read as, by how they are written."""
        self._days: dict[str, Time] = {}
        """Those that are single days and have nothing to report."""

    def days(self, written: Sequence[str]) -> tuple[Time, ...] | None:
        """Return dates that are known as single days; None if any is not so."""
        times = tuple(map(self._days.get, written))
        return times if all(times) else None  # type: ignore[return-value]  # all are known

    def day(self, written: str) -> Time | None:
        """Return a date that is known as a single day, or None."""
        return self._days.get(written)

    def learn(
        self, written: Iterable[str], read: Callable[[str, Rules], Reading], rules: Rules
    ) -> bool:
        """Read dates that are not known; whether all of them are single days."""
        for text in {*written} - self._days.keys():
            try:
                self.readings[text] = read(text, rules)
            except TimeError:
                return False
            self.remember(text)
            if text not in self._days:
                return False
        return True

    def remember(self, written: str) -> None:
        """Remember a date that was read, if it is such a day, and written as YYYY-MM-DD.

        The order of these is that of the texts.
        """
        if len(self.readings) > _MOST_DATES:
            self.readings.clear()
            self._days.clear()
        reading = self.readings.get(written)
        if reading is None or reading.note or not reading.time.is_day or len(written) != _LENGTH:
            return
        if written == str(reading.time):
            self._days[written] = reading.time


@cache
def _known_dates(*_: Hashable) -> KnownDates:
    return KnownDates()


_MOST_DATES = 200_000
AT_ONCE = 500
"""Timelines that are read at once."""
_LENGTH = len("YYYY-MM-DD")
_LISTS, _TEXTS = frozenset((list, tuple)), frozenset((str,))


class Policies:
    """How to read dates, and what to do with those that are repeated or not exact enough."""

    def __init__(self, options: Mapping[str, str], role: Role) -> None:
        self.role = role
        self.dates = options.get("dates", "error")
        chosen = options.get("repeated_gold" if role == "gold" else "repeated", "")
        self.repeated = "" if chosen == "auto" else chosen
        """Which entries of a repeated date count, where the user or the protocol chose it."""
        self.form = options.get("form", "")
        """The form that is read of golds that are there in two, by the ending of its files."""
        self.splits_lists = bool(options.get("lists"))
        """Whether sentences that are lists in the spelling of Python are split."""
        columns = (pair.partition("=") for pair in options.get("column", "").split(","))
        self.columns = {meaning: name.strip().lower() for meaning, _, name in columns if meaning}
        """The names of columns that the user gave, by their meaning."""
        self.header = options.get("header", "yes")
        """Whether the first row of a sheet names its columns; auto finds out."""
        self.grain = options.get("grain", "day")
        """The finest grain by which a metric compares."""
        unit = options.get("time_unit", "")
        self.rules = Rules(
            dialect="offset" if unit else "calendar",
            unit=unit,
            date_order=options.get("date_order", ""),
            midnight_is_time=self.grain in BELOW_DAY or options.get("midnight") == "time",
        )
        self.keeps_events = options.get("events") == "keep"
        """Whether events, and texts without a date, are kept beside the days."""
        self.keeps_moments = options.get("moments") == "keep"
        """Whether times of day stay as they are, as where files are only converted."""
        self.ways = _other_ways(self.rules)

    def known(self, lenient: bool) -> KnownDates:
        """Return the dates that were read under these policies, leniently or not."""
        return _known_dates(self.dates, self.grain, self.rules, self.keeps_moments, lenient)

    def plain_timelines(
        self, several: Sequence[Mapping[str, Any]], lenient: bool
    ) -> list[Timeline] | None:
        """Return timelines that there is nothing to report of: {date: [sentence, ...]} each.

        Their dates are days. None if any of them may be anything else.
        """
        written = [*chain.from_iterable(several)]
        if self.grain in BELOW_DAY or not all(several) or not {*map(type, written)} <= _TEXTS:
            return None
        if any(len(one) > 1 and sorted(one) != [*one] for one in several):
            several = [dict(sorted(one.items())) for one in several]
            written = [*chain.from_iterable(several)]
        known = self.known(lenient)
        times = known.days(written)
        if times is None:
            rules = self.rules._replace(lenient=lenient)
            times = known.days(written) if known.learn(written, self.read, rules) else None
        days = [*chain.from_iterable([one.values() for one in several])]
        if times is None or not {*map(type, days)} <= _LISTS | _TEXTS:
            return None
        if not {*map(type, days)} <= _LISTS:
            days = [*map(sentences_of, days)]
        if not {*map(type, chain.from_iterable(days))} <= _TEXTS:
            return None
        texts = plain_texts(days)
        ends = accumulate(map(len, several), initial=0)
        return [Timeline(times[first:last], texts[first:last]) for first, last in pairwise(ends)]

    def read(self, written: str, rules: Rules) -> Reading:
        """Read a date as the metrics compare it, or refuse it."""
        time, note = read_time(written, rules)
        placed = self.placed(time, written)
        if self._lost_its_time(time, placed):
            note = AS_ITS_DAY if self.keeps_events else f"{AS_ITS_DAY}; grain=minute compares times"
        return Reading(placed, note)

    def _lost_its_time(self, time: Time, placed: Time) -> bool:
        return self.grain == "day" and time.is_moment and not placed.is_moment

    def placed(self, time: Time, written: str) -> Time:
        """Return a time as the metrics compare it, or refuse one that they can't place."""
        first, last = time.cells(self.grain)
        if first != last and self.dates != "interval":
            if self.dates != "first-day" or time.begin is None:
                article = "an" if self.grain == "hour" else "a"
                expected = _EXPECTED.get(self.grain, f"{article} {self.grain} (grain={self.grain})")
                choices = "interval" if time.begin is None else "first-day or interval"
                accepts = f"{expected}; --dates {choices} accepts it"
                raise too_coarse(written, time, accepts)
            time = replace(time, end=time.begin + 1, resolution="us", shape="date")
        elif self.keeps_moments:
            return time
        if time.is_moment and time.axis == "calendar" and self.grain not in BELOW_DAY:
            return time.truncate("day")
        return time


def _other_ways(rules: Rules) -> tuple[tuple[Rules, str], ...]:
    """Return the rules that may read what these refuse, and the words that name their option."""
    if rules.dialect == "offset":
        words = "; dates of the calendar are read without --time-unit"
        return tuple((Rules(date_order=order, lenient=True), words) for order in DATE_ORDERS)
    if rules.date_order:
        others = {order: order for order in DATE_ORDERS if order != rules.date_order}
    else:
        others = {"dmy": "dmy or mdy", "mdy": "mdy"}
    return (
        *((Rules(date_order=k), f"; --date-order {named} reads it") for k, named in others.items()),
        (Rules(dialect="offset", unit="hour"), "; --time-unit hour reads numbers as hours"),
    )


ZONE = "zone"
"""Facts about times of day: how many name a zone, and how many none."""
REPAIRED, REPEATED_DATES = "repaired", "repeated dates"
"""Facts about what was not as its format has it: by role and kind, how often."""
DATES_ONLY = "dates only"
"""Facts about files whose texts can't be divided by day: how many timelines each has."""
_SIDES = {"gold": "gold", "predicted": "prediction"}
LANGUAGE = "language"
"""The field that names the language of a topic, and the facts about it."""


def count_language(
    topic: object,
    language: object,
    role: Role,
    problems: Problems,
    source: Source | str,
    line: int | None = None,
) -> None:
    """Count that an entry names the language of its topic; a wrong code is a problem."""
    if language in ("", None):
        return
    try:
        problems.facts[LANGUAGE, role, str(topic), language_code(str(language))] += 1
    except UsageError as error:
        problems.problem(str(error), source, line)


def dated_event(event: Event) -> DatedEvent:
    """Return what a timeline keeps of an event; its time is read by the builder."""
    return DatedEvent(
        None,
        event.text.strip(),
        event.id,
        tuple(map(str.strip, event.facts)),
        event.facts_by,
        event.weight,
        event.labels,
        event.article,
    )


class TimelineBuilder:
    """Collects the days of one timeline from one file, or from a value that has a name.

    `whole_days` says that an entry is all of its day, so that the last entry of a date counts, as
    in every original; else entries are parts of days, and are joined. `line_of` finds the line of
    a date in sources that have no line numbers, and `owner` is whose timeline it is, where problems
    with dates should say so.
    """

    def __init__(
        self,
        source: Source | str,
        problems: Problems,
        policies: Policies,
        line_of: Callable[[str], int | None] = lambda _: None,
        *,
        whole_days: bool = False,
        owner: str = "",
    ) -> None:
        self.source = source
        self.problems = problems
        self.policies = policies
        self.days: dict[Time, list[str]] = {}
        self._events: list[DatedEvent] = []
        self._undated: list[str] = []
        self._whole_days = whole_days
        self._policy = policies.repeated or ("last" if whole_days else "join")
        self._repeats: dict[Time, int | None] = {}
        self._known = policies.known(problems.options.lenient)
        self._times = FileTimes(
            source,
            problems,
            policies.read,
            policies.rules,
            known=self._known.readings,
            line_of=line_of,
            ways=policies.ways,
            owner=owner,
            of_events=policies.keeps_events,
        )

    def period(self, written: str | Time, line: int | None) -> Time | None:
        """Read a date under the policies; None if it is unknown, or wrong and was reported."""
        if not isinstance(written, Time):
            time = self._known.day(written)
            if time is None:
                time = self._times.read(written, line)
                self._known.remember(written)
            return time
        try:
            return self.policies.placed(written, str(written))
        except TimeError as refused:
            self.problems.problem(refused.problems[0].message, self.source, line)
            return None

    def why_not(self, written: str) -> str:
        """Return why a text is no date, whatever the user may choose; empty if it is one."""
        return self._times.why_not(written)

    def is_date(self, key: Any) -> bool:
        """Whether a key is meant as a date, or is one by rules that the user may choose."""
        return is_date(key) or not self.why_not(str(key))

    def enter(
        self,
        period: Time | None,
        texts: Sequence[str],
        line: int | None = None,
        event: DatedEvent | None = None,
    ) -> None:
        """Add an entry; the policy says which entries of a date count.

        One without a date is left out, unless the policies keep events.
        """
        if event is not None:
            self._events.append(msgspec.structs.replace(event, time=period))
        if period is None:
            if event is None and self.policies.keeps_events:
                self._undated += plain_texts([texts])[0]
            return
        if period in self.days:
            self._repeats.setdefault(period, line)
        if period not in self.days or self._policy == "last":
            self.days[period] = list(texts)
        elif self._policy == "join":
            self.days[period] += texts

    def _report_repeats(self) -> None:
        """Report that dates are repeated, unless their entries are parts that are joined."""
        role = self.policies.role
        option = "--repeated-gold" if role == "gold" else "--repeated"
        if self._policy == "error":
            for day, line in self._repeats.items():
                message = f"{day} occurs twice in the {_SIDES[role]}; {option} join takes both"
                self.problems.problem(message, self.source, line)
        elif self._repeats and (self._whole_days or self._policy != "join"):
            effect = "all count" if self._policy == "join" else f"the {self._policy} counts"
            hint = "" if self.policies.repeated else f" ({option} join takes all)"
            self.problems.count(
                f"{{count}} date{{s}} with several entries in the {_SIDES[role]}, first {{first}}: "
                f"{effect}{hint}",
                [(line or 0, str(day)) for day, line in self._repeats.items()],
                self.source,
            )
            self.problems.facts[REPAIRED, role, REPEATED_DATES] += len(self._repeats)

    def timeline(self) -> Timeline:
        """Return the timeline of all days that were added; report repeats and odd spellings."""
        self._report_repeats()
        self._times.report()
        if self.policies.grain in BELOW_DAY:
            for day in self.days:
                self.problems.facts[ZONE, "none" if day.zone is None else "named"] += 1
        timeline = Timeline.of(self.days)
        if self._events or self._undated:
            events, undated = tuple(self._events), tuple(self._undated)
            timeline = msgspec.structs.replace(timeline, events=events, undated=undated)
        return timeline


# Timelines as values


EXPECTED = (
    "expected {date: [sentence, ...]}, [[date, [sentence, ...]], ...] or "
    '[{"date": ..., "summary": ...}, ...], or an object with such entries'
)
SHAPE = "shape"
"""The code of problems with values that can't be understood at all."""
_DATE_FIELDS = ("date", "start", "time")
_TEXT_FIELDS = ("summary", "events", "sentences", "text")
_WHOLE_FIELDS = ("entries", "days", "predict-timeline", "dates_to_summaries")
"""The fields of a record, a CHRONOS result or a tilse object that hold a whole timeline."""
_NAME_FIELDS = ("topic", "timeline")
_FIELDS = (*_DATE_FIELDS, *_TEXT_FIELDS, *_WHOLE_FIELDS, *_NAME_FIELDS, "id")
_DETAILS = ("id", "text", "facts", "facts_by", "weight", "labels", "article")
"""The fields of an event that are kept beside its date."""
_KNOWN_FIELDS = frozenset(_FIELDS).union(Event.__struct_fields__)
UNDATED = "{count} events have no date and are in no timeline, first '{first}'"
_EXPECTED = {"day": "YYYY-MM-DD"}
AS_ITS_DAY = "{count} time{s} of day read as the day alone, first '{first}'"
TUPLE = "[drug, relation, time]"
"""A tuple of ChemoTimelines, whose files have a list of them for each patient."""
_LOWER_CASE = re.compile(r"(?<=[0-9]-)w(?=[0-9]{2})|(?<=[0-9]{2})t(?=[0-9]{2}:)")
"""The signs of a week and of a time of day that these files write in lower case."""


class Values:
    """Reads timelines from values, and reports problems with the place of the value."""

    def __init__(
        self,
        problems: Problems,
        policies: Policies,
        line_of: Callable[[str], int | None] = lambda _: None,
    ) -> None:
        self.problems = problems
        self.policies = policies
        self.line_of = line_of
        self._reported: set[str] = set()
        self._ids: set[str] = set()

    def collection(
        self, value: Any, place: Source | str, topic: str, name: str = ONLY
    ) -> Collection:
        """Read all timelines of a value; `topic` and `name` are for a timeline that names none."""
        timelines = self._topics(value, place, topic, name)
        for key in {key for topic, named in timelines.items() for key in (topic, *named)}:
            if odd := odd_character(key):
                self.problems.problem(f"the name {key!a} {odd}", place)
        return timelines

    def _topics(self, value: Any, place: Source | str, topic: str, name: str) -> Collection:
        if self.policies.keeps_events and _has_tuples(value):
            return {str(key): {name: self._tuples(value[key], place, str(key))} for key in value}
        value = _unwrapped(value)
        records = _records(value)
        for item, record in zip(value if records else (), records, strict=True):
            language = (
                item.get(LANGUAGE) if isinstance(item, Mapping) else getattr(item, LANGUAGE, "")
            )
            count_language(
                record.get("topic") or topic, language, self.policies.role, self.problems, place
            )
        if any(record.get("topic") is not None for record in records):
            return self._grouped(records, place, topic)
        if isinstance(value, Mapping) and _holds_timelines(value):
            timelines: Collection = {}
            for topics in batched(value.items(), AT_ONCE):
                timelines |= self._plain_topics(topics, name) or {
                    str(key): self.golds(item, _within(place, key), name) for key, item in topics
                }
            return timelines
        return {topic: self.golds(value, place, name)}

    def _plain_topics(self, topics: Sequence[tuple[Any, Any]], name: str) -> Collection:
        """Return topics with one timeline each that there is nothing to report of, or nothing."""
        days = [item for _, item in topics]
        if {*map(type, days)} != {dict} or not {type(key) for key, _ in topics} <= _TEXTS:
            return {}
        plain = self.policies.plain_timelines(days, self.problems.options.lenient)
        if plain is None:
            return {}
        return {key: {name: one} for (key, _), one in zip(topics, plain, strict=True)}

    def golds(self, value: Any, place: Source | str, name: str = ONLY) -> dict[str, Timeline]:
        """Read one timeline, or several of a topic, in a list or by name."""
        value = _unwrapped(value)
        records = _records(value)
        if any(record.get("timeline") is not None for record in records):
            return self._grouped(records, place, "").get("", {})
        if isinstance(value, Mapping) and _holds_timelines(value):
            named = {str(key): item for key, item in value.items()}
        elif isinstance(value, Sequence) and any(map(is_timeline, value)):
            # An empty list is no gold; as a prediction it keeps its place among the others.
            golds = [item for item in value if item != [] or self.policies.role != "gold"]
            named = {str(number): item for number, item in enumerate(golds, 1)}
        else:
            return {name: self.timeline(value, place)}
        return {key: self.timeline(item, _within(place, key)) for key, item in named.items()}

    def _grouped(
        self, records: Sequence[Mapping[str, Any]], place: Source | str, topic: str
    ) -> Collection:
        """Read records that name their topic, their timeline, or both."""
        timelines: Collection = {}
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
                self.problems.problem(message, place)
            elif topics and not names[0] and "id" not in record:
                message = f"record {number}: there is no 'topic', and other records have one"
                self.problems.problem(message, place)
            else:
                key = (names[0] or topic, names[1] or ONLY)
                whole = _whole(record)
                if whole is None:
                    entries.setdefault(key, []).append(record)
                else:
                    put(timelines, *key, self.timeline(whole, place), self.problems, place)
        for key, items in entries.items():
            put(
                timelines,
                *key,
                self.timeline(items, place),
                self.problems,
                place,
            )
        return timelines

    def timeline(
        self,
        value: Any,
        place: Source | str,
        line: int | None = None,
    ) -> Timeline:
        """Read one timeline; a record may be only a part of its day, a pair is all of it."""
        if isinstance(value, Timeline):
            days_only = all(day.is_day for day in value.dates)
            if days_only and self.policies.grain == "day":
                return value
            value = value.days
        entries = _entries(value)
        if entries is None:
            self.problems.problem(f"{EXPECTED}; got {as_json(value)}", place, line, code=SHAPE)
            return Timeline()
        if not all(type(item) is tuple for item in entries):  # pairs have no fields
            self._check_fields(entries, place)
        whole = not _records(entries)
        builder = TimelineBuilder(
            place, self.problems, self.policies, self.line_of, whole_days=whole
        )
        days = _unwrapped(value)
        several = isinstance(days, Mapping) and len(days) > 1  # a single key is one problem anyway
        if several and not any(map(builder.is_date, days)):
            advice = "move it out of the folder if it is something else; "
            self.problems.problem(
                f"holds no timeline: none of its {len(days)} keys is a date "
                f"({some([*map(as_json, days)])}); {advice * isinstance(place, Source)}{EXPECTED}",
                place,
                line,
            )
            return Timeline()
        undated: list[tuple[int, str]] = []
        for item in entries:
            when, sentences, undated_id = _entry(item)
            event = self._event(item, place) if self.policies.keeps_events else None
            if event is not None and when is None:
                builder.enter(None, (), line, event)
            elif undated_id is not None:
                undated.append((0, undated_id))
            elif when is None or sentences is None:
                self.problems.problem(_not_an_entry(item), place, line, code=SHAPE)
            else:
                builder.enter(builder.period(when, line), sentences, line, event)
        self.problems.count(UNDATED, undated, place)
        if not entries:
            self.problems.notice("the timeline is empty", place, line)
        return builder.timeline()

    def _tuples(self, tuples: Any, place: Source | str, patient: str) -> Timeline:
        """Read the tuples of a patient: an event is a drug, its label the relation to the time."""
        owner = f"patient '{patient}'"
        builder = TimelineBuilder(place, self.problems, self.policies, self.line_of, owner=owner)
        if not isinstance(tuples, list | tuple):
            message = f"{owner}: expected a list of {TUPLE}; got {as_json(tuples)}"
            self.problems.problem(message, place, code=SHAPE)
            return Timeline()
        for item in tuples:
            if not _is_tuple(item):
                message = f"{owner}: expected {TUPLE}, three texts; got {as_json(item)}"
                self.problems.problem(message, place, code=SHAPE)
                continue
            drug, relation, written = item
            if not drug.strip() or odd_character(drug):
                message = f"{owner}: the drug is {as_json(drug)}, expected a name"
                self.problems.problem(message, place, code=SHAPE)
                continue
            event = DatedEvent(None, drug.strip(), labels=(relation.strip(),))
            time = builder.period(_LOWER_CASE.sub(lambda sign: sign[0].upper(), written), None)
            builder.enter(time, [event.text], None, event)
        return builder.timeline()

    def _event(self, item: Any, place: Source | str) -> DatedEvent | None:
        """Return the event that a record is, without its time; None if it is a part of a day."""
        fields = _fields(item)
        if fields is None or not isinstance(fields.get("text", ""), str):
            return None
        if "text" not in fields and "id" not in fields:
            return None
        details = {name: fields[name] for name in _DETAILS if fields.get(name) is not None}
        try:
            event = msgspec.convert({"id": "", **details}, Event, from_attributes=True)
        except ValueError as error:  # among them a field of the wrong type
            for problem in [*misfits({"id": "", **details}, Event)] or [str(error)]:
                self.problems.problem(f"event {as_json(item)}: {problem}", place, code=SHAPE)
            return None
        for problem in event_problems(event):
            self.problems.problem(f"event {as_json(item)}: {problem}", place, code=SHAPE)
        if event.id and event.id in self._ids:
            self.problems.problem(f"event id '{event.id}' is used twice", place, code=SHAPE)
        self._ids.add(event.id)
        return dated_event(event)

    def _check_fields(self, entries: Sequence[Any], place: Source | str) -> None:
        """Report unknown fields of records, each once."""
        names = {name for item in entries if isinstance(item, Mapping) for name in item}
        unknown = sorted(str(name) for name in names - _KNOWN_FIELDS - self._reported)
        if not unknown:
            return
        self._reported.update(unknown)
        expected = [*_NAME_FIELDS]
        for synonyms in (_DATE_FIELDS, _TEXT_FIELDS):
            expected += synonyms if names.isdisjoint(synonyms) else ()
        meant = misspelt([*unknown, *(names & set(expected))], expected)
        for name in unknown:
            if name in meant:
                message = f"unknown field '{name}'; did you mean '{meant[name]}'? Rename the field"
                self.problems.accept_or_report(message, place)
            else:
                self.problems.notice(f"unknown field '{name}' is ignored", place)


def entries_of(value: Any, place: str) -> list[tuple[str, list[str]]]:
    """Return the dates of one timeline, as they are written, each with its sentences.

    A value that is no timeline is an error that names its `place`.

    >>> entries_of({"2011-01-25": ["Protests begin.", "Police respond."]}, "gold")
    [('2011-01-25', ['Protests begin.', 'Police respond.'])]
    """
    entries = _entries(value.days if isinstance(value, Timeline) else value)
    if entries is None:
        raise DataError.of(f"{EXPECTED}; got {as_json(value)}", place)
    dates_and_sentences = []
    for item in entries:
        when, sentences, _ = _entry(item)
        if when is None or sentences is None:
            raise DataError.of(_not_an_entry(item), place)
        dates_and_sentences.append((str(when), sentences))
    return dates_and_sentences


def _entries(value: Any) -> list[Any] | None:
    """Return the entries of one timeline, pairs or records; None if the value is no timeline."""
    value = _unwrapped(value)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return None
    return list(value.items() if isinstance(value, Mapping) else value)


def _not_an_entry(item: Any) -> str:
    return f"expected a date and its list of sentences: {as_json(item)}"


def _within(place: Source | str, key: object) -> Source | str:
    """Return the place of an item of a value; the place in a file is the file."""
    return place if isinstance(place, Source) else f"{place}, {key}"


def _fields(item: Any) -> Mapping[str, Any] | None:
    """Return the fields of a record, a mapping or an object; None if the item is no record."""
    if isinstance(item, Mapping):
        return item if any(name in item for name in _FIELDS) else None
    if item is None or isinstance(item, str | bytes | list | Timeline):
        return None
    fields = {name: getattr(item, name, None) for name in (*_FIELDS, *_DETAILS)}
    fields = {n: value for n, value in fields.items() if value is not None and not callable(value)}
    return fields if any(name in fields for name in _FIELDS) else None


def _records(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return the records of a list; nothing if any of its items is no record."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return ()
    records = []
    for item in value:
        fields = _fields(item)
        if fields is None:
            return ()
        records.append(fields)
    return records


def _has_tuples(value: Any) -> bool:
    """Whether a value has tuples of ChemoTimelines by patient; nothing else has lists of three."""
    return isinstance(value, Mapping) and any(
        isinstance(items, list | tuple) and any(map(_is_tuple, items)) for items in value.values()
    )


def _is_tuple(item: Any) -> bool:
    is_list = isinstance(item, list | tuple) and len(item) == 3
    return is_list and all(isinstance(word, str) for word in item)


def _whole(record: Mapping[str, Any]) -> Any:
    """Return the days of a whole timeline in a record, or None."""
    return next((record[name] for name in _WHOLE_FIELDS if record.get(name) is not None), None)


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield items in lists of this size; the last may be shorter."""
    waiting = iter(items)
    while batch := [*islice(waiting, size)]:
        yield batch


def _unwrapped(value: Any) -> Any:
    """Return the days in a record or an object, unless it names a topic; else the value itself."""
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

    The values decide, since days have sentences; where all values are empty, the keys decide.
    """
    if any(is_timeline(item) or _has_entries(item) for item in value.values()):
        return True
    days = any(
        isinstance(item, str) or (isinstance(item, Sequence) and len(item) > 0)
        for item in value.values()
    )
    return bool(value) and not days and not any(map(is_date, value))


def is_timeline(item: Any) -> bool:
    """Whether an item is one timeline: days by date, entries, or an object that has them."""
    if isinstance(item, Mapping) and _has_dates(item):
        return True
    if isinstance(item, Timeline):
        return True
    if isinstance(item, list):
        return bool(item) and all(_fields(entry) is not None or _is_pair(entry) for entry in item)
    fields = _fields(item)
    return fields is not None and _whole(fields) is not None


def _is_pair(item: Any) -> bool:
    """Whether an item is a pair of a date and its sentences."""
    pair = isinstance(item, tuple | list) and len(item) == 2
    return pair and isinstance(item[0], str | date | Time) and is_date(item[0])


def _has_entries(item: Any) -> bool:
    """Whether an item holds days or timelines, not only sentences."""
    if isinstance(item, str | bytes) or not isinstance(item, Sequence):
        return isinstance(item, Mapping) and bool(item)
    return any(not isinstance(element, str) for element in item)


def _has_dates(keys: Mapping[Any, Any]) -> bool:
    """Whether any key is meant as a date."""
    if {*map(type, keys)} <= _TEXTS and all(map(_NAME.match, keys)):
        return False
    return any(map(is_date, keys))


_NAME = re.compile(
    "(?!(?i:jan|feb|ma[ry]|apr|ju[nl]|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun"
    "|c[ai.]|about|a[d.]|today|tomorrow|yesterday|now|xxx)|[PXY]|FUT)[A-Za-z]"
)
"""Begins with a letter, but as no date or other time does that can be read or is refused as one."""


def is_date(key: Any) -> bool:
    """Whether a key is meant as a date, valid or not."""
    if isinstance(key, date | Time):
        return True
    text = str(key)
    if _NAME.match(text):
        return False
    try:
        Time.parse(text, lenient=True)
    except TimeError as refused:
        unlike = (refusal.NOT_A_DATE, refusal.EMPTY)
        return refused.kind not in unlike or (text[:4].isdecimal() and "-" in text)
    return True


def _entry(item: Any) -> tuple[str | Time | None, list[str] | None, str | None]:
    """Return the date and the sentences of a pair or a record, None for what is missing.

    For an event without a date, the third value is its id.
    """
    if isinstance(item, tuple | list) and len(item) == 2:
        when, texts = item
    else:
        fields = _fields(item) or {}
        when = next((fields[name] for name in _DATE_FIELDS if name in fields), None)
        texts = next((fields[name] for name in _TEXT_FIELDS if name in fields), None)
        if "id" in fields:
            if not any(fields.get(name) for name in _DATE_FIELDS):
                return None, None, str(fields["id"])
            texts = "" if texts is None else texts  # as in a file of events
    when = _as_written(when)
    if isinstance(texts, str):
        return when, list(sentences_of(texts)), None
    if not isinstance(texts, list):  # the most common first: this is called for every day
        if isinstance(texts, Mapping | bytes) or not isinstance(texts, Iterable):
            return when, None, None
        texts = list(texts)
    for text in texts:
        if not isinstance(text, str):
            return when, None, None
    return when, texts, None


def _as_written(when: Any) -> str | Time | None:
    """Return a date of any type as text; None if it is no date."""
    if hasattr(when, "tolist"):  # of numpy
        when = when.tolist()
    if isinstance(when, date):
        return when.isoformat()
    if isinstance(when, int | float) and not isinstance(when, bool):
        return str(when)
    return when if isinstance(when, str | Time) else None


def topic_field(data: Any, name: str) -> Any:
    """Return a field of a topic's data, which is a key or an attribute."""
    if isinstance(data, Mapping) and name in data:
        return data[name]
    if not hasattr(data, name):
        hint = ", or a function golds= that returns them" if name == "gold_timelines" else ""
        raise UsageError(
            f"a topic of the dataset is a {type(data).__name__} without {name}: give "
            f"{{topic: {{'{name}': ...}}}}{hint}"
        )
    return getattr(data, name)
