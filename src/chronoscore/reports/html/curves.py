"""A curve over thresholds: one line a score, drawn with lengths that fit any width."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from chronoscore.core.result import CurvePoint, MetricInfo, Result, Summary
from chronoscore.reports.html import words
from chronoscore.reports.html.annotation_curves import ranking_figures
from chronoscore.reports.html.markup import Html, tag
from chronoscore.reports.levels import by_rank

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 240, 36, 10, 28


def curves(result: Result) -> list[Html]:
    """Figures for each system and metric whose evidence is a curve."""
    return [
        _together(_figure(*about), ranking_figures(*about))
        for metric in result.metrics
        for system in result.systems
        for summary in system.summaries
        if summary.metric == metric.name and summary.curve and not summary.group
        for about in [(system.name, metric, summary)]
    ]


def _together(figure: Html, others: Sequence[Html]) -> Html:
    """The figures of one curve side by side, where there are several."""
    return tag("div", figure, others, class_="curve-set") if others else figure


def _figure(system: str, metric: MetricInfo, summary: Summary) -> Html:
    ranked = by_rank(metric.name)
    points = sorted(_turned(summary.curve, ranked), key=lambda point: point.threshold)
    names = _lines(metric)
    finite = [point.threshold for point in points if abs(point.threshold) != float("inf")]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    width = _WIDTH - _LEFT - 8

    def x(threshold: float) -> float:
        share = (min(max(threshold, low), high) - low) / (high - low) if high > low else 0.5
        return _LEFT + width * share

    def y(score: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - min(max(score, 0.0), 1.0))

    marks = [
        tag("line", x1=_LEFT, x2=_WIDTH - 8, y1=f"{y(at):g}", y2=f"{y(at):g}", class_="rule")
        for at in (0, 0.25, 0.5, 0.75, 1)
    ]
    marks += [
        tag("text", f"{at:g}", x=_LEFT - 6, y=f"{y(at) + 4:g}", text_anchor="end")
        for at in (0, 0.5, 1)
    ]
    told = "{:g}" if ranked else "{:.2f}"
    marks += [
        tag("text", told.format(at), x=f"{x(at):g}", y=_HEIGHT - 10, text_anchor=anchor)
        for at, anchor in ((low, "start"), (high, "end"))
    ]
    axis = "candidates of each list" if ranked else "threshold"
    marks.append(tag("text", axis, x=_LEFT + width / 2, y=_HEIGHT - 10, text_anchor="middle"))
    best = summary.scores.get("threshold")
    best = -best if best is not None and ranked else best
    if best is not None:
        at = f"{x(best):g}"
        marks.append(tag("line", x1=at, x2=at, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="best"))
    for place, name in enumerate(names):
        drawn = " ".join(f"{x(t):.1f},{y(score):.1f}" for t, score in _steps(points, name))
        marks.append(tag("polyline", points=drawn, class_=f"curve curve-{place}"))
    label = (
        f"{metric.label} of {system} by {'rank' if ranked else 'threshold'}; "
        f"the best {words.short(metric.primary)} is {words.number(summary.scores[metric.primary])}"
        + ("" if best is None else f" at {best:g}" if ranked else f" at {best:.3f}")
    )
    keys = [
        tag(
            "li",
            tag(
                "svg",
                tag("line", x1=1, x2=33, y1=7, y2=7, class_=f"curve curve-{place}"),
                width=34,
                height=14,
                aria_hidden="true",
            ),
            words.short(name),
        )
        for place, name in enumerate(names)
    ]
    return tag(
        "figure",
        tag("figcaption", label),
        tag(
            "svg",
            marks,
            viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
            class_="curves",
            role="img",
            aria_label=label,
        ),
        tag("ul", keys, class_="legend"),
    )


def _turned(points: Sequence[CurvePoint], ranked: bool) -> Sequence[CurvePoint]:
    """Ranks without their minus."""
    return [replace(point, threshold=-point.threshold) for point in points] if ranked else points


def _lines(metric: MetricInfo) -> list[str]:
    """The primary score and the two it is made of."""
    stem = re.sub(r"f[\d.]+$", "", metric.primary)
    parts = [name for name in (f"{stem}precision", f"{stem}recall") if name in metric.scores]
    return [metric.primary, *parts]


def _steps(points: Sequence[CurvePoint], name: str) -> list[tuple[float, float]]:
    return [(p.threshold, score) for p in points if (score := p.scores.get(name)) is not None]
