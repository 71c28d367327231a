"""A judge: a model, how it is asked, and by which codebook; and all that it is asked in a run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

from chronoscore.core.case import digest, some
from chronoscore.core.errors import UsageError
from chronoscore.core.event import Event
from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, parse_json
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.articles import Article
from chronoscore.rubric.judge.cache import key_of
from chronoscore.rubric.judge.prompt import PROMPT_VERSION, Shown, parts, prompt_digest, shown

SHORT = 8
MOST_SAMPLES = 1000
_OURS = ("messages", "model", "response_format", "stream", "n")


@dataclass(frozen=True)
class Judge:
    """An evaluator of kind llm; two of the same settings give the same answers from a cache."""

    endpoint: str
    """The address, without secrets."""
    model: str
    codebook: Codebook
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What is sent beside the messages: temperature, seed, max_tokens and others."""
    per_criterion: bool = False
    samples: int = 1
    name: str = ""
    """What to call it instead of the model's name."""

    @cached_property
    def prompt_digest(self) -> str:
        """Stands for all words that are sent beside the data."""
        return prompt_digest(self.codebook, self.per_criterion)

    @property
    def id(self) -> str:
        """The evaluator's name: another prompt is another judge, and signatures tell them apart."""
        return f"{(self.name or self.model).strip()}@{self.prompt_digest[:SHORT]}"

    @cached_property
    def base(self) -> str:
        """Stands for all that an answer depends on beside the data and the sample."""
        return key_of(
            self.endpoint,
            self.model,
            self.parameters,
            PROMPT_VERSION,
            self.prompt_digest,
            digest(self.codebook),
        )

    def sent(self, sample: int) -> dict[str, Any]:
        """The parameters for a sample: each has a seed of its own, else all would be the same."""
        given = dict(self.parameters)
        if isinstance(given.get("seed"), int):
            given["seed"] += sample - 1
        return given

    def check(self) -> None:
        """Refuse what can't be asked."""
        if not self.model.strip():
            raise UsageError("--model is empty")
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise UsageError(f"--samples is {self.samples}, expected 1 to {MOST_SAMPLES}")
        if not self.codebook.criteria:
            raise UsageError("the codebook has no criteria to judge by")


@dataclass(frozen=True)
class Question:
    """One thing to ask: an event, by the whole codebook or one criterion of it."""

    key: str
    about: Shown
    codebook: Codebook
    sample: int

    def turn(self, number: int, before: str = "") -> str:
        """The name of an answer; that of a repair depends on what was repaired."""
        return key_of(self.key, number, before)


@dataclass(frozen=True)
class Asked:
    """The questions whose answers make one judgement."""

    event: Event
    sample: int
    questions: tuple[Question, ...]


def ask_all(judge: Judge, events: Sequence[Event], articles: Mapping[str, Article]) -> list[Asked]:
    """List all judgements to be made; what looks the same to the judge has the same key."""
    books = parts(judge.codebook, judge.per_criterion)
    asked = []
    for event in events:
        about = shown(event, articles.get(event.article))
        for sample in range(1, judge.samples + 1):
            questions = tuple(
                Question(
                    key_of(judge.base, [c.field for c in book.criteria], about, sample),
                    about,
                    book,
                    sample,
                )
                for book in books
            )
            asked.append(Asked(event, sample, questions))
    return asked


def check_articles(
    events: Sequence[Event], articles: Mapping[str, Article], reading: Reading, path: object = ""
) -> None:
    """Note the events that can't be judged, since there is nothing to judge them by."""
    bare = [event.id for event in events if not event.article]
    missing = [event.id for event in events if event.article and event.article not in articles]
    empty = [
        event.id
        for event in events
        if event.article in articles and not articles[event.article].text.strip()
    ]
    for ids, what in (
        (bare, "name no article"),
        (missing, "name an article that is not given"),
        (empty, "name an article that has no text"),
    ):
        if ids:
            hint = "--without-articles judges them without"
            reading.problem(f"{len(ids)} events {what}: {some(ids)}; {hint}", path)


def make_parameters(
    temperature: float | None,
    max_tokens: int | None,
    seed: int | None,
    more: Sequence[str] = (),
) -> dict[str, Any]:
    """Put the parameters together; NAME=JSON adds one or changes it, and null leaves it out.

    >>> make_parameters(0.0, 100, None, ["max_tokens=null", "max_completion_tokens=100"])
    {'temperature': 0.0, 'max_completion_tokens': 100}
    """
    if temperature is not None and not (isfinite(temperature) and temperature >= 0):
        raise UsageError(f"--temperature is {temperature}, expected 0 or more")
    if max_tokens is not None and max_tokens < 1:
        raise UsageError(f"--max-tokens is {max_tokens}, expected 1 or more")
    made: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    for text in more:
        name, equals, value = text.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][\w.-]*", name):
            raise UsageError(f"--parameter {text}: write NAME=JSON, such as top_p=0.9")
        if name in _OURS:
            raise UsageError(f"--parameter {name}: this part of a request is made here")
        try:
            made[name] = parse_json(value)
        except JsonError as error:
            raise UsageError(f'--parameter {text}: {error}; texts need quotes: "low"') from None
    return {name: value for name, value in made.items() if value is not None}
