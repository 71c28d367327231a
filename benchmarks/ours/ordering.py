"""Our side of ordering: SemEval-2015 F1 of each timeline, order-only unless told otherwise."""

import sys
from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`; F1 of each target from its row."""
    metric = sys.argv[3] if len(sys.argv) > 3 else "SemEval-order"
    result = chronoscore.score("ordering", folder / "gold", folder / "system", metrics=[metric])
    numbers = {}
    for row in result.document.systems[0].rows:
        matched, system, recalled, gold, *_ = row.statistics[result.document.metrics[0].name]
        precision, recall = matched / system, recalled / gold
        total = precision + recall
        numbers[row.case] = 2 * precision * recall / total if total else 0.0
    return numbers


if __name__ == "__main__":
    drive(work)
