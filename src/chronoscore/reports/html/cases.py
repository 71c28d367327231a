"""The board of cases: a matrix of cases and systems, in which every case is opened in place.

The script of the page draws it, from data: a case costs nothing until it is opened.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import flat
from chronoscore.core.metric import Metric
from chronoscore.core.result import MetricInfo, ResultDocument, SystemResult
from chronoscore.reports.html.explained import Explained, Items, heading, is_alone, short_number
from chronoscore.reports.html.head import by_score
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.result_tables import wholes
from chronoscore.statistics.averaging import curve, medians

_SCRIPTS = ("dom.js", "address.js", "matrix.js", "cases.js", "matches.js")
_START = "start.js"
_MOST_TAGS = 5
_MOST_VALUES = 50
"""Values of a tag up to which they can be chosen from a list."""
_UNEXPLAINED = "There are no matches to explain the cases: score with --explain or --save."


@dataclass(frozen=True)
class CaseView:
    """How a family shows a case that is opened."""

    name: str = "matches"
    """That of the script's function."""
    scripts: tuple[str, ...] = ()
    """The assets that it needs beyond those of every board."""
    level: str = "case"
    """What a case is called."""
    title: str = "Case by case"
    sided: bool = True
    """Whether it shows a case from the side of precision or of recall, or else both at once."""
    legend: Callable[[Explained], Html] = lambda _: Html("")
    data: Callable[[Explained, Sequence[str]], Mapping[str, Any]] = lambda *_: {}
    """What the script needs beyond what every board has; texts are named by their numbers."""


def board_scripts(views: Sequence[CaseView]) -> tuple[str, ...]:
    """Return the scripts of a page with boards of these views."""
    names = dict.fromkeys(name for view in views for name in view.scripts)
    return (*_SCRIPTS, *names, _START) if views else ()


def board(explained: Explained, view: CaseView) -> Html:
    """Return the place of a board, which the script fills."""
    without = "The table of cases and their pictures are drawn by the script of this page."
    legend = view.legend(explained) if explained.matches else ""
    return tag(
        "div",
        tag("noscript", tag("p", without)),
        legend,
        class_="board",
        data_board=explained.board,
    )


def board_data(explained: Explained, view: CaseView) -> dict[str, Any]:
    """Return what the script draws a board from, as plain lists."""
    result, cases, sides = explained.result, explained.cases, explained.sides
    texts, outcomes = _Numbers(), _Numbers()
    names = [system.name for system in result.systems]
    data = {
        "view": view.name,
        "level": view.level,
        "counted": _counted(explained, view.level),
        "family": explained.family.name,
        "unexplained": "" if explained.matches else _UNEXPLAINED,
        "systems": names,
        "metrics": [
            {
                "label": one.label,
                "heading": heading(one.label, one.primary),
                "sides": sides.get(one.name, ()) if view.sided else (),
                "better": one.better,
            }
            for one in result.metrics
        ],
        "order": [names.index(system.name) for system in by_score(result).systems],
        "wholes": _wholes(result),
        "tags": _tags(explained),
        "cases": list(cases),
        "gold": [_items(explained.gold.get(case, {}), texts) for case in cases],
        "predicted": [
            [_items(explained.predicted.get((system.name, case), {}), texts) for case in cases]
            for system in result.systems
        ],
        "scores": [_scores(explained, system) for system in result.systems],
        "matches": [
            [_matches(explained, system.name, case, outcomes) for case in cases]
            for system in result.systems
        ],
        "outcomes": list(outcomes),
    }
    return {**data, "texts": list(texts), **view.data(explained, list(texts))}


def _wholes(result: ResultDocument) -> list[list[float | None]]:
    """Return the score of each system over everything, for each metric."""
    scores = {
        (system.name, info.name): summary.scores[info.primary]
        for info in result.metrics
        for system, summary in wholes(result, info.name)
    }
    return [
        [scores.get((system.name, info.name)) for info in result.metrics]
        for system in result.systems
    ]


def _counted(explained: Explained, level: str) -> str:
    """What the cases are: golds where a topic, or the like, has several, else what a case is."""
    values = [explained.tags[case].get(level, case) for case in explained.cases]
    return "gold" if len({*values}) < len(values) else level


