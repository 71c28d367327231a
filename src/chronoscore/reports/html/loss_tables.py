"""Where precision and recall were lost, for each metric and system: a bar and its numbers."""

from collections.abc import Sequence

from chronoscore.core.errors import UsageError
from chronoscore.core.family import Family
from chronoscore.core.result import MetricInfo, SystemResult
from chronoscore.reports.html.data import Explained
from chronoscore.reports.html.losses import Loss, Side, averaged, rounded
from chronoscore.reports.html.markup import Html, joined, percent, tag
from chronoscore.reports.html.tables import wide
from chronoscore.statistics.averaging import Path

_HEADS = ("counted", "wrong day", "wrong words", "missing or spurious", "undefined")


def system_losses(
    explained: Explained, of: Family, system: SystemResult, metric: MetricInfo
) -> dict[Side, Loss | None]:
    """The loss of a system as shares of 1, averaged as its score was."""
    try:
        path = Path.parse(explained.result.path, of.levels)
    except UsageError:
        return {}
    cases = [
        (row.tags, explained.losses(system.name, row.case, metric.name)) for row in system.rows
    ]
    return averaged(cases, path, explained.result.undefined)


def losses_section(explained: Explained, of: Family) -> Html:
    """A table for each metric that matches explain."""
    tables = []
    for metric in explained.result.metrics:
        found = [
            (system.name, side, loss)
            for system in explained.result.systems
            for side, loss in system_losses(explained, of, system, metric).items()
            if side in explained.sides.get(metric.name, ()) and loss is not None
        ]
        if found:
            tables.append(_table(metric, found))
    if not tables:
        return Html("")
    return joined(
        tag(
            "p",
            tag("b", "Wrong day"),
            " is what shared words lose because their day is off, ",
            tag("b", "wrong words"),
            " is what aligned days don't share, ",
            tag("b", "missing"),
            " is what gold days lose that no prediction speaks of, and ",
            tag("b", "spurious"),
            " the same for predicted days. The numbers of a row add up to 1.",
            class_="lead",
        ),
        tables,
    )


def _table(metric: MetricInfo, found: Sequence[tuple[str, Side, Loss]]) -> Html:
    columns = _HEADS if any(loss.undefined for _, _, loss in found) else _HEADS[:-1]
    head = tag(
        "tr",
        tag("th", "system", scope="col"),
        tag("th", "of", scope="col"),
        tag("th", tag("span", "bar", class_="unseen"), scope="col", class_="bars"),
        [
            tag("th", _swatch(at), name, scope="col", class_="number")
            for at, name in enumerate(columns)
        ],
    )
    body, before = [], ""
    for system, side, loss in found:
        numbers = rounded(loss)
        body.append(
            tag(
                "tr",
                tag("th", "" if system == before else system, scope="row"),
                tag("td", side if side in metric.scores else metric.primary),
                tag("td", stacked(loss), class_="bars"),
                [
                    tag("td", f"{part:.3f}", class_="number" if part else "number none")
                    for part in numbers[: len(columns)]
                ],
                class_="next" if system == before else None,
            )
        )
        before = system
    caption = f"{metric.label}: what was counted, and where the rest was lost"
    inner = tag(
        "table", tag("caption", caption), tag("thead", head), tag("tbody", body), class_="losses"
    )
    return wide(inner, caption)


def stacked(loss: Loss) -> Html:
    """The parts of a loss as one bar."""
    whole, start, marks = loss.possible or 1, 0.0, []
    for at, part in enumerate(loss):
        if part > 0:
            share = float(part / whole)
            marks.append(
                tag("rect", x=percent(start), width=percent(share), height=14, class_=f"part-{at}")
            )
            start += share
    return tag("svg", marks, class_="stack", width="100%", height=14, aria_hidden="true")


def _swatch(at: int) -> Html:
    mark = tag("rect", width=10, height=10, rx=2, class_=f"part-{at}")
    return tag("svg", mark, class_="swatch", width=10, height=10, aria_hidden="true")


def patterns() -> Html:
    """The hatchings of the parts, so that they differ without colour."""
    drawn = {
        1: (6, "M0 6L6 0M-1 1L1 -1M5 7L7 5"),
        2: (5, "M0 2.5H5"),
        3: (6, "M0 0L6 6M6 0L0 6"),
        4: (5, "M2.5 0V5"),
    }
    marks = [
        tag(
            "pattern",
            tag("rect", width=size, height=size, class_=f"ground-{at}"),
            tag("path", d=path, class_="hatch"),
            id=f"hatch-{at}",
            width=size,
            height=size,
            patternUnits="userSpaceOnUse",
        )
        for at, (size, path) in drawn.items()
    ]
    return tag("svg", tag("defs", marks), width=0, height=0, class_="defs", aria_hidden="true")
