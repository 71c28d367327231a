"""Judgements as a Label Studio project: its interface, and tasks that hold what was said."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from chronoscore.core.writing import write_file
from chronoscore.rubric.codebook import Codebook
from chronoscore.rubric.formats.articles import Article
from chronoscore.rubric.formats.label_studio import label_studio_config
from chronoscore.rubric.judgement import Judgement


def judged_tasks(
    judgements: Iterable[Judgement], codebook: Codebook, articles: Iterable[Article] = ()
) -> list[dict[str, Any]]:
    """Make a task for each event of a system and round, its judgements as annotations.

    Judgements of models are predictions, as Label Studio has them.
    """
    known = {article.id: article for article in articles}
    tasks: dict[tuple[str, str, str], dict[str, Any]] = {}
    for judgement in sorted(judgements, key=lambda judgement: judgement.key):
        key = (judgement.system, judgement.event, judgement.round)
        if key not in tasks:
            tasks[key] = {"data": {}, "annotations": [], "predictions": []}
        task = tasks[key]
        for name, value in _data(judgement, known).items():
            task["data"][name] = task["data"].get(name) or value
        result = _result(judgement, codebook)
        if judgement.kind == "llm":
            task["predictions"].append({"model_version": judgement.evaluator, "result": result})
        else:
            who = {"email": judgement.evaluator}
            task["annotations"].append({"completed_by": who, "result": result})
    return list(tasks.values())


def write_judged_project(
    folder: Path,
    judgements: Sequence[Judgement],
    codebook: Codebook,
    articles: Iterable[Article] = (),
) -> list[Path]:
    """Write `config.xml` for the labelling interface, and `tasks.json` to import."""
    config, tasks = folder / "config.xml", folder / "tasks.json"
    write_file(config, label_studio_config(codebook))
    made = judged_tasks(judgements, codebook, articles)
    text = json.dumps(made, ensure_ascii=False, indent=1)
    write_file(tasks, f"{text}\n")
    return [config, tasks]


def _data(judgement: Judgement, known: dict[str, Article]) -> dict[str, str]:
    article = known.get(judgement.article, Article(id=judgement.article))
    data = {
        "event_id": judgement.event,
        "article_id": judgement.article,
        "event_date": judgement.date,
        "event_type": judgement.type,
        "event_text": judgement.text,
        "published": article.published,
        "article_title": article.title,
        "article_text": article.text,
    }
    rest = {"system": judgement.system, "round": judgement.round}
    return data | {name: value for name, value in rest.items() if value}


def _result(judgement: Judgement, codebook: Codebook) -> list[dict[str, Any]]:
    found = [
        _control(criterion.field, "choices", {"choices": [str(value)]})
        for criterion, value in zip(codebook.criteria, judgement.values, strict=True)
    ]
    if judgement.comment:
        found.append(_control(codebook.comment, "textarea", {"text": [judgement.comment]}))
    return found


def _control(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "event", "type": kind, "value": value}
