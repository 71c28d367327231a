"""The items that people and metrics are compared on, and what people say of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from chronoscore.core.result import Interval
from chronoscore.rubric.correlation.people import Judged, Key, Places
from chronoscore.rubric.correlation.plan import Plan
from chronoscore.statistics.calibration import mean


@dataclass(frozen=True)
class Item:
    """What people say of a system, of a topic in a system, or of an event."""

    value: float
    interval: Interval | None
    cluster: str


Items = Mapping[Key, Item]


def people_items(judged: Judged, places: Places, plan: Plan) -> dict[Key, Item]:
    """People's means of the items, over the events of each."""
    members: dict[Key, list[int]] = {}
    for at, (system, event) in enumerate(zip(judged.systems, judged.events, strict=True)):
        if plan.level == "event":
            members[system, event] = [at]
        elif plan.level == "system":
            members.setdefault((system, ""), []).append(at)
        elif topic := _topic(judged, at, places):
            members.setdefault((system, topic), []).append(at)
    return {key: _item(key, rows, judged, plan) for key, rows in members.items()}


def _item(key: Key, rows: Sequence[int], judged: Judged, plan: Plan) -> Item:
    articles = [judged.articles[at] or judged.events[at] for at in rows]
    found = mean(judged.values[[*rows]], articles, level=plan.confidence)
    interval = None
    if not isnan(found.low):
        low, high = max(found.low, judged.scale[0]), min(found.high, judged.scale[1])
        interval = Interval(low, high, plan.confidence, "t", found.clusters, "article")
    cluster = {"system": key[0], "topic": key[1], "event": articles[0]}[plan.level]
    return Item(found.value, interval, cluster)


def _topic(judged: Judged, at: int, places: Places) -> str:
    event = places.event(judged.systems[at], judged.events[at])
    if event is not None and event.topic:
        return event.topic
    return places.topic_of_article.get(judged.articles[at], "")
