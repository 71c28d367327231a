"""Many timelines from JSONL; also run by the interpreter of an earlier commit of ours."""

import sys
from pathlib import Path
from typing import Any

import chronoscore
from benchmarks.stopwatch import drive

METRICS = sys.argv[3:] or ["AR-1", "AR-2", "Date-F1"]


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`."""
    result = chronoscore.score(
        "timelines", folder / "gold.jsonl", folder / "predicted.jsonl", metrics=METRICS
    )
    document: Any = getattr(result, "document", result)  # which is what the earlier commit returns
    return {
        f"{summary.metric} {name}": value or 0.0
        for summary in document.systems[0].summaries
        for name, value in summary.scores.items()
    }


if __name__ == "__main__":
    drive(work)
