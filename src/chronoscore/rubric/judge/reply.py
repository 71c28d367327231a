"""Reading what a judge replied: values by the codebook, or all that is wrong with the reply."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from chronoscore.core.records import JsonError, parse_json
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook
from chronoscore.rubric.judge.schema import reasoning_field
from chronoscore.rubric.judgement import check_values

CUT = "length"
LONGEST = 200_000
_TOO_LONG = "the reply was cut because it is too long; say the same in fewer words"
# Some servers leave out the first of the two marks.
_THOUGHTS = re.compile(r"\A.*?</think>", re.DOTALL)


@dataclass(frozen=True)
class Reply:
    """A reply as read; the values are those of the criteria only if there are no problems."""

    values: tuple[int, ...] = ()
    comment: str = ""
    reasoning: str = ""
    problems: tuple[str, ...] = ()


def read_reply(content: str, finish: str, codebook: Codebook) -> Reply:
    """Read a reply; nothing is guessed: what does not fit the codebook is a problem.

    A number may be written as text, "3", and nothing else may be in that text.
    """
    where = reasoning_field(codebook)
    try:
        given = dict(_object(content))
        reasoning = given.pop(where, None)
        values, found = check_values(given, codebook, "reply")
    except JsonError as error:
        return Reply(problems=(_TOO_LONG if finish == CUT else str(error),))
    except (OverflowError, ValueError):  # integers have no end in JSON
        return Reply(problems=("a number in the reply is far too large",))
    problems = [problem.message for problem in found]
    # Fields that a row of a file may have are not for the judge to fill in.
    problems += [f"unknown field {name}" for name in TEXT_FIELDS if name in given]
    if not isinstance(reasoning, str) or not reasoning.strip():
        problems.insert(0, f"{where} must be text that is not empty")
    if problems:
        return Reply(problems=tuple(problems))
    comment = given.get(codebook.comment)
    return Reply(values, " ".join(str(comment or "").split()), str(reasoning))


def _object(content: str) -> Mapping[str, Any]:
    """Find the one object of a reply, which models without a schema dress up in words.

    Two objects are refused, since one of them may be a quotation of the article.
    """
    if not content.strip():
        raise JsonError("the reply is empty", 1)
    if len(content) > LONGEST:
        raise JsonError(f"the reply is longer than {LONGEST} characters", 1)
    try:
        value = parse_json(content)
    except JsonError:
        text = _THOUGHTS.sub("", content)
        found = _objects(text)
        if len(found) > 1:
            raise JsonError(
                f"there are {len(found)} JSON objects in the reply, expected one", 1
            ) from None
        if not found:
            raise
        value = parse_json(found[0])
    if not isinstance(value, Mapping):
        raise JsonError("the reply is not a JSON object: {...}", 1)
    return value


def _objects(text: str) -> list[str]:
    """The objects that stand in a text, outside of each other."""
    decoder = json.JSONDecoder()
    found, at = [], text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return found
