r"""Numbers and lines as ``evaluation_all.py`` of SemEval-2015 Task 4 prints them.

The scorer runs under Python 2, where ``round`` takes halves away from zero and ``str`` of a float
has 12 significant digits. So 1/128 = 0.0078125 is 0.007813 there and 0.007812 in Python 3, and
published tables need the former. A file's scores are each rounded to 6 digits and given per cent.
The last line pools the four counts over files, rounds P and R, and computes F *from the rounded
values* without rounding it (Minard et al. 2015, "SemEval-2015 Task 4: TimeLine: Cross-Document
Event Ordering"):

    P = 100 round(sum precision_matched / sum system_total, 6),  R likewise,  F = 2PR / (P + R)

Counts are the four numbers of `chronoscore.ordering.awareness.Counts`, in that order. 0/0 is
printed as 0.0, for the last line too, where the original divides by zero and stops. Where P and R
are both 0, the last line's F is a bare ``0``.
"""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from chronoscore.core.evidence import Row
from chronoscore.core.result import Result

FileCounts = tuple[int, int, int, int]
Printed = tuple[str, str, str]  # F, P, R

_SIX_DIGITS = Decimal("0.000001")


def percent(x: float) -> str:
    """A share as Python 2 prints ``100*round(x, 6)``.

    >>> percent(1 / 128), percent(2 / 3), percent(1.0), percent(0.0)
    ('0.7813', '66.6667', '100.0', '0.0')
    """
    return _str(_rounded(x))


def printed_scores(counts: FileCounts) -> Printed:
    """F, P and R of one file.

    >>> printed_scores((5, 7, 3, 4))
    ('73.1707', '71.4286', '75.0')
    """
    precision_matched, system_total, recall_matched, gold_total = counts
    precision = _ratio(precision_matched, system_total)
    recall = _ratio(recall_matched, gold_total)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return percent(f1), percent(precision), percent(recall)


def micro(counts: Iterable[FileCounts]) -> Printed:
    """F, P and R of the last line, from the counts of the files that were scored.

    >>> micro([(5, 7, 3, 4), (1, 2, 1, 3)])
    ('61.5385005917', '66.6667', '57.1429')
    """
    rows = list(counts)
    precision_matched, system_total, recall_matched, gold_total = (
        sum(row[column] for row in rows) for column in range(4)
    )
    precision = _rounded(_ratio(precision_matched, system_total))
    recall = _rounded(_ratio(recall_matched, gold_total))
    if system_total and gold_total and not precision + recall:
        return "0", _str(precision), _str(recall)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return _str(f1), _str(precision), _str(recall)


def single_line(counts: FileCounts) -> str:
    r"""What the scorer of one timeline leaves in ``tmp.out``: F, P, R and the four counts.

    >>> single_line((5, 7, 3, 4))
    '73.1707\t71.4286\t75.0\t5\t7\t3\t4'
    """
    return "\t".join((*printed_scores(counts), *map(str, counts)))


def file_line(name: str, scores: Printed) -> str:
    r"""The line of a file.

    >>> file_line("ipod.txt", ("81.4815", "68.75", "100.0"))
    'ipod.txt\tFSCORE\t81.4815\tPRECISION\t68.75\tRECALL\t100.0'
    """
    f1, precision, recall = scores
    return "\t".join((name, "FSCORE", f1, "PRECISION", precision, "RECALL", recall))


def missing_lines(answers: str, name: str) -> tuple[str, str]:
    """The two lines for a gold file without an answer in the folder ``answers``.

    The second one is not what happens: the file is left out, and adds nothing to the gold total.

    >>> missing_lines("run1", "ipod.txt")[0]
    'No answer file found run1/ipod.txt'
    """
    return (
        f"No answer file found {answers}/{name}",
        "Skipping the evaluation of it. Fscore set at 0",
    )


def final_line(scores: Printed) -> str:
    r"""The last line, with the pooled scores.

    >>> final_line(("71.022233145", "92.0732", "57.8059"))
    '\tMICRO-FSCORE\t71.022233145\tMICRO-PRECISION\t92.0732\tMICRO-RECALL\t57.8059'
    """
    f1, precision, recall = scores
    words = ("", "MICRO-FSCORE", f1, "MICRO-PRECISION", precision, "MICRO-RECALL", recall)
    return "\t".join(words)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _rounded(x: float) -> float:
    # Decimal(x) is the exact value of the float, so that only true halves count as halves.
    return 100 * float(Decimal(x).quantize(_SIX_DIGITS, ROUND_HALF_UP))


def _str(x: float) -> str:
    text = f"{x:.12g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"


def printout(result: Result, metric: str) -> str:
    """What ``evaluation_all.py`` prints, for one system or several one after the other."""
    lines = []
    for system in result.systems:
        counts = {row.case: _counts(row, metric) for row in system.rows}
        lines += [file_line(f"{case}.txt", printed_scores(c)) for case, c in counts.items()]
        lines.append(final_line(micro(counts.values())))
    return "\n".join(lines) + "\n"


def _counts(row: Row, metric: str) -> FileCounts:
    precision_matched, system_total, recall_matched, gold_total = map(
        int, row.statistics[metric][:4]
    )
    return precision_matched, system_total, recall_matched, gold_total
