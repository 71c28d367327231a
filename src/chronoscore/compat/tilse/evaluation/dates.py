"""How well the dates were chosen."""

from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation.util import get_f_score


def evaluate_dates(pred: Timeline, groundtruth: GroundTruth) -> dict[str, float]:
    """P, R and F of the predicted dates; ZeroDivisionError where one side has none.

    >>> from datetime import date
    >>> one, two = (Timeline({date(2011, 1, day): [] for day in days}) for days in ([1, 2], [2]))
    >>> evaluate_dates(one, GroundTruth([two]))
    {'precision': 0.5, 'recall': 1.0, 'f_score': 0.6666666666666666}
    """
    predicted, gold = pred.get_dates(), groundtruth.get_dates()
    found = len(predicted & gold)
    precision, recall = found / len(predicted), found / len(gold)
    f = get_f_score(precision, recall)
    return {"precision": precision, "recall": recall, "f_score": f}
