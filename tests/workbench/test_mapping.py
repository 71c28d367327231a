"""Sheets of events: their columns are shown before anything is stored, and then they are gone."""

import io
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench.bench import Bench, Files, lines, small

from chronoscore.workbench.project_files import read_uploads
from chronoscore.workbench.routes import importing
from chronoscore.workbench.store import projects, uploads
from chronoscore.workbench.store.database import now

openpyxl = pytest.importorskip("openpyxl")


def sheet(rows: int = 300) -> bytes:
    """A sheet as a spreadsheet of a German office writes it: semicolons and a byte order mark."""
    body = "".join(
        f"e{n};{n % 28 + 1} March 2024;Bridge {n} falls;collapse;a{n % 30}\r\n" for n in range(rows)
    )
    return f"\ufeffEvent ID;When;Headline;Category;Doc\r\n{body}".encode()


def upload(bench: Bench, files: Files, name: str = "News") -> str:
    """Upload sheets; returns the path of the page that shows their columns."""
    answer = bench.owner.post("/projects", {"name": name}, files=files)
    assert answer.status_code == 303, answer.text
    assert bench.count("projects") == 0
    path = str(answer.headers["location"])
    assert path.startswith("/imports/")
    return path


def form_of(page: str) -> dict[str, str]:
    """The selects of a page with what is chosen."""
    chosen = {}
    for name, options in re.findall(r'<select name="([\w-]+)">(.*?)</select>', page, re.DOTALL):
        selected = re.search(r'value="(\w*)" selected', options)
        chosen[name] = selected[1] if selected else ""
    return chosen


def test_300_rows_with_semicolons_and_a_mark_are_imported_by_the_guess(bench: Bench) -> None:
    path = upload(bench, [("events", ("alpha.csv", sheet()))])
    page = bench.owner.get(path).text
    assert "300 events of 1 system (alpha: 300), 0 articles" in page
    assert "2024-03-01" in page
    assert "Correct these" not in page
    done = bench.owner.post(path, {**form_of(page), "then": "import"})
    assert done.status_code == 303
    (event, *_) = projects.events(bench.store, 1)
    assert event.system == "alpha"
    assert (event.event.id, event.event.date, event.event.text) == (
        *("e0", "2024-03-01", "Bridge 0 falls"),
    )
    assert (event.event.type, event.event.article) == ("collapse", "a0")
    assert projects.counts(bench.store, 1)["events"] == 300
    project = projects.find(bench.store, 1)
    assert project is not None
    assert project.name == "News"
    assert bench.count("uploads") == 0
    assert bench.owner.get(path).status_code == 404


def test_other_columns_are_looked_at_again_before_anything_is_stored(bench: Bench) -> None:
    content = b"a,b,c\nx1,A bridge fell,2024-03-04\nx2,It rained,no day\n"
    path = upload(bench, [("events", ("alpha.csv", content))])
    page = bench.owner.get(path).text
    assert "choose the column of the text; there are: a, b, c" in page
    assert bench.owner.post(path, {**form_of(page), "then": "import"}).status_code == 422
    changed = {"kind-0": "events", "column-0-id": "0", "column-0-text": "1", "column-0-date": "2"}
    page = bench.owner.post(path, {**changed, "then": "look"}).text
    assert form_of(page)["column-0-text"] == "1"
    assert "A bridge fell" in page
    assert "alpha.csv:3: &#39;no day&#39; is not a date" in page
    assert bench.owner.post(path, {**changed, "then": "import"}).status_code == 422
    assert bench.count("projects") == 0
    changed["column-0-date"] = ""
    assert bench.owner.post(path, {**changed, "then": "import"}).status_code == 303
    assert [one.event.text for one in projects.events(bench.store, 1)] == [
        *("A bridge fell", "It rained")
    ]


