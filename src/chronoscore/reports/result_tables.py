"""A result in print: its tables of scores, counts, agreement and curves, and plain lines."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from chronoscore.core.evidence import Match
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.result import (
    Agreement,
    MetricInfo,
    ResultDocument,
    Summary,
    SystemResult,
)
from chronoscore.errors import one_line
from chronoscore.reports.intervals import agreement_remarks, interval_cell, intervals_in_words
from chronoscore.reports.table import Cell, Column, Table, joined_by_and, plural, shown, spaced

_SHORT = {"precision": "P", "recall": "R"}
_F_SCORE = re.compile(r"(?P<how>(strict_|lenient_|partial_|average_)?)f(?P<beta>[\d.]+)")
"""F is named after its beta."""
_COUNTS = 6
"""Statistics that a row shows where scores stand beside them."""
LEFT_OUT_SECOND, LEFT_OUT_FIRST = 1, 2
"""Where there is no room on a terminal, counts are left out before precision and recall."""
_TARGET = "target:"
_RULES = {
    "sum": "score of the counts added up over",
    "mean-f": "mean over",
    "mean-pr": "F of mean P and mean R over",
}
"""What the rules of an averaging path do, in words."""
Groups = Mapping[tuple[str, str], Sequence[Summary]]
"""The summaries of each group of cases, by the group's tag and value."""


MetricLabels = Mapping[str, str]
"""The label of each metric of a result."""
ValueRemarks = Callable[[MetricInfo, Summary, Sequence[Summary]], Sequence[str]]


class FamilyTables(msgspec.Struct, frozen=True):
    """What a family adds to the tables that every result has."""

    by_rank: Callable[[str], bool] = lambda _: False
    """Whether the levels of a metric's curve are ranks, which the curve has with a minus, so that
    the first candidate alone is the strictest limit; by the name of the metric."""
    derived_counts: Callable[[Mapping[str, int | float]], Mapping[str, int | float]] = lambda _: {}
    """Further counts that follow from the statistics of a metric, by name."""
    value_remarks: ValueRemarks = lambda *_: ()
    """How to read a breakdown: from its metric, the summary of all, and the summaries by value."""
    remarks: Callable[[ResultDocument], Iterable[str]] = lambda _: ()
    """Further lines below the table of scores."""
    pair_words: Callable[[Metric, Match], Iterable[str]] = lambda *_: ()
    """What the numbers of a match of two items mean under a metric, in a few words each."""
    hidden: Callable[[ResultDocument], Collection[str]] = lambda _: ()
    """The names of metrics that say nothing more than another one of the result, and that tables
    for people leave out."""

    def visible(self, result: ResultDocument) -> ResultDocument:
        """Return the result without hidden metrics."""
        hidden = self.hidden(result)
        if not hidden:
            return result
        metrics = tuple(metric for metric in result.metrics if metric.name not in hidden)
        systems = tuple(
            msgspec.structs.replace(
                system,
                summaries=tuple(one for one in system.summaries if one.metric not in hidden),
            )
            for system in result.systems
        )
        return msgspec.structs.replace(result, metrics=metrics, systems=systems)

    @staticmethod
    def of(family: Family) -> "FamilyTables":
        """Load what the family adds."""
        tables = family.tables() if family.tables else FamilyTables()
        assert isinstance(tables, FamilyTables)
        return tables


def tables_of(family: Family, result: ResultDocument) -> list[Table]:
    """All tables of a result, the most wanted first."""
    tables = [_scores(result, FamilyTables.of(family).by_rank)]
    for metric in result.metrics:
        if metric.curve:
            continue
        if ":mean" not in result.path:
            tables.append(_counts(result, metric))
        elif any(statistic.name in family.always_counted for statistic in metric.statistics):
            caption = "contradictions, all cases together"
            tables.append(_counts(result, metric, family.always_counted, caption))
    if result.agreement:
        tables.append(agreement_table(result.agreement))
    return [*tables, *curve_tables(family, result)]


