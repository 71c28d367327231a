"""Tables of two systems on the same gold: what changed, by counter, by target, and by chance."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from chronoscore.annotations.model import COUNTERS, Counts
from chronoscore.annotations.parameters import matched_by
from chronoscore.annotations.question import Question
from chronoscore.annotations.reference import Contingency, contingency, outcomes_of
from chronoscore.core.batch import Batch
from chronoscore.core.changes import Change, changes, outcome_names, right
from chronoscore.core.errors import UsageError
from chronoscore.core.metric import Metric
from chronoscore.core.result import CaseMatches, MetricInfo, Result, SystemResult
from chronoscore.reports.table import Cell, Column, Table

SMALL = 0.001
_HOW = (("strict", True), ("lenient", False))
_DERIVED = (
    "correct_lenient",
    "incorrect_lenient",
    "missing_strict",
    "missing_lenient",
    "true_missing_strict",
    "true_missing_lenient",
    "spurious_strict",
    "spurious_lenient",
    "true_spurious_strict",
    "true_spurious_lenient",
)


def reference_tables(
    result: Result,
    matches: Sequence[CaseMatches],
    reference: str,
    batches: Mapping[str, Batch] | None = None,
    metrics: Sequence[Metric] = (),
) -> list[Table]:
    """Each system against the reference: counters, changes of outcome, and who is right where.

    With the documents themselves (`batches`), and the `metrics` that were measured on them, it
    also tells which targets are right and have nothing else beside them, as the GATE plugin
    counts it.
    """
    measured = {str(metric): metric for metric in metrics}
    systems = {system.name: system for system in result.systems}
    if reference not in systems:
        raise UsageError(f"there is no system '{reference}'; there are: {', '.join(systems)}")
    others = [name for name in systems if name != reference and not name.startswith("(")]
    tables = []
    for metric in result.metrics:
        for name in others:
            own = measured.get(metric.name)
            here = batches is not None and {reference, name} <= batches.keys()
            alone = _alone(own, batches or {}, reference, name) if here and own else {}
            tables += _tables(metric, systems[reference], systems[name], matches, alone)
    return tables


def saved_tables(
    results: Sequence[Result], matches: Sequence[CaseMatches], baseline: str = ""
) -> list[Table]:
    """The same from saved results and their matches; the first system is the reference.

    Only metrics that all results have are looked at.
    """
    systems = [system for result in results for system in result.systems]
    shared = set.intersection(*({metric.name for metric in r.metrics} for r in results))
    whole = msgspec.structs.replace(
        results[0],
        systems=tuple(systems),
        metrics=tuple(metric for metric in results[0].metrics if metric.name in shared),
    )
    return reference_tables(whole, matches, baseline or systems[0].name)


def changes_between(
    matches: Sequence[CaseMatches], metric: str, old: str, new: str
) -> list[Change]:
    """The targets of all cases under one metric, as two systems have them."""
    of_metric = [item for item in matches if item.metric == metric]
    return changes(
        (item for item in of_metric if item.system == old),
        (item for item in of_metric if item.system == new),
    )


def _alone(
    metric: Metric, batches: Mapping[str, Batch], old: str, new: str
) -> dict[str, Contingency]:
    """The tables of targets that are right alone, of a metric that gives out responses."""
    question = metric.setting
    if not isinstance(question, Question) or "matching" not in metric.values:
        return {}
    sides = []
    for name in (old, new):
        found = batches[name].columns.compared(question)
        several = outcomes_of(found, matched_by(found, metric.values))
        sides.append(dict(zip(batches[name].ids, several, strict=True)))
    before, after = sides
    pairs = [(before[case], after[case]) for case in before if case in after]
    return {
        f"{name}, alone": sum((contingency(*two, strict=strict) for two in pairs), Contingency())
        for name, strict in _HOW
    }


def _tables(
    metric: MetricInfo,
    old: SystemResult,
    new: SystemResult,
    matches: Sequence[CaseMatches],
    alone: Mapping[str, Contingency],
) -> list[Table]:
    if metric.curve:
        return []
    title = f"{metric.label}, {old.name} to {new.name}"
    tables = [_counters(metric, old, new, title)]
    found = changes_between(matches, metric.name, old.name, new.name)
    if found:
        tables.append(outcome_table(found, title))
    if found and is_all_or_nothing(found):
        tables.append(contingency_table(found, title, alone))
    return tables


def _counters(metric: MetricInfo, old: SystemResult, new: SystemResult, title: str) -> Table:
    """Every counter of both, and the difference in words."""
    before, after = (_counts(metric, system) for system in (old, new))
    rows: list[tuple[Cell, ...]] = [
        (_words(name), before[name], after[name], _difference(after[name] - before[name], name))
        for name in before
    ]
    columns = (Column("counter"), Column(old.name), Column(new.name), Column("difference"))
    return Table(f"{title}: counters", columns, tuple(rows))


def _counts(metric: MetricInfo, system: SystemResult) -> dict[str, int | float]:
    names = [statistic.name for statistic in metric.statistics]
    (whole,) = (s for s in system.summaries if s.metric == metric.name and not s.group)
    found: dict[str, int | float] = dict(zip(names, whole.statistics, strict=True))
    if set(COUNTERS) <= found.keys():
        counts = Counts(*(int(found[name]) for name in COUNTERS))
        found |= {name: getattr(counts, name) for name in _DERIVED}
    return found


def _words(name: str) -> str:
    return name.replace("_", " ")


def _difference(many: float, name: str) -> str:
    """Write a difference as people say it.

    >>> _difference(23, "missing_lenient"), _difference(-2, "correct_strict"), _difference(0, "x")
    ('23 more missing lenient', '2 fewer correct strict', 'no change')
    """
    if not many:
        return "no change"
    size = f"{abs(many):g}" if isinstance(many, int) else f"{abs(many):.3f}"
    return f"{size} {'more' if many > 0 else 'fewer'} {_words(name)}"


def outcome_table(found: Sequence[Change], title: str) -> Table:
    """How many targets went from each outcome (a row) to each other (a column)."""
    names = outcome_names(found)
    counted = Counter(change.outcomes for change in found)
    rows: list[tuple[Cell, ...]] = []
    for before in names:
        cells = [counted[before, after] for after in names]
        if sum(cells):
            rows.append((before, *cells, sum(cells)))
    better = sum(change.sense == "better" for change in found)
    worse = sum(change.sense == "worse" for change in found)
    moved = sum(change.outcomes[0] != change.outcomes[1] for change in found)
    return Table(
        f"{title}: targets by outcome",
        (Column("was"), *(Column(name, "is now") for name in names), Column("all")),
        tuple(rows),
        (f"{moved} of {len(found)} targets changed; {better} are better now, {worse} worse",),
    )


def is_all_or_nothing(found: Sequence[Change]) -> bool:
    """Whether every target has all its credit or none, so that it is right or wrong."""
    several = (match for change in found for match in (change.old, change.new))
    return all(match.credit in (0.0, match.possible) for match in several)


def _chance(p: float) -> Cell:
    """A probability for people: one that is small is not 0."""
    return p if p >= SMALL else f"{p:.1e}"


def contingency_table(
    found: Sequence[Change], title: str, alone: Mapping[str, Contingency] | None = None
) -> Table:
    """Who is right where the other is not, and whether that could be by chance."""
    tables = {
        name: Contingency.of(
            (right(change.old, strict=strict) for change in found),
            (right(change.new, strict=strict) for change in found),
        )
        for name, strict in _HOW
    }
    rows: list[tuple[Cell, ...]] = [
        (name, t.both, t.only_old, t.only_new, t.neither, _chance(t.p), _chance(t.mid_p))
        for name, t in (tables | dict(alone or {})).items()
    ]
    names = ("right", "both", "only the old", "only the new", "neither", "p exact", "mid-p")
    remarks = [
        "McNemar's test of targets; those of one document stand together, so that p is too small "
        "where documents differ much: `chronoscore compare` draws whole documents"
    ]
    if alone:
        remarks.insert(0, "alone: right, and no response at the target was left over")
    return Table(f"{title}: right or wrong", tuple(map(Column, names)), tuple(rows), tuple(remarks))
