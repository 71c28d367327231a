"""A judgement: one evaluator's values for one event, checked against the codebook."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from chronoscore.core.errors import DataError, Problem
from chronoscore.core.numbers import real_number
from chronoscore.core.reading import NUL, plain_ends
from chronoscore.core.records import as_json
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook, Criterion, plain_words

NO_NAME = "(none)"
"""The article or type of an event that has none."""
Source = Literal["json", "csv", "reply"]
"""Where a value is from: a record, a cell of a sheet, or the reply of a judge model."""
# Python's own reading would also take 0_1, infinity and the digits of other scripts.
_WHOLE_NUMBER = re.compile(r"0*([0-9]+)(?:\.0*)?")

Kind = Literal["person", "llm"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one evaluator said of one event, in the order of the codebook's criteria."""

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
            written = getattr(self, name)
            if "\0" in written:
                raise DataError.of(f"the {name} on event '{self.event}' {NUL}")
            if "\r" in written:
                object.__setattr__(self, name, plain_ends(written))

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What there may be only one judgement of."""
        return self.system, self.event, self.evaluator, self.round


def round_name(written: str) -> str:
    """The round that a cell names: spreadsheets write 1.0, and people 01, for 1.

    >>> [round_name(written) for written in ("1.0", "02", "0", "pilot", "1.5")]
    ['1', '2', '0', 'pilot', '1.5']
    """
    found = _WHOLE_NUMBER.fullmatch(written)
    return found[1] if found else written


def round_order(name: str) -> tuple[int, int, str]:
    """What is in no round, then rounds by number, then those that have names, by alphabet."""
    if not name:
        return 0, 0, ""
    return (1, int(name), "") if is_numbered(name) else (2, 0, name)


def is_numbered(name: str) -> bool:
    """Whether a round's name says its place."""
    return len(name) <= 18 and name.isascii() and name.isdecimal()


def chips_in(comment: str, codebook: Codebook) -> list[str]:
    """Give the texts of the chips that a comment holds, in the codebook's order.

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
        if any(wanted in words for wanted in filter(None, map(plain_words, chip.wordings)))
    ]


def check_values(
    raw: Mapping[str, object], codebook: Codebook, source: Source
) -> tuple[tuple[int, ...], list[Problem]]:
    """Read the criteria of a row; every problem has a code and names its field.

    JSON wants numbers, since a text or a truth value there is a mistake of the program that
    wrote it; cells of a sheet are text, and spreadsheets write 1.0 for 1. A judge model writes
    JSON by hand, as it were: "3" for 3 is the same answer.
    """
    known = {*(criterion.field for criterion in codebook.criteria), codebook.comment, *TEXT_FIELDS}
    problems: list[Problem] = []
    explained: set[str] = set()
    for name in raw:
        if name in known:
            continue
        close = get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        explained.update(close)
        message = f"unknown field {name}{hint}"
        problems.append(Problem(message, code="unknown_field", field=name))
    values = []
    for criterion in codebook.criteria:
        value, problem = read_value(raw.get(criterion.field), criterion, source)
        values.append(value)
        # A misspelt column is told once, as what it is.
        if problem and not (problem.code == "missing" and criterion.field in explained):
            problems.append(problem)
    comment = raw.get(codebook.comment)
    if comment is not None and not isinstance(comment, str):
        message = f"{codebook.comment} must be text, got {as_json(comment)}"
        problems.append(Problem(message, code="wrong_type", field=codebook.comment))
    elif comment and "\0" in comment:
        message = f"{codebook.comment} {NUL}"
        problems.append(Problem(message, code="wrong_type", field=codebook.comment))
    return tuple(values), problems


def read_value(raw: object, criterion: Criterion, source: Source) -> tuple[int, Problem | None]:
    """Read what was said on a criterion, or give the problem with it."""
    field, allowed = criterion.field, criterion.allowed
    wanted = f"{', '.join(map(str, allowed[:-1]))} or {allowed[-1]}"
    number, code, got = _number(raw, source)
    if not code and int(number) != number:
        code, got = "not_an_integer", str(number)
    if not code and int(number) not in allowed:
        code, got = "out_of_range", str(int(number))
    if not code:
        return int(number), None
    text = f"{field} is {got}" if code == "missing" else f"{field} must be {wanted}, got {got}"
    return allowed[0], Problem(text, code=code, field=field)


def _number(raw: object, source: Source) -> tuple[float, str, str]:
    """Read a finite number, or give the code of what is wrong and what was got."""
    if raw is None:
        return 0, "missing", "missing"
    if source != "json" and isinstance(raw, str):
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
