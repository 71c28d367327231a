"""JSON files: our records, one in each line or in a list, and exports of Label Studio and Argilla.

Argilla: a record's responses are people's judgements and its suggestions those of judge models.
`Record.to_dict` has `responses` as {question: [{"value", "user_id"}, ...]} and `suggestions` as
{question: {"value", "score", "agent"}}; the server has lists of `{"user_id", "status", "values":
{question: {"value"}}}` and `{"question_name", "value", "agent"}`; data sets are flat, with columns
`question.responses`, `question.responses.users`, `question.responses.status`,
`question.suggestion` and `question.suggestion.agent`. Questions have the names of the codebook's
fields. https://docs.argilla.io/latest/reference/argilla/records/records
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any, NamedTuple

from chronoscore.core.problems import Problems, escaped
from chronoscore.core.records import JsonError, parse_json
from chronoscore.core.sources import Source
from chronoscore.rubric.formats.label_studio import is_flat, is_task, label_studio_rows
from chronoscore.rubric.formats.rows import JudgementRow, RowReader, as_text

_LINES = (".jsonl", ".ndjson")
NAMELESS = "suggestion"
"""The evaluator of suggestions that don't name their agent."""


def is_json(source: Source) -> bool:
    """Whether a source is JSON, by its name."""
    return source.suffix.lower() in (*_LINES, ".json")


def json_items(source: Source, problems: Problems) -> Iterator[tuple[int | None, str, Any]]:
    """Yield the line number or the place of each record, and the record.

    A JSONL file has one record in each line; a JSON file holds a list of records, or one record.
    """
    if source.suffix.lower() in _LINES:
        for number, line in source.lines(problems):
            try:
                if line.strip():
                    yield number, "", parse_json(line)
            except JsonError as error:
                problems.problem(str(error), source, number)
        return
    text = source.text(problems)
    if text is None or not text.strip():  # reported already
        return
    try:
        document = parse_json(text)
    except JsonError as error:
        problems.problem(str(error), source, error.line)
        return
    if document == []:
        problems.problem("the list is empty, expected judgements", source)
    items = document if isinstance(document, list) else [document]
    yield from ((None, f"record {number}", item) for number, item in enumerate(items, 1))


def read_json(source: Source, reader: RowReader) -> Iterator[JudgementRow]:
    """Read records in our form or exported by an annotation tool."""
    left_out: Counter[str] = Counter()
    for line, place, item in json_items(source, reader.problems):
        row = JudgementRow({}, source, line, place, layout="json")
        if not isinstance(item, Mapping):
            row.report(reader.problems, "expected an object with a judgement: {...}")
        elif is_task(item) or is_flat(item):
            yield from label_studio_rows(item, reader, row, left_out)
        elif _is_argilla(item):
            yield from _argilla_rows(item, reader, row, left_out)
        else:
            yield replace(row, values=item)
    for message, times in sorted(left_out.items()):
        reader.problems.count(f"{{count}} {escaped(message)}", (), source, count=times)


def is_judgement(item: object) -> bool:
    """Whether a record holds a judgement in our form or in that of an annotation tool."""
    return isinstance(item, Mapping) and (
        "event_id" in item
        or isinstance(item.get("data"), Mapping)  # a task of Label Studio
        or is_flat(item)
        or _is_argilla(item)
    )


def _is_argilla(item: Mapping[str, Any]) -> bool:
    return any(
        name in ("responses", "suggestions") or name.endswith((".responses", ".suggestion"))
        for name in item
    )


class ArgillaAnswer(NamedTuple):
    """One answer to one question, by a person or by a model."""

    question: str
    value: Any
    who: Any
    judge: bool
    status: str | None = None


def _argilla_rows(
    item: Mapping[str, Any], reader: RowReader, at: JudgementRow, left_out: Counter[str]
) -> Iterator[JudgementRow]:
    """Yield a row for each person who answered and each agent that suggested."""
    event = reader.event_fields(item, item.get("fields"), item.get("metadata"))
    identity = item.get("external_id") or item.get("id")
    if "event_id" not in event and identity is not None:
        event["event_id"] = as_text(identity)
    try:
        answers = [(reader.proper(answer.question), answer) for answer in _argilla_answers(item)]
    except (TypeError, AttributeError):
        message = "the responses or suggestions are not as Argilla writes them"
        at.report(reader.problems, message, "wrong_type")
        return
    values: dict[tuple[bool, str], dict[str, object]] = {}
    for question, (_, value, who, judge, status) in answers:
        if status and status != "submitted":
            left_out[f"answers are {status} and are not read"] += 1
        else:
            answers_of = values.setdefault((judge, str(who or "")), {})
            answers_of[question] = reader.level(question, value)
    if not values:
        left_out["records have no answer"] += 1
    for (judge, who), by_question in sorted(values.items()):
        by = f"{'suggestions' if judge else 'responses'} of {who or 'an unnamed user'}"
        position = replace(at, where=f"{at.where}, {by}" if at.where else by)
        row = reader.answers(position, {}, by_question, left_out, "answers to '{}' are not read")
        others = {*reader.columns.values()} - reader.criteria.keys()
        if not row.values.keys() <= others:  # there is more than a comment
            author = {"evaluator": who, "evaluator_kind": "llm" if judge else "person"}
            yield replace(row, values=event | dict(row.values) | author)


def _argilla_answers(item: Mapping[str, Any]) -> Iterator[ArgillaAnswer]:
    """Yield the answers of a record in any of the three forms."""
    responses, suggestions = item.get("responses") or {}, item.get("suggestions") or {}
    if isinstance(responses, list):
        answers = [
            (question, answer.get("value") if isinstance(answer, Mapping) else answer, response)
            for response in responses
            for question, answer in (response.get("values") or {}).items()
        ]
    else:
        answers = [
            (question, response.get("value"), response)
            for question, answers_of in responses.items()
            for response in answers_of
        ]
    for question, value, response in answers:
        who = response.get("user_id") or response.get("user_name")
        yield ArgillaAnswer(question, value, who, False, response.get("status"))
    if not isinstance(suggestions, list):
        named = suggestions.items()
        suggestions = [{**s, "question_name": name} for name, s in named if s is not None]
    for suggestion in suggestions:
        who = suggestion.get("agent") or NAMELESS
        yield ArgillaAnswer(suggestion.get("question_name"), suggestion.get("value"), who, True)
    for column, value in item.items():
        question, _, part = column.rpartition(".")
        if part == "responses" and question:
            users = item.get(f"{column}.users") or repeat("")
            states = item.get(f"{column}.status") or repeat("")
            for answer, user, status in zip(value or [], users, states, strict=False):
                yield ArgillaAnswer(question, answer, user, False, status)
        elif part == "suggestion" and question and value is not None:
            yield ArgillaAnswer(question, value, item.get(f"{column}.agent") or NAMELESS, True)
