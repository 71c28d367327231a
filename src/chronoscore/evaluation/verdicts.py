"""Verdicts of people and judge models on whether an article supports an event.

They come as JSON lines, or as sheets of judgements by the codebook `support`. People's verdicts
win over those of models, and then the most frequent counts; where two are equally frequent, there
is none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.records import read_records
from chronoscore.core.sources import Source
from chronoscore.evaluation.document import (
    CRITERIA,
    VERDICTS,
    EventSupport,
    SupportCriterion,
    SupportWord,
)
from chronoscore.evaluation.support import Library
from chronoscore.rubric.codebook import builtin_codebook
from chronoscore.rubric.formats import read_judgements

_ADDRESS: Final = re.compile(r"[^@\s]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}")


class SupportVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """What one person or model says of one event, as a line of a file of verdicts."""

    event: str
    criterion: SupportCriterion
    verdict: SupportWord
    by: str
    system: str = ""
    quotation: str = ""
    """The words of the article on which it rests; they must be in the article."""

    @property
    def by_model(self) -> bool:
        """Whether a model gave the verdict: its name is MODEL@DIGEST."""
        return "@" in self.by


class SourcedVerdict(NamedTuple):
    """A verdict, and where it is from."""

    verdict: SupportVerdict
    is_person: bool
    source: Source
    line: int = 0
    remark: str = ""
    """What the evaluator wrote beside it."""

    @property
    def key(self) -> tuple[str, str, SupportCriterion]:
        """What it is about."""
        return self.verdict.system, self.verdict.event, self.verdict.criterion


def read_verdicts(sources: Iterable[Source], problems: Problems) -> list[SourcedVerdict]:
    """Read files of verdicts, and sheets of judgements by the codebook `support`."""
    verdicts: list[SourcedVerdict] = []
    first: dict[tuple[object, ...], SourcedVerdict] = {}
    for source in sources:
        if '"verdict"' not in source.first_line(problems):
            verdicts += _of_sheet(source, problems)
            continue
        for line, verdict in read_records(source, SupportVerdict, problems):
            vote = SourcedVerdict(verdict, not verdict.by_model, source, line)
            for name in ("event", "by"):
                if not getattr(verdict, name).strip():
                    problems.problem(f"{name} is empty", source, line)
            if _ADDRESS.fullmatch(verdict.by.strip()):
                problems.problem(
                    f"by is '{verdict.by}', an e-mail address; expected a person's name without @, "
                    "or MODEL@DIGEST for a model",
                    source,
                    line,
                )
            key = (*vote.key, verdict.by)
            earlier = first.setdefault(key, vote)
            if earlier is not vote:
                problems.problem(
                    f"{verdict.by} gave a verdict on {verdict.criterion} of event "
                    f"'{verdict.event}' already, in {source.refer(earlier.line, line)}",
                    source,
                    line,
                )
            verdicts.append(vote)
    return verdicts


def _of_sheet(source: Source, problems: Problems) -> list[SourcedVerdict]:
    """Read judgements: of people the last round counts, rounds of a model are samples."""
    codebook = builtin_codebook("support")
    judgements = read_judgements([source], codebook, problems)
    last = {*judgements.last_rounds()}
    words: dict[int, SupportWord] = dict(enumerate(reversed(VERDICTS)))
    return [
        SourcedVerdict(
            SupportVerdict(
                event=one.event,
                criterion=criterion,
                verdict=words[value],
                by=one.evaluator,
                system=one.system,
            ),
            one.kind == "person",
            source,
            remark=one.comment,
        )
        for one in judgements
        if one.kind == "llm" or one in last
        for criterion, value in zip(CRITERIA, one.values, strict=True)
    ]


Decided = Mapping[tuple[str, str, SupportCriterion], SourcedVerdict]
"""The verdict that counts, by system, event and criterion."""


def decide(
    verdicts: Sequence[SourcedVerdict],
    systems: Mapping[str, Sequence[Event]],
    library: Library,
    problems: Problems,
) -> Decided:
    """Choose the verdict on each predicted event; those that can't be used are reported.

    A verdict that names no system is about the event of this id in every system.
    """
    events = {(name, event.id): event for name, several in systems.items() for event in several}
    known = [
        (name, vote)
        for vote in verdicts
        for name in ([vote.verdict.system] if vote.verdict.system else systems)
        if (name, vote.verdict.event) in events
    ]
    _report_unknown(verdicts, {id(vote) for _, vote in known}, problems)
    useful: dict[tuple[str, str, SupportCriterion], list[SourcedVerdict]] = {}
    useless: dict[int, SourcedVerdict] = {}
    for name, vote in known:
        verdict = vote.verdict
        articles = library.candidates(events[name, verdict.event])
        if verdict.quotation and not any(one.quotes(verdict.quotation) for one in articles):
            useless[id(vote)] = vote
            continue
        useful.setdefault((name, verdict.event, verdict.criterion), []).append(vote)
    for vote in useless.values():
        problems.count(
            "{count} verdict{s} can't be used, since the quotation is not in the article, first "
            "{place}: '{first}'",
            [(vote.line, vote.verdict.event)],
            vote.source,
        )
    decided = {key: _decision(several) for key, several in useful.items()}
    for (name, event, criterion), decision in decided.items():
        if decision is None:
            problems.notice(
                f"{name}: as many verdicts on {criterion} of event '{event}' for one word as for "
                "another: it counts as without a verdict"
            )
    return {key: decision for key, decision in decided.items() if decision is not None}


def _report_unknown(
    verdicts: Sequence[SourcedVerdict], known: set[int], problems: Problems
) -> None:
    """Report verdicts on events that are in no prediction; it is an error if all of them are."""
    unknown = [vote for vote in verdicts if id(vote) not in known]
    if unknown and len(unknown) == len(verdicts):
        first = unknown[0].verdict
        of = f" of system '{first.system}'" if first.system else ""
        problems.problem(
            "none of the verdicts is on an event of the predictions; there is no "
            f"'{first.event}'{of}, say",
            unknown[0].source,
        )
        return
    for vote in unknown:
        problems.count(
            "{count} verdict{s} on events that are in none of the predictions, first '{first}'",
            [(vote.line, vote.verdict.event)],
            vote.source,
        )


def _decision(several: Sequence[SourcedVerdict]) -> SourcedVerdict | None:
    """Return the verdict that counts, by all who gave it; None if two are equally frequent."""
    counted = [vote for vote in several if vote.is_person] or several
    (word, votes), *others = Counter(vote.verdict.verdict for vote in counted).most_common()
    if others and others[0][1] == votes:
        return None
    agreeing = [vote for vote in counted if vote.verdict.verdict == word]
    names = ", ".join(dict.fromkeys(vote.verdict.by for vote in agreeing))
    return agreeing[0]._replace(verdict=structs.replace(agreeing[0].verdict, by=names))


def with_verdicts(support: EventSupport, system: str, event: str, decided: Decided) -> EventSupport:
    """Add the verdicts on an event to what was found without a model."""
    for criterion in CRITERIA:
        vote = decided.get((system, event, criterion))
        if vote is None:
            continue
        verdict = vote.verdict
        judged = structs.replace(
            support.criterion(criterion),
            verdict=verdict.verdict,
            by=verdict.by,
            quotation=verdict.quotation or vote.remark,
        )
        support = structs.replace(support, **{criterion: judged})
    return support
