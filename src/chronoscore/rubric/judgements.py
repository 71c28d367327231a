"""Judgements: one evaluator's values for one event, checked against the codebook.

`Judgements` stores many of them as columns, and can be read as a sequence of `Judgement`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from chronoscore.core.records import as_json, real_number
from chronoscore.core.sources import NUL, plain_ends
from chronoscore.errors import DataError, Problem, UsageError, similar_name
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook, Criterion, plain_words
from chronoscore.statistics.labels import Labels, grouped
from chronoscore.statistics.ratios import Array

UNNAMED_SYSTEM = "all"
NO_NAME = "(none)"
"""The article or type of an event that has none."""
Layout = Literal["json", "csv", "reply"]
"""Where a value is from: a record, a cell of a sheet, or the reply of a judge model."""
# int() and float() would also accept 0_1, infinity and the digits of other scripts.
_WHOLE_NUMBER = re.compile(r"0*([0-9]+)(?:\.0*)?")

Kind = Literal["person", "llm"]
ROW_FIELDS = {
    "event": "event_id",
    "evaluator": "evaluator",
    "kind": "evaluator_kind",
    "round": "round",
    "system": "system",
    "article": "article_id",
    "date": "event_date",
    "type": "event_type",
    "text": "event_text",
}
"""The field of a row that holds each word of a judgement; the codebook names the comment's."""
WORDS = tuple(sorted(("comment", *ROW_FIELDS)))
"""The fields of a judgement that are words, in the order of its digest."""
_DOCUMENT = "{" + ",".join(f'"{name}":%s' for name in WORDS) + ',"values":[%s]}'


@dataclass(frozen=True, slots=True)
class Judgement:
    """One evaluator's values for one event, in the order of the codebook's criteria."""

    event: str
    evaluator: str
    values: tuple[int, ...]
    round: str = ""
    system: str = ""
    article: str = ""
    type: str = ""
    comment: str = ""
    date: str = ""
    text: str = ""
    kind: Kind = "person"
    """Who judged: a person, or a model that was asked to."""

    def __post_init__(self) -> None:
        for name in ("comment", "text"):
            text = getattr(self, name)
            if "\0" in text:
                raise DataError.of(f"the {name} on event '{self.event}' {NUL}")
            if "\r" in text:
                object.__setattr__(self, name, plain_ends(text))

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The fields that identify a judgement."""
        return self.system, self.event, self.evaluator, self.round


def round_name(written: str) -> str:
    """Return the round that a cell names: spreadsheets write 1.0, and people 01, for 1.

    >>> [round_name(written) for written in ("1.0", "02", "0", "pilot", "1.5")]
    ['1', '2', '0', 'pilot', '1.5']
    """
    match = _WHOLE_NUMBER.fullmatch(written)
    return match[1] if match else written


def round_order(name: str) -> tuple[int, int, str]:
    """Return a sort key: no round first, then numbered rounds, then named ones by alphabet."""
    if not name:
        return 0, 0, ""
    return (1, int(name), "") if is_numbered(name) else (2, 0, name)


def is_numbered(name: str) -> bool:
    """Whether a round's name is a number, which gives its place."""
    return len(name) <= 18 and name.isascii() and name.isdecimal()


def chips_in(comment: str, codebook: Codebook) -> list[str]:
    """Return the texts of the chips that a comment contains, in the codebook's order.

    >>> from chronoscore.rubric.codebook import event_quality
    >>> chips_in("Actor missing; see line 3", event_quality())
    ['actor missing']
    >>> chips_in("Missing actor. Misclassified type.", event_quality())
    ['actor missing', 'wrong type']
    """
    words = plain_words(comment)
    return [
        chip.text
        for chip in codebook.chips
        if any(wording in words for wording in filter(None, map(plain_words, chip.wordings)))
    ]


def check_values(
    raw: Mapping[str, object], codebook: Codebook, layout: Layout
) -> tuple[tuple[int, ...], list[Problem]]:
    """Read the criteria of a row; every problem has a code and names its field.

    JSON wants numbers, since a text or a truth value there is a mistake of the program that
    wrote it; cells of a sheet are text, and spreadsheets write 1.0 for 1. A judge model may
    quote a number: "3" for 3 is the same answer.
    """
    known = {*(criterion.field for criterion in codebook.criteria), codebook.comment, *TEXT_FIELDS}
    problems: list[Problem] = []
    explained: set[str] = set()
    for name in raw:
        if name in known:
            continue
        similar = similar_name(name, known)
        hint = f"; did you mean {similar}?" if similar else ""
        explained.add(similar)
        message = f"unknown field {name}{hint}"
        problems.append(Problem(message, code="unknown_field", field=name))
    values = []
    for criterion in codebook.criteria:
        value, problem = read_value(raw.get(criterion.field), criterion, layout)
        values.append(value)
        # A misspelt column is reported once, as misspelt.
        if problem and not (problem.code == "missing" and criterion.field in explained):
            problems.append(problem)
    comment = raw.get(codebook.comment)
    if wrong := text_problem(comment):
        message = f"{codebook.comment} {wrong}"
        problems.append(Problem(message, code="wrong_type", field=codebook.comment))
    return tuple(values), problems


