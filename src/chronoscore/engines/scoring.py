"""A run from start to end: plan, cut into chunks, measure, unite the rows, assemble the result.

The same function measures a chunk in this process, in others and on a cluster; a run that is not
cut is one chunk of whole sources.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise
from math import inf
from typing import TYPE_CHECKING

import msgspec

from chronoscore import __version__
from chronoscore.core.case import check_pairs, copies, given_once
from chronoscore.core.evidence_table import EvidenceTable, unpack
from chronoscore.core.family import find_family
from chronoscore.core.name_matching.systems import names_by_system
from chronoscore.core.problems import Fact, Findings, Notice, Problems, united
from chronoscore.core.records import is_saved_result, misspelt, refuse_misspelt
from chronoscore.core.result import (
    CaseMatches,
    CaseTexts,
    ResultDocument,
    left_out_notice,
    unread_notice,
)
from chronoscore.core.sources import FileSource, column_names
from chronoscore.engines.assemble import assemble
from chronoscore.engines.chunks import (
    BadCase,
    Cases,
    Chunk,
    ChunkOutcome,
    ChunkSettings,
    measure_chunk,
    measure_packed,
    measure_systems,
    united_rows,
)
from chronoscore.engines.plan import (
    Inputs,
    Manifest,
    Plan,
    Progress,
    most_memory,
    not_cuttable,
    versions,
)
from chronoscore.engines.settings import DAY, Settings
from chronoscore.errors import DataError, Problem, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from chronoscore.engines.index import IndexedInputs
    from chronoscore.engines.resume import WorkFolder
    from chronoscore.engines.workers import LostJob, WorkerPool

AUTO_BYTES = 6 * 1024 * 1024
"""Less than that is measured here before other processes have started."""

MOST_NOTICES = 50
"""A run that is cut shows this many notices about single lines of a source."""

Notify = Callable[[str], None]
Watch = Callable[[Progress], None]


class Scored(msgspec.Struct, frozen=True):
    """A result, the matches that explain it, and the record of the run."""

    result: ResultDocument
    matches: Sequence[CaseMatches] = ()
    texts: Sequence[CaseTexts] = ()
    facts: Mapping[Fact, int] = msgspec.field(default_factory=dict)
    """What the family's reader counted in the data."""
    cases: Mapping[str, Cases] = msgspec.field(default_factory=dict)
    """What was measured, if the run was not cut."""
    bad: tuple[BadCase, ...] = ()
    """Cases that were left out."""
    unread: tuple[Problem, ...] = ()
    """Lines that can't be read: their cases are unknown, and scored without them."""
    manifest: Manifest | None = None
    """What the run was, if it was cut."""


def score(
    settings: Settings,
    systems: Mapping[str, Cases],
    *,
    notices: Sequence[str] = (),
    explain: bool = False,
) -> Scored:
    """Measure cases that are in memory, and assemble the result."""
    measurements = measure_systems(
        settings.family,
        settings.metrics,
        systems,
        by=settings.values,
        days=_by_day(settings),
        explain=explain,
    )
    result = assemble(settings, measurements.rows, notices=notices)
    return Scored(result, measurements.matches, measurements.texts, cases=systems)


def score_sources(
    settings: Settings,
    inputs: Inputs,
    problems: Problems,
    plan: Plan | None = None,
    *,
    explain: bool = False,
    also_named: Sequence[str] = (),
    notify: Notify = lambda _: None,
    watch: Watch = lambda _: None,
) -> Scored:
    """Score sources. The result does not depend on the engine, the cut or the order of lines.

    Problems and notices go to `problems`; bad data raise a DataError. `also_named` are further
    names of values that the data must have; `notify` gets messages during the run, `watch` gets
    its progress.
    """
    _refuse_saved_results(inputs, problems)
    plan = plan or Plan()
    run = _Run(settings, inputs, problems, plan, explain, tuple(also_named), notify, watch)
    return run.in_chunks() if plan.cuts(inputs) else run.whole()


def _refuse_saved_results(inputs: Inputs, problems: Problems) -> None:
    """Refuse saved results before a reader reports each of their lines."""
    files = [one for one in inputs.every if isinstance(one, FileSource) and one.is_file]
    saved = [source for source in files if is_saved_result(source.path)]
    for source in saved:
        problems.problem("this is a saved result; `chronoscore show` reads it", source)
    if saved:
        problems.check()


