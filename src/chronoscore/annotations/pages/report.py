"""The pages of annotations: by value, curves, confusion, and changes."""

import re
from collections.abc import Mapping, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from chronoscore.annotations.pages.tables import TABLES, confusion_of_types
from chronoscore.annotations.pages.texts import VIEW
from chronoscore.core.contrast import Change, outcome_names
from chronoscore.core.result import CaseMatches, CurvePoint, MetricInfo, Summary
from chronoscore.reports.html.drawing import Axis, Plot, curve_key, key, line_key, shares
from chronoscore.reports.html.explained import Explained
from chronoscore.reports.html.markup import (
    Html,
    folded,
    html_table,
    joined,
    tag,
    unseen,
)
from chronoscore.reports.html.report import COUNTS, Pages
from chronoscore.reports.matches import changes_between, contingency_table, is_all_or_nothing
from chronoscore.reports.result_tables import breakdown_tables, short, wholes
from chronoscore.reports.table import Table, plural, shown

_EXAMPLES, _FEWEST_EXAMPLES = 20, 3
"""How many examples of one change are listed: of one pair of systems, and of very many."""
_BETWEEN = 8
"""How many points are drawn between two points of the curve."""
_HOW = {"strict": ("correct_strict",), "lenient": ("correct_strict", "correct_partial")}


class RankingPoint(NamedTuple):
    """The counts of the responses that reach a threshold."""

    threshold: float
    responses: float
    correct: float
    targets: float

    @property
    def f1(self) -> float:
        """F1 of precision and recall."""
        total = self.responses + self.targets
        return 2 * self.correct / total if total else 0.0


def _by_value(explained: Explained) -> Html:
    """Show scores by the values of annotations, such as types."""
    return joined(
        joined(html_table(table), [tag("p", remark) for remark in table.remarks])
        for table in breakdown_tables(explained.family, explained.result)
    )


def curves_section(explained: Explained) -> Html:
    """Draw figures for each system and metric whose evidence is a curve."""
    figures = []
    for metric in explained.result.metrics:
        for system, summary in wholes(explained.result, metric.name):
            if not summary.curve:
                continue
            title = f"{metric.label} of {system.name}"
            first = _by_level(title, metric, summary)
            others = _ranking_figures(title, metric, summary)
            figures.append(tag("div", first, others, class_="curve-set") if others else first)
    return joined(figures)


def _by_level(title: str, metric: MetricInfo, summary: Summary) -> Html:
    """Draw the main score, precision and recall at every threshold or rank."""
    ranked = TABLES.by_rank(metric.name)
    sign = -1 if ranked else 1  # a curve holds ranks as negative numbers
    levels = [sign * point.threshold for point in summary.curve]
    finite = [level for level in levels if abs(level) != float("inf")] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    form = "{:g}" if ranked else "{:.2f}"
    name = "candidates of each list" if ranked else "threshold"
    axis = Axis(low, high, labels={at: form.format(at) for at in (low, high)}, name=name)
    plot = Plot(640, 254, axis, shares())
    stem = re.sub(r"f[\d.]+$", "", metric.primary)
    lines = [name for name in (f"{stem}precision", f"{stem}recall") if name in metric.scores]
    lines.insert(0, metric.primary)
    best = summary.scores.get("threshold")
    marks = [] if best is None else [plot.upright(sign * best, "best")]
    points = sorted(zip(levels, summary.curve, strict=True), key=lambda pair: pair[0])
    for place, line in enumerate(lines):
        line_points = [(at, score) for at, p in points if (score := p.scores.get(line)) is not None]
        marks.append(plot.curve(line_points, place))
    at = "" if best is None else f" at {-best:g}" if ranked else f" at {best:.3f}"
    label = (
        f"{title} by {'rank' if ranked else 'threshold'}; the best {short(metric.primary)} is "
        f"{shown(summary.scores[metric.primary], undefined='undefined')}{at}"
    )
    keys = [curve_key(place, short(line)) for place, line in enumerate(lines)]
    return plot.figure(label, "", marks, keys, "curves")


