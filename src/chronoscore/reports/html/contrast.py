"""The page of a comparison: ranks, the matrix of differences, and what decided each pair."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chronoscore.core.contrast import Contrast, MetricContrast, Pair, Swing, turned
from chronoscore.reports.contrast import differences_in_words, letters_in_words, test_in_words
from chronoscore.reports.html.drawing import (
    Axis,
    BarPart,
    interval_bar,
    stacked,
    swatch,
    ticks,
)
from chronoscore.reports.html.head import UNKNOWN_RUN, RunHead
from chronoscore.reports.html.markup import (
    Html,
    folded,
    from_data,
    html_table,
    joined,
    lead,
    listed,
    percent,
    tag,
    unseen,
    wide,
)
from chronoscore.reports.html.page import Section, page
from chronoscore.reports.intervals import effective_units, few_units, interval_in_words
from chronoscore.reports.matrix import SIGNIFICANT, letters_of
from chronoscore.reports.result_tables import short
from chronoscore.reports.table import Cell, Table, p_value, plural, shown, signed
from chronoscore.statistics.exact import DIGITS

MOST_SWINGS = 5
"""Units of a pair that are drawn."""
_OPEN = 4
"""Pairs of neighbours in the ranking that are shown unfolded."""
_ROOM, _VALUES_ROOM = 12_000, 2_000
"""Elements that the metrics of a page may have together, so that browsers stay quick; and that the
differences by value may have."""
_OF_CELL, _OF_RANKED, _OF_PAIR, _OF_LINE = 6, 14, 85, 10
"""Elements of a cell of differences, a ranked system, a pair that is drawn, and one in a table."""
_MOST_NAMED = 6
"""Systems that the head of the page names."""
_VALUES_SHOWN, _MOST_VALUES = 24, 240
"""Rows of the scores by value that are shown unfolded, and at all."""

Sense = Literal["better", "worse", "equal", "undefined"]


def contrast_page(
    contrast: Contrast,
    by_value: Sequence[Contrast] = (),
    meanings: Mapping[str, str] | None = None,
    head: RunHead = UNKNOWN_RUN,
) -> str:
    """Make the page of a comparison: a pure function of its documents.

    `by_value` are the contrasts on each value of the items, such as the types of annotations;
    `meanings` say what the metrics measure, by their names, and `head` which run it is.
    """
    limits = _Limits.of(contrast, _ROOM - (2 * _VALUES_ROOM if by_value else 0))
    sections = [
        Section(
            f"metric-{place}",
            metric.label,
            _metric(contrast, metric, limits, (meanings or {}).get(metric.name, "")),
        )
        for place, metric in enumerate(contrast.metrics, 1)
    ]
    if by_value:
        sections.append(Section("values", "By value", _values(by_value)))
    sections.append(Section("notes", "How it was tested", _notes(contrast, by_value)))
    systems = [ranked.system for ranked in contrast.metrics[0].ranking]
    return page(
        f"{_several(systems)} compared",
        joined(_compared(contrast, systems)),
        sections,
        "Made by Chronoscore from the scores of each system; nothing was scored for this page.",
        heading=f"{plural(len(systems), 'system')} compared",
        terms=head.terms,
    )


def _several(systems: Sequence[str]) -> str:
    """The names of some systems as plain text."""
    more = len(systems) - _MOST_NAMED
    return ", ".join(systems[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _compared(contrast: Contrast, systems: Sequence[str]) -> Iterator[str]:
    """What is compared on what, by which test."""
    for at, system in enumerate(systems[:_MOST_NAMED]):
        yield from (", " if at else "", from_data(system))
    more = len(systems) - _MOST_NAMED
    yield f" and {more} more" if more > 0 else ""
    yield f" ({contrast.family}), "
    if contrast.baseline:
        yield from ("each against ", from_data(contrast.baseline), ", ")
    yield f"by a {test_in_words(contrast)}."


@dataclass(frozen=True)
class _Limits:
    """How much of a metric is drawn, so that many systems still make a page that browsers bear."""

    systems: int
    """Systems in the matrix of differences."""
    ranked: int
    """Systems in the ranking."""
    drawn: int
    """Pairs that are drawn with their units."""
    lines: int
    """Further pairs that are in a table."""

    @classmethod
    def of(cls, contrast: Contrast, room: int) -> "_Limits":
        """Share a number of elements among the metrics: a third for the matrix of each."""
        room //= len(contrast.metrics)
        systems = int((room / 3 / _OF_CELL) ** 0.5)
        if contrast.baseline:
            systems = room // 3 // _OF_CELL
        room -= room // 3
        ranked = max(12, room // 5 // _OF_RANKED)
        drawn = max(1, room * 3 // 5 // _OF_PAIR)
        return cls(max(2, systems), ranked, drawn, max(1, room // 5 // _OF_LINE))


def _metric(contrast: Contrast, metric: MetricContrast, limits: _Limits, meaning: str) -> Html:
    return joined(
        lead(_about(metric, meaning)),
        tag("h3", "Ranking"),
        _ranking(contrast, metric, limits.ranked),
        tag("h3", "Differences"),
        _differences(contrast, metric, limits.systems),
        tag("h3", f"What decided: {contrast.unit}s of each pair"),
        _pairs(contrast, metric, limits),
    )


def _about(metric: MetricContrast, meaning: str) -> str:
    score = short(metric.score)
    described = f"{meaning[:1].upper()}{meaning[1:]}. " if meaning else ""
    named = "" if score.casefold() == metric.label.casefold() else f"{metric.name}, score {score}. "
    return f"{described}{named}{'Less' if metric.better == 'lower' else 'More'} is better."


# The ranking


def _ranking(contrast: Contrast, metric: MetricContrast, most: int) -> Html:
    ranking = metric.ranking[:most]
    axis = Axis.of_intervals((one.score, one.interval) for one in ranking)
    mark = "against the baseline" if contrast.baseline else "letters"
    rows: list[list[Cell]] = []
    for rank in ranking:
        bar = interval_bar(rank.score, rank.interval, axis.place, middle=10, radius=4)
        letters = letters_of(contrast, metric.name, rank.system)
        if contrast.baseline:
            letters = "the baseline" if rank.system == contrast.baseline else letters or "–"
        score = [shown(rank.score), interval_in_words(rank.interval)]
        rows.append([from_data(rank.system), bar, *score, letters])
    picture = joined(unseen("score, drawn"), ticks(axis.rules, axis.place))
    columns = ["system", picture, "score", "interval", mark]
    table = Table.of(f"Ranking by {metric.label}", columns, rows)
    intervals = [(f"{one.system} {metric.label}", one.interval) for one in metric.ranking]
    bounded = [interval for _, interval in intervals if interval]
    remarks = [letters_in_words(contrast)]
    if bounded:
        remarks.append(
            f"Lines are the {contrast.level:.0%} intervals of single scores"
            f"{effective_units(bounded)}: two may overlap although the systems differ."
        )
    if unranked := len(metric.ranking) - len(ranking):
        remarks.append(f"{plural(unranked, 'more system')}: --format json has all.")
    drawn = html_table(
        table,
        caption=unseen(table.caption),
        classes=[None, "bars", "number", "number", None],
        kind="ranking",
    )
    return joined(drawn, listed([*remarks, *few_units(intervals)], "meanings"))


# The matrix of differences


def _sense(difference: float | None, better: str) -> Sense:
    """What a difference means for the first of two systems."""
    if difference is None:
        return "undefined"
    if difference == 0:
        return "equal"
    return "better" if (difference > 0) is (better == "higher") else "worse"


def _is_sure(pair: Pair) -> bool:
    return pair.p_corrected is not None and pair.p_corrected < SIGNIFICANT


_MARKS = {"better": "▲ better", "worse": "▼ worse"}


def _differences(contrast: Contrast, metric: MetricContrast, most: int) -> Html:
    """In each cell the system of the row less that of the column."""
    every = [ranked.system for ranked in metric.ranking]
    systems = every[:most]
    columns = [contrast.baseline] if contrast.baseline else systems
    pairs = {(pair.one, pair.two): pair for pair in metric.pairs}
    pairs |= {(pair.two, pair.one): turned(pair) for pair in metric.pairs}
    head = [tag("th", "row less column", scope="col")]
    head += [tag("th", from_data(name), scope="col") for name in columns]
    body = []
    for one in systems:
        if columns == [one]:
            continue
        cells = [_cell(pairs.get((one, two)), metric.better) for two in columns]
        body.append(tag("tr", tag("th", from_data(one), scope="row"), cells))
    title = f"{metric.label}: row less column"
    parts = (
        tag("caption", title),
        tag("thead", tag("tr", head)),
        tag("tbody", body),
    )
    remarks = [
        f"▲ better, ▼ worse: the system of the row differs significantly (corrected p below "
        f"{SIGNIFICANT}). Pale cells without a mark: no significant difference. Below the "
        f"difference stand its {contrast.level:.0%} interval and its corrected p."
    ]
    if left := len(every) - len(systems):
        remarks.append(
            f"The matrix shows the {len(systems)} best systems; --format json has the differences "
            f"of the {left} others."
        )
    table = tag("table", *parts, class_="heat contrast")
    return joined(wide(table, f"Differences in {metric.label}"), listed(remarks, "meanings"))


def _cell(pair: Pair | None, better: str) -> Html:
    if pair is None:
        return tag("td", "–", unseen("the same system"), class_="self")
    sense, sure = _sense(pair.difference, better), _is_sure(pair)
    kind = f"is-{sense}" + (" sure" if sure else "")
    if pair.difference is None:
        return tag("td", "undef.", unseen(_sentence(pair, better)), class_=kind)
    interval = pair.interval
    range_ = f"{signed(interval.low)} to {signed(interval.high)}" if interval else "no interval"
    mark = _MARKS.get(sense, "") if sure else ""
    return tag(
        "td",
        tag(
            "div",
            tag("b", signed(pair.difference)),
            tag("span", range_),
            tag("span", f"p {p_value(pair.p_corrected)}"),
            tag("span", mark, class_="verdict") if mark else "",
            aria_hidden="true",
        ),
        unseen(_sentence(pair, better)),
        class_=kind,
    )


def _sentence(pair: Pair, better: str, name: Callable[[str], str] = str) -> Html:
    """A pair as a sentence: who is better, by how much, and how sure that is.

    `name` writes the names of systems: an English sentence must not follow their direction.
    """
    one, two, sense = name(pair.one), name(pair.two), _sense(pair.difference, better)
    if pair.difference is None:
        return joined("The score of ", one, " or of ", two, " is undefined.")
    if sense == "equal":
        compared = joined(one, " and ", two, " are equal")
    else:
        compared = joined(one, f" is {sense} than ", two, f" by {abs(pair.difference):.3f}")
    text = ""
    if pair.interval:
        low, high = signed(pair.interval.low), signed(pair.interval.high)
        text += f"; the interval of the difference is {low} to {high}"
    if pair.p is None:
        return joined(compared, f"{text}; there is no p.")
    verdict = "significant" if _is_sure(pair) else "not significant"
    text += f"; p {p_value(pair.p)}, corrected {p_value(pair.p_corrected)}: {verdict}."
    return joined(compared, text)


# What decided each pair


def _pairs(contrast: Contrast, metric: MetricContrast, limits: _Limits) -> Html:
    """Neighbours in the ranking first; the others are folded, and very many are lines only."""
    place = {ranked.system: at for at, ranked in enumerate(metric.ranking)}
    ordered = sorted(metric.pairs, key=lambda pair: abs(place[pair.one] - place[pair.two]))
    next_to = sum(abs(place[pair.one] - place[pair.two]) == 1 for pair in ordered)
    opened = min(max(1, next_to), _OPEN, limits.drawn)
    drawn = [_pair(contrast, metric, pair) for pair in ordered[: limits.drawn]]
    lines = ordered[limits.drawn :]
    further: list[Html] = [*drawn[opened:]]
    if lines:
        further.append(_lines(contrast, metric, lines[: limits.lines]))
    if unlisted := len(lines) - limits.lines:
        more = f"{plural(unlisted, 'more pair')}: --format json has all."
        further += [tag("p", more, class_="note")] if unlisted > 0 else []
    return joined(
        drawn[:opened],
        folded(f"{plural(len(ordered) - opened, 'more pair')} of systems", further)
        if further
        else "",
    )


def _pair(contrast: Contrast, metric: MetricContrast, pair: Pair) -> Html:
    """Two systems: a sentence, wins and losses, the units that decided, and the units needed."""
    title = tag("h4", from_data(pair.one), " against ", from_data(pair.two))
    sentence = tag("p", _sentence(pair, metric.better, from_data))
    if not pair.swings:
        return tag("section", title, sentence, class_="duel")
    return tag(
        "section",
        title,
        sentence,
        _wins(contrast, metric, pair),
        _swings(contrast, metric, pair),
        tag("p", _needed(contrast, pair), class_="note"),
        class_="duel",
    )


def _counts(metric: MetricContrast, pair: Pair) -> dict[str, int]:
    """On how many units the first is better, equal and worse, and where a score is undefined.

    Better is as the metric has it, whichever end of the scale that is.
    """
    better, worse = pair.wins, pair.losses
    if metric.better == "lower":
        better, worse = worse, better
    undefined = sum(swing.one is None or swing.two is None for swing in pair.swings)
    counts = {"better": better, "equal": pair.ties - undefined, "worse": worse}
    return counts | ({"undefined": undefined} if undefined else {})


_KINDS = {"better": "won", "equal": "tied", "worse": "lost", "undefined": "unscored"}
"""The class of each part of the bar."""


def _wins(contrast: Contrast, metric: MetricContrast, pair: Pair) -> Html:
    counts = _counts(metric, pair)
    total = sum(counts.values()) or 1
    parts, keys = [], []
    for word, count in counts.items():
        kind, text = _KINDS[word], str(count) if count / total > 0.08 else ""
        parts.append(BarPart(count / total, kind, text, f"on-{kind}"))
        keys.append(joined(swatch(kind), f"{word} on {count}"))
    whole = f"of {plural(sum(counts.values()), contrast.unit)}"
    return tag(
        "div", stacked(parts, 18, "stack split"), listed([*keys, whole], "legend"), class_="outcome"
    )


def _is_decisive(swing: Swing) -> bool:
    """Whether both systems have a score on a unit, and not the same within rounding."""
    if swing.one is None or swing.two is None:
        return False
    return abs(swing.difference) > 10.0**-DIGITS * max(abs(swing.one), abs(swing.two))


def _swings(contrast: Contrast, metric: MetricContrast, pair: Pair) -> Html:
    """The units with the largest differences, as bars to either side of the middle."""
    decisive = [*filter(_is_decisive, pair.swings)]
    if not decisive:
        return tag("p", f"No {contrast.unit} differs.", class_="note")
    swings = decisive[:MOST_SWINGS]
    most = max(abs(swing.difference) for swing in swings)
    rows = [
        (
            from_data(swing.unit),
            _swing(swing.difference / most, _sense(swing.difference, metric.better)),
            signed(swing.difference),
            shown(swing.one),
            shown(swing.two),
        )
        for swing in swings
    ]
    better = ("left: second better", "right: first better")
    if metric.better == "lower":
        better = ("left: first better", "right: second better")
    columns = [
        contrast.unit,
        tag("span", [tag("span", one) for one in better], class_="sides"),
        "difference",
        from_data(pair.one),
        from_data(pair.two),
    ]
    caption = f"{metric.label}: which {contrast.unit}s decided {pair.one} against {pair.two}"
    table = html_table(
        Table.of(caption, columns, rows),
        caption=unseen(caption),
        classes=[None, "bars", "number", "number", "number"],
        kind="swings",
    )
    more = len(decisive) - len(swings)
    differ = f"{plural(more, f'more {contrast.unit}')} that {'differs' if more == 1 else 'differ'}"
    return joined(table, tag("p", f"and {differ} less", class_="note") if more else "")


def _swing(share: float, sense: Sense) -> Html:
    """A bar from the middle: to the right if the first system has more."""
    start, width = (0.5, share / 2) if share >= 0 else (0.5 + share / 2, -share / 2)
    marks = [
        tag("line", x1="50%", x2="50%", y1=0, y2=18, class_="zero"),
        tag("rect", x=percent(start), width=percent(width), y=3, height=12, class_=f"to-{sense}"),
    ]
    return tag("svg", marks, class_="bar", width="100%", height=18, aria_hidden="true")


def _needed(contrast: Contrast, pair: Pair) -> str:
    """How much data a difference of this size needs."""
    if pair.units_needed is None:
        return f"How many {contrast.unit}s it takes to see this difference is unknown."
    there = contrast.units
    enough = "so that there are enough" if pair.units_needed <= there else "so that more are needed"
    return (
        f"To see a difference of this size four times in five takes about "
        f"{plural(pair.units_needed, contrast.unit)}; there are {there}, {enough}."
    )


def _counted(counts: Mapping[str, int]) -> str:
    """Write counts in the order of their column.

    >>> _counted({"better": 7, "equal": 0, "worse": 2, "undefined": 1})
    '7-0-2, 1 undefined'
    """
    better, equal, worse, *undefined = counts.values()
    return f"{better}-{equal}-{worse}" + "".join(f", {count} undefined" for count in undefined)


def _lines(contrast: Contrast, metric: MetricContrast, pairs: Iterable[Pair]) -> Html:
    rows = [
        (
            from_data(pair.one),
            from_data(pair.two),
            signed(pair.difference),
            p_value(pair.p_corrected),
            _counted(_counts(metric, pair)),
            "-" if pair.units_needed is None else str(pair.units_needed),
        )
        for pair in pairs
    ]
    columns = ("first", "second", "difference", "corrected p", "better-equal-worse")
    needed = f"{contrast.unit}s needed"
    title = f"{metric.label}: pairs that are far from each other in the ranking"
    table = Table.of(title, [*columns, needed], rows)
    return html_table(table, classes=[None, None, *["number"] * 4])


# By value, and the conditions


def _group(contrast: Contrast) -> str:
    return ", ".join(f"{name}={value}" for name, value in contrast.group.items())


def _values(contrasts: Sequence[Contrast]) -> Html:
    """The scores on each value, and below them the differences of the first values."""
    rows = []
    for one in contrasts:
        for metric in one.metrics:
            label = metric.label.removesuffix(f", {_group(one)}")
            for ranked in metric.ranking:
                letters = letters_of(one, metric.name, ranked.system)
                score = (shown(ranked.score), interval_in_words(ranked.interval), letters or "–")
                rows.append((from_data(_group(one)), label, from_data(ranked.system), *score))
    columns = ("value", "metric", "system", "score", "interval")
    mark = "against the baseline" if contrasts[0].baseline else "letters"

    def table(caption: str, some: Sequence[Sequence[Cell]]) -> Html:
        numbers = [None, None, None, "number", "number", None]
        whole = Table.of(caption, [*columns, mark], some)
        return html_table(whole, classes=numbers, by_first=True)

    systems = max(len(metric.ranking) for one in contrasts for metric in one.metrics)
    most = min(systems, int((_VALUES_ROOM / _OF_CELL) ** 0.5))
    every = [(one, metric) for one in contrasts for metric in one.metrics]
    drawn = every[: _VALUES_ROOM // (most * most * _OF_CELL)]
    matrices = [
        joined(tag("h3", from_data(metric.label)), _differences(one, metric, most))
        for one, metric in drawn
    ]
    if undrawn := len(every) - len(drawn):
        more = f"{plural(undrawn, 'more table')}: --format json has all."
        matrices.append(tag("p", more, class_="note"))
    values = plural(len({_group(one) for one, _ in drawn}), "value")
    first, rest = rows[:_VALUES_SHOWN], rows[_VALUES_SHOWN:_MOST_VALUES]
    left = len(rows) - len(first) - len(rest)
    return joined(
        lead("The systems on the items of each value, over the units in which it occurs."),
        table("Scores by value", first),
        folded(plural(len(rest), "more row"), table("Scores by further values", rest))
        if rest
        else "",
        tag("p", f"{plural(left, 'more row')}: --format json has all.", class_="note")
        if left
        else "",
        folded(f"Differences on {values}", matrices),
    )


def _notes(contrast: Contrast, by_value: Sequence[Contrast]) -> Html:
    notices = dict.fromkeys(one for item in (contrast, *by_value) for one in item.notices)
    conditions = {
        "Family": contrast.family,
        "Protocol": contrast.protocol or "none that is published",
        "Average": contrast.path,
        "Test": test_in_words(contrast),
        "Baseline": contrast.baseline,
        "Intervals": f"{contrast.level:.0%}, by the jackknife over {contrast.unit}s for differences"
        if any(pair.interval for metric in contrast.metrics for pair in metric.pairs)
        else "",
    }
    terms = [
        tag("div", tag("dt", term), tag("dd", text, dir="auto"))
        for term, text in conditions.items()
        if text
    ]
    return joined(
        tag("p", differences_in_words(contrast)),
        tag("dl", terms, class_="conditions"),
        [tag("h3", "Notices"), listed(map(from_data, notices), "notices")] if notices else "",
    )
