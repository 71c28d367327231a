"""Calls tilse as LLM-TLS does: as news-tls for each trial, then the mean of F over trials."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from compat.callers.news_tls import Days, average, date_scores

from chronoscore.compat.tilse.data.timelines import GroundTruth as TilseGroundTruth
from chronoscore.compat.tilse.data.timelines import Timeline as TilseTimeline
from chronoscore.compat.tilse.evaluation import rouge

Clusters = Sequence[tuple[str, Sequence[str]]]


def timeline(clusters: Clusters) -> TilseTimeline:
    return TilseTimeline(
        {datetime.strptime(day, "%Y-%m-%d").date(): list(texts) for day, texts in clusters}  # noqa: DTZ007
    )


def evaluate(
    trials: Sequence[Mapping[str, Clusters]], topics: Mapping[str, Sequence[Days]]
) -> dict[str, float]:
    means = []
    for trial in trials:
        rows = []
        for topic, golds in topics.items():
            pred = timeline(trial[topic])
            for gold in golds:
                truth = TilseGroundTruth([TilseTimeline(gold)])
                evaluator = rouge.TimelineRougeEvaluator(measures=["rouge_1", "rouge_2"])
                scores = evaluator.evaluate_align_date_content_costs_many_to_one(pred, truth)
                rows.append((scores, date_scores(pred, truth)))
        means.append(average(rows))
    return {name: sum(mean[name] for mean in means) / len(means) for name in means[0]}
