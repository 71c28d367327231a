"""The codebook as data: what is judged, on which scale, with which weight, and by what guidance."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import lcm
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from unicodedata import category

import msgspec
from msgspec import UNSET, UnsetType

from chronoscore.core.problems import Problems
from chronoscore.core.records import JsonError, misfits, parse_json
from chronoscore.core.sources import Source, source_of
from chronoscore.errors import DataError, UsageError, similar_name

TEXT_FIELDS = (
    "event_id",
    "evaluator",
    "evaluator_kind",
    "round",
    "system",
    "article_id",
    "published",
    "event_date",
    "event_type",
    "event_text",
)
"""The fields of a row besides the criteria and the comment."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WEIGHT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12}|/0*[1-9][0-9]{0,11})?")
_ONE_WORD = "expected a letter and then letters, digits, _ or -"
_TWO = 2
"""More values than these need an order, or there is no score."""
_RESERVED = ("quality", "judgements")  # names of what every score counts


class Level(msgspec.Struct, frozen=True):
    """A value that a criterion may have."""

    value: int
    label: str
    name: str = ""
    """The label in a word or two."""
    quoted: bool | UnsetType = UNSET
    """Whether a judge model that gives this value must quote the article; not set is false."""


class Note(msgspec.Struct, frozen=True):
    """A piece of advice to evaluators."""

    kind: Literal["rule", "tip", "example", "note"]
    text: str


class Chip(msgspec.Struct, frozen=True):
    """A frequent comment that is put in with one key, and counted."""

    key: str
    text: str
    field: str = ""
    """The criterion that it explains, if it is about one."""
    aliases: tuple[str, ...] = ()
    """Other wordings that count as this comment."""

    @property
    def wordings(self) -> tuple[str, ...]:
        """The text and its aliases."""
        return self.text, *self.aliases


class Criterion(msgspec.Struct, frozen=True):
    """One thing that is judged."""

    field: str
    name: str
    weight: str
    """A decimal number or a fraction, kept as text so that it stays exact."""
    scale: Literal["nominal", "ordinal"]
    question: str
    values: tuple[Level, ...]
    title: str = ""
    guidance: tuple[Note, ...] = ()

    @property
    def allowed(self) -> tuple[int, ...]:
        """The values, ascending."""
        return tuple(sorted(level.value for level in self.values))

    @property
    def quoted(self) -> tuple[int, ...]:
        """The values for which a judge model must quote the article, ascending."""
        return tuple(sorted(level.value for level in self.values if level.quoted is True))

    def shown(self, value: int | None) -> int | str | None:
        """The value, or its name where the values are kinds without an order, such as verdicts."""
        if self.scale == "nominal" and len(self.values) > _TWO:
            return next((one.name or one.label for one in self.values if one.value == value), value)
        return value

    def credit(self, value: int) -> Fraction:
        """Return the weight times the value on a scale from 0 to 1."""
        low, high = self.allowed[0], self.allowed[-1]
        return Fraction(self.weight) * Fraction(value - low, high - low)


