"""How far evaluators agree: coefficients with their intervals drawn, and every pair of people."""

from collections.abc import Sequence

import numpy as np

from chronoscore.core.result import Agreement
from chronoscore.reports.html.judged import Judged
from chronoscore.reports.html.markup import Html, joined, percent, tag
from chronoscore.reports.html.tables import wide
from chronoscore.reports.html.words import number
from chronoscore.reports.intervals import (
    agreement_intervals,
    few_units,
    interval_in_words,
    without_interval,
)
from chronoscore.statistics.agreement import Pairs, pairs

_MOST = 30
"""Evaluators whose pairs are drawn; more make no picture."""
_HEATS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""From which kappa on a cell has the next colour."""


def agreement_section(rows: Sequence[Agreement]) -> Html:
    """A table of all coefficients with a dot and its interval in each row."""
    if not rows:
        return Html("")
    reasons = any(row.reason for row in rows)
    bounds = [row.interval.low for row in rows if row.interval] + [row.value or 0 for row in rows]
    low = min(0.0, np.floor(min(bounds) * 5) / 5)
    names = ["criterion", "coefficient", "value"]
    after = ["interval", "events", "ratings", "raters", *(["why undefined"] if reasons else [])]
    numeric = {"value", "events", "ratings", "raters"}
    head = tag(
        "tr",
        [tag("th", n, scope="col", class_="number" if n in numeric else None) for n in names],
        tag("th", _axis(low), scope="col", class_="bars"),
        [tag("th", n, scope="col", class_="number" if n in numeric else None) for n in after],
    )
    body, before = [], ""
    for row in rows:
        same = row.criterion == before
        name = tag("span", row.criterion, class_="unseen") if same else row.criterion
        body.append(
            tag(
                "tr",
                tag("th", name, scope="row"),
                tag("td", row.coefficient),
                tag("td", number(row.value, undefined="undef."), class_="number"),
                tag("td", _whisker(row, low), class_="bars"),
                tag("td", interval_in_words(row.interval)),
                [tag("td", str(n), class_="number") for n in (row.units, row.ratings, row.raters)],
                tag("td", row.reason) if reasons else "",
                class_="next" if same else None,
            )
        )
        before = row.criterion
    caption = "Agreement between evaluators"
    named = ((f"{row.criterion} {row.coefficient}", row.interval) for row in rows)
    remarks = [*agreement_intervals(rows), *without_interval(rows), *few_units(named)]
    table = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", body))
    return joined(
        tag(
            "p",
            "Lines are intervals. " if any(row.interval for row in rows) else "",
            "1 is complete agreement; 0 is that of chance, for all but percent.",
            [f" {remark[0].upper()}{remark[1:]}." for remark in remarks],
            class_="lead",
        ),
        tag("div", wide(table, caption), class_="whiskers"),
    )


def _place(value: float, low: float) -> str:
    return percent((value - low) / (1 - low))


def _axis(low: float) -> Html:
    ticks = [low, 0.0, 0.5, 1.0] if low < 0 else [0.0, 0.5, 1.0]
    marks = [
        tag(
            "text",
            f"{tick:g}",
            x=_place(tick, low),
            y=12,
            text_anchor="start" if tick == low else "end" if tick == 1 else "middle",
        )
        for tick in ticks
    ]
    unseen = tag("span", "picture", class_="unseen")
    return joined(unseen, tag("svg", marks, width="100%", height=14, aria_hidden="true"))


def _whisker(row: Agreement, low: float) -> Html:
    middle = 9
    marks = [tag("line", x1="0%", x2="100%", y1=middle, y2=middle, class_="track")]
    zero = _place(0, low)
    marks.append(tag("line", x1=zero, x2=zero, y1=0, y2=2 * middle, class_="zero"))
    if row.interval:
        one, two = _place(row.interval.low, low), _place(row.interval.high, low)
        marks.append(tag("line", x1=one, x2=two, y1=middle, y2=middle, class_="interval"))
        marks += [
            tag("line", x1=x, x2=x, y1=middle - 5, y2=middle + 5, class_="end") for x in (one, two)
        ]
    if row.value is not None:
        marks.append(tag("circle", cx=_place(row.value, low), cy=middle, r=4))
    return tag("svg", marks, class_="bar", width="100%", height=2 * middle, aria_hidden="true")


def pairs_section(judged: Judged) -> Html:
    """For each criterion, a heat map of all pairs with the numbers in its cells."""
    people = judged.evaluators
    if len(people) < 2:
        return Html("")
    if len(people) > _MOST:
        told = f"{len(people)} evaluators make too many pairs to draw: see chronoscore agreement."
        return tag("p", told, class_="lead")
    found = [pairs(judged.ratings(place)) for place in range(len(judged.criteria))]
    return joined(
        tag(
            "p",
            "In each cell Cohen’s kappa of two evaluators, and the share of equal values, in the "
            "events that both judged; on the diagonal, how many events a person judged. ",
            "The stronger the colour, the higher is kappa.",
            class_="lead",
        ),
        tag(
            "div",
            [_map(name, own) for name, own in zip(judged.criteria, found, strict=True)],
            class_="maps",
        ),
    )


def _map(criterion: str, found: Pairs) -> Html:
    people = found.raters
    head = tag("tr", tag("td"), [tag("th", name, scope="col") for name in people])
    body = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            [_cell(found, row, column) for column in range(len(people))],
        )
        for row, name in enumerate(people)
    ]
    table = tag(
        "table", tag("caption", criterion), tag("thead", head), tag("tbody", body), class_="heat"
    )
    return wide(table, f"Pairs of evaluators, {criterion}")


def _cell(found: Pairs, row: int, column: int) -> Html:
    shared = int(found.shared[row, column])
    if row == column:
        return tag("td", f"n\u00a0{shared}", class_="self")
    if not shared:
        return tag("td", "–", tag("span", "no event in common", class_="unseen"), class_="self")
    kappa, equal = float(found.kappa[row, column]), float(found.percent[row, column])
    undefined = bool(np.isnan(kappa))
    heat = "" if undefined else f"heat-{sum(kappa >= edge for edge in _HEATS)}"
    return tag(
        "td",
        tag("b", "undef." if undefined else f"{kappa:.2f}"),
        tag("span", f"{100 * equal:.0f}\u00a0%"),
        class_=heat or "self",
        title=f"{found.raters[row]} and {found.raters[column]}: {shared} events",
    )
