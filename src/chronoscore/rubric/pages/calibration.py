"""A judge beside people: tables, and a page that draws their scores on one axis."""

from collections.abc import Iterable, Iterator, Sequence

from chronoscore.core.result import Interval
from chronoscore.reports.html.drawing import Axis, interval_bar, ticks
from chronoscore.reports.html.head import UNKNOWN_RUN, RunHead
from chronoscore.reports.html.markup import (
    Html,
    folded,
    from_data,
    html_table,
    joined,
    lead,
    listed,
    tag,
    unseen,
    wide,
)
from chronoscore.reports.html.page import Declared, drawn, page
from chronoscore.reports.intervals import interval_cell, interval_in_words, without_interval
from chronoscore.reports.table import Cell, Table, plural, shown, signed
from chronoscore.rubric.calibration import (
    Calibration,
    DifferingEvent,
    Estimated,
    JudgeErrors,
    SystemEstimate,
)
from chronoscore.rubric.pages.agreement import confused

_CORRECTED = "corrected, PPI++"
_RATE = "Rogan-Gladen"
_MOST_ROWS = 240
"""Rows of a section of the page, shared by its criteria."""
_OPEN = 6
"""Events of the page that are shown unfolded."""
_SHARES = (0.1, 0.35, 0.75)
"""From which share of people's value on a cell has the next colour."""


def calibration_tables(document: Calibration) -> list[Table]:
    """All tables that have rows, the corrected scores first, which alone are written as CSV."""
    tables = [_levels(document), _differences(document), _errors(document), _agreement(document)]
    return [table for table in tables if table.rows]


def _levels(document: Calibration) -> Table:
    rows: list[list[Cell]] = []
    rated = any(level.rate for level in document.levels)
    for level in document.levels:
        people, corrected, rate = level.people, level.corrected, level.rate
        row: list[Cell] = [level.system, level.criterion, level.labelled, level.events]
        row += [people.value, interval_cell(people.interval), level.judge.value]
        row += [corrected.value, interval_cell(corrected.interval)]
        row.append("" if corrected.weight is None else corrected.weight)
        row += ["", ""] if rate is None else [rate.value, interval_cell(rate.interval)]
        rows.append(row)
    columns: list[Sequence[str] | None] = ["system", "criterion", "labelled", "events"]
    columns += [("mean", "people"), ("interval", "people"), ("mean", document.judge)]
    columns += [("mean", _CORRECTED), ("interval", _CORRECTED), ("lambda", _CORRECTED)]
    columns += [("rate", _RATE), ("interval", _RATE)] if rated else [None, None]
    remarks = [
        "people: the labelled events; "
        f"{document.judge}: all events, as it judged; corrected: all events, as people would judge",
        "lambda: how much the judge counts, from 0 (people alone) to 1",
    ]
    if any(level.corrected.interval for level in document.levels):
        method = "Student's t over articles" if document.unit == "article" else "over events"
        remarks.append(f"{document.level:.0%} intervals: {method}; Rogan-Gladen's over events")
    remarks += _reasons((level.system, level.corrected) for level in document.levels)
    remarks += _reasons(
        (f"{level.system}, {level.criterion}, {_RATE}", level.rate)
        for level in document.levels
        if level.rate is not None and level.corrected.value is not None
    )
    events = f"{document.labelled} labelled of {document.events} judged events"
    return Table.of(f"what people would say, from {events}", columns, rows, remarks)


def _reasons(estimates: Iterable[tuple[str, Estimated]]) -> list[str]:
    return list(
        dict.fromkeys(
            f"{place}: {estimate.reason}" for place, estimate in estimates if estimate.reason
        )
    )


def _differences(document: Calibration) -> Table:
    rows = []
    for difference in document.differences:
        interval = difference.corrected.interval
        mark = "*" if interval is not None and not interval.low <= 0 <= interval.high else ""
        corrected = (difference.corrected.value, interval_cell(interval), mark)
        rows.append(
            (
                difference.one,
                difference.two,
                difference.criterion,
                difference.people,
                difference.judge,
                *corrected,
            )
        )
    differences = [("difference", who) for who in ("people", document.judge, _CORRECTED)]
    reasons = _reasons((f"{d.one}, {d.two}", d.corrected) for d in document.differences)
    return Table.of(
        "systems: the first less the second",
        ["one", "two", "criterion", *differences, ("interval", _CORRECTED), ("", _CORRECTED)],
        rows,
        ["*: the interval excludes 0", *reasons],
    )


