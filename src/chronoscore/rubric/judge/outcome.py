"""The results of a run: judgements of complete answers only, failures, votes, and a manifest.

The manifest records the judge, its settings, and the tokens, time and cost; it holds no secret.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import msgspec

from chronoscore import __version__
from chronoscore.core.case import digest
from chronoscore.core.writing import json_text, write_file
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.sheets import ENDINGS, FORMATS, write_judgements
from chronoscore.rubric.formats.workbooks import library
from chronoscore.rubric.judge.asking import CachedAnswer, JudgeRun
from chronoscore.rubric.judge.judge import Judge, PlannedJudgement
from chronoscore.rubric.judge.prompt import PROMPT_VERSION
from chronoscore.rubric.judgements import Judgement


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A judgement that failed, and why."""

    event_id: str
    evaluator: str
    round: str
    reason: str
    criterion: str = ""
    """The field that was asked for, if criteria were asked one by one."""
    replies: tuple[str, ...] = ()
    """The model's replies, as they came."""


class Votes(msgspec.Struct, frozen=True):
    """How many samples of one event gave each value."""

    event_id: str
    samples: int
    votes: dict[str, dict[str, int]]
    """How many samples gave each value, by criterion."""
    share: dict[str, float]
    """The share of the most frequent value, by criterion."""


@dataclass(frozen=True)
class RunOutcome:
    """The judgements and failures of a run, and how many judgements it did not reach."""

    judgements: tuple[Judgement, ...]
    failures: tuple[Failure, ...]
    not_asked: int
    votes: tuple[Votes, ...]
    """The votes on each event; empty if there is only one sample."""


def outcome_of(
    judge: Judge, planned: Sequence[PlannedJudgement], run: JudgeRun, system: str = ""
) -> RunOutcome:
    """Combine the answers into judgements, in the order of the events."""
    judgements: list[Judgement] = []
    failures: list[Failure] = []
    not_asked = 0
    for plan in planned:
        event, round_ = plan.event, str(plan.sample)
        answered = [(q, run.outcomes[q.key]) for q in plan.questions if q.key in run.outcomes]
        failed = [(question, outcome) for question, outcome in answered if outcome.failure]
        for question, outcome in failed:
            criterion = question.codebook.criteria[0].field if judge.per_criterion else ""
            replies = tuple(answer.content for answer in outcome.answers)
            reason = outcome.failure
            failures.append(Failure(event.id, judge.id, round_, reason, criterion, replies))
        if failed or len(answered) < len(plan.questions):
            not_asked += not failed
            continue
        comments = dict.fromkeys(outcome.comment for _, outcome in answered if outcome.comment)
        judgements.append(
            Judgement(
                event.id,
                judge.id,
                values=tuple(value for _, outcome in answered for value in outcome.values),
                round=round_,
                system=system,
                article=event.article,
                type=event.type,
                comment="; ".join(comments),
                date=event.date or "",
                text=event.text,
                kind="llm",
            )
        )
    votes = votes_of(judgements, judge.codebook) if judge.samples > 1 else ()
    return RunOutcome(tuple(judgements), tuple(failures), not_asked, tuple(votes))


def votes_of(judgements: Sequence[Judgement], codebook: Codebook) -> Iterator[Votes]:
    """Count the values of each event's samples."""
    by_event: dict[str, list[tuple[int, ...]]] = {}
    for judgement in judgements:
        by_event.setdefault(judgement.event, []).append(judgement.values)
    fields = [criterion.field for criterion in codebook.criteria]
    for event, samples in by_event.items():
        columns = zip(fields, zip(*samples, strict=True), strict=True)
        votes = {name: Counter(map(str, sorted(values))) for name, values in columns}
        share = {name: max(counts.values()) / len(samples) for name, counts in votes.items()}
        yield Votes(event, len(samples), {name: dict(c) for name, c in votes.items()}, share)


