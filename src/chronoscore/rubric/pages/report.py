"""The pages of judgements: values, agreement, pairs of evaluators, and what they disagree on."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.drawing import BarPart, stacked, swatch
from chronoscore.reports.html.explained import Explained
from chronoscore.reports.html.markup import (
    Html,
    folded,
    html_table,
    joined,
    lead,
    listed,
    tag,
    unseen,
)
from chronoscore.reports.html.report import Pages, counts_section
from chronoscore.reports.result_tables import agreement_table
from chronoscore.reports.table import Table
from chronoscore.rubric.judgements import Judgement
from chronoscore.rubric.metrics import event_texts
from chronoscore.rubric.pages.agreement_pictures import (
    HEAT_LEGEND,
    MOST_PAIRED,
    AgreementScale,
    heat_map,
)
from chronoscore.statistics.agreement import pairs
from chronoscore.statistics.ratings import Ratings

STEPS = 5
"""Colours from the lowest value of a scale to the highest."""
_ROOM = 0.07
"""The narrowest share that has room for the value."""
_OPEN = 8
"""The number of events that are shown unfolded."""
_MOST_DIFFERING = 100
_OUTCOME = re.compile(r"(\S+) (-?[0-9]+): (.*)", re.DOTALL)
"""How a match names a criterion, its value and the value's label."""
_COUNTS = 2
"""Statistics of a rubric's metric before those of its criteria: the score, and judgements."""


@dataclass(frozen=True)
class ReportedJudgements:
    """All judgements of a result."""

    criteria: tuple[str, ...]
    judgements: tuple[Judgement, ...]
    labels: Mapping[tuple[str, int], str]
    """The label of each value of a criterion that some match names."""

    @classmethod
    def of(cls, explained: Explained) -> "ReportedJudgements":
        """Read the judgements from the rows of a result, which hold the values as statistics."""
        metric = explained.result.metrics[0]
        criteria = tuple(statistic.name for statistic in metric.statistics[_COUNTS:])
        judgements = []
        for system in explained.result.systems:
            for row in system.rows:
                event = row.tags.get("event", "")
                texts = event_texts(event, explained.predicted.get((system.name, row.case), {}))
                about = texts._asdict() | {"article": row.tags.get("article", "")}
                values = tuple(map(int, row.statistics[metric.name][_COUNTS:]))
                evaluator = row.tags.get("evaluator", "")
                judgements.append(Judgement(event, evaluator, values, system=system.name, **about))
        outcomes = {
            match.outcome
            for (_, _, name), matches in explained.matches.items()
            if name == metric.name
            for match in matches
        }
        labels = {
            (match[1], int(match[2])): match[3]
            for outcome in sorted(outcomes)
            if (match := _OUTCOME.fullmatch(outcome)) and match[1] in criteria
        }
        return cls(criteria, tuple(judgements), labels)

    @property
    def evaluators(self) -> list[str]:
        """Who judged."""
        return sorted({judgement.evaluator for judgement in self.judgements})

    def values(self, place: int) -> list[int]:
        """The values of a criterion that were given, ascending; those with a label too."""
        used = {judgement.values[place] for judgement in self.judgements}
        labelled = {value for name, value in self.labels if name == self.criteria[place]}
        return sorted(used | labelled)

    def ratings(self, place: int) -> Ratings:
        """The values of a criterion as a long table."""
        return Ratings.of(
            (
                f"{judgement.system}: {judgement.event}",
                judgement.evaluator,
                float(judgement.values[place]),
            )
            for judgement in self.judgements
        )


def values_section(explained: Explained) -> Html:
    """For each criterion and system, the share of each value as a stacked bar."""
    judged = ReportedJudgements.of(explained)
    return joined(
        lead(
            "How often each value was given, over all judgements of a system. "
            "An event that several people judged counts several times here."
        ),
        tag("div", [_values(judged, at) for at in range(len(judged.criteria))], class_="values"),
    )


