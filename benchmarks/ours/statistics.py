"""Our side of resampling: a bootstrap interval of each system and a paired permutation test."""

from pathlib import Path

import numpy as np

from benchmarks.stopwatch import drive
from chronoscore.families import family
from chronoscore.statistics.averaging import Path as AveragingPath
from chronoscore.statistics.intervals import interval
from chronoscore.statistics.labels import labelled
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import permutation_test

TIMELINES = family("timelines")
METRIC = TIMELINES.metric("date-f1")
PATH = AveragingPath.parse("gold+topic:mean-pr>trial:mean-f", TIMELINES.levels)


def work(folder: Path) -> dict[str, float]:
    """All metrics: weights are drawn once and shared."""
    counts = np.load(folder / "counts.npy")
    names = [f"topic{place:04}" for place in range(counts.shape[2])]
    tags = labelled([{"gold": "1", "topic": name, "trial": "1"} for name in names])
    numbers = {}
    for number, pair in enumerate(counts):
        one, two = (
            Resampler(METRIC, rows, tags, tags["topic"], path=PATH, policy="zero", level="topic")
            for rows in pair
        )
        for label, sample in (("one", one), ("two", two)):
            score = sample.scores(np.ones((1, len(names))))[0]
            interval(sample, score, method="bootstrap")
            numbers[f"{number} {label}"] = float(score[2])
        permutation_test(one, two)
    return numbers


if __name__ == "__main__":
    drive(work)
