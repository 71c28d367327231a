"""The codebook as data: what is judged, on which scale, with which weight, and by what guidance."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import lcm
from pathlib import Path
from typing import Any, Literal, get_args
from unicodedata import category

import msgspec

from chronoscore.core.reading import Reading
from chronoscore.core.records import JsonError, misfits, parse_json

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
"""What a row may say beside the criteria and the comment."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_WEIGHT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12}|/0*[1-9][0-9]{0,11})?")
_RESERVED = ("quality", "judgements")  # names of what every score counts


class Level(msgspec.Struct, frozen=True):
    """A value that a criterion may have."""

    value: int
    label: str
    name: str = ""
    """The label in a word or two."""


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
        """Its text and what counts as it."""
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

    def credit(self, value: int) -> Fraction:
        """The criterion's share of its weight: its value on a scale from 0 to 1."""
        low, high = self.allowed[0], self.allowed[-1]
        return Fraction(self.weight) * Fraction(value - low, high - low)


class Codebook(msgspec.Struct, frozen=True):
    """Criteria whose weighted mean is one score from 0 to 1."""

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
        """The score of one judgement, exact.

        >>> event_quality().quality((1, 0, 1, 2, 3))
        Fraction(11, 16)
        """
        credits = (c.credit(value) for c, value in zip(self.criteria, values, strict=True))
        return sum(credits, Fraction(0)) / sum(Fraction(c.weight) for c in self.criteria)

    @property
    def denominator(self) -> int:
        """The number of equal parts in which every score can be counted.

        >>> event_quality().denominator
        48
        """
        total = sum(Fraction(criterion.weight) for criterion in self.criteria)
        steps = (
            criterion.credit(value) / total
            for criterion in self.criteria
            for value in criterion.allowed
        )
        return lcm(*(step.denominator for step in steps))


@cache
def event_quality() -> Codebook:
    """Give the built-in codebook for events extracted from news."""
    text = files("chronoscore.rubric").joinpath("codebooks", "event-quality.json").read_bytes()
    return msgspec.json.decode(text, type=Codebook)


def codebook_schema() -> dict[str, Any]:
    """Give the JSON schema of a codebook's file."""
    document = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Codebook)))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Chronoscore codebook",
        **document,
    }


def load_codebook(path: Path, reading: Reading) -> Codebook:
    """Read a team's own codebook; all that is wrong with it is raised at once as DataError."""
    text = reading.text(path)
    reading.check()
    try:
        raw = parse_json(text or "")
    except JsonError as error:
        reading.problem(str(error), path, error.line)
        reading.check()
        raise AssertionError from error  # not reached: check has raised
    if isinstance(raw, Mapping):
        for place, name, hint in _unknown(raw, Codebook):
            reading.notice(f"{place}unknown field '{name}' is ignored{hint}", path)
    else:
        reading.problem("the codebook must be one JSON object: {...}", path)
        reading.check()
    wrong = list(misfits(raw, Codebook))
    if wrong:
        for message in wrong:
            hint = ""
            if message.endswith("number, expected text") and ".weight " in message:
                hint = '; put it in quotes ("1.5"), so that it stays exact'
            reading.problem(f"{message}{hint}", path, code="wrong_type")
    else:
        for code, field, message in check_codebook(msgspec.convert(raw, Codebook)):
            reading.problem(message, path, code=code, field=field)
    reading.check()
    return msgspec.convert(raw, Codebook)


def folded(name: str) -> str:
    """A column's name without case, blanks, underscores and hyphens: so headings are compared.

    >>> folded(" Eval_Date-Correct ") == folded("eval datecorrect")
    True
    """
    return re.sub(r"[\s_-]", "", name).lower()


def plain_words(text: str) -> str:
    """The words of a comment without case, blanks and marks: so comments are compared.

    Marks that end a clause keep what is before them apart from what is after them.

    >>> plain_words(" Date  (wrongly) inferred!")
    'date wrongly inferred'
    >>> plain_words("Wrong. Type?")
    'wrong | type'
    """
    clauses = re.sub(r"[;.!?,:|]+", " | ", text.casefold())
    letters = (" " if category(one)[0] in "PZC" else one for one in clauses)
    return " ".join("".join(letters).split()).strip(" |")


