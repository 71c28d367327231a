"""The evaluation: the results of all families in one document, and the credit of each event."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from chronoscore.core.records import (
    Warn,
    check_checksum,
    convert_document,
    format_of,
    parse_document,
    read_text,
)
from chronoscore.core.result import ResultDocument
from chronoscore.core.result.checks import inconsistencies
from chronoscore.core.writing import FIELD, json_text, sealed_document, write_file
from chronoscore.errors import DataError, Problem

VERSION = 1
FORMAT: Final = "chronoscore-evaluation"


class Skipped(msgspec.Struct, frozen=True):
    """A family that the evaluation leaves out, and why."""

    family: str
    reason: str


class Credit(msgspec.Struct, frozen=True, omit_defaults=True):
    """The credit that one metric gives an event."""

    family: str
    metric: str
    credit: float
    """The event's part of the numerator of precision, or of the score."""
    possible: float
    """The most that the event could earn."""
    gold: tuple[str, ...] = ()
    """The gold items that the event was matched with."""


class EventJudgement(msgspec.Struct, frozen=True):
    """One evaluator's judgement of an event."""

    evaluator: str
    score: float
    """The codebook's score, from 0 to 1."""
    values: dict[str, int]
    """The value of each criterion, by its name."""


Outcome = Literal["mentioned", "unsure", "not found", "contradicted"]
"""What is found without a model; `contradicted` is said of dates only."""
SupportWord = Literal["supported", "not found", "contradicted"]
"""What a person or a judge model says of an event and its article."""
SupportCriterion = Literal["what", "when"]
CRITERIA: tuple[SupportCriterion, ...] = ("what", "when")
OUTCOMES: Mapping[SupportCriterion, tuple[Outcome, ...]] = {
    "what": ("mentioned", "unsure", "not found"),
    "when": ("mentioned", "unsure", "not found", "contradicted"),
}
VERDICTS: tuple[SupportWord, ...] = ("supported", "not found", "contradicted")
"""From the best to the worst."""
BOTH = "both"


class CriterionSupport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether what an event says, or its date, is in its article."""

    outcome: Outcome
    reason: str = ""
    verdict: SupportWord | None = None
    """What people say, or a judge model where no person does; None if nobody does."""
    by: str = ""
    """Whose verdict it is."""
    quotation: str = ""
    """The words of the article on which the verdict rests, or a remark."""


class EventSupport(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whether an event and its date are in its article, and in which sentence."""

    what: CriterionSupport
    when: CriterionSupport
    article: str = ""
    """The article that the sentence is from; empty if there is none."""
    sentence: str = ""
    place: int = 0
    """The number of the sentence in the article, from 1."""
    span: tuple[int, int] | None = None
    """Where in the article's text, in characters from 0, the end not included."""
    coverage: float = 0.0
    """The weighted share of the event's words that the sentence and its neighbours have."""

    def criterion(self, name: SupportCriterion) -> CriterionSupport:
        """Return what is known of one criterion."""
        return self.what if name == "what" else self.when

    @property
    def verdict(self) -> SupportWord | None:
        """The verdict on both: the lower of the two; None if one of them is missing."""
        words = [self.what.verdict, self.when.verdict]
        lowest = max((VERDICTS.index(one) for one in words if one), default=0)
        return VERDICTS[lowest] if None not in words or lowest else None


