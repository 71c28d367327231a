"""Calls tilse as CHRONOS does: golds of a topic pooled, all five variants, failures left out."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from compat.callers.news_tls import Days, date_scores

from chronoscore.compat.tilse.data.timelines import GroundTruth as TilseGroundTruth
from chronoscore.compat.tilse.data.timelines import Timeline as TilseTimeline
from chronoscore.compat.tilse.evaluation import rouge


def evaluate(
    predicted: Mapping[str, Sequence[Mapping[str, str]]], topics: Mapping[str, Sequence[Days]]
) -> tuple[dict[str, dict[str, float]], dict[str, Any], int]:
    """F by variant and measure, what is saved of each topic, and how many dates the golds have."""
    saved: dict[str, Any] = {}
    dates = 0
    for topic, golds in topics.items():
        truth = TilseGroundTruth([TilseTimeline(gold) for gold in golds])
        dates += len(truth.get_dates())
        days: dict[date, list[str]] = {}
        for event in predicted[topic]:
            days.setdefault(date.fromisoformat(event["start"]), []).append(event["summary"])
        pred = TilseTimeline(days)
        evaluator = rouge.TimelineRougeEvaluator(measures=["rouge_1", "rouge_2"])
        try:
            scores = evaluator.evaluate_all(pred, truth)
            saved[topic] = {"rouge": scores, "date_score": date_scores(pred, truth)}
        except Exception:
            continue
    saved = json.loads(json.dumps(saved))
    means: dict[str, dict[str, float]] = {}
    for variant, measures in next(iter(saved.values()))["rouge"].items():
        means[variant] = {}
        for measure in measures:
            scores_of = [item["rouge"][variant][measure] for item in saved.values()]
            p = sum(s["precision"] for s in scores_of) / len(scores_of)
            r = sum(s["recall"] for s in scores_of) / len(scores_of)
            means[variant][measure] = 2 * p * r / (p + r) if p + r else 0.0
    return means, saved, dates
