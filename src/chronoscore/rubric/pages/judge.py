"""Tables of a run of a judge model: what it judged or made, what it took, and what failed."""

from collections.abc import Sequence

from chronoscore.reports.table import Cell, Table
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judge.facts import FactsManifest, FactsOutcome
from chronoscore.rubric.judge.outcome import JudgeManifest, RunOutcome, RunUsage

MOST_FAILURES = 10


def judge_tables(manifest: JudgeManifest, outcome: RunOutcome, codebook: Codebook) -> list[Table]:
    """The counts and costs of a run, the mean of each criterion, and what failed."""
    tables = [_run(manifest), _values(manifest, outcome, codebook)]
    if outcome.failures:
        tables.append(_failures(outcome))
    return tables


def _run(manifest: JudgeManifest) -> Table:
    counts = manifest.counts
    rows: dict[str, Cell] = {
        "events": counts.events,
        "judgements": counts.judgements,
        "failed judgements": counts.failures,
        "judgements not asked for": counts.not_asked,
        "answers": counts.answers,
        "of these from the cache": counts.from_cache,
        "of these repairs": counts.repairs,
        **_usage(manifest.use),
    }
    words = f"{manifest.codebook['name']} {manifest.codebook['version']}, prompt "
    return _run_table(manifest, rows, words)


def _usage(use: RunUsage) -> dict[str, Cell]:
    rows: dict[str, Cell] = {
        "tokens in": use.tokens_in,
        "tokens out": use.tokens_out,
        "latency, median (s)": use.latency_median,
        "latency, 95 % (s)": use.latency_p95,
    }
    if use.price_in is not None or use.price_out is not None:
        rows |= {"cost of all answers": use.cost, "cost of this run": use.cost_now}
    return rows


def _run_table(
    manifest: JudgeManifest | FactsManifest, rows: dict[str, Cell], before_prompt: str
) -> Table:
    remarks = [f"{before_prompt}{manifest.prompt_digest} (version {manifest.prompt_version})"]
    if manifest.use.without_tokens:
        answers = f"{manifest.use.without_tokens} answers"
        remarks.append(f"The server did not report the tokens of {answers}: all sums are too low.")
    if manifest.stopped:
        remarks.append(f"Not everything was asked: {manifest.stopped}.")
    caption = f"{manifest.judge} at {manifest.endpoint}"
    return Table.of(caption, ("what", "number"), rows.items(), remarks)


def facts_tables(manifest: FactsManifest, outcome: FactsOutcome) -> list[Table]:
    """The counts and costs of a run that made facts, and what failed."""
    counts = manifest.counts
    rows: dict[str, Cell] = {
        "events": counts.events,
        "with facts already": counts.had_facts,
        "without text": counts.without_text,
        "with new facts": counts.with_new_facts,
        "failed": counts.failures,
        "not asked for": counts.not_asked,
        "new facts": counts.facts,
        "answers": counts.answers,
        "of these from the cache": counts.from_cache,
        "of these repairs": counts.repairs,
        **_usage(manifest.use),
    }
    tables = [_run_table(manifest, rows, "prompt ")]
    if outcome.failures:
        failures = [(failure.event_id, failure.reason) for failure in outcome.failures]
        title = "Failed, with no new facts"
        tables.append(_listed(title, ("event", "reason"), failures))
    return tables


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
        for failure in outcome.failures
    ]
    columns = ("event", "round", "criterion", "reason")
    return _listed("Failed, with no judgement", columns, rows)


def _listed(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
    more = len(rows) - MOST_FAILURES
    remarks = [f"... and {more} more"] if more > 0 else []
    return Table.of(title, columns, rows[:MOST_FAILURES], remarks)
