"""ROUGE of each gold summary against the prediction of its very date."""

from collections import Counter

import numpy as np

from chronoscore.core.errors import UsageError
from chronoscore.core.evidence import Evidence, Match, Statistic
from chronoscore.core.metric import BrokenLaw, Definition, Law, Parameter, Values
from chronoscore.elements.periods import Period
from chronoscore.elements.ratios import ratio
from chronoscore.elements.text import tokeniser
from chronoscore.timelines.comparison import Comparison
from chronoscore.timelines.ngrams import ngrams
from chronoscore.timelines.rouge_metrics import TEXT, check_rouge


def _day_scores(comparison: Comparison, values: Values) -> list[tuple[Period, float]]:
    """The F1 of each gold summary against the prediction of its very date, 0 if there is none."""
    n = int(str(values["rouge"]))
    tokenise = tokeniser(comparison.gold.text)
    own = {
        day: Counter(ngrams(tokens, n))
        for day, tokens in zip(comparison.predicted_dates, comparison.tokens, strict=True)
    }
    scores = []
    for reference in comparison.gold.references:
        for day, texts in reference.days:
            for text in texts:
                theirs, mine = Counter(ngrams(tokenise([text]), n)), own.get(day)
                shared = (mine & theirs).total() if mine else 0
                precision = shared / mine.total() if mine else 0.0
                recall = shared / theirs.total() if theirs else 0.0
                both = precision + recall
                scores.append((day, 2 * precision * recall / both if both else 0.0))
    return scores


def _measure_exact(comparison: Comparison, values: Values) -> Evidence:
    scores = [score for _, score in _day_scores(comparison, values)]
    return Evidence((float(np.add.accumulate(scores)[-1]) if scores else 0.0, len(scores)))


def _explain_exact(comparison: Comparison, values: Values) -> list[Match]:
    have = set(comparison.predicted_dates)
    return [
        Match(
            side="recall",
            outcome="same day" if day in have else "no prediction of this day",
            credit=score,
            possible=1.0,
            gold=str(day),
            predicted=str(day) if day in have else "",
        )
        for day, score in _day_scores(comparison, values)
    ]


def _ngrams_only(word: str) -> None:
    check_rouge(word)
    if word == "L":
        raise UsageError("exact-date counts n-grams: give rouge as a number")


EXACT_DATE = Definition(
    name="exact-date",
    meaning="mean over gold summaries of the ROUGE F1 of the prediction of that very date",
    citation="the reading of alignment-based ROUGE in the evaluation notes of SUnSET",
    parameters=(
        Parameter("rouge", "word", "1", "length of the n-grams", check=_ngrams_only),
        Parameter("text", "word", "plain", TEXT.meaning, check=tokeniser),
    ),
    statistics=(
        Statistic("f1_sum", "real", "F1 added up over gold summaries"),
        Statistic("summaries", "integer", "gold summaries"),
    ),
    components=("f1",),
    scores=("f1",),
    primary="f1",
    setting=lambda values: values["text"],
    measure=_measure_exact,
    explain=_explain_exact,
    days=True,
    ratios=lambda statistics, _: ratio(statistics[..., 0], statistics[..., 1])[..., np.newaxis],
    laws=lambda _: frozenset({Law.ITEM_ORDER, Law.EXPLAINED, Law.BOUNDED}),
    broken=(
        BrokenLaw(
            Law.IDENTITY,
            "A gold day with two summaries: the prediction is both together, and each of them "
            "alone is only a part of it, so that a copy scores below 1.",
        ),
    ),
    explained={"recall": (("f1_sum",), ("summaries",))},
)
