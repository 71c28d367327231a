"""Is a metric as sure as people are which system is better? Soft accuracy over topics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronoscore.rubric.correlation.document import Value
from chronoscore.rubric.correlation.items import Items, people_items
from chronoscore.rubric.correlation.people import Judged, Places
from chronoscore.rubric.correlation.plan import Plan
from chronoscore.rubric.correlation.scores import Saved, Scores, gathered, of_topics
from chronoscore.statistics.correlation import soft_pairwise_accuracy

NAME = "soft accuracy"


@dataclass(frozen=True)
class Doubts:
    """Scores and people's means by system and topic."""

    scores: dict[tuple[str, str], Scores]
    people: Items
    seed: int

    @classmethod
    def of(cls, saved: Sequence[Saved], judged: Judged, places: Places, plan: Plan) -> "Doubts":
        """Take them out of results, where topics are known."""
        if not places.topics:
            return cls({}, {}, plan.seed)
        scores = gathered((one.result, of_topics(one, places)) for one in saved)
        people = people_items(judged, places, replace(plan, level="topic"))
        return cls({(one.family, one.metric): one for one in scores}, people, plan.seed)

    def value(self, metric: Scores) -> Value:
        """Soft pairwise accuracy over the topics that all systems have."""
        own = self.scores.get((metric.family, metric.metric))
        if own is None or not self.people:
            return Value(NAME, None, reason="it needs topics: name the systems' events by --events")
        keys = self.people.keys() & own.values.keys()
        systems = sorted({system for system, _ in keys})
        shared = [{topic for system, topic in keys if system == one} for one in systems]
        topics = sorted(set.intersection(*shared)) if shared else []
        if len(systems) < 2 or not topics:
            return Value(NAME, None, reason="no topic that people judged for all systems")
        human = np.array([[self.people[s, t].value for t in topics] for s in systems])
        scored = np.array([[own.values[s, t] for t in topics] for s in systems])
        names = tuple(topics)
        return Value(NAME, soft_pairwise_accuracy(human, scored, names=names, seed=self.seed))
