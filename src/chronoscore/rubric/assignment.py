"""Who judges which events: articles stay whole, loads are even, pairs of evaluators are mixed."""

import hashlib
import random
from collections.abc import Sequence
from itertools import combinations

import msgspec

from chronoscore.core.event import Event

Group = tuple[Event, ...]
"""The events of an article, which are judged together."""


def article_groups(events: Sequence[Event]) -> list[Group]:
    """Group events by article, in the order of dates; one without an article is its own group."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in sorted(events, key=lambda event: event.id):
        key = (event.article, "") if event.article else ("", event.id)
        groups.setdefault(key, []).append(event)

    def order(event: Event) -> tuple[str, int, str]:
        return event.date or "9999", event.position or 0, event.id

    return [tuple(sorted(group, key=order)) for _, group in sorted(groups.items())]


def assign_groups(
    groups: Sequence[Group], evaluators: Sequence[str], overlap: int, dice: random.Random
) -> dict[str, list[Group]]:
    """Give each article to `overlap` evaluators, the largest first, to those with least to do.

    Among equals, those who share least so far are put together. Two loads differ by no more than
    the largest article.
    """
    assigned: dict[str, list[Group]] = {name: [] for name in evaluators}
    load = dict.fromkeys(evaluators, 0)
    shared = {frozenset(pair): 0 for pair in combinations(evaluators, 2)}
    for group in sorted(groups, key=len, reverse=True):  # stable: equals stay shuffled
        chosen: list[str] = []

        def busy(name: str, others: Sequence[str] = chosen) -> tuple[int, int]:
            return load[name], sum(shared[frozenset((name, other))] for other in others)

        while len(chosen) < overlap:
            free = [name for name in evaluators if name not in chosen]
            dice.shuffle(free)
            chosen.append(min(free, key=busy))
        for name in chosen:
            assigned[name].append(group)
            load[name] += len(group)
        for pair in combinations(chosen, 2):
            shared[frozenset(pair)] += len(group)
    return assigned


def shuffled_events(groups: Sequence[Group], seed: str) -> Group:
    """Shuffle one evaluator's articles, and the events within each article.

    Every evaluator has another order, so that no event comes late for all of them. Shuffling
    starts from an order by digest: ids and the order of the input often reveal which system an
    event is from, and whoever knows the seed could otherwise undo the shuffle.
    """
    dice = random.Random(f"chronoscore/{seed}")
    order = sorted((sorted(group, key=_digest) for group in groups), key=lambda g: _digest(g[0]))
    dice.shuffle(order)
    return tuple(event for group in order for event in dice.sample(group, len(group)))


def _digest(event: Event) -> tuple[str, str]:
    content = msgspec.json.encode(msgspec.structs.replace(event, id=""))
    return hashlib.sha256(content).hexdigest(), event.id
