"""Set systems against each other, from the rows of their results; nothing is scored again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from chronoscore.core.contrast import Contrast, MetricContrast, Pair, Ranked, Swing
from chronoscore.core.errors import DataError, Problem, UsageError
from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.metric import Metric
from chronoscore.core.result import Interval, Result
from chronoscore.elements.ratios import Array
from chronoscore.engines.chance import Chance, intervals, resampler
from chronoscore.statistics.averaging import Path
from chronoscore.statistics.corrections import CORRECTIONS, letters, rank_clusters
from chronoscore.statistics.drawing import RESAMPLES, affordable
from chronoscore.statistics.equality import rounding
from chronoscore.statistics.intervals import effective, jackknife_t
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import (
    Verdict,
    clusters_needed,
    paired_bootstraps,
    permutation_tests,
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
    chance: Chance = field(default_factory=Chance)

    def check(self, systems: Sequence[str]) -> None:
        """Say what can't be asked."""
        if self.test not in TESTS:
            raise UsageError(f"no test '{self.test}'; there are: {', '.join(TESTS)}")
        if self.correction not in CORRECTIONS:
            known = ", ".join(CORRECTIONS)
            raise UsageError(f"no correction '{self.correction}'; there are: {known}")
        if self.baseline and self.baseline not in systems:
            raise UsageError(f"no system '{self.baseline}'; there are: {', '.join(systems)}")
        if len(systems) < 2:
            raise UsageError("it takes two systems to compare; there is one")


def comparable(results: Sequence[Result]) -> tuple[Result, dict[str, Ledger]]:
    """Bring the rows of systems together; they must have been scored alike on the same gold."""
    systems: dict[str, Ledger] = {}
    problems: list[Problem] = []
    first = _conditions(results[0])
    for result in results:
        for name, value in _conditions(result).items():
            if value != first[name]:
                problems.append(
                    Problem(f"the results differ in {name}: '{first[name]}' and '{value}'")
                )
        for system in result.systems:
            if system.name in systems:
                message = f"two systems are named '{system.name}'; score one as OTHER=PATH"
                problems.append(Problem(message))
            systems[system.name] = Ledger.of(system.rows)
    if problems:
        raise DataError(problems)
    problems += _gold_problems(systems, judged=bool(results[0].agreement))
    if problems:
        raise DataError(problems)
    return results[0], systems


def _gold_problems(systems: Mapping[str, Ledger], *, judged: bool) -> list[Problem]:
    """Systems must have the same cases with the same gold; judged events are each one's own."""
    (name, first), *others = systems.items()
    problems = []
    for system, other in others:
        if first.cases == other.cases and np.array_equal(first.gold, other.gold):
            continue
        these, golds = _golds(first), _golds(other)
        common = sorted(these.keys() & golds.keys())
        changed = [case for case in common if these[case] != golds[case]]
        apart = [] if judged else sorted(these.keys() ^ golds.keys())
        both = f"'{name}' and '{system}'"
        if changed:
            problems.append(Problem(f"the gold of '{changed[0]}' is not the same in {both}"))
        if apart:
            problems.append(Problem(f"{both} were not scored on the same cases: '{apart[0]}'"))
    return problems


def _golds(rows: Ledger) -> dict[str, bytes]:
    """The gold of each case; trials of a system are set against the same."""
    both = zip(rows.cases, rows.gold.tolist(), strict=True)
    return {case.partition("@")[0]: gold for case, gold in both}


def _conditions(result: Result) -> dict[str, str]:
    return {
        "family": result.family,
        "average": result.path,
        "undefined": result.undefined,
        "options": ", ".join(f"{k}={v}" for k, v in sorted(result.options.items())),
        "metrics": ", ".join(metric.name for metric in result.metrics),
        # Two codebooks may call their scores alike and count in other parts.
        "what is counted": ", ".join(s.meaning for m in result.metrics for s in m.statistics),
    }


def contrast(family: Family, results: Sequence[Result], question: Question) -> Contrast:
    """Compare all systems of results, every pair or each with the baseline."""
    first, ledgers = comparable(results)
    question.check(list(ledgers))
    path = Path.parse(first.path, family.levels)
    notices = dict.fromkeys(note for result in results for note in result.notices)
    return contrast_rows(family, first, ledgers, path, question, [*notices])


def contrast_rows(
    family: Family,
    first: Result,
    ledgers: Mapping[str, Ledger],
    path: Path,
    question: Question,
    notices: Sequence[str] = (),
) -> Contrast:
    """Compare the rows of systems by the metrics of a result that the rows have."""
    policy = next(p for p in ("skip", "zero", "one", "agree") if p == first.undefined)
    unit = question.chance.unit or family.cluster
    fields = []
    for info in first.metrics:
        if info.curve or any(info.name not in rows.statistics for rows in ledgers.values()):
            continue
        metric = family.metric(info.name)
        samples = {
            name: resampler(
                family,
                metric,
                rows,
                path,
                policy,
                unit=question.chance.unit,
                strata=question.chance.strata,
                others=[*ledgers.values()],
            )
            for name, rows in ledgers.items()
        }
        fields.append(_field(metric, info.label, samples, question.baseline))
    if not fields:
        raise UsageError("curves can't be compared; score a metric that is no curve")
    units = len(next(iter(fields[-1].samples.values())).names)
    made = []
    for field_, verdicts in zip(fields, _verdicts(fields, question), strict=True):
        made.append(_metric(field_, verdicts, unit, question))
    return Contrast(
        family=first.family,
        protocol=first.protocol,
        path=str(path),
        test=question.test,
        correction=question.correction,
        level=question.chance.level,
        seed=question.chance.seed,
        unit=unit,
        units=units,
        baseline=question.baseline,
        metrics=tuple(made),
        notices=(*notices, *_fewer(units, unit)),
    )


