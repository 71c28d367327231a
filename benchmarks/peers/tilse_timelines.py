# mypy: ignore-errors
"""tilse's side of timelines: align+ m:1 of every system, on the route named as an argument."""

import json
import sys
from collections import defaultdict
from datetime import date

from tilse.data.timelines import GroundTruth, Timeline
from tilse.evaluation.rouge import TimelineRougeEvaluator

from benchmarks.stopwatch import drive

ROUTE = sys.argv[3]  # "original" is Perl, "reimpl" is tilse's own approximation in Python
LABELS = {"rouge_1": "AR-1", "rouge_2": "AR-2"}


def read(path):
    """Events as {topic: {timeline: Timeline}}."""
    days = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for line in path.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        day = date.fromisoformat(event["date"])
        days[event["topic"]][event.get("timeline", "")][day].append(event["text"])
    return {
        topic: {name: Timeline(found) for name, found in named.items()}
        for topic, named in days.items()
    }


def work(folder):
    """Each gold alone; mean P and mean R over all golds, then F, as in news-tls."""
    evaluator = TimelineRougeEvaluator(measures=list(LABELS), rouge_computation=ROUTE)
    gold = read(folder / "gold.jsonl")
    numbers = {}
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem == "gold":
            continue
        system = read(path)
        scores = []
        for topic, named in gold.items():
            for reference in named.values():
                predicted = next(iter(system.get(topic, {}).values()), None)
                if predicted:  # tilse raises on a timeline without days: it counts as 0 here
                    scores.append(
                        evaluator.evaluate_align_date_content_costs_many_to_one(
                            predicted, GroundTruth([reference])
                        )
                    )
                else:
                    scores.append({m: {"precision": 0.0, "recall": 0.0} for m in LABELS})
        for measure, label in LABELS.items():
            p = sum(score[measure]["precision"] for score in scores) / len(scores)
            r = sum(score[measure]["recall"] for score in scores) / len(scores)
            numbers[f"{path.stem} {label} precision"] = p
            numbers[f"{path.stem} {label} recall"] = r
            numbers[f"{path.stem} {label} f1"] = 2 * p * r / (p + r) if p + r else 0.0
    return numbers


drive(work)
