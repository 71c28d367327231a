"""Tables of evaluators: how far they agree, what to discuss, who is severe, and who drifts."""

from collections.abc import Iterable, Mapping, Sequence

from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.table import Cell, Column, Table
from chronoscore.reports.tables import agreement_table
from chronoscore.rubric.reliability.document import (
    Against,
    Discussed,
    OverTime,
    Part,
    Reliability,
    Series,
)


def reliability_tables(found: Reliability) -> list[Table]:
    """All tables, the most wanted first: those that were asked for before the usual ones."""
    tables = [_agreement(found)]
    if found.adjudicated:
        tables.append(_adjudicated(found.adjudicated))
    for tag in dict.fromkeys(part.by for part in found.parts):
        tables.append(_parts(tag, [part for part in found.parts if part.by == tag]))
    if found.over_time:
        tables += _over_time(found.over_time)
    usual = [_discussion(found), _pairs(found), _generosity(found), comments_table(found.comments)]
    return tables + [table for table in usual if table.rows]


def _agreement(found: Reliability) -> Table:
    table = agreement_table(found.agreement)
    told = [v.sentence for v in found.verdicts if v.verdict in ("below", "undefined")]
    for verdict, does in (
        ("unsure", "but its interval begins below"),
        ("no interval", "but it has no interval"),
        ("enough", "with its whole interval"),
    ):
        which = [v.criterion for v in found.verdicts if v.verdict == verdict]
        if which:
            told.append(
                f"alpha reaches {found.verdicts[0].threshold:g}, {does}: {', '.join(which)}"
            )
    return Table(table.caption, table.columns, table.rows, (*told, *table.remarks))


def _adjudicated(rows: Sequence[Against]) -> Table:
    names = ("evaluator", "criterion", "events", "equal", "coefficient", "value", "bias")
    columns = (*names, "interval of bias", "agreed as given")
    return Table(
        "each evaluator beside the agreed values",
        tuple(map(Column, columns)),
        tuple(
            (
                row.evaluator,
                row.criterion,
                row.events,
                row.equal,
                row.coefficient,
                row.value,
                _signed(row.bias),
                interval_cell(row.interval),
                _confused(row),
            )
            for row in rows
        ),
        ("bias: above 0, the evaluator gives higher values than were agreed on",),
    )


def _confused(row: Against) -> str:
    """Only what differs: the agreed value, the given one, and how often."""
    return ", ".join(
        f"{agreed} as {given}: {times}"
        for agreed, cells in row.confusion.items()
        for given, times in cells.items()
        if times and agreed != given
    )


def _parts(tag: str, parts: Sequence[Part]) -> Table:
    columns = [Column(tag), Column("events")]
    columns += [Column(a.coefficient, a.criterion) for a in parts[0].agreement]
    reasons = sorted({a.reason for part in parts for a in part.agreement if a.reason})
    return Table(
        f"agreement by {tag}",
        tuple(columns),
        tuple((part.name, part.events, *(a.value for a in part.agreement)) for part in parts),
        tuple(f"undef.: {reason}" for reason in reasons),
    )


def _over_time(found: OverTime) -> list[Table]:
    whole = "round by round" if found.by == "rounds" else "in the order of the rows"
    drifting = "above 0: gives higher values than the others on the same events"
    return [
        _series(f"agreement over time, {whole}", "coefficient", found.agreement, found.parts, ()),
        _series(
            f"how generous each evaluator is over time, {whole}",
            "evaluator",
            found.evaluators,
            found.parts,
            (drifting, "each evaluator's own work is cut into parts"),
        ),
    ]


def _series(
    caption: str, what: str, rows: Sequence[Series], parts: Sequence[str], remarks: tuple[str, ...]
) -> Table:
    made: list[tuple[Cell, ...]] = []
    for row in rows:
        first, last = row.values[0], row.values[-1]
        change = None if first is None or last is None else last - first
        events = " ".join(map(str, row.events))
        made.append((row.criterion, row.name, *row.values, _signed(change), events))
    names = ("criterion", what, *parts, "change", "events")
    return Table(caption, tuple(map(Column, names)), tuple(made), remarks)


def _discussion(found: Reliability) -> Table:
    about = found.discussion
    people = sorted({said.evaluator for event in about.first for said in event.said})
    rows = [row for event in about.first for row in _event(event, people)]
    shown = len(about.first)
    alike = f"{about.differing} of {about.events} events that several judged are judged differently"
    more = f", the first {shown} are shown" if shown < about.differing else ""
    names = ("system", "event", "criterion", *people, "comments")
    return Table(
        "what to discuss, the greatest disagreement first",
        tuple(map(Column, names)),
        tuple(rows),
        (f"{alike}{more}",),
    )


def _event(event: Discussed, people: Sequence[str]) -> Iterable[tuple[Cell, ...]]:
    comments = "; ".join(f"{s.evaluator}: {_line(s.comment)}" for s in event.said if s.comment)
    values = {said.evaluator: said.values for said in event.said}
    for place, criterion in enumerate(event.criteria):
        given = [values[who][criterion] if who in values else "" for who in people]
        yield (event.system, event.event, criterion, *given, "" if place else comments)


def _line(text: str) -> str:
    return " ".join(text.split())


def _pairs(found: Reliability) -> Table:
    criteria = list(dict.fromkeys(pair.criterion for pair in found.pairs))
    columns = [Column("one"), Column("other"), Column("events")]
    columns += [Column(n, c) for c in criteria for n in ("percent", "kappa")]
    rows: dict[tuple[str, str], list[Cell]] = {}
    for pair in found.pairs:
        row = rows.setdefault((pair.one, pair.two), [pair.one, pair.two, pair.events])
        row += [pair.percent, pair.kappa]
    return Table("each pair of evaluators", tuple(columns), tuple(map(tuple, rows.values())))


def _generosity(found: Reliability) -> Table:
    criteria = dict.fromkeys(one.criterion for one in found.generosity)
    rows: dict[str, list[Cell]] = {}
    for one in found.generosity if found.pairs else ():
        sure = one.low is not None and one.high is not None and not one.low <= 0 <= one.high
        row = rows.setdefault(one.evaluator, [one.evaluator, one.events])
        row.append(_signed(one.above) + ("*" if sure else ""))
    return Table(
        "how generous each evaluator is",
        (Column("evaluator"), Column("events"), *map(Column, criteria)),
        tuple(map(tuple, rows.values())),
        (
            "above 0: gives higher values than the others on the same events",
            "*: the interval over articles does not hold 0",
        ),
    )


def comments_table(comments: Mapping[str, Mapping[str, int]]) -> Table:
    """How often each frequent comment was made, a column a system."""
    chips = dict.fromkeys(text for counts in comments.values() for text in counts)
    return Table(
        "frequent comments",
        (Column("comment"), *map(Column, comments)),
        tuple((text, *(counts[text] for counts in comments.values())) for text in chips),
    )


def _signed(value: float | None) -> str:
    return "undef." if value is None else f"{value:+.3f}"
