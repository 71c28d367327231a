"""How papers compute the numbers of their tables, each under one name.

All average over trials last: a system that was run several times has the mean of its runs.
"""

from chronoscore.core.family import Protocol

_FIVE = ("concat", "agreement", "align", "align+", "align+m:1")
_ALL_FIVE = tuple(name for variant in _FIVE for name in (variant, f"{variant}(rouge=2)"))
_MEAN_PR = "gold+topic:mean-pr>trial:mean-f"

NEWS_TLS = Protocol(
    name="news-tls",
    meaning="AR-1, AR-2 and Date-F1 against each gold alone; mean P and mean R over all golds of "
    "all topics, then F",
    citation="Gholipour Ghalandari and Ifrim 2020, Examining the State-of-the-Art in News Timeline "
    "Summarization, ACL",
    metrics=("AR-1", "AR-2", "Date-F1"),
    path=_MEAN_PR,
    undefined="zero",
)
LLM_TLS = Protocol(
    name="llm-tls",
    meaning="as news-tls for each trial, then the mean of F over trials",
    citation="Hu, Moon and Ng 2024, From Moments to Milestones: Incremental Timeline Summarization "
    "Leveraging Large Language Models, ACL",
    metrics=("AR-1", "AR-2", "Date-F1"),
    path=_MEAN_PR,
    undefined="zero",
)
TILSE = Protocol(
    name="tilse",
    meaning="all five variants against each gold alone; mean P and mean R over all golds, then F",
    citation="Martschat and Markert 2018, A Temporally Sensitive Submodularity Framework for "
    "Timeline Summarization, CoNLL",
    metrics=(*_ALL_FIVE, "Date-F1"),
    path=_MEAN_PR,
    undefined="zero",
)
CHRONOS = Protocol(
    name="chronos",
    meaning="all five variants against all golds of a topic at once; mean P and mean R over "
    "topics, then F",
    citation="Wu et al. 2025, Unfolding the Headline: Iterative Self-Questioning for News "
    "Retrieval and Timeline Summarization (CHRONOS), NAACL Findings",
    metrics=(*_ALL_FIVE, "Date-F1"),
    path=_MEAN_PR,
    undefined="zero",
    options={"golds": "pooled", "dates": "first-day"},
)
SUNSET = Protocol(
    name="sunset",
    meaning="the mean over gold summaries of ROUGE F1 on their very date, and Date-F1; mean of F "
    "within a topic, then over topics",
    citation="the evaluation notes of SUnSET",
    metrics=("exact-date", "exact-date(rouge=2)", "Date-F1"),
    path="gold:mean-f>topic:mean-f>trial:mean-f",
    undefined="zero",
    options={"repeated": "first"},
    labels={"exact-date": "AR-1", "exact-date(rouge=2)": "AR-2"},
)
PROTOCOLS = (NEWS_TLS, LLM_TLS, TILSE, CHRONOS, SUNSET)

READINGS = (
    ("concat", "SUnSET's code example prints it as AR; earlier papers as ROUGE"),
    ("agreement", "nobody by itself; a part of tilse's table"),
    ("align", "Martschat and Markert 2017, by date alone"),
    ("align+", "Martschat and Markert 2017, by date and text, one to one"),
    ("align+m:1", "AR of news-tls, LLM-TLS and the tables that most compare with"),
    ("exact-date", "AR as SUnSET's notes describe it"),
)
"""Everything that has been called alignment-based ROUGE or stood in its place, and by whom."""
