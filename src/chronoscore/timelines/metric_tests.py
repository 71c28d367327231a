"""Metric tests: a gold is damaged in a known way and scored against itself. Does a metric notice?

The first five perturbations are those of Martschat and Markert 2017 as tilse runs them: one
generator, each test over all golds before the next, topics in order of their names. The others are
ours, for what systems do wrong today. A perturbation that is impossible for a gold (nothing can be
merged where there is one day) returns None, and that gold is skipped.

>>> from datetime import date
>>> gold = Timeline.of({date(2011, 1, 25): ["Protests begin."], date(2011, 2, 11): ["He resigns."]})
>>> report = run({"egypt": {"1": gold}}, ["concat", "align"])
>>> [(row.metric, row.passed, row.mean) for row in report.outcomes if row.test == "shift_1_day"]
[('concat', False, 1.0), ('align', True, 0.5)]
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf
from random import Random
from statistics import fmean

from msgspec import structs

from chronoscore import __version__
from chronoscore.core.case import Case
from chronoscore.core.result import MetricInfo, ResultDocument
from chronoscore.core.writing import json_text
from chronoscore.elements.dated.cases import TimelineCase
from chronoscore.elements.dated.model import Timeline
from chronoscore.elements.time import Time
from chronoscore.elements.time.calendar import DAY
from chronoscore.elements.time.value import Cell, Extent
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.table import Table, plural, spaced
from chronoscore.timelines.family import FAMILY

Perturbation = Callable[[Timeline, Random], Timeline | None]

_Scores = dict[tuple[str, str], dict[str, float | None]]
"""By metric and test, the primary score of each gold."""

UNHARMED = "unharmed"
SEED = 23
"""The seed of tilse."""
METRICS = (
    "concat",
    "agreement",
    "align",
    "align+",
    "align+m:1",
    "align+m:1(tie=nearest)",
    "exact-date",
    "date-f1",
)
NONSENSE = " ".join(["asdf"] * 10)
LEAST_LOSS = 1e-9
"""The smallest loss that counts; a smaller one comes from rounding sums in another order."""


def remove(gold: Timeline, generator: Random) -> Timeline | None:
    """Remove a day, drawn at random."""
    if not gold.days:
        return None
    # Drawn even where there is only one day, so that later golds lose the same days as in tilse.
    removed = generator.choice(gold.dates)
    days = {day: texts for day, texts in gold.days if day != removed}
    return Timeline.of(days) if days else None


def add(gold: Timeline, _: Random) -> Timeline | None:
    """Add a nonsense sentence on the first free day that follows a day of the timeline."""
    taken = _taken_days(gold)
    following = ((day, day.cells()[1] + 1) for day in gold.dates)
    free = next((_moved(*place) for place in following if _is_free(place[1], taken)), None)
    return None if free is None else Timeline.of({**dict(gold.days), free: (NONSENSE,)})


def merge(gold: Timeline, _: Random) -> Timeline | None:
    """Merge the two closest neighbouring days, the first of equals, into the earlier one."""
    pairs = list(pairwise(gold.dates))
    if not pairs:
        return None
    day, other = min(pairs, key=lambda pair: pair[0].gap(pair[1]))
    days = dict(gold.days)
    days[day] += days.pop(other)
    return Timeline.of(days)


def shift(gold: Timeline, _: Random, *, days: int) -> Timeline | None:
    """Move all days by a number of days. What is longer than a day can't be moved by days."""
    cells = [day.cells() for day in gold.dates]
    if not cells or any(first != last for first, last in cells):
        return None
    entries = zip(gold.days, cells, strict=True)
    return Timeline.of({_moved(day, first + days): texts for (day, texts), (first, _) in entries})


def duplicate(gold: Timeline, generator: Random) -> Timeline | None:
    """Repeat the text of a day, drawn at random, on the next free day."""
    candidates = [(day, texts) for day, texts in gold.days if any(map(_says_something, texts))]
    if not candidates:
        return None
    day, texts = generator.choice(candidates)
    free = _next_free(day, gold)
    return None if free is None else Timeline.of({**dict(gold.days), free: texts})


def swap(gold: Timeline, generator: Random) -> Timeline | None:
    """Exchange the texts of two days, drawn at random among those that differ."""
    if len({texts for _, texts in gold.days}) < 2:
        return None
    day, texts = generator.choice(gold.days)
    other, others = generator.choice([item for item in gold.days if item[1] != texts])
    return Timeline.of({**dict(gold.days), day: others, other: texts})


