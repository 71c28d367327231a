"""Read judgements from files of any kind, and report duplicates.

JSON is read here: our records, one in each line or in a list, and exports of annotation tools.

Argilla: a record's responses are people's judgements and its suggestions those of judge models.
`Record.to_dict` has `responses` as {question: [{"value", "user_id"}, ...]} and `suggestions` as
{question: {"value", "score", "agent"}}; the server has lists of `{"user_id", "status", "values":
{question: {"value"}}}` and `{"question_name", "value", "agent"}`; data sets are flat, with columns
`question.responses`, `question.responses.users`, `question.responses.status`,
`question.suggestion` and `question.suggestion.agent`. Questions have the names of the codebook's
fields. https://docs.argilla.io/latest/reference/argilla/records/records
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from chronoscore.core.case import given_once
from chronoscore.core.problems import Fact, Problems, escaped
from chronoscore.core.records import JsonError, json_lines, parse_json
from chronoscore.core.sources import Source
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.label_studio import is_flat, is_task, label_studio_rows
from chronoscore.rubric.formats.rows import JudgementRow, RowReader, as_text
from chronoscore.rubric.formats.sheets import read_sheet
from chronoscore.rubric.formats.workbooks import is_workbook, read_workbook
from chronoscore.rubric.judgements import Judgement, Judgements, is_numbered, round_order
from chronoscore.statistics.labels import grouped

KEY = ("system", "event", "evaluator", "round")
"""The fields that identify a judgement."""
_ROUND = "round"
"""A fact: the name of a round, where an evaluator judged an event in several rounds."""
_LINES = (".jsonl", ".ndjson")
NAMELESS = "suggestion"
"""The evaluator of suggestions that don't name their agent."""
_MOST_NAMED = 3
RowTable: TypeAlias = tuple[Judgements, Callable[[int], JudgementRow]]
"""Judgements, and a function that returns the row of each."""


def read_judgements(
    sources: Sequence[Source],
    codebook: Codebook,
    problems: Problems,
    *,
    evaluator: str | None = None,
    events: Iterable[str] | None = None,
) -> Judgements:
    """Read the judgements of all files; a duplicate is a problem, even if it is identical.

    The ending says what a file is: `.xlsx`, `.jsonl`, `.json` (Label Studio, Argilla or a list of
    our records), and any other is a sheet. `evaluator` names the author of files that don't;
    `events` are the ids of the events to be judged: any other event is a problem. The result does
    not depend on the order of files, rows and columns.
    """
    # If not all events were read, judgements of other events can't be recognised.
    expected = None if events is None or problems.problems else set(events)
    reader = RowReader(codebook, problems, evaluator)
    tables = [t for source in given_once(sources, problems) for t in _tables(source, reader)]
    judgements = Judgements.together([table for table, _ in tables], len(codebook.criteria))
    ends = np.cumsum([len(table) for table, _ in tables])

    def row(at: int) -> JudgementRow:
        place = int(np.searchsorted(ends, at, side="right"))
        table, row_of = tables[place]
        return row_of(at - int(ends[place]) + len(table))

    groups = grouped([judgements.words[name].at for name in KEY], len(judgements))
    doubled = np.setdiff1d(groups.order, groups.firsts)
    first_of = groups.firsts[groups.at()]
    for at in doubled.tolist():
        both = (int(first_of[at]), at)
        _report_duplicate(reader, [judgements[i] for i in both], [row(i) for i in both])
    if expected is not None:
        event = judgements.words["event"]
        strange = np.array([name not in expected for name in event.names], np.bool_)
        places = np.sort(groups.firsts[strange[event.at[groups.firsts]]]).tolist()
        _report_unknown([(row(at), event[at] or "") for at in places], problems)
    judgements = judgements.take(groups.firsts)
    rounds = _repeated_rounds(judgements)
    if problems.partial:  # the rounds of all chunks are reported together
        problems.facts.update((_ROUND, name) for name in rounds)
    else:
        report_rounds(rounds, problems)
    return judgements


def _report_unknown(rows: Sequence[tuple[JudgementRow, str]], problems: Problems) -> None:
    """Report judgements of events that nobody asked for, in one problem for each file."""
    for _, group in groupby(rows, key=lambda row: str(row[0].source)):
        of_file = list(group)
        names = list(dict.fromkeys(name for _, name in of_file))
        if len(names) == 1:
            message = f"event '{names[0]}' is not among the events to be judged"
        else:
            listed = ", ".join(f"'{name}'" for name in names[:_MOST_NAMED])
            more = len(names) - _MOST_NAMED
            message = (
                f"{len(names)} events are not among the events to be judged: {listed}"
                f"{f' and {more} more' if more > 0 else ''} ({len(of_file)} judgements, this is "
                "the first); do the files of events and of judgements belong together?"
            )
        of_file[0][0].report(problems, message, "unknown_event", "event_id")


def _repeated_rounds(judgements: Judgements) -> list[str]:
    """Return the rounds of people who judged an event several times; a model's are samples."""
    words = judgements.words
    if len(words["round"].names) < 2:
        return []
    groups = grouped([words[name].at for name in KEY[:-1]], len(judgements))
    repeated = groups.sizes()[groups.at()] > 1
    people = np.array([kind == "person" for kind in words["kind"].names])[words["kind"].at]
    return words["round"].take(np.flatnonzero(repeated & people)).used()


