"""What a judge must reply: a JSON schema of the codebook, in the modes that servers know."""

from collections.abc import Mapping
from typing import Any, Literal

from chronoscore.rubric.codebook import Codebook

Mode = Literal["json_schema", "json_object", "text"]
MODES: tuple[Mode, ...] = ("json_schema", "json_object", "text")
"""From the strictest to what every server takes."""
_NAME = "judgement"
_SIGNS = (
    *("response_format", "response format", "json_schema", "json_object", "json schema"),
    *("structured output", "json mode", "guided", "grammar", "additionalproperties"),
)


def reasoning_field(codebook: Codebook) -> str:
    """The name of the field to reason in, which no criterion has."""
    name = "reasoning"
    taken = {*(criterion.field for criterion in codebook.criteria), codebook.comment}
    while name in taken:
        name += "_"
    return name


def reply_schema(codebook: Codebook) -> dict[str, Any]:
    """Give the schema of a reply: reasoning first, then every criterion, then the comment.

    Fields are in this order because models write them in it: what is said before a number can
    bear on it, what is said after can't.
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
    """Give the part of a request that asks for a form; empty for plain text."""
    if mode == "json_schema":
        schema = {"name": _NAME, "strict": True, "schema": reply_schema(codebook)}
        return {"response_format": {"type": mode, "json_schema": schema}}
    return {"response_format": {"type": mode}} if mode == "json_object" else {}


def refuses_mode(status: int, said: str) -> bool:
    """Tell whether a server turned a request down because of the form that it asked for."""
    words = said.lower()
    return status in (400, 422, 501) and any(sign in words for sign in _SIGNS)