def text_problem(value: object) -> str:
    """Return why a value is not a text; empty if it is one, or is missing."""
    if value is None or isinstance(value, str):
        return NUL if value and "\0" in value else ""
    return f"must be text, got {as_json(value)}"


def read_value(raw: object, criterion: Criterion, layout: Layout) -> tuple[int, Problem | None]:
    """Read the value of a criterion, or return the problem with it."""
    field, allowed = criterion.field, criterion.allowed
    choices = f"{', '.join(map(str, allowed[:-1]))} or {allowed[-1]}"
    number, code, actual = _number(raw, layout)
    if not code and int(number) != number:
        code, actual = "not_an_integer", str(number)
    if not code and int(number) not in allowed:
        code, actual = "out_of_range", str(int(number))
    if not code:
        return int(number), None
    text = f"is {actual}" if code == "missing" else f"must be {choices}, got {actual}"
    return allowed[0], Problem(f"{field} {text}", code=code, field=field)


def _number(raw: object, layout: Layout) -> tuple[float, str, str]:
    """Read a finite number, or return the code of the problem and the actual value in words."""
    if raw is None:
        return 0, "missing", "missing"
    if layout != "json" and isinstance(raw, str):
        if not raw.strip():
            return 0, "missing", "empty"
        number = real_number(raw)
        return (0, "wrong_type", f"'{raw}'") if number is None else (number, "", "")
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return 0, "wrong_type", f"the text '{raw}'" if isinstance(raw, str) else as_json(raw)
    number = real_number(raw)
    if number is None and isinstance(raw, int):
        return 0, "out_of_range", "a number beyond all bounds"
    return (0, "wrong_type", str(raw)) if number is None else (number, "", "")


@dataclass(frozen=True, eq=False)
class JudgedEvents:
    """The events that were judged, by system and name."""

    systems: tuple[str, ...]
    events: tuple[str, ...]
    articles: tuple[str, ...]
    texts: tuple[str, ...]
    at: NDArray[np.int64]
    """The index of each judgement's event."""


@dataclass(frozen=True, eq=False)
class Judgements(Sequence[Judgement]):
    """Judgements stored as columns; indexing makes a `Judgement`."""

    words: Mapping[str, Labels]
    values: NDArray[np.int64]
    """values[judgement, criterion], in the order of the codebook."""

    @classmethod
    def of(cls, judgements: Iterable[Judgement], criteria: int) -> Judgements:
        """Store judgements as columns."""
        rows = list(judgements)
        return cls(
            {name: Labels.of(getattr(judgement, name) for judgement in rows) for name in WORDS},
            np.array([judgement.values for judgement in rows], np.int64).reshape(
                len(rows), criteria
            ),
        )

    @classmethod
    def together(cls, tables: Sequence[Judgements], criteria: int) -> Judgements:
        """Concatenate tables."""
        if not tables:
            return cls.of((), criteria)
        if len(tables) == 1:
            return tables[0]
        return cls(
            {name: Labels.together([table.words[name] for table in tables]) for name in WORDS},
            np.concatenate([table.values for table in tables]),
        )

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Judgements:
        """Return some of the judgements, by place or by flag."""
        return Judgements(
            {name: column.take(rows) for name, column in self.words.items()}, self.values[rows]
        )

    def by(self, evaluators: Collection[str]) -> Judgements:
        """Return the judgements of some evaluators."""
        names = self.words["evaluator"].names
        chosen = np.array([name in evaluators for name in names], np.bool_)
        return self.take(chosen[self.words["evaluator"].at])

    def digests(self) -> NDArray[np.bytes_]:
        """Return the digest of each judgement, equal to `core.case.digest`.

        Each distinct word is encoded once.
        """
        texts = []
        for name in WORDS:
            column = self.words[name]
            encoded = np.array(
                [msgspec.json.encode(word).decode() for word in column.names], object
            )
            texts.append(encoded[column.at].tolist())
        digests = np.empty(len(self), "S16")
        for at, (words, values) in enumerate(
            zip(zip(*texts, strict=True), self.values.tolist(), strict=True)
        ):
            document = _DOCUMENT % (*words, ",".join(map(str, values)))
            digests[at] = hashlib.sha256(document.encode()).hexdigest()[:16].encode()
        return digests

    def score_table(self, codebook: Codebook) -> Array:
        """Return each judgement's values on every criterion, and last its score from 0 to 1.

        The columns are those of the codebook, which may have no score.
        """
        if not codebook.has_score:
            return self.values.astype(np.float64)
        rows, at = np.unique(self.values, axis=0, return_inverse=True)
        scores = np.array([float(codebook.quality(tuple(row))) for row in rows.tolist()])
        score = scores[at.reshape(-1)] if len(rows) else np.empty(0)
        return np.column_stack([self.values.astype(np.float64), score])

    def by_event(self) -> JudgedEvents:
        """Return the events of each system; article and text are the first that are named."""
        words = self.words
        groups = grouped([words["system"].at, words["event"].at], len(self))
        at = groups.at()

        def first(name: str) -> tuple[str, ...]:
            named = [""] * len(groups.starts)
            for place, word in zip(at.tolist(), words[name].words(), strict=True):
                named[place] = named[place] or word or ""
            return tuple(named)

        systems, events = (words[name].take(groups.firsts).words() for name in ("system", "event"))
        return JudgedEvents(
            tuple(word or UNNAMED_SYSTEM for word in systems),
            tuple(word or "" for word in events),
            first("article"),
            first("text"),
            at,
        )

    def last_rounds(self) -> Judgements:
        """Return the judgement of the last round, for each event and evaluator."""
        words = self.words
        ranked = sorted(words["round"].names, key=round_order)
        rank = np.array([ranked.index(name) for name in words["round"].names], np.int32)
        key = [words[name].at for name in ("system", "event", "evaluator")]
        order = grouped([*key, rank[words["round"].at]], len(self)).order
        groups = grouped([column[order] for column in key], len(order))
        return self.take(order[groups.order[groups.starts + groups.sizes() - 1]])

    def tags(self) -> dict[str, Labels]:
        """Return the tags of the cases; `NO_NAME` replaces an empty article or type."""
        return {
            "event": self.words["event"],
            "judgement": self.words["evaluator"],
            "evaluator": self.words["evaluator"],
            "article": _named(self.words["article"]),
            "type": _named(self.words["type"]),
            "kind": self.words["kind"],
        }

    @overload
    def __getitem__(self, at: int) -> Judgement: ...
    @overload
    def __getitem__(self, at: slice) -> list[Judgement]: ...
    def __getitem__(self, at: int | slice) -> Judgement | list[Judgement]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        words = {name: column[at] for name, column in self.words.items()}
        return Judgement(values=tuple(self.values[at].tolist()), **words)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self.values.tobytes())