def curve_tables(family: Family, result: ResultDocument) -> list[Table]:
    """The curves of all systems, and what they come to as a whole."""
    by_rank = FamilyTables.of(family).by_rank
    curves = [metric for metric in result.metrics if metric.curve == "best"]
    tables = [table for metric in curves if (table := _areas(result, metric))]
    tables += [
        _curve(result, system, metric, summary, by_rank(metric.name))
        for system in result.systems
        for metric in curves
        for summary in system.summaries
        if summary.metric == metric.name and not summary.group
    ]
    return tables


def conditions(result: ResultDocument) -> str:
    """Say in one line which number this is, as its signature does."""
    parts = [f"protocol {result.protocol}" if result.protocol else "no published protocol"]
    parts += [f"average {result.path}", f"undefined: {result.undefined}"]
    parts += [f"{name}: {value}" for name, value in sorted(result.options.items())]
    return ", ".join(parts)


def conventions(family: Family, result: ResultDocument) -> str:
    """Say in words which number this is; what is as its protocol wants is left out."""
    protocol = next((one for one in family.protocols if one.name == result.protocol), None)
    usual = {**family.default_options, **(protocol.options if protocol else {})}
    whole = [s for system in result.systems for s in system.summaries if not s.group]
    parts = [average_in_words(result, whole)]
    parts += [] if protocol else [f"undefined {undefined_in_words(result)}"]
    options = sorted(result.options.items())
    parts += [f"{name}: {value}" for name, value in options if usual.get(name) != value]
    name = f"protocol {result.protocol}" if result.protocol else "no published protocol"
    how = "; ".join(filter(None, parts))
    return f"{name}: {how}" if how else name


def short(name: str) -> str:
    """The name of a score as columns have it.

    >>> short("precision"), short("strict_recall"), short("average_f0.5"), short("mean_days")
    ('P', 'strict R', 'mean F0.5', 'mean days')
    >>> short("partial_f1"), short("partial_precision")
    ('partial F1', 'partial P')
    """
    if f_score := _F_SCORE.fullmatch(name):
        return spaced(f"{f_score['how'].replace('average', 'mean')}F{f_score['beta']}")
    how, _, rest = name.rpartition("_")
    if rest in _SHORT and how in ("", "strict", "lenient", "partial"):
        return f"{how} {_SHORT[rest]}".strip()
    return spaced(name)


def wholes(result: ResultDocument, metric: str) -> Iterator[tuple[SystemResult, Summary]]:
    """Each system with its summary of all cases under a metric."""
    for system in result.systems:
        for summary in system.summaries:
            if summary.metric == metric and not summary.group:
                yield system, summary


def _score_columns(
    result: ResultDocument,
    metric: MetricInfo,
    names: Sequence[str],
    title: Callable[[str], str],
    group: str = "",
) -> tuple[list[Column], Callable[[Summary], Iterator[Cell]]]:
    """Headings of scores, each followed by its interval where there are any; and their cells."""
    with_interval = _with_intervals(result, metric)
    heads = []
    for name in names:
        optional = LEFT_OUT_SECOND * (name != metric.primary and not _F_SCORE.fullmatch(name))
        heads.append(Column(title(name), group, optional))
        if name in with_interval:
            words = "interval" if name == metric.primary else f"{title(name)} interval"
            heads.append(Column(words, group, optional))

    def cells(summary: Summary) -> Iterator[Cell]:
        for name in names:
            yield summary.scores[name]
            if name in with_interval:
                yield interval_cell(summary.intervals.get(name))

    return heads, cells


def _scores(result: ResultDocument, by_rank: Callable[[str], bool]) -> Table:
    levels = averaged_levels(result)
    columns: list[Column | str | None] = ["system", _part(result)]
    rows: list[list[Cell]] = [
        [system.name, group or "all"] for system, group, _ in case_groups(result)
    ]
    for metric in result.metrics:
        ranked = by_rank(metric.name)
        names = ["threshold", metric.primary] if metric.curve == "best" else metric.shown
        title = partial(_title, ranked=ranked)
        heads, cells = _score_columns(result, metric, names, title, metric.label)
        columns += heads
        for row, (_, _, summaries) in zip(rows, case_groups(result), strict=True):
            first, *others = cells(summaries[metric.name])
            row += [_level(first) if ranked else first, *others]
    for row, (_, _, summaries) in zip(rows, case_groups(result), strict=True):
        units = next(iter(summaries.values())).units
        row += [units[level] for level in levels]
    remarks = [conditions(result), *_undefined_lines(result), *intervals_in_words(result)]
    remarks += [f"{system.name}: {system.signature}" for system in result.systems]
    caption = f"{result.family}: {', '.join(metric.label for metric in result.metrics)}"
    return Table.of(caption, [*columns, *(f"{level}s" for level in levels)], rows, remarks)


