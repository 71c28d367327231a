"""The scorer of T2S2, the Textual Time Series Corpus for Sepsis: its numbers and its print-out.

`compare` does what ``compare_tts.r`` and ``helper_comparer.r`` do once the distances between texts
are known; ``python -m chronoscore.compat.t2s2`` is the command. The module `tts_metrics` stands in
for the Python module of that name, whose numbers differ in places.
"""

from chronoscore.compat.t2s2.measures import SeriesSummary, printout
from chronoscore.compat.t2s2.runs import compare

__all__ = ["SeriesSummary", "compare", "printout"]
