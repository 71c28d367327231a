"""`score_many` on predictions in memory: AR-1, AR-2 and Date-F1 of each."""

from typing import Any

from benchmarks.predictions import Predictions, read
from benchmarks.stopwatch import drive
from chronoscore.timelines import score_many


def work(data: Predictions) -> dict[str, float]:
    """Score plain dictionaries; the gold is prepared anew in each call."""
    scored = score_many(data.gold, data.predicted, metrics=["AR-1", "AR-2", "Date-F1"])
    return {name: sum(scores[name]["f1"] for scores in scored) for name in scored[0]}


if __name__ == "__main__":
    drive(work, read)