def check_codebook(codebook: Codebook) -> Iterator[tuple[str, str, str]]:
    """Give code, place and message of everything that makes a codebook unfit for judging."""
    for place in ("name", "version", "title", "comment"):
        if not getattr(codebook, place).strip():
            yield "missing", place, f"{place} is empty"
    if not _NAME.fullmatch(codebook.score):
        yield "bad_name", "score", f"score is '{codebook.score}', {_one_word()}"
    if not codebook.criteria:
        yield "missing", "criteria", "there are no criteria"
    for number, criterion in enumerate(codebook.criteria):
        yield from _check_criterion(criterion, f"criteria[{number}]")
    yield from _check_columns(codebook)
    names = [criterion.name.lower() for criterion in codebook.criteria]
    for name in _doubled([*names, codebook.score.lower(), *_RESERVED]):
        message = f"the name '{name}' is used twice, or is that of the score or of its counts"
        yield "duplicate", "criteria", message
    weights = [c.weight for c in codebook.criteria]
    if weights and all(map(_WEIGHT.fullmatch, weights)) and not sum(map(Fraction, weights)):
        yield "zero_weights", "criteria", "the weights sum to 0, at least one must be above"
    yield from _check_chips(codebook)


def _check_criterion(criterion: Criterion, place: str) -> Iterator[tuple[str, str, str]]:
    for part in ("field", "question"):
        if not getattr(criterion, part).strip():
            yield "missing", f"{place}.{part}", f"{place}.{part} is empty"
    if not _NAME.fullmatch(criterion.name):
        yield "bad_name", f"{place}.name", f"{place}.name is '{criterion.name}', {_one_word()}"
    if not _WEIGHT.fullmatch(criterion.weight):
        yield (
            "bad_weight",
            f"{place}.weight",
            f"{place}.weight is '{criterion.weight}', expected a number of 0 or more: 1, 0.75, 1/3",
        )
    if len(criterion.values) < 2:
        number = len(criterion.values)
        message = f"{place}.values: there are {number} values, expected at least 2"
        yield "too_few_values", f"{place}.values", message
    for value in _doubled(level.value for level in criterion.values):
        yield "duplicate", f"{place}.values", f"{place}.values: the value {value} is there twice"
    if any(not level.label.strip() for level in criterion.values):
        yield "missing", f"{place}.values", f"{place}.values: a label is empty"
    if criterion.scale == "nominal" and len(criterion.values) > 2:
        message = f"{place}.scale is nominal, but with more than 2 values a score needs an order"
        yield "bad_scale", f"{place}.scale", f"{message}: ordinal"


def _check_columns(codebook: Codebook) -> Iterator[tuple[str, str, str]]:
    """No two columns of a sheet may have names that are read as the same."""
    fields = [criterion.field for criterion in codebook.criteria]
    for name in _doubled(map(folded, (*fields, codebook.comment))):
        which = [field for field in (*fields, codebook.comment) if folded(field) == name]
        yield "duplicate", "criteria", f"the fields {', '.join(which)} are the same in a sheet"
    taken = set(map(folded, TEXT_FIELDS))
    for field in (*fields, codebook.comment):
        if folded(field) in taken:
            yield "duplicate", "criteria", f"the field '{field}' has another meaning in a sheet"


def _check_chips(codebook: Codebook) -> Iterator[tuple[str, str, str]]:
    fields = {criterion.field for criterion in codebook.criteria}
    for number, chip in enumerate(codebook.chips):
        place = f"chips[{number}]"
        if len(chip.key) != 1 or not chip.key.isprintable() or chip.key.isspace():
            yield "bad_key", f"{place}.key", f"{place}.key is '{chip.key}', expected one character"
        for at, text in enumerate(chip.wordings):
            if not plain_words(text) or ";" in text:
                part = f"{place}.aliases[{at - 1}]" if at else f"{place}.text"
                yield "missing", part, f"{part} is '{text}', expected some words without ';'"
        if chip.field and chip.field not in fields:
            message = f"{place}.field is '{chip.field}', which no criterion has"
            yield "unknown_field", f"{place}.field", message
    for key in _doubled(chip.key.lower() for chip in codebook.chips):
        yield "duplicate", "chips", f"chips: the key '{key}' is there twice"
    wordings = [plain_words(text) for chip in codebook.chips for text in chip.wordings]
    for text in _doubled(wordings):
        yield "duplicate", "chips", f"chips: the text '{text}' is there twice"


def _one_word() -> str:
    return "expected a letter and then letters, digits, _ or -"


def _doubled(items: Iterable[Any]) -> list[Any]:
    return [item for item, times in Counter(items).items() if times > 1]


def _unknown(
    raw: Mapping[str, Any], kind: type[msgspec.Struct], place: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Every field that a codebook does not have, at any depth: place, name and a guess."""
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    for name, value in raw.items():
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            yield f"{place}: " if place else "", name, hint
            continue
        inner = (*get_args(known[name]), None)[0]
        if isinstance(value, list) and isinstance(inner, type) and inner is not str:
            for number, item in enumerate(value):
                if isinstance(item, Mapping):
                    inside = f"{place}.{name}" if place else name
                    yield from _unknown(item, inner, f"{inside}[{number}]")
