"""The F score, and the quick ROUGE-1 by which tilse aligns days."""

from collections import Counter
from collections.abc import Iterable

from chronoscore.elements.text import raw


def get_f_score(prec: float, rec: float, beta: float = 1) -> float:
    """Return F = (1 + b²) P R / (b² P + R), and the integer 0 if both are 0.

    >>> get_f_score(0.5, 1.0), get_f_score(0.5, 1.0, beta=2), get_f_score(0.0, 0.0)
    (0.6666666666666666, 0.8333333333333334, 0)
    """
    if prec + rec == 0:
        return 0
    return (1 + beta**2) * prec * rec / (beta**2 * prec + rec)


def all_scores(precision: float, recall: float, beta: float = 1) -> dict[str, float]:
    """Return P, R and F under tilse's names."""
    f = get_f_score(precision, recall, beta=beta)
    return {"precision": precision, "recall": recall, "f_score": f}


def compute_rouge_approximation(
    pred_summary: Iterable[str], groundtruth: Iterable[Iterable[str]]
) -> float:
    """Return the F1 of the raw tokens that a day shares with all references together.

    >>> compute_rouge_approximation(["Mubarak resigns ."], [["Mubarak steps down ."]])
    0.4
    """
    predicted = raw(pred_summary)
    references = [raw(summary) for summary in groundtruth]
    shared = sum((Counter(predicted) & Counter(other)).total() for other in references)
    if not shared:
        return 0
    return get_f_score(
        shared / (len(references) * len(predicted)), shared / sum(map(len, references))
    )
