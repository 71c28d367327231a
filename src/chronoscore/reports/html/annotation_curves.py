"""Precision over recall, and ROC, of a curve over score thresholds: strict and lenient."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from chronoscore.core.result import CurvePoint, MetricInfo, Summary
from chronoscore.reports.html import words
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.levels import by_rank

_SIDE, _LEFT, _TOP, _BOTTOM, _RIGHT = 270, 46, 10, 36, 10
_BETWEEN = 8
"""Points drawn between two of the curve."""
_HOW = {"strict": ("correct_strict",), "lenient": ("correct_strict", "correct_partial")}


class Point(NamedTuple):
    """What reaches a threshold."""

    threshold: float
    responses: float
    correct: float
    targets: float

    @property
    def f1(self) -> float:
        """Of precision and recall."""
        both = self.responses + self.targets
        return 2 * self.correct / both if both else 0.0


def ranking_figures(system: str, metric: MetricInfo, summary: Summary) -> list[Html]:
    """Both figures of a metric that counts targets, responses and correct ones, else none."""
    names = [statistic.name for statistic in metric.statistics]
    if not {"targets", "responses", "correct_partial"} <= set(names) or by_rank(metric.name):
        return []
    lines = {how: _points(summary.curve, names, counted) for how, counted in _HOW.items()}
    return [
        _over_recall(f"{metric.label} of {system}", lines, summary),
        _roc(f"{metric.label} of {system}", lines, summary),
    ]


def _points(
    curve: Sequence[CurvePoint], names: Sequence[str], counted: Sequence[str]
) -> list[Point]:
    """From the highest threshold down, from the first that some response reaches."""
    found = []
    for point in sorted(curve, key=lambda point: -point.threshold):
        value = dict(zip(names, point.statistics, strict=True))
        correct = sum(value[name] for name in counted)
        found.append(Point(point.threshold, value["responses"], correct, value["targets"]))
    return [point for point in found if point.responses]


def _over_recall(title: str, lines: Mapping[str, Sequence[Point]], summary: Summary) -> Html:
    marks = _frame("recall", "precision")
    told = []
    for place, (how, points) in enumerate(lines.items()):
        if not points or not points[0].targets:
            continue
        marks.append(_line([_at(*both) for both in _precisions(points)], place))
        best = max(points, key=lambda point: (point.f1, point.threshold))
        x, y = _at(best.correct / best.targets, best.correct / best.responses)
        marks.append(tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=4.5, class_="point"))
        area = summary.scores.get(f"{how}_area")
        told.append(
            f"{how}: best F1 {best.f1:.3f} at {best.threshold:.3f}, area {words.number(area)}"
        )
    return _figure(f"{title}: precision over recall", "; ".join(told), marks, "best F1")


def _precisions(points: Sequence[Point]) -> list[tuple[float, float]]:
    """(recall, precision) along the curve.

    Between two points responses and correct ones grow in proportion, so that precision bends.
    Before the first point it is that of the first.
    """
    first = points[0]
    drawn = [(0.0, first.correct / first.responses)]
    before = first
    for point in points:
        for step in range(1, _BETWEEN + 1):
            share = step / _BETWEEN
            correct = before.correct + (point.correct - before.correct) * share
            responses = before.responses + (point.responses - before.responses) * share
            drawn.append((correct / point.targets, correct / responses))
        before = point
    return list(dict.fromkeys(drawn))


def _roc(title: str, lines: Mapping[str, Sequence[Point]], summary: Summary) -> Html:
    marks = _frame("share of the wrong responses", "share of the correct responses")
    (x1, y1), (x2, y2) = _at(0, 0), _at(1, 1)
    marks.append(tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="chance"))
    told = []
    for place, (how, points) in enumerate(lines.items()):
        if not points:
            continue
        last = points[-1]
        wrong = last.responses - last.correct
        if not wrong or not last.correct:
            told.append(f"{how}: undefined, all responses are of one kind")
            continue
        drawn = [((p.responses - p.correct) / wrong, p.correct / last.correct) for p in points]
        marks.append(_line([_at(*both) for both in [(0.0, 0.0), *drawn]], place))
        told.append(f"{how}: area {words.number(summary.scores.get(f'{how}_roc_area'))}")
    said = "; ".join(told)
    return _figure(f"{title}: ROC of the scored responses", said, marks, "", chance=True)


def _at(across: float, up: float) -> tuple[float, float]:
    """A place in the drawing."""
    across, up = (min(max(share, 0.0), 1.0) for share in (across, up))
    return (
        _LEFT + (_SIDE - _LEFT - _RIGHT) * across,
        _TOP + (_SIDE - _TOP - _BOTTOM) * (1 - up),
    )


def _frame(across: str, up: str) -> list[Html]:
    """Rules and names; the axis that goes up is told in the corner."""
    marks = []
    for at in (0, 0.25, 0.5, 0.75, 1):
        (left, y), (right, _) = _at(0, at), _at(1, at)
        marks.append(tag("line", x1=left, x2=right, y1=f"{y:g}", y2=f"{y:g}", class_="rule"))
    for at in (0, 0.5, 1):
        x, y = _at(at, at)
        marks.append(tag("text", f"{at:g}", x=_LEFT - 6, y=f"{y + 4:g}", text_anchor="end"))
        anchor = {0: "start", 0.5: "middle", 1: "end"}[at]
        if at != 0.5:
            marks.append(tag("text", f"{at:g}", x=f"{x:g}", y=_SIDE - 18, text_anchor=anchor))
    middle, _ = _at(0.5, 0)
    marks.append(tag("text", across, x=middle, y=_SIDE - 4, text_anchor="middle"))
    turn = f"rotate(-90 9 {_SIDE / 2 - 12:g})"
    marks.append(tag("text", up, x=9, y=_SIDE / 2 - 12, text_anchor="middle", transform=turn))
    return marks


def _line(points: Sequence[tuple[float, float]], place: int) -> Html:
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return tag("polyline", points=drawn, class_=f"curve curve-{place}")


def _figure(title: str, told: str, marks: Sequence[Html], point: str, chance: bool = False) -> Html:
    keys = [
        _key(tag("line", x1=1, x2=33, y1=7, y2=7, class_=f"curve curve-{place}"), how)
        for place, how in enumerate(_HOW)
    ]
    if point:
        keys.append(_key(tag("circle", cx=17, cy=7, r=4.5, class_="point"), point))
    if chance:
        keys.append(_key(tag("line", x1=1, x2=33, y1=7, y2=7, class_="chance"), "by chance"))
    return tag(
        "figure",
        tag("figcaption", title, tag("span", told, class_="how")),
        tag(
            "svg",
            marks,
            viewBox=f"0 0 {_SIDE} {_SIDE}",
            class_="curves square",
            role="img",
            aria_label=f"{title}; {told}",
        ),
        tag("ul", keys, class_="legend curves"),
    )


def _key(mark: Html, text: str) -> Html:
    return tag("li", tag("svg", mark, width=34, height=14, aria_hidden="true"), tag("span", text))
