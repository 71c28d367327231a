"""What evaluators said, taken out of a result: values by system, event and evaluator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chronoscore.core.result import MetricInfo
from chronoscore.reports.html.data import Explained
from chronoscore.rubric.texts import About, about
from chronoscore.statistics.agreement import Ratings

_COUNTS = 2
"""Statistics of a rubric's metric before those of its criteria: the score, and judgements."""


@dataclass(frozen=True)
class Said:
    """One judgement: the values in the order of the criteria, and its texts."""

    system: str
    event: str
    evaluator: str
    values: tuple[int, ...]
    about: About


@dataclass(frozen=True)
class Judged:
    """All judgements of a result."""

    criteria: tuple[str, ...]
    said: tuple[Said, ...]
    labels: Mapping[tuple[str, int], str]
    """What each value of a criterion means, as far as matches tell."""

    @classmethod
    def of(cls, explained: Explained) -> "Judged":
        """Take them out of the rows, which have the values as statistics."""
        metric = explained.result.metrics[0]
        criteria = tuple(one.name for one in metric.statistics[_COUNTS:])
        said = [
            Said(
                system.name,
                row.tags.get("event", ""),
                row.tags.get("evaluator", ""),
                tuple(map(int, row.statistics[metric.name][_COUNTS:])),
                about(
                    row.tags.get("event", ""), explained.predicted.get((system.name, row.case), {})
                )._replace(article=row.tags.get("article", "")),
            )
            for system in explained.result.systems
            for row in system.rows
        ]
        return cls(criteria, tuple(said), _labels(explained, metric, criteria))

    @property
    def evaluators(self) -> list[str]:
        """Who judged."""
        return sorted({one.evaluator for one in self.said})

    def values(self, place: int) -> list[int]:
        """The values of a criterion that were given, ascending; those with a label too."""
        given = {one.values[place] for one in self.said}
        known = {value for name, value in self.labels if name == self.criteria[place]}
        return sorted(given | known)

    def ratings(self, place: int) -> Ratings:
        """The values of a criterion as a long table."""
        table = (
            (f"{one.system}: {one.event}", one.evaluator, float(one.values[place]))
            for one in self.said
        )
        return Ratings.of(table)


def _labels(
    explained: Explained, metric: MetricInfo, criteria: Sequence[str]
) -> dict[tuple[str, int], str]:
    outcomes = {
        match.outcome
        for (_, _, name), matches in explained.matches.items()
        if name == metric.name
        for match in matches
    }
    found = {}
    for outcome in sorted(outcomes):
        told, _, label = outcome.partition(": ")
        name, _, value = told.rpartition(" ")
        if name in criteria and value.lstrip("-").isdecimal():
            found[name, int(value)] = label
    return found
