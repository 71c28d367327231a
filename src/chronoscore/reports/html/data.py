"""What the page draws from: cases, texts, scores, matches and losses, each written down once."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from chronoscore.annotations.texts import TEXT
from chronoscore.core.evidence import Match, Row
from chronoscore.core.metric import Metric
from chronoscore.core.result import CaseMatches, CaseTexts, MetricInfo, Result, SystemResult
from chronoscore.core.steps import flat
from chronoscore.elements.periods import Period
from chronoscore.reports.html import words
from chronoscore.reports.html.losses import SIDES, Loss, Losses, Side, is_alone, loss_of, rounded
from chronoscore.reports.html.vocabulary import DEFAULT, vocabulary
from chronoscore.statistics.averaging import curve, medians

Key = tuple[str, str]
"""A system and a case."""
Items = dict[str, tuple[str, ...]]
"""The texts of days, or of whatever matches speak of, by name; often none."""


@dataclass(frozen=True)
class Explained:
    """A result with its matches and texts, looked up by system, case and metric."""

    result: Result
    cases: tuple[str, ...]
    matches: Mapping[tuple[str, str, str], tuple[Match, ...]]
    gold: Mapping[str, Items]
    predicted: Mapping[Key, Items]
    sides: Mapping[str, tuple[Side, ...]]
    """Which sides the matches of each metric have; none if it can't be explained by matches."""
    _known: dict[tuple[str, str, str], Losses] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, result: Result, matches: Sequence[CaseMatches], texts: Sequence[CaseTexts]
    ) -> "Explained":
        """Look everything up; names that only matches know have no texts."""
        known = {(m.system, m.case, m.metric): m.matches for m in matches}
        gold: dict[str, Items] = {}
        predicted: dict[Key, Items] = {}
        for item in texts:
            gold.setdefault(item.case, {}).update(item.gold)
            predicted[item.system, item.case] = dict(item.predicted)
        found: dict[str, set[str]] = {}
        for (system, case, metric), several in known.items():
            ours, theirs = gold.setdefault(case, {}), predicted.setdefault((system, case), {})
            found.setdefault(metric, set()).update(match.side for match in several)
            for match in several:
                if match.gold:
                    ours.setdefault(match.gold, ())
                if match.predicted:
                    theirs.setdefault(match.predicted, ())
        cases = dict.fromkeys(row.case for system in result.systems for row in system.rows)
        return cls(
            result,
            tuple(cases),
            known,
            {case: _in_order(items) for case, items in gold.items()},
            {key: _in_order(items) for key, items in predicted.items()},
            {m: tuple(side for side in SIDES if side in of) for m, of in found.items()},
        )

    def losses(self, system: str, case: str, metric: str) -> Losses:
        """Where each side of a case lost; None for a side that the metric does not have."""
        key = (system, case, metric)
        if key not in self._known:
            self._known[key] = self._losses(*key)
        return self._known[key]

    def _losses(self, system: str, case: str, metric: str) -> Losses:
        several = self.matches.get((system, case, metric), ())
        days = {
            "precision": self.gold.get(case, {}).keys(),
            "recall": self.predicted.get((system, case), {}).keys(),
        }
        sides = self.sides.get(metric, ())
        return {s: loss_of(several, s, days[s]) if s in sides else None for s in SIDES}


def _in_order(items: Items) -> Items:
    """Days by time; names that are no days stay as they are."""
    try:
        return dict(sorted(items.items(), key=lambda item: Period.parse(item[0])))
    except ValueError:
        return items


def case_scores(info: MetricInfo, metric: Metric, rows: Sequence[Row], best: float | None) -> Any:
    """The primary score of every case; NaN where it is undefined, before any policy.

    A case of a curve has the score at the threshold that is the best one for all.
    """
    at = metric.scores.index(info.primary)
    statistics = np.array([row.statistics[info.name] for row in rows], dtype=np.float64)
    if info.curve == "median":
        nothing = statistics[0] * 0
        steps = [flat([row.steps.get(info.name, ())], len(nothing)) for row in rows]
        found = [curve(*each, nothing) for each in steps]
        return [float(medians(*each)[at]) for each in found]
    if info.curve and best is not None:
        for place, row in enumerate(rows):
            reached = [change for level, change in row.steps.get(info.name, ()) if level >= best]
            statistics[place] += np.array(reached, dtype=np.float64).sum(axis=0) if reached else 0
    return metric.link(statistics)[..., at].tolist()


