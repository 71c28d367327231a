"""Tables of evaluators: how far they agree, what to discuss, who is severe, and who drifts."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from chronoscore.reports.intervals import interval_cell
from chronoscore.reports.result_tables import agreement_table
from chronoscore.reports.table import Cell, Table, signed
from chronoscore.rubric.agreement.over_time import OverTime, TimeSeries
from chronoscore.rubric.agreement.study import (
    AgainstAgreed,
    AgreementStudy,
    DiscussedEvent,
    GroupAgreement,
)


def reliability_tables(study: AgreementStudy) -> list[Table]:
    """Return all tables: agreement first, then requested tables, then the usual ones."""
    tables = [_agreement(study)]
    if study.adjudicated:
        tables.append(_adjudicated(study.adjudicated))
    for tag in dict.fromkeys(part.by for part in study.parts):
        tables.append(_by_group(tag, [part for part in study.parts if part.by == tag]))
    if study.over_time:
        tables += _over_time(study.over_time)
    usual = [_discussion(study), _pairs(study), _generosity(study)]
    if study.with_models:
        usual += _with_models(study, study.with_models)
    usual.append(comments_table(study.comments))
    return tables + [table for table in usual if table.rows]


def _with_models(people: AgreementStudy, everyone: AgreementStudy) -> list[Table]:
    """The tables of people and judge models together; of the pairs, those with a model."""
    paired = [pair for pair in everyone.pairs if not {pair.one, pair.two} <= {*people.evaluators}]
    named = (
        ("agreement between people and judge models", _agreement(everyone)),
        ("each pair with a judge model", _pairs(replace(everyone, pairs=tuple(paired)))),
        ("how generous each person and judge model is", _generosity(everyone)),
    )
    return [replace(table, caption=caption) for caption, table in named]


def _agreement(study: AgreementStudy) -> Table:
    table = agreement_table(study.agreement)
    if study.with_models:
        table = replace(table, caption="agreement between people")
    remarks = [v.sentence for v in study.verdicts if v.verdict in ("below", "undefined")]
    for verdict, does in (
        ("unsure", "but its interval begins below"),
        ("no interval", "but it has no interval"),
        ("enough", "with its whole interval"),
    ):
        criteria = [v.criterion for v in study.verdicts if v.verdict == verdict]
        if criteria:
            threshold = study.verdicts[0].threshold
            remarks.append(f"alpha reaches {threshold:g}, {does}: {', '.join(criteria)}")
    return replace(table, remarks=(*remarks, *table.remarks))


def _adjudicated(rows: Sequence[AgainstAgreed]) -> Table:
    fields = ("evaluator", "criterion", "events", "equal", "coefficient", "value")
    cells = []
    for row in rows:
        bias = (signed(row.bias), interval_cell(row.interval))
        cells.append((*attrgetter(*fields)(row), *bias, confused(row.confusion)))
    return Table.of(
        "each evaluator beside the agreed values",
        (*fields, "bias", "interval of bias", "agreed as given"),
        cells,
        ["bias: above 0, the evaluator gives higher values than were agreed on"],
    )


def confused(confusion: Mapping[str, Mapping[str, float]]) -> str:
    """Return the cells off the diagonal as text: expected value, given value, and count."""
    return ", ".join(
        f"{expected} as {value}: {times:g}"
        for expected, cells in confusion.items()
        for value, times in cells.items()
        if times and expected != value
    )


def _by_group(tag: str, groups: Sequence[GroupAgreement]) -> Table:
    columns = [(a.coefficient, a.criterion) for a in groups[0].agreement]
    reasons = sorted({a.reason for group in groups for a in group.agreement if a.reason})
    return Table.of(
        f"agreement by {tag}",
        [tag, "events", *columns],
        ((group.name, group.events, *(a.value for a in group.agreement)) for group in groups),
        [f"undef.: {reason}" for reason in reasons],
    )


def _over_time(windows: OverTime) -> list[Table]:
    order = "round by round" if windows.by == "rounds" else "in the order of the rows"
    remarks = (
        "above 0: gives higher values than the others on the same events",
        "each evaluator's own work is cut into parts",
    )
    generous = f"how generous each evaluator is over time, {order}"
    tables = [
        _series(f"agreement over time, {order}", "coefficient", windows.agreement, windows.parts),
        _series(generous, "evaluator", windows.evaluators, windows.parts, remarks),
    ]
    return [table for table in tables if table.rows]


def _series(
    caption: str,
    what: str,
    series: Sequence[TimeSeries],
    parts: Sequence[str],
    remarks: Sequence[str] = (),
) -> Table:
    rows = []
    for row in series:
        first, last = row.values[0], row.values[-1]
        change = None if first is None or last is None else last - first
        events = " ".join(map(str, row.events))
        rows.append((row.criterion, row.name, *row.values, signed(change), events))
    return Table.of(caption, ("criterion", what, *parts, "change", "events"), rows, remarks)


def _discussion(study: AgreementStudy) -> Table:
    about = study.discussion
    people = sorted({judgement.evaluator for event in about.first for judgement in event.said})
    shown = len(about.first)
    more = f", the first {shown} are shown" if shown < about.differing else ""
    return Table.of(
        "what to discuss, the greatest disagreement first",
        ("system", "event", "criterion", *people, "comments"),
        (row for event in about.first for row in _event(event, people)),
        [
            f"{about.differing} of {about.events} events that several judged are judged "
            f"differently{more}"
        ],
    )


def _event(event: DiscussedEvent, people: Sequence[str]) -> Iterable[tuple[Cell, ...]]:
    comments = "; ".join(
        f"{judgement.evaluator}: {' '.join(judgement.comment.split())}"
        for judgement in event.said
        if judgement.comment
    )
    values = {judgement.evaluator: judgement.values for judgement in event.said}
    for place, criterion in enumerate(event.criteria):
        cells = [
            values[evaluator][criterion] if evaluator in values else "" for evaluator in people
        ]
        yield (event.system, event.event, criterion, *cells, "" if place else comments)


def _pairs(study: AgreementStudy) -> Table:
    criteria = dict.fromkeys(pair.criterion for pair in study.pairs)
    rows: dict[tuple[str, str], list[Cell]] = {}
    for pair in study.pairs:
        row = rows.setdefault((pair.one, pair.two), [pair.one, pair.two, pair.events])
        row += [pair.percent, pair.kappa]
    columns = [(name, criterion) for criterion in criteria for name in ("percent", "kappa")]
    return Table.of("each pair of evaluators", ["one", "other", "events", *columns], rows.values())


def _generosity(study: AgreementStudy) -> Table:
    criteria = dict.fromkeys(item.criterion for item in study.generosity)
    rows: dict[str, list[Cell]] = {}
    for item in study.generosity if study.pairs else ():
        sure = item.low is not None and item.high is not None and not item.low <= 0 <= item.high
        row = rows.setdefault(item.evaluator, [item.evaluator, item.events])
        row.append(signed(item.above) + ("*" if sure else ""))
    return Table.of(
        "how generous each evaluator is",
        ["evaluator", "events", *criteria],
        rows.values(),
        (
            "above 0: gives higher values than the others on the same events",
            "*: the interval over articles excludes 0",
        ),
    )


def comments_table(comments: Mapping[str, Mapping[str, int]]) -> Table:
    """How often each frequent comment was given, a column a system."""
    texts = dict.fromkeys(text for counts in comments.values() for text in counts)
    rows = ((text, *(counts[text] for counts in comments.values())) for text in texts)
    return Table.of("frequent comments", ["comment", *comments], rows)