def workbook(**sheets: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        made = book.create_sheet(title)
        for row in rows:
            made.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_a_workbook_has_events_articles_and_notes(bench: Bench) -> None:
    content = workbook(
        Events=[["id", "date", "text", "article"], [1, date(2024, 3, 4), "=A1", "a"]],
        Articles=[
            ["id", "published", "title", "text", "language"],
            ["a", date(2024, 3, 7), "Story", "A bridge fell on Monday.", "en"],
        ],
        Notes=[["remark"], ["ask Ben"]],
    )
    path = upload(bench, [("events", ("alpha.xlsx", content))])
    page = bench.owner.get(path).text
    kinds = {name: kind for name, kind in form_of(page).items() if name.startswith("kind")}
    assert kinds == {"kind-0": "events", "kind-1": "articles", "kind-2": "none"}
    assert bench.owner.post(path, {**form_of(page), "then": "import"}).status_code == 303
    (event,) = projects.events(bench.store, 1)
    assert (event.system, event.event.date, event.event.text) == ("alpha", "2024-03-04", "=A1")
    (article,) = projects.articles(bench.store, 1)
    assert (article.published, article.language) == ("2024-03-07", "en")


def test_a_sheet_that_is_called_articles_is_not_read_as_events(bench: Bench) -> None:
    content = workbook(
        Events=[["id", "text", "article"], [1, "The ship sinks.", "a"]],
        Articles=[
            ["id", "published", "headline", "body"],
            ["a", date(2024, 3, 7), "Ship", "It sank."],
        ],
    )
    page = bench.owner.get(upload(bench, [("events", ("alpha.xlsx", content))])).text
    kinds = {name: kind for name, kind in form_of(page).items() if name.startswith("kind")}
    assert kinds == {"kind-0": "events", "kind-1": "articles"}


def test_sheets_and_json_lines_are_imported_together(bench: Bench) -> None:
    files = [("events", ("beta.csv", b"id,text,article,span\ne1,x,a0,0-5\n")), *small()]
    path = upload(bench, files)
    page = bench.owner.get(path).text
    assert "5 events of 2 systems" in page
    bench.owner.post(path, {**form_of(page), "then": "import"})
    assert projects.counts(bench.store, 1) == {"events": 5, "articles": 2, "systems": 2}


def test_a_column_of_systems_makes_systems_and_clashes_are_told(bench: Bench) -> None:
    one = b"system,id,text\nred,e1,x\nblue,e1,y\n"
    path = upload(
        bench, [("events", ("a.csv", one)), ("events", ("b.csv", b"system,id,text\nred,e1,z\n"))]
    )
    page = bench.owner.get(path).text
    assert "b.csv:2: system &#39;red&#39; has event id &#39;e1&#39; in another sheet" in page
    other = upload(bench, [("events", ("a.csv", one))])
    page = bench.owner.get(other).text
    assert "2 events of 2 systems (red: 1, blue: 1)" in page


def test_a_span_beyond_its_article_is_told_of_sheets_too(bench: Bench) -> None:
    articles = ("articles", ("articles.jsonl", lines([{"id": "a", "text": "Short."}])))
    path = upload(bench, [("events", ("a.csv", b"id,text,article,span\ne,x,a,0-99\n")), articles])
    assert "a.csv:2: the span [0, 99] ends after the article" in bench.owner.get(path).text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.xlsx", b"PK nonsense", "a.xlsx: is not a workbook"),
        ("a.xls", b"old", "save it as .xlsx"),
        ("a.csv", b"", "a.csv"),
        ("a.csv", b"id,text\n", "no row below the header"),
        ("a.csv", b"id,text\n\xff\xfe,x\n", "a.csv:2"),
    ],
)
def test_a_sheet_that_can_not_be_read_is_refused_at_once(
    bench: Bench, name: str, content: bytes, told: str
) -> None:
    page = bench.owner.post("/projects", {"name": "News"}, files=[("events", (name, content))])
    assert page.status_code == 422
    assert told in page.text
    assert bench.count("uploads") == 0


def test_events_are_added_to_a_project_from_a_sheet(bench: Bench) -> None:
    project = bench.project()
    sheet_of_two = b"id,text,article\ne1,x,a0\ne9,A new one,a0\n"
    files = [("events", ("alpha.csv", sheet_of_two))]
    answer = bench.owner.post(f"/projects/{project}/events", files=files)
    path = answer.headers["location"]
    page = bench.owner.get(path).text
    assert "News: which column is what?" in page
    assert "alpha.csv:2: &#39;alpha&#39; has an event &#39;e1&#39; already" in page
    assert bench.owner.post(path, {**form_of(page), "then": "import"}).status_code == 422
    assert bench.owner.post(f"{path}/cancel").headers["location"] == f"/projects/{project}"
    files = [("events", ("alpha.csv", b"id,text,article\ne9,A new one,a0\n"))]
    path = bench.owner.post(f"/projects/{project}/events", files=files).headers["location"]
    form = {**form_of(bench.owner.get(path).text), "then": "import"}
    assert bench.owner.post(f"/projects/{project}/archive", {"sure": "yes"}).status_code == 303
    assert bench.owner.post(path, form).status_code == 423
    bench.owner.post(f"/projects/{project}/unarchive")
    assert bench.owner.post(path, form).headers["location"] == f"/projects/{project}"
    assert projects.counts(bench.store, project) == {"events": 5, "articles": 2, "systems": 1}
    assert bench.count("uploads") == 0


# What is kept meanwhile


