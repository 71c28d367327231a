"""A scatter of items: what people say to the right, what a metric says upwards, with intervals."""

from collections.abc import Callable, Sequence
from math import cos, floor, log10, pi, sin

from chronoscore.core.result import Interval
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.html.words import number
from chronoscore.rubric.correlation.document import Followed, Point

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 460, 340, 46, 12, 12, 42
_MARKS = 5
_Scale = Callable[[float], float]
_NAMED = 12
"""Systems that have room for a name beside them."""


def scatter(metric: Followed, criterion: str, systems: Sequence[str]) -> Html:
    """A figure of one metric; each system has a shape and a colour."""
    points = metric.points
    across = _Axis.of([_ends(p.human, p.human_interval) for p in points])
    up = _Axis.of([_ends(p.metric, p.metric_interval) for p in points])

    def x(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * across.share(value)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * up.share(value)

    marks = [
        tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=_at(y(t)), y2=_at(y(t)), class_="rule")
        for t in up.ticks
    ]
    marks += [
        tag("line", x1=_at(x(t)), x2=_at(x(t)), y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="rule")
        for t in across.ticks
    ]
    marks += [
        tag("text", _told(t), x=_LEFT - 6, y=_at(y(t) + 4), text_anchor="end") for t in up.ticks
    ]
    marks += [
        tag("text", _told(t), x=_at(x(t)), y=_HEIGHT - _BOTTOM + 16, text_anchor="middle")
        for t in across.ticks
    ]
    marks.append(
        tag(
            "text",
            f"{criterion} by people",
            x=_at((_LEFT + _WIDTH - _RIGHT) / 2),
            y=_HEIGHT - 6,
            text_anchor="middle",
        )
    )
    for point in points:
        marks += _point(
            point, x, y, systems.index(point.system), named=len(points) <= _NAMED and not point.name
        )
    told = ", ".join(f"{v.coefficient} {number(v.value)}" for v in metric.values[:3])
    sign = " (less is better, so its sign is turned)" if metric.turned else ""
    label = f"{metric.label}{sign}"
    return tag(
        "figure",
        tag("figcaption", label, tag("span", f"{metric.items} items: {told}")),
        tag(
            "svg",
            marks,
            viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
            class_="scatter",
            role="img",
            aria_label=f"{label} against {criterion} by people, {metric.items} items: {told}",
        ),
    )


def legend(systems: Sequence[str]) -> Html:
    """Which shape is which system."""
    return tag(
        "ul",
        [
            tag(
                "li",
                tag("svg", _shape(7, 7, place), width=14, height=14, aria_hidden="true"),
                name,
            )
            for place, name in enumerate(systems)
        ],
        class_="legend",
    )


def _point(point: Point, x: _Scale, y: _Scale, place: int, *, named: bool) -> list[Html]:
    colour = f"reach mark-{place % _MARKS}"
    at = _at(x(point.human)), _at(y(point.metric))
    marks = []
    if point.human_interval:
        low, high = (_at(x(end)) for end in _ends(point.human, point.human_interval))
        marks.append(tag("line", x1=low, x2=high, y1=at[1], y2=at[1], class_=colour))
    if point.metric_interval:
        low, high = (_at(y(end)) for end in _ends(point.metric, point.metric_interval))
        marks.append(tag("line", x1=at[0], x2=at[0], y1=low, y2=high, class_=colour))
    name = f"{point.system} {point.name}".strip()
    shown = tag("title", f"{name}: people {point.human:.3f}, metric {point.metric:.3f}")
    marks.append(tag("g", shown, _shape(x(point.human), y(point.metric), place)))
    if named:
        right = x(point.human) > _WIDTH * 0.7
        marks.append(
            tag(
                "text",
                point.system,
                x=_at(x(point.human) + (-9 if right else 9)),
                y=_at(y(point.metric) - 7),
                text_anchor="end" if right else "start",
                class_="tag",
            )
        )
    return marks


def _shape(x: float, y: float, place: int) -> Html:
    """A circle, then polygons of 4, 3, 5 and 6 corners."""
    colour = f"spot mark-{place % _MARKS}"
    if place % _MARKS == 0:
        return tag("circle", cx=_at(x), cy=_at(y), r=4.5, class_=colour)
    corners = (4, 3, 5, 6)[place % _MARKS - 1]
    turns = [2 * pi * corner / corners - pi / 2 for corner in range(corners)]
    drawn = " ".join(f"{_at(x + 5.5 * cos(t))},{_at(y + 5.5 * sin(t))}" for t in turns)
    return tag("polygon", points=drawn, class_=colour)


def _ends(value: float, interval: Interval | None) -> tuple[float, float]:
    return (interval.low, interval.high) if interval else (value, value)


def _at(length: float) -> str:
    return f"{length:.1f}"


def _told(value: float) -> str:
    return f"{value + 0.0:.6g}"  # -0.0 + 0.0 is 0.0


class _Axis:
    """From the lowest to the highest round number around some values."""

    def __init__(self, ticks: Sequence[float]) -> None:
        self.ticks = ticks

    @classmethod
    def of(cls, spans: Sequence[tuple[float, float]]) -> "_Axis":
        low = min((span[0] for span in spans), default=0.0)
        high = max((span[1] for span in spans), default=1.0)
        if high - low < 1e-9:
            low, high = low - 0.5, high + 0.5
        raw = (high - low) / 4
        size = 10.0 ** floor(log10(raw))
        step = next(size * by for by in (1, 2, 2.5, 5, 10) if size * by >= raw * 0.999)
        first, last = floor(low / step + 1e-9), -floor(-high / step + 1e-9)
        return cls([round(step * at, 10) for at in range(first, last + 1)])

    def share(self, value: float) -> float:
        return (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])
