"""F, and the quick ROUGE-1 by which tilse aligns days."""

from collections import Counter
from collections.abc import Iterable

from chronoscore.elements.text import words


def get_f_score(prec: float, rec: float, beta: float = 1) -> float:
    """F = (1 + b²) P R / (b² P + R), and the integer 0 where both are 0.

    >>> get_f_score(0.5, 1.0), get_f_score(0.5, 1.0, beta=2), get_f_score(0.0, 0.0)
    (0.6666666666666666, 0.8333333333333334, 0)
    """
    if prec + rec == 0:
        return 0
    return (1 + beta**2) * prec * rec / (beta**2 * prec + rec)


def compute_rouge_approximation(
    pred_summary: Iterable[str], groundtruth: Iterable[Iterable[str]]
) -> float:
    """F1 of the raw tokens that a day shares with the references, which are added up.

    >>> compute_rouge_approximation(["Mubarak resigns ."], [["Mubarak steps down ."]])
    0.4
    """
    own = words.raw(pred_summary)
    others = [words.raw(summary) for summary in groundtruth]
    shared = sum((Counter(own) & Counter(other)).total() for other in others)
    if not shared:
        return 0
    return get_f_score(shared / (len(others) * len(own)), shared / sum(map(len, others)))