class RatedColumn(NamedTuple):
    """A criterion, or the score, on which evaluators are compared."""

    name: str
    scale: Literal["nominal", "ordinal", "interval"]
    allowed: tuple[int, ...] | None
    """None for the score, which may be anything from 0 to 1."""

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest value."""
        return (self.allowed[0], self.allowed[-1]) if self.allowed else (0, 1)

    @property
    def is_ordered(self) -> bool:
        """Whether one value can be higher than another; two values always are in an order."""
        return self.scale != "nominal" or self.allowed is None or len(self.allowed) <= _TWO


class Codebook(msgspec.Struct, frozen=True):
    """Criteria whose weighted mean is one score from 0 to 1.

    >>> [criterion.name for criterion in event_quality().criteria]
    ['date', 'root', 'type', 'clarity', 'relevance']
    """

    name: str
    version: str
    title: str
    source: str
    score: str
    comment: str
    criteria: tuple[Criterion, ...]
    purpose: str = ""
    score_guidance: tuple[str, ...] = ()
    comment_guidance: str = ""
    chips: tuple[Chip, ...] = ()
    guidelines: tuple[str, ...] = ()
    calibration: str = ""

    def quality(self, values: tuple[int, ...]) -> Fraction:
        """Return the exact score of one judgement.

        >>> event_quality().quality((1, 0, 1, 2, 3))
        Fraction(11, 16)
        """
        self.require_score()
        credits = (c.credit(value) for c, value in zip(self.criteria, values, strict=True))
        return sum(credits, Fraction(0)) / sum(Fraction(c.weight) for c in self.criteria)

    @property
    def columns(self) -> tuple[RatedColumn, ...]:
        """Every criterion, and the score at the end, if there is one."""
        score = (RatedColumn(self.score, "interval", None),) if self.has_score else ()
        return (*self._rated, *score)

    @property
    def _rated(self) -> tuple[RatedColumn, ...]:
        return tuple(RatedColumn(c.name, c.scale, c.allowed) for c in self.criteria)

    @property
    def has_score(self) -> bool:
        """Whether its values add up to a score. Verdicts on pairs do not: they have no order.

        >>> event_quality().has_score, builtin_codebook("pairs").has_score
        (True, False)
        """
        return all(column.is_ordered for column in self._rated)

    def require_score(self) -> None:
        """Raise UsageError if there is no score."""
        if not self.has_score:
            raise UsageError(
                f"the codebook {self.name} has no score, since its values have no order: "
                "`chronoscore agreement` shows how far evaluators agree"
            )

    @property
    def denominator(self) -> int:
        """The number of equal parts in which every score can be counted.

        >>> event_quality().denominator
        48
        """
        self.require_score()
        total = sum(Fraction(criterion.weight) for criterion in self.criteria)
        steps = (c.credit(value) / total for c in self.criteria for value in c.allowed)
        return lcm(*(step.denominator for step in steps))


BUILT_IN = ("event-quality", "support", "pairs")
"""The names of the codebooks that are part of this package."""


@cache
def builtin_codebook(name: str) -> Codebook:
    """Return a codebook of this package.

    >>> [criterion.name for criterion in builtin_codebook("support").criteria]
    ['what', 'when']
    """
    text = files("chronoscore.rubric").joinpath("codebooks", f"{name}.json").read_bytes()
    return msgspec.json.decode(text, type=Codebook)


def event_quality() -> Codebook:
    """Return the built-in codebook for events extracted from news.

    >>> event_quality().name
    'event-quality'
    """
    return builtin_codebook("event-quality")


def read_codebook(
    codebook: Codebook | Source | PathLike[str] | str | None, problems: Problems
) -> Codebook:
    """Read a user's codebook from its file, or find one by its name.

    Without one, it is that of event quality.
    """
    if codebook is None or isinstance(codebook, Codebook):
        return codebook or event_quality()
    source = source_of(codebook)
    if source.name in BUILT_IN and not Path(source.name).exists():
        return builtin_codebook(source.name)
    return load_codebook(source, problems)


def load_codebook(source: Source, problems: Problems) -> Codebook:
    """Read a codebook file; one DataError lists all problems with it."""
    text = source.text(problems)
    problems.check()
    try:
        raw = parse_json(text or "")
    except JsonError as error:
        raise DataError.of(str(error), source.name, error.line) from None
    if not isinstance(raw, Mapping):
        raise DataError.of("the codebook must be one JSON object: {...}", source.name)
    for place, name, hint in _unknown(raw, Codebook):
        problems.notice(f"{place}unknown field '{name}' is ignored{hint}", source)
    for message in misfits(raw, Codebook):
        is_weight = message.endswith("number, expected text") and ".weight " in message
        hint = '; put it in quotes ("1.5"), so that it stays exact' if is_weight else ""
        problems.problem(f"{message}{hint}", source, code="wrong_type")
    problems.check()
    codebook = msgspec.convert(raw, Codebook)
    for code, field, message in check_codebook(codebook):
        problems.problem(message, source, code=code, field=field)
    problems.check()
    return codebook


def folded(name: str) -> str:
    """Return a column's name in lower case without blanks, _ and -, to compare headings.

    >>> folded(" Eval_Date-Correct ") == folded("eval datecorrect")
    True
    """
    return re.sub(r"[\s_-]", "", name).lower()


def plain_words(text: str) -> str:
    """Return the words of a comment without case, extra blanks and marks, to compare comments.

    A mark that ends a clause becomes `|`, so that no phrase runs over two clauses.

    >>> plain_words(" Date  (wrongly) inferred!")
    'date wrongly inferred'
    >>> plain_words("Wrong. Type?")
    'wrong | type'
    """
    clauses = re.sub(r"[;.!?,:|]+", " | ", text.casefold())
    letters = (" " if category(character)[0] in "PZC" else character for character in clauses)
    return " ".join("".join(letters).split()).strip(" |")


def criterion_lines(
    criterion: Criterion, level: Callable[[Level], str], note: Callable[[Note], str]
) -> list[str]:
    """Return a criterion as lines of Markdown: its question, levels and guidance.

    `level` and `note` write one level and one piece of guidance.
    """
    levels = sorted(criterion.values, key=lambda level: level.value)
    return [
        *(f"## {criterion.title or criterion.name}: `{criterion.field}`", ""),
        *(criterion.question, ""),
        *(f"- {level(item)}" for item in levels),
        *("", *(line for item in criterion.guidance for line in (note(item), ""))),
    ]


Finding = tuple[str, str, str]
"""The code, the place and the message of something that is wrong with a codebook."""


def check_codebook(codebook: Codebook) -> Iterator[Finding]:
    """Yield everything that makes a codebook unfit for judging."""
    for place in ("name", "version", "title", "comment"):
        if not getattr(codebook, place).strip():
            yield "missing", place, f"{place} is empty"
    if not _NAME.fullmatch(codebook.score):
        yield "bad_name", "score", f"score is '{codebook.score}', {_ONE_WORD}"
    if not codebook.criteria:
        yield "missing", "criteria", "there are no criteria"
    for number, criterion in enumerate(codebook.criteria):
        for code, part, text in _check_criterion(criterion):
            place = f"criteria[{number}].{part}"
            yield code, place, f"{place}{text}"
    yield from _check_columns(codebook)
    names = [criterion.name.lower() for criterion in codebook.criteria]
    for name in _duplicates([*names, codebook.score.lower(), *_RESERVED]):
        message = f"the name '{name}' is used twice, or is that of the score or of its counts"
        yield "duplicate", "criteria", message
    weights = [c.weight for c in codebook.criteria]
    if weights and all(map(_WEIGHT.fullmatch, weights)) and not sum(map(Fraction, weights)):
        yield "zero_weights", "criteria", "the weights sum to 0, at least one must be above"
    fields = {criterion.field for criterion in codebook.criteria}
    for number, chip in enumerate(codebook.chips):
        for code, part, text in _check_chip(chip, fields):
            place = f"chips[{number}].{part}"
            yield code, place, f"{place} is {text}"
    for key in _duplicates(chip.key.lower() for chip in codebook.chips):
        yield "duplicate", "chips", f"chips: the key '{key}' is there twice"
    for text in _duplicates(plain_words(text) for chip in codebook.chips for text in chip.wordings):
        yield "duplicate", "chips", f"chips: the text '{text}' is there twice"


def _check_criterion(criterion: Criterion) -> Iterator[Finding]:
    for part in ("field", "question"):
        if not getattr(criterion, part).strip():
            yield "missing", part, " is empty"
    if not _NAME.fullmatch(criterion.name):
        yield "bad_name", "name", f" is '{criterion.name}', {_ONE_WORD}"
    if not _WEIGHT.fullmatch(criterion.weight):
        expected = "expected a number of 0 or more: 1, 0.75, 1/3"
        yield "bad_weight", "weight", f" is '{criterion.weight}', {expected}"
    if (number := len(criterion.values)) < 2:
        yield "too_few_values", "values", f": there are {number} values, expected at least 2"
    for value in _duplicates(level.value for level in criterion.values):
        yield "duplicate", "values", f": the value {value} is there twice"
    if any(not level.label.strip() for level in criterion.values):
        yield "missing", "values", ": a label is empty"
    if criterion.scale == "nominal" and len(criterion.values) > _TWO:
        message = " is nominal, but with more than 2 values a score needs an order: ordinal"
        yield "bad_scale", "scale", message


def _check_columns(codebook: Codebook) -> Iterator[Finding]:
    """Yield fields whose names can't be told apart, or have another meaning, in a sheet."""
    fields = [*(criterion.field for criterion in codebook.criteria), codebook.comment]
    for name in _duplicates(map(folded, fields)):
        duplicates = [field for field in fields if folded(field) == name]
        yield "duplicate", "criteria", f"the fields {', '.join(duplicates)} are the same in a sheet"
    reserved = set(map(folded, TEXT_FIELDS))
    for field in fields:
        if folded(field) in reserved:
            yield "duplicate", "criteria", f"the field '{field}' has another meaning in a sheet"


