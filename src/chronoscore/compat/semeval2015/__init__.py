"""The scorer of SemEval-2015 Task 4: its numbers, its print-out and its command.

python -m chronoscore.compat.semeval2015 [--ord] GOLD_DIR ANSWER_DIR
python -m chronoscore.compat.semeval2015 [--ord] --single DIR GOLD SYSTEM
"""

from chronoscore.compat.semeval2015.printing import (
    FileCounts,
    Printed,
    file_line,
    final_line,
    micro,
    missing_lines,
    percent,
    printed_scores,
    printout,
    single_line,
)

__all__ = [
    "FileCounts",
    "Printed",
    "file_line",
    "final_line",
    "micro",
    "missing_lines",
    "percent",
    "printed_scores",
    "printout",
    "single_line",
]
