"""Compare systems from the rows of their results; nothing is scored again."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from msgspec import UNSET, structs

from chronoscore.core.case import some
from chronoscore.core.contrast import Contrast, MetricContrast, Pair, Ranked, Swing
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.family import UNDEFINED_POLICIES, Family
from chronoscore.core.metric import Metric
from chronoscore.core.result import Interval, ResultDocument, SystemResult
from chronoscore.engines.assemble import MEAN, ItemValues, divisible, of_values
from chronoscore.engines.intervals import draws_of, intervals, resampler
from chronoscore.engines.settings import IntervalPlan
from chronoscore.errors import DataError, Problem, UsageError
from chronoscore.statistics.averaging import Path
from chronoscore.statistics.drawing import RESAMPLES
from chronoscore.statistics.exact import rounding
from chronoscore.statistics.intervals import effective, jackknife_t
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import (
    CORRECTIONS,
    Verdict,
    clusters_needed,
    letters,
    paired_bootstraps,
    permutation_tests,
    rank_clusters,
)

TESTS = ("permutation", "bootstrap")
MOST_SWINGS = 10_000
"""Units that are named, those with the largest differences."""


@dataclass(frozen=True)
class Question:
    """How systems are to be compared."""

    test: str = "permutation"
    correction: str = "holm"
    alpha: float = 0.05
    baseline: str = ""
    chance: IntervalPlan = field(default_factory=IntervalPlan)

    def check(self, systems: Sequence[str]) -> None:
        """Refuse a test, a correction or a baseline that does not exist."""
        if self.test not in TESTS:
            raise UsageError(f"no test '{self.test}'; there are: {', '.join(TESTS)}")
        if self.correction not in CORRECTIONS:
            known = ", ".join(CORRECTIONS)
            raise UsageError(f"no correction '{self.correction}'; there are: {known}")
        if self.baseline and self.baseline not in systems:
            raise UsageError(f"no system '{self.baseline}'; there are: {', '.join(systems)}")
        if len(systems) < 2:
            raise UsageError("it takes two systems to compare; there is one")


def comparable(
    results: Sequence[ResultDocument], baseline: str = "", names: Sequence[str] = ()
) -> tuple[ResultDocument, dict[str, EvidenceTable]]:
    """Collect the rows of systems; refuse other settings or another gold than the first has.

    Golds and baselines, whose names are in brackets, are left out, unless they are the baseline of
    the comparison or there is only one system besides them. `names` are what messages call the
    results; without them, a result is called by its systems.
    """
    every = [system for result in results for system in result.systems]
    ranked = {system.name for system in every if system.is_ranked or system.name == baseline}
    compared = ranked if len(ranked) > 1 else {system.name for system in every}
    systems: dict[str, EvidenceTable] = {}
    problems: list[Problem] = []
    names = names or [some([f"'{one.name}'" for one in result.systems]) for result in results]
    for result, name in zip(results, names, strict=True):
        problems += _differences(results[0], result, (names[0], name))
        for system in result.systems:
            if system.name not in compared or (system.name in systems and not system.is_ranked):
                continue
            if system.name in systems:
                message = f"two systems are named '{system.name}'; score one as OTHER=PATH"
                problems.append(Problem(message))
            systems[system.name] = EvidenceTable.of(system.rows)
    problems = problems or _gold_problems(systems, judged=bool(results[0].agreement))
    if problems:
        raise DataError(problems)
    return results[0], systems


def with_all_systems(results: Sequence[ResultDocument]) -> ResultDocument:
    """Return the first result with the systems of all; golds and baselines once, and last."""
    systems: dict[str, SystemResult] = {}
    for result in results:
        for system in result.systems:
            systems.setdefault(system.name, system)
    ordered = sorted(systems.values(), key=lambda system: not system.is_ranked)
    return structs.replace(results[0], systems=tuple(ordered))


def _gold_problems(systems: Mapping[str, EvidenceTable], *, judged: bool) -> list[Problem]:
    """Report systems with other cases or golds than the first; judged events may differ."""
    (name, first), *others = systems.items()
    problems = []
    for system, other in others:
        if first.cases == other.cases and np.array_equal(first.gold, other.gold):
            continue
        first_golds, golds = _golds(first), _golds(other)
        common = sorted(first_golds.keys() & golds.keys())
        changed = [case for case in common if first_golds[case] != golds[case]]
        unshared = [] if judged else sorted(first_golds.keys() ^ golds.keys())
        pair = f"'{name}' and '{system}'"
        if changed:
            problems.append(Problem(f"the gold of '{changed[0]}' is not the same in {pair}"))
        if unshared:
            problems.append(Problem(f"{pair} were not scored on the same cases: '{unshared[0]}'"))
    return problems


def _golds(rows: EvidenceTable) -> dict[str, bytes]:
    """Return the gold of each case, which is the same for all trials of a system."""
    pairs = zip(rows.cases, rows.gold.tolist(), strict=True)
    return {case.partition("@")[0]: gold for case, gold in pairs}


def _differences(
    first: ResultDocument, other: ResultDocument, names: tuple[str, str]
) -> list[Problem]:
    """Report how the conditions of two results differ, and how to score the second as the first."""
    expected, conditions = _conditions(first), _conditions(other)
    differing = [name for name, value in conditions.items() if value != expected[name]]
    if "family" in differing:
        differing = ["family"]  # the rest differs with it
    elif "metrics" in differing:
        differing = [name for name in differing if name != "what is counted"]
    problems = []
    for condition in differing:
        values = f"'{expected[condition]}' and '{conditions[condition]}'"
        if condition == "metrics":
            labels, other_labels = _distinct_labels(first, other)
            flags = shlex.join(word for label in labels for word in ("-m", label))
            values = (
                f"{names[0]} has {', '.join(labels)}, {names[1]} has {', '.join(other_labels)}: "
                f"score {names[1]} with {flags}, or score {names[0]} anew"
            )
        problems.append(Problem(f"the results differ in {condition}: {values}"))
    return problems


def _distinct_labels(*results: ResultDocument) -> list[list[str]]:
    """Return what each result calls its metrics: by label, or by name where labels are shared."""
    names: dict[str, set[str]] = {}
    for result in results:
        for metric in result.metrics:
            names.setdefault(metric.label, set()).add(metric.name)
    return [
        [one.label if len(names[one.label]) == 1 else one.name for one in result.metrics]
        for result in results
    ]


def _conditions(result: ResultDocument) -> dict[str, str]:
    return {
        "family": result.family,
        "average": result.path,
        "undefined": result.undefined,
        "options": ", ".join(f"{k}={v}" for k, v in sorted(result.options.items())),
        "metrics": ", ".join(metric.name for metric in result.metrics),
        # Two codebooks may give scores the same names but count differently.
        "what is counted": ", ".join(s.meaning for m in result.metrics for s in m.statistics),
    }


def contrast(
    family: Family,
    results: Sequence[ResultDocument],
    question: Question,
    names: Sequence[str] = (),
) -> Contrast:
    """Compare all systems of results, every pair or each with the baseline.

    `names` are what messages call the results.
    """
    first, tables = comparable(results, question.baseline, names)
    question.check(list(tables))
    path = Path.parse(first.path, family.levels)
    notices = dict.fromkeys(note for result in results for note in result.notices)
    return contrast_rows(family, first, tables, path, question, [*notices])


def contrast_rows(
    family: Family,
    first: ResultDocument,
    tables: Mapping[str, EvidenceTable],
    path: Path,
    question: Question,
    notices: Sequence[str] = (),
) -> Contrast:
    """Compare the rows of systems by the metrics of a result that the rows have."""
    policy = next(policy for policy in UNDEFINED_POLICIES if policy == first.undefined)
    unit = question.chance.unit or family.cluster
    fields = []
    for info in first.metrics:
        if info.curve or any(info.name not in rows.statistics for rows in tables.values()):
            continue
        metric = family.metric(info.name)
        others = [*tables.values()]
        samples = {
            name: resampler(family, metric, rows, path, policy, question.chance, others)
            for name, rows in tables.items()
        }
        fields.append(_Field(metric, info.label, samples, question.baseline))
    if not fields:
        raise UsageError("curves can't be compared; score a metric that is no curve")
    units = len(next(iter(fields[-1].samples.values())).names)
    tested = zip(fields, _verdicts(fields, question), strict=True)
    return Contrast(
        family=first.family,
        protocol=first.protocol,
        path=str(path),
        test=question.test,
        correction=question.correction,
        level=question.chance.level,
        seed=question.chance.seed,
        resamples=UNSET if question.chance.resamples is None else question.chance.resamples,
        unit=unit,
        units=units,
        baseline=question.baseline,
        metrics=tuple(_metric(field, verdicts, unit, question) for field, verdicts in tested),
        notices=(*notices, *_fewer(question.chance, units, unit)),
    )


class _Field:
    """All systems on one metric, the best first, and the pairs to compare."""

    def __init__(
        self, metric: Metric, label: str, samples: Mapping[str, Resampler], baseline: str
    ) -> None:
        self.metric, self.label, self.samples = metric, label, samples
        self.place = metric.scores.index(metric.primary)
        """The index of the score that systems are compared by."""
        self.estimates: dict[str, Array] = {
            name: sample.scores(np.ones((1, len(sample.names))))[0]
            for name, sample in samples.items()
        }
        self.ranked = sorted(samples, key=self._rank)
        self.chosen = [
            pair for pair in combinations(self.ranked, 2) if not baseline or baseline in pair
        ]

    def _rank(self, name: str) -> tuple[bool, float]:
        value = self.estimates[name][self.place]
        sign = 1 if self.metric.better == "higher" else -1
        return bool(np.isnan(value)), -sign * float(np.nan_to_num(value))


def _verdicts(fields: Sequence[_Field], question: Question) -> list[list[Verdict]]:
    """Test all pairs of metrics with the same units at once, since drawing takes longest."""
    together: dict[tuple[str, ...], list[int]] = {}
    for at, entry in enumerate(fields):  # days are different units for each metric
        together.setdefault(next(iter(entry.samples.values())).names, []).append(at)
    test = permutation_tests if question.test == "permutation" else paired_bootstraps
    by_field: dict[int, list[Verdict]] = {}
    for names, places in together.items():
        pairs = [
            (fields[at].samples[first], fields[at].samples[second])
            for at in places
            for first, second in fields[at].chosen
        ]
        verdicts = iter(
            test(pairs, seed=question.chance.seed, draws=draws_of(question.chance, len(names)))
        )
        for at in places:
            by_field[at] = [next(verdicts) for _ in fields[at].chosen]
    return [by_field[at] for at in range(len(fields))]


def _fewer(plan: IntervalPlan, units: int, unit: str) -> tuple[str, ...]:
    """Return a notice if fewer draws were made than requested, with the error of p."""
    draws, requested = draws_of(plan, units), plan.resamples or RESAMPLES
    if draws == requested:
        return ()
    sure = 2 * np.sqrt(0.05 * 0.95 / draws)
    return (
        f"{draws:,} ways were drawn, not {requested:,}, since there are {units:,} {unit}s: "
        f"a p of 0.05 is sure to ±{sure:.3f}",
    )


def _metric(
    field: _Field, verdicts: Sequence[Verdict], unit: str, question: Question
) -> MetricContrast:
    metric, samples, estimates, ranked = field.metric, field.samples, field.estimates, field.ranked
    pairs = [
        _pair(field, first, second, verdict, question.chance.level)
        for (first, second), verdict in zip(field.chosen, verdicts, strict=True)
    ]
    p_values = [pair.p for pair in pairs if pair.p is not None]
    corrected = iter(CORRECTIONS[question.correction](p_values))
    pairs = [
        pair if pair.p is None else structs.replace(pair, p_corrected=next(corrected))
        for pair in pairs
    ]
    differ = {
        (p.one, p.two): p.p_corrected is not None and p.p_corrected < question.alpha for p in pairs
    }
    letter: dict[str, str] = {}
    cluster: dict[str, int] = {}
    if not question.baseline:  # letters and ranks need all pairs
        letter, cluster = letters(ranked, differ), rank_clusters(ranked, differ)
    return MetricContrast(
        name=str(metric),
        label=field.label,
        score=metric.primary,
        better=metric.definition.better,
        ranking=tuple(
            Ranked(
                system=name,
                score=_number(estimates[name][field.place]),
                letters=letter.get(name, ""),
                cluster=cluster.get(name, 0),
                interval=intervals(
                    structs.replace(question.chance, method="auto"),
                    metric,
                    samples[name],
                    estimates[name],
                    np.empty(0),
                    unit,
                ).get(metric.primary),
            )
            for name in ranked
        ),
        pairs=tuple(pairs),
    )


def _pair(field: _Field, one: str, two: str, verdict: Verdict, level: float) -> Pair:
    first, second, place = field.samples[one], field.samples[two], field.place
    difference = field.estimates[one] - field.estimates[two]
    names = first.names
    left_out = first.left_out() - second.left_out()
    sizes = first.sizes + second.sizes
    bounds = jackknife_t(left_out, difference, level, first.strata, sizes)
    # What each unit adds to the difference, as the jackknife sees it.
    added = len(names) * difference[place] - (len(names) - 1) * left_out[:, place]
    first_scores, second_scores = first.alone()[:, place], second.alone()[:, place]
    by_unit = np.nan_to_num(first_scores - second_scores)
    equal = rounding(np.stack([first_scores, second_scores]))
    # Names are in ascending order, which the sort keeps where differences are equal.
    order = np.argsort(-np.abs(by_unit), kind="stable")[:MOST_SWINGS].tolist()
    low, high = bounds.low[place], bounds.high[place]
    least, most = field.metric.range(field.metric.primary)
    return Pair(
        one=one,
        two=two,
        difference=_number(difference[place]),
        p=_number(verdict.p[place]),
        p_corrected=None,
        smallest_p=verdict.smallest,
        exact=verdict.exact,
        interval=None
        if np.isnan(low)
        else Interval(
            max(least - most, float(low)),
            min(most - least, float(high)),
            level,
            bounds.method,
            len(names),
            n_eff=_number(float(effective(sizes))),
        ),
        wins=int((by_unit > equal).sum()),
        ties=int((np.abs(by_unit) <= equal).sum()),
        losses=int((by_unit < -equal).sum()),
        swings=tuple(
            Swing(
                names[at].replace("\0", "/"),
                float(by_unit[at]),
                _number(first_scores[at]),
                _number(second_scores[at]),
            )
            for at in order
        ),
        units_needed=clusters_needed(
            added,
            float(np.nan_to_num(difference[place])),
            equal=float(equal.max(initial=0.0)),
        ),
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


# Systems compared by the values of items: every type of annotation, and the mean over types.


def value_contrasts(
    family: Family, results: Sequence[ResultDocument], question: Question, by: Sequence[str]
) -> list[Contrast]:
    """Compare the systems on each value that a gold or a prediction has, then on the mean.

    On a value, units are the documents in which some system or the gold has it.
    """
    first, tables = comparable(results, question.baseline)
    question.check(list(tables))
    path = Path.parse(first.path, family.levels)
    metrics = [family.metric(info.name) for info in first.metrics if not info.curve]
    contrasts = []
    for metric in divisible(metrics, by, *tables.values()):
        name = str(metric)
        values = {system: of_values(rows, name, by) for system, rows in tables.items()}
        for group, rows in _each(tables, values, name):
            compared = contrast_rows(family, first, rows, path, question)
            contrasts.append(_labelled(compared, group))
        if question.test == "permutation" and (lacking := _lacking(values)):
            contrasts[-1] = structs.replace(contrasts[-1], notices=(lacking,))
            continue
        mean = {system: items.named() for system, items in values.items()}
        over = next(iter(values.values())).mean_path(path)
        compared = contrast_rows(family, first, mean, over, question)
        compared = structs.replace(compared, path=f"{path}>{'+'.join(by)}:mean-f")
        contrasts.append(_labelled(compared, dict.fromkeys(by, MEAN)))
    return contrasts


def _labelled(contrast: Contrast, group: Mapping[str, str]) -> Contrast:
    label = _words(group)
    metrics = (
        structs.replace(metric, label=f"{metric.label}, {label}") for metric in contrast.metrics
    )
    return structs.replace(contrast, group=dict(group), metrics=tuple(metrics))


def _each(
    tables: Mapping[str, EvidenceTable], values: Mapping[str, ItemValues], metric: str
) -> Iterator[tuple[dict[str, str], dict[str, EvidenceTable]]]:
    """Yield each value with the rows of all systems; a system without it in a case counts 0 there.

    Gold and unit are the same for all systems, so that rows are paired by case.
    """
    groups = {name: group for items in values.values() for name, group in items.groups.items()}
    for name, group in groups.items():
        counted = {system: items.lines(name) for system, items in values.items()}
        cases = {case for lines in counted.values() for case in lines}
        rows = {}
        for system, table in tables.items():
            chosen = table.take(
                np.array([at for at, case in enumerate(table.cases) if case in cases], np.int64)
            )
            nothing = (0.0,) * table.statistics[metric].shape[1]
            lines = np.array(
                [counted[system].get(case, nothing) for case in chosen.cases], np.float64
            )
            rows[system] = replace(chosen, statistics={metric: lines}, steps={}, parts={})
        yield group, rows


def _lacking(values: Mapping[str, ItemValues]) -> str:
    """Say why systems can't be swapped in the mean over values; empty if they can."""
    (name, first), *others = values.items()
    for other_name, other in others:
        unshared = first.names() ^ other.names()
        if unshared:
            group = {**first.groups, **other.groups}[min(unshared)]
            only = name if min(unshared) in first.groups else other_name
            return (
                f"the means over values are not compared: only '{only}' has "
                f"{_words(group)}, so that '{name}' and '{other_name}' can't change places; "
                "--test bootstrap compares them"
            )
    return ""


def _words(group: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in group.items())
