"""The scores: a card for each system and metric, and where the systems stand beside each other."""

from collections.abc import Sequence

from chronoscore.core.family import Family
from chronoscore.core.result import Interval, MetricInfo, Result, Summary, SystemResult
from chronoscore.reports.html import words
from chronoscore.reports.html.markup import Html, joined, percent, tag
from chronoscore.reports.html.tables import html_table
from chronoscore.reports.intervals import interval_in_words
from chronoscore.reports.tables import tables_of

_MOST_PARTS = 6
_ROUND = (0.1, 0.2, 0.25, 0.5, 1.0)


def scores_section(result: Result, of: Family) -> Html:
    """Cards and a forest plot for each metric, and all numbers as a table."""
    table = tables_of(result)[0]
    return joined(
        [_metric(result, of, metric) for metric in result.metrics],
        tag(
            "details",
            tag("summary", "All scores as a table"),
            html_table(table),
            class_="more",
        ),
    )


def _metric(result: Result, of: Family, metric: MetricInfo) -> Html:
    found = [
        (system, summary)
        for system in result.systems
        for summary in system.summaries
        if summary.metric == metric.name and not summary.group
    ]
    lower = " Lower is better." if metric.better == "lower" else ""
    scale = _Scale(metric, [summary for _, summary in found])
    return tag(
        "section",
        tag(
            "header",
            tag(
                "h3", metric.label, tag("code", metric.name) if metric.name != metric.label else ""
            ),
            tag("p", f"{metric.meaning[:1].upper()}{metric.meaning[1:]}.{lower}"),
        ),
        tag("ul", [_card(system, s, metric, of, scale) for system, s in found], class_="cards"),
        _forest(found, metric, scale),
        class_="metric",
    )


class _Scale:
    """From 0 to the next round number above all that is shown."""

    def __init__(self, metric: MetricInfo, summaries: Sequence[Summary]) -> None:
        shown = [0.0]
        for summary in summaries:
            value, interval = summary.scores[metric.primary], summary.intervals.get(metric.primary)
            shown += [] if value is None else [value]
            shown += [interval.high] if interval else []
        most = max(shown)
        size = 1.0
        while size < most:
            size *= 10
        self.end = next(size * step for step in _ROUND if size * step >= most)

    def place(self, value: float) -> str:
        return percent(value / self.end)

    @property
    def ticks(self) -> list[float]:
        return [self.end * step / 4 for step in range(5)]


def _card(
    system: SystemResult, summary: Summary, metric: MetricInfo, of: Family, scale: _Scale
) -> Html:
    value = summary.scores[metric.primary]
    interval = summary.intervals.get(metric.primary)
    parts = [score for score in metric.shown if score != metric.primary][:_MOST_PARTS]
    if metric.curve == "best":
        parts.insert(0, "threshold")
    told = words.interval(interval, words.resampled(system.signature, of)) if interval else ""
    judged = ", ".join(words.plural(n, level) for level, n in reversed(summary.units.items()))
    return tag(
        "li",
        tag("h4", system.name),
        tag(
            "p",
            tag("span", f"{metric.label} ", class_="unseen"),
            tag("strong", words.number(value), class_="undefined" if value is None else None),
            " ",
            tag("span", words.short(metric.primary), class_="what"),
            class_="score",
        ),
        tag(
            "dl",
            [
                tag(
                    "div",
                    tag("dt", words.short(part)),
                    tag("dd", words.number(summary.scores[part]), _bayesian(summary, part)),
                )
                for part in parts
            ],
        )
        if parts
        else "",
        tag("p", f"over {judged}", class_="told") if of.agree else "",
        _bar(value, interval, scale, thin=True) if interval else "",
        tag("p", told, class_="told") if told else "",
        class_="card",
    )


def _bayesian(summary: Summary, score: str) -> str:
    """The bounds of a score beside the main one, where it has a posterior of its own."""
    found = summary.intervals.get(score)
    return f" ({interval_in_words(found)})" if found and found.method == "bayes" else ""


def _forest(
    found: Sequence[tuple[SystemResult, Summary]], metric: MetricInfo, scale: _Scale
) -> Html:
    rows = []
    for system, summary in found:
        value = summary.scores[metric.primary]
        interval = summary.intervals.get(metric.primary)
        rows.append(
            tag(
                "li",
                tag("span", system.name, class_="name"),
                _bar(value, interval, scale),
                tag("span", words.number(value, undefined="undef."), class_="value"),
            )
        )
    ticks = [
        joined(
            tag("line", x1=percent(at / 4), x2=percent(at / 4), y1=0, y2=4),
            tag(
                "text",
                f"{tick:g}",
                x=percent(at / 4),
                y=16,
                text_anchor="start" if at == 0 else "end" if at == 4 else "middle",
            ),
        )
        for at, tick in enumerate(scale.ticks)
    ]
    axis = tag("svg", ticks, class_="ticks", width="100%", height=20)
    return tag(
        "figure",
        tag("ul", rows, tag("li", axis, aria_hidden="true"), class_="forest"),
        tag(
            "figcaption",
            f"{words.heading(metric)} of each system",
            class_="unseen",
        ),
    )


def _bar(
    value: float | None, interval: Interval | None, scale: _Scale, *, thin: bool = False
) -> Html:
    """A dot on a line, with the interval as a thicker one; or a word, if there is no value."""
    middle = 5 if thin else 12
    marks = [tag("line", x1="0%", x2="100%", y1=middle, y2=middle, class_="track")]
    if interval:
        low, high = scale.place(interval.low), scale.place(interval.high)
        marks.append(tag("line", x1=low, x2=high, y1=middle, y2=middle, class_="interval"))
        if not thin:
            marks += [
                tag("line", x1=x, x2=x, y1=middle - 5, y2=middle + 5, class_="end")
                for x in (low, high)
            ]
    if value is None:
        marks.append(tag("text", "undefined", x="2%", y=middle + 4, class_="undefined"))
    else:
        marks.append(tag("circle", cx=scale.place(value), cy=middle, r=3 if thin else 5))
    return tag("svg", marks, class_="bar", width="100%", height=2 * middle, aria_hidden="true")
