"""Label Studio: projects made from a codebook, with or without judgements, and its exports.

In the export JSON a task holds its `data` and a list of `annotations`, each by one person
(`completed_by`) with a `result` for each control. JSON_MIN is flat: an object for each annotation,
with the data, the controls by name and the `annotator`. Controls have the names of the codebook's
fields. https://labelstud.io/guide/task_format and https://labelstud.io/guide/export
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from chronoscore.core.event import Event
from chronoscore.core.writing import write_file
from chronoscore.elements.articles import Article
from chronoscore.rubric.codebook import TEXT_FIELDS, Codebook
from chronoscore.rubric.formats.rows import JudgementRow, RowReader, Values, as_text
from chronoscore.rubric.judgements import Judgement

CHIPS = "CommentChips"
"""The name of the control that offers frequent comments."""
_FLAT_FIELDS = (
    *("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"),
    *("was_cancelled", "article_title", "article_text"),
)
"""The fields of JSON_MIN and of our tasks that are not controls."""
_CANCELLED = "annotations were cancelled and are not read"
_INTERFACE = """\
<View>
  <Header value={title}/>
  <View style="display: flex">
    <View style="flex: 60%; white-space: pre-wrap">
      <Header value="$article_title" size="5"/>
      <Header value="$published" size="6"/>
      <Text name="article" value="$article_text"/>
    </View>
    <View style="flex: 40%; margin-left: 1em">
      <Header value="$event_date" size="5"/>
      <Header value="$event_type" size="6"/>
      <Text name="event" value="$event_text"/>
{controls}
    </View>
  </View>
