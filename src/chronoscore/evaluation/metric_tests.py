"""Metric tests: a gold is damaged in a known way and scored against itself. Does a metric notice?

Two sets of damages are in `elements.dated.damages`. Those of days draw from one generator, each
test over all golds before the next, topics in order of their names, as tilse does; there every
metric should notice everything. Those of entries harm single events, and for metrics of events it
is known which of them must fall and which must not move. Rewrites by people are no damage: they
tell the same events in other words, and a score should stay.

>>> from datetime import date
>>> from chronoscore.elements.dated.model import Timeline
>>> gold = Timeline.of({date(2011, 1, 25): ["Protests begin."], date(2011, 2, 11): ["He resigns."]})
>>> report = run({"egypt": {"1": gold}}, ["concat", "align"])
>>> [(row.metric, row.passed, row.mean) for row in report.outcomes if row.test == "shift_1_day"]
[('concat', False, 1.0), ('align', True, 0.5)]
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from random import Random
from statistics import fmean

from msgspec import structs

from chronoscore import __version__
from chronoscore.core import names
from chronoscore.core.case import Case
from chronoscore.core.family import Family
from chronoscore.core.metric import Metric
from chronoscore.core.result import MetricInfo, ResultDocument
from chronoscore.core.writing import json_text
from chronoscore.elements.dated.cases import TimelineCase, Timelines
from chronoscore.elements.dated.damages import DAYS, ENTRIES, OURS, PUBLISHED, Damage, add_foreign
from chronoscore.engines.scoring import score
from chronoscore.engines.settings import Settings
from chronoscore.errors import UsageError
from chronoscore.families import family
from chronoscore.reports.rendering import render_tables
from chronoscore.reports.table import Table, plural, spaced

_Scores = dict[tuple[str, str], dict[str, dict[str, float | None]]]
"""By metric and test, the scores of each case."""
Chosen = list[tuple[Family, list[Metric]]]
"""The metrics of a run, by family."""

UNHARMED = "unharmed"
REWRITE = "rewrite"
SEED = 23
"""The seed of tilse."""
FAMILIES = ("timelines", "events")
"""The families that read timelines."""
SETS: Mapping[str, Mapping[str, Damage]] = {"days": DAYS, "entries": ENTRIES}
METRICS: Mapping[str, tuple[str, ...]] = {
    "days": (
        "concat",
        "agreement",
        "align",
        "align+",
        "align+m:1",
        "align+m:1(tie=nearest)",
        "exact-date",
        "date-f1",
    ),
    "entries": (
        *("align+m:1", "date-f1", "event-f1", "event-timed", "event-soft", "event-date"),
        *("event-order", "text-quality"),
    ),
}
"""The metrics of each set of damages that are tested if none is named."""
LEAST_LOSS = 1e-9
"""The smallest loss that counts; a smaller one comes from rounding sums in another order."""
NEAR = 0.06
"""By how much the score of a rewrite may differ."""

_LOST = {
    **dict.fromkeys(("event-f1 recall", "event-timed recall", "event-soft recall"), "fall"),
    **dict.fromkeys(("event-date f1", "event-order recall"), "fall"),
    **dict.fromkeys(("event-f1 precision", "event-timed precision"), "stay"),
    **dict.fromkeys(("event-soft precision", "concordance mean", "date-accuracy mean"), "stay"),
}
_ADDED = {
    **dict.fromkeys(("event-f1 precision", "event-soft precision"), "fall"),
    **dict.fromkeys(("event-f1 recall", "event-timed recall", "event-soft recall"), "stay"),
    **dict.fromkeys(("event-date recall", "event-order recall"), "stay"),
}
_REPEATED = {**_ADDED, "event-rates repeat": "fall"}
_FOREIGN = {**_ADDED, "event-rates spurious": "fall"}
_PORTIONED = dict.fromkeys(("event-f1 f1", "event-timed f1"), "fall")
_RETOLD = {
    "text-quality mean": "fall",
    **dict.fromkeys(("event-f1 f1", "event-date f1", "event-order f1"), "stay"),
}
_SHIFTED = {
    "event-timed f1": "fall by degrees",
    **dict.fromkeys(("event-soft f1", "event-date f1"), "fall"),
    **dict.fromkeys(("event-f1 f1", "event-order f1"), "stay"),
}
_MISPLACED = {
    **dict.fromkeys(("event-timed f1", "event-soft f1"), "fall"),
    **dict.fromkeys(("event-date f1", "event-order f1"), "fall"),
    "event-f1 f1": "stay",
}
REACTIONS: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("drop_a_fifth", "drop_later_half", "keep_one_a_day"), _LOST),
    **dict.fromkeys(("repeat_next_day", "repeat_same_day"), _REPEATED),
    **dict.fromkeys(("add_foreign", "add_header"), _FOREIGN),
    "split_in_halves": {**_PORTIONED, "event-rates split": "fall"},
    "merge_by_two": {**_PORTIONED, "event-rates merge": "fall"},
    **dict.fromkeys(("swap_names", "negate", "change_numbers"), _RETOLD),
    "mix_into_one": {**_PORTIONED, "text-quality mean": "fall"},
    "mix_into_two": dict.fromkeys(("event-soft f1", "text-quality mean"), "fall"),
    **dict.fromkeys(("shift_1_day", "shift_5_days", "shift_30_days"), _SHIFTED),
    **dict.fromkeys(("shuffle_texts", "reverse_dates"), _MISPLACED),
    REWRITE: {
        "text-quality mean": "fall",
        **dict.fromkeys(("event-f1 f1", "event-timed f1"), "stay near"),
    },
}
"""How scores of events must react to damage of entries. A rate falls by getting worse: it rises."""


@dataclass(frozen=True)
class Outcome:
    """One score of a metric in one test."""

    metric: str
    score: str
    test: str
    expected: str
    """How it must react: fall, fall by degrees, stay, stay near; empty where nothing is known."""
    golds: int
    """Golds that the test ran on: the damage is possible and the metric has a value."""
    unnoticed: list[str]
    """Those of them on which the score did not get worse."""
    moved: list[str]
    """Those of them on which the score is another one."""
    skipped: int
    """Golds that can't be damaged in this way."""
    undefined: int
    """Golds that can be damaged, but on which the metric has no value."""
    mean: float | None
    """The mean score after the damage, over the golds that the test ran on."""
    most: float = 0.0
    """By how much the score differs at most."""
    loss: float | None = None
    """By how much the score got worse on these golds, on average."""

    @property
    def noticed(self) -> int:
        """The number of golds on which the score got worse."""
        return self.golds - len(self.unnoticed)

    @property
    def passed(self) -> bool | None:
        """Whether the score reacted as it must on all golds; None if the test ran on none."""
        if not self.golds or not self.expected:
            return None
        if self.expected == "stay near":
            return self.most <= NEAR
        return not (self.moved if self.expected == "stay" else self.unnoticed)


