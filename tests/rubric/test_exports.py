"""What Label Studio and Argilla export, written by hand after their documented schemas."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.formats import (
    Article,
    read_articles,
    read_judgements,
    write_label_studio,
)
from chronoscore.rubric.formats.label_studio import CHIPS, label_studio_config, label_studio_tasks
from chronoscore.rubric.judgements import Judgement

BOOK = event_quality()
FIELDS = [criterion.field for criterion in BOOK.criteria]
BEST = (1, 1, 1, 3, 3)


def read(
    document: Any, folder: Path, name: str = "export.json"
) -> tuple[list[Judgement], Problems]:
    path = folder / name
    if name.endswith("l"):
        path.write_text("".join(json.dumps(item) + "\n" for item in document), encoding="utf-8")
    else:
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    problems = Problems()
    return [*read_judgements([source_of(path)], BOOK, problems)], problems


def told(problems: Problems) -> list[tuple[str, str]]:
    return [(problem.code, problem.field) for problem in problems.problems]


def choice(name: str, *chosen: str) -> dict[str, Any]:
    value = {"choices": list(chosen)}
    return {"id": f"x{name}", "type": "choices", "origin": "manual", "to_name": "event"} | {
        "from_name": name,
        "value": value,
    }


def annotation(values: tuple[int, ...] = BEST, **more: Any) -> dict[str, Any]:
    result = [choice(name, str(value)) for name, value in zip(FIELDS, values, strict=True)]
    return {
        "id": 1001,
        "completed_by": 10,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2024-03-09T22:16:08.728353Z",
        "updated_at": "2024-03-09T22:16:08.728378Z",
        "lead_time": 4.288,
        "result_count": 0,
        "task": 1,
        "parent_prediction": None,
    } | more


def task(*annotations: dict[str, Any], event: str = "e1", **more: Any) -> dict[str, Any]:
    data = {"event_id": event, "article_id": "a1", "event_type": "killing", "event_text": "Text."}
    return {
        "id": 7,
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "data": data | {"event_date": "2024-03-01", "system": "s", "article_text": "Long."},
        "meta": {},
        "project": 83,
    } | more


def test_a_suggestion_that_names_no_question_is_a_problem(tmp_path: Path) -> None:
    record = {"id": "e1", "suggestions": [{"value": 1, "agent": "m"}]}
    (tmp_path / "argilla.json").write_text(json.dumps([record]), encoding="utf-8")
    problems = Problems()
    read_judgements([source_of(tmp_path / "argilla.json")], BOOK, problems)
    assert "not as Argilla writes them" in str(problems.problems[0])


def test_label_studio_tasks_have_several_annotators(tmp_path: Path) -> None:
    person = {"id": 11, "email": "ben@example.org", "first_name": "Ben", "last_name": ""}
    document = [task(annotation(), annotation((0, 0, 0, 1, 1), id=2, completed_by=person))]
    judged, problems = read(document, tmp_path)
    assert not problems.problems
    assert not problems.notices
    assert judged == [
        Judgement(*("e1", "10", BEST, "", "s", "a1", "killing"), date="2024-03-01", text="Text."),
        Judgement(
            *("e1", "ben@example.org", (0, 0, 0, 1, 1), "", "s", "a1", "killing"),
            date="2024-03-01",
            text="Text.",
        ),
    ]


def test_cancelled_annotations_and_predictions_are_counted_and_left_out(tmp_path: Path) -> None:
    document = [
        task(annotation(), annotation(was_cancelled=True, completed_by=11, result=[])),
        task(event="e2", predictions=[{"model_version": "m", "result": []}]),
    ]
    judged, problems = read(document, tmp_path)
    assert len(judged) == 1
    assert not problems.problems
    assert [notice.message for notice in problems.notices] == [
        "1 annotations were cancelled and are not read",
        "1 predictions are not read",
        "1 tasks have no annotation",
    ]


def test_comments_and_chips_become_one_comment(tmp_path: Path) -> None:
    made = annotation()
    text = {"from_name": "Comment", "to_name": "event", "type": "textarea"}
    made["result"] += [
        text | {"value": {"text": ["=see line 3"]}},
        choice(CHIPS, "wrong type", "actor missing"),
    ]
    judged, _ = read([task(made)], tmp_path)
    assert judged[0].comment == "wrong type; actor missing; =see line 3"


def test_ratings_numbers_and_labels_are_values_too(tmp_path: Path) -> None:
    made = annotation()
    made["result"][0] = choice(FIELDS[0], BOOK.criteria[0].values[1].label)
    for at, kind in ((3, "rating"), (4, "number")):
        part = {"from_name": FIELDS[at], "to_name": "event", "type": kind, "value": {kind: 2}}
        made["result"][at] = part
    judged, problems = read([task(made)], tmp_path)
    assert not problems.problems
    assert judged[0].values == (1, 1, 1, 2, 2)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (choice(FIELDS[0], "2"), ("out_of_range", FIELDS[0])),
        (choice(FIELDS[0], "0.5"), ("not_an_integer", FIELDS[0])),
        (choice(FIELDS[0], "yes"), ("wrong_type", FIELDS[0])),
        (choice(FIELDS[0], "0", "1"), ("wrong_type", FIELDS[0])),
        (choice(FIELDS[0]), ("wrong_type", FIELDS[0])),
        (choice("Eval_DateCorect", "1"), ("unknown_field", "Eval_DateCorect")),
        (choice("Mood", "1"), ("missing", FIELDS[0])),
        ({"type": "relation", "from_id": "a", "to_id": "b"}, ("missing", FIELDS[0])),
    ],
)
def test_what_is_wrong_in_an_annotation_is_told(
    part: dict[str, Any], expected: tuple[str, str], tmp_path: Path
) -> None:
    made = annotation()
    made["result"][0] = part
    judged, problems = read([task(annotation(completed_by=1), made)], tmp_path)
    assert told(problems) == [expected]
    assert problems.problems[0].message.startswith("record 1, annotation 2: ")
    assert len(judged) == 1


@pytest.mark.parametrize(
    ("document", "count"),
    [
        ([task({"id": 1})], 1),
        ([task() | {"annotations": {}}], 0),
        ([task() | {"annotations": "x"}], 1),
        ([{"annotations": [annotation()], "data": None}], 1),
        ([task(annotation(result=["x"]))], 1),
        ([task(annotation(completed_by=None))], 1),
        ([{"data": {}, "annotations": [annotation()]}], 1),
        ([task(annotation(), annotation())], 1),
        ([5], 1),
        ([], 1),
    ],
)
def test_broken_exports_end_in_problems(document: Any, count: int, tmp_path: Path) -> None:
    _, problems = read(document, tmp_path)
    assert len(problems.problems) == count


def flat(**more: Any) -> dict[str, Any]:
    return {
        "id": 7,
        "event_id": "e1",
        "article_text": "Long.",
        **{name: str(value) for name, value in zip(FIELDS, BEST, strict=True)},
        "annotator": 10,
        "annotation_id": 1001,
        "created_at": "2024-03-09T22:16:08.728353Z",
        "updated_at": "2024-03-09T22:16:08.728378Z",
        "lead_time": 4.288,
    } | more


def test_json_min_is_read(tmp_path: Path) -> None:
    document = [
        flat(),
        flat(
            annotator="ben@example.org",
            Eval_Relevance=[{"rating": 2}],
            Comment="fine",
            CommentChips={"choices": ["wrong type", "actor missing"]},
        ),
        flat(annotator=12, Comment=["one", "two"], CommentChips="wrong type"),
        flat(annotator=13, was_cancelled=True),
    ]
    judged, problems = read(document, tmp_path)
    assert not problems.problems
    assert [(one.evaluator, one.values[-1], one.comment) for one in judged] == [
        ("10", 3, ""),
        ("12", 3, "wrong type; one\ntwo"),
        ("ben@example.org", 2, "wrong type; actor missing; fine"),
    ]
    assert [n.message for n in problems.notices] == [
        "1 annotations were cancelled and are not read"
    ]


def test_json_min_tells_what_is_missing_and_what_is_extra(tmp_path: Path) -> None:
    less = flat(topic="suez")
    del less["Eval_Relevance"]
    judged, problems = read([less, flat(Eval_DateCorrect=True, annotator=2)], tmp_path)
    assert not judged
    assert told(problems) == [("missing", "Eval_Relevance"), ("wrong_type", "Eval_DateCorrect")]
    assert [n.message for n in problems.notices] == ["1 times there is 'topic', which is not read"]


def nested(**more: Any) -> dict[str, Any]:
    """A record as `Record.to_dict` of Argilla 2 gives it."""
    return {
        "id": "e1",
        "status": "completed",
        "fields": {"event_text": "Text."},
        "metadata": {"system": "s", "article_id": "a1"},
        "suggestions": {
            name: {"value": value, "score": None, "agent": "judge-1"}
            for name, value in zip(FIELDS, (0, 0, 0, 1, 1), strict=True)
        },
        "responses": {
            name: [{"value": value, "user_id": "u1"}, {"value": value, "user_id": "u2"}]
            for name, value in zip(FIELDS, BEST, strict=True)
        },
        "vectors": {},
        "_server_id": "0b73",
    } | more


def rows(judged: list[Judgement]) -> list[tuple[str, str, str, tuple[int, ...]]]:
    return [(one.event, one.evaluator, one.kind, one.values) for one in judged]


EXPECTED = [
    ("e1", "judge-1", "llm", (0, 0, 0, 1, 1)),
    ("e1", "u1", "person", BEST),
    ("e1", "u2", "person", BEST),
]


@pytest.mark.parametrize("name", ["records.json", "records.jsonl"])
def test_responses_are_people_and_suggestions_are_judges(name: str, tmp_path: Path) -> None:
    judged, problems = read([nested()], tmp_path, name)
    assert not problems.problems
    assert rows(judged) == EXPECTED
    assert {(one.system, one.article, one.text) for one in judged} == {("s", "a1", "Text.")}


def test_records_of_the_server_are_read(tmp_path: Path) -> None:
    record = nested(
        id="0b73",
        external_id="e1",
        responses=[
            {"id": "r", "user_id": who, "status": status, "record_id": "0b73"}
            | {"values": {n: {"value": v} for n, v in zip(FIELDS, BEST, strict=True)}}
            for who, status in (("u1", "submitted"), ("u2", "submitted"), ("u3", "discarded"))
        ],
        suggestions=[
            {"question_name": name, "value": value, "agent": "judge-1", "type": "model"}
            for name, value in zip(FIELDS, (0, 0, 0, 1, 1), strict=True)
        ],
    )
    judged, problems = read([record], tmp_path)
    assert rows(judged) == EXPECTED
    assert [n.message for n in problems.notices] == ["5 answers are discarded and are not read"]


def test_flat_records_are_read(tmp_path: Path) -> None:
    record: dict[str, Any] = {"id": "e1", "event_text": "Text.", "topic": None}
    for name, good, bad in zip(FIELDS, BEST, (0, 0, 0, 1, 1), strict=True):
        record |= {
            f"{name}.responses": [good, good, good],
            f"{name}.responses.users": ["u1", "u2", "u3"],
            f"{name}.responses.status": ["submitted", None, "draft"],
            f"{name}.suggestion": bad,
            f"{name}.suggestion.agent": "judge-1",
            f"{name}.suggestion.score": 0.5,
        }
    record["Comment.responses"] = None
    judged, problems = read([record], tmp_path)
    assert rows(judged) == EXPECTED
    assert [n.message for n in problems.notices] == ["5 answers are draft and are not read"]


def test_labels_of_argilla_are_text(tmp_path: Path) -> None:
    record = nested(suggestions={})
    record["responses"]["Eval_DateCorrect"] = [
        {"value": "1", "user_id": "u1"},
        {"value": BOOK.criteria[0].values[0].label, "user_id": "u2"},
    ]
    judged, _ = read([record], tmp_path)
    assert [one.values[0] for one in judged] == [1, 0]


def test_missing_and_extra_answers_are_told(tmp_path: Path) -> None:
    record = nested()
    del record["suggestions"]["Eval_Relevance"]
    record["responses"]["mood"] = [{"value": "good", "user_id": "u1"}]
    record["responses"]["Eval_EventTipe"] = [{"value": 1, "user_id": "u2"}]
    _, problems = read([record], tmp_path)
    assert told(problems) == [
        ("unknown_field", "Eval_EventTipe"),
        ("missing", "Eval_Relevance"),
    ]
    assert "suggestions of judge-1" in problems.problems[1].message
    assert [n.message for n in problems.notices] == ["1 answers to 'mood' are not read"]


@pytest.mark.parametrize(
    "more",
    [
        {"responses": "x"},
        {"responses": {"Eval_Relevance": 5}},
        {"responses": {"Eval_Relevance": ["x"]}},
        {"suggestions": {"Eval_Relevance": 3}},
        {"suggestions": [1]},
        {"responses": [{"values": [1]}]},
        {"id": None},
    ],
)
def test_broken_records_end_in_problems(more: dict[str, Any], tmp_path: Path) -> None:
    _, problems = read([nested(**more)], tmp_path)
    assert problems.problems


def test_suggestions_without_an_agent_have_a_name(tmp_path: Path) -> None:
    record = nested(responses={})
    for one in record["suggestions"].values():
        one["agent"] = None
    judged, _ = read([record], tmp_path)
    assert [(one.evaluator, one.kind) for one in judged] == [("suggestion", "llm")]


EVENTS = [
    Event(id="e1", article="a1", date="2024-03-01", text="A <b> & 'c'.", type="killing"),
    Event(id="e2"),
]
ARTICLES = [Article(id="a1", published="2024-03-02", title="T", text="Long.")]


def test_the_project_has_a_control_for_each_criterion() -> None:
    tree = ET.fromstring(label_studio_config(BOOK))
    controls = {node.get("name"): node for node in tree.iter("Choices")}
    assert list(controls) == [*FIELDS, CHIPS]
    for criterion in BOOK.criteria:
        node = controls[criterion.field]
        assert node.get("required") == "true"
        assert [c.get("alias") for c in node] == [str(value) for value in criterion.allowed]
    assert [c.get("hotkey") for c in controls[CHIPS]] == [chip.key for chip in BOOK.chips]
    shown = [node.get("value") or "" for node in tree.iter("Header")]
    for criterion in BOOK.criteria:
        for note in criterion.guidance:
            assert any(note.text in text for text in shown)
    assert [node.get("name") for node in tree.iter("TextArea")] == ["Comment"]
    named = {node.get("name") for node in tree.iter("Text")}
    assert all(node.get("toName") in named for node in [*controls.values()])


def test_every_variable_of_the_project_is_in_its_tasks(tmp_path: Path) -> None:
    config, tasks = write_label_studio(tmp_path / "project", EVENTS, BOOK, ARTICLES)
    made = json.loads(tasks.read_text(encoding="utf-8"))
    assert made == label_studio_tasks(EVENTS, ARTICLES)
    values = [node.get("value") or "" for node in ET.parse(config).iter()]
    wanted = {value[1:] for value in values if value.startswith("$")}
    assert all(wanted <= one["data"].keys() for one in made)
    assert made[0]["data"]["published"] == "2024-03-02"


def test_a_project_comes_back_as_judgements(tmp_path: Path) -> None:
    tasks = label_studio_tasks(EVENTS, ARTICLES)
    document = [one | {"id": n, "annotations": [annotation()]} for n, one in enumerate(tasks)]
    judged, problems = read(document, tmp_path)
    assert not problems.problems
    assert not problems.notices
    assert [(one.event, one.date, one.text) for one in judged] == [
        ("e1", "2024-03-01", "A <b> & 'c'."),
        ("e2", "", ""),
    ]


def test_articles_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "articles.jsonl"
    lines = ['{"id": "a", "published": "2024-02-30"}', '{"id": "a"}', '{"id": ""}']
    lines += ['{"id": "b", "language": "pt-BR"}', '{"id": "c", "language": "German"}']
    path.write_text("\n".join(lines) + "\n")
    problems = Problems()
    read_articles(source_of(path), problems)
    assert [problem.line for problem in problems.problems] == [1, 2, 3, 5]
