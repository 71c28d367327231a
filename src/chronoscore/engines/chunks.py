"""A chunk: some cases with their sources, and how every engine reads and measures it."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import methodcaller
from typing import Any

import msgspec
import numpy as np

from chronoscore import __version__
from chronoscore.core import budget
from chronoscore.core.case import Case, digest, digest_each
from chronoscore.core.evidence import Match, Parts, Row
from chronoscore.core.evidence_table import Batch, Digests, EvidenceTable, digests, pack, unite
from chronoscore.core.family import Family, find_family
from chronoscore.core.metric import Metric
from chronoscore.core.problems import Findings, Problems, ReadingOptions
from chronoscore.core.records import no_collector
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.core.sources import UNKNOWN, SliceSource, Source
from chronoscore.engines.plan import Sides
from chronoscore.engines.settings import DAY
from chronoscore.errors import DataError, UsageError
from chronoscore.statistics.labels import Labels, labelled

TOGETHER = 400
"""Cases that are compared at once: enough for arrays to pay, few enough to be forgotten soon."""

CELLS_TOGETHER = 250_000
"""Cells of the tables of cases that are compared at once."""

BYTES_A_CELL = 110
"""About what a cell takes in all the tables that the metrics of a run make of a case."""

Cases = Sequence[Case[Any, Any]]
Watch = Callable[[int], None]


@dataclass(frozen=True)
class ChunkSettings:
    """The settings of every chunk: names and words only, so that they can be sent to workers."""

    family: str
    """Where the family is found: `module:name`."""
    metrics: tuple[str, ...]
    functions: tuple[str, ...]
    """The user's functions that the metrics may call."""
    options: Mapping[str, str]
    words: Mapping[str, Any]
    """Further arguments of the family's reader."""
    reading: ReadingOptions
    by: tuple[str, ...] = ()
    """The names of values that items are broken down by."""
    days: bool = False
    explain: bool = False
    leave_out: bool = False
    """Whether bad cases are left out, and the others measured without them."""


@dataclass(frozen=True, eq=False)
class Chunk(Sides[Source]):
    """Some cases: their lines in the gold and in every file of every system.

    A run that is not cut has one chunk, of whole sources.
    """

    settings: ChunkSettings
    keys: tuple[str, ...] = ()
    """The names of the cases of a chunk that was cut."""

    @property
    def slices(self) -> list[SliceSource]:
        """The sources of a chunk that was cut."""
        return [source for source in self.every if isinstance(source, SliceSource)]

    @property
    def digest(self) -> str:
        """The digest of everything that the outcome depends on."""
        content = [
            (source.file_name, source.slice.digest.tolist(), source.slice.case.tolist())
            for source in self.slices
        ]
        settings = msgspec.to_builtins(self.settings)
        return digest([__version__, settings, list(self.systems), self.keys, content])

    @property
    def size(self) -> int:
        """The bytes of all its lines."""
        return sum(int(source.slice.length.sum()) for source in self.slices)

    def split(self, ends: Iterable[int]) -> "Iterator[Chunk]":
        """Yield the chunks of the cases up to before each of these places among the keys."""
        by_case = self.map(_LinesByCase)
        for begin, end in pairwise((0, *ends)):
            part = by_case.map(methodcaller("between", begin, end))
            keys, words = self.keys[begin:end], self.settings.words
            if "events" in words:
                words = {**words, "events": sorted({*keys} & {*words["events"]})}
            yield Chunk(part.gold, part.systems, replace(self.settings, words=words), keys)


class _LinesByCase:
    """The lines of a source sorted by case, so that those of some cases are found at once."""

    def __init__(self, source: Source) -> None:
        assert isinstance(source, SliceSource)
        self._source, case = source, source.slice.case
        self._order = np.argsort(case, kind="stable")
        self._sorted = case[self._order]
        self._readable = np.count_nonzero(case != UNKNOWN)

    def between(self, begin: int, end: int) -> SliceSource:
        """Return the lines of the cases from one place among the keys to before another."""
        first, last = np.searchsorted(self._sorted, [begin, end])
        lines = self._source.slice.take(np.sort(self._order[first:last]))  # in the file's order
        part = self._source.of(replace(lines, case=lines.case - begin))
        part.complete = self._source.complete and len(lines) == self._readable
        return part


