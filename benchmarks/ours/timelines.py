"""Our side of timelines: AR-1 and AR-2 of every system, from events files."""

from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive


def work(folder: Path) -> dict[str, float]:
    """Score through the public door: read, reconcile, measure, explain, average."""
    systems = {path.stem: path for path in sorted(folder.glob("*.jsonl")) if path.stem != "gold"}
    result = chronoscore.score(
        "timelines", folder / "gold.jsonl", systems, metrics=["AR-1", "AR-2"]
    )
    labels = {metric.name: metric.label for metric in result.metrics}
    return {
        f"{system.name} {labels[summary.metric]} {name}": value or 0.0
        for system in result.systems
        for summary in system.summaries
        for name, value in summary.scores.items()
    }


if __name__ == "__main__":
    drive(work)
