r"""The scorer of DTELS and of CCKS-2025: its numbers, its print-out and its command.

    python -m chronoscore.compat.dtels GOLD PREDICTED [--level N] [--dropped error|skip]

Both files are JSON lines, one topic a line. The gold has `id`, `timeline` (nodes with `id`, `time`,
`summary` and `atoms`), `meta_timeline` (``{level: {"timeline": [...]}}``) and `docs` (`time`,
`title`, `content`); the prediction has `id` and `timeline`. The command prints what the outer
script of the shared task prints, and on stderr a table with Chronoscore's number beside each.

A text entails an atom by the share of the atom's tokens that are in the longest common subsequence
of both. With e(i, j) the mean over the atoms of gold node j of their entailment by predicted node
i, and w = 1 / (1 + difference of their days in a calendar of 12 months of 31 days and years of 366)

    informativeness = max over one-to-one pairings of Σ w e(i, j), / number of *predicted* nodes
    granularity     = min(neighbours assigned within the gold, m - 1) / (m - 1),  m matched nodes
    factuality      = mean over predicted nodes of (atoms that an article entails by > 0.5) / atoms
    score           = mean of the three, for a topic; then the mean over topics

(Zhang et al. 2025, "DTELS: Towards Dynamic Granularity of Timeline Summarization"; the scorer is
``ccks2025_demo`` of chenlong-clock/DTELS-Bench, commit cf41a48.) The faults of these numbers stay;
`docs/faults.md` has a case for each. Two things differ from the original. A topic that makes
it raise an exception is an error here unless ``dropped="skip"``; the original leaves it out of the
mean. Segments of equal rank are taken last first, which is the original's order for up to 16
segments on a processor without vector sorting; a notice says where its answer depends on the
processor. Tokens are those of jieba, which the extra ``chronoscore[cjk]`` brings.
"""

from chronoscore.compat.dtels.command import (
    DtelsResult,
    events_of,
    fault_table,
    main,
    ours,
    printout,
    score_files,
    score_topics,
)
from chronoscore.compat.dtels.measures import (
    DroppedTopicError,
    Id,
    Tokens,
    bm25,
    entailment,
    factuality,
    granularity,
    informativeness,
    jieba_tokens,
    ordinal,
    score_topic,
)

__all__ = [
    "DroppedTopicError",
    "DtelsResult",
    "Id",
    "Tokens",
    "bm25",
    "entailment",
    "events_of",
    "factuality",
    "fault_table",
    "granularity",
    "informativeness",
    "jieba_tokens",
    "main",
    "ordinal",
    "ours",
    "printout",
    "score_files",
    "score_topic",
    "score_topics",
]
