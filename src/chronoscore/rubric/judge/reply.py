"""The form of a judge's reply, in the modes that servers know, and the reader of replies."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chronoscore.core.records import JsonError, parse_json
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook
from chronoscore.rubric.judgements import check_values

Mode = Literal["json_schema", "json_object", "text"]
MODES: tuple[Mode, ...] = ("json_schema", "json_object", "text")
"""From the strictest to the one that every server accepts."""
LONGEST = 200_000
_CUT = "length"
_TOO_LONG = "the reply was cut because it is too long; say the same in fewer words"
# Some servers leave out the opening mark.
_THOUGHTS = re.compile(r"\A.*?</think>", re.DOTALL)
_SIGNS = (
    *("response_format", "response format", "json_schema", "json_object", "json schema"),
    *("structured output", "json mode", "guided", "grammar", "additionalproperties"),
)


def reasoning_field(codebook: Codebook) -> str:
    """Return the name of the field for the reasoning, which no criterion has."""
    name = "reasoning"
    fields = {*(criterion.field for criterion in codebook.criteria), codebook.comment}
    while name in fields:
        name += "_"
    return name


def reply_schema(codebook: Codebook) -> dict[str, Any]:
    """Return the schema of a reply: reasoning first, then every criterion, then the comment.

    Models write the fields in this order, and only what comes before a number can influence it.
    """
    properties: dict[str, Any] = {reasoning_field(codebook): {"type": "string"}}
    for criterion in codebook.criteria:
        properties[criterion.field] = {"type": "integer", "enum": list(criterion.allowed)}
    properties[codebook.comment] = {"type": "string"}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def response_format(codebook: Codebook, mode: Mode) -> Mapping[str, Any]:
    """Return the part of a request that asks for a form; empty for plain text."""
    if mode == "json_schema":
        schema = {"name": "judgement", "strict": True, "schema": reply_schema(codebook)}
        return {"response_format": {"type": mode, "json_schema": schema}}
    return {"response_format": {"type": mode}} if mode == "json_object" else {}


def refuses_mode(status: int, text: str) -> bool:
    """Whether a server rejected a request because of the form that it asked for."""
    words = text.lower()
    return status in (400, 422, 501) and any(sign in words for sign in _SIGNS)


@dataclass(frozen=True)
class Reply:
    """A reply as read: values and a comment, or problems."""

    values: tuple[int, ...] = ()
    comment: str = ""
    problems: tuple[str, ...] = ()


def read_reply(content: str, finish: str, codebook: Codebook) -> Reply:
    """Read a reply without guessing: what does not fit the codebook is a problem.

    A number may be written as text, "3", if the text holds nothing else.
    """
    reasoning_name = reasoning_field(codebook)
    try:
        fields = dict(_object(content))
        reasoning = fields.pop(reasoning_name, None)
        values, misfits = check_values(fields, codebook, "reply")
    except JsonError as error:
        return Reply(problems=(_TOO_LONG if finish == _CUT else str(error),))
    except (OverflowError, ValueError):  # integers have no end in JSON
        return Reply(problems=("a number in the reply is far too large",))
    problems = [problem.message for problem in misfits]
    # Fields that a row of a file may have are not for the judge to fill in.
    problems += [f"unknown field {name}" for name in TEXT_FIELDS if name in fields]
    if not isinstance(reasoning, str) or not reasoning.strip():
        problems.insert(0, f"{reasoning_name} must be text that is not empty")
    if problems:
        return Reply(problems=tuple(problems))
    return Reply(values, " ".join(str(fields.get(codebook.comment) or "").split()))


def _object(content: str) -> Mapping[str, Any]:
    """Find the one object of a reply, which models without a schema wrap in words.

    Two objects are refused, since one of them may be a quotation of the article.
    """
    if not content.strip():
        raise JsonError("the reply is empty", 1)
    if len(content) > LONGEST:
        raise JsonError(f"the reply is longer than {LONGEST} characters", 1)
    try:
        value = parse_json(content)
    except JsonError:
        objects = _objects(_THOUGHTS.sub("", content))
        if len(objects) > 1:
            raise JsonError(
                f"there are {len(objects)} JSON objects in the reply, expected one", 1
            ) from None
        if not objects:
            raise
        value = parse_json(objects[0])
    if not isinstance(value, Mapping):
        raise JsonError("the reply is not a JSON object: {...}", 1)
    return value


def _objects(text: str) -> list[str]:
    """Return the JSON objects in a text, without those inside another."""
    decoder = json.JSONDecoder()
    objects, at = [], text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            objects.append(text[at:end])
        at = text.find("{", end)
    return objects
