"""What people say of events, and where each event belongs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.core.event import Event
from chronoscore.core.labels import grouped
from chronoscore.elements.ratios import Array
from chronoscore.rubric.calibration.sides import find_people, value_table
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.family import UNNAMED_SYSTEM, last_rounds
from chronoscore.rubric.judgements import Judgements

Key = tuple[str, str]
"""A system, and an event, a topic, or nothing."""


@dataclass(frozen=True, eq=False)
class Judged:
    """People's value of each judged event: the mean over people, each one's last round."""

    people: tuple[str, ...]
    systems: tuple[str, ...]
    events: tuple[str, ...]
    articles: tuple[str, ...]
    values: Array
    scale: tuple[int, int]
    """The lowest and the highest value that there can be."""


@dataclass(frozen=True)
class Places:
    """Where events belong, by system and id, and articles by topic."""

    events: Mapping[Key, Event] = field(default_factory=dict)
    anywhere: Mapping[str, Event] = field(default_factory=dict)
    """Events whose id only one system has."""
    topics: frozenset[str] = frozenset()
    topic_of_article: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, Sequence[Event]]) -> "Places":
        """Make it from the events of each system."""
        events = {(system, one.id): one for system, own in files.items() for one in own}
        times: dict[str, list[Event]] = {}
        for (_, name), one in events.items():
            times.setdefault(name, []).append(one)
        return cls(
            events,
            {name: own[0] for name, own in times.items() if len(own) == 1},
            frozenset(one.topic for one in events.values() if one.topic),
            {one.article: one.topic for one in events.values() if one.article and one.topic},
        )

    def event(self, system: str, name: str) -> Event | None:
        """The event of this id."""
        return self.events.get((system, name)) or self.anywhere.get(name)

    def topic(self, tags: Mapping[str, str | None]) -> str:
        """The topic that a case's tags tell of, or nothing."""
        for tag in ("topic", "target", "document"):
            name = tags.get(tag) or ""
            if name in self.topics:
                return name
            if name in self.topic_of_article:
                return self.topic_of_article[name]
        return ""


def judged_by_people(
    judgements: Judgements, codebook: Codebook, criterion: str, named: Sequence[str] = ()
) -> Judged:
    """Average what people said of each event on a criterion, or the score."""
    names = [*(one.name for one in codebook.criteria), codebook.score]
    folded = {name.lower(): at for at, name in enumerate(names)}
    if criterion.lower() not in folded:
        raise UsageError(f"no criterion '{criterion}'; there are: {', '.join(names)}")
    scales = [one.allowed for one in codebook.criteria]
    allowed = [*scales, (0, 1)][folded[criterion.lower()]]
    people = find_people(judgements, "", named)
    who = judgements.words["evaluator"].words()
    said = judgements.take(np.flatnonzero([word in people for word in who]))
    said = said.take(last_rounds(said))
    values = value_table(said, codebook)[:, folded[criterion.lower()]]
    words = said.words
    groups = grouped([words["system"].at, words["event"].at], len(said))
    sums = np.add.reduceat(values[groups.order], groups.starts)
    firsts = groups.firsts
    return Judged(
        tuple(people),
        tuple(word or UNNAMED_SYSTEM for word in words["system"].take(firsts).words()),
        tuple(word or "" for word in words["event"].take(firsts).words()),
        tuple(word or "" for word in words["article"].take(firsts).words()),
        np.asarray(sums / groups.sizes()),
        (allowed[0], allowed[-1]),
    )
