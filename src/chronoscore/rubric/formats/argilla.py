"""Argilla: records whose responses are people's judgements and whose suggestions are judges'.

`Record.to_dict` gives `responses` as {question: [{"value", "user_id"}, ...]} and `suggestions` as
{question: {"value", "score", "agent"}}; the server gives lists of `{"user_id", "status", "values":
{question: {"value"}}}` and `{"question_name", "value", "agent"}`; data sets are flat, with columns
`question.responses`, `question.responses.users`, `question.responses.status`,
`question.suggestion` and `question.suggestion.agent`. Questions bear the names of the codebook's
fields. https://docs.argilla.io/latest/reference/argilla/records/records
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chronoscore.core.reading import Reading
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook, folded
from chronoscore.rubric.formats.label_studio import level_of
from chronoscore.rubric.formats.rows import Row, as_text, known_columns, sort_unknown

NAMELESS = "suggestion"
"""The evaluator of suggestions that don't name their agent."""
_COUNTED = ("submitted", "")


class Answer(NamedTuple):
    """One answer to one question."""

    question: str
    value: Any
    who: str
    judge: bool
    status: str = ""


def is_argilla(item: Mapping[str, Any]) -> bool:
    """Whether this is a record of Argilla."""
    return any(
        name in ("responses", "suggestions") or name.endswith((".responses", ".suggestion"))
        for name in item
    )


def argilla_rows(
    item: Mapping[str, Any],
    codebook: Codebook,
    reading: Reading,
    place: Row,
    left_out: Counter[str],
) -> Iterator[Row]:
    """Give a row for each person who answered and each agent that suggested."""
    known = known_columns(codebook)
    fields = {criterion.field: criterion for criterion in codebook.criteria}
    about = _about(item, known)
    answers: dict[tuple[bool, str], dict[str, Any]] = {}
    try:
        found = [*_responses(item), *_suggestions(item)]
    except (TypeError, AttributeError):
        message = f"{place.place()}the responses or suggestions are not as Argilla writes them"
        reading.problem(message, place.path, place.line, code="wrong_type")
        return
    for answer in found:
        if answer.status not in _COUNTED:
            left_out[f"answers are {answer.status} and are not read"] += 1
            continue
        question = known.get(folded(answer.question), answer.question)
        value = answer.value
        if question in fields:
            value = level_of(value, fields[question])
        answers.setdefault((answer.judge, answer.who), {})[question] = value
    if not answers:
        left_out["records have no answer"] += 1
    for (judge, who), values in sorted(answers.items()):
        ours = {name: value for name, value in values.items() if name in known.values()}
        misspelt, others = sort_unknown([n for n in values if n not in ours], codebook)
        for name in others:
            left_out[f"answers to '{name}' are not read"] += 1
        if not ours.keys() & fields.keys() and not misspelt:
            continue
        row = about | ours | {name: values[name] for name in misspelt}
        row |= {"evaluator": who, "evaluator_kind": "llm" if judge else "person"}
        by = f"{'suggestions' if judge else 'responses'} of {who or 'nobody'}"
        where = f"{place.where}, {by}" if place.where else by
        yield Row(row, place.path, place.line, where)


def _about(item: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, object]:
    """What a record says of its event: in its metadata, its fields, or flat beside them."""
    about: dict[str, object] = {}
    for part in (item, item.get("fields"), item.get("metadata")):
        if isinstance(part, Mapping):
            about |= {
                known[folded(name)]: as_text(value)
                for name, value in part.items()
                if known.get(folded(name)) in TEXT_FIELDS
            }
    identity = item.get("external_id") or item.get("id")
    if "event_id" not in about and identity is not None:
        about["event_id"] = as_text(identity)
    return about


def _responses(item: Mapping[str, Any]) -> Iterator[Answer]:
    given = item.get("responses") or {}
    if isinstance(given, list):
        for response in given:
            for question, answer in (response.get("values") or {}).items():
                value = answer.get("value") if isinstance(answer, Mapping) else answer
                yield Answer(question, value, _name(response), False, response.get("status") or "")
    else:
        for question, responses in given.items():
            for response in responses:
                status = response.get("status") or ""
                yield Answer(question, response.get("value"), _name(response), False, status)
    for column in [name for name in item if name.endswith(".responses")]:
        values = item[column] or []
        users = item.get(f"{column}.users") or [""] * len(values)
        states = item.get(f"{column}.status") or [""] * len(values)
        for value, user, status in zip(values, users, states, strict=False):
            question = column.removesuffix(".responses")
            yield Answer(question, value, str(user or ""), False, status or "")


def _suggestions(item: Mapping[str, Any]) -> Iterator[Answer]:
    given = item.get("suggestions") or {}
    if isinstance(given, list):
        for one in given:
            yield Answer(one.get("question_name"), one.get("value"), _agent(one.get("agent")), True)
    else:
        for question, one in given.items():
            if one is not None:
                yield Answer(question, one.get("value"), _agent(one.get("agent")), True)
    for column in [name for name in item if name.endswith(".suggestion")]:
        if item[column] is not None:
            agent = _agent(item.get(f"{column}.agent"))
            yield Answer(column.removesuffix(".suggestion"), item[column], agent, True)


def _name(response: Mapping[str, Any]) -> str:
    return str(response.get("user_id") or response.get("user_name") or "")


def _agent(name: object) -> str:
    return str(name) if name else NAMELESS
