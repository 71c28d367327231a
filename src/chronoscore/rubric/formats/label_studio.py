"""Label Studio: a project made from the codebook, and its exports JSON and JSON_MIN.

In JSON a task holds its `data` and a list of `annotations`, each by one person (`completed_by`)
with a `result` for each control. JSON_MIN is flat: an object for each annotation, with the data,
the controls by name and the `annotator`. Controls bear the names of the codebook's fields.
https://labelstud.io/guide/task_format and https://labelstud.io/guide/export
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from chronoscore.core.event import Event
from chronoscore.core.numbers import real_number
from chronoscore.core.reading import Reading
from chronoscore.core.writing import write_file
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook, Criterion, folded
from chronoscore.rubric.formats.articles import Article
from chronoscore.rubric.formats.rows import Row, as_text, known_columns, sort_unknown

CHIPS = "CommentChips"
"""The name of the control that offers frequent comments."""
_SHOWN = ("article_title", "article_text")
_OWN = (
    *("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"),
    *("was_cancelled", *_SHOWN),
)
"""What JSON_MIN and our own tasks have beside the controls."""


def is_task(item: Mapping[str, Any]) -> bool:
    """Whether this is a task of the export JSON."""
    return "annotations" in item or isinstance(item.get("data"), Mapping)


def is_flat(item: Mapping[str, Any]) -> bool:
    """Whether this is an annotation of the export JSON_MIN."""
    return "annotation_id" in item or "annotator" in item


def label_studio_rows(
    item: Mapping[str, Any],
    codebook: Codebook,
    reading: Reading,
    place: Row,
    left_out: Counter[str],
) -> Iterator[Row]:
    """Give a row for each annotation that was not cancelled; what is left out is counted."""
    if not is_task(item):
        if item.get("was_cancelled"):
            left_out["annotations were cancelled and are not read"] += 1
            return
        controls = {name: value for name, value in item.items() if name not in _OWN}
        yield _row(item, controls, item.get("annotator"), codebook, place, left_out)
        return
    data, annotations = item.get("data"), item.get("annotations") or []
    if not isinstance(data, Mapping) or not isinstance(annotations, list):
        message = "a task must have an object 'data' and a list 'annotations'"
        reading.problem(f"{place.place()}{message}", place.path, place.line, code="wrong_type")
        return
    if not annotations:
        left_out["tasks have no annotation"] += 1
    for what in ("predictions", "drafts"):
        if isinstance(item.get(what), list) and item[what]:
            left_out[f"{what} are not read"] += len(item[what])
    for number, annotation in enumerate(annotations, 1):
        where = f"{place.where or 'task'}, annotation {number}"
        here = Row({}, place.path, place.line, where)
        result = annotation.get("result") if isinstance(annotation, Mapping) else None
        if isinstance(annotation, Mapping) and annotation.get("was_cancelled"):
            left_out["annotations were cancelled and are not read"] += 1
        elif not isinstance(result, list) or not all(isinstance(r, Mapping) for r in result):
            message = f"{here.place()}expected an object with a list 'result'"
            reading.problem(message, place.path, place.line, code="wrong_type")
        else:
            controls = {}
            for part in result:
                name = part.get("from_name")
                if isinstance(name, str):  # relations between regions have none
                    controls[name] = part.get("value")
            yield _row(data, controls, annotation.get("completed_by"), codebook, here, left_out)


def _row(
    data: Mapping[str, Any],
    controls: Mapping[str, Any],
    who: Any,
    codebook: Codebook,
    place: Row,
    left_out: Counter[str],
) -> Row:
    known = known_columns(codebook)
    fields = {criterion.field: criterion for criterion in codebook.criteria}
    values: dict[str, object] = {
        known[folded(name)]: as_text(value)
        for name, value in data.items()
        if known.get(folded(name)) in TEXT_FIELDS
    }
    others = []
    for name, value in controls.items():
        proper = known.get(folded(name), name)
        if proper in fields:
            values[proper] = _chosen(value, fields[proper])
        elif proper == codebook.comment:
            values[proper] = _written(value)
        elif proper != CHIPS and proper not in TEXT_FIELDS:
            others.append(name)
    misspelt, others = sort_unknown(others, codebook)
    values |= {name: controls[name] for name in misspelt}
    for name in others:
        left_out[f"times there is '{name}', which is not read"] += 1
    _put_chips(values, _several(controls.get(CHIPS)), codebook)
    if isinstance(who, Mapping):
        who = who.get("email") or who.get("username") or who.get("id")
    if who is not None and not isinstance(who, bool):
        values["evaluator"] = as_text(who)
    return Row(values, place.path, place.line, place.where)


def _put_chips(values: dict[str, object], chosen: Sequence[str], codebook: Codebook) -> None:
    """Chips go before the comment, unless it says them already."""
    comment = values.get(codebook.comment) or ""
    if isinstance(comment, str):
        new = [chip for chip in chosen if chip.casefold() not in comment.casefold()]
        if new:
            values[codebook.comment] = "; ".join([*new, *([comment] if comment else [])])


def _several(value: Any) -> list[str]:
    """All choices of a control: text, a list of texts, or either within `choices`."""
    if isinstance(value, Mapping):
        value = value.get("choices")
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in _several(item)]
    return []


def _chosen(value: Any, criterion: Criterion) -> object:
    """The value of a criterion: a rating or a number as it is, or a choice, which is text."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        value = value[0]  # so JSON_MIN has ratings
    if isinstance(value, Mapping):
        for kind in ("rating", "number"):
            if kind in value:
                return value[kind]
        value = value.get("choices", value.get("text"))
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
    return level_of(value, criterion)


