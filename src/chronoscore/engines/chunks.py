"""A chunk: some cases with their sources, and the function with which every engine measures it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore import __version__
from chronoscore.core.case import digest
from chronoscore.core.evidence_table import pack, unite
from chronoscore.core.family import find_family
from chronoscore.core.problems import Findings, Problems, ReadingOptions
from chronoscore.core.records import no_collector
from chronoscore.core.result import CaseMatches, CaseTexts
from chronoscore.core.sources import SliceSource, Source
from chronoscore.engines.here import Cases, Measurements, measure_systems
from chronoscore.errors import DataError, UsageError

Places = NDArray[np.int32]


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
class Chunk:
    """Some cases: their lines in the gold and in every file of every system.

    A run that is not cut has one chunk, of whole sources.
    """

    settings: ChunkSettings
    gold: Source | None
    systems: Mapping[str, Sequence[Source]]
    keys: tuple[str, ...] = ()
    """The names of the cases of a chunk that was cut."""
    places: tuple[Places, ...] = ()
    """Of each source that was cut, and each of its lines, the place of its key in `keys`."""

    @property
    def sources(self) -> list[Source]:
        """The gold, then the sources of the systems."""
        system_sources = [source for sources in self.systems.values() for source in sources]
        return system_sources if self.gold is None else [self.gold, *system_sources]

    @property
    def slices(self) -> list[SliceSource]:
        """The sources of a chunk that was cut."""
        return [source for source in self.sources if isinstance(source, SliceSource)]

    @property
    def digest(self) -> str:
        """The digest of everything that the outcome depends on."""
        content = [
            (source.file_name, source.slice.digest.tolist(), places.tolist())
            for source, places in zip(self.slices, self.places, strict=True)
        ]
        settings = msgspec.to_builtins(self.settings)
        return digest([__version__, settings, list(self.systems), self.keys, content])

    @property
    def size(self) -> int:
        """The bytes of all its lines."""
        return sum(int(source.slice.length.sum()) for source in self.slices)

    def part(self, begin: int, end: int) -> "Chunk":
        """Return the chunk of the cases from `begin` to before `end`."""
        chosen = [np.flatnonzero((at >= begin) & (at < end)) for at in self.places]
        cut = iter([source.take(lines) for source, lines in zip(self.slices, chosen, strict=True)])
        return Chunk(
            self.settings,
            None if self.gold is None else next(cut),
            {name: [next(cut) for _ in sources] for name, sources in self.systems.items()},
            self.keys[begin:end],
            tuple(
                at[lines] - np.int32(begin) for at, lines in zip(self.places, chosen, strict=True)
            ),
        )


class BadCase(msgspec.Struct, frozen=True):
    """A case that could not be measured, and why."""

    case: str
    reasons: tuple[str, ...]


@dataclass
class ChunkOutcome(Measurements):
    """The measurements and findings of a chunk."""

    findings: Findings = field(default_factory=Findings)
    bad: list[BadCase] = field(default_factory=list)
    usage_error: str = ""
    """Why the run can't go on, such as a function of the user that fails: no case is to blame."""
    cases: Mapping[str, Cases] = field(default_factory=dict)
    """What was measured; it is not sent."""


class PackedOutcome(msgspec.Struct):
    """The outcome of a chunk in the form in which it is sent, saved and held in memory."""

    digest: str
    """That of the chunk."""
    findings: Findings = Findings()
    rows: dict[str, bytes] = {}
    matches: list[CaseMatches] = []
    texts: list[CaseTexts] = []
    bad: list[BadCase] = []
    usage_error: str = ""
    lost: bool = False
    """Whether every worker that took the chunk died."""


def measure_packed(chunk: Chunk) -> bytes:
    """Measure a chunk and pack the outcome; the bytes do not depend on where this runs."""
    outcome = measure_chunk(chunk)
    rows = {name: pack(rows) for name, rows in outcome.rows.items()}
    packed = PackedOutcome(
        chunk.digest,
        outcome.findings,
        rows,
        outcome.matches,
        outcome.texts,
        outcome.bad,
        outcome.usage_error,
    )
    return msgspec.msgpack.encode(packed)


def measure_chunk(
    chunk: Chunk, watch: Callable[[int, int], None] = lambda _, __: None
) -> ChunkOutcome:
    """Read a chunk, measure its cases, and return the outcome.

    Where the data have problems, these are among the findings and nothing is measured; or the bad
    cases are left out, if the settings say so. `watch` gets how many cases are measured, of how
    many.
    """
    try:
        # Garbage collection is slow while many objects are made; a chunk that was cut is small.
        with no_collector() if chunk.keys else nullcontext():
            return _measured(chunk, watch)
    except UsageError as error:  # as text, which every engine can send to the parent
        return ChunkOutcome(usage_error=str(error))


def _measured(chunk: Chunk, watch: Callable[[int, int], None] = lambda _, __: None) -> ChunkOutcome:
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
    middle = len(chunk.keys) // 2
    halves = [_measured(chunk.part(0, middle)), _measured(chunk.part(middle, len(chunk.keys)))]
    first, second = halves
    return ChunkOutcome(
        rows={
            name: unite(*(half.rows[name] for half in halves if name in half.rows))
            for name in {**first.rows, **second.rows}
        },
        matches=first.matches + second.matches,
        texts=first.texts + second.texts,
        findings=first.findings + second.findings,
        bad=first.bad + second.bad,
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

    def measured(number: int) -> None:
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
        watch=measured,
    )
    return ChunkOutcome(measurements.rows, measurements.matches, measurements.texts, cases=cases)