def test_two_clicks_on_import_make_one_project(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = upload(bench, [("events", ("alpha.csv", sheet(5)))])
    form = {**form_of(bench.owner.get(path).text), "then": "import"}
    read = importing._reading
    first = []

    def overtaken(*asked: Any) -> Any:
        monkeypatch.setattr(importing, "_reading", read)
        first.append(bench.owner.post(path, form).status_code)
        return read(*asked)

    monkeypatch.setattr(importing, "_reading", overtaken)
    second = bench.owner.post(path, form)
    assert (first, second.status_code) == ([303], 404)
    assert "it was imported" in second.text
    assert bench.count("projects") == 1


@pytest.mark.parametrize("number", [30, 31])
def test_no_more_sheets_are_taken_than_a_form_can_say_how_to_read(
    bench: Bench, number: int
) -> None:
    files: Files = [("events", (f"s{n}.csv", b"text\nIt rained\n")) for n in range(number)]
    answer = bench.owner.post("/projects", {"name": "News"}, files=files)
    if number > 30:
        assert answer.status_code == 422
        assert "31 sheets in all files, at most 30 are read at once" in answer.text
        assert bench.count("uploads") == 0
        return
    path = answer.headers["location"]
    form = form_of(bench.owner.get(path).text)
    form |= {name: "none" for name in form if name.startswith("kind-")}
    form |= {"kind-29": "events", "column-29-text": "0"}
    assert bench.owner.post(path, {**form, "then": "import"}).status_code == 303
    assert projects.systems(bench.store, 1) == ["s29"]


def test_a_sheet_with_very_many_columns_is_refused(bench: Bench) -> None:
    header = ",".join(["text", *(f"c{n}" for n in range(300))])
    wide = f"{header}\n{','.join('x' * 301)}\n".encode()
    answer = bench.owner.post("/projects", {"name": "News"}, files=[("events", ("w.csv", wide))])
    assert answer.status_code == 422
    assert "the header has 301 columns, at most 256 are read" in answer.text


def test_a_cancelled_upload_is_deleted(bench: Bench) -> None:
    path = upload(bench, [("events", ("alpha.csv", sheet(3)))])
    assert bench.count("uploads") == 2
    assert bench.owner.post(f"{path}/cancel").headers["location"] == "/"
    assert bench.count("uploads") == bench.count("projects") == 0
    for method in (bench.owner.get, bench.owner.post):
        assert method(path).status_code == 404


def test_an_upload_older_than_a_day_is_gone(bench: Bench) -> None:
    path = upload(bench, [("events", ("alpha.csv", sheet(3)))])
    bench.store.execute("UPDATE uploads SET made = :made", made=now(-1.01))
    assert bench.owner.get(path).status_code == 404
    assert bench.count("uploads") == 2
    fresh = upload(bench, [("events", ("beta.csv", sheet(3)))])
    assert bench.count("uploads") == 2, "the next upload deletes it"
    assert bench.owner.get(fresh).status_code == 200
    bench.project()
    bench.store.execute("UPDATE uploads SET made = :made", made=now(-1.01))
    bench.owner.get("/")
    assert bench.count("uploads") == 0, "and so does the first page"
    actions = [row["action"] for row in bench.store.rows("SELECT action FROM audit ORDER BY id")]
    assert actions.count("upload kept") == actions.count("upload deleted") == 2


def test_a_damaged_upload_is_not_imported(bench: Bench) -> None:
    path = upload(bench, [("events", ("alpha.csv", sheet(3)))])
    bench.store.execute("UPDATE uploads SET content = :c WHERE field = 'events'", c=b"id,text\n")
    page = bench.owner.get(path)
    assert page.status_code == 422
    assert "alpha.csv: is not what was uploaded: upload it again" in page.text


def test_an_evaluator_can_neither_see_nor_import_an_upload(bench: Bench) -> None:
    ana = bench.visitor("ana", bench.project())
    name = uploads.keep(bench.store, bench.boss, "x", [("events", "a.csv", sheet(3))])
    assert ana.get(f"/imports/{name}").status_code == 403
    for path in (f"/imports/{name}", f"/imports/{name}/cancel"):
        assert ana.post(path, {"then": "import"}).status_code == 403
    assert bench.count("uploads") == 2


FORMS = st.dictionaries(
    st.sampled_from(
        ["kind-0", "kind-1", "order-0", *(f"column-0-{f}" for f in ("text", "id", "date", "span"))]
    ),
    st.sampled_from(["events", "articles", "none", "", "0", "1", "2", "999", "dmy", "²", "-1"]),
)


@given(st.binary(max_size=120) | st.sampled_from([sheet(3), b"a,b\n1,2\n"]), FORMS)
@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_no_sheet_and_no_form_is_answered_by_an_error_of_ours(
    bench: Bench, content: bytes, form: dict[str, Any]
) -> None:
    name = uploads.keep(bench.store, bench.boss, "", [("events", "a.csv", content)])
    assert bench.owner.get(f"/imports/{name}").status_code == 200
    for then in ("look", "import"):
        done = bench.owner.post(f"/imports/{name}", {**form, "then": then})
        assert done.status_code in (200, 303, 404, 422), done.text
    reading = read_uploads([("events", "a.csv", content)])
    assert reading.problems.problems or any(reading.files.systems.values())
