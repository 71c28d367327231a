"""What `chronoscore judge` prints when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronoscore.reports.table import Column, Table

if TYPE_CHECKING:
    from chronoscore.reports.table import Cell
    from chronoscore.rubric.codebook import Codebook
    from chronoscore.rubric.judge import Manifest, Outcome

MOST_FAILURES = 10


def judge_tables(manifest: Manifest, outcome: Outcome, codebook: Codebook) -> list[Table]:
    """What came of a run, and what it took; then the split of samples, and what failed."""
    tables = [_run(manifest), _values(manifest, outcome, codebook)]
    if outcome.failures:
        tables.append(_failures(outcome))
    return tables


def _run(manifest: Manifest) -> Table:
    counts, use = manifest.counts, manifest.use
    rows: list[tuple[Cell, ...]] = [
        ("events", counts.events),
        ("judgements", counts.judgements),
        ("failed judgements", counts.failures),
        ("judgements not asked for", counts.not_asked),
        ("answers", counts.answers),
        ("of these from the cache", counts.from_cache),
        ("of these repairs", counts.repairs),
        ("tokens in", use.tokens_in),
        ("tokens out", use.tokens_out),
        ("latency, median (s)", use.latency_median),
        ("latency, 95 % (s)", use.latency_p95),
    ]
    if use.price_in is not None or use.price_out is not None:
        rows += [("cost of all answers", use.cost), ("cost of this run", use.cost_now)]
    remarks = [
        f"{manifest.codebook['name']} {manifest.codebook['version']}, prompt "
        f"{manifest.prompt_digest} (version {manifest.prompt_version})"
    ]
    if use.without_tokens:
        remarks.append(
            f"The server told no tokens of {use.without_tokens} answers: all sums are too low."
        )
    if manifest.stopped:
        remarks.append(f"Not everything was asked: {manifest.stopped}.")
    caption = f"{manifest.judge} at {manifest.endpoint}"
    return Table(caption, (Column("what"), Column("number")), tuple(rows), tuple(remarks))


def _values(manifest: Manifest, outcome: Outcome, codebook: Codebook) -> Table:
    """The mean of each criterion, and how united the samples are on it."""
    rows: list[tuple[Cell, ...]] = []
    for place, criterion in enumerate(codebook.criteria):
        values = [judgement.values[place] for judgement in outcome.judgements]
        mean = sum(values) / len(values) if values else None
        row: tuple[Cell, ...] = (criterion.field, len(values), mean)
        rows.append((*row, manifest.vote_share.get(criterion.field)) if _sampled(manifest) else row)
    columns: tuple[Column, ...] = (Column("criterion"), Column("judgements"), Column("mean"))
    remarks: tuple[str, ...] = ()
    if _sampled(manifest):
        columns = (*columns, Column("vote share"))
        remarks = ("Vote share: of an event's samples, those with the most frequent value; mean.",)
    return Table("Values", columns, tuple(rows), remarks)


def _sampled(manifest: Manifest) -> bool:
    return manifest.samples > 1


def _failures(outcome: Outcome) -> Table:
    shown = outcome.failures[:MOST_FAILURES]
    rows = tuple((one.event_id, one.round, one.criterion or "all", one.reason) for one in shown)
    more = len(outcome.failures) - len(shown)
    return Table(
        "Failed, with no judgement",
        (Column("event"), Column("round"), Column("criterion"), Column("reason")),
        rows,
        (f"... and {more} more",) if more else (),
    )