def level_of(value: object, criterion: Criterion) -> object:
    """Read a text that names a level by its number, its label or its name; else leave it."""
    if not isinstance(value, str):
        return value
    number = real_number(value)
    if number is not None:
        return number
    told = value.strip().casefold()
    for level in criterion.values:
        if told in (level.label.casefold(), level.name.casefold()):
            return level.value
    return value


def _written(value: Any) -> object:
    """The text of a comment; several submissions are lines of it."""
    if isinstance(value, Mapping) and "text" in value:
        value = value["text"]
    if isinstance(value, list):
        parts = [_written(part) for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        return "\n".join(texts) if len(texts) == len(parts) else parts[0]
    return value


def label_studio_config(codebook: Codebook) -> str:
    """Write the labelling interface: the event, its article, and a control for each criterion."""
    lines = [
        "<View>",
        f"  <Header value={quoteattr(codebook.title)}/>",
        '  <View style="display: flex">',
        '    <View style="flex: 60%; white-space: pre-wrap">',
        '      <Header value="$article_title" size="5"/>',
        '      <Header value="$published" size="6"/>',
        '      <Text name="article" value="$article_text"/>',
        "    </View>",
        '    <View style="flex: 40%; margin-left: 1em">',
        '      <Header value="$event_date" size="5"/>',
        '      <Header value="$event_type" size="6"/>',
        '      <Text name="event" value="$event_text"/>',
    ]
    for criterion in codebook.criteria:
        lines.append(f'      <Header value={quoteattr(criterion.question)} size="6"/>')
        lines += [
            f'      <Header value={quoteattr(f"{note.kind}: {note.text}")} size="6"/>'
            for note in criterion.guidance
        ]
        lines.append(
            f'      <Choices name={quoteattr(criterion.field)} toName="event" choice="single" '
            f'required="true" requiredMessage={quoteattr(f"{criterion.field} is missing")}>'
        )
        lines += [
            f"        <Choice value={quoteattr(f'{level.value}: {level.label}')} "
            f'alias="{level.value}"/>'
            for level in sorted(criterion.values, key=lambda level: level.value)
        ]
        lines.append("      </Choices>")
    if codebook.chips:
        lines.append(f'      <Choices name="{CHIPS}" toName="event" choice="multiple">')
        lines += [
            f"        <Choice value={quoteattr(chip.text)} hotkey={quoteattr(chip.key)}/>"
            for chip in codebook.chips
        ]
        lines.append("      </Choices>")
    comment = quoteattr(codebook.comment)
    lines += [
        f'      <TextArea name={comment} toName="event" placeholder={comment} rows="3" '
        'maxSubmissions="1" editable="true"/>',
        "    </View>",
        "  </View>",
        "</View>",
    ]
    return "\n".join(lines) + "\n"


def label_studio_tasks(events: Iterable[Event], articles: Iterable[Article] = ()) -> list[Any]:
    """Make a task for each event, with its article beside it."""
    known = {article.id: article for article in articles}
    tasks = []
    for event in events:
        article = known.get(event.article, Article(id=event.article))
        data = {
            "event_id": event.id,
            "article_id": event.article,
            "event_date": event.date or "",
            "event_type": event.type,
            "event_text": event.text,
            "published": article.published,
            "article_title": article.title,
            "article_text": article.text,
        }
        tasks.append({"data": data})
    return tasks


def write_label_studio(
    folder: Path, events: Iterable[Event], codebook: Codebook, articles: Iterable[Article] = ()
) -> list[Path]:
    """Write a project: `config.xml` for its labelling interface, and `tasks.json` to import."""
    config, tasks = folder / "config.xml", folder / "tasks.json"
    write_file(config, label_studio_config(codebook))
    text = json.dumps(label_studio_tasks(events, articles), ensure_ascii=False, indent=1)
    write_file(tasks, f"{text}\n")
    return [config, tasks]
