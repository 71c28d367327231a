"""Our side of annotations: strict and lenient scores of a collection of documents."""

from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`: read, reconcile, match one to one, explain, pool."""
    result = chronoscore.score("annotations", folder / "gold.jsonl", folder / "system.jsonl")
    scores = result.document.systems[0].summaries[0].scores
    wanted = ("strict_precision", "strict_recall", "strict_f1", "lenient_f1")
    return {name: scores[name] or 0.0 for name in wanted}


if __name__ == "__main__":
    drive(work)
