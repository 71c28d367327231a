"""A result with what explains it: what the sections of a report draw from, and its script."""

import random
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

import msgspec
import numpy as np

from chronoscore.core.evidence import Match
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import WHOLE_TEXT, Family, Times
from chronoscore.core.metric import Metric
from chronoscore.core.result import CaseMatches, CaseTexts, MetricInfo, ResultDocument
from chronoscore.errors import UsageError
from chronoscore.reports.html.axis import times_of
from chronoscore.reports.result_tables import short

MOST = 600
"""Cases up to which a page shows all of them."""
EACH = 100
"""Of the worst, of the best and of the sample, for each of one or two systems."""
_FEWEST = 10
"""Cases of a system that a page shows, however many systems there are."""
Side = Literal["precision", "recall"]
SIDES: tuple[Side, Side] = ("precision", "recall")
CASES = "cases"
"""The name of the board of cases where a page has one: in addresses, and of its data."""
Items = dict[str, tuple[str, ...]]
"""The texts of the days, events or other items that matches name; often none."""


def case_address(board: str, case: str, system: str) -> str:
    """Return the link that opens a case on a board, with this system.

    >>> case_address("timelines-cases", "apollo 11/desk", "quick")
    '#timelines-cases?open=apollo%2011%2Fdesk&shows=quick'
    """
    return f"#{board}?open={quote(case, safe='')}&shows={quote(system, safe='')}"


@dataclass(frozen=True)
class Explained:
    """A result with its matches and texts, looked up by system, case and metric."""

    family: Family
    result: ResultDocument
    cases: tuple[str, ...]
    matches: Mapping[tuple[str, str, str], tuple[Match, ...]]
    gold: Mapping[str, Items]
    predicted: Mapping[tuple[str, str], Items]
    """By system and case."""
    sides: Mapping[str, tuple[Side, ...]]
    """Which sides the matches of each metric have; none if it can't be explained by matches."""
    documents: Mapping[str, str]
    """The texts of whole documents by case, where they are kept."""
    tags: Mapping[str, Mapping[str, str]]
    """The tags of each case."""
    gold_times: Mapping[str, Times]
    """By case, the times of gold items whose names are no times."""
    predicted_times: Mapping[tuple[str, str], Times]
    board: str = CASES
    """The name of the board that shows its cases."""

    def case_address(self, case: str, system: str) -> str:
        """Return the link that opens a case on its board, with this system."""
        return case_address(self.board, case, system)

    @staticmethod
    def of(
        family: Family,
        result: ResultDocument,
        matches: Sequence[CaseMatches],
        texts: Sequence[CaseTexts],
        board: str = CASES,
    ) -> "Explained":
        """Look everything up; names that only matches know have no texts."""
        known = {(m.system, m.case, m.metric): m.matches for m in matches}
        gold: dict[str, Items] = {}
        predicted: dict[tuple[str, str], Items] = {}
        gold_times: dict[str, dict[str, str]] = {}
        for item in texts:
            gold.setdefault(item.case, {}).update(item.gold)
            gold_times.setdefault(item.case, {}).update(item.gold_times)
            predicted[item.system, item.case] = dict(item.predicted)
        sides: dict[str, set[str]] = {}
        for (system, case, metric), several in known.items():
            ours, theirs = gold.setdefault(case, {}), predicted.setdefault((system, case), {})
            sides.setdefault(metric, set()).update(match.side for match in several)
            for match in several:
                if match.gold:
                    ours.setdefault(match.gold, ())
                if match.predicted:
                    theirs.setdefault(match.predicted, ())
        unit = result.options.get("time_unit", "")
        tags = {row.case: row.tags for system in result.systems for row in system.rows}
        documents = {c: items.pop(WHOLE_TEXT) for c, items in gold.items() if WHOLE_TEXT in items}
        return Explained(
            family,
            result,
            tuple(tags),
            known,
            {case: _in_order(items, unit) for case, items in gold.items()},
            {key: _in_order(items, unit) for key, items in predicted.items()},
            {m: tuple(side for side in SIDES if side in of) for m, of in sides.items()},
            {case: "\n".join(lines) for case, lines in documents.items()},
            tags,
            gold_times,
            {(item.system, item.case): item.predicted_times for item in texts},
            board,
        )

    def metric(self, info: MetricInfo) -> Metric | None:
        """The metric of a column, unless its name is of a program that is not installed here."""
        return _metric(self.family, info)