class RunCounts(msgspec.Struct, frozen=True):
    """The counts of a run."""

    events: int
    judgements: int
    failures: int
    """Judgements that failed; with one request a criterion, a judgement fails with any of them."""
    not_asked: int
    answers: int
    """The model's answers, including repairs and unusable ones."""
    from_cache: int
    asked_now: int
    repairs: int
    modes: dict[str, int]
    """Answers by the form of reply that was asked for."""


class RunUsage(msgspec.Struct, frozen=True):
    """The tokens, time and cost of the answers; cached ones count with their original values."""

    tokens_in: int
    tokens_out: int
    without_tokens: int
    """Answers without a count of tokens: the sums are then too low."""
    latency_median: float | None
    latency_p95: float | None
    price_in: float | None = None
    price_out: float | None = None
    cost: float | None = None
    """The cost of all answers; None if there is no price or no count of tokens."""
    cost_now: float | None = None
    """The cost of the answers that this run asked for."""


class JudgeManifest(msgspec.Struct, frozen=True, kw_only=True):
    """The settings, counts and costs of a run."""

    format: str = "chronoscore-judge"
    version: str = __version__
    judge: str
    model: str
    served_by: list[str]
    """The model's names as the server reports them."""
    endpoint: str
    header_names: list[str]
    parameters: dict[str, Any]
    per_criterion: bool
    samples: int
    prompt_version: str
    prompt_digest: str
    codebook: dict[str, str]
    events_file: str
    system: str
    stopped: str
    """Why not everything was asked; empty if it was."""
    counts: RunCounts
    use: RunUsage
    vote_share: dict[str, float]
    """Mean over events of the share of the most frequent value; empty for one sample."""


def make_manifest(
    judge: Judge,
    outcome: RunOutcome,
    run: JudgeRun,
    *,
    events: int,
    events_file: str,
    system: str,
    header_names: Sequence[str],
    price_in: float | None,
    price_out: float | None,
) -> JudgeManifest:
    """Make the manifest of a run."""
    answers, fresh = run_answers(run)
    book = judge.codebook
    return JudgeManifest(
        judge=judge.id,
        model=judge.model,
        served_by=served_by(answers),
        endpoint=judge.endpoint,
        header_names=list(header_names),
        parameters=dict(judge.parameters),
        per_criterion=judge.per_criterion,
        samples=judge.samples,
        prompt_version=PROMPT_VERSION,
        prompt_digest=judge.prompt_digest,
        codebook={"name": book.name, "version": book.version, "digest": digest(book)},
        events_file=events_file,
        system=system,
        stopped=run.stopped,
        counts=RunCounts(
            events=events,
            judgements=len(outcome.judgements),
            failures=len({(failure.event_id, failure.round) for failure in outcome.failures}),
            not_asked=outcome.not_asked,
            answers=len(answers),
            from_cache=len(answers) - len(fresh),
            asked_now=len(fresh),
            repairs=sum(answer.turn > 0 for answer in answers),
            modes=dict(sorted(Counter(answer.mode for answer in answers).items())),
        ),
        use=usage_of(answers, fresh, price_in, price_out),
        vote_share={
            criterion.field: fmean(votes.share[criterion.field] for votes in outcome.votes)
            for criterion in book.criteria
            if outcome.votes
        },
    )


def run_answers(run: JudgeRun) -> tuple[list[CachedAnswer], list[CachedAnswer]]:
    """Return all answers of a run, and those that it asked for."""
    outcomes = run.outcomes.values()
    answers = [answer for each in outcomes for answer in each.answers]
    fresh = [a for each in outcomes for a in each.answers[len(each.answers) - each.fresh :]]
    return answers, fresh


def served_by(answers: Sequence[CachedAnswer]) -> list[str]:
    """Return the model's names as the server reports them."""
    return sorted({answer.served_by for answer in answers if answer.served_by})


