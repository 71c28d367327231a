"""Typed texts: one kind of line end, no NUL, and every export reads back as it was typed."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench.bench import BEST, Bench, answer, judge_all, lines, small

from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of
from chronoscore.rubric.codebook import event_quality
from chronoscore.rubric.formats import read_judgements
from chronoscore.workbench.project_files import SHEETS
from chronoscore.workbench.store import people

ODD = (
    *("one\r\ntwo", "one\rtwo", "one\r\r\ntwo", "\rone", "tab\tin it", "=1+1", "+x", "@y", "-"),
    *("'quoted'", "'=1+1", '"', 'a "b", c; d', "_x000D_ \\r \\n", "a\x1fb\x0bc\x0cd\x85e\u2028f"),
    *("emoji \N{WATER BUFFALO}", "\N{RIGHT-TO-LEFT OVERRIDE}abc", "\ufeffbom", "\x7f", "\x01"),
    *("NaN", "None", "1", "true", "2024-03-07"),
)


COMMENT = event_quality().comment


def kept(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def exported(bench: Bench, project: int, form: str, folder: Path) -> dict[str, str]:
    """The comments of an export as our own reader has them, by event."""
    path = folder / f"sheet.{form}"
    path.write_bytes(bench.owner.get(f"/projects/{project}/export/{form}").content)
    problems = Problems()
    found = read_judgements([source_of(path)], event_quality(), problems)
    assert problems.problems == []
    return {one.event: one.comment for one in found}


@pytest.mark.parametrize("by_script", [True, False])
def test_every_export_reads_back_what_was_typed(
    bench: Bench, tmp_path: Path, by_script: bool
) -> None:
    project = bench.project(small(len(ODD)))
    batch = bench.batch(project, "owner")
    for place, text in enumerate(ODD, 1):
        if by_script:
            done = bench.owner.send(f"/judge/{batch}/{place}", answer(comment=text))
            assert done.status_code == 200, text
        else:
            data = {f"value-{field}": str(value) for field, value in BEST.items()}
            data |= {"version": "0", "save": f"form-{place:04}", "comment": text}
            assert bench.owner.post(f"/judge/{batch}/{place}", data).status_code == 303, text
    assert bench.owner.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    rows = bench.store.rows(
        "SELECT e.id, t.place, j.comment FROM judgements j JOIN events e ON e.number = j.event "
        "JOIN tasks t ON t.event = j.event"
    )
    stored = {row["id"]: row["comment"] for row in rows}
    for row in rows:
        assert row["comment"] == kept(ODD[row["place"] - 1])
    for form in SHEETS:
        assert exported(bench, project, form, tmp_path) == stored, form


def test_an_export_is_imported_again_with_the_same_texts(bench: Bench, tmp_path: Path) -> None:
    project = bench.project(small(len(ODD)))
    batch = bench.batch(project, "owner")
    for place, text in enumerate(ODD, 1):
        bench.owner.send(f"/judge/{batch}/{place}", answer(comment=text))
    bench.owner.post(f"/judge/{batch}/submit", {"sure": "yes"})
    first = exported(bench, project, "jsonl", tmp_path)
    for form in SHEETS:
        other = bench.project(small(len(ODD)))
        sheet = bench.owner.get(f"/projects/{project}/export/{form}").content
        done = bench.owner.post(
            f"/projects/{other}/judgements", files=[("sheets", (f"sheet.{form}", sheet))]
        )
        assert f"{len(ODD)} judgements were imported" in done.text, form
        for again in SHEETS:
            assert exported(bench, other, again, tmp_path) == first, (form, again)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6))
@settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_comment_is_exported_as_typed_unless_it_has_nul(
    bench: Bench, tmp_path: Path, texts: list[str]
) -> None:
    project = bench.project(small(len(texts)))
    batch = bench.batch(project, "owner")
    for place, text in enumerate(texts, 1):
        data = {f"value-{field}": str(value) for field, value in BEST.items()}
        data |= {"version": "0", "save": "any-save", "comment": text}
        done = bench.owner.post(f"/judge/{batch}/{place}", data)
        assert done.status_code == (400 if "\0" in text else 303)
        if "\0" in text:
            data["comment"] = texts[place - 1] = ""
            bench.owner.post(f"/judge/{batch}/{place}", data)
    assert bench.owner.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    for form in SHEETS:
        found = exported(bench, project, form, tmp_path)
        assert sorted(found.values()) == sorted(map(kept, texts)), form


def both(bench: Bench, path: str, name: str, text: str) -> list[Any]:
    """Send a text as a field of a form, and of JSON."""
    form = bench.owner.post(path, {"version": "0", "save": "some-save", name: text})
    return [form, bench.owner.send(path, {**answer(), name: text})]


@pytest.mark.parametrize("name", ["comment", "save", "flag", "other"])
def test_nul_is_refused_in_every_field(bench: Bench, name: str) -> None:
    batch = bench.batch(bench.project(), "owner")
    for done in both(bench, f"/judge/{batch}/1", name, "nul \0 within"):
        assert done.status_code == 400
        assert "NUL" in done.text
    assert bench.count("judgements") == 0


def test_nul_is_refused_in_names_of_fields_and_files_and_in_addresses(bench: Bench) -> None:
    bench.project()
    assert bench.owner.post("/projects/1", {"na\0me": "x"}).status_code == 400
    assert bench.owner.send("/judge/1/1", {**answer(), "x\0": 1}).status_code == 400
    assert bench.owner.get("/projects/1/events?find=%00").status_code == 400
    for path, field in (
        *(("/projects/1", "name"), ("/projects/1/people", "name"), ("/projects", "name")),
        ("/projects/1/batches", "kind"),
    ):
        assert bench.owner.post(path, {field: "a\0b"}).status_code == 400, path


@pytest.mark.parametrize("name", ["Ana\rLee", "Ana\nLee", "Ana\r\nLee", "  Ana \t Lee "])
def test_line_ends_in_names_of_projects_become_spaces(bench: Bench, name: str) -> None:
    project = bench.project(name=name)
    bench.owner.post(f"/projects/{project}/people", {"name": "  Ana \t Lee "})
    assert bench.person("Ana Lee")
    row = bench.store.row("SELECT name FROM projects")
    assert row is not None
    assert row["name"] == "Ana Lee"


def test_the_note_of_an_agreement_and_the_archive_read_back(bench: Bench, tmp_path: Path) -> None:
    project = bench.project(small(2))
    ana = bench.visitor("ana", project)
    batch = bench.batch(project, "owner", "ana", overlap=2)
    for visitor, value in ((ana, 0), (bench.owner, 1)):
        for place in (1, 2):
            values = {**BEST, "Eval_DateCorrect": value}
            visitor.send(f"/judge/{batch}/{place}", answer(values, comment="a\rb"))
        assert visitor.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    for row in bench.store.rows("SELECT number FROM events"):
        data = {f"value-{field}": str(value) for field, value in BEST.items()}
        data |= {"version": "0", "save": f"note-{row['number']:04}", "note": "x\r\ny\rz"}
        path = f"/batches/{batch}/events/{row['number']}"
        assert bench.owner.post(path, data).status_code == 303
        nul = bench.owner.post(path, {**data, "note": "\0"})
        assert nul.status_code == 400
    assert bench.owner.post(f"/batches/{batch}/finish", {"sure": "yes"}).status_code == 303
    content = bench.owner.get(f"/projects/{project}/export/zip").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path)
    for name, comment in (("agreed.jsonl", "x\ny\nz"), ("judgements.jsonl", "a\nb")):
        found = read_judgements([source_of(tmp_path / name)], event_quality(), Problems())
        assert {one.comment for one in found} == {comment}


def test_imported_comments_pass_the_same_check(bench: Bench, tmp_path: Path) -> None:
    project = bench.project(small(2))
    rows = [
        {"event_id": f"e{n}", "evaluator": "ben", **BEST, COMMENT: text}
        for n, text in enumerate(("one\rtwo", "three\r\nfour"))
    ]
    path = f"/projects/{project}/judgements"
    done = bench.owner.post(path, files=[("sheets", ("s.jsonl", lines(rows)))])
    assert "2 judgements were imported" in done.text
    for form in SHEETS:
        found = exported(bench, project, form, tmp_path)
        assert found == {"e0": "one\ntwo", "e1": "three\nfour"}, form
    rows = [{**rows[0], "evaluator": "cleo", COMMENT: "nul \0"}]
    done = bench.owner.post(path, files=[("sheets", ("s.jsonl", lines(rows)))])
    assert done.status_code == 422
    assert "NUL" in done.text
    with pytest.raises(AssertionError):
        bench.person("cleo")
    assert people.owner(bench.store)


@pytest.mark.parametrize("field", ["id", "text", "type", "article"])
def test_nul_in_uploaded_events_is_refused_by_line(bench: Bench, field: str) -> None:
    event = {"id": "e0", "date": "2024-03-04", "text": "x", "type": "t"}
    files = [("events", ("s.jsonl", lines([event, {**event, "id": "e1", field: "a\0b"}])))]
    done = bench.owner.post("/projects", files=files)
    assert done.status_code == 422
    assert "s.jsonl:2: a text contains the character NUL" in done.text
    assert bench.count("projects") == 0


def test_nul_in_uploaded_articles_is_refused(bench: Bench) -> None:
    article = {"id": "a0", "published": "2024-03-07", "title": "x\0", "text": "y"}
    files = [small()[0], ("articles", ("articles.jsonl", lines([article])))]
    done = bench.owner.post("/projects", files=files)
    assert done.status_code == 422
    assert "articles.jsonl:1: a text contains the character NUL" in done.text


@pytest.mark.parametrize("name", ["a\rb", "a\r\nb", "a\nb", "a\u2028b"])
def test_an_uploaded_id_has_one_line(bench: Bench, name: str) -> None:
    for event in ({"id": name, "text": "x"}, {"id": "e0", "text": "x", "article": name}):
        done = bench.owner.post("/projects", files=[("events", ("s.jsonl", lines([event])))])
        assert done.status_code == 422
        assert "contains a line break: write it in one line" in done.text


@pytest.mark.parametrize("text", ["a\rb", "a\r\nb", "\r\r\n", "=1", "a\tb", "a\u2028b\x85c"])
def test_uploaded_texts_of_events_read_back_from_every_export(
    bench: Bench, tmp_path: Path, text: str
) -> None:
    event = {"id": "=1-x", "date": "2024-03-04", "text": text, "type": text}
    project = bench.project([("events", ("s.jsonl", lines([event])))])
    judge_all(bench.owner, bench.batch(project, "owner"))
    for form in SHEETS:
        path = tmp_path / f"sheet.{form}"
        path.write_bytes(bench.owner.get(f"/projects/{project}/export/{form}").content)
        problems = Problems()
        (one,) = read_judgements([source_of(path)], event_quality(), problems)
        assert problems.problems == []
        assert (one.event, one.text.strip(), one.type.strip()) == ("=1-x", kept(text), kept(text))


def test_a_comment_of_an_old_database_with_nul_is_exported_without_it(
    bench: Bench, tmp_path: Path
) -> None:
    project = bench.project(small(1))
    batch = bench.batch(project, "owner")
    with bench.store.writing() as connection:
        connection.execute(
            "INSERT INTO judgements (batch, person, event, version, said, complete, comment, flag, "
            "save, at) SELECT ?, 1, number, 1, '[1,1,1,3,3]', 1, ?, 0, 'old', '' FROM events",
            (batch, "old\0nul"),
        )
    assert bench.owner.post(f"/judge/{batch}/submit", {"sure": "yes"}).status_code == 303
    for form in SHEETS:
        assert exported(bench, project, form, tmp_path) == {"e0": "old\ufffdnul"}
