"""Our side of timelines: AR-1 and AR-2 of every system, from events files."""

from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`: read, reconcile, measure, explain, average."""
    systems = {path.stem: path for path in sorted(folder.glob("*.jsonl")) if path.stem != "gold"}
    result = chronoscore.score(
        "timelines", folder / "gold.jsonl", systems, metrics=["AR-1", "AR-2"]
    )
    return {
        f"{score.system} {score.metric} {name}": value
        for score in result
        for name, value in score.scores.items()
    }


if __name__ == "__main__":
    drive(work)
