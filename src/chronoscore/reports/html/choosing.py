"""Which cases a page shows where there are too many: the worst, the best, and a sample."""

import random
from collections.abc import Iterable

import msgspec
import numpy as np

from chronoscore.core.family import Family
from chronoscore.core.ledger import Ledger
from chronoscore.core.result import CaseMatches, CaseTexts, Result

MOST = 600
"""Cases that a page shows all of."""
EACH = 100
"""Of the worst, of the best and of the sample, for each system."""


def chosen(
    result: Result,
    matches: Iterable[CaseMatches],
    texts: Iterable[CaseTexts],
    family: Family,
) -> tuple[Result, list[CaseMatches], list[CaseTexts]]:
    """The same result with fewer rows to look at, and what belongs to them.

    Scores stay those of all cases: they are in the summaries.
    """
    ledgers = {system.name: Ledger.of(system.rows) for system in result.systems}
    every = {case for ledger in ledgers.values() for case in ledger.cases}
    if len(every) <= MOST:
        return result, list(matches), list(texts)
    shown: set[str] = set()
    for ledger in ledgers.values():
        shown |= _picked(result, ledger, family)
    told = (
        f"the page shows {len(shown)} of {len(every)} cases: of each system the {EACH} worst, the "
        f"{EACH} best and {EACH} drawn by chance; where precision and recall were lost is told of "
        "these, scores are of all"
    )
    systems = []
    for system in result.systems:
        ledger = ledgers[system.name]
        places = [at for at, case in enumerate(ledger.cases) if case in shown]
        rows = ledger.take(np.array(places, np.int64)).rows
        systems.append(msgspec.structs.replace(system, rows=rows))
    return (
        msgspec.structs.replace(result, systems=tuple(systems), notices=(told, *result.notices)),
        [item for item in matches if item.case in shown],
        [item for item in texts if item.case in shown],
    )


def _picked(result: Result, ledger: Ledger, family: Family) -> set[str]:
    """By the main score of the first metric that is no curve; undefined ones are drawn only."""
    info = next((metric for metric in result.metrics if not metric.curve), result.metrics[0])
    metric = family.metric(info.name)
    at = metric.scores.index(info.primary)
    scores = metric.link(ledger.statistics[info.name])[..., at]
    worst_first = np.argsort(scores if info.better == "higher" else -scores, kind="stable")
    defined = [place for place in worst_first.tolist() if not np.isnan(scores[place])]
    # The same cases whatever the order they came in: the seed is fixed, the order is that of ids.
    drawn = random.Random(0).sample(range(len(ledger)), min(EACH, len(ledger)))
    return {ledger.cases[place] for place in (*defined[:EACH], *defined[-EACH:], *drawn)}