@dataclass(eq=False, repr=False)
class _Run:
    """One run over sources, and its state."""

    settings: Settings
    inputs: Inputs
    problems: Problems
    plan: Plan
    explain: bool
    also_named: tuple[str, ...]
    notify: Notify
    watch: Watch
    bad: list[BadCase] = field(default_factory=list)
    unread: list[Problem] = field(default_factory=list)
    engine: str = ""
    workers: int = 1
    dashboard: str = ""
    chunks_now: int = 0
    cases_now: int = 0
    """Chunks and cases that no earlier run has measured."""
    pairs_left_out: bool = False
    """Whether a case with a gold and a prediction was bad: the facts are without it."""

    def __post_init__(self) -> None:
        self.clock = _Clock()
        self.notices_before = len(self.problems.notices)

    def whole(self) -> Scored:
        """Score one chunk of whole sources in this process."""
        chunk = Chunk(self.inputs.gold, self.inputs.systems, self._chunk_settings())
        outcome = measure_chunk(
            chunk, lambda done, of: self.watch(Progress("measure", done, of, self.clock.elapsed()))
        )
        if outcome.usage_error:
            raise UsageError(outcome.usage_error)
        facts = outcome.findings.facts
        notices, names = self._check(outcome.findings), names_by_system(facts)
        result = assemble(self.settings, outcome.rows, notices=notices, names=names)
        return Scored(result, outcome.matches, outcome.texts, facts, outcome.cases)

    def in_chunks(self) -> Scored:
        """Index the sources, cut them, measure the chunks where the plan says, and unite them."""
        from chronoscore.engines.index import cut  # noqa: PLC0415 - few runs are cut
        from chronoscore.engines.resume import ItemsOnDisk, temporary_folder  # noqa: PLC0415

        self._check_cuttable()
        with temporary_folder() as folder, self._worker_pool() as pool:
            indexed = self._indexed(folder)
            self.clock.stop("index")
            indexed, chunk_settings, name_findings = self._matched(indexed)
            keys, caseless = self._usable_keys(indexed), indexed.caseless()
            all_chunks = cut(chunk_settings, indexed, keys, self.plan.chunk)
            chunks = {chunk.digest: chunk for chunk in all_chunks}
            digests = {index.source.name: index.digest for index in indexed.every}
            work_folder = self._work_folder(digests)
            self.clock.stop("cut")
            counts = {
                "cases": sum(key not in caseless for key in keys),
                "chunks": len(chunks),
                "lines": sum(len(index.lines) for index in indexed.every),
                "bytes": sum(int(index.lines.length.sum()) for index in indexed.every),
            }
            files = [name for index in indexed.every for name in index.lines.names]
            firsts = {digest: "".join(chunk.keys[:1]) for digest, chunk in chunks.items()}
            paired = indexed.paired_keys()
            outcomes = self._measured(chunks, caseless, work_folder, folder, pool)
            if work_folder is not None:
                work_folder.remember_inputs()
            del indexed, keys, chunks  # free memory for the rows
        self.clock.stop("measure")
        all_findings = (name_findings, *(outcome.findings for outcome in outcomes))
        findings = _in_order(united(all_findings), files)
        names = [*self.inputs.systems] if self.inputs.gold is not None else []
        names += sorted({name for outcome in outcomes for name in outcome.rows})
        rows = {name: united_rows(name, outcomes) for name in dict.fromkeys(names)}
        self.clock.stop("unite")
        self.pairs_left_out = any(one.case in paired for one in self.bad)
        notices = [*self._check(findings, rows), *self._left_out()]
        result = assemble(
            self.settings,
            rows,
            notices=notices,
            left_out=len(self.bad),
            names=names_by_system(findings.facts),
        )
        matches: Sequence[CaseMatches] = ()
        texts: Sequence[CaseTexts] = ()
        if self.explain and work_folder is not None:
            on_disk = [
                (firsts[outcome.digest], outcome.digest) for outcome in outcomes if not outcome.lost
            ]
            matches = ItemsOnDisk(work_folder, on_disk, list(rows), lambda outcome: outcome.matches)
            texts = ItemsOnDisk(work_folder, on_disk, list(rows), lambda outcome: outcome.texts)
        self.clock.stop("summarise")
        return Scored(
            result,
            matches,
            texts,
            findings.facts,
            bad=tuple(self.bad),
            unread=tuple(self.unread),
            manifest=self._manifest(counts, digests),
        )

    def _chunk_settings(self) -> ChunkSettings:
        settings = self.settings
        return ChunkSettings(
            family=settings.family.home,
            metrics=tuple(str(metric) for metric in settings.metrics),
            functions=settings.allowed_functions(),
            options=settings.reader_options,
            words=dict(self.inputs.words),
            reading=self.problems.options,
            by=settings.values,
            days=_by_day(settings),
            explain=self.explain,
            leave_out=self.plan.most_bad is not None,
        )

    def _check_cuttable(self) -> None:
        """Stop at sources that can't be cut, at misspelt columns, and at a sheet given twice."""
        family = self.settings.family
        if why := not_cuttable(self.inputs):
            only_bad = self.plan == Plan(most_bad=self.plan.most_bad)
            options = "--max-bad reads" if only_bad else "--engine and --work read"
            raise UsageError(f"{options} files in chunks, and {why}")
        if family.case_keys is None:
            raise UsageError(f"{family.name} is not read in chunks")
        for file in self.inputs.files:
            if family.columns and isinstance(file, FileSource) and file.is_table:
                names = misspelt(column_names(file.path), sorted(family.columns))
                refuse_misspelt(names, self.problems, file)
        if self.inputs.gold is None:
            given_once(self.inputs.every, self.problems)
        self.problems.check()

    def _indexed(self, folder: Path) -> IndexedInputs:
        from chronoscore.engines.index import index_inputs  # noqa: PLC0415 - few runs are cut

        files = self.inputs.files
        # The length of a packed file is unknown until it is unpacked.
        whole = 0 if any(file.packing for file in files) else sum(file.size for file in files)
        read = 0

        def progress(more: int) -> None:
            nonlocal read
            read += more
            self.watch(Progress("index", read, whole, self.clock.elapsed()))

        case_keys = self.settings.family.case_keys
        assert case_keys is not None  # `_check_cuttable` has checked it
        indexed = index_inputs(self.inputs, case_keys, folder, self.problems, progress)
        self.problems.check()
        return indexed

    def _matched(self, indexed: IndexedInputs) -> tuple[IndexedInputs, ChunkSettings, Findings]:
        """Match the names of predictions and golds before they are cut apart."""
        settings, words = self._chunk_settings(), self.inputs.words
        problems, options = Problems(self.problems.options), settings.options
        if self.plan.most_bad is not None and indexed.unreadable():
            options = {**options, "extra": "skip"}  # the gold may be in a line that can't be read
        indexed, maps = indexed.matched(
            self.settings.family, problems, options, words.get("rename") or {}
        )
        self.problems.problems += problems.problems
        self.problems.check()
        if maps:
            settings = replace(settings, words={**settings.words, "pairs": maps})
        return indexed, settings, problems.findings

    def _usable_keys(self, indexed: IndexedInputs) -> list[str]:
        """Return the keys of all lines; bad lines stop the run, or their cases are left out."""
        if self.plan.most_bad is None:
            indexed.report_problems(self.problems)
            self.problems.check()
            return indexed.all_keys()
        self.unread, self.bad = indexed.unreadable(), indexed.ambiguous()
        ambiguous = {bad_case.case for bad_case in self.bad}
        return [key for key in indexed.all_keys() if key not in ambiguous]

    def _worker_pool(self) -> WorkerPool[Chunk, bytes]:
        """Start workers while the sources are indexed, if the run is large enough for them."""
        from chronoscore.engines.index import LEAST_BYTES  # noqa: PLC0415 - few runs are cut
        from chronoscore.engines.workers import WorkerPool  # noqa: PLC0415

        plan = self.plan
        files = [file for file in self.inputs.files if isinstance(file, FileSource)]
        size = sum(file.path.stat().st_size for file in files)
        enough = {"auto": AUTO_BYTES, "processes": 2 * LEAST_BYTES}.get(plan.engine, inf)
        few = plan.chunk and plan.engine == "auto"
        resumed = plan.work and plan.work.exists()  # an earlier run may have measured most
        pays = size >= enough and plan.most_workers > 1 and not few and not resumed
        early = min(plan.most_workers, size // LEAST_BYTES) if pays else 0
        prepare = partial(find_family, self.settings.family.home, dict(self.inputs.words))
        return WorkerPool(measure_packed, prepare, early)

    def _work_folder(self, digests: Mapping[str, str]) -> WorkFolder | None:
        """Return the folder of finished chunks: the user's, or a temporary one for matches."""
        from chronoscore.engines.resume import WorkFolder  # noqa: PLC0415 - few runs are cut

        if not self.plan.work:
            return WorkFolder.temporary() if self.explain else None
        folder = WorkFolder.at(self.plan.work)
        for notice in folder.note_inputs(digests):
            self.notify(notice)
        return folder

    def _measured(
        self,
        chunks: Mapping[str, Chunk],
        caseless: frozenset[str],
        work_folder: WorkFolder | None,
        folder: Path,
        pool: WorkerPool[Chunk, bytes],
    ) -> list[ChunkOutcome]:
        """Return the outcomes of all chunks, in their order; matches and texts stay on disk."""
        by_digest: dict[str, ChunkOutcome] = {}
        for digest in chunks:
            finished = work_folder.finished_chunk(digest) if work_folder is not None else None
            # What was refused may pass now: the memory that is allowed is not in the digest.
            if finished is not None and not finished.bad and not finished.findings.problems:
                by_digest[digest] = _light(finished)
        if work_folder is not None and work_folder.damaged:
            number = len(work_folder.damaged)
            subject = "1 finished part was" if number == 1 else f"{number} finished parts were"
            self.notify(
                f"{subject} damaged, or of an older version, and measured again "
                f"(first {work_folder.damaged[0]})"
            )
        unfinished = {digest: chunk for digest, chunk in chunks.items() if digest not in by_digest}
        sizes = {digest: len({*chunk.keys} - caseless) for digest, chunk in unfinished.items()}
        total, started = sum(sizes.values()), self.clock.elapsed()
        self.chunks_now = len(unfinished)
        self._check_bad()
        for packed in self._outcomes([*unfinished.values()], folder, pool):
            outcome = self._outcome(packed, work_folder)
            by_digest[outcome.digest] = _light(outcome)
            self.cases_now += sizes[outcome.digest]
            self.bad += outcome.bad
            self._check_bad()
            seconds = self.clock.elapsed() - started
            self.watch(Progress("measure", self.cases_now, total, seconds))
        self.bad.sort(key=lambda bad_case: bad_case.case)
        return [by_digest[digest] for digest in chunks]

    def _outcome(
        self, packed: bytes | LostJob[Chunk], work_folder: WorkFolder | None
    ) -> ChunkOutcome:
        if not isinstance(packed, bytes):
            chunk, reason = packed.job, packed.reason
            if self.plan.most_bad is None:
                problems = tuple(Problem(f"{key}: {reason}") for key in chunk.keys)
                return ChunkOutcome(digest=chunk.digest, findings=Findings(problems), lost=True)
            bad = [BadCase(key, (reason,)) for key in chunk.keys]
            return ChunkOutcome(digest=chunk.digest, bad=bad, lost=True)
        outcome = unpack(packed, ChunkOutcome)
        if outcome.usage_error:  # not saved: the next call may have other options
            raise UsageError(outcome.usage_error)
        if work_folder is not None:
            work_folder.keep(outcome.digest, packed)
        return outcome

    def _outcomes(
        self, chunks: Sequence[Chunk], folder: Path, pool: WorkerPool[Chunk, bytes]
    ) -> Iterable[bytes | LostJob[Chunk]]:
        """Measure chunks with the engine of the plan, in any order."""
        plan = self.plan
        self.engine, self.workers = plan.engine, plan.most_workers
        if self.engine == "auto":
            size = sum(chunk.size for chunk in chunks)
            pays = self.workers > 1 and len(chunks) > 2 and size >= AUTO_BYTES
            self.engine = "processes" if pays else "here"
        if self.engine == "here":
            self.workers = 1
            return map(measure_packed, chunks)
        if self.engine == "processes":
            self.workers = min(self.workers, max(len(chunks), 1))
            return pool.map(chunks, self.workers)
        from chronoscore.engines.workers import (  # noqa: PLC0415  # seldom needed
            Cluster,
            run_on_cluster,
        )

        address = "" if plan.engine == "dask" else plan.engine.replace("dask://", "tcp://")
        cluster = Cluster(address, self.workers, folder, plan.dashboard)
        return run_on_cluster(measure_packed, chunks, cluster, self._show_dashboard, self.notify)

    def _show_dashboard(self, link: str) -> None:
        self.dashboard = link
        self.notify(f"the Dask dashboard is {link}")

    def _check_bad(self) -> None:
        most = self.plan.most_bad
        if most is None or len(self.bad) + len(self.unread) <= most:
            return
        if self.unread:
            what, first = "cases or lines", str(self.unread[0])
        else:
            what, first = "cases", f"{self.bad[0].case}: {self.bad[0].reasons[0]}"
        raise DataError.of(f"more than {most} {what} are bad, first {first}")

    def _check(
        self, findings: Findings, rows: Mapping[str, EvidenceTable] | None = None
    ) -> list[str]:
        """Check what needs the findings of all chunks; return the notices of the run."""
        run_problems = Problems(self.problems.options)
        run_problems.add(findings)
        if not run_problems.problems:
            left_out = self.pairs_left_out
            check_facts(self.settings, run_problems, self.also_named, rows, pairs_left_out=left_out)
        self.problems.add(run_problems.findings)
        self.problems.check()
        return [str(notice) for notice in self.problems.notices[self.notices_before :]]

    def _left_out(self) -> list[str]:
        """Return notices of the cases and lines that were left out."""
        notices = []
        if self.unread:
            notices.append(unread_notice([f"{line.path}:{line.line}" for line in self.unread]))
        if self.bad:
            notices.append(left_out_notice(len(self.bad)))
        return notices

    def _manifest(self, counts: Mapping[str, int], digests: dict[str, str]) -> Manifest:
        seconds = self.clock.seconds()
        done = {"index": counts["bytes"], "measure": self.cases_now, "total": counts["cases"]}
        rates = {name: n / seconds[name] if seconds[name] else 0.0 for name, n in done.items()}
        packings = {file.packing for file in self.inputs.files}
        return Manifest(
            version=__version__,
            versions=versions(self.engine, packings),
            engine=self.engine,
            workers=self.workers,
            dashboard=self.dashboard,
            **counts,
            reused=counts["chunks"] - self.chunks_now,
            bad=len(self.bad),
            unread=len(self.unread),
            seconds=seconds,
            rate=rates["measure"],
            rates=rates,
            memory=most_memory(),
            inputs=digests,
        )


class _Clock:
    """Measures the seconds of each stage."""

    def __init__(self) -> None:
        self._times = [("", time.monotonic())]

    def elapsed(self) -> float:
        return time.monotonic() - self._times[0][1]

    def stop(self, stage: str) -> None:
        self._times.append((stage, time.monotonic()))

    def seconds(self) -> dict[str, float]:
        by_stage = {stage: end - start for (_, start), (stage, end) in pairwise(self._times)}
        return {**by_stage, "total": self._times[-1][1] - self._times[0][1]}


def check_facts(
    settings: Settings,
    problems: Problems,
    also_named: Sequence[str] = (),
    rows: Mapping[str, EvidenceTable] | None = None,
    *,
    pairs_left_out: bool = False,
) -> None:
    """Report problems that only show in the facts of all data, or in the rows of all chunks.

    These are golds and predictions without a partner, names that the data do not have, and copies
    of the gold.
    """
    family = settings.family
    check_pairs(problems, pairs_left_out=pairs_left_out)
    if family.check_names is not None:
        if also_named:
            family.check_names((), problems.facts, problems, also_named)
        family.check_names(settings.metrics, problems.facts, problems, settings.values)
    if family.review is not None and rows is not None:
        family.review(rows, problems.facts, problems)
    if not problems.problems:
        for text in copy_notices(settings, problems.facts):
            problems.notice(text)


def copy_notices(settings: Settings, facts: Mapping[Fact, int]) -> list[str]:
    """Report predictions that equal the gold in every case, from the counts of the reader."""
    advice = [settings.family.copy_advice(metric) for metric in settings.metrics]
    if all(text is None for text in advice):
        return []
    added = next((f" ({text})" for text in advice if text), "")
    return [
        f"{system}: the prediction equals the gold in "
        + (f"all {cases} cases" if cases > 1 else "the only case")
        + f": is it a copy of the gold?{added}"
        for system, cases in copies(facts).items()
    ]


def _by_day(settings: Settings) -> bool:
    return settings.chance is not None and settings.chance.unit == DAY


def _in_order(findings: Findings, files: Sequence[str]) -> Findings:
    """Sort the findings of all chunks in the order of the sources."""
    place = {name: at for at, name in enumerate(files)}
    problems = sorted(
        findings.problems,
        key=lambda finding: (place.get(finding.path, len(files)), finding.line or 0),
    )
    notices = sorted(
        findings.notices,
        key=lambda finding: (finding.order, finding.path, finding.line or 0, finding.message),
    )
    return Findings(tuple(problems), tuple(_shortened(notices)), findings.facts)


def _shortened(notices: Iterable[Notice]) -> Iterator[Notice]:
    """Shorten long lists of notices about one source; counted notices are all kept."""
    for _, group in groupby(notices, key=lambda notice: notice.order):
        source_notices = list(group)
        single = [notice for notice in source_notices if not notice.count]
        left_out = {id(notice) for notice in single[MOST_NOTICES:]}
        shown = [notice for notice in source_notices if id(notice) not in left_out]
        if left_out:
            last = shown.index(single[MOST_NOTICES - 1]) + 1
            text = f"and {len(left_out)} more notices"
            shown.insert(last, msgspec.structs.replace(single[0], message=text, line=None))
        yield from shown


def _light(outcome: ChunkOutcome) -> ChunkOutcome:
    """Drop the matches and texts, which stay on disk."""
    return msgspec.structs.replace(outcome, matches=[], texts=[])
