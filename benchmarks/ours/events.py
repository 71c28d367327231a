"""Matched events from JSONL, all default metrics."""

from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`."""
    result = chronoscore.score("events", folder / "gold.jsonl", folder / "predicted.jsonl")
    return {score.metric: float(score) for score in result}


if __name__ == "__main__":
    drive(work)