def _metric(family: Family, info: MetricInfo) -> Metric | None:
    try:
        return family.metric(info.name)
    except UsageError:
        return None


def _in_order(items: Items, unit: str) -> Items:
    """Days by time; names that are no days stay as they are."""
    if not times_of([*items][:1], unit):
        return items
    times = times_of(items, unit)
    if len(times) < len(items):
        return items
    return {name: items[name] for name in sorted(times, key=times.__getitem__)}


def chosen(
    family: Family,
    result: ResultDocument,
    matches: Iterable[CaseMatches],
    texts: Iterable[CaseTexts],
) -> tuple[ResultDocument, list[CaseMatches], list[CaseTexts]]:
    """The same result with fewer cases, where there are too many for a page.

    Scores stay those of all cases: they are in the summaries.
    """
    tables = [EvidenceTable.of(system.rows) for system in result.systems]
    every = {case for table in tables for case in table.cases}
    if len(every) <= MOST:
        return result, list(matches), list(texts)
    each = min(EACH, max(_FEWEST, MOST // len(tables)) // 3)
    # Curves are the last choice, since one of their scores says little.
    infos = sorted(result.metrics, key=lambda info: bool(info.curve))
    known = ((info, metric) for info in infos if (metric := _metric(family, info)))
    ranking = next(known, None)
    shown = set[str]()
    for table in tables:
        shown |= _sample(table, each)
        shown |= _extremes(table, *ranking, each) if ranking else set()
    ranked = f"the {each} worst, the {each} best and " if ranking else ""
    notice = (
        f"the page shows {len(shown)} of {len(every)} cases: of each system {ranked}{each} drawn "
        "by chance; where precision and recall were lost is shown of these cases, scores are of all"
    )
    systems = []
    for system, table in zip(result.systems, tables, strict=True):
        places = [at for at, case in enumerate(table.cases) if case in shown]
        rows = table.take(np.array(places, np.int64)).rows
        systems.append(msgspec.structs.replace(system, rows=rows))
    return (
        msgspec.structs.replace(result, systems=tuple(systems), notices=(notice, *result.notices)),
        [item for item in matches if item.case in shown],
        [item for item in texts if item.case in shown],
    )


def _sample(table: EvidenceTable, number: int) -> set[str]:
    """Draw cases by chance.

    The seed is fixed and the order is that of ids, so that equal results show equal cases.
    """
    return {*random.Random(0).sample(table.cases, min(number, len(table)))}


def _extremes(table: EvidenceTable, info: MetricInfo, metric: Metric, number: int) -> set[str]:
    """Return the worst and the best cases by the main score of a metric, if it is defined."""
    at = metric.scores.index(info.primary)
    scores = metric.link(table.statistics[info.name])[..., at]
    worst_first = np.argsort(scores if info.better == "higher" else -scores, kind="stable")
    defined = [place for place in worst_first.tolist() if not np.isnan(scores[place])]
    return {table.cases[place] for place in (*defined[:number], *defined[-number:])}


def heading(label: str, score: str) -> str:
    """Name a metric and one of its scores, once if they are called the same.

    >>> heading("AR-1", "f1"), heading("mean days", "mean_days")
    ('AR-1 F1', 'mean days')
    """
    name = short(score)
    return label if name.casefold() == label.casefold() else f"{label} {name}"


def is_alone(match: Match, others: AbstractSet[str]) -> bool:
    """Whether the day of a match has no counterpart; `others` are the other side's days."""
    name, partner = match.gold, match.predicted
    if match.side == "precision":
        name, partner = partner, name
    if not name:
        return False  # all days as one document
    if not partner:
        return True
    earned = match.credit if match.shared is None else match.shared
    return not earned and bool(match.distance) and name not in others


def short_number(value: float) -> int | float:
    """A number to three places, whole where it is whole."""
    value = round(value, 3)
    return int(value) if value == int(value) else value
