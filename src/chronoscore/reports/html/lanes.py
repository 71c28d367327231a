"""Two lanes of items in time, gold above and predicted below, with lines between pairs.

The drawing needs no script: places across are shares of the width, so that it fits any page, and
texts keep their size. Items of one time are stacked; those without a time stand apart, at the right
end.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log2
from typing import NamedTuple

from chronoscore.reports.html.markup import Html, percent, tag

_ROW, _FIRST, _BETWEEN, _BELOW = 14, 30, 84, 34
"""Pixels from row to row, above the first row, between the lanes, and below the last row."""
_EDGE, _UNDATED, _WITH_UNDATED = 0.02, 0.96, 0.86
"""Shares of the width: the edges, the place of items without a time, and the end of the axis where
there are some."""
_APART, _FAR_APART = 0.13, 0.3
"""Shares of the width between labels of the axis: on a wide page, and on a narrow one."""
_NEAR_EDGE = 0.06
"""The share of the width at either end in which labels don't stand in the middle."""
_DOT = 0.015
"""The share of the width that a dot needs."""
_CLOSEST = 1 / 60
"""The smallest share of the width between two times that are drawn evenly."""
MANY = 60
"""Different times from which on the drawing is wider than a narrow page, and scrolls."""

Place = tuple[float, float]
"""From where to where an item reaches, in shares of the width."""


class LaneItem(NamedTuple):
    """An item of a lane."""

    span: tuple[int | None, int | None] | None
    """Its first and last cell on the axis, None for no bound; None if it has no time."""
    label: str
    """What stands below the axis where it begins."""
    title: str
    """What is shown of it when it is pointed at."""
    href: str
    is_linked: bool
    is_alone: bool


class LaneLink(NamedTuple):
    """A line between items of both lanes, by their places in them."""

    gold: int
    predicted: int
    kind: str
    """The classes of the line."""
    title: str
    href: str


def two_lanes(
    gold: Sequence[LaneItem], predicted: Sequence[LaneItem], links: Iterable[LaneLink]
) -> Html:
    """Draw both lanes; the words that explain the drawing stand around it."""
    items = [*gold, *predicted]
    scale, end = _scale(items)
    places = [[_place(item, scale, end) for item in lane] for lane in (gold, predicted)]
    rows = [_rows(lane) for lane in places]
    base = _FIRST + _ROW * max(rows[0], default=0)
    below = base + _BETWEEN
    axis = below + _ROW * max(rows[1], default=0) + _BELOW
    heights = [[base - _ROW * row for row in rows[0]], [below + _ROW * row for row in rows[1]]]
    marks = [*_axis(items, scale, axis, has_undated=end < 1 - _EDGE)]
    for name, y in (("gold", 12), ("predicted", axis - 12)):
        marks.append(tag("text", name, x=0, y=y, class_="lane-name"))
    for link in links:
        start, stop = _middle(places[0][link.gold]), _middle(places[1][link.predicted])
        ends = {"x1": percent(start), "x2": percent(stop)}
        ys = {"y1": heights[0][link.gold], "y2": heights[1][link.predicted]}
        lines = [tag("line", **ends, **ys, class_=kind) for kind in ("touch", f"line {link.kind}")]
        marks.append(_linked(link.href, link.title, lines))
    for lane, spans, ys_of in zip((gold, predicted), places, heights, strict=True):
        for item, place, y in zip(lane, spans, ys_of, strict=True):
            marks.append(_linked(item.href, item.title, [_mark(item, place, y)]))
    many = " many" * (len(scale) > MANY)
    return tag(
        "svg", marks, class_=f"lanes{many}", width="100%", height=axis + 26, aria_hidden="true"
    )


def _linked(href: str, title: str, marks: Iterable[Html]) -> Html:
    """Let a click on marks lead to what is told of them; keys reach the same by the list below."""
    return tag("a", tag("title", title), marks, href=href, tabindex=-1)


def _scale(items: Iterable[LaneItem]) -> tuple[Mapping[int, float], float]:
    """Return where the bounds of items lie across the drawing, and where the axis ends.

    Time runs evenly if all bounds can be told apart, else long gaps are drawn shorter.
    """
    known = [item.span for item in items]
    end = _WITH_UNDATED if None in known else 1 - _EDGE
    points = sorted({cell for span in known if span for cell in span if cell is not None})
    gaps = [late - early for early, late in pairwise(points)]
    if gaps and min(gaps) / sum(gaps) < _CLOSEST:
        weights = [1 + 0.5 * log2(gap) for gap in gaps]
    else:
        weights = [float(gap) for gap in gaps]
    if not gaps:
        return dict.fromkeys(points, (_EDGE + end) / 2), end
    scale, at = {points[0]: _EDGE}, 0.0
    for point, weight in zip(points[1:], weights, strict=True):
        at += weight
        scale[point] = _EDGE + (end - _EDGE) * at / sum(weights)
    return scale, end


def _place(item: LaneItem, scale: Mapping[int, float], end: float) -> Place:
    if item.span is None:
        return _UNDATED, _UNDATED
    first, last = item.span
    return (
        0.0 if first is None else scale[first],
        end if last is None else scale[last],
    )


def _middle(place: Place) -> float:
    return sum(place) / 2


def _rows(places: Sequence[Place]) -> list[int]:
    """Return the row of each item: the lowest in which it touches no other."""
    ends: dict[int, float] = {}
    rows = [0] * len(places)
    for at in sorted(range(len(places)), key=places.__getitem__):
        start, past = places[at]
        rows[at] = next((row for row, end in ends.items() if end + _DOT <= start), len(ends))
        ends[rows[at]] = past
    return rows


def _mark(item: LaneItem, place: Place, y: float) -> Html:
    kind = "dot" if item.is_linked else "dot open"
    cross = tag("path", d="M-3 -3L3 3M3 -3L-3 3", class_="cross") if item.is_alone else ""
    first, last = place
    if last > first:
        size = {"x": percent(first), "width": percent(last - first)}
        bar = tag("rect", **size, y=y - 4, height=8, rx=4, class_=kind)
        return Html(bar + (tag("svg", cross, x=percent(_middle(place)), y=y) if cross else ""))
    dot = tag("circle", r=5, class_=kind)
    return tag("svg", dot, cross, x=percent(first), y=y)


def _axis(
    items: Iterable[LaneItem], scale: Mapping[int, float], y: float, *, has_undated: bool
) -> Iterable[Html]:
    """Yield the line of the axis with labels that have room; a narrow page shows fewer."""
    end = _WITH_UNDATED + _EDGE if has_undated else 1.0
    yield tag("line", x1="0%", x2=percent(end), y1=y, y2=y, class_="axis-line")
    if has_undated:
        yield tag("text", "undated", x="100%", y=y + 18, text_anchor="end")
    begins: dict[float, str] = {}
    for item in items:
        cells = [cell for cell in item.span or () if cell is not None]
        if cells:
            begins.setdefault(scale[cells[0]], item.label)
    latest_middle = end - (2 * _NEAR_EDGE if has_undated else _NEAR_EDGE)
    latest, latest_major = -1.0, -1.0
    for x, text in sorted(begins.items()):
        yield tag("line", x1=percent(x), x2=percent(x), y1=y, y2=y + 4, class_="axis-line")
        if x - latest < _APART:
            continue
        is_major = x - latest_major >= _FAR_APART
        anchor = "start" if x < _NEAR_EDGE else "end" if x > latest_middle else "middle"
        kind = None if is_major else "minor"
        yield tag("text", text, x=percent(x), y=y + 18, text_anchor=anchor, class_=kind)
        latest, latest_major = x, x if is_major else latest_major