def chip_counts(judgements: Judgements, codebook: Codebook) -> dict[str, int]:
    """Count how often each frequent comment was made; equal comments are searched once."""
    counts = dict.fromkeys((chip.text for chip in codebook.chips), 0)
    comments = judgements.words["comment"]
    times = np.bincount(comments.at, minlength=len(comments.names)).tolist()
    for comment, number in zip(comments.names, times, strict=True):
        for text in chips_in(comment, codebook):
            counts[text] += number
    return counts


def _named(column: Labels) -> Labels:
    return Labels.of(name or NO_NAME for name in column.names).take(column.at)


def find_judge(judgements: Judgements, named: str | None) -> str:
    """Return the judge of this name, or the only evaluator that is a model."""
    if named is not None:
        _check_evaluators([named], judgements)
        return named
    models = _evaluators(judgements, models=True)
    if len(models) != 1:
        candidates = f"several: {', '.join(models)}" if models else "none of kind llm"
        raise UsageError(f"name the judge with --judge; in the sheets there are {candidates}")
    return models[0]


def find_people(judgements: Judgements, judge: str, named: Sequence[str]) -> list[str]:
    """Return the people of these names, or all evaluators that are not models."""
    _check_evaluators(named, judgements)
    if judge in named:
        raise UsageError(f"'{judge}' can't be the judge and one of the people")
    persons = _evaluators(judgements, models=False)
    people = sorted(set(named)) if named else [name for name in persons if name != judge]
    if not people:
        raise DataError.of(
            "no judgement here is by a person: give the file of people's judgements, too"
        )
    return people


def people_apart(tables: Iterable[Judgements]) -> list[str]:
    """Return the people where two or more judged and judge models did too, else nobody.

    Whether people agree is then computed without the models.
    """
    people: set[str] = set()
    models: set[str] = set()
    for judgements in tables:
        people.update(_evaluators(judgements, models=False))
        models.update(_evaluators(judgements, models=True))
    people -= models
    return sorted(people) if models and len(people) > 1 else []


def _check_evaluators(named: Iterable[str], judgements: Judgements) -> None:
    everyone = judgements.words["evaluator"].used()
    for name in named:
        if name not in everyone:
            raise UsageError(f"no evaluator '{name}'; there are: {', '.join(everyone)}")


def _evaluators(judgements: Judgements, *, models: bool) -> list[str]:
    kinds = judgements.words["kind"].words()
    rows = np.array([(kind == "llm") is models for kind in kinds], np.bool_)
    return judgements.words["evaluator"].take(rows).used()
