"""What each predicted event earned: credit of matches, handed on to the events behind them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chronoscore.core.event import Event
from chronoscore.core.result import CaseMatches, Result
from chronoscore.evaluation.document import Credit, EventCredit, Judged
from chronoscore.evaluation.projections import Owners, Projection
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judgement import Judgement


@dataclass
class _Earned:
    credit: float = 0.0
    possible: float = 0.0
    gold: dict[str, None] = field(default_factory=dict)


Earned = dict[tuple[str, str], dict[tuple[str, str], _Earned]]
"""By (system, event) and by (family, metric)."""


def credits_of(
    result: Result,
    matches: Iterable[CaseMatches],
    projection: Projection,
    owners: Mapping[str, Owners],
) -> Earned:
    """Hand the credit of precision on to events; those who share a match share it equally.

    Over all events of a system it adds up to the numerator of precision, since every match of
    that side is handed on whole.
    """
    tags = {(system.name, row.case): row.tags for system in result.systems for row in system.rows}
    found: Earned = {}
    for item in matches:
        own = tags[item.system, item.case]
        group, timeline, known = own[projection.tag], own.get("gold", ""), owners[item.system]
        for match in item.matches:
            if match.side == "recall":
                continue
            names = match.about or (match.predicted,)
            told = [event for name in names for event in known.get((group, name), ())]
            # As predictions are taken: one written for this gold first, else the one there is.
            behind = [event for event, name in told if name == timeline] or [e for e, _ in told]
            for event in behind:
                of = found.setdefault((item.system, event), {})
                earned = of.setdefault((projection.family, item.metric), _Earned())
                earned.credit += match.credit / len(behind)
                earned.possible += match.possible / len(behind)
                if match.gold and match.credit and not match.about:
                    earned.gold[match.gold] = None
    return found


def judged_events(
    judgements: Iterable[Judgement], codebook: Codebook
) -> dict[tuple[str, str], list[Judged]]:
    """What was said of each event of a system, by evaluator."""
    found: dict[tuple[str, str], list[Judged]] = {}
    names = [criterion.name for criterion in codebook.criteria]
    for one in judgements:
        values = dict(zip(names, one.values, strict=True))
        said = Judged(one.evaluator, float(codebook.quality(one.values)), values)
        found.setdefault((one.system, one.event), []).append(said)
    return found


def joined(
    systems: Mapping[str, Sequence[Event]],
    earned: Sequence[Earned],
    judged: Mapping[tuple[str, str], Sequence[Judged]],
) -> tuple[EventCredit, ...]:
    """Every predicted event beside its credits and its judgements."""
    return tuple(
        EventCredit(
            system=system,
            event=event.id,
            topic=event.topic,
            date=event.date or "",
            text=event.text,
            credits=tuple(
                Credit(family, metric, own.credit, own.possible, tuple(own.gold))
                for part in earned
                for (family, metric), own in part.get((system, event.id), {}).items()
            ),
            judgements=tuple(judged.get((system, event.id), judged.get(("", event.id), ()))),
        )
        for system, events in systems.items()
        for event in events
    )