_FIELDS = ("noticed", "golds", "skipped", "undefined", "mean")
"""The numbers of an outcome that are shown."""


@dataclass(frozen=True)
class Report:
    """All metrics in all tests."""

    seed: int
    damages: str
    topics: int
    golds: tuple[str, ...]
    unharmed: Mapping[str, float | None]
    """For each metric, the mean score of the undamaged golds, which is not always 1."""
    outcomes: tuple[Outcome, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    """The name of each metric that people use."""

    @property
    def rows(self) -> list[dict[str, object]]:
        """The outcomes as plain dicts."""
        keys = ["metric", "test", "passed", *_FIELDS, "unnoticed"]
        if self.damages == "entries":
            keys = ["metric", "score", "test", "expected", *keys[2:], "moved"]
        return [{key: getattr(outcome, key) for key in keys} for outcome in self.outcomes]


# Running the tests


def chosen_damages(
    metrics: Sequence[str], damages: str | None = None, *, rewritten: bool = False
) -> str:
    """Return the set of damages of a run: by default that of days, or of entries for events.

    >>> chosen_damages(["AR-1"]), chosen_damages(["AR-1", "event-f1"])
    ('days', 'entries')
    """
    if damages and damages not in SETS:
        raise UsageError(f"unknown damages '{damages}', expected one of: {', '.join(SETS)}")
    if rewritten and damages == "days":
        raise UsageError("rewrites are compared with damage of entries, not of days")
    has_events = any(one.name == "events" for one, _ in chosen_metrics(metrics))
    return damages or ("entries" if has_events or rewritten else "days")


def chosen_metrics(texts: Sequence[str]) -> Chosen:
    """Find metrics by their names; those of events take each entry for an event."""
    found: dict[str, list[Metric]] = {}
    for text in texts:
        home, metric = _metric(text)
        found.setdefault(home, []).append(metric)
    return [(family(name), found[name]) for name in FAMILIES if name in found]


def _metric(text: str) -> tuple[str, Metric]:
    """Find a metric of a family that reads timelines."""
    name, values = names.parse(text)
    reasons = []
    for home in FAMILIES:
        if home == "events" and "unit" not in values:
            text = names.write(name, {**values, "unit": "entry"})
        try:
            return home, family(home).metric(text)
        except UsageError as error:
            reasons.append(str(error))
    known = (reason for reason in reasons if "unknown metric" not in reason)
    guessed = (reason for reason in reasons if "did you mean" in reason)
    raise UsageError(next(known, next(guessed, reasons[0])))


def run(
    golds: Timelines,
    metrics: Sequence[str] = (),
    seed: int = SEED,
    damages: str | None = None,
    rewrites: Timelines | None = None,
) -> Report:
    """Damage each gold of each topic in every way, and report which metrics notice.

    `damages` is a set of damages, `days` or `entries`. `rewrites` are further timelines of the
    same topics that tell the same in other words.
    """
    damages = chosen_damages(metrics, damages, rewritten=rewrites is not None)
    chosen = chosen_metrics(metrics or METRICS[damages])
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
    harmed = {UNHARMED: cases, **_damaged(cases, damages, seed)}
    origins = {case.id: case.id for case in cases}
    if rewrites is not None:
        rewritten = [*_rewritten(cases, rewrites)]
        harmed[REWRITE] = [case for case, _ in rewritten]
        origins |= {case.id: gold for case, gold in rewritten}
    infos: list[MetricInfo] = []
    scores: _Scores = defaultdict(dict)
    for one, several in chosen:
        texts = [str(metric) for metric in several]
        settings = Settings.make(
            one, metrics=texts, average="micro", undefined="zero", by=("case",)
        )
        result = score(settings, harmed).result
        infos += result.metrics
        _collect(result, scores)
    ids = tuple(case.id for case in cases)
    tests = [test for test in harmed if test != UNHARMED or damages == "entries"]
    shifts = [test for test in SETS[damages] if test.startswith("shift")]
    return Report(
        seed=seed,
        damages=damages,
        topics=len(golds),
        golds=ids,
        unharmed={
            info.name: _mean(one[info.primary] for one in scores[info.name, UNHARMED].values())
            for info in infos
        },
        outcomes=tuple(
            _outcome(info, name, test, _Tried(damages, ids, shifts, scores, origins))
            for info in infos
            for name in (info.scores if damages == "entries" else (info.primary,))
            for test in tests
        ),
        labels={info.name: _short(info.label) for info in infos},
    )


def _damaged(
    cases: Sequence[TimelineCase], damages: str, seed: int
) -> dict[str, list[TimelineCase]]:
    """Return the cases of every test, without those for which it is impossible."""
    shared = Random(seed)
    damaged: dict[str, list[TimelineCase]] = {}
    for test, damage in SETS[damages].items():
        # Damages of entries have a generator each, so that one more changes none of the others.
        generator = shared if damages == "days" else Random(f"{seed} {test}")
        harm = damage
        tried = []
        for case in cases:
            if damage is add_foreign:
                harm = partial(add_foreign, texts=_foreign_texts(case, cases))
            tried.append((case, harm(case.predicted, generator)))
        damaged[test] = [structs.replace(case, predicted=t) for case, t in tried if t is not None]
    return damaged


def _foreign_texts(case: TimelineCase, cases: Sequence[TimelineCase]) -> list[str]:
    """Return the texts of other topics."""
    others = (one for one in cases if one.tags["topic"] != case.tags["topic"])
    return [text for one in others for texts in one.predicted.texts for text in texts if text]


def _rewritten(
    cases: Sequence[TimelineCase], rewrites: Timelines
) -> Iterator[tuple[TimelineCase, str]]:
    """Yield each gold with each rewrite of its topic, but not with itself; and the gold's id."""
    unknown = sorted({*rewrites} - {case.tags["topic"] for case in cases})
    if unknown:
        raise UsageError(f"there are rewrites of the topic {unknown[0]!r}, but no gold of it")
    for case in cases:
        for name, rewrite in rewrites.get(case.tags["topic"], {}).items():
            if rewrite.days != case.predicted.days:
                tags = {**case.tags, "trial": name}
                yield Case(f"{case.id} rewritten as {name}", case.gold, rewrite, tags), case.id


def _collect(result: ResultDocument, scores: _Scores) -> None:
    for system in result.systems:
        for summary in system.summaries:
            if summary.group:
                # If the gold itself has no value, the policy made it 0, and no score can be lower.
                is_missing = system.name == UNHARMED and summary.undefined
                values = dict.fromkeys(summary.scores) if is_missing else summary.scores
                scores[summary.metric, system.name][summary.group["case"]] = values


@dataclass(frozen=True)
class _Tried:
    """What all tests gave."""

    damages: str
    golds: Sequence[str]
    shifts: Sequence[str]
    scores: _Scores
    origins: Mapping[str, str]

    def value(self, metric: str, score: str, test: str, case: str) -> float | None:
        """Return the score of a case, and for the undamaged gold that of the gold behind it."""
        of_case = self.scores[metric, test]
        return of_case[case if case in of_case else self.origins[case]][score]

    def has(self, metric: str, test: str, case: str) -> bool:
        """Whether a test has a case."""
        return case in self.scores[metric, test] or (test == UNHARMED and case in self.origins)


def _outcome(info: MetricInfo, score: str, test: str, tried: _Tried) -> Outcome:
    """Judge a score in a test: it must get worse from each step to the next, or stay."""
    expected = _expected(info, score, test, tried)
    by_degrees = expected == "fall by degrees"
    steps = [UNHARMED, *(tried.shifts if by_degrees else [test] if test != UNHARMED else [])]
    cases = [*tried.scores[info.name, REWRITE]] if test == REWRITE else tried.golds
    possible = [case for case in cases if all(tried.has(info.name, one, case) for one in steps)]
    courses = {
        case: [tried.value(info.name, score, one, case) for one in steps] for case in possible
    }
    unnoticed, moved, most, values, all_losses = [], [], 0.0, [], []
    for case, course in courses.items():
        if None in course:
            continue
        known = [value or 0.0 for value in course]
        after = tried.value(info.name, score, test, case) or 0.0
        values.append(after)
        sign = 1 if info.better == "higher" else -1
        losses = [(before - later) * sign for before, later in pairwise(known)]
        all_losses.append((known[0] - after) * sign)
        # A day that is far off still earns something; a distance has no such bound.
        worthless = by_degrees and info.better == "higher" and known[-1] <= 0
        if worthless or min(losses, default=0.0) <= LEAST_LOSS:
            unnoticed.append(case)
        most = max(most, abs(after - known[0]))
        if abs(after - known[0]) > LEAST_LOSS:
            moved.append(case)
    return Outcome(
        metric=info.name,
        score=score,
        test=test,
        expected=expected,
        golds=len(values),
        unnoticed=unnoticed,
        moved=moved,
        skipped=len(cases) - len(possible),
        undefined=len(possible) - len(values),
        mean=_mean(values),
        most=most,
        loss=_mean(all_losses),
    )


def _expected(info: MetricInfo, score: str, test: str, tried: _Tried) -> str:
    if tried.damages == "days":
        return "fall by degrees" if test in tried.shifts else "fall"
    return REACTIONS.get(test, {}).get(f"{names.parse(info.name)[0]} {score}", "")


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the defined values; None if there are none."""
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


def _short(label: str) -> str:
    """Return a name without the unit that metrics of events have here."""
    name, values = names.parse(label)
    return names.write(name, {one: value for one, value in values.items() if value != "entry"})


# The tests as tables, CSV and JSON

_FORMAT, _VERSION = "chronoscore-metric-tests", 1
_RULES = (
    "pass: the score falls on every gold; FAIL (k of n): on k of n only; FAIL: on none",
    "shift: the loss must be graded, unharmed > 1 day > 5 days > 0; one verdict for both",
)
_ENTRY_RULES = (
    "(k): the score moved on k golds only",
    "each entry is an event: metrics of events have unit=entry",
)


def render_metric_tests(report: Report, output_format: str) -> str:
    """Write the tests as tables, as CSV with an outcome a line, or as JSON."""
    if output_format == "json":
        facts = {"seed": report.seed, "golds": report.golds, "unharmed": report.unharmed}
        head = {"format": _FORMAT, "version": _VERSION, "chronoscore": __version__}
        return json_text({**head, **facts, "rows": report.rows})
    if output_format == "csv":
        rows = [
            {**row, "passed": _verdict(one), "unnoticed": None, "moved": len(one.moved)}
            for row, one in zip(report.rows, report.outcomes, strict=True)
        ]
        columns = [key for key in report.rows[0] if key != "unnoticed"]
        heads = ["verdict" if key == "passed" else key for key in columns]
        cells = ([row[key] for key in columns] for row in rows)
        return render_tables([Table.of("", heads, cells)], output_format)
    return render_tables(metric_test_tables(report), output_format)


def metric_test_tables(report: Report) -> list[Table]:
    """Verdicts and means of damage of days; means and reactions of damage of entries."""
    return _day_tables(report) if report.damages == "days" else _entry_tables(report)


def by_test(report: Report) -> dict[str, dict[tuple[str, str], Outcome]]:
    """The outcomes of each damage by metric and score, in the order of the tests."""
    tests: dict[str, dict[tuple[str, str], Outcome]] = {}
    for outcome in report.outcomes:
        tests.setdefault(outcome.test, {})[outcome.metric, outcome.score] = outcome
    return tests


def shown_scores(report: Report) -> dict[tuple[str, str], str]:
    """The heading of each metric and score that tables show: of precision, recall and F that of F.

    Damage of days is judged by the primary score, whichever it is.
    """
    keys = list(dict.fromkeys((one.metric, one.score) for one in report.outcomes))
    if report.damages == "days":
        return {key: key[0] for key in keys}
    keys = [key for key in keys if key[1] not in ("precision", "recall")]
    return {key: _head(report, *key, keys) for key in keys}


def _on(report: Report) -> str:
    golds, topics = plural(len(report.golds), "gold"), plural(report.topics, "topic")
    return f"{golds} of {topics}, seed {report.seed}"


def _day_tables(report: Report) -> list[Table]:
    """Show verdicts and means with a metric a row."""
    outcomes = {(outcome.metric, outcome.test): outcome for outcome in report.outcomes}
    golds = plural(len(report.golds), "gold")
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
            (metric, *(verdict_cell(outcomes[metric, test]) for test in tests))
            for metric in report.unharmed
        )
        columns = ["metric", *map(spaced, tests)]
        tables.append(Table.of(f"{title} on {_on(report)}", columns, verdicts, [*rules, *remarks]))
    means = Table.of(
        "Mean score after the damage",
        ["metric", *map(spaced, (UNHARMED, *DAYS))],
        (
            (metric, mean, *(outcomes[metric, test].mean for test in DAYS))
            for metric, mean in report.unharmed.items()
        ),
        _undefined_remarks(report),
    )
    return [*tables, means]


def _undefined_remarks(report: Report) -> list[str]:
    golds = plural(len(report.golds), "gold")
    undefined: dict[str, int] = {}
    for outcome in report.outcomes:
        undefined[outcome.metric] = max(undefined.get(outcome.metric, 0), outcome.undefined)
    return [
        f"{report.labels.get(m, m) if report.damages == 'entries' else m}: no value on "
        f"{n} of {golds}, left out"
        for m, n in undefined.items()
        if n
    ]


def _entry_tables(report: Report) -> list[Table]:
    """Show means with a test a row, and whether scores react as they must."""
    tests, columns = by_test(report), shown_scores(report)
    means = Table.of(
        f"Mean score after damage of entries on {_on(report)}",
        ["damage", "golds", *columns.values()],
        (
            (
                spaced(test),
                max(outcome.golds for outcome in outcomes.values()),
                *(_mean_cell(outcomes[key]) for key in columns),
            )
            for test, outcomes in tests.items()
        ),
        [*_ENTRY_RULES, *_undefined_remarks(report)],
    )
    reactions = [
        (spaced(test), *(_reaction(report, outcomes.values(), word) for word in ("fall", "stay")))
        for test, outcomes in tests.items()
        if any(outcome.expected for outcome in outcomes.values())
    ]
    if not reactions:
        return [means]
    must = Table.of(
        "Do the scores of events react as they must?",
        ["damage", "must fall", "must not move"],
        reactions,
        [
            "pass: every score that must does so on every gold; a rate of errors must rise",
            *(
                [f"rewrite: no damage; event-f1 and event-timed must stay within {NEAR}"]
                if REWRITE in tests
                else []
            ),
        ],
    )
    return [means, must]


def _head(report: Report, metric: str, score: str, columns: Sequence[tuple[str, str]]) -> str:
    is_alone = [one for one, _ in columns].count(metric) == 1
    return report.labels[metric] if is_alone else f"{report.labels[metric]} {score}"


def _mean_cell(outcome: Outcome) -> float | str | None:
    if outcome.test == UNHARMED or outcome.mean is None or len(outcome.moved) == outcome.golds:
        return outcome.mean
    return f"{outcome.mean:.3f} ({len(outcome.moved)})"


def _reaction(report: Report, outcomes: Iterable[Outcome], word: str) -> str:
    """Say whether all scores pass that must fall, or that must stay; else which of them fail."""
    judged = [one for one in outcomes if one.expected.startswith(word) and one.passed is not None]
    failed = [
        f"{report.labels[one.metric]} {one.score} "
        f"({one.noticed if word == 'fall' else len(one.moved)} of {one.golds})"
        for one in judged
        if not one.passed
    ]
    return f"FAIL: {', '.join(failed)}" if failed else "pass" if judged else ""


def _verdict(outcome: Outcome) -> str | None:
    return None if outcome.passed is None else "pass" if outcome.passed else "FAIL"


def verdict_cell(outcome: Outcome) -> str:
    """Write a verdict, with the number of golds on which a failing score fell."""
    noticed = outcome.noticed if outcome.passed is False else 0
    return (_verdict(outcome) or "not tried") + (
        f" ({noticed} of {outcome.golds})" if noticed else ""
    )