def _with_intervals(result: ResultDocument, metric: MetricInfo) -> set[str]:
    """The scores whose intervals are shown: the main one, and all that have a Bayesian one."""
    if metric.curve:
        return set()
    summaries = [summary for system in result.systems for summary in system.summaries]
    bayesian = {
        name
        for summary in summaries
        for name, interval in summary.intervals.items()
        if summary.metric == metric.name and interval.method == "bayes"
    }
    return bayesian or {metric.primary for one in summaries if one.intervals}


def _title(name: str, ranked: bool) -> str:
    return "first" if name == "threshold" and ranked else short(name)


def _level(threshold: Cell) -> Cell:
    """How many candidates of a list are seen, which a curve by rank has with a minus."""
    return int(-threshold) if isinstance(threshold, float) else threshold


def _counts(
    result: ResultDocument, metric: MetricInfo, only: Sequence[str] = (), caption: str = "counts"
) -> Table:
    """The sums that a pooled score comes from, or only some of them."""
    names = [short(one.name) if not only or one.name in only else None for one in metric.statistics]
    return Table.of(
        f"{metric.label}: {caption}",
        ["system", _part(result), *names],
        (
            (system.name, group or "all", *summaries[metric.name].statistics)
            for system, group, summaries in case_groups(result)
        ),
    )


def averaged_levels(result: ResultDocument) -> list[str]:
    """The levels that were averaged over, without those that have only one unit."""
    summaries = [summary for system in result.systems for summary in system.summaries]
    levels = list(summaries[0].units) if summaries else []
    if result.agreement:  # how many events were judged stands beside every score
        return levels
    return [level for level in levels if any(s.units[level] > 1 for s in summaries)] or levels[:1]


def case_groups(result: ResultDocument) -> Iterator[tuple[SystemResult, str, dict[str, Summary]]]:
    """The summaries of each group of whole cases, by metric."""
    for system in result.systems:
        groups: dict[str, dict[str, Summary]] = {}
        for summary in system.summaries:
            if summary.kind == "cases":  # values of items have tables of their own
                name = ", ".join(f"{tag}={value}" for tag, value in summary.group.items())
                groups.setdefault(name, {})[summary.metric] = summary
        for name, summaries in groups.items():
            yield system, name, summaries


def _part(result: ResultDocument) -> str | None:
    """The heading of the groups of cases; None where there is only one."""
    return "part" if any(group for _, group, _ in case_groups(result)) else None


def _undefined_lines(result: ResultDocument) -> list[str]:
    """Count what was undefined before the policy, so that no 0 passes for a measured one."""
    how = undefined_in_words(result)
    return [
        f"{system}: {label} undefined, {how}: {undefined_places(result, summary)}"
        for system, label, summary in undefined_scores(result)
    ]


def undefined_in_words(result: ResultDocument) -> str:
    """What an undefined score counts as."""
    policies = {"skip": "left out", "zero": "counted as 0", "one": "counted as 1"}
    return policies.get(result.undefined, "counted as 1 if both sides are empty, else as 0")


def undefined_places(result: ResultDocument, summary: Summary) -> str:
    """Where the scores of a summary are undefined: in how many cases, or in their sums."""
    if set(summary.undefined.values()) == {1} and ":mean" not in result.path:
        return f"{', '.join(summary.undefined)} of the pooled counts"
    return f"{undefined_counts(summary)} of {summary.cases} cases"


def undefined_scores(result: ResultDocument) -> Iterator[tuple[str, str, Summary]]:
    """The summaries of all cases with undefined scores, by the system and the metric's label."""
    labels = {metric.name: metric.label for metric in result.metrics}
    for system in result.systems:
        for summary in system.summaries:
            if summary.undefined and not summary.group:
                yield system.name, labels[summary.metric], summary


