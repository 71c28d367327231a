"""The module ``tts_metrics`` of T2S2: the same measures, from match files read into pandas.

    from chronoscore.compat.t2s2 import tts_metrics

A frame has the columns of a match file: ``common.bns`` (the document), ``v1`` (the gold event),
``error.rate`` (the distance), ``ref.time`` and ``pilot.time``; and the system in ``pilot_name`` or
``pilot.names``. Arguments, columns and their order are those of the original, and so are its
differences from ``compare_tts.r`` (`chronoscore.compat.t2s2.measures`): gold events that are NA
count in the match rate and in concordance, a time with a backslash or in hexadecimal can't be read,
and pairs of infinite times count as wrong. Sums are numpy's, so that the last digit may differ too.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from chronoscore.compat.t2s2.measures import LOG_LIMIT, TOLERANCE, pair_counts
from chronoscore.errors import UsageError

try:
    import pandas as pd
except ImportError:
    raise UsageError("pandas is not installed: pip install 'chronoscore[frames]'") from None

_TIMES = {"time": "ref.time", "time.pilot": "pilot.time"}
"""The names of the columns of times in R, and in a match file."""


def calculate_match_rate(df: Any, threshold: float) -> Any:
    """Return the share of rows below the threshold for each ``pilot_name``.

    >>> frame = pd.DataFrame({"pilot_name": ["a", "a"], "error.rate": [0.05, None]})
    >>> calculate_match_rate(frame, 0.1).to_dict("records")
    [{'pilot_name': 'a', 'match_rate': 0.5}]
    """
    kept = df["error.rate"] < threshold  # a missing distance is not below it
    rates = kept.groupby(df["pilot_name"]).mean()
    return rates.rename("match_rate").reset_index()


def calculate_concordance(
    match_df: Any,
    threshold: float = 0.1,
    ties_value: float = 0.5,
    nonzero_threshold: float = TOLERANCE,
    truth_col: str = "ref.time",
    pred_col: str = "pilot.time",
) -> Any:
    """Return a row for each system and document with its concordance and the counts behind it."""
    kept = match_df[match_df["error.rate"] < threshold]
    system = "pilot.names" if "pilot.names" in kept.columns else "pilot_name"
    rows = []
    for (name, document), group in kept.groupby([system, "common.bns"]):
        gold, predicted = (
            pd.to_numeric(group[column], errors="coerce").to_numpy(np.float64)
            for column in (truth_col, pred_col)
        )
        timed = ~np.isnan(predicted)
        counts = pair_counts(gold[timed], predicted[timed], nonzero_threshold)
        score = float(counts.concordant + ties_value * counts.ties)
        rows.append(
            {
                "pilot.names": name,
                "common.bns": document,
                "cindex": score / counts.pairs if counts.pairs else np.nan,
                "score_sum": score,
                "denom": counts.pairs,
                "concordant": counts.concordant,
                "ties": counts.ties,
                "n_rows_used": int(timed.sum()),
            }
        )
    return pd.DataFrame(rows)


def ecdf_auc2(field_values: Iterable[float], upper_limit: float) -> float:
    """Return the area under the distribution function of values up to a limit, over the limit.

    >>> ecdf_auc2([0.0, 1.0], 2.0)
    0.75
    """
    values = np.array([*field_values, upper_limit], dtype=np.float64)
    steps = np.minimum(np.sort(values), upper_limit)
    shares = np.arange(1, len(steps)) / max(len(steps) - 1, 1)
    return float(np.nansum(np.diff(steps) * shares) / upper_limit)


def calculate_aultc_simple(
    df: Any,
    threshold: float = 0.1,
    upper_limit: float | None = None,
    version_column: str | None = None,
) -> Any:
    """Return the area under the curve of logarithmic errors (AULTC), NaN if no row has one.

    With a `version_column` it is a frame with a row for each of its values, in their order.
    """
    limit = LOG_LIMIT if upper_limit is None else upper_limit
    gold, predicted = (_times(df, *names) for names in _TIMES.items())
    distance = pd.to_numeric(df["error.rate"], errors="coerce")
    kept = (distance < threshold) & np.isfinite(distance) & predicted.notna()
    event = next((name for name in ("event", "v1") if name in df.columns), None)
    if event is not None:
        kept &= df[event].notna()
    error = (predicted - gold).abs()[kept]
    logs = pd.Series(np.log(np.where(error.isna(), np.exp(limit) + 1, error + 1)), error.index)
    if not version_column:
        return ecdf_auc2(logs, limit) if len(logs) else np.nan
    if not len(logs):
        return pd.DataFrame(columns=[version_column, "auc"])
    if version_column not in df.columns:
        return ecdf_auc2(logs, limit)
    groups = logs.groupby(df[version_column][kept], sort=False)
    rows = [{version_column: name, "auc": ecdf_auc2(group, limit)} for name, group in groups]
    return pd.DataFrame(rows)


def calculate_aultc(df: Any, threshold: float = 0.1, upper_limit: float | None = None) -> float:
    """Return the AULTC of all rows of a frame.

    >>> frame = pd.DataFrame({"error.rate": [0.0], "ref.time": ["0"], "pilot.time": ["8766.24"]})
    >>> calculate_aultc(frame)
    0.310804529251429
    """
    return float(calculate_aultc_simple(df, threshold, upper_limit))


def _times(df: Any, *names: str) -> Any:
    found = next((name for name in names if name in df.columns), None)
    if found is None:
        raise ValueError(f"there is no column '{names[0]}' or '{names[1]}'")
    return pd.to_numeric(df[found], errors="coerce")