@dataclass(frozen=True)
class _Field:
    """All systems on one metric, the best first, and the pairs that are asked for."""

    metric: Metric
    label: str
    samples: Mapping[str, Resampler]
    estimates: Mapping[str, Array]
    ranked: Sequence[str]
    chosen: Sequence[tuple[str, str]]

    @property
    def place(self) -> int:
        """Where the score is that systems are compared by."""
        return self.metric.scores.index(self.metric.primary)


def _field(metric: Metric, label: str, samples: Mapping[str, Resampler], baseline: str) -> _Field:
    place = metric.scores.index(metric.primary)
    sign = 1 if metric.definition.better == "higher" else -1
    estimates = {name: _estimate(sample) for name, sample in samples.items()}

    def rank(name: str) -> tuple[bool, float]:
        value = estimates[name][place]
        return bool(np.isnan(value)), -sign * float(np.nan_to_num(value))

    ranked = sorted(samples, key=rank)
    chosen = [(one, two) for one, two in combinations(ranked, 2) if baseline in ("", one, two)]
    return _Field(metric, label, samples, estimates, ranked, chosen)


def _verdicts(fields: Sequence[_Field], question: Question) -> list[list[Verdict]]:
    """Test all pairs of all metrics that rest on the same units together: drawing takes longest."""
    together: dict[tuple[str, ...], list[int]] = {}
    for at, one in enumerate(fields):  # days are units of their own for each metric
        together.setdefault(next(iter(one.samples.values())).names, []).append(at)
    test = permutation_tests if question.test == "permutation" else paired_bootstraps
    found: dict[int, list[Verdict]] = {}
    for names, places in together.items():
        pairs = [
            (fields[at].samples[one], fields[at].samples[two])
            for at in places
            for one, two in fields[at].chosen
        ]
        verdicts = iter(test(pairs, seed=question.chance.seed, draws=affordable(len(names))))
        for at in places:
            found[at] = [next(verdicts) for _ in fields[at].chosen]
    return [found[at] for at in range(len(fields))]


def _fewer(units: int, unit: str) -> tuple[str, ...]:
    """Say that less is drawn than usual, and how sure p is then."""
    draws = affordable(units)
    if draws == RESAMPLES:
        return ()
    sure = 2 * np.sqrt(0.05 * 0.95 / draws)
    return (
        f"{draws:,} ways were drawn, not {RESAMPLES:,}, since there are {units:,} {unit}s: "
        f"a p of 0.05 is sure to ±{sure:.3f}",
    )


def _metric(
    of: _Field, verdicts: Sequence[Verdict], unit: str, question: Question
) -> MetricContrast:
    metric, samples, estimates, ranked = of.metric, of.samples, of.estimates, of.ranked
    pairs = [
        _pair(of, one, two, verdict, question.chance.level)
        for (one, two), verdict in zip(of.chosen, verdicts, strict=True)
    ]
    known = [pair.p for pair in pairs if pair.p is not None]
    corrected = iter(CORRECTIONS[question.correction](known))
    pairs = [p if p.p is None else _with(p, next(corrected)) for p in pairs]
    differ = {
        (p.one, p.two): p.p_corrected is not None and p.p_corrected < question.alpha for p in pairs
    }
    letter: dict[str, str] = {}
    cluster: dict[str, int] = {}
    if not question.baseline:  # letters and ranks speak of all pairs
        letter, cluster = letters(ranked, differ), rank_clusters(ranked, differ)
    return MetricContrast(
        name=str(metric),
        label=of.label,
        score=metric.primary,
        better=metric.definition.better,
        ranking=tuple(
            Ranked(
                system=name,
                score=_number(estimates[name][of.place]),
                letters=letter.get(name, ""),
                cluster=cluster.get(name, 0),
                interval=intervals(
                    replace(question.chance, method="auto"),
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


def _with(pair: Pair, corrected: float) -> Pair:
    fields = {name: getattr(pair, name) for name in pair.__struct_fields__}
    return Pair(**{**fields, "p_corrected": corrected})


def _estimate(sample: Resampler) -> Array:
    return np.asarray(sample.scores(np.ones((1, len(sample.names))))[0])


def _pair(of: _Field, one: str, two: str, verdict: Verdict, level: float) -> Pair:
    first, second, place = of.samples[one], of.samples[two], of.place
    difference = of.estimates[one] - of.estimates[two]
    names = first.names
    left = first.left_out() - second.left_out()
    sizes = first.sizes + second.sizes
    bounds = jackknife_t(left, difference, level, first.strata, sizes)
    # What each unit adds to the difference, as the jackknife sees it.
    added = len(names) * difference[place] - (len(names) - 1) * left[:, place]
    ones, twos = first.alone()[:, place], second.alone()[:, place]
    by_unit = np.nan_to_num(ones - twos)
    equal = rounding(np.stack([ones, twos]))
    # Names are in ascending order, which the sort keeps where differences are equal.
    order = np.argsort(-np.abs(by_unit), kind="stable")[:MOST_SWINGS].tolist()
    low, high = bounds.low[place], bounds.high[place]
    least, most = of.metric.range(of.metric.primary)
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
                _number(ones[at]),
                _number(twos[at]),
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
