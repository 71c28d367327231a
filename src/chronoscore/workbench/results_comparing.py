"""Two runs, topic by topic: what each unit says, beside what can be said of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from chronoscore.core.contrast import Contrast, MetricContrast
from chronoscore.core.errors import UsageError
from chronoscore.core.result import Result, SystemResult
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.families import family
from chronoscore.reports.contrast import how_to_read, test_in_words
from chronoscore.reports.intervals import interval_in_words
from chronoscore.workbench.results_showing import Shelf, careful, cases_of, saved
from chronoscore.workbench.store import Store
from chronoscore.workbench.store.results import Kept

_MOST_KEPT = 32
_MOST_TOPICS = 500
_contrasts: Shelf[Contrast] = Shelf(_MOST_KEPT)


@dataclass(frozen=True)
class Run:
    """One system of a kept result."""

    result: Kept
    place: int
    name: str

    @property
    def value(self) -> str:
        """How it is named in addresses."""
        return f"{self.result.id}.{self.place}"


@dataclass(frozen=True)
class Topic:
    """A unit of the comparison: both scores, the difference, and where to look."""

    name: str
    one: float | None
    two: float | None
    difference: float
    share: float
    """Of the largest difference, from -1 to 1: how long its bar is."""
    links: tuple[str, str]


@dataclass(frozen=True)
class Compared:
    """One metric of two runs."""

    label: str
    score: str
    better: str
    ones: float | None
    twos: float | None
    difference: float | None
    interval: str
    p: float | None
    p_corrected: float | None
    record: str
    needed: int | None
    """About how many units it would take to see a difference of this size."""
    topics: tuple[Topic, ...]
    left_out: int


@dataclass(frozen=True)
class Comparison:
    """All metrics of two runs, and how to read them."""

    unit: str
    units: int
    test: str
    how_to_read: str
    metrics: tuple[Compared, ...]
    notices: tuple[str, ...]


def runs(kept: Sequence[Kept], labels: dict[str, str]) -> list[Run]:
    """All systems of all results, named so that each is told from the others."""
    return [
        Run(one, place, f"{labels[one.id]}: {name}")
        for one in kept
        for place, name in enumerate(one.systems)
    ]


def compare(store: Store, one: Run, two: Run) -> Comparison:
    """Set two runs against each other; what can't be compared is refused in words."""
    if one.value == two.value:
        raise UsageError("these are the same run: choose two")
    both = [_alone(saved(store, run.result).result, run) for run in (one, two)]
    if both[0].family != both[1].family:
        raise UsageError(
            f"one run is of {both[0].family}, the other of {both[1].family}: they can't be compared"
        )
    made = _contrasts.get((one, two), lambda: (_contrast(both, one), 1))
    links = [_links(store, run, made.unit) for run in (one, two)]
    return Comparison(
        made.unit,
        made.units,
        test_in_words(made),
        how_to_read(made),
        tuple(_metric(metric, one.name, links) for metric in made.metrics),
        made.notices,
    )


def _contrast(both: Sequence[Result], one: Run) -> Contrast:
    return careful(lambda: contrast(family(one.result.family), both, Question()))


def _alone(result: Result, run: Run) -> Result:
    system: SystemResult = result.systems[run.place]
    return replace(result, systems=(replace(system, name=run.name),))


def _metric(metric: MetricContrast, one: str, links: Sequence[dict[str, str]]) -> Compared:
    (pair,) = metric.pairs
    turned = pair.one != one  # pairs have the better system first
    sign = -1 if turned else 1
    scores = {ranked.system: ranked.score for ranked in metric.ranking}
    largest = max((abs(swing.difference) for swing in pair.swings), default=0.0) or 1.0
    topics = tuple(
        Topic(
            swing.unit,
            swing.two if turned else swing.one,
            swing.one if turned else swing.two,
            sign * swing.difference,
            sign * swing.difference / largest,
            (links[0].get(swing.unit, ""), links[1].get(swing.unit, "")),
        )
        for swing in pair.swings[:_MOST_TOPICS]
    )
    interval = pair.interval
    if interval is not None and turned:
        interval = replace(interval, low=-interval.high, high=-interval.low)
    wins, losses = (pair.losses, pair.wins) if turned else (pair.wins, pair.losses)
    return Compared(
        metric.label,
        metric.score,
        metric.better,
        scores[one],
        next(score for name, score in scores.items() if name != one),
        None if pair.difference is None else sign * pair.difference,
        interval_in_words(interval),
        pair.p,
        pair.p_corrected,
        f"{wins}-{pair.ties}-{losses}",
        pair.units_needed,
        topics,
        max(0, len(pair.swings) - _MOST_TOPICS),
    )


def _links(store: Store, run: Run, unit: str) -> dict[str, str]:
    """The page of the first case of each unit."""
    result = saved(store, run.result).result
    places = {case: place for place, case in enumerate(cases_of(result))}
    found: dict[str, str] = {}
    for row in result.systems[run.place].rows:
        where = f"/results/{run.result.id}/cases/{places[row.case]}?system={run.place}"
        found.setdefault(row.tags.get(unit, row.case), where)
        found.setdefault(row.case, where)
    return found
