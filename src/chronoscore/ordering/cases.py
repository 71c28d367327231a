"""Pair gold and prediction, and read events, for orders, links and clusters alike."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from chronoscore.core.case import ONLY, Case, named_alike, paired_cases
from chronoscore.core.event import Event, numbered_events
from chronoscore.core.problems import Problems, escaped
from chronoscore.core.sources import Source

Item = TypeVar("Item")
Key = tuple[str, str]
"""The topic or document of an item, and the name of its gold."""


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
