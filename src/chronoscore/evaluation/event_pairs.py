"""Every pair of events of a result with its similarity, to be compared with people's verdicts.

A result keeps the texts of its events and the pairs that were matched. Similarities of all other
pairs follow from the texts: those of matched pairs must come out as the result has them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from chronoscore.core.case import OTHER_GOLDS
from chronoscore.core.metric import Metric
from chronoscore.core.result import CaseMatches, CaseTexts, ResultDocument
from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.elements.dated.values import LANGUAGE
from chronoscore.elements.verdicts import Pair
from chronoscore.events.comparison import EventBlock, EventSetting
from chronoscore.events.family import FAMILY
from chronoscore.rubric.pairs import ScoredPair, pairs_of_matches

Array = NDArray[np.float64]
_ALIKE = 1e-9
"""How far a similarity that is computed again may be from the saved one."""


class ScoredEvents:
    """What results of events say of their cases: matches, texts and tags."""

    def __init__(self) -> None:
        self.matches: list[CaseMatches] = []
        self.notices: dict[str, None] = {}
        self._texts: dict[tuple[str, str], CaseTexts] = {}
        self._tags: dict[tuple[str, str], Mapping[str, str]] = {}
        self._metrics: dict[str, Metric] = {}
        self._tables: dict[tuple[str, str, EventSetting], _PairTable | None] = {}

    def add(
        self,
        result: ResultDocument,
        matches: Iterable[CaseMatches],
        texts: Iterable[CaseTexts],
        metrics: Sequence[Metric] = (),
    ) -> str:
        """Add a result; return the name of a system that an earlier result has too, if any.

        `metrics` are those of a run, which may call the user's functions; a saved result may not.
        """
        systems = [system for system in result.systems if system.name != OTHER_GOLDS]
        known = {system for system, _ in self._tags}
        for system in systems:
            if system.name in known:
                return system.name
            self._tags |= {(system.name, row.case): row.tags for row in system.rows}
        names = {system.name for system in systems}
        self.matches += [
            structs.replace(item, metric=FAMILY.metric(item.metric).brief)
            for item in matches
            if item.system in names and _names_all_events(item)
        ]
        self._texts |= {(item.system, item.case): item for item in texts if item.system in names}
        self._metrics |= {metric.brief: metric for metric in metrics}
        return ""

    def pairs(self, wanted: Collection[Pair] | None = None) -> dict[str, list[ScoredPair]]:
        """Return the pairs of each metric: all, or those that are matched or `wanted`."""
        topics = {place: tags.get("topic", place[1]) for place, tags in self._tags.items()}
        return pairs_of_matches(self.matches, topics, lambda item: self._similar(item, wanted))

    def _similar(
        self, item: CaseMatches, wanted: Collection[Pair] | None
    ) -> Iterable[tuple[Pair, float]]:
        """Yield the similarity of pairs of a case; none where it can't be computed again."""
        metric = self._metrics.get(item.metric) or FAMILY.metric(item.metric)
        setting = metric.setting
        assert isinstance(setting, EventSetting)
        if metric.functions and item.metric not in self._metrics:
            self.notices[f"{item.metric}: functions that a saved result names are not called"] = (
                None
            )
            return
        if setting.verdicts or (item.system, item.case) not in self._texts:
            return
        table = self._table(item, setting)
        if table is None or not table.agrees(item):
            self.notices[
                f"{item.metric}: the saved texts of {item.system}, {item.case} don't give the "
                "similarities of the result: only those of matched pairs are known"
            ] = None
            return
        yield from table.of(wanted)

    def _table(self, item: CaseMatches, setting: EventSetting) -> "_PairTable | None":
        of_texts = EventSetting(
            similarity=setting.similarity, tokens=setting.tokens, model=setting.model
        )
        key = (item.system, item.case, of_texts)
        if key not in self._tables:
            place = key[:2]
            language = self._tags[place].get(LANGUAGE, "")
            self._tables[key] = _PairTable(self._texts[place], of_texts, language)
        return self._tables[key]


def _names_all_events(item: CaseMatches) -> bool:
    """Whether matches name the events of both sides; means over pairs name the pairs alone."""
    return any(match.side != "both" for match in item.matches)


class _PairTable:
    """The similarities of all pairs of a case, by the names of the events."""

    def __init__(self, texts: CaseTexts, setting: EventSetting, language: str) -> None:
        golds, predicted = (
            Timeline(
                events=tuple(
                    DatedEvent(None, " ".join(sentences), id=name)
                    for name, sentences in side.items()
                )
            )
            for side in (texts.gold, texts.predicted)
        )
        languages = (language,) if language else ()
        block = EventBlock([predicted], [(golds,)], setting, languages)
        self._gold = {event.id: at for at, event in enumerate(block.gold.events)}
        self._predicted = {event.id: at for at, event in enumerate(block.predicted.events)}
        shape = len(self._predicted), len(self._gold)
        self._values: Array = block.similarity.reshape(shape)

    def agrees(self, item: CaseMatches) -> bool:
        """Whether the matched pairs have the similarities that the result has."""
        return all(
            match.gold in self._gold
            and match.predicted in self._predicted
            and abs(self._value(match.gold, match.predicted) - match.shared) <= _ALIKE
            for match in item.matches
            if match.shared is not None
        )

    def of(self, wanted: Collection[Pair] | None) -> Iterable[tuple[Pair, float]]:
        """Yield the similarity of all pairs, or of those that are wanted."""
        pairs = (
            ((gold, predicted) for gold in self._gold for predicted in self._predicted)
            if wanted is None
            else (pair for pair in wanted if pair[0] in self._gold and pair[1] in self._predicted)
        )
        return (((gold, other), self._value(gold, other)) for gold, other in pairs)

    def _value(self, gold: str, predicted: str) -> float:
        return float(self._values[self._predicted[predicted], self._gold[gold]])