def rounds_counted(facts: Mapping[Fact, int]) -> list[str]:
    """Return the rounds that the facts of all chunks name."""
    return [name for kind, *names in facts if kind == _ROUND for name in names]


def report_rounds(names: Iterable[str], problems: Problems) -> None:
    """Report the alphabetic order of named rounds, where it decides which one is the last."""
    rounds = sorted(names, key=round_order)
    if any(name and not is_numbered(name) for name in rounds):
        listed = ", ".join(name or "(none)" for name in rounds)
        problems.notice(
            f"some rounds have names, which are in the order of the alphabet: {listed}; "
            "if the last of them is not the last round, number them"
        )


def _tables(source: Source, reader: RowReader) -> Iterator[RowTable]:
    """Read a file: a sheet in blocks of rows, anything else as one table."""
    if is_workbook(source):
        yield _row_by_row(read_workbook(source, reader), reader)
    elif is_json(source):
        yield _row_by_row(read_json(source, reader), reader)
    else:
        for block in read_sheet(source, reader):
            table = block.judgements(reader)
            yield _row_by_row(block, reader) if table is None else (table, block.row)


def _row_by_row(rows: Iterable[JudgementRow], reader: RowReader) -> RowTable:
    """Read each row by itself, and report everything that is wrong with it."""
    pairs = [(row, judgement) for row in rows if (judgement := reader.judgement(row)) is not None]
    table = Judgements.of((judgement for _, judgement in pairs), len(reader.criteria))
    return table, lambda at: pairs[at][0]


def _report_duplicate(
    reader: RowReader, judgements: Sequence[Judgement], rows: Sequence[JudgementRow]
) -> None:
    """Report the second of two judgements by the same evaluator of the same event."""
    (first, second), (first_row, row) = judgements, rows
    values = zip(reader.criteria, first.values, second.values, strict=True)
    differ = [field for field, a, b in values if a != b]
    difference = f" and the two differ in {', '.join(differ)}" if differ else ""
    message = (
        f"evaluator '{second.evaluator}' judged event '{second.event}' already in "
        f"{first_row.seen_from(row)}{difference}; name a second round in the column 'round'"
    )
    row.report(reader.problems, message, "duplicate_judgement")


def row_order(
    sources: Sequence[Source], codebook: Codebook, problems: Problems, evaluator: str | None = None
) -> dict[tuple[str, str, str, str], int]:
    """Return the place of each judgement among all rows, by key: the order of judging.

    `read_judgements` does not keep this order, so that no score depends on the order of files.
    """
    reader = RowReader(codebook, problems, evaluator)
    tables = (table for source in sources for table, _ in _tables(source, reader))
    keys = dict.fromkeys(judgement.key for table in tables for judgement in table)
    return {key: place for place, key in enumerate(keys)}


def holds_judgements(source: Source, problems: Problems) -> bool:
    """Whether a workbook or a JSON file holds judgements, by its first record; reports nothing."""
    if not is_json(source):
        return is_workbook(source)
    _, _, item = next(json_items(source, problems.unreported()), (None, "", None))
    return is_judgement(item)


def is_json(source: Source) -> bool:
    """Whether a source is JSON, by its name."""
    return source.suffix.lower() in (*_LINES, ".json")


def json_items(source: Source, problems: Problems) -> Iterator[tuple[int | None, str, Any]]:
    """Yield the line number or the place of each record, and the record.

    A JSONL file has one record in each line; a JSON file holds a list of records, or one record.
    """
    if source.suffix.lower() in _LINES:
        for number, record in json_lines(source, problems):
            yield number, "", record
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
    others: list[JudgementRow] = []
    """The rows before the first that has a field of a judgement."""
    has_judgements = False
    for line, place, item in json_items(source, reader.problems):
        row = JudgementRow({}, source, line, place, layout="json")
        if not isinstance(item, Mapping):
            row.report(reader.problems, "expected an object with a judgement: {...}")
        elif is_task(item) or is_flat(item):
            has_judgements = True
            yield from label_studio_rows(item, reader, row)
        elif _is_argilla(item):
            has_judgements = True
            yield from _argilla_rows(item, reader, row)
        else:
            has_judgements = has_judgements or reader.is_judged(item)
            others.append(replace(row, values=item))
        if has_judgements:
            yield from others
            others.clear()
    if others:
        reader.refuse_others(source)
    for message, times in sorted(reader.left_out.items()):
        reader.problems.count(f"{{count}} {escaped(message)}", (), source, count=times)
    reader.left_out.clear()


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
    item: Mapping[str, Any], reader: RowReader, at: JudgementRow
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
            reader.left_out[f"answers are {status} and are not read"] += 1
        else:
            answers_of = values.setdefault((judge, str(who or "")), {})
            answers_of[question] = reader.level(question, value)
    if not values:
        reader.left_out["records have no answer"] += 1
    for (judge, who), by_question in sorted(values.items()):
        by = f"{'suggestions' if judge else 'responses'} of {who or 'an unnamed user'}"
        position = replace(at, where=f"{at.where}, {by}" if at.where else by)
        row = reader.answers(position, {}, by_question, "answers to '{}' are not read")
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
