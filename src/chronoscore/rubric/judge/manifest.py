"""The manifest of a run: who was asked, how, and what it took; it holds no secret."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any

import msgspec

from chronoscore import __version__
from chronoscore.core.case import digest
from chronoscore.rubric.judge.asking import Verdict
from chronoscore.rubric.judge.cache import Entry
from chronoscore.rubric.judge.judge import Judge
from chronoscore.rubric.judge.outcome import Outcome, votes_of
from chronoscore.rubric.judge.prompt import PROMPT_VERSION

FORMAT = "chronoscore-judge"


class Counts(msgspec.Struct, frozen=True):
    """How many of what."""

    events: int
    judgements: int
    failures: int
    """Judgements that failed; with one request a criterion, a judgement fails with any of them."""
    not_asked: int
    answers: int
    """Answers of the model, repairs and useless ones included."""
    from_cache: int
    asked_now: int
    repairs: int
    modes: dict[str, int]
    """Answers by the form of reply that was asked for."""


class Use(msgspec.Struct, frozen=True):
    """What the answers took; those from the cache count, as when they were asked."""

    tokens_in: int
    tokens_out: int
    without_tokens: int
    """Answers of which the server did not tell the tokens: the sums are then too low."""
    latency_median: float | None
    latency_p95: float | None
    price_in: float | None = None
    price_out: float | None = None
    cost: float | None = None
    """Of all answers; None if no price was given or no tokens were told."""
    cost_now: float | None = None
    """Of those that were asked in this run."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a run, beside its judgements."""

    format: str = FORMAT
    version: str = __version__
    judge: str
    model: str
    served_by: list[str]
    """What the server says the model was."""
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
    counts: Counts
    use: Use
    vote_share: dict[str, float]
    """Mean over events of the share of the most frequent value; empty for one sample."""


def make_manifest(
    judge: Judge,
    outcome: Outcome,
    verdicts: Mapping[str, Verdict],
    *,
    events: int,
    events_file: str,
    system: str,
    stopped: str,
    header_names: Sequence[str],
    price_in: float | None,
    price_out: float | None,
) -> Manifest:
    """Sum up a run."""
    entries = [entry for verdict in verdicts.values() for entry in verdict.entries]
    fresh = [e for v in verdicts.values() for e in v.entries[len(v.entries) - v.fresh :]]
    votes = votes_of(outcome.judgements, judge.codebook) if judge.samples > 1 else []
    failed = {(failure.event_id, failure.round) for failure in outcome.failures}
    latencies = sorted(entry.latency for entry in entries)
    return Manifest(
        judge=judge.id,
        model=judge.model,
        served_by=sorted({entry.served_by for entry in entries if entry.served_by}),
        endpoint=judge.endpoint,
        header_names=list(header_names),
        parameters=dict(judge.parameters),
        per_criterion=judge.per_criterion,
        samples=judge.samples,
        prompt_version=PROMPT_VERSION,
        prompt_digest=judge.prompt_digest,
        codebook={
            "name": judge.codebook.name,
            "version": judge.codebook.version,
            "digest": digest(judge.codebook),
        },
        events_file=events_file,
        system=system,
        stopped=stopped,
        counts=Counts(
            events=events,
            judgements=len(outcome.judgements),
            failures=len(failed),
            not_asked=outcome.not_asked,
            answers=len(entries),
            from_cache=len(entries) - len(fresh),
            asked_now=len(fresh),
            repairs=sum(entry.turn > 0 for entry in entries),
            modes=dict(sorted(Counter(entry.mode for entry in entries).items())),
        ),
        use=Use(
            tokens_in=sum(entry.tokens_in or 0 for entry in entries),
            tokens_out=sum(entry.tokens_out or 0 for entry in entries),
            without_tokens=sum(not _metered(entry) for entry in entries),
            latency_median=median(latencies) if latencies else None,
            latency_p95=_percentile(latencies, 95) if latencies else None,
            price_in=price_in,
            price_out=price_out,
            cost=_cost(entries, price_in, price_out),
            cost_now=_cost(fresh, price_in, price_out),
        ),
        vote_share={
            criterion.field: fmean(one.share[criterion.field] for one in votes)
            for criterion in judge.codebook.criteria
            if votes
        },
    )


def _metered(entry: Entry) -> bool:
    return entry.tokens_in is not None and entry.tokens_out is not None


def _cost(
    entries: Sequence[Entry], price_in: float | None, price_out: float | None
) -> float | None:
    """Dollars, or whatever prices are in; undefined if nothing is known of what was used."""
    if (price_in is None and price_out is None) or (
        entries and not any(_metered(entry) for entry in entries)
    ):
        return None
    used_in = sum(entry.tokens_in or 0 for entry in entries)
    used_out = sum(entry.tokens_out or 0 for entry in entries)
    return (used_in * (price_in or 0) + used_out * (price_out or 0)) / 1e6


def _percentile(ascending: Sequence[float], percent: int) -> float:
    """The nearest rank: always a value that was seen.

    >>> _percentile([1.0, 2.0, 3.0], 95)
    3.0
    """
    return ascending[max(0, -(-len(ascending) * percent // 100) - 1)]