</View>
"""


def label_studio_config(codebook: Codebook) -> str:
    """Write the labelling interface: the event, its article, and a control for each criterion."""
    lines = []
    for criterion in codebook.criteria:
        field, missing = criterion.field, f"{criterion.field} is missing"
        texts = [criterion.question, *(f"{note.kind}: {note.text}" for note in criterion.guidance)]
        lines += [_element("Header", value=text, size="6") for text in texts]
        levels = sorted(criterion.values, key=lambda level: level.value)
        choices = [{"value": f"{n.value}: {n.label}", "alias": str(n.value)} for n in levels]
        lines += _choice(field, choices, choice="single", required="true", requiredMessage=missing)
    if codebook.chips:
        chips = [{"value": chip.text, "hotkey": chip.key} for chip in codebook.chips]
        lines += _choice(CHIPS, chips, choice="multiple")
    names = {"name": codebook.comment, "toName": "event", "placeholder": codebook.comment}
    lines.append(_element("TextArea", **names, rows="3", maxSubmissions="1", editable="true"))
    return _INTERFACE.format(title=quoteattr(codebook.title), controls="\n".join(lines))


def _choice(name: str, choices: Iterable[Mapping[str, str]], **attributes: str) -> list[str]:
    """Write a control to choose from."""
    opening = _element("Choices", ">", name=name, toName="event", **attributes)
    return [opening, *("  " + _element("Choice", **c) for c in choices), "      </Choices>"]


def _element(tag: str, end: str = "/>", **attributes: str) -> str:
    text = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"      <{tag}{text}{end}"


def label_studio_tasks(events: Iterable[Event], articles: Iterable[Article] = ()) -> list[Any]:
    """Make a task for each event, with its article."""
    by_id = {article.id: article for article in articles}
    return [{"data": _data(event.id, event, by_id)} for event in events]


def judged_tasks(
    judgements: Iterable[Judgement], codebook: Codebook, articles: Iterable[Article] = ()
) -> list[Any]:
    """Make a task for each event of a system and round, its judgements as annotations.

    Judgements of models become predictions, as Label Studio calls them.
    """
    by_id = {article.id: article for article in articles}
    tasks: dict[tuple[str, str, str], dict[str, Any]] = {}
    for judgement in sorted(judgements, key=lambda judgement: judgement.key):
        key = (judgement.system, judgement.event, judgement.round)
        task = tasks.setdefault(key, {"data": {}, "annotations": [], "predictions": []})
        data = _data(judgement.event, judgement, by_id)
        data |= {name: text for name in ("system", "round") if (text := getattr(judgement, name))}
        for name, value in data.items():
            task["data"][name] = task["data"].get(name) or value
        result = [
            _control(criterion.field, "choices", {"choices": [str(value)]})
            for criterion, value in zip(codebook.criteria, judgement.values, strict=True)
        ]
        if judgement.comment:
            result.append(_control(codebook.comment, "textarea", {"text": [judgement.comment]}))
        if judgement.kind == "llm":
            task["predictions"].append({"model_version": judgement.evaluator, "result": result})
        else:
            author = {"email": judgement.evaluator}
            task["annotations"].append({"completed_by": author, "result": result})
    return list(tasks.values())


def _data(event_id: str, event: Event | Judgement, articles: dict[str, Article]) -> dict[str, str]:
    article = articles.get(event.article, Article(id=event.article))
    return {
        "event_id": event_id,
        "article_id": article.id,
        "event_date": event.date or "",
        "event_type": event.type,
        "event_text": event.text,
        "published": article.published,
        "article_title": article.title,
        "article_text": article.text,
    }


def _control(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "event", "type": kind, "value": value}


def write_label_studio(
    folder: Path, events: Iterable[Event], codebook: Codebook, articles: Iterable[Article] = ()
) -> list[Path]:
    """Write a project of events to be judged: `config.xml` and `tasks.json`."""
    return _write_project(folder, codebook, label_studio_tasks(events, articles))


def write_judged_project(
    folder: Path,
    judgements: Iterable[Judgement],
    codebook: Codebook,
    articles: Iterable[Article] = (),
) -> list[Path]:
    """Write a project that holds judgements: `config.xml` and `tasks.json`."""
    return _write_project(folder, codebook, judged_tasks(judgements, codebook, articles))


def _write_project(folder: Path, codebook: Codebook, tasks: list[Any]) -> list[Path]:
    """Write `config.xml` for the labelling interface, and `tasks.json` to import."""
    text = json.dumps(tasks, ensure_ascii=False, indent=1)
    return [
        write_file(folder / "config.xml", label_studio_config(codebook)),
        write_file(folder / "tasks.json", f"{text}\n"),
    ]


def is_task(item: Mapping[str, Any]) -> bool:
    """Whether this is a task of the export JSON."""
    return "annotations" in item or isinstance(item.get("data"), Mapping)


def is_flat(item: Mapping[str, Any]) -> bool:
    """Whether this is an annotation of the export JSON_MIN."""
    return "annotation_id" in item or "annotator" in item


def label_studio_rows(
    item: Mapping[str, Any], reader: RowReader, at: JudgementRow
) -> Iterator[JudgementRow]:
    """Yield a row for each annotation that was not cancelled; the reader counts the rest."""
    if not is_task(item):
        if item.get("was_cancelled"):
            reader.left_out[_CANCELLED] += 1
            return
        controls = {name: value for name, value in item.items() if name not in _FLAT_FIELDS}
        yield _annotation(item, controls, item.get("annotator"), reader, at)
        return
    data, annotations = item.get("data"), item.get("annotations") or []
    if not isinstance(data, Mapping) or not isinstance(annotations, list):
        message = "a task must have an object 'data' and a list 'annotations'"
        at.report(reader.problems, message, "wrong_type")
        return
    if not annotations:
        reader.left_out["tasks have no annotation"] += 1
    for kind in ("predictions", "drafts"):
        if isinstance(item.get(kind), list) and item[kind]:
            reader.left_out[f"{kind} are not read"] += len(item[kind])
    for number, annotation in enumerate(annotations, 1):
        position = replace(at, where=f"{at.where or 'task'}, annotation {number}")
        fields = annotation if isinstance(annotation, Mapping) else {}
        result = fields.get("result")
        if fields.get("was_cancelled"):
            reader.left_out[_CANCELLED] += 1
        elif not isinstance(result, list) or not all(isinstance(r, Mapping) for r in result):
            message = "expected an object with a list 'result'"
            position.report(reader.problems, message, "wrong_type")
        else:
            named = [(part.get("from_name"), part.get("value")) for part in result]
            # Relations between regions have no name.
            controls = {name: value for name, value in named if isinstance(name, str)}
            author = fields.get("completed_by")
            yield _annotation(data, controls, author, reader, position)


def _annotation(
    data: Values, controls: Values, author: Any, reader: RowReader, at: JudgementRow
) -> JudgementRow:
    comment = reader.codebook.comment
    answers: dict[str, object] = {}
    for name, value in controls.items():
        proper = reader.proper(name)
        if proper in reader.criteria:
            answers[proper] = _criterion_value(value, proper, reader)
        elif proper == comment:
            answers[proper] = _comment_text(value)
        elif proper != CHIPS and proper not in TEXT_FIELDS:
            answers[name] = value
    text = answers.get(comment) or ""
    if isinstance(text, str):  # chips stand before the comment, unless it has them already
        chips = _choices(controls.get(CHIPS))
        if chips := [chip for chip in chips if chip.casefold() not in text.casefold()]:
            answers[comment] = "; ".join(filter(None, [*chips, text]))
    event = reader.event_fields(data)
    if isinstance(author, Mapping):
        author = author.get("email") or author.get("username") or author.get("id")
    if author is not None and not isinstance(author, bool):
        event["evaluator"] = as_text(author)
    return reader.answers(at, event, answers, "times there is '{}', which is not read")


def _choices(value: Any) -> list[str]:
    """Return all choices of a control: a text, a list of texts, or either within `choices`."""
    if isinstance(value, Mapping):
        value = value.get("choices")
    if isinstance(value, list):
        return [text for item in value for text in _choices(item)]
    return [value] if isinstance(value, str) else []


def _criterion_value(value: Any, name: str, reader: RowReader) -> object:
    """Return the value of a criterion: a rating or a number as it is, or a choice's level."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        value = value[0]  # the form of ratings in JSON_MIN
    if isinstance(value, Mapping):
        for kind in ("rating", "number"):
            if kind in value:
                return value[kind]
        value = value.get("choices", value.get("text"))
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
    return reader.level(name, value)


def _comment_text(value: Any) -> object:
    """Return the text of a comment; several submissions become its lines."""
    if isinstance(value, Mapping) and "text" in value:
        value = value["text"]
    if not isinstance(value, list):
        return value
    parts = [_comment_text(part) for part in value]
    texts = [part for part in parts if isinstance(part, str)]
    return "\n".join(texts) if len(texts) == len(parts) else parts[0]