def truncate(gold: Timeline, _: Random) -> Timeline | None:
    """Keep the first half of the days, with the middle one."""
    if len(gold.days) < 2:
        return None
    return Timeline.in_order(gold.days[: (len(gold.days) + 1) // 2])


def split(gold: Timeline, generator: Random) -> Timeline | None:
    """Move the later half of a day's sentences to the next free day; the day is drawn."""
    candidates = []
    for day, texts in gold.days:
        places = [place for place, text in enumerate(texts) if _says_something(text)]
        if len(places) > 1:
            candidates.append((day, texts, places[(len(places) + 1) // 2]))
    if not candidates:
        return None
    day, texts, half = generator.choice(candidates)
    free = _next_free(day, gold)
    if free is None:
        return None
    return Timeline.of({**dict(gold.days), day: texts[:half], free: texts[half:]})


def _says_something(text: str) -> bool:
    """Whether a text has a letter or digit; public golds have "sentences" of stray signs."""
    return any(map(str.isalnum, text))


def _next_free(day: Time, gold: Timeline) -> Time | None:
    """Return the first free day after a day; None if one without an end takes them all."""
    taken = _taken_days(gold)
    number = day.cells()[1] + 1
    while number < inf and not _is_free(number, taken):
        number = max(last for first, last in taken if first <= number <= last) + 1
    return _moved(day, number) if number < inf else None


def _taken_days(gold: Timeline) -> list[Extent]:
    """Return the numbers of the first and the last day of each entry."""
    return [day.cells() for day in gold.dates]


def _is_free(number: Cell, taken: Iterable[Extent]) -> bool:
    return number < inf and not any(first <= number <= last for first, last in taken)


def _moved(day: Time, number: Cell) -> Time:
    """Return a time on another day: the same time of day, or of longer times a day."""
    first, last = day.cells()
    if first == last:
        assert day.begin is not None
        assert day.end is not None
        ticks = int(number - first) * DAY
        return replace(day, begin=day.begin + ticks, end=day.end + ticks)
    begin = int(number) * DAY
    length, resolution = (1, "us") if day.axis == "offset" else (DAY, "day")
    return Time(begin, begin + length, resolution, axis=day.axis, unit=day.unit)


SHIFTS = ("shift_1_day", "shift_5_days")
PUBLISHED: Mapping[str, Perturbation] = {
    "remove": remove,
    "add": add,
    "merge": merge,
    "shift_1_day": partial(shift, days=1),
    "shift_5_days": partial(shift, days=5),
}
OURS: Mapping[str, Perturbation] = {
    "duplicate": duplicate,
    "swap": swap,
    "truncate": truncate,
    "split": split,
}
PERTURBATIONS: Mapping[str, Perturbation] = {**PUBLISHED, **OURS}
"""In the order in which they run, since they draw from one generator; the published come first."""


_FIELDS = ("noticed", "golds", "skipped", "undefined", "mean")
"""The numbers of an outcome that are shown."""


@dataclass(frozen=True)
class Outcome:
    """One metric in one test."""

    metric: str
    test: str
    golds: int
    """Golds that the test ran on: the damage is possible and the metric has a value."""
    unnoticed: list[str]
    """Those of them on which the score did not change as it should."""
    skipped: int
    """Golds that can't be damaged in this way."""
    undefined: int
    """Golds that can be damaged, but on which the metric has no value."""
    mean: float | None
    """The mean score after the damage, over the golds that the test ran on."""

    @property
    def noticed(self) -> int:
        """The number of golds on which the score changed as it should."""
        return self.golds - len(self.unnoticed)

    @property
    def passed(self) -> bool | None:
        """Whether the score changed as it should on all golds; None if the test ran on none."""
        return not self.unnoticed if self.golds else None


@dataclass(frozen=True)
class Report:
    """All metrics in all tests."""

    seed: int
    topics: int
    golds: tuple[str, ...]
    unharmed: Mapping[str, float | None]
    """For each metric, the mean score of the undamaged golds, which is not always 1."""
    outcomes: tuple[Outcome, ...]

    @property
    def rows(self) -> list[dict[str, object]]:
        """The outcomes as plain dicts."""
        names = ("metric", "test", "passed", *_FIELDS, "unnoticed")
        return [{name: getattr(outcome, name) for name in names} for outcome in self.outcomes]


def run(
    golds: Mapping[str, Mapping[str, Timeline]],
    metrics: Sequence[str] = METRICS,
    seed: int = SEED,
) -> Report:
    """Damage each gold of each topic in every way, and report which metrics notice."""
    settings = Settings.make(
        FAMILY, metrics=metrics, average="micro", undefined="zero", by=("case",)
    )
    cases: list[TimelineCase] = [
        Case(
            topic if len(golds[topic]) == 1 else f"{topic}/{name}",
            (gold,),
            gold,
            {"topic": topic, "gold": name, "trial": "1"},
        )
        for topic in sorted(golds)
        for name, gold in golds[topic].items()
    ]
    result = score(settings, {UNHARMED: cases, **_damaged(cases, seed)}).result
    scores = _scores(result)
    ids = tuple(case.id for case in cases)
    return Report(
        seed=seed,
        topics=len(golds),
        golds=ids,
        unharmed={m.name: _mean(scores[m.name, UNHARMED].values()) for m in result.metrics},
        outcomes=tuple(
            _outcome(metric, test, ids, scores)
            for metric in result.metrics
            for test in PERTURBATIONS
        ),
    )


def _damaged(cases: Sequence[TimelineCase], seed: int) -> dict[str, list[TimelineCase]]:
    """Return the cases of every test, without those for which it is impossible."""
    generator = Random(seed)
    damaged: dict[str, list[TimelineCase]] = {}
    for test, perturb in PERTURBATIONS.items():
        tried = [(case, perturb(case.predicted, generator)) for case in cases]
        damaged[test] = [structs.replace(case, predicted=t) for case, t in tried if t is not None]
    return damaged


def _scores(result: ResultDocument) -> _Scores:
    scores: _Scores = defaultdict(dict)
    primary = {metric.name: metric.primary for metric in result.metrics}
    for system in result.systems:
        for summary in system.summaries:
            if summary.group:
                # If the gold itself has no value, the policy made it 0, and no score can be lower.
                is_missing = system.name == UNHARMED and summary.undefined
                value = None if is_missing else summary.scores[primary[summary.metric]]
                scores[summary.metric, system.name][summary.group["case"]] = value
    return scores


def _outcome(metric: MetricInfo, test: str, cases: Sequence[str], scores: _Scores) -> Outcome:
    """Judge a metric in a test: its score must get worse from each step to the next."""
    shifted = test in SHIFTS
    steps = [scores[metric.name, step] for step in (UNHARMED, *(SHIFTS if shifted else (test,)))]
    possible = [case for case in cases if all(case in step for step in steps)]
    tried = [case for case in possible if all(step[case] is not None for step in steps)]
    higher = metric.better == "higher"
    unnoticed = []
    for case in tried:
        course = [step[case] or 0.0 for step in steps]
        losses = [(before - after) * (1 if higher else -1) for before, after in pairwise(course)]
        # A day that is five days off still earns something; a distance has no such bound.
        worthless = shifted and higher and course[-1] <= 0
        if worthless or min(losses) <= LEAST_LOSS:
            unnoticed.append(case)
    return Outcome(
        metric=metric.name,
        test=test,
        golds=len(tried),
        unnoticed=unnoticed,
        skipped=len(cases) - len(possible),
        undefined=len(possible) - len(tried),
        mean=_mean(scores[metric.name, test][case] for case in tried),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the defined values; None if there are none."""
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


# The tests as tables, CSV and JSON

_FORMAT, _VERSION = "chronoscore-metric-tests", 1
_RULES = (
    "pass: the score falls on every gold; FAIL (k of n): on k of n only; FAIL: on none",
    "shift: the loss must be graded, unharmed > 1 day > 5 days > 0; one verdict for both",
)


def render_metric_tests(report: Report, output_format: str) -> str:
    """Write the tests as tables, as CSV with an outcome a line, or as JSON."""
    if output_format == "json":
        facts = {"seed": report.seed, "golds": report.golds, "unharmed": report.unharmed}
        head = {"format": _FORMAT, "version": _VERSION, "chronoscore": __version__}
        return json_text({**head, **facts, "rows": report.rows})
    if output_format == "csv":
        rows = (
            (one.metric, one.test, _verdict(one), *(getattr(one, name) for name in _FIELDS))
            for one in report.outcomes
        )
        table = Table.of("", ("metric", "test", "verdict", *_FIELDS), rows)
        return render_tables([table], output_format)
    outcomes = {(outcome.metric, outcome.test): outcome for outcome in report.outcomes}
    golds = plural(len(report.golds), "gold")
    on = f"{golds} of {plural(report.topics, 'topic')}, seed {report.seed}"
    tables = []
    for title, tests, rules in (
        ("Tests of Martschat and Markert 2017", PUBLISHED, _RULES),
        ("Our own tests", OURS, ()),
    ):
        skipped = {test: outcome.skipped for (_, test), outcome in outcomes.items()}
        remarks = [
            f"{spaced(test)}: impossible on {skipped[test]} of {golds}, skipped"
            for test in tests
            if skipped[test]
        ]
        verdicts = (
            (metric, *(_verdict_cell(outcomes[metric, test]) for test in tests))
            for metric in report.unharmed
        )
        columns = ["metric", *map(spaced, tests)]
        tables.append(Table.of(f"{title} on {on}", columns, verdicts, [*rules, *remarks]))
    undefined: dict[str, int] = {}
    for outcome in report.outcomes:
        undefined[outcome.metric] = max(undefined.get(outcome.metric, 0), outcome.undefined)
    means = Table.of(
        "Mean score after the damage",
        ["metric", *map(spaced, (UNHARMED, *PERTURBATIONS))],
        (
            (metric, mean, *(outcomes[metric, test].mean for test in PERTURBATIONS))
            for metric, mean in report.unharmed.items()
        ),
        [f"{m}: no value on {n} of {golds}, left out" for m, n in undefined.items() if n],
    )
    return render_tables([*tables, means], output_format)


def _verdict(outcome: Outcome) -> str | None:
    return None if outcome.passed is None else "pass" if outcome.passed else "FAIL"


def _verdict_cell(outcome: Outcome) -> str:
    noticed = outcome.noticed if outcome.passed is False else 0
    return (_verdict(outcome) or "not tried") + (
        f" ({noticed} of {outcome.golds})" if noticed else ""
    )
