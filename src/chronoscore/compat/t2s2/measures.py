"""The measures of a system and the line of ``summary_metrics.csv``.

A row is a gold event with its match; it is *kept* if its distance is below the threshold. Gold rows
whose event is NA take no part. A match with a predicted row whose event is NA stays, and its time
is lost. With a row's time t, its predicted time p, and L = ln(60 * 24 * 365.26):

    match_rate    kept rows / rows, over all documents; count = rows
    parse_rate    share of kept rows with a readable p, among those with a readable t
    concordance   median over documents (c25, c75: quartiles) of the mean, over pairs of kept rows
                  with readable p and |dt| > 1e-5, of 1 if dt dp > 0, 1/2 if dt dp > -1e-5, else 0
    mae           median of |t - p| over kept rows with both
    auc           1 - mean(min(ln(|t - p| + 1), L)) / L over kept rows with a readable p; a row
                  without a readable t has the worst error

(Noroozizadeh and Weiss 2026, "Reconstructing Sepsis Trajectories from Clinical Case Reports using
LLMs: the Textual Time Series Corpus for Sepsis".) L is a year in minutes, while times are in hours.
Only numbers that are readable count, and only what gold contains: a system gains by withholding
times, and loses nothing by inventing events. `chronoscore events` has measures without these
faults.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.compat.t2s2.matching import RowMatch
from chronoscore.compat.t2s2.reading import SeriesRow, as_numeric
from chronoscore.compat.t2s2.readr_numbers import number

LOG_LIMIT = math.log(60 * 24 * 365.26)
"""The logarithm of the minutes of a year, which the scorer compares with hours."""
TOLERANCE = 1e-5
COLUMNS = "pilot.names,match_rate,count,parse_rate,concordance,c25,c75,mae,auc"


class MatchedRow(NamedTuple):
    """A gold row with the distance of its match and both times, None where not readable."""

    distance: float
    time: float | None
    predicted_time: float | None


@dataclass(frozen=True)
class SeriesSummary:
    """The numbers of a system; None is NA."""

    match_rate: float
    count: int
    parse_rate: float | None
    concordance: float | None
    c25: float | None
    c75: float | None
    mae: float | None
    auc: float | None


class PairCounts(NamedTuple):
    """Ordered pairs of rows whose gold times differ."""

    concordant: int
    ties: int
    pairs: int
    undefined: int
    """Pairs whose product of differences is no number, since times are infinite."""


def matched_rows(
    gold: Sequence[SeriesRow], predicted: Sequence[SeriesRow], matches: Iterable[RowMatch]
) -> list[MatchedRow]:
    """Return the rows of a document that take part, with their times."""
    rows = []
    for match in matches:
        row = gold[match.gold - 1]
        if row.event is None:
            continue
        time = None
        if match.predicted is not None and predicted[match.predicted - 1].event is not None:
            time = (predicted[match.predicted - 1].time or "").replace("\\", "")
        rows.append(MatchedRow(match.distance, as_numeric(row.time), as_numeric(time)))
    return rows


def summarise(documents: Sequence[Sequence[MatchedRow]], threshold: float) -> SeriesSummary:
    """Compute the numbers of a system from the rows of its documents, of which there are some."""
    kept = [[row for row in rows if row.distance < threshold] for rows in documents]
    pooled = [row for rows in kept for row in rows]
    count = sum(map(len, documents))
    parsed = [row.predicted_time is not None for row in pooled if row.time is not None]
    agreements = sorted(c for rows in kept if (c := concordance(rows)) is not None)
    errors = [e for row in pooled if row.time is not None and (e := error_of(row)) is not None]
    return SeriesSummary(
        len(pooled) / count,
        count,
        sum(parsed) / len(parsed) if parsed else None,
        median(agreements),
        quantile(agreements, 0.25),
        quantile(agreements, 0.75),
        None if any(map(math.isnan, errors)) else median(sorted(errors)),
        auc(pooled),
    )


def error_of(row: MatchedRow) -> float | None:
    """Return the error of the time: None without a predicted one, NaN where it can't be told."""
    if row.predicted_time is None:
        return None
    return math.nan if row.time is None else abs(row.predicted_time - row.time)


def concordance(rows: Iterable[MatchedRow]) -> float | None:
    """Return the concordance of a document from its kept rows, or None where it has none.

    >>> concordance([MatchedRow(0, 0.0, 5.0), MatchedRow(0, 48.0, 6.0), MatchedRow(0, 50.0, 5.0)])
    0.5
    """
    timed = [row for row in rows if row.predicted_time is not None]
    gold = np.array([math.nan if row.time is None else row.time for row in timed])
    counts = pair_counts(gold, np.array([row.predicted_time for row in timed], np.float64))
    if not counts.pairs or counts.undefined:
        return None
    return (counts.concordant + 0.5 * counts.ties) / counts.pairs


def pair_counts(
    gold: NDArray[np.float64], predicted: NDArray[np.float64], tolerance: float = TOLERANCE
) -> PairCounts:
    """Count the ordered pairs of rows whose gold times differ by more than the tolerance.

    The product of the two differences is compared with the tolerance, so that a wrong order is a
    tie where both are small.
    """
    concordant = ties = pairs = undefined = 0
    with np.errstate(invalid="ignore"):
        for time, predicted_time in zip(gold.tolist(), predicted.tolist(), strict=True):
            difference = gold - time
            product = (difference * (predicted - predicted_time))[np.abs(difference) > tolerance]
            concordant += int((product > 0).sum())
            ties += int(((product <= 0) & (product > -tolerance)).sum())
            pairs += len(product)
            undefined += int(np.isnan(product).sum())
    return PairCounts(concordant, ties, pairs, undefined)


def auc(rows: Iterable[MatchedRow]) -> float | None:
    """Return the area under the curve of logarithmic errors of kept rows (AULTC).

    Every event is a year off, and yet there is credit:

    >>> auc([MatchedRow(0, 0.0, 8766.24)])
    0.310804529251429
    """
    errors = [error for row in rows if (error := error_of(row)) is not None]
    if not errors:
        return None
    worst = math.exp(LOG_LIMIT)
    logs = (math.log((worst if math.isnan(error) else error) + 1) for error in errors)
    steps = [*sorted(min(x, LOG_LIMIT) for x in logs), LOG_LIMIT]
    boxes = ((steps[i] - steps[i - 1]) * (i / len(errors)) for i in range(1, len(steps)))
    return math.fsum(boxes) / LOG_LIMIT


def median(ordered: Sequence[float]) -> float | None:
    """Return the median of sorted numbers; the mean of the middle two is rounded once."""
    if not ordered:
        return None
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if low == high or math.isinf(high):
        return high
    return float((Fraction(low) + Fraction(high)) / 2)


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """Return a quantile of sorted numbers by R's type 7.

    >>> quantile([0.6, 1.0], 0.25)
    0.7
    """
    if not ordered:
        return None
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    a, b, h = ordered[low], ordered[math.ceil(place)], place - low
    return a if a == b else (1 - h) * a + h * b


def printout(summaries: Mapping[str, SeriesSummary]) -> str:
    """Return the text of ``summary_metrics.csv``."""
    lines = [
        ",".join((_quoted(name), *map(number, astuple(row)))) for name, row in summaries.items()
    ]
    return "\n".join((COLUMNS, *lines)) + "\n"


def _quoted(name: str) -> str:
    if any(mark in name for mark in ',"\n\r'):
        return '"' + name.replace('"', '""') + '"'
    return name
