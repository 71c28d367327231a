"""Judgements of a run: made of complete answers only; what failed is recorded as such."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judge.asking import Verdict
from chronoscore.rubric.judge.judge import Asked, Judge
from chronoscore.rubric.judgement import Judgement


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judgement that there is not, and why."""

    event_id: str
    evaluator: str
    round: str
    reason: str
    criterion: str = ""
    """The field that was asked for, if criteria were asked one by one."""
    replies: tuple[str, ...] = ()
    """What the model said, as it came."""


class Votes(msgspec.Struct, frozen=True):
    """How the samples of one event were split."""

    event_id: str
    samples: int
    votes: dict[str, dict[str, int]]
    """How many samples gave each value, by criterion."""
    share: dict[str, float]
    """The share of the most frequent value, by criterion."""


@dataclass(frozen=True)
class Outcome:
    """What is written: judgements, failures, and how many judgements were not come to."""

    judgements: tuple[Judgement, ...]
    failures: tuple[Failure, ...]
    not_asked: int


def outcome_of(
    judge: Judge, asked: Sequence[Asked], verdicts: Mapping[str, Verdict], system: str = ""
) -> Outcome:
    """Put the answers together, in the order of the events."""
    judgements: list[Judgement] = []
    failures: list[Failure] = []
    not_asked = 0
    for one in asked:
        found = [(q, verdicts[q.key]) for q in one.questions if q.key in verdicts]
        failed = [(question, verdict) for question, verdict in found if verdict.failure]
        for question, verdict in failed:
            failures.append(
                Failure(
                    event_id=one.event.id,
                    evaluator=judge.id,
                    round=str(one.sample),
                    reason=verdict.failure,
                    criterion=question.codebook.criteria[0].field if judge.per_criterion else "",
                    replies=tuple(entry.content for entry in verdict.entries),
                )
            )
        if failed:
            continue
        if len(found) < len(one.questions):
            not_asked += 1
            continue
        comments = dict.fromkeys(verdict.comment for _, verdict in found if verdict.comment)
        judgements.append(
            Judgement(
                event=one.event.id,
                evaluator=judge.id,
                values=tuple(value for _, verdict in found for value in verdict.values),
                round=str(one.sample),
                system=system,
                article=one.event.article,
                type=one.event.type,
                comment="; ".join(comments),
                date=one.event.date or "",
                text=one.event.text,
                kind="llm",
            )
        )
    return Outcome(tuple(judgements), tuple(failures), not_asked)


def votes_of(judgements: Sequence[Judgement], codebook: Codebook) -> list[Votes]:
    """Count what the samples of each event said."""
    by_event: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_event.setdefault(judgement.event, []).append(judgement)
    found = []
    for event, samples in by_event.items():
        votes = {
            criterion.field: Counter(sample.values[place] for sample in samples)
            for place, criterion in enumerate(codebook.criteria)
        }
        found.append(
            Votes(
                event_id=event,
                samples=len(samples),
                votes={
                    name: {str(value): counts[value] for value in sorted(counts)}
                    for name, counts in votes.items()
                },
                share={name: max(c.values()) / len(samples) for name, c in votes.items()},
            )
        )
    return found
