"""Many timelines from JSONL; also run by the interpreter of an earlier commit of ours."""

import sys
from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive

METRICS = sys.argv[3:] or ["AR-1", "AR-2", "Date-F1"]


def work(folder: Path) -> dict[str, float]:
    """Score through the public door."""
    result = chronoscore.score(
        "timelines", folder / "gold.jsonl", folder / "predicted.jsonl", metrics=METRICS
    )
    return {
        f"{score.metric} {name}": value for score in result for name, value in score.scores.items()
    }


if __name__ == "__main__":
    drive(work)