def _values(judged: ReportedJudgements, place: int) -> Html:
    criterion, values = judged.criteria[place], judged.values(place)
    steps = {value: step_of(at, len(values)) for at, value in enumerate(values)}
    by_system: dict[str, Counter[int]] = {}
    for judgement in judged.judgements:
        by_system.setdefault(judgement.system, Counter())[judgement.values[place]] += 1
    rows = []
    for system, counts in by_system.items():
        total, parts, cells = counts.total(), [], []
        for value, step in steps.items():
            share = counts[value] / total
            text = str(value) if share >= _ROOM else ""
            parts.append(BarPart(share, f"step-{step}", text, f"on-{step}"))
            small = tag("span", f" {100 * counts[value] / total:.0f}\u00a0%", class_="share")
            kind = None if share else "none"
            cells.append(tag("span", str(counts[value]), small, class_=kind))
        rows.append((system, stacked(parts, 20, "stack levels"), *cells, total))
    heads = [joined(swatch(f"step-{step}"), str(value)) for value, step in steps.items()]
    meanings = [
        joined(tag("b", str(value)), f" {judged.labels[criterion, value]}")
        for value in values
        if (criterion, value) in judged.labels
    ]
    table = Table.of(f"Values of {criterion}", ["system", unseen("bar"), *heads, "all"], rows)
    classes = [None, "bars", *["number"] * (len(values) + 1)]
    drawn = html_table(table, caption=joined(criterion), classes=classes)
    return tag("div", drawn, listed(meanings, "meanings"))


def step_of(rank: int, number: int) -> int:
    """The colour of a value by its rank on its scale.

    >>> [step_of(rank, 3) for rank in range(3)], [step_of(rank, 2) for rank in range(2)]
    ([0, 2, 4], [0, 4])
    """
    return round(rank * (STEPS - 1) / max(number - 1, 1))


def agreement_section(explained: Explained) -> Html:
    """A table of all coefficients with a dot and its interval in each row."""
    agreement = explained.result.agreement
    if not agreement:
        return Html("")
    scale = AgreementScale.around(agreement)
    table = agreement_table(agreement)
    picture = joined(unseen("picture"), scale.ticks)
    bars = map(scale.dot, agreement)
    drawn = Table.of(
        table.caption.capitalize(),
        [*table.columns[:3], picture, *table.columns[3:]],
        ((*row[:3], bar, *row[3:]) for row, bar in zip(table.rows, bars, strict=True)),
    )
    classes = [None, None, "number", "bars", None, "number", "number", "number"]
    classes += [None] * (len(drawn.columns) - len(classes))
    return joined(
        lead(
            "Lines are intervals. " if any(a.interval for a in agreement) else "",
            "1 is complete agreement; 0 is that of chance, for all but percent.",
            [f" {remark[0].upper()}{remark[1:]}." for remark in table.remarks],
        ),
        tag("div", html_table(drawn, classes=classes, by_first=True), class_="whiskers"),
    )


def pairs_section(explained: Explained) -> Html:
    """For each criterion, a heat map of all pairs with the numbers in its cells."""
    judged = ReportedJudgements.of(explained)
    people = judged.evaluators
    if len(people) < 2:
        return Html("")
    if len(people) > MOST_PAIRED:
        too_many = f"{len(people)} evaluators make too many pairs to draw"
        return lead(f"{too_many}: see chronoscore agreement.")
    places = enumerate(judged.criteria)
    maps = [heat_map(criterion, pairs(judged.ratings(place))) for place, criterion in places]
    return joined(
        lead(HEAT_LEGEND),
        tag("div", maps, class_="maps"),
    )


