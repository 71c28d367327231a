r"""The scorer of the ChemoTimelines shared task (``eval_timeline.py``, v20240305) as it is.

    python -m chronoscore.compat.chemotimelines --gold_path G --pred_path P --all_id_path I
        [--gold_id_path J] (--strict | --relaxed_to day|month|year) [--today YYYY-MM-DD]

A patient's timeline is a list of ``[drug, relation, timex]``. The numbers and the print-out are
those of the original, its faults included (Yao et al. 2024, "Overview of the 2024 Shared Task on
Chemotherapy Treatment Timeline Extraction"). The page on faults of published scorers has the
smallest case of each.

The original fills what a date leaves out from the clock of the machine. Here the day of the run is
the argument `today`, 2024-03-15 unless another is named; `over_the_year` tells what other days
would give. Where the original ends in a traceback, a `DataError` gives the reason.

Dates that are read are ``YYYY``, ``YYYY-MM``, ``YYYY-MM-DD``, the last with ``tHH:MM`` or
``tHH:MM:SS``, and ``YYYY-Www``; of other spellings the original reads some (``April 2013``), which
are refused here. So are years before 1000, a patient who is twice in a file, and tuples that are
no lists.
"""

from chronoscore.compat.chemotimelines.dates import TODAY, read_timex
from chronoscore.compat.chemotimelines.scoring import (
    Averages,
    ChemoScores,
    Mode,
    Patient,
    PatientCounts,
    YearOfScores,
    check,
    evaluate,
    over_the_year,
    score,
)

__all__ = [
    "TODAY",
    "Averages",
    "ChemoScores",
    "Mode",
    "Patient",
    "PatientCounts",
    "YearOfScores",
    "check",
    "evaluate",
    "over_the_year",
    "read_timex",
    "score",
]
