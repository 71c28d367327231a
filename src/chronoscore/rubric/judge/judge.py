"""A judge: a model, its parameters and its codebook; and the questions of a run."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import msgspec

from chronoscore.core.case import digest, some
from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source
from chronoscore.elements.articles import Article
from chronoscore.errors import UsageError
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.judge import prompt
from chronoscore.rubric.judge.prompt import (
    PROMPT_VERSION,
    Message,
    Mode,
    Reply,
    ShownEvent,
    asked_codebooks,
    prompt_digest,
    shown,
)

SHORT = 8
MOST_SAMPLES = 1000
_RESERVED = ("messages", "model", "response_format", "stream", "n")


def key_of(*content: Any) -> str:
    """Return the digest of all that an answer depends on, which names its file in the cache."""
    return hashlib.sha256(msgspec.json.encode(content, order="deterministic")).hexdigest()


@dataclass(frozen=True)
class Judge:
    """An evaluator of kind llm; judges with the same settings share the answers of a cache."""

    endpoint: str
    """The address, without secrets."""
    model: str
    codebook: Codebook
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What is sent with the messages: temperature, seed, max_tokens and others."""
    per_criterion: bool = False
    samples: int = 1
    name: str = ""
    """The evaluator's name; the model's name if empty."""

    @cached_property
    def prompt_digest(self) -> str:
        """The digest of all words that are sent with the data."""
        return prompt_digest(self.codebook, self.per_criterion)

    @property
    def id(self) -> str:
        """The evaluator's name, with the prompt's digest: another prompt is another judge."""
        return f"{(self.name or self.model).strip()}@{self.prompt_digest[:SHORT]}"

    @cached_property
    def base(self) -> str:
        """The digest of all that an answer depends on, except the data and the sample."""
        return key_of(
            self.endpoint,
            self.model,
            self.parameters,
            PROMPT_VERSION,
            self.prompt_digest,
            digest(self.codebook),
        )

    def question(self, about: ShownEvent, book: Codebook, sample: int) -> "JudgeQuestion":
        """Return the question about an event by some of the criteria."""
        fields = [criterion.field for criterion in book.criteria]
        return JudgeQuestion(key_of(self.base, fields, about, sample), about, book, sample)

    def sent(self, sample: int) -> dict[str, Any]:
        """Return the parameters of a sample; each has another seed, so that samples differ."""
        parameters = dict(self.parameters)
        if isinstance(parameters.get("seed"), int):
            parameters["seed"] += sample - 1
        return parameters

    def check(self) -> None:
        """Raise UsageError for settings that no request can be made from."""
        if not self.model.strip():
            raise UsageError("--model is empty: give the name of the model to ask")
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise UsageError(f"--samples is {self.samples}, expected 1 to {MOST_SAMPLES}")
        if not self.codebook.criteria:
            raise UsageError("the codebook has no criteria to judge by")


@dataclass(frozen=True)
class JudgeQuestion:
    """One event to judge, by the whole codebook or by one of its criteria."""

    key: str
    about: ShownEvent
    codebook: Codebook
    sample: int

    def messages(self, mode: Mode) -> list[Message]:
        """Write the request, with a new marker."""
        return prompt.messages(self.codebook, self.about, mode, prompt.new_marker(self.about))

    def response_format(self, mode: Mode) -> Mapping[str, Any]:
        """Return the part of a request that asks for a form."""
        return prompt.response_format(self.codebook, mode)

    def read(self, content: str, finish: str) -> Reply:
        """Read a reply and check it."""
        return prompt.read_reply(content, finish, self.codebook, self.about)

    def repair(self, content: str, problems: Sequence[str]) -> list[Message]:
        """Write the turns that return a reply with its problems."""
        return prompt.repair(content, problems)


@dataclass(frozen=True)
class PlannedJudgement:
    """The questions whose answers make one judgement."""

    event: Event
    sample: int
    questions: tuple[JudgeQuestion, ...]


def plan_judgements(
    judge: Judge, events: Sequence[Event], articles: Mapping[str, Article]
) -> list[PlannedJudgement]:
    """List the judgements to make; questions that look the same to the judge have the same key."""
    books = asked_codebooks(judge.codebook, judge.per_criterion)
    planned = []
    for event in events:
        about = shown(event, articles.get(event.article))
        for sample in range(1, judge.samples + 1):
            questions = tuple(judge.question(about, book, sample) for book in books)
            planned.append(PlannedJudgement(event, sample, questions))
    return planned


def distinct_questions(planned: Sequence[PlannedJudgement]) -> list[JudgeQuestion]:
    """Return each question once, even if several judgements need its answer."""
    by_key = {question.key: question for plan in planned for question in plan.questions}
    return [*by_key.values()]


def check_articles(
    events: Sequence[Event],
    articles: Mapping[str, Article],
    problems: Problems,
    source: Source | str = "",
) -> None:
    """Report the events that can't be judged because the text of their article is missing."""
    bare = [event.id for event in events if not event.article]
    missing = [event.id for event in events if event.article and event.article not in articles]
    empty = [
        event.id
        for event in events
        if event.article in articles and not articles[event.article].text.strip()
    ]
    for ids, finding in (
        (bare, "name no article"),
        (missing, "name an article that is not given"),
        (empty, "name an article that has no text"),
    ):
        if ids:
            hint = "--without-articles judges them without"
            problems.problem(f"{len(ids)} events {finding}: {some(ids)}; {hint}", source)


def make_parameters(
    temperature: float | None,
    max_tokens: int | None,
    seed: int | None,
    more: Sequence[str] = (),
) -> dict[str, Any]:
    """Collect the parameters; NAME=JSON adds or changes one, and null leaves it out.

    >>> make_parameters(0.0, 100, None, ["max_tokens=null", "max_completion_tokens=100"])
    {'temperature': 0.0, 'max_completion_tokens': 100}
    """
    if temperature is not None and not (isfinite(temperature) and temperature >= 0):
        raise UsageError(f"--temperature is {temperature}, expected 0 or more")
    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"--max-tokens is {max_tokens}, expected 1 or more")
    sent: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    for text in more:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][\w.-]*", name):
            raise UsageError(f"--parameter {text}: write NAME=JSON, such as top_p=0.9")
        if name in _RESERVED:
            raise UsageError(
                f"--parameter {name}: leave it out, the command sets this field itself"
            )
        try:
            sent[name] = parse_json(value)
        except JsonError as error:
            raise UsageError(f'--parameter {text}: {error}; texts need quotes: "low"') from None
    return {name: value for name, value in sent.items() if value is not None}
