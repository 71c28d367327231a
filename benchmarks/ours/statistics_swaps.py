"""Ours: one paired permutation test of the F of mean P and mean R, with a given number of swaps."""

from pathlib import Path

import numpy as np

from benchmarks.ours.statistics import METRIC, PATH
from benchmarks.stopwatch import drive
from chronoscore.statistics.labels import Labels
from chronoscore.statistics.resampling import Resampler
from chronoscore.statistics.significance import permutation_test

DRAWS = 1000


def work(folder: Path) -> dict[str, float]:
    """Counts[system, case, 4] to p; the numbers are the scores."""
    counts = np.load(folder / "counts.npy")[0]
    cases = counts.shape[1]
    alike = Labels(("1",), np.zeros(cases, np.int32))
    topic = Labels(
        tuple(f"topic{place:07}" for place in range(cases)), np.arange(cases).astype("i4")
    )
    tags = {"gold": alike, "topic": topic, "trial": alike}
    one, two = (
        Resampler(METRIC, rows, tags, topic, path=PATH, policy="zero", level="topic")
        for rows in counts
    )
    permutation_test(one, two, draws=DRAWS)
    scores = [sample.finished(sample.features.sum(axis=1))[2] for sample in (one, two)]
    return {"one": float(scores[0]), "two": float(scores[1])}


if __name__ == "__main__":
    drive(work)