def _errors(document: Calibration) -> Table:
    rows = []
    for errors in document.errors:
        binary = bool(errors.confusion) and len(errors.confusion) == 2
        rates = (errors.sensitivity, errors.specificity) if binary else ("", "")
        bias = (signed(errors.bias), interval_cell(errors.interval))
        rows.append((errors.criterion, errors.events, *bias, *rates, confused(errors.confusion)))
    samples = f", {document.samples} samples an event" if document.samples > 1 else ""
    return Table.of(
        f"where {document.judge} errs, on events that people judged too{samples}",
        ("criterion", "events", "bias", "interval", "sensitivity", "specificity", "errors"),
        rows,
        (
            f"bias: above 0, {document.judge} gives higher values than people",
            "sensitivity: share of people's 1 that it gives 1; specificity: of people's 0, 0",
            "errors: people's value as the judge's; events on which people differ count in parts",
        ),
    )


def _agreement(document: Calibration) -> Table:
    rows = []
    for line in zip(*(side.agreement for side in document.beside), strict=True):
        cells = [cell for a in line for cell in (a.value, interval_cell(a.interval))]
        rows.append((line[0].criterion, line[0].coefficient, *cells))
    columns = [(name, side.who) for side in document.beside for name in ("value", "interval")]
    every = [a for side in document.beside for a in side.agreement]
    remarks = [f"undef.: {reason}" for reason in sorted({a.reason for a in every if a.reason})]
    remarks += without_interval(every)
    if len(document.people) > 1:
        remark = "people: the agreement of people with each other, which no judge needs to exceed"
        remarks.insert(0, remark)
    return Table.of("agreement with people", ["criterion", "coefficient", *columns], rows, remarks)


# The page


def calibration_page(document: Calibration, head: RunHead = UNKNOWN_RUN) -> str:
    """Make the page: a pure function of the document; `head` says which run it is."""
    judge = from_data(document.judge)
    people = [part for name in document.people for part in (", ", from_data(name))][1:]
    return page(
        f"{document.judge} beside people",
        joined(
            judge,
            f" judged {plural(document.events, 'event')} of "
            f"{plural(len(document.systems), 'system')}; ",
            people,
            f" judged {document.labelled} of them too. Codebook {document.codebook}.",
        ),
        drawn(_SECTIONS, document),
        "Made by Chronoscore from judgements alone.",
        heading=joined(judge, " beside people"),
        terms=head.terms,
    )


_Row = tuple[tuple[Html, ...], float | None, Interval | None, tuple[str, ...]]
"""The names of a row, the value that is drawn with its interval, and further cells."""


def _pictured(
    caption: str,
    columns: tuple[Sequence[str], str, Sequence[str]],
    rows: Sequence[_Row],
    most: int,
    *,
    zero: bool = False,
) -> Html:
    """A table whose rows have a dot and its interval on one axis."""
    names, value_name, others = columns
    shown_rows = rows[:most]
    drawn_values = ((value, interval) for _, value, interval, _ in shown_rows)
    axis = Axis.of_intervals(drawn_values, zero=zero)
    picture = joined(unseen(f"{value_name}, drawn"), ticks(axis.rules, axis.place))
    table = Table.of(
        caption,
        [*names, picture, value_name, "interval", *others],
        (
            (
                *first,
                interval_bar(value, interval, axis.place, middle=10, radius=4, zero=zero),
                signed(value) if zero else shown(value),
                interval_in_words(interval),
                *rest,
            )
            for first, value, interval, rest in shown_rows
        ),
    )
    classes = [*[None] * len(names), "bars", *["number"] * (2 + len(others))]
    left = len(rows) - len(shown_rows)
    return joined(
        html_table(table, classes=classes, kind="ranking", by_first=len(names) > 1),
        tag("p", f"{plural(left, 'more row')}: --format json has all.", class_="note")
        if left
        else "",
    )


