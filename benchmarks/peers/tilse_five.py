# mypy: ignore-errors
"""tilse's side of all five variants with ROUGE-1 and 2, on the route named as an argument."""

import json
import sys
from collections import defaultdict
from datetime import date

from tilse.data.timelines import GroundTruth, Timeline
from tilse.evaluation.rouge import TimelineRougeEvaluator

from benchmarks.stopwatch import drive

ROUTE = sys.argv[3]  # "original" is Perl, "reimpl" is tilse's own approximation in Python
VARIANTS = {
    "concat": "concat",
    "agreement": "agreement",
    "align_date_costs": "align",
    "align_date_content_costs": "align+",
    "align_date_content_costs_many_to_one": "align+m:1",
}
MEASURES = {"rouge_1": "ROUGE-1", "rouge_2": "ROUGE-2"}
SCORES = {"precision": "precision", "recall": "recall", "f_score": "f1"}


def read(path):
    """The events of a file as one timeline."""
    days = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        days[date.fromisoformat(event["date"])].append(event["text"])
    return Timeline(days)


def work(folder):
    """One prediction against one gold."""
    evaluator = TimelineRougeEvaluator(measures=list(MEASURES), rouge_computation=ROUTE)
    gold, predicted = read(folder / "gold.jsonl"), read(folder / "system.jsonl")
    scored = evaluator.evaluate_all(predicted, GroundTruth([gold]))
    return {
        f"{variant} {label} {score}": scored[method][measure][key]
        for method, variant in VARIANTS.items()
        for measure, label in MEASURES.items()
        for key, score in SCORES.items()
    }


drive(work)