class BadCase(msgspec.Struct, frozen=True):
    """A case that could not be measured, and why."""

    case: str
    reasons: tuple[str, ...]


class Measurements(msgspec.Struct):
    """The rows of each system and, if requested, the matches and texts that explain them."""

    rows: dict[str, EvidenceTable] = {}
    """By system."""
    matches: list[CaseMatches] = []
    texts: list[CaseTexts] = []


class ChunkOutcome(Measurements):
    """The measurements and findings of a chunk, as they are sent and saved."""

    findings: Findings = Findings()
    bad: list[BadCase] = msgspec.field(default_factory=list)
    usage_error: str = ""
    """Why the run can't go on, such as a function of the user that fails: no case is to blame."""
    digest: str = ""
    """That of the chunk."""
    lost: bool = False
    """Whether every worker that took the chunk died."""
    cases: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """What was measured, by system; it is not sent."""


def united_rows(system: str, outcomes: Iterable[ChunkOutcome]) -> EvidenceTable:
    """Unite the rows of a system; the outcomes give them up, since both would take much memory."""
    return unite(*(outcome.rows.pop(system) for outcome in outcomes if system in outcome.rows))


def measure_packed(chunk: Chunk) -> bytes:
    """Measure a chunk and pack the outcome; the bytes do not depend on where this runs."""
    return pack(msgspec.structs.replace(measure_chunk(chunk), digest=chunk.digest, cases={}))


def measure_chunk(
    chunk: Chunk, watch: Callable[[int, int], None] = lambda _, __: None
) -> ChunkOutcome:
    """Read a chunk, measure its cases, and return the outcome.

    Where the data have problems, these are among the findings and nothing is measured; or the bad
    cases are left out, if the settings say so. `watch` gets how many cases are measured, of how
    many.
    """
    try:
        with no_collector():  # it is slow while many objects are made, and none of them is garbage
            return _outcome_of(chunk, watch)
    except UsageError as error:  # as text, which every engine can send to the parent
        return ChunkOutcome(usage_error=str(error))


def _outcome_of(
    chunk: Chunk, watch: Callable[[int, int], None] = lambda _, __: None
) -> ChunkOutcome:
    problems = Problems(chunk.settings.reading, partial=bool(chunk.keys))
    outcome = ChunkOutcome()
    try:
        outcome = _read_and_measure(chunk, problems, watch)
    except UsageError:
        raise
    except DataError as error:
        reported = set(problems.problems)
        problems.problems += [problem for problem in error.problems if problem not in reported]
    except Exception as error:  # other cases of the chunk must not be lost
        if not chunk.keys:
            raise
        if len(chunk.keys) > 1:
            return _halved(chunk)
        problems.problem(f"{chunk.keys[0]}: {type(error).__name__}: {error}")
    if problems.problems and chunk.settings.leave_out and chunk.keys:
        if len(chunk.keys) > 1:
            return _halved(chunk)
        return ChunkOutcome(bad=[BadCase(chunk.keys[0], tuple(map(str, problems.problems)))])
    outcome.findings = problems.findings
    return outcome


