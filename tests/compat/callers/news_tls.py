"""Calls tilse as news-tls does: each gold alone, align+ m:1, F of mean P and mean R."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from chronoscore.compat.tilse.data.timelines import GroundTruth as TilseGroundTruth
from chronoscore.compat.tilse.data.timelines import Timeline as TilseTimeline
from chronoscore.compat.tilse.evaluation import rouge

Days = Mapping[date, Sequence[str]]
Row = tuple[dict[str, dict[str, float]], dict[str, float]]


def date_scores(pred: TilseTimeline, truth: TilseGroundTruth) -> dict[str, float]:
    shared = len(pred.get_dates().intersection(truth.get_dates()))
    p, r = shared / len(pred.get_dates()), shared / len(truth.get_dates())
    return {"precision": p, "recall": r, "f_score": 2 * p * r / (p + r) if p + r else 0}


def average(rows: Sequence[Row]) -> dict[str, float]:
    def f(scores: Sequence[Mapping[str, float]]) -> float:
        p = sum(s["precision"] for s in scores) / len(scores)
        r = sum(s["recall"] for s in scores) / len(scores)
        return 2 * p * r / (p + r) if p + r else 0.0

    return {
        "AR-1": f([texts["rouge_1"] for texts, _ in rows]),
        "AR-2": f([texts["rouge_2"] for texts, _ in rows]),
        "Date-F1": f([dates for _, dates in rows]),
    }


def evaluate(
    predict: Callable[..., Days], topics: Mapping[str, Sequence[Days]]
) -> tuple[dict[str, float], list[Any]]:
    evaluator = rouge.TimelineRougeEvaluator(measures=["rouge_1", "rouge_2"])
    rows = []
    for topic, golds in topics.items():
        for gold in [TilseTimeline(days) for days in golds]:
            dates = sorted(gold.dates_to_summaries)
            lengths = [len(texts) for _, texts in gold.dates_to_summaries.items()]
            pred = TilseTimeline(
                predict(
                    topic,
                    max_dates=len(dates),
                    max_summary_sents=round(sum(lengths) / len(lengths)),
                )
            )
            truth = TilseGroundTruth([gold])
            scores = evaluator.evaluate_align_date_content_costs_many_to_one(pred, truth)
            rows.append((scores, date_scores(pred, truth)))
    return average(rows), rows
