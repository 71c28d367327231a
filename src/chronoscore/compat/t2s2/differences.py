"""What stands beside the scorer's numbers: ours, and the faults that make the difference.

A fault is reported with how often it occurs in this run. Numbers that share their faults share a
block: a line with the numbers, then ours, then the faults.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from statistics import fmean

import numpy as np

from chronoscore.compat.t2s2.measures import MatchedRow, concordance, error_of, matched_rows
from chronoscore.compat.t2s2.ours import our_scores
from chronoscore.compat.t2s2.reading import SeriesRow, is_header
from chronoscore.compat.t2s2.runs import Documents, MatchedSystem
from chronoscore.elements.assignment import maximum_assignment

BLOCKS = (
    ("match_rate", "count"),
    ("parse_rate",),
    ("concordance", "c25", "c75"),
    ("mae",),
    ("auc",),
)


def ours(run: MatchedSystem, missing: Documents, threshold: float) -> Mapping[str, str]:
    """Return our scores of a run, written out, by the first number of the block they stand in.

    `missing` are the gold documents that the system lacks.
    """
    if threshold == 0:
        return {}  # no distance is below it
    scores = our_scores(run, missing, threshold)
    blocks = {
        "match_rate": (
            ("precision", scores.precision),
            ("recall", scores.recall),
            ("F1", scores.f1),
        ),
        "concordance": (
            ("concordance", scores.concordance),
            ("precision of the order", scores.order_precision),
            ("its recall", scores.order_recall),
        ),
        "mae": (
            ("median error", scores.median_error),
            ("mean error", scores.mean_error),
            ("share within 24 hours", scores.within_day),
        ),
        "auc": (
            ("log credit of times given the match", scores.credit),
            ("over all gold events", scores.credit_over_gold),
        ),
    }
    return {
        block: ", ".join(f"{name} {score:.4g}" for name, score in named if not isnan(score))
        for block, named in blocks.items()
    }


def beside(name: str, run: MatchedSystem, missing: Documents, threshold: float) -> Iterator[str]:
    """Yield the lines that stand beside the numbers of a system."""
    summary = run.summary(threshold)
    if summary is None:
        return
    numbers, right = asdict(summary), ours(run, missing, threshold)
    faults = Occurrences.of(run, missing, threshold)
    for block in BLOCKS:
        lines = [f"ours: {right[block[0]]}"] if right.get(block[0]) else []
        lines += faults.lines(block[0])
        if numbers[block[0]] is not None and lines:
            yield f"{name}: " + ", ".join(f"{number} {numbers[number]:.4g}" for number in block)
            yield from (f"  {line}" for line in lines)


@dataclass(frozen=True)
class Occurrences:
    """How often each fault occurs in a run."""

    headers: int
    matched_headers: int
    missing_documents: int
    missing_events: int
    predicted: int
    kept: int
    most_pairs: int | None
    """The most pairs that can be kept, None where distances are not known."""
    repeated_texts: int
    """Documents whose gold has a text more than once."""
    unordered: int
    """Documents without a pair of events in an order."""
    untimed: int
    """Kept pairs whose predicted time can't be read."""
    untimed_gold: int
    mean_error: float | None

    @classmethod
    def of(cls, run: MatchedSystem, missing: Documents, threshold: float) -> "Occurrences":
        """Count the faults of a run."""
        headers = {name for name, rows in run.gold.items() if is_header(rows[0])}
        kept = {n: [m for m in ms if m.distance < threshold] for n, ms in run.matches.items()}
        rows = {n: matched_rows(run.gold[n], run.predicted[n], ms) for n, ms in kept.items()}
        events = {n: [m for m in ms if n not in headers or m.gold > 1] for n, ms in kept.items()}
        timed = {n: matched_rows(run.gold[n], run.predicted[n], ms) for n, ms in events.items()}
        pooled: list[MatchedRow] = [row for found in timed.values() for row in found]
        errors = [e for row in pooled if (e := error_of(row)) is not None and np.isfinite(e)]
        return cls(
            headers=len(headers),
            matched_headers=sum(m.gold == 1 for n in headers for m in kept.get(n, ())),
            missing_documents=len(missing),
            missing_events=sum(len(rows) - is_header(rows[0]) for rows in missing.values()),
            predicted=sum(map(len, run.predicted.values())),
            kept=sum(map(len, kept.values())),
            most_pairs=_most_pairs(run, threshold),
            repeated_texts=sum(map(_repeats_a_text, run.gold.values())),
            unordered=sum(concordance(found) is None for found in rows.values()),
            untimed=sum(row.predicted_time is None for row in pooled),
            untimed_gold=sum(r.time is None and r.predicted_time is not None for r in pooled),
            mean_error=fmean(errors) if errors else None,
        )

    def lines(self, number: str) -> Iterator[str]:
        """Yield the faults that touch a number."""
        if number == "match_rate":
            yield from self._lines_on_matches()
        elif number == "parse_rate" and self.untimed:
            yield f"predicted times that can't be read: {self.untimed}; withholding a bad time pays"
        elif self.untimed:
            yield f"pairs left out, since their predicted time can't be read: {self.untimed}"
        if number == "concordance" and self.repeated_texts:
            yield (
                "documents with a text more than once, where the order of rows decides which times "
                f"are compared: {self.repeated_texts}"
            )
        if number == "concordance" and self.unordered:
            yield f"documents left out, since no two events are in an order: {self.unordered}"
        if number == "mae" and self.mean_error:
            yield f"this is a median: the mean error is {self.mean_error:.4g} hours"
        if number == "auc" and self.untimed_gold:
            yield f"gold times that can't be read, taken for the worst error: {self.untimed_gold}"
        if number == "auc" and self.mean_error:
            yield "the worst error is 525973 hours: the minutes of a year, taken for hours"

    def _lines_on_matches(self) -> Iterator[str]:
        if self.headers:
            yield (
                f"header lines that count as gold events: {self.headers}, as matched: "
                f"{self.matched_headers} (--header drops them)"
            )
        if self.missing_documents:
            yield (
                f"gold documents without a prediction: {self.missing_documents}, events that leave "
                f"the denominator with them: {self.missing_events}"
            )
        if self.predicted > self.kept:
            yield (
                "predicted rows that match nothing, which costs nothing: "
                f"{self.predicted - self.kept} of {self.predicted}; there is no precision"
            )
        if self.most_pairs is not None and self.most_pairs > self.kept:
            yield f"pairs that are kept: {self.kept}, that could be kept: {self.most_pairs}"


def _repeats_a_text(rows: Sequence[SeriesRow]) -> bool:
    texts = Counter(row.event for row in rows if row.event is not None)
    return max(texts.values(), default=0) > 1


def _most_pairs(run: MatchedSystem, threshold: float) -> int | None:
    if run.distances is None:
        return None
    allowed = (np.array(d, np.float64) < threshold for d in run.distances.values())
    return sum(len(maximum_assignment(pairs.astype(np.int64))) for pairs in allowed)
