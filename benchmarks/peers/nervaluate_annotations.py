# mypy: ignore-errors
"""nervaluate's side of annotations, from spans in files or in memory."""

import json
import sys

from nervaluate.evaluator import Evaluator

from benchmarks.stopwatch import drive


def read(path):
    """Documents as lists of {label, start, end}; its ends are inclusive."""
    return [
        [
            {"label": found["type"], "start": found["start"], "end": found["end"] - 1}
            for found in json.loads(line)["annotations"]
        ]
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def both(folder):
    """Gold and prediction."""
    return read(folder / "gold.jsonl"), read(folder / "system.jsonl")


def scored(sides):
    """Its `strict` is our strict, its `ent_type` our lenient."""
    gold, predicted = sides
    tags = sorted({found["label"] for document in gold for found in document})
    results = Evaluator(gold, predicted, tags=tags, loader="dict").evaluate()["overall"]
    return {
        "strict_precision": results["strict"].precision,
        "strict_recall": results["strict"].recall,
        "strict_f1": results["strict"].f1,
        "lenient_f1": results["ent_type"].f1,
    }


if "memory" in sys.argv:
    drive(scored, both)
else:
    drive(lambda folder: scored(both(folder)))
