"""Many predictions in memory: `score_many`, or only their tokens, as the argument says."""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.ours.kernel import tokenised
from benchmarks.stopwatch import drive
from chronoscore.timelines import score_many


def read(folder: Path) -> Any:
    """A gold and predictions, each {date: [sentences]}."""
    return json.loads((folder / "timelines.json").read_text(encoding="utf-8"))


def score(data: Any) -> dict[str, float]:
    """AR-1, AR-2 and Date-F1 of each prediction; after the trial, the gold is prepared already."""
    gold, predictions = data
    scored = score_many(gold, predictions, metrics=["AR-1", "AR-2", "Date-F1"])
    return {name: sum(scores[name]["f1"] for scores in scored) for name in scored[0]}


def tokenise(data: Any) -> dict[str, float]:
    """What no scorer of these predictions can do without."""
    _, predictions = data
    texts = [text for days in predictions for day in days.values() for text in day]
    return {"texts": float(len(tokenised(texts).sizes))}


if __name__ == "__main__":
    drive({"score": score, "tokens": tokenise}[sys.argv[3]], read)
