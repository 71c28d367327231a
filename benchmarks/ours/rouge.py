"""Our side of plain ROUGE-1 and 2 of pairs in memory: `chronoscore.score`, or the kernel alone."""

import json
import sys
from pathlib import Path
from typing import Any

import chronoscore
from benchmarks.ours.kernel import ratios
from benchmarks.stopwatch import drive


def objects(folder: Path) -> Any:
    """Each text is a topic's timeline of one day."""
    return [
        {f"pair {place:06}": {"2020-01-01": [text]} for place, text in enumerate(texts)}
        for texts in pairs(folder)
    ]


def pairs(folder: Path) -> Any:
    """Gold texts and predicted ones."""
    return json.loads((folder / "pairs.json").read_text(encoding="utf-8"))


def score(data: Any) -> dict[str, float]:
    """Score through `chronoscore.score`: check, reconcile, measure, average."""
    metrics = [f"concat(rouge={n},text=rouge155)" for n in (1, 2)]
    result = chronoscore.score("timelines", *data, metrics=metrics)
    return {
        f"ROUGE-{n} {name}": summary.scores[name] or 0.0
        for n, summary in enumerate(result.document.systems[0].summaries, 1)
        for name in ("precision", "recall")
    }


if __name__ == "__main__":
    if sys.argv[3] == "kernel":
        drive(lambda data: ratios(*data), pairs)
    else:
        drive(score, objects)
