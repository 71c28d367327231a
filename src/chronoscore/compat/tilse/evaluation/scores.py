"""Scores of many topics, their average, and how tilse prints them."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from chronoscore.compat.tilse.evaluation.util import all_scores

AVERAGE = "average_score"


class Scores:
    """Scores by topic, variant and measure; the average is added under `average_score`.

    The average is the F of mean precision and mean recall, not the mean of F. As in tilse, it is
    written into the mappings of the caller. Unlike in tilse, the dates may be left out, and an
    average that the mappings already have is computed anew.
    """

    def __init__(
        self,
        scores_mapping: dict[str, Any],
        date_mapping: dict[str, Any] | None = None,
        beta: float = 1,
    ) -> None:
        self.mapping = scores_mapping
        self.date_mapping = date_mapping
        self.beta = beta
        topics = sorted(topic for topic in self.mapping if topic != AVERAGE)
        first = self.mapping[topics[0]]
        average: OrderedDict[str, dict[str, dict[str, float]]] = OrderedDict()
        for variant in first:
            average[variant] = {
                measure: self._mean(self.mapping[topic][variant][measure] for topic in topics)
                for measure in first[variant]
            }
        self.mapping[AVERAGE] = average
        if self.date_mapping is not None:
            mean = self._mean([self.date_mapping[topic] for topic in topics])
            self.date_mapping[AVERAGE] = OrderedDict(mean)

    def _mean(self, scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
        items = list(scores)
        precision = sum([item["precision"] for item in items]) / len(items)
        recall = sum([item["recall"] for item in items]) / len(items)
        return all_scores(precision, recall, beta=self.beta)

    def __str__(self) -> str:
        topics = sorted(self.mapping)
        tables = []
        if self.date_mapping is not None:
            tables.append("date selection\n" + _table(topics, self.date_mapping))
        first = self.mapping[topics[0]]
        for variant in first:
            for measure in sorted(first[variant]):
                scores = {topic: self.mapping[topic][variant][measure] for topic in topics}
                tables.append(f"{measure}\n{variant}\n{_table(topics, scores)}")
        return "".join(tables)


def _table(topics: Iterable[str], scores: Mapping[str, Mapping[str, float]]) -> str:
    """Return a line for each topic, a rule, and the average."""
    lines = [_line(topic, scores[topic]) for topic in topics if topic != AVERAGE]
    return "".join([*lines, "\t-------------\n", _line(AVERAGE, scores[AVERAGE]), "\n"])


def _line(topic: str, scores: Mapping[str, float]) -> str:
    p, r, f = (scores[key] for key in ("precision", "recall", "f_score"))
    return f"\t{topic.ljust(15)}P: {p:.3f} R: {r:.3f} F: {f:.3f}\n"
