"""The pages of timelines: where precision and recall were lost, and the picture of each topic.

A match has possible credit M, shared H and weight w, and earns w H. Its loss, M - w H, is

- (1 - w) H: the words are right and the day is not;
- M - H: the words are missing;
- or all of M, where the day stands alone: nothing is aligned with it, or the aligned day shares
  nothing, and the other side has no such date (with many-to-one every day has a partner).

Sums are exact fractions, so that rounding loses nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from chronoscore.core.evidence import Match
from chronoscore.core.metric import Metric
from chronoscore.core.result import MetricInfo, SystemResult
from chronoscore.elements.dated.options import OPTION_MEANINGS
from chronoscore.elements.time.calendar import GRAINS
from chronoscore.errors import UsageError
from chronoscore.reports.html.axis import time_axis
from chronoscore.reports.html.cases import CaseView
from chronoscore.reports.html.drawing import BarPart, key, line_key, stacked, swatch
from chronoscore.reports.html.explained import (
    SIDES,
    Explained,
    Side,
    is_alone,
    short_number,
)
from chronoscore.reports.html.marks import marks_of
from chronoscore.reports.html.markup import Html, html_table, joined, tag, unseen
from chronoscore.reports.html.report import Pages
from chronoscore.reports.table import Table
from chronoscore.statistics.averaging import Path
from chronoscore.timelines.comparison import in_language, tokeniser_of

_PARTS = ("counted", "wrong day", "wrong words", "missing or spurious", "undefined")
ZERO = Fraction(0)
_LOSSES_LEAD = Html(
    '<p class="lead"><b>Wrong day</b> is what shared words lose because their day is off, '
    "<b>wrong words</b> is what aligned days don&#x27;t share, <b>missing</b> is what gold days "
    "lose that no prediction speaks of, and <b>spurious</b> the same for predicted days. The "
    "numbers of a row add up to 1.</p>"
)


class Loss(NamedTuple):
    """The credit that was earned and the parts that were lost; together, all possible credit."""

    earned: Fraction = ZERO
    wrong_day: Fraction = ZERO
    wrong_words: Fraction = ZERO
    alone: Fraction = ZERO
    undefined: Fraction = ZERO
    """The share of cases in which nothing can be earned, and which count as 0."""

    @property
    def possible(self) -> Fraction:
        """All possible credit."""
        return sum(self, ZERO)


Losses = Mapping[Side, Loss | None]
"""The loss of each side; None for a side that the metric does not have, or that is undefined."""


def case_losses(explained: Explained, system: str, case: str, metric: str) -> Losses:
    """Return the loss of each side of a case; None for a side that the metric does not have."""
    matches = explained.matches.get((system, case, metric), ())
    others = {
        "precision": explained.gold.get(case, {}).keys(),
        "recall": explained.predicted.get((system, case), {}).keys(),
    }
    sides = explained.sides.get(metric, ())
    return {side: loss_of(matches, side, others[side]) if side in sides else None for side in SIDES}


def loss_of(matches: Iterable[Match], side: Side, others: AbstractSet[str]) -> Loss:
    """Add up the losses of the matches of one side of a case."""
    of_side = [match for match in matches if match.side == side]
    alone = [match for match in of_side if is_alone(match, others)]
    paired = [match for match in of_side if not is_alone(match, others)]
    earned = _sum(match.credit for match in paired)
    shared = _sum(match.credit if match.shared is None else match.shared for match in paired)
    possible, unpaired = (_sum(match.possible for match in group) for group in (paired, alone))
    return Loss(earned, shared - earned, possible - shared, unpaired)


def _sum(values: Iterable[float]) -> Fraction:
    """Add up without rounding; whole numbers, which most are, without fractions."""
    numbers = list(values)
    whole = sum(value for value in numbers if not value % 1)
    return sum((Fraction(value) for value in numbers if value % 1), Fraction(whole))


def system_losses(
    explained: Explained, system: SystemResult, metric: MetricInfo
) -> dict[Side, Loss | None]:
    """Return the loss of a system as shares of 1, averaged as its score was."""
    try:
        path = Path.parse(explained.result.path, explained.family.levels)
    except UsageError:
        return {}
    cases = [
        (row.tags, case_losses(explained, system.name, row.case, metric.name))
        for row in system.rows
    ]
    return _averaged(cases, path, explained.result.undefined)


def _averaged(
    cases: Sequence[tuple[Mapping[str, str], Losses]], path: Path, policy: str
) -> dict[Side, Loss | None]:
    """Average losses as the score was averaged, so that `earned` is the score itself.

    Every case comes with its tags. The parts add up to 1, so 1 - score is the sum of the lost
    ones. A side is None where its score is undefined.
    """
    rows = list(cases)
    linked = False
    for number, step in enumerate(path.steps):
        levels = [level for later in path.steps[number + 1 :] for level in later.levels]
        if step.rule != "sum" and not linked:
            rows = [(tags, _shares(losses, policy)) for tags, losses in rows]
            linked = True
        groups: dict[tuple[str, ...], list[Losses]] = {}
        for tags, losses in rows:
            groups.setdefault(tuple(tags.get(level, "") for level in levels), []).append(losses)
        rows = [
            (
                dict(zip(levels, group, strict=True)),
                {side: _added(members, side, mean=linked) for side in SIDES},
            )
            for group, members in sorted(groups.items())
        ]
    final: Losses = rows[0][1] if rows else {}
    return {side: (final if linked else _shares(final, policy)).get(side) for side in SIDES}


def _added(losses: Sequence[Losses], side: Side, *, mean: bool) -> Loss | None:
    defined = [loss for sides in losses if (loss := sides.get(side)) is not None]
    if not defined:
        return None
    divisor = len(defined) if mean else 1
    return Loss(*(sum(parts, ZERO) / divisor for parts in zip(*defined, strict=True)))


def _shares(losses: Losses, policy: str) -> dict[Side, Loss | None]:
    """Divide the losses by the possible credit; the policy decides about 0/0."""
    nothing = not any(loss is not None and loss.possible for loss in losses.values())
    shares: dict[Side, Loss | None] = {}
    for side in SIDES:
        loss = losses.get(side)
        if loss is not None and loss.possible:
            shares[side] = Loss(*(part / loss.possible for part in loss))
        elif policy == "skip" or loss is None:
            shares[side] = None
        elif policy == "one" or (policy == "agree" and nothing):
            shares[side] = Loss(earned=Fraction(1))
        else:
            shares[side] = Loss(undefined=Fraction(1))
    return shares


def rounded(loss: Loss, places: int = 3) -> tuple[float, ...]:
    """Round the parts so that they still add up to the rounded whole.

    `earned` is rounded as usual; the difference goes to the parts with the largest remainders.

    >>> rounded(Loss(Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)), 2)
    (0.33, 0.34, 0.33, 0.0, 0.0)
    """
    unit = 10**places
    # The same digits as in the printed score, which formats a float.
    earned = round(float(f"{float(loss.earned):.{places}f}") * unit)
    lost = round(loss.possible * unit) - earned
    exact = [part * unit for part in loss[1:]]
    floors = [part.__floor__() for part in exact]
    order = sorted(range(len(exact)), key=lambda at: floors[at] - exact[at])
    nonzero = [at for at in order if exact[at]]
    missing = lost - sum(floors)
    for turn in range(abs(missing)):
        if nonzero:
            floors[nonzero[turn % len(nonzero)]] += 1 if missing > 0 else -1
    return tuple(part / unit for part in (earned, *floors))


def losses_section(explained: Explained) -> Html:
    """Show a table of losses for each metric that matches explain."""
    tables = []
    for metric in explained.result.metrics:
        losses = [
            (system.name, side, loss)
            for system in explained.result.systems
            for side, loss in system_losses(explained, system, metric).items()
            if side in explained.sides.get(metric.name, ()) and loss is not None
        ]
        if losses:
            tables.append(_loss_table(metric, losses))
    return joined(_LOSSES_LEAD, tables) if tables else Html("")


def _loss_table(metric: MetricInfo, losses: Sequence[tuple[str, Side, Loss]]) -> Html:
    parts = _PARTS if any(loss.undefined for _, _, loss in losses) else _PARTS[:-1]
    rows = []
    for system, side, loss in losses:
        whole = loss.possible or 1
        shares = (BarPart(float(part / whole), f"part-{at}") for at, part in enumerate(loss))
        score = side if side in metric.scores else metric.primary
        numbers = [part or tag("span", "0.000", class_="none") for part in rounded(loss)]
        rows.append((system, score, stacked(shares, 14), *numbers[: len(parts)]))
    heads = [joined(swatch(f"part-{at}"), name) for at, name in enumerate(parts)]
    return html_table(
        Table.of(
            f"{metric.label}: what was counted, and where the rest was lost",
            ["system", "of", unseen("bar"), *heads],
            rows,
        ),
        classes=[None, None, "bars", *["number"] * len(parts)],
        kind="losses",
        by_first=True,
    )


def _legend(explained: Explained) -> Html:
    dot = tag("circle", cx=7, cy=7, r=5.5, class_="dot")
    open_dot = tag("circle", cx=7, cy=7, r=5.5, class_="dot open")
    cross = tag("path", d="M4.5 4.5L9.5 9.5M9.5 4.5L4.5 9.5", class_="cross")
    one, several = apart_words([explained.metric(info) for info in explained.result.metrics])
    distances = (f"same {one}", f"1–2 {several} apart", f"3–7 {several}", "more than 7")
    keys = [line_key(f"line far-{far}", text, 3) for far, text in enumerate(distances)]
    keys += [
        key(tag("path", d="M1 7.5L33 3V11L1 8.5Z", class_="wedge"), "thicker: more is shared"),
        line_key("line nothing", "nothing shared", 1),
        key(dot, "aligned", 14),
        key(joined(open_dot, cross), "missing or spurious", 14),
        key(open_dot, "nothing aligned with it", 14),
    ]
    return tag("ul", keys, class_="legend", aria_label="How to read the pictures")


def _data(explained: Explained, texts: Sequence[str]) -> dict[str, Any]:
    """Return the data of the pictures of topics and the panels beside them."""
    metrics = [explained.metric(info) for info in explained.result.metrics]
    names = {
        name
        for side in (explained.gold, explained.predicted)
        for items in side.values()
        for name in items
    }
    # Metrics that read texts alike share what is marked.
    kinds = [in_language(metric.setting).text if metric else "" for metric in metrics]
    by_kind = {kind: metric for kind, metric in zip(kinds, metrics, strict=True) if metric}
    unit = explained.result.options.get("time_unit", "")
    grains = {str(metric.values.get("grain", "day")) for metric in metrics if metric} or {"tick"}
    return {
        "axis": time_axis(sorted(names), unit, min(grains, key=[*GRAINS].index)),
        "units": [credit_unit(metric) for metric in metrics],
        "apart": [apart_words([metric]) for metric in metrics],
        "processing": kinds,
        "losses": [
            [
                [
                    _loss_numbers(case_losses(explained, system.name, case, info.name))
                    for info in explained.result.metrics
                ]
                for case in explained.cases
            ]
            for system in explained.result.systems
        ],
        "marks": {
            kind: marks_of(explained, partial(tokeniser_of, by_kind[kind]), texts)
            for kind in sorted(by_kind)
        },
    }


def _loss_numbers(losses: Losses) -> list[list[int | float] | None]:
    return [
        None if loss is None else [short_number(part) for part in rounded(loss, 2)[:4]]
        for loss in (losses[side] for side in SIDES)
    ]


def credit_unit(metric: Metric | None) -> str:
    """Return the plural noun for what the matches of a metric count."""
    if metric is None:
        return "points"
    name, values = metric.definition.name, metric.values
    if name in ("align", "concat"):
        pieces = {"1": "words", "2": "word pairs", "L": "words"}
        return pieces.get(str(values["rouge"]), f"{values['rouge']}-grams")
    return {"date-f1": "dates", "exact-date": "summaries"}.get(name, "points")


def apart_words(metrics: Sequence[Metric | None]) -> tuple[str, str]:
    """Return the words for one and for several cells of the metrics' grain.

    >>> from chronoscore.timelines.family import FAMILY
    >>> apart_words([FAMILY.metric("date-f1")])
    ('day', 'days')
    """
    grains = {str(metric.values.get("grain", "day")) for metric in metrics if metric} or {"day"}
    one = grains.pop() if len(grains) == 1 else "step"  # where the metrics have several grains
    one = "microsecond" if one == "tick" else one
    return one, f"{one[:-1]}ies" if one == "century" else f"{one}s"


PAGES = Pages(
    sections=(("losses", "Where precision and recall were lost", losses_section),),
    option_meanings=OPTION_MEANINGS,
    view=CaseView(
        "lanes", ("lanes.js", "panel.js"), "topic", "Topic by topic", legend=_legend, data=_data
    ),
)