def _criteria(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _scores(document: Calibration) -> Html:
    """People, the judge and the corrected judge on one axis, for each criterion."""
    criteria = _criteria(level.criterion for level in document.levels)
    tables = [
        _pictured(
            f"Mean of {criterion}",
            (("system", "by"), "mean", ("events",)),
            [
                row
                for level in document.levels
                if level.criterion == criterion
                for row in _level_rows(level, document.judge)
            ],
            max(4, _MOST_ROWS // len(criteria)),
        )
        for criterion in criteria
    ]
    return joined(
        lead(
            "People: the labelled events, which they judged. ",
            from_data(document.judge),
            ": all events, as it judged; its interval does not allow for its bias. Corrected: all "
            "events, as people would judge them. Lines are "
            f"{document.level:.0%} intervals.",
        ),
        tables,
        listed(map(from_data, _levels(document).remarks[2:]), "meanings"),
    )


def _level_rows(level: SystemEstimate, judge: str) -> Iterator[_Row]:
    estimates = [
        ("people", level.people, level.labelled),
        (judge, level.judge, level.events),
        (_CORRECTED, level.corrected, level.events),
    ]
    if level.rate is not None:
        estimates.append((_RATE, level.rate, level.events))
    for who, estimate, events in estimates:
        names = (from_data(level.system), from_data(who))
        yield names, estimate.value, estimate.interval, (str(events),)


def _drawn_differences(document: Calibration) -> Html:
    """One system less another, corrected, beside what people and the judge say."""
    criteria = _criteria(difference.criterion for difference in document.differences)
    if not criteria:
        return Html("")
    tables = []
    for criterion in criteria:
        rows: list[_Row] = [
            (
                (from_data(difference.one), from_data(difference.two)),
                difference.corrected.value,
                difference.corrected.interval,
                (signed(difference.people), signed(difference.judge)),
            )
            for difference in document.differences
            if difference.criterion == criterion
        ]
        columns = (("first", "second"), "corrected", ("people", document.judge))
        most = max(3, _MOST_ROWS // 2 // len(criteria))
        tables.append(_pictured(f"Differences in {criterion}", columns, rows, most, zero=True))
    return joined(
        lead(
            "The first system less the second. Where the line does not reach the dashed one at 0, "
            "the corrected difference is significant."
        ),
        tables,
        listed(map(from_data, _differences(document).remarks[1:]), "meanings"),
    )


def _drawn_errors(document: Calibration) -> Html:
    """The bias on each criterion, and which values are given for which."""
    rows: list[_Row] = [
        (
            (joined(errors.criterion),),
            errors.bias,
            errors.interval,
            (str(errors.events), *map(_rate, (errors.sensitivity, errors.specificity))),
        )
        for errors in document.errors
    ]
    columns = (("criterion",), "bias", ("events", "sensitivity", "specificity"))
    confusions = [_confusion(errors, document.judge) for errors in document.errors]
    table = _errors(document)
    return joined(
        lead(
            "Bias: above 0, ",
            from_data(document.judge),
            " gives higher values than people, on the events that both judged.",
        ),
        _pictured(f"Bias of {document.judge}", columns, rows, _MOST_ROWS, zero=True),
        listed(map(from_data, table.remarks[1:2]), "meanings"),
        tag("h3", "Which value it gives for which"),
        lead(
            "In each cell the number of events, and their share of all events to which people gave "
            "the value of the row. On the diagonal, in a frame, both agree. Events on which people "
            "differ count in parts."
        ),
        tag("div", confusions, class_="maps"),
    )


def _rate(value: float | None) -> str:
    return "–" if value is None else shown(value)


def _confusion(errors: JudgeErrors, judge: str) -> Html:
    if not errors.confusion:
        return Html("")
    values = [*errors.confusion]
    head = [tag("th", "people", scope="col")]
    head += [tag("th", f"{value} by ", from_data(judge), scope="col") for value in values]
    body = []
    for value, cells in errors.confusion.items():
        total = sum(cells.values())
        shares = [(cells[judged], cells[judged] / total if total else 0.0) for judged in values]
        drawn_cells = [
            tag(
                "td",
                tag("b", f"{count:g}"),
                tag("span", f"{share:.0%}"),
                class_=f"{_heat(share)}{' agreed' if judged == value else ''}",
            )
            for judged, (count, share) in zip(values, shares, strict=True)
        ]
        body.append(tag("tr", tag("th", f"{value} by people", scope="row"), drawn_cells))
    parts = (tag("caption", errors.criterion), tag("thead", tag("tr", head)), tag("tbody", body))
    label = f"Values of {errors.criterion}, by people and by {judge}"
    return wide(tag("table", *parts, class_="heat confusion"), label)


def _heat(share: float) -> str:
    """The colour of a share.

    >>> [_heat(share) for share in (0.0, 0.2, 0.5, 1.0)]
    ['heat-1', 'heat-2', 'heat-3', 'heat-5']
    """
    return ("heat-1", "heat-2", "heat-3", "heat-5")[sum(share >= edge for edge in _SHARES)]


def _drawn_agreement(document: Calibration) -> Html:
    """The judge with each person, beside people among themselves."""
    criteria = _criteria(a.criterion for side in document.beside for a in side.agreement)
    tables = []
    for criterion in criteria:
        lines = zip(*(side.agreement for side in document.beside), strict=True)
        rows: list[_Row] = [
            ((joined(a.coefficient), from_data(side.who)), a.value, a.interval, (str(a.units),))
            for line in lines
            for side, a in zip(document.beside, line, strict=True)
            if a.criterion == criterion
        ]
        columns = (("coefficient", "between"), "value", ("events",))
        most = max(4, _MOST_ROWS // len(criteria))
        tables.append(_pictured(f"Agreement on {criterion}", columns, rows, most))
    if not tables:
        return Html("")
    first, *others = tables
    return joined(
        lead(
            "1 is complete agreement. People among themselves agree only so far, which no judge "
            "need surpass."
            if len(document.people) > 1
            else "1 is complete agreement."
        ),
        first,
        folded(f"{plural(len(others), 'more table')}, one for each criterion", others)
        if others
        else "",
        listed(map(from_data, _agreement(document).remarks), "meanings"),
    )


def _differing_events(document: Calibration) -> Html:
    if not document.differing:
        return Html("")
    events = [_event(event, document.judge) for event in document.differing]
    more = tag("ol", events[_OPEN:], class_="differ", start=_OPEN + 1)
    return joined(
        lead(
            "The labelled events on which people and ",
            from_data(document.judge),
            " are farthest apart, over all criteria; values that differ are marked.",
        ),
        tag("ol", events[:_OPEN], class_="differ"),
        folded(f"{len(events) - _OPEN} more", more) if len(events) > _OPEN else "",
    )


def _event(event: DifferingEvent, judge: str) -> Html:
    criteria = [*event.people]
    differs = [event.people[name] != event.judge[name] for name in criteria]
    rows = [
        (
            from_data(who),
            *(
                tag("mark", f"{values[name]:.3g}") if differ else f"{values[name]:.3g}"
                for name, differ in zip(criteria, differs, strict=True)
            ),
        )
        for who, values in (("people", event.people), (judge, event.judge))
    ]
    caption = f"Values of {event.event} of {event.system}"
    classes = [None, *["number differs" if differ else "number" for differ in differs]]
    facts = " · ".join(filter(None, (event.system, event.article)))
    return tag(
        "li",
        tag("h3", event.event, dir="auto"),
        tag("p", facts, class_="told", dir="auto"),
        tag("p", event.text, class_="quote", dir="auto") if event.text else "",
        html_table(
            Table.of(caption, ["by", *criteria], rows), caption=unseen(caption), classes=classes
        ),
    )


_SECTIONS: tuple[Declared[Calibration], ...] = (
    ("scores", "What people would say", _scores),
    ("differences", "Systems against each other", _drawn_differences),
    ("errors", "Where the judge errs", _drawn_errors),
    ("agreement", "Agreement with people", _drawn_agreement),
    ("differ", "Where they differ most", _differing_events),
    ("notes", "Notices", lambda document: listed(map(from_data, document.notices), "notices")),
)
