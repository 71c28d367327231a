"""Everything about how far evaluators agree, put together from their judgements."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from chronoscore.core import budget
from chronoscore.core.case import Case
from chronoscore.core.ledger import Ledger
from chronoscore.rubric.agreement import articles, rated
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement, chips_in
from chronoscore.rubric.reliability.adjudication import against
from chronoscore.rubric.reliability.discussion import discussion, verdicts
from chronoscore.rubric.reliability.document import (
    Check,
    Generosity,
    OverTime,
    Pair,
    Reliability,
)
from chronoscore.rubric.reliability.judged import (
    Cases,
    Rated,
    agreement_on,
    comments_in,
    parts,
    plain,
    scale_of,
)
from chronoscore.rubric.reliability.plan import Plan
from chronoscore.statistics.agreement import Weighting, gwet_error, pairs
from chronoscore.statistics.agreement.estimating import resampled
from chronoscore.statistics.agreement.raters import severity_tallies

BYTES_A_PAIR = 300
"""What one row of the table of pairs takes, about."""


def study(
    cases: Cases,
    rows: Mapping[str, Ledger],
    codebook: Codebook,
    plan: Plan,
    *,
    over_time: OverTime | None = None,
    agreed: Mapping[str, Judgement] | None = None,
    notices: Sequence[str] = (),
) -> Reliability:
    """Make the document; `rows` are the measured `cases`, `agreed` the adjudicated values."""
    clusters = articles(rows)
    found = rated(rows, codebook)
    shown = [(name, own, plan.shown(scale_of(name, codebook))) for name, own, _ in found]
    # The usual few are drawn for at once; many would not fit into memory together.
    batches = [[one] for one in shown] if plan.coefficients else [shown]
    agreement = [row for batch in batches for row in agreement_on(batch, clusters, plan)]
    return Reliability(
        codebook=f"{codebook.name} {codebook.version}",
        evaluators=found[0][1].rater_names,
        systems=tuple(cases),
        events=len(found[0][1].units),
        judgements=sum(map(len, cases.values())),
        agreement=tuple(agreement),
        checks=tuple(_checks(shown)),
        verdicts=tuple(verdicts(agreement, found, codebook, clusters, plan)),
        discussion=discussion(cases, found, codebook, plan),
        pairs=tuple(_pairs(found)),
        generosity=tuple(_generosity(found, codebook, clusters, plan)),
        comments={system: chip_counts(judged, codebook) for system, judged in cases.items()},
        parts=tuple(parts(cases, found, codebook, clusters, plan)),
        over_time=over_time,
        adjudicated=tuple(against(cases, agreed, codebook, clusters, plan)) if agreed else (),
        notices=tuple(notices),
    )


def _checks(shown: Rated) -> Iterable[Check]:
    """Of AC1 and AC2, which have an analytic error for any number of raters."""
    weightings: dict[str, Weighting] = {"AC1": "identity", "AC2 linear": "linear"}
    weightings |= {"AC2 quadratic": "quadratic", "AC2 ordinal": "ordinal"}
    for criterion, ratings, coefficients in shown:
        for one in coefficients:
            if one.name in weightings:
                error = gwet_error(ratings, weightings[one.name])
                yield Check(criterion, one.name, plain(error))


def chip_counts(judged: Sequence[Case[str, Judgement]], codebook: Codebook) -> dict[str, int]:
    """How often each frequent comment was made; comments that are the same are read once."""
    counts = dict.fromkeys((chip.text for chip in codebook.chips), 0)
    comments = comments_in(judged)
    times = np.bincount(comments.at, minlength=len(comments.names)).tolist()
    for comment, number in zip(comments.names, times, strict=True):
        for text in chips_in(comment, codebook):
            counts[text] += number
    return counts


def _pairs(rated: Rated) -> Iterable[Pair]:
    """Percent and plain kappa; the score is left out, since its values are rarely equal."""
    raters = len(rated[0][1].rater_names)
    number = (len(rated) - 1) * raters * (raters - 1) // 2
    budget.check(number * BYTES_A_PAIR, f"{raters:,} evaluators make {number:,} rows of pairs")
    for criterion, ratings, _ in rated[:-1]:
        found = pairs(ratings)
        for first, one in enumerate(found.raters):
            for second in range(first + 1, len(found.raters)):
                two, place = found.raters[second], (first, second)
                yield Pair(
                    criterion,
                    one,
                    two,
                    int(found.shared[place]),
                    plain(found.percent[place]),
                    plain(found.kappa[place]),
                    found.why_undefined(one, two),
                )


def _generosity(
    rated: Rated, codebook: Codebook, clusters: Mapping[str, str], plan: Plan
) -> Iterable[Generosity]:
    """Each evaluator on each criterion; what is drawn is drawn once for all of them."""
    wanted = [
        (criterion, who, tally)
        for criterion, ratings, _ in rated
        for who, tally in zip(ratings.rater_names, severity_tallies(ratings), strict=True)
    ]
    tallies = [tally for _, _, tally in wanted]
    bounds = resampled(
        rated[0][1], tallies, clusters, method=plan.method, level=plan.level, seed=plan.seed
    )
    for (criterion, who, tally), own in zip(wanted, bounds, strict=True):
        size = codebook.denominator if criterion == codebook.score else 1
        numbers = (float(tally()), float(own.low[0]), float(own.high[0]))
        above, low, high = (plain(number / size) for number in numbers)
        reason = "" if tally.used.any() else "no event that another judged too"
        yield Generosity(criterion, who, int(tally.used.sum()), above, low, high, reason)