def _ranking_figures(title: str, metric: MetricInfo, summary: Summary) -> list[Html]:
    """Draw both figures of a metric that counts targets, responses and correct ones, else none."""
    names = [statistic.name for statistic in metric.statistics]
    if not {"targets", "responses", "correct_partial"} <= set(names) or TABLES.by_rank(metric.name):
        return []
    lines = {how: _points(summary.curve, names, counters) for how, counters in _HOW.items()}
    return [_over_recall(title, lines, summary), _roc(title, lines, summary)]


def _points(
    curve: Sequence[CurvePoint], names: Sequence[str], counters: Sequence[str]
) -> list[RankingPoint]:
    """Return the points from the highest threshold down that some response reaches."""
    points = []
    for point in sorted(curve, key=lambda point: -point.threshold):
        value = dict(zip(names, point.statistics, strict=True))
        correct = sum(value[name] for name in counters)
        points.append(RankingPoint(point.threshold, value["responses"], correct, value["targets"]))
    return [point for point in points if point.responses]


def _over_recall(title: str, lines: Mapping[str, Sequence[RankingPoint]], summary: Summary) -> Html:
    plot = Plot(270, 270, shares("recall", crossed=False), shares("precision"))
    marks, notes = [], []
    for place, (how, points) in enumerate(lines.items()):
        if not points or not points[0].targets:
            continue
        marks.append(plot.curve(_precisions(points), place))
        best = max(points, key=lambda point: (point.f1, point.threshold))
        x, y = plot.x(best.correct / best.targets), plot.y(best.correct / best.responses)
        marks.append(tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=4.5, class_="point"))
        area = shown(summary.scores.get(f"{how}_area"), undefined="undefined")
        notes.append(f"{how}: best F1 {best.f1:.3f} at {best.threshold:.3f}, area {area}")
    point = key(tag("circle", cx=17, cy=7, r=4.5, class_="point"), "best F1")
    keys = [*map(curve_key, range(len(_HOW)), _HOW), point]
    title = f"{title}: precision over recall"
    return plot.figure(title, "; ".join(notes), marks, keys, "curves square")


def _precisions(points: Sequence[RankingPoint]) -> list[tuple[float, float]]:
    """Return (recall, precision) along the curve.

    Between two points, responses and correct ones grow in proportion, so that precision bends.
    Before the first point, precision is that of the first point.
    """
    first = points[0]
    line_points = [(0.0, first.correct / first.responses)]
    for before, point in pairwise((first, *points)):
        for step in range(1, _BETWEEN + 1):
            share = step / _BETWEEN
            correct = before.correct + (point.correct - before.correct) * share
            responses = before.responses + (point.responses - before.responses) * share
            line_points.append((correct / point.targets, correct / responses))
    return list(dict.fromkeys(line_points))


def _roc(title: str, lines: Mapping[str, Sequence[RankingPoint]], summary: Summary) -> Html:
    across = shares("share of the wrong responses", crossed=False)
    plot = Plot(270, 270, across, shares("share of the correct responses"))
    ends = {"x1": plot.x(0), "x2": plot.x(1), "y1": plot.y(0), "y2": plot.y(1)}
    marks, notes = [tag("line", **ends, class_="chance")], []
    for place, (how, points) in enumerate(lines.items()):
        if not points:
            continue
        last = points[-1]
        wrong = last.responses - last.correct
        if not wrong or not last.correct:
            notes.append(f"{how}: undefined, all responses are of one kind")
            continue
        line_points = [
            ((p.responses - p.correct) / wrong, p.correct / last.correct) for p in points
        ]
        marks.append(plot.curve([(0.0, 0.0), *line_points], place))
        area = shown(summary.scores.get(f"{how}_roc_area"), undefined="undefined")
        notes.append(f"{how}: area {area}")
    keys = [*map(curve_key, range(len(_HOW)), _HOW), line_key("chance", "by chance")]
    title = f"{title}: ROC of the scored responses"
    return plot.figure(title, "; ".join(notes), marks, keys, "curves square")


