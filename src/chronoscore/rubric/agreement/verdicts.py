"""Whether evaluators agree well enough on a criterion, and what to do about it: the rule, once."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from chronoscore.core.result import Agreement
from chronoscore.rubric.agreement.coefficients import AgreementPlan

POOR = 0.4
"""Fleiss (1981) calls a kappa below this poor agreement beyond chance; alpha has the same scale."""
FEWEST = 10
"""Events that several people judged, from which on a criterion gets a verdict."""

Action = Literal["fine", "talk about it", "judge anew", "too few"]
RULE: Mapping[Action, str] = {
    "fine": "alpha and its whole interval reach {threshold:g}, or nobody differs on any {unit}",
    "talk about it": "alpha is below {threshold:g}, or its interval begins below or is missing",
    "judge anew": "alpha is below {poor:g}",
    "too few": "fewer than {fewest} {unit}s were judged by several people",
}
"""When each action is advised; the first row from below that applies counts."""


class CriterionVerdict(msgspec.Struct, frozen=True):
    """Whether evaluators agree well enough on one criterion, by its alpha."""

    criterion: str
    coefficient: str
    value: float | None
    threshold: float
    verdict: Literal["enough", "unsure", "no interval", "below", "undefined"]
    """Unsure: alpha reaches the threshold, and the lower end of its interval does not."""
    sentence: str


class Advice(NamedTuple):
    """What to do about a criterion, and why."""

    action: Action
    reason: str


def verdict_on(row: Agreement, plan: AgreementPlan) -> CriterionVerdict:
    """Return whether an alpha reaches the threshold, with a sentence that says so."""
    about = f"{row.criterion}: {row.coefficient}"
    if row.value is None:
        verdict, sentence = "undefined", f"{about} is undefined ({row.reason})"
    elif row.value < plan.threshold:
        verdict, sentence = "below", f"{about} is {row.value:.3f}, {_below(row.value, plan)}"
    else:
        reached = f"{about} is {row.value:.3f}, which reaches {plan.threshold:g}"
        if row.interval is None:
            verdict, more = "no interval", f"it has no interval ({row.no_interval})"
        elif row.interval.low < plan.threshold:
            verdict, more = "unsure", f"its interval begins at {row.interval.low:.3f}"
        else:
            verdict, more = "enough", ""
        sentence = f"{reached}, but {more}: it may be chance" if more else reached
    return CriterionVerdict(
        row.criterion,
        row.coefficient,
        row.value,
        plan.threshold,
        verdict,  # type: ignore[arg-type]  # one of the five above
        sentence,
    )


def _below(value: float, plan: AgreementPlan) -> str:
    poor = min(POOR, plan.threshold)
    if value < poor:
        return f"below {poor:g}: judge anew"
    return f"below {plan.threshold:g}: talk about it"


def advise(verdict: CriterionVerdict, events: int, differing: int, unit: str = "event") -> Advice:
    """Return what to do about a criterion.

    `events` is how many events several people judged, `differing` on how many of them they differ;
    `unit` is what they are called.
    """
    if events < FEWEST:
        counted = f"{events} {unit}{'' if events == 1 else 's'} judged by several people"
        return Advice("too few", f"{counted}; {FEWEST} are needed")
    if not differing:
        return Advice("fine", f"nobody differs on any of {events} {unit}s")
    reached = f"alpha reaches {verdict.threshold:g}"
    poor = min(POOR, verdict.threshold)
    if verdict.verdict == "below" and verdict.value is not None and verdict.value < poor:
        return Advice("judge anew", f"alpha is below {poor:g}")
    reasons = {
        "enough": f"{reached} with its whole interval",
        "unsure": f"{reached}, but its interval begins below: it may be chance",
        "no interval": f"{reached}, but it has no interval: it may be chance",
        "below": f"alpha is below {verdict.threshold:g}",
        "undefined": "alpha is undefined",
    }
    action: Action = "fine" if verdict.verdict == "enough" else "talk about it"
    return Advice(action, reasons[verdict.verdict])


def rule(threshold: float, unit: str = "event") -> dict[Action, str]:
    """Return the rule in words for a threshold.

    >>> rule(0.667)["judge anew"]
    'alpha is below 0.4'
    """
    fields = {"threshold": threshold, "poor": min(POOR, threshold), "fewest": FEWEST, "unit": unit}
    return {action: text.format(**fields) for action, text in RULE.items()}