def undefined_labels(result: ResultDocument) -> dict[tuple[str, str], list[str]]:
    """The metrics whose scores are undefined, by system and by where they are."""
    labels: dict[tuple[str, str], list[str]] = {}
    for system, label, summary in undefined_scores(result):
        labels.setdefault((system, undefined_places(result, summary)), []).append(label)
    return labels


def undefined_counts(summary: Summary) -> str:
    """In how many cases each part of a score is undefined."""
    return ", ".join(f"{part} in {n}" for part, n in summary.undefined.items())


def agreement_table(agreement: Sequence[Agreement]) -> Table:
    """Coefficients of agreement, with their intervals."""
    reasons = any(item.reason for item in agreement)
    names = ("criterion", "coefficient", "value", "interval", "units", "ratings", "raters")
    return Table.of(
        "agreement between evaluators",
        (*names, "why undefined" if reasons else None),
        (
            (
                *(a.criterion, a.coefficient, a.value, interval_cell(a.interval)),
                *(a.units, a.ratings, a.raters, a.reason),
            )
            for a in agreement
        ),
        agreement_remarks(agreement),
    )


def _areas(result: ResultDocument, metric: MetricInfo) -> Table | None:
    """The scores of curves as a whole, where the metric has such scores."""
    summaries = list(wholes(result, metric.name))
    names = dict.fromkeys(name for _, summary in summaries[:1] for name in summary.scores)
    for name in (*metric.scores, "threshold"):
        names.pop(name, None)
    rows = ((s.name, *(summary.scores[name] for name in names)) for s, summary in summaries)
    title = f"{metric.label}: areas"
    return Table.of(title, ["system", *map(short, names)], rows) if names else None


def _curve(
    result: ResultDocument,
    system: SystemResult,
    metric: MetricInfo,
    summary: Summary,
    ranked: bool,
) -> Table:
    counts = [statistic.name for statistic in metric.statistics][:_COUNTS]
    best = summary.scores["threshold"]
    return Table.of(
        f"{metric.label} by {'rank' if ranked else 'threshold'}, {system.name}",
        [
            _title("threshold", ranked),
            *_score_columns(result, metric, metric.shown, short)[0],
            *_count_columns(counts, short),
            "",
        ],
        (
            (
                _level(point.threshold) if ranked else point.threshold,
                *(point.scores[name] for name in metric.shown),
                *point.statistics[: len(counts)],
                "best" if point.threshold == best else "",
            )
            for point in summary.curve
        ),
    )


def _count_columns(names: Sequence[str], title: Callable[[str], str]) -> Iterator[Column]:
    """Columns of counts; all but the first two are left out first where there is no room."""
    for number, name in enumerate(names):
        yield Column(title(name), optional=LEFT_OUT_FIRST * (number > 1))


def breakdown_tables(family: Family, result: ResultDocument) -> list[Table]:
    """Scores by the values that items have, such as types: a table a system and metric."""
    remarks = FamilyTables.of(family).value_remarks
    tables = []
    for system in result.systems:
        divided = {summary.metric for summary in system.summaries if summary.kind != "cases"}
        for metric in result.metrics:
            if metric.name in divided:
                title = f", {metric.label}" if len(divided) > 1 else ""
                tables.append(_by_value(result, system, metric, title, remarks))
    return tables


def _by_value(
    result: ResultDocument,
    system: SystemResult,
    metric: MetricInfo,
    title: str,
    remarks: ValueRemarks,
) -> Table:
    """Values, then all together, then the mean over values."""
    summaries = [s for s in system.summaries if s.metric == metric.name]
    (whole,) = (s for s in summaries if s.kind == "cases" and not s.group)
    values = [s for s in summaries if s.kind == "value"]
    means = [s for s in summaries if s.kind == "mean"]
    names = list((values or means)[0].group)
    labels = [name.removeprefix(_TARGET) for name in names]
    counts = [statistic.name for statistic in metric.statistics][:_COUNTS]
    everything = "all" if ":mean" in result.path else "all (micro)"
    blank = [""] * (len(names) - 1)
    lines = [([*s.group.values()], s) for s in values]
    lines += [([everything, *blank], whole), *(([s.group[names[0]], *blank], s) for s in means)]
    heads, cells = _score_columns(result, metric, metric.shown, spaced)
    dashes = ["-"] * len(counts)
    return Table.of(
        f"{system.name}: by {', '.join(labels)}{title}",
        [*labels, *_count_columns(counts, spaced), *heads],
        ((*name, *(s.statistics[: len(counts)] or dashes), *cells(s)) for name, s in lines),
        remarks(metric, whole, values) if values else (),
    )