class SystemSupport(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many events of a system are in their articles, and the shares."""

    system: str
    events: int
    counts: dict[str, dict[str, int]]
    """The number of events with each outcome, by criterion."""
    scores: dict[str, float]
    """Shares of all predicted events."""
    verdicts: dict[str, dict[str, int]] = {}
    """The number of events with each verdict, by criterion, and for both together."""


class Support(msgspec.Struct, frozen=True):
    """How far the articles support the events of each system."""

    scope: str
    """The sentences that say how rare a word is: of an article, or of the collection."""
    articles: int
    systems: tuple[SystemSupport, ...]


class EventCredit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One predicted event with its credits and its judgements."""

    system: str
    event: str
    topic: str = ""
    date: str = ""
    text: str = ""
    credits: tuple[Credit, ...] = ()
    judgements: tuple[EventJudgement, ...] = ()
    support: EventSupport | None = None
    """What its article says of it; None if no articles were given."""

    @property
    def mean_judgement(self) -> float | None:
        """The mean score that evaluators gave the event; None if nobody judged it."""
        scores = [judgement.score for judgement in self.judgements]
        return sum(scores) / len(scores) if scores else None


class EvaluationDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document."""

    format: Literal["chronoscore-evaluation"] = FORMAT
    version: int = VERSION
    results: tuple[ResultDocument, ...]
    skipped: tuple[Skipped, ...] = ()
    events: tuple[EventCredit, ...] = ()
    notices: tuple[str, ...] = ()
    support: Support | UnsetType = UNSET


def support_of(events: Iterable[EventCredit], scope: str, articles: int) -> Support:
    """Count the events of each system by what their articles say of them.

    Shares are of all predicted events, so that none is left out of the denominator. A system has
    shares of supported events only if there is a verdict on one of its events.
    """
    systems: dict[str, list[EventSupport]] = {}
    for event in events:
        if event.support is not None:
            systems.setdefault(event.system, []).append(event.support)
    counted = (_system_support(name, several, scope) for name, several in systems.items())
    return Support(scope, articles, tuple(counted))


def _system_support(system: str, events: Sequence[EventSupport], scope: str) -> SystemSupport:
    ending = "" if scope == "article" else f"(scope={scope})"
    counts: dict[str, dict[str, int]] = {}
    scores: dict[str, float] = {}
    for name, outcomes in OUTCOMES.items():
        found = Counter(event.criterion(name).outcome for event in events)
        counts[name] = {outcome: found[outcome] for outcome in outcomes}
        scores[f"mentioned-{name}{ending}"] = found["mentioned"] / len(events)
    columns: dict[str, list[SupportWord | None]] = {
        name: [event.criterion(name).verdict for event in events] for name in CRITERIA
    }
    verdicts: dict[str, dict[str, int]] = {}
    if any(word for words in columns.values() for word in words):
        columns[BOTH] = [event.verdict for event in events]
        for label, words in columns.items():
            number = Counter(words)
            verdicts[label] = {word: number[word] for word in VERDICTS}
            score = "supported" if label == BOTH else f"supported-{label}"
            scores[score] = number["supported"] / len(events)
    return SystemSupport(system, len(events), counts, scores, verdicts)


def encode(evaluation: EvaluationDocument) -> bytes:
    """Write the document with its checksum; equal evaluations give equal bytes."""
    return json_text(sealed_document(msgspec.to_builtins(evaluation, enc_hook=list))).encode()


def save(evaluation: EvaluationDocument, path: Path) -> None:
    """Write the document into a file."""
    write_file(path, encode(evaluation))


def is_evaluation(path: Path) -> bool:
    """Whether a file is a saved evaluation."""
    return format_of(path) == FORMAT


def load(path: Path, warn: Warn | None = None) -> EvaluationDocument:
    """Read a saved evaluation; a problem is an error that names it.

    A wrong checksum is an error, or is passed to `warn` where that is given.
    """
    advice = "an evaluation is saved by chronoscore evaluate"
    document = parse_document(read_text(path), FORMAT, VERSION, path, advice)
    evaluation = convert_document(document, EvaluationDocument, path)
    names = [result.family for result in evaluation.results]
    wrong = [
        f"{result.family}: {problem}"
        for result in evaluation.results
        for problem in inconsistencies(result)
    ]
    wrong += [f"there are two results of {name}" for name in {*names} if names.count(name) > 1]
    if evaluation.support is not UNSET:
        stated = evaluation.support
        counted = support_of(evaluation.events, stated.scope, stated.articles)
        if counted != stated:
            wrong.append("support: the counts are not those of the events")
    if wrong:
        raise DataError(Problem(problem, str(path)) for problem in wrong)
    check_checksum(document, lambda: str(sealed_document(document)[FIELD]), path, warn)
    return evaluation
