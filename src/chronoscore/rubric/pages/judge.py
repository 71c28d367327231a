"""Tables of a run of a judge model: what it judged, what it took, and what failed."""

from chronoscore.reports.table import Cell, Table
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judge.outcome import JudgeManifest, RunOutcome

MOST_FAILURES = 10


def judge_tables(manifest: JudgeManifest, outcome: RunOutcome, codebook: Codebook) -> list[Table]:
    """The counts and costs of a run, the mean of each criterion, and what failed."""
    tables = [_run(manifest), _values(manifest, outcome, codebook)]
    if outcome.failures:
        tables.append(_failures(outcome))
    return tables


def _run(manifest: JudgeManifest) -> Table:
    counts, use = manifest.counts, manifest.use
    rows: dict[str, Cell] = {
        "events": counts.events,
        "judgements": counts.judgements,
        "failed judgements": counts.failures,
        "judgements not asked for": counts.not_asked,
        "answers": counts.answers,
        "of these from the cache": counts.from_cache,
        "of these repairs": counts.repairs,
        "tokens in": use.tokens_in,
        "tokens out": use.tokens_out,
        "latency, median (s)": use.latency_median,
        "latency, 95 % (s)": use.latency_p95,
    }
    if use.price_in is not None or use.price_out is not None:
        rows |= {"cost of all answers": use.cost, "cost of this run": use.cost_now}
    remarks = [
        f"{manifest.codebook['name']} {manifest.codebook['version']}, prompt "
        f"{manifest.prompt_digest} (version {manifest.prompt_version})"
    ]
    if use.without_tokens:
        answers = f"{use.without_tokens} answers"
        remarks.append(f"The server did not report the tokens of {answers}: all sums are too low.")
    if manifest.stopped:
        remarks.append(f"Not everything was asked: {manifest.stopped}.")
    caption = f"{manifest.judge} at {manifest.endpoint}"
    return Table.of(caption, ("what", "number"), rows.items(), remarks)


def _values(manifest: JudgeManifest, outcome: RunOutcome, codebook: Codebook) -> Table:
    """The mean of each criterion, and how united the samples are on it."""
    sampled = manifest.samples > 1
    rows = []
    for place, criterion in enumerate(codebook.criteria):
        values = [judgement.values[place] for judgement in outcome.judgements]
        mean = sum(values) / len(values) if values else None
        share = manifest.vote_share.get(criterion.field)
        rows.append((criterion.field, len(values), mean, share))
    remark = "Vote share: of an event's samples, those with the most frequent value; mean."
    columns = ("criterion", "judgements", "mean", "vote share" if sampled else None)
    return Table.of("Values", columns, rows, [remark] if sampled else [])


def _failures(outcome: RunOutcome) -> Table:
    rows = [
        (failure.event_id, failure.round, failure.criterion or "all", failure.reason)
        for failure in outcome.failures[:MOST_FAILURES]
    ]
    more = len(outcome.failures) - len(rows)
    return Table.of(
        "Failed, with no judgement",
        ("event", "round", "criterion", "reason"),
        rows,
        [f"... and {more} more"] if more else [],
    )