def _tags(explained: Explained) -> list[dict[str, Any]]:
    """Return the tags that divide the cases, with the value of each case."""
    cases = explained.cases
    names = dict.fromkeys(name for case in cases for name in explained.tags[case])
    columns = {name: [explained.tags[case].get(name, "") for case in cases] for name in names}
    owners: dict[str, list[str]] = {}
    for system in explained.result.systems:
        for row in system.rows:
            owners.setdefault(row.case, []).append(system.name)
    if len(explained.result.systems) > 1 and all(len(of) == 1 for of in owners.values()):
        columns = {"system": [owners[case][0] for case in cases], **columns}
    tags = [
        {"name": name, "values": values}
        for name, values in columns.items()
        if 1 < len(set(values)) < min(len(cases), _MOST_VALUES)
    ]
    return tags[:_MOST_TAGS]


def case_scores(info: MetricInfo, metric: Metric, rows: Sequence[Row], best: float | None) -> Any:
    """The primary score of every case; NaN where it is undefined, before any policy.

    A case of a curve has the score at the threshold that is the best one for all.
    """
    at = metric.scores.index(info.primary)
    statistics = np.array([row.statistics[info.name] for row in rows], dtype=np.float64)
    if info.curve == "median":
        nothing = statistics[0] * 0
        steps = [flat([row.steps.get(info.name, ())], len(nothing)) for row in rows]
        return [float(medians(*curve(*each, nothing))[at]) for each in steps]
    if info.curve and best is not None:
        for place, row in enumerate(rows):
            reached = [change for level, change in row.steps.get(info.name, ()) if level >= best]
            statistics[place] += np.array(reached, dtype=np.float64).sum(axis=0) if reached else 0
    return metric.link(statistics)[..., at].tolist()


class _Numbers(dict[str, int]):
    """Numbers for texts in the order of their first use."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def _items(items: Items, texts: _Numbers) -> list[list[str | int]]:
    return [[name, *(texts[text] for text in several)] for name, several in items.items()]


def _scores(explained: Explained, system: SystemResult) -> list[Any]:
    """For every case that the system has, a score for each metric.

    It is None if undefined, and False if the metric is not known here.
    """
    columns: list[list[float | None]] = []
    for info in explained.result.metrics:
        metric = explained.metric(info)
        if metric is None or not system.rows:
            columns.append([False] * len(system.rows))
            continue
        whole = next((s for one, s in wholes(explained.result, info.name) if one is system), None)
        best = whole.scores.get("threshold") if whole else None
        scores = case_scores(info, metric, system.rows, best)
        columns.append([None if np.isnan(score) else round(score, 6) for score in scores])
    by_case = {row.case: scores for row, *scores in zip(system.rows, *columns, strict=True)}
    return [by_case.get(case) for case in explained.cases]


def _matches(explained: Explained, system: str, case: str, outcomes: _Numbers) -> list[Any]:
    """For each metric: precision's, recall's and both sides' matches, eight numbers a match.

    Gold, predicted (by their places, -1 for none), distance (-1 for unknown), shared (-1 for
    uncounted), possible, credit, outcome, and 1 if the day stands alone.
    """
    gold, predicted = (
        {name: place for place, name in enumerate(items)}
        for items in (explained.gold.get(case, {}), explained.predicted.get((system, case), {}))
    )
    by_metric = []
    for info in explained.result.metrics:
        sides: dict[str, list[int | float]] = {"precision": [], "recall": [], "both": []}
        for m in explained.matches.get((system, case, info.name), ()):
            alone = is_alone(m, gold.keys() if m.side == "precision" else predicted.keys())
            sides[m.side] += (
                gold.get(m.gold, -1),
                predicted.get(m.predicted, -1),
                -1 if m.distance is None else short_number(m.distance),
                -1 if m.shared is None else short_number(m.shared),
                short_number(m.possible),
                short_number(m.credit),
                outcomes[m.outcome],
                int(alone),
            )
        by_metric.append(list(sides.values()))
    return by_metric
