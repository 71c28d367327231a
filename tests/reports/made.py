"""Results to report on: the bundled data, and a made-up collection of any size."""

import random
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from chronoscore.core.case import Case
from chronoscore.core.objects import RecordsSource
from chronoscore.core.problems import Problems
from chronoscore.core.result import CaseMatches, CaseTexts, ResultDocument
from chronoscore.core.sources import source_of, sources_of
from chronoscore.core.writing import write_file
from chronoscore.demo import SYSTEMS, home
from chronoscore.elements.dated.model import Timeline
from chronoscore.engines.plan import Inputs
from chronoscore.engines.scoring import Scored, score, score_sources
from chronoscore.engines.settings import Settings
from chronoscore.families import family
from chronoscore.ordering.model import TargetTimeline, TimelineRow
from chronoscore.reports.html import report as pages

MOST_PAGES = 10
_PAGES: dict[tuple[int, int, int], tuple[object, str]] = {}
"""Pages by what they show, which is kept with them so that no other object has its place."""
FAMILIES = ("timelines", "events", "ordering", "tlinks", "coreference", "annotations", "rubric")
SYSTEM_FILES = {name: home() / f"{name}.jsonl" for name in SYSTEMS}


def report(
    result: ResultDocument, matches: Sequence[CaseMatches] = (), texts: Sequence[CaseTexts] = ()
) -> str:
    """The page of a result, by the family that it is of."""
    return pages.report(family(result.family), result, matches, texts)


def write_report(
    result: ResultDocument, matches: Sequence[CaseMatches], texts: Sequence[CaseTexts], path: Path
) -> None:
    """Write that page, which is made once for tests that open the same one in turn."""
    key = (id(result), id(matches), id(texts))
    if key not in _PAGES:
        if len(_PAGES) == MOST_PAGES:
            del _PAGES[next(iter(_PAGES))]
        _PAGES[key] = ((result, matches, texts), report(result, matches, texts))
    write_file(path, _PAGES[key][1])


@cache
def demo(name: str = "timelines", metrics: tuple[str, ...] = (), **chosen: Any) -> Scored:
    """The bundled data, scored and explained."""
    gold, systems = source_of(home() / "gold.jsonl"), sources_of(SYSTEM_FILES)
    inputs = Inputs(gold, {system: [source] for system, source in systems.items()})
    if name == "rubric":
        inputs = Inputs(None, {"": [source_of(home() / "judgements.csv")]})
    if name == "annotations" and not metrics:
        metrics = ("spans", "spans-curve")
    settings = Settings.make(family(name), metrics=metrics, **chosen)
    return score_sources(settings, inputs, Problems(), explain=True)


def timelines_of(
    pairs: Mapping[str, Mapping[str, tuple[Timeline, Timeline]]],
    metrics: Sequence[str] = (),
    **chosen: Any,
) -> Scored:
    """Score pairs of gold and prediction by system and topic."""
    systems = {
        system: [
            Case(topic, (gold,), predicted, {"topic": topic, "gold": "all", "trial": "1"})
            for topic, (gold, predicted) in topics.items()
        ]
        for system, topics in pairs.items()
    }
    settings = Settings.make(family("timelines"), metrics=metrics, **chosen)
    return score(settings, systems, explain=True)


def collection(topics: int, days: int, words: int, systems: int) -> Scored:
    """A collection of a given size; the seed is fixed."""
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lengths = [3, 4, 5, 6, 7, 8, 9]
    known = ["".join(chance.choices(letters, k=chance.choice(lengths))) for _ in range(8000)]

    def timeline(start: date) -> Timeline:
        at = [start + timedelta(n) for n in sorted(chance.sample(range(3 * days), days))]
        # Words of a topic come back, as names and places do.
        return Timeline.of({day: [" ".join(chance.choices(known, k=words))] for day in at})

    golds = {f"topic-{n:03}": timeline(date(1990, 1, 1) + timedelta(40 * n)) for n in range(topics)}
    pairs = {
        f"system-{place}": {
            name: (gold, timeline(gold.days[0][0].first)) for name, gold in golds.items()
        }
        for place in range(systems)
    }
    return timelines_of(pairs)


def orders_of(
    pairs: Mapping[str, Mapping[str, tuple[Mapping[str, int], Mapping[str, int]]]],
    anchors: Mapping[str, str] | None = None,
) -> Scored:
    """Score the positions of events in gold and prediction, by system and target."""

    def timeline(positions: Mapping[str, int]) -> TargetTimeline:
        return TargetTimeline(
            tuple(
                TimelineRow(position, (anchors or {}).get(name, "2001"), (name,))
                for name, position in positions.items()
            )
        )

    systems = {
        system: [
            Case(target, timeline(gold), timeline(predicted), {"target": target, "gold": "1"})
            for target, (gold, predicted) in targets.items()
        ]
        for system, targets in pairs.items()
    }
    return score(Settings.make(family("ordering")), systems, explain=True)


def orders(targets: int, events: int, systems: int) -> Scored:
    """Orders of a given size; the seed is fixed."""
    chance = random.Random(7)

    def order() -> dict[str, int]:
        names = chance.sample(range(events + events // 4), events)
        return {f"mention-{name:03}": chance.randint(1, events) for name in names}

    golds = {f"target-{n:03}": order() for n in range(targets)}
    return orders_of(
        {
            f"system-{place}": {name: (gold, order()) for name, gold in golds.items()}
            for place in range(systems)
        }
    )


def events(topics: int, number: int, words: int, systems: int) -> Scored:
    """Dated events of a given number a topic; most predictions are the gold with other words."""
    chance = random.Random(7)
    known = [f"word{n}" for n in range(3000)]

    def gold() -> list[tuple[date, list[str]]]:
        days = (date(2001, 1, 1) + timedelta(chance.randrange(4 * number)) for _ in range(number))
        return [(day, chance.choices(known, k=words)) for day in sorted(days)]

    def changed(told: list[tuple[date, list[str]]]) -> list[tuple[date, list[str]]]:
        return [
            (
                day + timedelta(chance.choice([0, 0, 0, 1, -2])),
                [chance.choice([word, word, chance.choice(known)]) for word in text],
            )
            for day, text in told
            if chance.random() < 0.9
        ]

    def lines(timelines: Mapping[str, list[tuple[date, list[str]]]]) -> RecordsSource:
        return RecordsSource(
            [
                {"id": f"{topic}-{n}", "topic": topic, "date": f"{day}", "text": " ".join(text)}
                for topic, told in timelines.items()
                for n, (day, text) in enumerate(told)
            ],
            "events",
        )

    golds = {f"topic-{n:03}": gold() for n in range(topics)}
    predicted = {
        f"system-{place}": [lines({topic: changed(told) for topic, told in golds.items()})]
        for place in range(systems)
    }
    settings = Settings.make(family("events"))
    return score_sources(settings, Inputs(lines(golds), predicted), Problems(), explain=True)
