"""Pictures of agreement: dots with intervals, heat maps of pairs, drift, generosity.

They are functions of the values that they show, so that reports and the workbench draw alike.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from chronoscore.core.result import Agreement
from chronoscore.reports.html.drawing import Axis, Ends, Plot, interval_bar, ticks
from chronoscore.reports.html.markup import Html, joined, percent, tag, unseen, wide
from chronoscore.reports.table import signed
from chronoscore.rubric.agreement.over_time import TimeSeries
from chronoscore.rubric.agreement.study import Generosity
from chronoscore.statistics.agreement import Pairs

MOST_PAIRED = 30
"""Evaluators whose pairs are drawn; more make no picture."""
HEAT_LEGEND = (
    "In each cell Cohen’s kappa of two evaluators, and the share of equal values, in their "
    "answers about what both judged; on the diagonal, how many answers a person gave. "
    "The stronger the colour, the higher is kappa."
)
_HEATS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""From which kappa on a cell has the next colour."""
_STEADY = 0.05
"""A change of alpha below this is not called one."""
_FEW = 10
"""With fewer events in a part, alpha moves by chance alone."""
_NAMED_PARTS = 4
"""Parts of the work that have room for their names below a line."""
PairAddress = Callable[[str, str], str]
"""Gives the address of the events on which two evaluators differ."""


@dataclass(frozen=True)
class AgreementScale:
    """The scale on which coefficients are drawn, from 0 or below to 1."""

    low: float

    @classmethod
    def around(cls, agreement: Iterable[Agreement]) -> "AgreementScale":
        """Begin low enough for every value and interval."""
        rows = list(agreement)
        ends = [a.interval.low for a in rows if a.interval] + [a.value or 0 for a in rows]
        return cls.reaching(ends)

    @classmethod
    def reaching(cls, values: Iterable[float]) -> "AgreementScale":
        """Begin at 0, or at a fifth below it if a value is lower."""
        return cls(floor(min([0.0, *values]) * 5) / 5)

    def place(self, value: float) -> str:
        """Where a value lies across the drawing."""
        return percent((value - self.low) / (1 - self.low))

    @property
    def ticks(self) -> Html:
        """The numbers above the dots."""
        return ticks(sorted({self.low, 0.0, 0.5, 1.0}), self.place)

    def dot(self, row: Agreement) -> Html:
        """A coefficient as a dot, with its interval as a line."""
        return interval_bar(row.value, row.interval, self.place, middle=9, radius=4, zero=True)


def heat_map(criterion: str, table: Pairs, address: PairAddress | None = None) -> Html:
    """A table of all pairs; each cell is a link if there is an address for it."""
    people = table.raters
    head = tag("tr", tag("td"), [tag("th", name, scope="col") for name in people])
    body = []
    for row, name in enumerate(people):
        cells = [_heat(table, row, column, address) for column in range(len(people))]
        body.append(tag("tr", tag("th", name, scope="row"), cells))
    parts = (tag("caption", criterion), tag("thead", head), tag("tbody", body))
    return wide(tag("table", *parts, class_="heat"), f"Pairs of evaluators, {criterion}")


def _heat(table: Pairs, row: int, column: int, address: PairAddress | None) -> Html:
    shared = int(table.shared[row, column])
    if row == column:
        return tag("td", f"n\u00a0{shared}", class_="self")
    if not shared:
        return tag("td", "–", unseen("nothing in common"), class_="self")
    kappa, equal = float(table.kappa[row, column]), float(table.percent[row, column])
    undefined = bool(np.isnan(kappa))
    one, two = table.raters[row], table.raters[column]
    inside = joined(
        tag("b", "undef." if undefined else f"{kappa:.2f}"),
        tag("span", f"{100 * equal:.0f}\u00a0%"),
    )
    if address and equal < 1:
        where = unseen(f": where {one} and {two} differ")
        inside = tag("a", inside, where, href=address(one, two))
    return tag(
        "td",
        inside,
        class_="self" if undefined else f"heat-{sum(kappa >= edge for edge in _HEATS)}",
        title=f"{one} and {two}: both judged {shared}",
    )


def drift_figure(series: TimeSeries, parts: Sequence[str], low: float, threshold: float) -> Html:
    """A coefficient in consecutive parts of the work, as a line above a sentence."""
    last = len(parts) - 1
    named = range(len(parts)) if len(parts) <= _NAMED_PARTS else (0, last)
    across = Axis(0, last, (), {at: parts[at] for at in named})
    up = Axis(low, 1, sorted({low, 0.0, 0.5, 1.0}), {at: f"{at:g}" for at in {low, 0.0, 0.5, 1.0}})
    plot = Plot(300, 150, across, up)
    marks = [plot.level(threshold, "threshold")]
    runs: list[list[tuple[float, float]]] = [[]]
    for at, value in enumerate(series.values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    marks += [plot.curve(run, 0) for run in runs if len(run) > 1]
    marks += [plot.spot(*point) for run in runs for point in run]
    return plot.figure(series.criterion, drift_sentence(series, parts), marks, (), "drift")


def drift_sentence(series: TimeSeries, parts: Sequence[str]) -> str:
    """Say how a coefficient changes from the first part to the last in which it is defined."""
    known = [(value, at) for at, value in enumerate(series.values) if value is not None]
    if len(known) < 2:
        return f"{series.name} is not defined in two parts of the work: too few differ or overlap."
    (first, start), (last, end) = known[0], known[-1]
    between = f"from {parts[start]} to {parts[end]}"
    if abs(last - first) < _STEADY:
        change = f"stays at about {last:.2f} {between}"
    else:
        verb = "rises" if last > first else "falls"
        change = f"{verb} from {first:.2f} to {last:.2f} {between}"
    fewest = min(series.events[at] for _, at in known)
    chance = f"; with {fewest} judged in a part this may be chance" if fewest < _FEW else ""
    return f"{series.name} {change}{chance}."


def generosity_figure(criterion: str, rows: Sequence[Generosity]) -> Html:
    """Each evaluator's generosity on a criterion as a dot around 0, with its interval."""
    ends = [abs(end) for row in rows for end in (row.above, row.low, row.high) if end is not None]
    reach = max(0.1, ceil(max(ends, default=0) * 10) / 10)

    def place(value: float) -> str:
        return percent((value + reach) / (2 * reach))

    lines = []
    for row in rows:
        both = row.low is not None and row.high is not None
        ends_ = Ends(row.low, row.high) if both else None  # type: ignore[arg-type]  # both are known
        bar = interval_bar(row.above, ends_, place, middle=9, radius=4, zero=True)
        value = signed(row.above) if row.above is not None else row.reason
        lines.append(
            tag(
                "tr",
                tag("th", row.evaluator, scope="row"),
                tag("td", bar, class_="bars"),
                tag("td", value, class_="number"),
            )
        )
    scale = joined(unseen("picture"), ticks([-reach, 0.0, reach], place))
    head = tag(
        "tr",
        tag("th", unseen("evaluator"), scope="col"),
        tag("th", scale, scope="col", class_="bars"),
        tag("th", unseen("above the others"), scope="col"),
    )
    parts = (tag("caption", criterion), tag("thead", head), tag("tbody", lines))
    return wide(tag("table", *parts, class_="generous"), f"Generosity, {criterion}")
