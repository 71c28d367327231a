"""The events family: its cases, catalogue and protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from chronoscore.core.case import BY_TOPIC, OTHER_GOLDS
from chronoscore.core.family import Family, Protocol
from chronoscore.core.functions import late
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Fact, Problems
from chronoscore.core.sources import Source
from chronoscore.elements.dated import cases as dated
from chronoscore.elements.dated.model import DatedEvent, References, Timeline
from chronoscore.elements.dated.options import TOPICS
from chronoscore.elements.dated.reading import RECORD_FIELDS
from chronoscore.elements.dated.values import LANGUAGE, is_timeline
from chronoscore.elements.text import language_code
from chronoscore.elements.time.closeness import Closeness
from chronoscore.errors import UsageError
from chronoscore.events.comparison import (
    compare,
    compare_many,
    texts_by_event,
    times_by_event,
    tokeniser_of,
)
from chronoscore.events.metrics import DEFINITIONS
from chronoscore.events.model import order, size_of
from chronoscore.events.options import OPTIONS
from chronoscore.events.verdicts import verdicts_of

Cases = dict[str, list[dated.TimelineCase]]
_FACTS = "facts"
"""The fact that events have facts, by side and by who made them; empty if there are none."""
_VERDICT = "id in a verdict"
"""The fact that an event with an id that verdicts name was read, by side and id."""
_BETWEEN = "\n"
"""Stands between the names of several files of verdicts."""
GOLD = "(gold)"
"""The system of gold events, where verdicts name events."""
_UNDATED = "events without a date"
_KIND = "kind of file"
"""The fact that a side has records of events, or days that are cut."""
_DECLARED = "declared language"
_SILENT = "events without a text"


def read_cases(
    gold: Source,
    predictions: Mapping[str, Source | Sequence[Source]],
    problems: Problems,
    options: Mapping[str, str],
    **words: Any,
) -> Cases:
    """Read the cases of each system, with the events behind their timelines."""
    header = options.get("header") or "auto"
    reading = {**options, "golds": "each", "events": "keep", "header": header}
    cases: Cases = dated.read_cases(gold, predictions, problems, reading, **words)
    if options.get("other_golds") != "hide" and (others := _other_golds(cases)):
        cases[OTHER_GOLDS] = others
    if options.get("duplicates") == "collapse":
        cases = _collapsed(cases, problems)
    if verdicts := options.get("verdicts"):
        cases = _with_systems(cases)
        _count_ids(cases, verdicts, problems)
    if options.get("salience"):
        cases = {name: _with_other_golds(several) for name, several in cases.items()}
    _count(cases, problems)
    if language := options.get("language", ""):
        problems.facts[_DECLARED, language] += 1
    return cases


def read_golds(
    source: Source, problems: Problems, options: Mapping[str, str]
) -> tuple[dated.Timelines, dict[str, str]]:
    """Read golds alone, with their events, and the language of each topic where there is any."""
    golds = dated.read_side(source, problems, {**options, "events": "keep"}, "gold")
    languages = dated.languages_of(golds, problems, options.get("language", ""))
    problems.check()
    dated.count_languages(golds, problems)
    return golds, languages


def _other_golds(cases: Cases) -> list[dated.TimelineCase]:
    """Pair each gold with every other gold of its topic, as if it were a prediction."""
    golds: dict[str, dict[str, Timeline]] = {}
    languages: dict[str, str] = {}
    for case in (case for several in cases.values() for case in several):
        topic = case.tags["topic"]
        golds.setdefault(topic, {}).setdefault(case.tags["gold"], case.gold[0])
        if LANGUAGE in case.tags:
            languages[topic] = case.tags[LANGUAGE]
    return dated.with_languages(dated.ceiling_cases(golds), languages)


def _collapsed(cases: Cases, problems: Problems) -> Cases:
    """Leave out events that repeat another one of the same timeline."""
    seen: dict[int, Timeline] = {}
    repeats = 0

    def collapsed(timeline: Timeline) -> Timeline:
        nonlocal repeats
        if id(timeline) not in seen:
            united: dict[tuple[object, ...], DatedEvent] = {}
            for event in sorted(timeline.events, key=order):
                first = united.setdefault(_repeat_key(event), event)
                united[_repeat_key(event)] = _united(first, event)
            texts = tuple(tuple(dict.fromkeys(day)) for day in timeline.texts)
            undated = tuple(dict.fromkeys(timeline.undated))
            repeats += len(timeline.events) - len(united) + len(timeline.undated) - len(undated)
            if not timeline.events:
                repeats += sum(map(len, timeline.texts)) - sum(map(len, texts))
            seen[id(timeline)] = structs.replace(
                timeline, texts=texts, events=tuple(united.values()), undated=undated
            )
        return seen[id(timeline)]

    converted = {
        name: [
            structs.replace(
                case, gold=tuple(map(collapsed, case.gold)), predicted=collapsed(case.predicted)
            )
            for case in several
        ]
        for name, several in cases.items()
    }
    message = "{count} event{s} left out: another has the same text, date and labels"
    problems.count(message, (), count=repeats)
    return converted


def _repeat_key(event: DatedEvent) -> tuple[object, ...]:
    return event.text.casefold(), event.time, event.labels


def _united(event: DatedEvent, repeat: DatedEvent) -> DatedEvent:
    """Return an event with the larger weight and all facts of it and of its repeat."""
    weights = [one.weight for one in (event, repeat) if one.weight is not None]
    facts = tuple(dict.fromkeys((*event.facts, *repeat.facts)))
    return structs.replace(event, weight=max(weights, default=None), facts=facts)


def _with_systems(cases: Cases) -> Cases:
    """Say of events whose they are, since verdicts name events and may name systems."""
    seen: dict[tuple[int, str], Timeline] = {}

    def named(timeline: Timeline, system: str) -> Timeline:
        if (id(timeline), system) not in seen:
            events = tuple(structs.replace(event, system=system) for event in timeline.events)
            seen[id(timeline), system] = structs.replace(timeline, events=events)
        return seen[id(timeline), system]

    return {
        name: [
            structs.replace(
                case,
                gold=tuple(named(gold, GOLD) for gold in case.gold),
                predicted=named(case.predicted, name),
            )
            for case in several
        ]
        for name, several in cases.items()
    }


def _with_other_golds(cases: Sequence[dated.TimelineCase]) -> list[dated.TimelineCase]:
    """Give each case the other golds of its topic, by which events are weighed."""
    golds: dict[str, dict[str, Timeline]] = {}
    for case in cases:
        golds.setdefault(case.tags["topic"], {})[case.tags["gold"]] = case.gold[0]
    others = {
        case.id: tuple(
            gold for gold in golds[case.tags["topic"]].values() if gold is not case.gold[0]
        )
        for case in cases
    }
    return [structs.replace(case, gold=(case.gold[0], *others[case.id])) for case in cases]


def _count_ids(cases: Cases, verdicts: str, problems: Problems) -> None:
    """Count the ids and the systems of verdicts that the data have."""
    rows = [row for name in verdicts.split(_BETWEEN) for row in verdicts_of(name)[0]]
    for system in cases:
        problems.facts[_VERDICT, "system", system] += 1
    wanted = {"gold": {row.gold for row in rows}, "predicted": {row.predicted for row in rows}}
    for several in cases.values():
        for case in several:
            for side, timeline in (("gold", case.gold[0]), ("predicted", case.predicted)):
                for event in timeline.events:
                    if event.id in wanted[side]:
                        problems.facts[_VERDICT, side, event.id] += 1


def _count(cases: Cases, problems: Problems) -> None:
    """Count the events with facts, by who made them, and those without a date."""
    counted: set[int] = set()
    for name, several in cases.items():
        for case in several:
            for side, timeline in (("gold", case.gold[0]), (name, case.predicted)):
                if id(timeline) in counted or name == OTHER_GOLDS:
                    continue
                counted.add(id(timeline))
                if timeline.events or timeline.dates:
                    problems.facts[_KIND, side, "events" if timeline.events else "days"] += 1
                for event in timeline.events:
                    made_by = event.facts_by or "given" if event.facts else ""
                    problems.facts[_FACTS, side, made_by] += 1
                undated = sum(event.time is None for event in timeline.events)
                if undated + len(timeline.undated):
                    problems.facts[_UNDATED, side] += undated + len(timeline.undated)
                if silent := sum(not event.text for event in timeline.events):
                    problems.facts[_SILENT, side] += silent


def reader_options(metrics: Sequence[Metric]) -> dict[str, str]:
    """Tell the reader whether times of day count, and whether verdicts or salience are asked."""
    for metric in metrics:
        if metric.definition.name == "event-strict" and not metric.values.get("verdicts"):
            raise UsageError("event-strict needs verdicts=FILE: nothing else says what is wrong")
    rules = [Closeness.parse(str(metric.values.get("closeness", "near"))) for metric in metrics]
    options = {"grain": "day" if all(rule.unit == "day" for rule in rules) else "tick"}
    if files := {str(metric.values.get("verdicts", "")) for metric in metrics} - {""}:
        options["verdicts"] = _BETWEEN.join(sorted(files))
    if any(metric.definition.name == "salient-recall" for metric in metrics):
        options["salience"] = "yes"
    return options


def check_names(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems, _: Sequence[str]
) -> None:
    """Report what metrics ask for and the data lack: dates, facts, ids of verdicts, English."""
    dated.check_timelines(metrics, facts, problems, "tokens")
    _report_undated(facts, problems)
    _report_silent(facts, problems)
    _report_kinds(facts, problems)
    _report_languages(metrics, facts, problems)
    if any(metric.definition.name == "event-facts" for metric in metrics):
        _check_facts(facts, problems)
    for name in sorted({str(metric.values.get("verdicts", "")) for metric in metrics} - {""}):
        _check_verdicts(name, facts, problems)


def _report_languages(
    metrics: Sequence[Metric], facts: Mapping[Fact, int], problems: Problems
) -> None:
    """Report topics that are declared in another language than that of the tokens."""
    if not any(metric.values.get("tokens") == "content" for metric in metrics):
        return
    others = {fact[2] for fact in facts if fact[:2] == (LANGUAGE, "gold") and not _english(fact[3])}
    problems.count(
        "tokens=content is for English, and the language of {some} is another one: "
        "--protocol events-words is for every language",
        [(0, topic) for topic in sorted(others)],
    )


def _english(code: str) -> bool:
    return code.partition("-")[0] == "en"


def usual_protocol(options: Mapping[str, str]) -> Protocol:
    """Return the protocol for the language that the user declares; it is never guessed."""
    language = options.get("language", "")
    return EVENTS if language in ("", TOPICS) or _english(language_code(language)) else EVENTS_WORDS


def _report_kinds(facts: Mapping[Fact, int], problems: Problems) -> None:
    """Report that the records of one side are compared with the cut days of the other."""
    kinds: dict[str, set[str]] = {}
    for fact in facts:
        if fact[0] == _KIND:
            kinds.setdefault(fact[1], set()).add(fact[2])
    gold = kinds.pop("gold", set())
    for system, system_kinds in kinds.items():
        if system_kinds != gold:
            problems.notice(
                f"{system}: records of events are compared with days that are cut into sentences; "
                "unit=entry takes entries as they are"
            )


def _report_undated(facts: Mapping[Fact, int], problems: Problems) -> None:
    undated = {fact[1]: number for fact, number in facts.items() if fact[0] == _UNDATED}
    for side, number in undated.items():
        owner = "the gold" if side == "gold" else side
        words = "have" if number > 1 else "has"
        effect = (
            "their dates are not scored"
            if side == "gold"
            else "they earn no credit for time where the gold has a date"
        )
        problems.notice(f"{number} event{'s' * (number > 1)} of {owner} {words} no date: {effect}")


def _report_silent(facts: Mapping[Fact, int], problems: Problems) -> None:
    for fact, number in facts.items():
        if fact[0] == _SILENT:
            owner = "the gold" if fact[1] == "gold" else fact[1]
            words = "events have" if number > 1 else "event has"
            problems.notice(
                f"{owner}: {number} {words} no text, and can match only events without one"
            )


def _check_facts(facts: Mapping[Fact, int], problems: Problems) -> None:
    """Refuse sides without facts, and report events without any and facts of different makers."""
    sides: dict[str, dict[str, int]] = {}
    for fact, number in facts.items():
        if fact[0] == _FACTS:
            sides.setdefault(fact[1], {})[fact[2]] = number
    for side, makers in sides.items():
        owner = "gold event" if side == "gold" else f"event of {side}"
        if not makers.keys() - {""}:
            problems.problem(
                f"no {owner} has facts, and event-facts compares them: give the field 'facts', or "
                "let a model list them with `chronoscore judge --ask facts`"
            )
        elif makers.get(""):
            number, owner = makers[""], "the gold" if side == "gold" else side
            words = "events have" if number > 1 else "event has"
            problems.notice(f"{owner}: {number} {words} no facts")
    gold = sides.get("gold", {}).keys() - {""}
    for side, makers in sides.items():
        if (others := makers.keys() - {""}) and gold and others != gold:
            problems.notice(
                f"the facts of {side} are by {', '.join(sorted(others))}, those of the gold by "
                f"{', '.join(sorted(gold))}: they may be cut in another way"
            )


def _check_verdicts(name: str, facts: Mapping[Fact, int], problems: Problems) -> None:
    """Report verdicts on events that no file has."""
    rows, notices = verdicts_of(name)
    for notice in notices:
        problems.notice(notice)
    path = name.rpartition("@")[0] or name
    systems = {row.system for row in rows if not facts.get((_VERDICT, "system", row.system))}
    if unknown := sorted(systems - {""}):
        problems.notice(f"verdicts on systems that are not scored: {', '.join(unknown)}", path)
    for side in ("gold", "predicted"):
        unknown = sorted(
            {
                one
                for row in rows
                if (one := getattr(row, side)) and not facts.get((_VERDICT, side, one))
            }
        )
        if unknown:
            listed = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
            problems.problem(
                f"{len(unknown)} verdict{'s' * (len(unknown) > 1)} on {side} events that no file "
                f"has: {listed}; are the ids those of the field 'id'?",
                path,
            )


def content_of(side: References | Timeline) -> object:
    """Return what a side holds as plain values; the other golds of a topic are no part of it."""
    return dated.content_of(side if isinstance(side, Timeline) else side[:1])


def cells_of(case: dated.TimelineCase) -> int:
    """Count the pairs of a predicted and a gold event; exactly where they are many."""
    cells = size_of(case.predicted) * size_of(case.gold[0])
    if cells < _MANY_CELLS:
        return cells
    return size_of(case.predicted, exactly=True) * size_of(case.gold[0], exactly=True)


_MANY_CELLS = 1_000_000
"""So many cells are counted exactly, since the memory budget is for some ten times more."""


_PATH = "gold:mean-f>topic:mean-f>trial:mean-f"
_MATCHED = (
    *("event-timed", "event-f1", "text-quality"),
    *("event-soft", "event-date", "event-order", "event-rates"),
)

EVENTS = Protocol(
    name="events",
    meaning="events matched one to one against each gold alone; mean of F within a topic, then "
    "over topics",
    citation="Chronoscore",
    metrics=(*_MATCHED, "event-timed(unit=day)", "event-f1(unit=day)"),
    path=_PATH,
    undefined="skip",
)
_WORDS = {
    **{f"{name}-words": f"{name}(tokens=words,threshold=0.2)" for name in _MATCHED},
    **{
        f"{name}-words-day": f"{name}(unit=day,tokens=words,threshold=0.2)"
        for name in ("event-timed", "event-f1")
    },
}
EVENTS_WORDS = replace(
    EVENTS,
    name="events-words",
    meaning="as events, for every language: words without stop list and stems, threshold 0.2",
    metrics=tuple(_WORDS.values()),
)
_LOG = "unit=entry,time_weight=0,closeness=log(unit=hour,horizon=1y)"
_SERIES = {
    "log-credit": f"event-timed({_LOG})",
    "within-24h": "event-timed(unit=entry,time_weight=0,closeness=within(24h))",
    "series-f1": f"event-f1({_LOG})",
    "series-order": f"event-order({_LOG})",
    "series-concordance": f"concordance({_LOG})",
    "hours-off": f"time-off({_LOG})",
}
TIMESERIES = Protocol(
    name="timeseries",
    meaning="textual time series: the best matching, how far times are off on a logarithmic scale "
    "up to a year, those within a day, and order; mean of F over documents",
    citation="Chronoscore; the questions are those of Noroozizadeh and Weiss 2026 (T2S2)",
    metrics=tuple(_SERIES.values()),
    path=_PATH,
    undefined="skip",
)
_GREEDY = f"similarity=meaning,threshold=0.9,match=greedy,{_LOG}"
_T2S2 = {
    "t2s2-found": f"event-f1({_GREEDY})",
    "t2s2-log-credit": f"event-timed({_GREEDY})",
    "t2s2-concordance": f"concordance({_GREEDY})",
    "t2s2-hours-off": f"time-off({_GREEDY})",
    "t2s2-median-hours-off": f"time-off-median({_GREEDY})",
}
T2S2 = replace(
    TIMESERIES,
    name="t2s2",
    meaning="the question of T2S2: events matched greedily within a cosine distance of 0.1, found "
    "gold events (recall), their order and their log credit; pooled over documents",
    citation="Noroozizadeh and Weiss 2026 (T2S2); its own digits: chronoscore.compat.t2s2",
    metrics=tuple(_T2S2.values()),
    path="gold+topic+trial:sum",
)


def _chemo(level: str, labels: str, empty: str) -> str:
    return (
        f"event-timed(similarity=exact,unit=entry,closeness=level({level}),labels={labels},"
        f"time_weight=0,threshold=0,empty={empty})"
    )


_CHEMO_2024 = {
    "chemo-2024-A": _chemo("month", "compatible", "agree"),
    "chemo-2024-B": _chemo("month", "compatible", "skip"),
}
_CHEMO_2025 = {
    "chemo-2025-A": _chemo("day", "strict", "agree"),
    "chemo-2025-B": _chemo("day", "strict", "skip"),
}
CHEMO_2024 = Protocol(
    name="chemotimelines-2024",
    meaning="tuples of drug, relation and month, one to one, contains-1 compatible with begins-on "
    "and ends-on; mean of F over all patients, where silence is right without a gold (type A), and "
    "over patients with a gold (type B); the official score asks for the mean of both",
    citation="Yao et al. 2024, Overview of the 2024 Shared Task on Chemotherapy Treatment Timeline "
    "Extraction; its own digits: chronoscore.compat.chemotimelines",
    metrics=tuple(_CHEMO_2024.values()),
    path=_PATH,
    undefined="skip",
    options={"duplicates": "collapse"},
)
CHEMO_2025 = replace(
    CHEMO_2024,
    name="chemotimelines-2025",
    meaning="as chemotimelines-2024, with exact dates and the same relation",
    metrics=tuple(_CHEMO_2025.values()),
)
PROTOCOLS = (EVENTS, EVENTS_WORDS, TIMESERIES, T2S2, CHEMO_2024, CHEMO_2025)

FAMILY = Family(
    name="events",
    home="chronoscore.events.family:FAMILY",
    question="Which events were found, and when?",
    levels=("gold", "topic", "trial"),
    case_keys=BY_TOPIC,
    match_names=True,
    columns=RECORD_FIELDS,
    is_value=is_timeline,
    tokeniser=tokeniser_of,
    compare=compare,
    compare_many=compare_many,
    definitions=DEFINITIONS,
    aliases={**_WORDS, **_SERIES, **_T2S2, **_CHEMO_2024, **_CHEMO_2025},
    protocols=PROTOCOLS,
    usual_protocol=usual_protocol,
    cells=cells_of,
    cluster="topic",
    texts=texts_by_event,
    times=times_by_event,
    tables=late("chronoscore.events.tables:TABLES"),
    pages=late("chronoscore.events.pages:PAGES"),
    read_cases=read_cases,
    content=content_of,
    reader_options=reader_options,
    check_names=check_names,
    options=OPTIONS,
)
