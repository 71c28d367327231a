"""Scores of the selection of dates."""

from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation.util import all_scores


def evaluate_dates(pred: Timeline, groundtruth: GroundTruth) -> dict[str, float]:
    """Return P, R and F of the predicted dates; ZeroDivisionError if one side has none.

    >>> from datetime import date
    >>> pred, gold = (Timeline({date(2011, 1, day): [] for day in days}) for days in ([1, 2], [2]))
    >>> evaluate_dates(pred, GroundTruth([gold]))
    {'precision': 0.5, 'recall': 1.0, 'f_score': 0.6666666666666666}
    """
    predicted, gold = pred.get_dates(), groundtruth.get_dates()
    shared = len(predicted & gold)
    return all_scores(shared / len(predicted), shared / len(gold))