def disagreements_section(explained: Explained) -> Html:
    """The events that were judged differently, the greatest disagreement first."""
    judged = ReportedJudgements.of(explained)
    units: dict[tuple[str, str], list[Judgement]] = {}
    for judgement in judged.judgements:
        units.setdefault((judgement.system, judgement.event), []).append(judgement)
    compared = {unit: rows for unit, rows in units.items() if len(rows) > 1}
    if not compared:
        return Html("")
    values = [judged.values(place) for place in range(len(judged.criteria))]
    sizes = [max(of[-1] - of[0], 1) for of in values]
    spread = {unit: _spread(rows, sizes) for unit, rows in compared.items()}
    order = sorted((u for u in compared if spread[u] > 0), key=lambda u: (-spread[u], u))
    events = [_event(compared[unit], judged.criteria) for unit in order[:_MOST_DIFFERING]]
    cut = f"; the first {_MOST_DIFFERING} are listed" if len(order) > _MOST_DIFFERING else ""
    more = tag("ol", events[_OPEN:], class_="differ", start=_OPEN + 1)
    return joined(
        lead(
            f"{len(order)} of {len(compared)} events that several people judged are judged "
            f"differently{cut}. Those that differ most come first; "
            "values that are not what most said are marked."
        ),
        tag("ol", events[:_OPEN], class_="differ"),
        folded(f"{len(events) - _OPEN} more", more) if len(events) > _OPEN else "",
    )


def _spread(judgements: Sequence[Judgement], sizes: Sequence[int]) -> float:
    """Sum over criteria of the variance of values, each scale taken from 0 to 1."""
    columns = zip(*(judgement.values for judgement in judgements), strict=True)
    variances = (
        float(np.var(column, ddof=1)) / size**2 for column, size in zip(columns, sizes, strict=True)
    )
    return round(sum(variances), 12)


def _usual(values: Sequence[int]) -> int | None:
    """Return the most frequent value; None if two are as frequent.

    >>> _usual((1, 0, 1)), _usual((1, 0))
    (1, None)
    """
    (first, times), *others = Counter(values).most_common(2)
    return None if others and others[0][1] == times else first


def _event(judgements: Sequence[Judgement], criteria: Sequence[str]) -> Html:
    judgements = sorted(judgements, key=lambda judgement: judgement.evaluator)

    def first(part: str) -> str:
        return next((text for judgement in judgements if (text := getattr(judgement, part))), "")

    facts = [judgements[0].system, *map(first, ("article", "date", "type"))]
    columns = list(zip(*(judgement.values for judgement in judgements), strict=True))
    usual = [_usual(column) for column in columns]
    rows = []
    for judgement in judgements:
        cells = (
            str(value) if value == common else tag("mark", str(value))
            for value, common in zip(judgement.values, usual, strict=True)
        )
        rows.append((judgement.evaluator, *cells))
    caption = f"Judgements of {judgements[0].event}"
    classes = [
        None,
        *["number" if len(set(column)) == 1 else "number differs" for column in columns],
    ]
    comments = [
        joined(tag("b", judgement.evaluator), f" {judgement.comment}")
        for judgement in judgements
        if judgement.comment.strip()
    ]
    text = first("text")
    return tag(
        "li",
        tag("h3", judgements[0].event),
        tag("p", " · ".join(filter(None, facts)), class_="told"),
        tag("p", text, class_="quote") if text else "",
        html_table(
            Table.of(caption, ["evaluator", *criteria], rows),
            caption=unseen(caption),
            classes=classes,
        ),
        listed(comments, "said"),
    )


def _counts(explained: Explained) -> Html:
    """The counts; agreement has a section of its own."""
    without = msgspec.structs.replace(explained.result, agreement=())
    return counts_section(replace(explained, result=without))


PAGES = Pages(
    sections=(
        ("values", "What was judged", values_section),
        ("agreement", "Agreement", agreement_section),
        ("pairs", "Each pair of evaluators", pairs_section),
        ("differ", "What they disagree on", disagreements_section),
        ("counts", "Counts", _counts),
    ),
    view=CaseView(level="judgement", title="Judgement by judgement"),
)
