"""The evaluation of the SUnSET notes under its own names: AR-1, AR-2 and Date-F1 by exact date.

A timeline, predicted or gold, is anything with `entries`, each with a `date` and a `summary`, or
any other timeline that Chronoscore takes: `{date: [summaries]}`, a list of entries, of records or
of pairs. Dates are compared as texts. Chronoscore's own names for these scores are `exact-date`,
`exact-date(rouge=2)` and `date-f1`, and the protocol is `sunset`.

`evaluate_with_tilse` is the other score that the notes call AR-1 and AR-2: tilse's `concat`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean
from typing import Any

from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation.rouge import TimelineRougeEvaluator
from chronoscore.compat.tilse.evaluation.util import get_f_score
from chronoscore.elements.dated.values import entries_of
from chronoscore.elements.text import plain
from chronoscore.elements.text.sequences import ngrams

AVERAGE = "AVERAGE"


@dataclass(frozen=True)
class EvalResult:
    """The three scores of a timeline, or their means."""

    ar1: float
    ar2: float
    date_f1: float


def rouge_n(candidate: str, reference: str, n: int) -> float:
    """Return the F1 of the n-grams that two texts share.

    >>> rouge_n("Mubarak resigns", "Mubarak resigns at last", 1)
    0.6666666666666666
    """
    predicted, gold = (Counter(ngrams(plain([text]), n)) for text in (candidate, reference))
    shared = (predicted & gold).total()
    return get_f_score(shared / predicted.total(), shared / gold.total()) if shared else 0.0


def compute_date_f1(pred_timeline: Any, gold_timeline: Any) -> float:
    """Return the F1 of the dates, 0 if one side has none."""
    predicted, gold = {day for day, _ in _predicted(pred_timeline)}, _gold(gold_timeline).keys()
    shared = len(predicted & gold)
    return get_f_score(shared / len(predicted), shared / len(gold)) if shared else 0.0


def compute_alignment_rouge(pred_timeline: Any, gold_timeline: Any, n: int = 1) -> float:
    """Return the mean over gold summaries of ROUGE-n with the prediction of the same date, or 0."""
    predicted: dict[str, str] = {}
    for day, summary in _predicted(pred_timeline):
        predicted.setdefault(day, summary)
    scores = [
        rouge_n(predicted.get(day, ""), summary, n)
        for day, summaries in _gold(gold_timeline).items()
        for summary in summaries
    ]
    return fmean(scores) if scores else 0.0


def evaluate(pred_timeline: Any, gold_timeline: Any) -> EvalResult:
    """Score a timeline against one gold."""
    entries, gold = _predicted(pred_timeline), _gold(gold_timeline)
    return EvalResult(
        ar1=compute_alignment_rouge(entries, gold, n=1),
        ar2=compute_alignment_rouge(entries, gold, n=2),
        date_f1=compute_date_f1(entries, gold),
    )


def evaluate_multi_gold(pred_timeline: Any, gold_timelines: Any) -> EvalResult:
    """Score a timeline against each gold of its topic, by name or in a list; return the means."""
    entries = _predicted(pred_timeline)
    golds = gold_timelines.values() if isinstance(gold_timelines, Mapping) else gold_timelines
    return _mean([evaluate(entries, gold) for gold in golds])


def evaluate_all(pipeline: Any, dataset: Mapping[str, Mapping[str, Any]]) -> dict[str, EvalResult]:
    """Run a pipeline on all topics and score each; the means are under `AVERAGE`.

    A pipeline is any object whose method `run` returns a timeline for the data of a topic.
    """
    results = {
        topic: evaluate_multi_gold(pipeline.run(data), data["gold_timelines"])
        for topic, data in dataset.items()
    }
    return {**results, AVERAGE: _mean(list(results.values()))}


def evaluate_with_tilse(pred_entries: Any, gold_timeline_dict: Any) -> tuple[float, float]:
    """Return ROUGE-1 and ROUGE-2 F of tilse's `concat`; the last entry of a date counts.

    Raises ZeroDivisionError if a side has fewer than two words that count, as tilse does.
    """
    predicted = {date.fromisoformat(day): [text] for day, text in _predicted(pred_entries)}
    gold = {date.fromisoformat(day): texts for day, texts in _gold(gold_timeline_dict).items()}
    evaluator = TimelineRougeEvaluator(measures=["rouge_1", "rouge_2"])
    scores = evaluator.evaluate_concat(Timeline(predicted), GroundTruth([Timeline(gold)]))
    return scores["rouge_1"]["f_score"], scores["rouge_2"]["f_score"]


def _predicted(timeline: Any) -> list[tuple[str, str]]:
    """Return the dates of a prediction and the text of each, in the order of its entries."""
    return [(day, " ".join(texts)) for day, texts in entries_of(timeline, "predicted")]


def _gold(timeline: Any) -> dict[str, list[str]]:
    """Return the summaries of a gold by date."""
    summaries: dict[str, list[str]] = {}
    for day, texts in entries_of(timeline, "gold"):
        summaries.setdefault(day, []).extend(texts)
    return summaries


def _mean(results: Sequence[EvalResult]) -> EvalResult:
    """Return the means of the three scores; an empty list is an error."""
    names = ("ar1", "ar2", "date_f1")
    return EvalResult(*(fmean(getattr(result, name) for result in results) for name in names))
