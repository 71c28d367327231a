"""Our side of annotations where the peer has strict scores only: the same work, fewer numbers."""

from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`, and tell only what the peer tells."""
    result = chronoscore.score("annotations", folder / "gold.jsonl", folder / "system.jsonl")
    scores = result.document.systems[0].summaries[0].scores
    return {n: scores[n] or 0.0 for n in ("strict_precision", "strict_recall", "strict_f1")}


if __name__ == "__main__":
    drive(work)