def payload(explained: Explained) -> dict[str, Any]:
    """All that the page's script needs, as plain lists."""
    explained = _without_documents(explained)
    result = explained.result
    texts, outcomes = _Numbers(), _Numbers()
    cases = explained.cases
    gold = [_items(explained.gold.get(case, {}), texts) for case in cases]
    predicted = [
        [_items(explained.predicted.get((system.name, case), {}), texts) for case in cases]
        for system in result.systems
    ]
    metrics = [_metric(explained, info) for info in result.metrics]
    return {
        "family": result.family,
        "systems": [system.name for system in result.systems],
        "metrics": metrics,
        "cases": list(cases),
        "gold": gold,
        "predicted": predicted,
        "scores": [_scores(result, system, cases) for system in result.systems],
        "matches": [
            [_matches(explained, s.name, case, outcomes) for case in cases] for s in result.systems
        ],
        "losses": [
            [
                [_losses(explained.losses(s.name, case, info.name)) for info in result.metrics]
                for case in cases
            ]
            for s in result.systems
        ],
        "outcomes": list(outcomes),
        "texts": list(texts),
        "words": {
            name: vocabulary(name, _all(explained.gold), _all(explained.predicted))
            for name in sorted({metric["text"] for metric in metrics})
        },
    }


def _without_documents(explained: Explained) -> Explained:
    """Texts of whole documents are on the page already, and matches don't speak of them."""
    gold = {
        case: {name: texts for name, texts in items.items() if name != TEXT}
        for case, items in explained.gold.items()
    }
    return replace(explained, gold=gold)


def encoded(payload: Mapping[str, Any]) -> str:
    """Write JSON that nothing in a script element can break out of.

    >>> encoded({"a": "</script>&\\u2028"})
    '{"a":"\\\\u003c/script\\\\u003e\\\\u0026\\\\u2028"}'
    """
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


class _Numbers(dict[str, int]):
    """Numbers for texts in the order of their first use."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def _all(sides: Mapping[Any, Items]) -> Iterable[str]:
    return (text for items in sides.values() for texts in items.values() for text in texts)


def _items(items: Items, texts: _Numbers) -> list[list[str | int]]:
    return [[name, *(texts[text] for text in several)] for name, several in items.items()]


def _metric(explained: Explained, info: MetricInfo) -> dict[str, Any]:
    metric = words.metric_of(explained.result, info)
    return {
        "label": info.label,
        "heading": words.heading(info),
        "unit": words.unit(metric),
        "text": str(metric.values.get("text", DEFAULT)) if metric else DEFAULT,
        "sides": list(explained.sides.get(info.name, ())),
        "matched": info.name in explained.sides,
    }


def _scores(result: Result, system: SystemResult, cases: Sequence[str]) -> list[Any]:
    """For every case that the system has, a score for each metric.

    It is None if undefined, and False if the metric is not known here.
    """
    places = {row.case: place for place, row in enumerate(system.rows)}
    wholes = {summary.metric: summary for summary in system.summaries if not summary.group}
    columns: list[list[float | None]] = []
    for info in result.metrics:
        metric = words.metric_of(result, info)
        best = wholes[info.name].scores.get("threshold") if info.name in wholes else None
        if metric is None or not system.rows:
            columns.append([False] * len(cases))
            continue
        found = case_scores(info, metric, system.rows, best)
        columns.append([_plain(found[places[c]]) if c in places else False for c in cases])
    rows = zip(*columns, strict=True)
    return [list(row) if c in places else None for c, row in zip(cases, rows, strict=True)]


def _plain(score: float) -> float | None:
    return None if score != score else round(score, 4)  # noqa: PLR0124  # NaN is not itself


def _matches(explained: Explained, system: str, case: str, outcomes: _Numbers) -> list[Any]:
    """For each metric: precision's, recall's and both sides' matches, eight numbers a match.

    Gold, predicted (by their places, -1 for none), days apart (-1 for unknown), shared (-1 for
    uncounted), possible, credit, outcome, and 1 if the day stands alone.
    """
    ours = explained.gold.get(case, {})
    theirs = explained.predicted.get((system, case), {})
    gold = {name: place for place, name in enumerate(ours)}
    predicted = {name: place for place, name in enumerate(theirs)}
    found = []
    for info in explained.result.metrics:
        sides: dict[str, list[int | float]] = {"precision": [], "recall": [], "both": []}
        for m in explained.matches.get((system, case, info.name), ()):
            alone = is_alone(m, ours.keys() if m.side == "precision" else theirs.keys())
            sides[m.side] += (
                gold.get(m.gold, -1),
                predicted.get(m.predicted, -1),
                -1 if m.distance is None else _short(m.distance),
                -1 if m.shared is None else _short(m.shared),
                _short(m.possible),
                _short(m.credit),
                outcomes[m.outcome],
                int(alone),
            )
        found.append(list(sides.values()))
    return found


def _losses(losses: Losses) -> list[list[int | float] | None]:
    return [_parts(losses[side]) for side in SIDES]


def _parts(loss: Loss | None) -> list[int | float] | None:
    return None if loss is None else [_short(part) for part in rounded(loss, 2)[:4]]


def _short(value: float) -> int | float:
    value = round(value, 3)
    return int(value) if value == int(value) else value