def _check_chip(chip: Chip, fields: Container[str]) -> Iterator[Finding]:
    if len(chip.key) != 1 or not chip.key.isprintable() or chip.key.isspace():
        yield "bad_key", "key", f"'{chip.key}', expected one character"
    for at, text in enumerate(chip.wordings):
        if not plain_words(text) or ";" in text:
            part = f"aliases[{at - 1}]" if at else "text"
            yield "missing", part, f"'{text}', expected some words without ';'"
    if chip.field and chip.field not in fields:
        yield "unknown_field", "field", f"'{chip.field}', which no criterion has"


def _duplicates(items: Iterable[Any]) -> list[Any]:
    return [item for item, times in Counter(items).items() if times > 1]


def _unknown(
    raw: Mapping[str, Any], kind: type[msgspec.Struct], place: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield the place, the name and a hint for every unknown field, at any depth."""
    types = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for name, value in raw.items():
        if name not in types:
            similar = similar_name(name, types)
            hint = f"; did you mean '{similar}'?" if similar else ""
            yield f"{place}: " if place else "", name, hint
            continue
        inner = (*get_args(types[name]), None)[0]
        if isinstance(value, list) and isinstance(inner, type) and inner is not str:
            for number, item in enumerate(value):
                if isinstance(item, Mapping):
                    inside = f"{place}.{name}" if place else name
                    yield from _unknown(item, inner, f"{inside}[{number}]")
