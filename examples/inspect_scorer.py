"""A scorer for inspect_ai: timelines as lines of {"date", "text"} or ``2011-01-25: It began.``"""

import json

import numpy as np
from inspect_ai import scorer as inspect
from inspect_ai.solver import TaskState

import chronoscore
from chronoscore import DataError, timelines
from chronoscore.timelines import Timeline, timeline


def read_timeline(text: str) -> tuple[Timeline, list[str]]:
    """Read a timeline, and the lines that are no part of it: models like to talk."""
    days, others = list(Timeline().days), []
    for line in filter(None, map(str.strip, text.splitlines())):
        day, _, said = (part.strip("-* ") for part in line.partition(":"))
        try:
            days.extend(timeline([json.loads(line) if line[0] == "{" else (day, said)]).days)
        except (ValueError, TypeError, DataError):
            others.append(f"not read: {line}")
    return timeline(days), others


@inspect.metric(scores="unreduced")
def pooled() -> inspect.Metric:
    """The score of the summed counts of all samples: long timelines weigh more."""

    def compute(scores: list[inspect.SampleScore]) -> float:
        chosen = chronoscore.metric(scores[0].score.metadata["metric"])
        counts = np.sum([each.score.metadata["statistics"] for each in scores], axis=0)
        return float(chosen.link(counts)[chosen.scores.index(chosen.primary)])

    return compute


@inspect.scorer(metrics=[inspect.mean(), inspect.stderr(), pooled()])
def timeline_scorer(metric: str = "AR-1") -> inspect.Scorer:
    """Score by the main score of a metric; its matches explain it."""

    async def score(state: TaskState, target: inspect.Target) -> inspect.Score:
        predicted, why = read_timeline(state.output.completion)
        gold, wrong = read_timeline("\n".join(target))
        if wrong:
            raise DataError.of(f"the target is no timeline: {wrong[0]}")
        result = timelines.score(gold, predicted, metrics=[metric])
        for m in result.explain().matches[0].matches:
            why += [f"{m.side} {m.predicted} ~ {m.gold}, {m.outcome}: {m.credit:g}/{m.possible:g}"]
        value = float(result[metric])  # undefined is NaN: not zero but unscored
        counts = result.document.systems[0].summaries[0].statistics
        metadata = {"metric": metric, "statistics": counts}
        return inspect.Score(value=value, explanation="\n".join(why), metadata=metadata)

    return score
