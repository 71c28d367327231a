"""Drawings: bars, keys, curves and scatters, as SVG that needs neither script nor inline style."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, floor, log10, pi, sin
from typing import NamedTuple

from chronoscore.core.result import Interval
from chronoscore.reports.html.markup import Html, percent, tag

Length = str | float
Placement = Callable[[float], str]
"""Gives the place of a value across a drawing."""
SHAPES = 5
"""Shapes and colours of the series of a scatter, before they come again."""
_NAMED = 12
"""Dots that have room for a name beside them."""


def key(mark: Html, text: str, width: int = 34) -> Html:
    """An entry of a legend: a mark as it is drawn, and its meaning."""
    return tag("li", tag("svg", mark, width=width, height=14, aria_hidden="true"), text)


def line_key(kind: str, text: str, width: float | None = None) -> Html:
    """An entry for a kind of line."""
    return key(tag("line", x1=1, x2=33, y1=7, y2=7, class_=kind, stroke_width=width), text)


def swatch(kind: str) -> Html:
    """A small square in the colour of a part."""
    mark = tag("rect", width=10, height=10, rx=2, class_=kind)
    return tag("svg", mark, class_="swatch", width=10, height=10, aria_hidden="true")


class BarPart(NamedTuple):
    """A part of a stacked bar: its share, its colour, and the text in it."""

    share: float
    kind: str
    text: str = ""
    text_kind: str = ""


def stacked(parts: Iterable[BarPart], height: int, kind: str = "stack") -> Html:
    """Parts of a whole as one bar."""
    marks, start = [], 0.0
    for share, colour, text, text_kind in parts:
        if share > 0:
            size = {"x": percent(start), "width": percent(share)}
            marks.append(tag("rect", **size, height=height, class_=colour))
            if text:
                middle = percent(start + share / 2)
                y = height / 2 + 4.5
                marks.append(tag("text", text, x=middle, y=y, class_=text_kind))
            start += share
    return tag("svg", marks, class_=kind, width="100%", height=height, aria_hidden="true")


class Ends(NamedTuple):
    """The ends of an interval of which no more is known."""

    low: float
    high: float


def interval_bar(
    value: float | None,
    interval: Interval | Ends | None,
    place: Placement,
    *,
    middle: int,
    radius: int,
    ends: bool = True,
    zero: bool = False,
) -> Html:
    """A dot on a line, with its interval as a thicker line; or a word, if there is no value."""
    marks = [_line("0%", "100%", middle, middle, "track")]
    if zero:
        marks.append(_line(place(0), place(0), 0, 2 * middle, "zero"))
    if interval:
        low, high = place(interval.low), place(interval.high)
        marks.append(_line(low, high, middle, middle, "interval"))
        marks += [_line(x, x, middle - 5, middle + 5, "end") for x in (low, high) if ends]
    if value is not None:
        marks.append(tag("circle", cx=place(value), cy=middle, r=radius))
    elif not zero:
        marks.append(tag("text", "undefined", x="2%", y=middle + 4, class_="undefined"))
    return tag("svg", marks, class_="bar", width="100%", height=2 * middle, aria_hidden="true")


def _line(x1: Length, x2: Length, y1: Length, y2: Length, kind: str | None = None) -> Html:
    return tag("line", x1=x1, x2=x2, y1=y1, y2=y2, class_=kind)


def ticks(values: Sequence[float], place: Placement) -> Html:
    """The scale of interval bars; the first and the last number stay within it."""
    marks = []
    for value in values:
        x, anchor = place(value), _anchor(values, value)
        marks += [_line(x, x, 0, 4), tag("text", f"{value:g}", x=x, y=16, text_anchor=anchor)]
    return tag("svg", marks, class_="ticks", width="100%", height=20, aria_hidden="true")


def _anchor(values: Sequence[float], value: float) -> str:
    return "start" if value == values[0] else "end" if value == values[-1] else "middle"


@dataclass(frozen=True)
class Axis:
    """One direction of a plot: its range, and where it has rules and numbers."""

    low: float
    high: float
    rules: Sequence[float] = ()
    labels: Mapping[float, str] = field(default_factory=dict)
    name: str = ""

    @classmethod
    def of_intervals(
        cls, values: Iterable[tuple[float | None, Interval | None]], *, zero: bool = False
    ) -> "Axis":
        """Around values and their intervals; `zero` is whether it reaches 0."""
        ends = [0.0] if zero else []
        for value, interval in values:
            ends += [] if value is None else [value]
            ends += [interval.low, interval.high] if interval else []
        return cls.around((end, end) for end in ends)

    @classmethod
    def around(cls, spans: Iterable[tuple[float, float]], name: str = "") -> "Axis":
        """From the lowest to the highest round number around some spans."""
        ends = [end for span in spans for end in span] or [0.0, 1.0]
        low, high = min(ends), max(ends)
        if high - low < 1e-9:
            low, high = low - 0.5, high + 0.5
        raw = (high - low) / 4
        size = 10.0 ** floor(log10(raw))
        step = next(size * by for by in (1, 2, 2.5, 5, 10) if size * by >= raw * 0.999)
        first, last = floor(low / step + 1e-9), -floor(-high / step + 1e-9)
        rules = [round(step * at, 10) for at in range(first, last + 1)]
        labels = {at: f"{at + 0.0:.6g}" for at in rules}  # -0.0 + 0.0 is 0.0
        return cls(rules[0], rules[-1], rules, labels, name)

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        if self.high <= self.low:
            return 0.5
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def place(self, value: float) -> str:
        """Where a value lies across a drawing that is as wide as its element.

        >>> Axis(0, 4).place(1)
        '25%'
        """
        return percent(self.share(value))


def shares(name: str = "", *, crossed: bool = True) -> Axis:
    """An axis from 0 to 1, with rules that cross the plot or without."""
    rules = (0, 0.25, 0.5, 0.75, 1) if crossed else ()
    return Axis(0, 1, rules, {at: f"{at:g}" for at in ((0, 0.5, 1) if crossed else (0, 1))}, name)


@dataclass(frozen=True)
class Plot:
    """A drawing between two axes."""

    width: int
    height: int
    across: Axis
    up: Axis

    left, right, top, bottom = 46, 12, 12, 42

    def x(self, value: float) -> float:
        """Where a value lies from left to right."""
        return self.left + (self.width - self.left - self.right) * self.across.share(value)

    def y(self, value: float) -> float:
        """Where a value lies from top to bottom."""
        below = self.height - self.bottom
        return below - (below - self.top) * self.up.share(value)

    def frame(self) -> list[Html]:
        """Rules, numbers and names."""
        right, below = self.width - self.right, self.height - self.bottom
        heights = [_at(self.y(at)) for at in self.up.rules]
        marks = [_line(self.left, right, y, y, "rule") for y in heights]
        marks += [self.upright(at, "rule") for at in self.across.rules]
        for at, text in self.up.labels.items():
            y = _at(self.y(at) + 4)
            marks.append(tag("text", text, x=self.left - 6, y=y, text_anchor="end"))
        for at, text in self.across.labels.items():
            anchor = _anchor([*self.across.labels], at)
            marks.append(tag("text", text, x=_at(self.x(at)), y=below + 16, text_anchor=anchor))
        middle, name = _at((self.left + right) / 2), self.across.name
        marks.append(tag("text", name, x=middle, y=self.height - 6, text_anchor="middle"))
        if self.up.name:
            at, name = (self.top + below) / 2, self.up.name
            turn = f"rotate(-90 9 {at:g})"
            marks.append(tag("text", name, x=9, y=at, text_anchor="middle", transform=turn))
        return marks

    def curve(self, points: Iterable[tuple[float, float]], place: int) -> Html:
        """A line through points in the style of its place among others."""
        drawn = " ".join(f"{_at(self.x(x))},{_at(self.y(y))}" for x, y in points)
        return tag("polyline", points=drawn, class_=f"curve curve-{place}")

    def upright(self, value: float, kind: str) -> Html:
        """A line across the whole height at a value."""
        x = _at(self.x(value))
        return _line(x, x, self.top, self.height - self.bottom, kind)

    def level(self, value: float, kind: str) -> Html:
        """A line across the whole width at a value."""
        y = _at(self.y(value))
        return _line(self.left, self.width - self.right, y, y, kind)

    def spot(self, x: float, y: float) -> Html:
        """A dot at a point."""
        return tag("circle", cx=_at(self.x(x)), cy=_at(self.y(y)), r=4, class_="point")

    def figure(
        self, title: str, note: str, marks: Iterable[Html], keys: Sequence[Html], kind: str
    ) -> Html:
        """The drawing under its title and a note, above its legend."""
        svg = tag(
            "svg",
            self.frame(),
            marks,
            viewBox=f"0 0 {self.width} {self.height}",
            class_=kind,
            role="img",
            aria_label="; ".join(filter(None, (title, note, f"across: {self.across.name}"))),
        )
        caption = tag("figcaption", title, tag("span", note, class_="how") if note else "")
        return tag("figure", caption, svg, tag("ul", keys, class_="legend curves") if keys else "")


def curve_key(place: int, text: str) -> Html:
    """The entry of a curve in a legend."""
    return line_key(f"curve curve-{place}", text)


class Dot(NamedTuple):
    """A mark of a scatter, with the intervals of both its values."""

    x: float
    y: float
    series: int
    title: str
    x_interval: Interval | None = None
    y_interval: Interval | None = None
    name: str = ""


def scatter(dots: Sequence[Dot], across: str, title: str, note: str) -> Html:
    """A figure of dots; each series has a shape and a colour."""
    horizontal = Axis.around((_ends(dot.x, dot.x_interval) for dot in dots), across)
    vertical = Axis.around(_ends(dot.y, dot.y_interval) for dot in dots)
    plot = Plot(460, 340, horizontal, vertical)
    marks: list[Html] = []
    for dot in dots:
        x, y = plot.x(dot.x), plot.y(dot.y)
        colour = f"reach mark-{dot.series % SHAPES}"
        if dot.x_interval:
            low, high = (_at(plot.x(end)) for end in _ends(dot.x, dot.x_interval))
            marks.append(_line(low, high, _at(y), _at(y), colour))
        if dot.y_interval:
            low, high = (_at(plot.y(end)) for end in _ends(dot.y, dot.y_interval))
            marks.append(_line(_at(x), _at(x), low, high, colour))
        marks.append(tag("g", tag("title", dot.title), shape(x, y, dot.series)))
        if dot.name and len(dots) <= _NAMED:
            beside, anchor = (-9, "end") if x > plot.width * 0.7 else (9, "start")
            place = {"x": _at(x + beside), "y": _at(y - 7), "text_anchor": anchor}
            marks.append(tag("text", dot.name, **place, class_="tag"))
    return plot.figure(title, note, marks, (), "scatter")


def shape(x: float, y: float, series: int) -> Html:
    """A circle, then polygons of 4, 3, 5 and 6 corners."""
    colour = f"spot mark-{series % SHAPES}"
    if series % SHAPES == 0:
        return tag("circle", cx=_at(x), cy=_at(y), r=4.5, class_=colour)
    corners = (4, 3, 5, 6)[series % SHAPES - 1]
    turns = [2 * pi * corner / corners - pi / 2 for corner in range(corners)]
    drawn = " ".join(f"{_at(x + 5.5 * cos(t))},{_at(y + 5.5 * sin(t))}" for t in turns)
    return tag("polygon", points=drawn, class_=colour)


def _ends(value: float, interval: Interval | None) -> tuple[float, float]:
    return (interval.low, interval.high) if interval else (value, value)


def _at(length: float) -> str:
    return f"{length:.1f}"
