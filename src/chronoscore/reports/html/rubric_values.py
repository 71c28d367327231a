"""What was judged: for each criterion and system, the share of each value as a stacked bar."""

from collections import Counter
from collections.abc import Sequence

from chronoscore.reports.html.judged import Judged
from chronoscore.reports.html.markup import Html, joined, percent, tag
from chronoscore.reports.html.tables import wide

STEPS = 5
"""Colours from the lowest value of a scale to the highest."""
_ROOM = 0.07
"""The narrowest share that has room for the value."""


def values_section(judged: Judged) -> Html:
    """A table for each criterion."""
    systems = list(dict.fromkeys(one.system for one in judged.said))
    return joined(
        tag(
            "p",
            "How often each value was given, over all judgements of a system. ",
            "An event that several people judged counts several times here.",
            class_="lead",
        ),
        tag(
            "div",
            [_criterion(judged, place, systems) for place in range(len(judged.criteria))],
            class_="values",
        ),
    )


def _criterion(judged: Judged, place: int, systems: Sequence[str]) -> Html:
    name, values = judged.criteria[place], judged.values(place)
    steps = [step_of(at, len(values)) for at in range(len(values))]
    head = tag(
        "tr",
        tag("th", "system", scope="col"),
        tag("th", tag("span", "bar", class_="unseen"), scope="col", class_="bars"),
        [
            tag("th", _swatch(step), str(value), scope="col", class_="number")
            for value, step in zip(values, steps, strict=True)
        ],
        tag("th", "all", scope="col", class_="number"),
    )
    body = []
    for system in systems:
        counts = Counter(one.values[place] for one in judged.said if one.system == system)
        number = counts.total()
        body.append(
            tag(
                "tr",
                tag("th", system, scope="row"),
                tag("td", _bar([counts[v] for v in values], values, steps), class_="bars"),
                [_count(counts[value], number) for value in values],
                tag("td", str(number), class_="number"),
            )
        )
    told = [
        tag("li", tag("b", str(value)), f" {judged.labels[name, value]}")
        for value in values
        if (name, value) in judged.labels
    ]
    table = tag("table", tag("caption", name), tag("thead", head), tag("tbody", body))
    return tag(
        "div",
        wide(table, f"Values of {name}"),
        tag("ul", told, class_="meanings") if told else "",
    )


def _count(count: int, number: int) -> Html:
    share = f" {100 * count / number:.0f}\u00a0%" if number else ""
    inner = joined(str(count), tag("span", share, class_="share"))
    return tag("td", inner, class_="number" if count else "number none")


def step_of(rank: int, number: int) -> int:
    """The colour of a value by its rank on its scale.

    >>> [step_of(rank, 3) for rank in range(3)], [step_of(rank, 2) for rank in range(2)]
    ([0, 2, 4], [0, 4])
    """
    return round(rank * (STEPS - 1) / max(number - 1, 1))


def _bar(counts: Sequence[int], values: Sequence[int], steps: Sequence[int]) -> Html:
    number, start, marks = sum(counts) or 1, 0.0, []
    for count, value, step in zip(counts, values, steps, strict=True):
        share = count / number
        if not count:
            continue
        marks.append(
            tag("rect", x=percent(start), width=percent(share), height=20, class_=f"step-{step}")
        )
        if share >= _ROOM:
            middle = percent(start + share / 2)
            text = tag("text", str(value), x=middle, y=14.5, class_=f"on-{step}")
            marks.append(text)
        start += share
    return tag("svg", marks, class_="stack levels", width="100%", height=20, aria_hidden="true")


def _swatch(step: int) -> Html:
    mark = tag("rect", width=10, height=10, rx=2, class_=f"step-{step}")
    return tag("svg", mark, class_="swatch", width=10, height=10, aria_hidden="true")