def plain(
    family: Family,
    result: ResultDocument,
    more: Callable[[MetricLabels, Sequence[Summary]], Sequence[str]] | None = None,
) -> str:
    """Write the main scores of each topic and their average.

    Metrics have the labels of the protocol's source. The last heading is `AVERAGE (9 topics)`
    where the numbers below it are the means of those above, and else in words what they are.
    `more` gives further lines from the summaries of all cases of a system.
    """
    protocol = next((one for one in family.protocols if one.name == result.protocol), None)
    names = protocol.labels if protocol else {}
    labels = {metric.name: names.get(metric.name, metric.label) for metric in result.metrics}
    texts = []
    for system in result.systems:
        name = f" {one_line(system.name)}" if len(result.systems) > 1 else ""
        lines = [f"=== Evaluation Results{name} ===", ""]
        summaries = [summary for summary in system.summaries if summary.kind != "mean"]
        whole = [summary for summary in summaries if not summary.group]
        groups: dict[tuple[str, str], list[Summary]] = {}
        for summary in summaries:
            for tag_value in summary.group.items():
                groups.setdefault(tag_value, []).append(summary)
        for (tag, value), group in groups.items():
            scores = _plain_scores(result.metrics, group, labels)
            lines += [f"{tag.capitalize()}: {one_line(value)}", *scores, ""]
        lines.append(f"=== AVERAGE{_described(result, groups, whole)} ===")
        lines += _plain_scores(result.metrics, whole, labels)
        texts.append("\n".join([*lines, *(["", *more(labels, whole)] if more else [])]) + "\n")
    return "\n".join(texts)


def _described(result: ResultDocument, groups: Groups, whole: Sequence[Summary]) -> str:
    """What was averaged and, unless it is the mean of what is printed, how."""
    tags = sorted({tag for tag, _ in groups})
    units = ", ".join(plural(sum(one == tag for one, _ in groups), tag) for tag in tags)
    means = [step.split(":")[0] for step in result.path.split(">") if step.endswith(":mean-f")]
    how = average_in_words(result, whole[:1])
    if len(tags) == 1 and tags[0] in means and _are_means(result, groups, whole):
        how = ""
    described = "; ".join(filter(None, (units, how)))
    return f" ({described})" if described else ""


def average_in_words(result: ResultDocument, whole: Sequence[Summary]) -> str:
    """Name the averages that were taken, in their order, but those over a single unit."""
    units = [summary.units for summary in whole] or [{}]
    steps = []
    for step in result.path.split(">"):
        levels, _, rule = step.partition(":")
        over = levels.split("+")
        if any(unit.get(level, 1) > 1 for level in over for unit in units):
            levels_in_words = joined_by_and([f"{level}s" for level in over])
            steps.append(f"{_RULES.get(rule, rule)} {levels_in_words}")
    return ", then ".join(steps)


def _are_means(result: ResultDocument, groups: Groups, whole: Sequence[Summary]) -> bool:
    """Whether each score is the mean of the groups' scores that are defined."""
    primary = {metric.name: metric.primary for metric in result.metrics}
    for summary in whole:
        name = primary[summary.metric]
        alike = [one for group in groups.values() for one in group if one.metric == summary.metric]
        defined = [score for one in alike if (score := one.scores[name]) is not None]
        score = summary.scores[name]
        if score is None or not defined:
            continue
        if not math.isclose(score, math.fsum(defined) / len(defined), abs_tol=1e-9):
            return False
    return True


def _plain_scores(
    metrics: Sequence[MetricInfo], summaries: Sequence[Summary], labels: MetricLabels
) -> list[str]:
    by_metric = {summary.metric: summary for summary in summaries}
    width = max(8, *(len(label) for label in labels.values())) + 1
    return [
        f"  {f'{labels[metric.name]}:':<{width}} "
        f"{shown(by_metric[metric.name].scores[metric.primary])}"
        for metric in metrics
        if metric.name in by_metric
    ]