def _halved(chunk: Chunk) -> ChunkOutcome:
    """Measure both halves of a chunk, to isolate the bad cases."""
    first, second = map(_outcome_of, chunk.split((len(chunk.keys) // 2, len(chunk.keys))))
    return ChunkOutcome(
        {name: united_rows(name, (first, second)) for name in {**first.rows, **second.rows}},
        first.matches + second.matches,
        first.texts + second.texts,
        first.findings + second.findings,
        first.bad + second.bad,
    )


def _read_and_measure(
    chunk: Chunk, problems: Problems, watch: Callable[[int, int], None]
) -> ChunkOutcome:
    settings = chunk.settings
    family = find_family(settings.family, settings.words)
    metrics = [family.metric(name).allowing(settings.functions) for name in settings.metrics]
    trials = chunk.gold is None or "trial" in family.levels
    systems = chunk.systems if trials else {name: files[0] for name, files in chunk.systems.items()}
    cases = family.read_cases(chunk.gold, systems, problems, settings.options, **settings.words)
    problems.check()
    total, done = sum(map(len, cases.values())), 0

    def count(number: int) -> None:
        nonlocal done
        done += number
        watch(done, total)

    measurements = measure_systems(
        family,
        metrics,
        cases,
        by=settings.by,
        days=settings.days,
        explain=settings.explain,
        watch=count,
    )
    return ChunkOutcome(measurements.rows, measurements.matches, measurements.texts, cases=cases)


# From cases to rows of evidence and their matches.


def measure_systems(
    family: Family,
    metrics: Sequence[Metric],
    systems: Mapping[str, Cases],
    *,
    by: Sequence[str] = (),
    days: bool = False,
    explain: bool = False,
    watch: Watch = lambda _: None,
) -> Measurements:
    """Measure the cases of each system with every metric.

    `explain` also collects the matches, and the texts where the family has them; `days` and `by`
    are those of `measure`. `watch` gets the number of cases that were measured since its last call.
    """
    result = Measurements()
    for system, cases in systems.items():
        if not explain and not days:
            result.rows[system] = measured(family, cases, metrics, by, watch)
            continue
        rows = []
        for row, matches in measure(
            family, cases, metrics, explain=explain, days=days, by=by, watch=watch
        ):
            rows.append(row)
            result.matches += [CaseMatches(system, row.case, *item) for item in matches.items()]
        result.rows[system] = EvidenceTable.of(rows)
        if explain and family.texts:
            settings = [metric.setting for metric in metrics]
            for case in cases:
                gold, predicted = family.texts(case, settings)
                times = family.times(case, settings) if family.times else ({}, {})
                result.texts.append(
                    CaseTexts(system, case.id, dict(gold), dict(predicted), *map(dict, times))
                )
    return result


def measure(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    *,
    explain: bool = False,
    days: bool = False,
    by: Sequence[str] = (),
    watch: Watch = lambda _: None,
) -> Iterator[tuple[Row, dict[str, tuple[Match, ...]]]]:
    """Measure each case with every metric: its row and, if requested, its matches by metric.

    Metrics of equal setting share one comparison of a case. With `days` a row also has the
    statistics of each day; with `by` those of each value that its items have under these names.
    """
    triples = [(str(metric), metric, metric.setting) for metric in metrics]
    for block in _blocks(family, cases):
        compared = {setting: _compare(family, block, setting) for setting in _settings(metrics)}
        for at, case in enumerate(block):
            pairs = {name: (metric, compared[setting][at]) for name, metric, setting in triples}
            evidence = {name: metric.measure(result) for name, (metric, result) in pairs.items()}
            if days:
                parts = {
                    name: metric.parts(result, DAY) for name, (metric, result) in pairs.items()
                }
            else:
                divided = {name: _divide(family, *pair, by) for name, pair in pairs.items()}
                parts = {name: values[0] for name, values in divided.items() if values}
            row = Row(
                case=case.id,
                tags=dict(case.tags),
                gold=digest(family.content(case.gold)),
                predicted=digest(family.content(case.predicted)),
                statistics={name: counts.statistics for name, counts in evidence.items()},
                steps={name: counts.steps for name, counts in evidence.items() if counts.steps},
                parts=parts,
            )
            explained = pairs if explain else {}
            yield (
                row,
                {name: metric.explain(result) for name, (metric, result) in explained.items()},
            )
            watch(1)


def _blocks(family: Family, cases: Iterable[Case[Any, Any]]) -> Iterator[list[Case[Any, Any]]]:
    """Yield cases in blocks of at most `TOGETHER` cases or `CELLS_TOGETHER` cells.

    A case whose tables exceed the memory budget is refused before they are built.
    """
    together = TOGETHER if family.compare_many else 1
    allowed = budget.limit()
    block: list[Case[Any, Any]] = []
    cells = 0
    for case in cases:
        case_cells = family.cells(case) if family.cells else 0
        if case_cells * BYTES_A_CELL > allowed:
            what = f"case '{case.id}' makes tables of {case_cells:,} cells"
            budget.check(case_cells * BYTES_A_CELL, what)
        if block and (len(block) == together or cells + case_cells > CELLS_TOGETHER):
            yield block
            block, cells = [], 0
        block.append(case)
        cells += case_cells
    if block:
        yield block


def _compare(family: Family, block: Cases, setting: Hashable) -> Sequence[Any]:
    if family.compare_many is not None:
        return family.compare_many(block, setting)
    return [family.compare(case, setting) for case in block]


def _divide(
    family: Family, metric: Metric, comparison: Any, by: Sequence[str]
) -> Sequence[Parts] | None:
    return family.divide(metric, comparison, by) if family.divide is not None and by else None


def measured(
    family: Family,
    cases: Iterable[Case[Any, Any]],
    metrics: Sequence[Metric],
    by: Sequence[str] = (),
    watch: Watch = lambda _: None,
) -> EvidenceTable:
    """Measure all cases into a table, block by block where metrics can; a batch is one block.

    `by` is that of `measure`.
    """
    in_blocks = isinstance(cases, Batch) or family.compare_many is not None
    if not in_blocks or any(metric.definition.measure_batch is None for metric in metrics):
        rows = measure(family, cases, metrics, by=by, watch=watch)
        return EvidenceTable.of(row for row, _ in rows)
    if isinstance(cases, Batch):
        columns = dict.fromkeys((metric.setting for metric in metrics), cases.columns)
        return _measured(family, cases.ids, cases.tags, cases.digests(), metrics, columns, by)
    tables = []
    for block in _blocks(family, cases):
        columns = {setting: _compare(family, block, setting) for setting in _settings(metrics)}
        tags = labelled([case.tags for case in block])
        sides = [[case.gold for case in block], [case.predicted for case in block]]
        gold, predicted = (digests(digest_each(map(family.content, side))) for side in sides)
        ids = [case.id for case in block]
        tables.append(_measured(family, ids, tags, (gold, predicted), metrics, columns, by))
        watch(len(block))
    return unite(*tables)


def _settings(metrics: Sequence[Metric]) -> list[Hashable]:
    return [*dict.fromkeys(metric.setting for metric in metrics)]


def _measured(
    family: Family,
    ids: Sequence[str],
    tags: Mapping[str, Labels],
    data: tuple[Digests, Digests],
    metrics: Sequence[Metric],
    columns: Mapping[Hashable, Any],
    by: Sequence[str],
) -> EvidenceTable:
    """Measure cases from their columns under each setting; `data` are digests of both sides."""
    found = {str(metric): metric.measure_block(columns[metric.setting]) for metric in metrics}
    divided = {str(m): _divide(family, m, columns[m.setting], by) for m in metrics}
    gold, predicted = data
    return EvidenceTable(
        cases=ids,
        tags=tags,
        gold=gold,
        predicted=predicted,
        statistics={name: np.asarray(one.statistics, np.float64) for name, one in found.items()},
        whole={
            str(metric): tuple(s.kind == "integer" for s in metric.definition.statistics)
            for metric in metrics
        },
        steps={name: one.steps for name, one in found.items() if len(one.steps)},
        parts={name: parts for name, parts in divided.items() if parts is not None},
    ).sorted_by_case()