def usage_of(
    answers: Sequence[CachedAnswer],
    fresh: Sequence[CachedAnswer],
    price_in: float | None,
    price_out: float | None,
) -> RunUsage:
    """Add up what the answers of a run took."""
    latencies = sorted(answer.latency for answer in answers)
    return RunUsage(
        *_tokens(answers),
        without_tokens=sum(not _metered(answer) for answer in answers),
        latency_median=median(latencies) if latencies else None,
        latency_p95=_percentile(latencies, 95) if latencies else None,
        price_in=price_in,
        price_out=price_out,
        cost=_cost(answers, price_in, price_out),
        cost_now=_cost(fresh, price_in, price_out),
    )


def _metered(answer: CachedAnswer) -> bool:
    return answer.tokens_in is not None and answer.tokens_out is not None


def _tokens(answers: Sequence[CachedAnswer]) -> tuple[int, int]:
    return (
        sum(answer.tokens_in or 0 for answer in answers),
        sum(answer.tokens_out or 0 for answer in answers),
    )


def _cost(
    answers: Sequence[CachedAnswer], price_in: float | None, price_out: float | None
) -> float | None:
    """Return the cost in the currency of the prices; None if no answer has a token count."""
    if (price_in is None and price_out is None) or (answers and not any(map(_metered, answers))):
        return None
    tokens_in, tokens_out = _tokens(answers)
    return (tokens_in * (price_in or 0) + tokens_out * (price_out or 0)) / 1e6


def _percentile(ascending: Sequence[float], percent: int) -> float:
    """Return the percentile by the nearest rank, which is always one of the values.

    >>> _percentile([1.0, 2.0, 3.0], 95)
    3.0
    """
    return ascending[max(0, -(-len(ascending) * percent // 100) - 1)]


@dataclass(frozen=True)
class RunFiles:
    """The files that a run writes."""

    judgements: Path
    failures: Path
    votes: Path
    manifest: Path
    cache: Path


def files_of(output: Path, cache: Path | None = None) -> RunFiles:
    """Name the files of a run after that of its judgements.

    >>> files_of(Path("out/judged.csv")).failures.name
    'judged.failures.jsonl'
    """
    if output.suffix.lower().removeprefix(".") not in FORMATS:
        raise UsageError(f"--output {output}: end the name with one of: {ENDINGS}")
    endings = ("failures.jsonl", "votes.jsonl", "manifest.json", "cache")
    failures, votes, manifest, home = (output.with_name(f"{output.stem}.{e}") for e in endings)
    return RunFiles(output, failures, votes, manifest, cache or home)


def check_files(files: RunFiles, judge: Judge, events_file: str) -> None:
    """Refuse to overwrite another judge's judgements, or those of people."""
    if files.judgements.suffix.lower() == ".xlsx":
        library()  # a missing package is reported before anything is paid for
    if not files.judgements.exists():
        return
    try:
        earlier = msgspec.json.decode(files.manifest.read_bytes(), type=JudgeManifest)
    except (OSError, msgspec.DecodeError):
        raise UsageError(
            f"--output {files.judgements} already exists and no judge wrote it; choose another name"
        ) from None
    same = (earlier.judge, earlier.events_file) == (judge.id, events_file)
    if earlier.counts.judgements and not same:
        raise UsageError(
            f"--output {files.judgements} holds the judgements of {earlier.judge} on "
            f"{earlier.events_file}; choose another name"
        )


def write_files(
    files: RunFiles, outcome: RunOutcome, manifest: JudgeManifest, codebook: Codebook
) -> None:
    """Write all files of a run; the manifest first, by which a later run recognises its own."""
    write_file(files.manifest, json_text(manifest))
    for path, records in ((files.failures, outcome.failures), (files.votes, outcome.votes)):
        if records:
            write_file(path, msgspec.json.Encoder().encode_lines(records))
        else:
            path.unlink(missing_ok=True)  # of an earlier run
    write_judgements(outcome.judgements, files.judgements, codebook)