def _confusion(explained: Explained) -> Html:
    """Show which types were confused."""
    return joined(map(html_table, confusion_of_types(explained.matches)))


def changes_section(explained: Explained) -> Html:
    """Show the changes from the first system to each other; numbers link to examples.

    Empty if there is only one system, or no matches.
    """
    names = [s.name for s in explained.result.systems if s.is_ranked]
    if len(names) < 2 or not explained.matches:
        return Html("")
    matches = [CaseMatches(*key, pairs) for key, pairs in explained.matches.items()]
    old, *others = names
    numbers = count(1)
    return joined(
        _changes(explained, changes, metric, (old, new), numbers)
        for metric in explained.result.metrics
        for new in others
        if not metric.curve and (changes := changes_between(matches, metric.name, old, new))
    )


def _changes(
    explained: Explained,
    changes: Sequence[Change],
    metric: MetricInfo,
    systems: tuple[str, str],
    numbers: "count[int]",
) -> Html:
    """Show the table of one pair of systems, which of them is right alone, and the examples."""
    by_change: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        by_change.setdefault(change.outcomes, []).append(change)
    anchors = {
        change: f"change-{next(numbers)}" for change in sorted(by_change) if change[0] != change[1]
    }
    title = f"{metric.label}, from {systems[0]} to {systems[1]}"
    moved = sum(len(by_change[change]) for change in anchors)
    caption = joined(
        f"{title}: {moved} of {len(changes)} targets changed ",
        tag("span", "rows: what it was, columns: what it is now; press a number for examples"),
    )

    def cell(change: tuple[str, str]) -> str:
        number = str(len(by_change.get(change, ()))) if change in by_change else "–"
        label = f"{number} from {change[0]} to {change[1]}"
        link = f"#{anchors[change]}" if change in anchors else ""
        return tag("a", number, href=link, aria_label=label) if link else number

    names = outcome_names(changes)
    rows = ((old, *(cell((old, new)) for new in names)) for old in names)
    filled = [row for row in rows if any(cell != "–" for cell in row[1:])]
    table = Table.of(title, ["was", *names], filled)
    classes = [None, *["number"] * len(names)]
    order = sorted(anchors, key=lambda change: (-len(by_change[change]), change))
    return joined(
        html_table(table, caption=caption, classes=classes),
        html_table(contingency_table(changes, title)) if is_all_or_nothing(changes) else "",
        [_examples(explained, by_change[pair], anchors[pair], systems) for pair in order],
    )


def _examples(
    explained: Explained, changes: Sequence[Change], anchor: str, systems: tuple[str, str]
) -> Html:
    """List the targets of one change, each with a link to its case."""
    before, after = changes[0].outcomes
    sense = {"better": ", better", "worse": ", worse", "other": ""}[changes[0].sense]
    name = f"{before} → {after}: {plural(len(changes), 'target')}{sense}"
    rows = [
        (
            tag("a", change.case, href=explained.case_address(change.case, systems[1])),
            change.target,
            change.old.predicted or "–",
            change.new.predicted or "–",
        )
        for change in changes[: _examples_each(explained)]
    ]
    unlisted = len(changes) - len(rows)
    more = tag("p", f"and {unlisted} more") if unlisted else ""
    # The anchor is inside the folded block, so that a browser opens the block.
    table = html_table(
        Table.of(name, ("case", "target", *systems), rows), caption=unseen(f"{before} → {after}")
    )
    return folded(name, tag("div", table, more, id=anchor))


def _examples_each(explained: Explained) -> int:
    """Return how many examples each change has room for: fewer if there are many pairs."""
    pairs = (len(explained.result.systems) - 1) * len(explained.result.metrics)
    return max(_FEWEST_EXAMPLES, _EXAMPLES // max(pairs, 1))


PAGES = Pages(
    sections=(
        ("by-value", "By value", _by_value),
        ("curves", "By threshold", curves_section),
        ("confusion", "What was taken for what", _confusion),
        ("changes", "What changed", changes_section),
        COUNTS,
    ),
    view=VIEW,
)
