"""Saved results in the workbench: kept once, shown as the command line shows them, never lost."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from reports.made import FAMILIES, demo
from workbench.bench import ADDRESS, Bench, Visitor
from workbench.results_made import document, files_of, write

from chronoscore.core.evidence import Row
from chronoscore.core.evidence_table import EvidenceTable
from chronoscore.core.result import decode
from chronoscore.engines.contrasting import Question, contrast
from chronoscore.errors import DataError
from chronoscore.families import family
from chronoscore.reports.html.cases import board_scripts
from chronoscore.reports.html.page import policy
from chronoscore.reports.html.report import Pages
from chronoscore.workbench.result_files import ResultsFolder
from chronoscore.workbench.routes import make_app
from chronoscore.workbench.routing import Workbench
from chronoscore.workbench.security import PublicAddress, RateLimit
from chronoscore.workbench.store import people
from chronoscore.workbench.store import results as store_results
from chronoscore.workbench.store.database import audit_entries


def upload(bench: Bench, files: Any) -> Any:
    bench.owner.get("/results")
    return bench.owner.post("/results", files=list(files))


def kept(bench: Bench, files: Any) -> str:
    """Upload a result; its id."""
    before = {one.id for one in store_results.stored(bench.store)}
    answer = upload(bench, files)
    assert answer.status_code == 303, answer.text
    (found,) = {one.id for one in store_results.stored(bench.store)} - before
    return found


def changed(name: str, value: object, text: bytes | None = None) -> bytes:
    """A document with something else in one place, given as a path of keys."""
    made = json.loads(text or document())
    place = made
    *way, last = [int(part) if part.isdecimal() else part for part in name.split(".")]
    for part in way:
        place = place[part]
    place[last] = value
    return signed(made)


def signed(made: dict[str, Any]) -> bytes:
    """A document that was edited by hand: without a checksum, and signed for the cases it has."""
    made.pop("checksum", None)
    for system in made["systems"]:
        with suppress(msgspec.ValidationError, DataError):
            rows = EvidenceTable.of(msgspec.convert(system["rows"], list[Row]))
            for side, digest in zip(("gold", "predicted"), rows.data_digests(), strict=True):
                system["signature"] = re.sub(
                    rf"\|{side}=\w+", f"|{side}={digest}", system["signature"]
                )
    return json.dumps(made).encode()


# A run's page


def board_of(page: str) -> dict[str, Any]:
    """The data that the board of a page is drawn from."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert data
    board: dict[str, Any] = json.loads(data[1])["cases"]
    return board


@pytest.mark.parametrize("name", FAMILIES)
def test_a_run_is_shown_as_its_report_under_the_reports_own_policy(bench: Bench, name: str) -> None:
    run = kept(bench, files_of(name))
    answer = bench.owner.get(f"/results/{run}")
    scripts = board_scripts([Pages.of(family(name)).view])
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith(policy(scripts))
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert 'id="scores"' in answer.text
    for system in demo(name).result.systems:
        assert system.name in answer.text


@pytest.mark.parametrize("name", FAMILIES)
def test_every_case_has_a_page_of_its_own(bench: Bench, name: str) -> None:
    run = kept(bench, files_of(name))
    cases = [row.case for row in demo(name).result.systems[0].rows]
    for place in {0, len(cases) - 1}:
        answer = bench.owner.get(f"/results/{run}/cases/{place}")
        assert answer.status_code == 200
        assert f"<h1>{cases[place]}</h1>" in answer.text
        assert board_of(answer.text)["cases"] == [cases[place]]
        assert ("Previous case" in answer.text) == (place > 0)
        assert "Next case" in answer.text or place > 0
    assert bench.owner.get(f"/results/{run}/cases/{10**6}").status_code == 404
    assert bench.owner.get(f"/results/{run}/cases/-1").status_code == 404
    assert bench.owner.get(f"/results/{run}/cases/0?system=99").status_code == 404


def test_the_chosen_system_stands_first_on_a_cases_page(bench: Bench) -> None:
    run = kept(bench, files_of())
    names = [system.name for system in demo().result.systems]
    for place, name in enumerate(names):
        page = bench.owner.get(f"/results/{run}/cases/0?system={place}").text
        assert board_of(page)["systems"][board_of(page)["first"]] == name


def test_files_come_back_as_they_were_saved(bench: Bench) -> None:
    run = kept(bench, files_of())
    for (_, (name, content)), kind in zip(
        sorted(files_of()), ("result", "matches", "texts"), strict=True
    ):
        answer = bench.owner.get(f"/results/{run}/files/{kind}")
        assert answer.content == content
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert bench.owner.get(f"/results/{run}/files/rows").status_code == 404


# Permanent links


def test_the_same_result_is_kept_once_under_any_name(bench: Bench) -> None:
    run = kept(bench, files_of())
    pretty = json.dumps(json.loads(document()), indent=7).encode()
    assert upload(bench, [("results", ("other.json", pretty))]).status_code == 303
    assert [one.id for one in store_results.stored(bench.store)] == [run]


def test_an_archive_can_be_chosen_in_the_browser(bench: Bench) -> None:
    (accepted,) = re.findall('name="results".* accept="(.*?)"', bench.owner.get("/results").text)
    assert {".json", ".jsonl", ".chronoscore"} == {*accepted.split(",")}


def test_what_explains_a_result_may_come_later(bench: Bench) -> None:
    run = kept(bench, [("results", ("run.json", document()))])
    assert "no matches to explain" in bench.owner.get(f"/results/{run}").text
    assert upload(bench, files_of()).status_code == 303
    assert "no matches to explain" not in bench.owner.get(f"/results/{run}").text
    assert [one.kinds for one in store_results.stored(bench.store)] == [
        ("matches", "result", "texts")
    ]


def test_a_link_outlives_a_new_name_and_a_deletion(bench: Bench) -> None:
    run = kept(bench, files_of())
    bench.owner.post(f"/results/{run}", {"name": "Better name"})
    assert "Better name" in bench.owner.get(f"/results/{run}").text
    bench.owner.post(f"/results/{run}/delete", {"sure": "yes"})
    answer = bench.owner.get(f"/results/{run}")
    assert answer.status_code == 200
    assert "(deleted)" in answer.text


# Rename, delete, undo


def state(bench: Bench, run: str) -> tuple[str, bool]:
    found = store_results.find(bench.store, run)
    assert found
    return found.name, found.gone


def undo(bench: Bench, run: str) -> Any:
    page = bench.owner.get(f"/results?changed={run}").text
    found = re.search(rf'action="/results/{run}/undo".*?name="state" value="(\d+)"', page, re.S)
    assert found
    return bench.owner.post(f"/results/{run}/undo", {"state": found[1]})


def test_renaming_and_deleting_are_undone_and_done_again(bench: Bench) -> None:
    run = kept(bench, files_of())
    answer = bench.owner.post(f"/results/{run}", {"name": "  Second \n try "})
    assert answer.headers["location"] == f"/results?changed={run}"
    assert state(bench, run) == ("Second try", False)
    undo(bench, run)
    assert state(bench, run) == ("run", False)
    undo(bench, run)
    assert state(bench, run) == ("Second try", False)
    bench.owner.post(f"/results/{run}/delete", {"sure": "yes"})
    assert state(bench, run) == ("Second try", True)
    assert run not in [one.id for one in store_results.stored(bench.store)]
    undo(bench, run)
    assert state(bench, run) == ("Second try", False)
    actions = [entry.action for entry in audit_entries(bench.store, None)]
    assert actions == [
        *("result undone", "result deleted", "result undone", "result undone"),
        *("result renamed", "result added"),
    ]


def test_only_the_last_change_can_be_undone(bench: Bench) -> None:
    run = kept(bench, files_of())
    for name in ("one", "two"):
        bench.owner.post(f"/results/{run}", {"name": name})
    found = store_results.find(bench.store, run)
    assert found
    assert bench.owner.post(f"/results/{run}/undo", {"state": found.state - 1}).status_code == 409
    assert bench.owner.post(f"/results/{run}/undo", {"state": 0}).status_code == 409
    assert bench.owner.post(f"/results/{run}/undo", {"state": "x"}).status_code == 422
    assert state(bench, run) == ("two", False)


def test_what_was_added_can_be_deleted_but_not_undone(bench: Bench) -> None:
    run = kept(bench, files_of())
    found = store_results.find(bench.store, run)
    assert found
    assert bench.owner.post(f"/results/{run}/undo", {"state": found.state}).status_code == 409


def test_a_deleted_result_comes_back_by_an_upload(bench: Bench) -> None:
    run = kept(bench, files_of())
    bench.owner.post(f"/results/{run}/delete", {"sure": "yes"})
    upload(bench, files_of())
    assert state(bench, run) == ("run", False)


@pytest.mark.parametrize("name", ["", " ", "x" * 121, "a\x01b", "a\u202eb"])
def test_a_name_that_cannot_be_seen_is_refused(bench: Bench, name: str) -> None:
    run = kept(bench, files_of())
    answer = bench.owner.post(f"/results/{run}", {"name": name})
    assert answer.status_code == 422
    assert "1 to 120 characters" in answer.text
    assert state(bench, run) == ("run", False)


# What is refused


@pytest.mark.parametrize("kind", ["installed", "file"])
def test_no_function_that_an_upload_names_is_imported_or_called(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The metric's name is text here, and the workbench has no way to allow more."""
    marker = tmp_path / "ran"
    module = tmp_path / "named_by_data.py"
    module.write_text(
        f"open({str(marker)!r}, 'w').close()\ndef week(distance):\n    return distance\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    function = "named_by_data:week" if kind == "installed" else f"{module}:week"
    named = document().replace(b"align+m:1(rouge=2)", f"align(kernel={function})".encode())
    runs = []
    for number in range(2):
        again = signed(json.loads(named.replace(b'"AR-1"', f'"AR-1 {number}"'.encode())))
        runs.append(kept(bench, [("results", (f"run{number}.json", again))]))
    paths = ["/results", "/leaderboard", f"/results/{runs[0]}/files/result"]
    paths += [f"/results/{run}" for run in runs] + [f"/results/{runs[0]}/cases/0"]
    paths += [f"/compare?one={runs[0]}.0&two={runs[1]}.1&allow_functions={function}"]
    for path in paths:
        shown = bench.owner.get(path)
        assert shown.status_code < 500, path
    assert function in bench.owner.get(f"/results/{runs[0]}").text
    assert not marker.exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "only blanks"),
        (b"\0\1\2", "binary"),
        (b"{", "JSON"),
        (b"[]", "not a Chronoscore result"),
        (b"\xff\xfe", "blank"),
        (b'{"format": "chronoscore-result"}', "version"),
        (b'{"format": "chronoscore-result", "version": 99}', "update chronoscore"),
        (changed("family", "poems"), "unknown family"),
        (changed("path", "nowhere"), "nowhere"),
        (changed("undefined", "maybe"), "maybe"),
        (changed("systems", []), "no system"),
        (changed("systems.1.name", "careful"), "two systems are named"),
        (changed("systems.0.signature", "x"), "signature"),
        (changed("systems.0.rows.0.statistics", {}), "no statistics of"),
        (changed("systems.0.rows.1.case", demo().result.systems[0].rows[0].case), "twice"),
        (changed("systems.0.summaries.0.scores", {}), "lacks"),
        (changed("systems.0.rows", "x"), "rows"),
    ],
)
def test_a_document_that_is_wrong_is_told_in_words(bench: Bench, content: bytes, told: str) -> None:
    answer = upload(bench, [("results", ("broken.json", content))])
    assert answer.status_code == 422
    problems = re.search(r'class="problems".*?</section>', answer.text, re.S)
    assert problems
    assert "broken.json" in problems[0]
    assert told in problems[0]
    assert "/tmp" not in problems[0]
    assert not store_results.stored(bench.store)


def test_sidecars_of_another_result_are_refused(bench: Bench) -> None:
    others = [file for file in files_of("ordering") if "matches" in file[1][0]]
    answer = upload(bench, [("results", ("run.json", document())), *others])
    assert answer.status_code == 422
    assert "belongs to another result" in answer.text


def test_a_sidecar_without_its_document_is_refused(bench: Bench) -> None:
    answer = upload(bench, [file for file in files_of() if not file[1][0].endswith("run.json")])
    assert answer.status_code == 422
    assert "its document is not among the files" in answer.text


def test_with_one_wrong_file_none_is_kept(bench: Bench) -> None:
    answer = upload(bench, [*files_of(), ("results", ("x.json", b"{}"))])
    assert answer.status_code == 422
    assert not store_results.stored(bench.store)


def test_no_file_name_leads_anywhere(bench: Bench, tmp_path: Path) -> None:
    for name in ("../../evil.json", "/etc/evil.json", "..\\evil.json", "C:\\evil.json", "..json"):
        upload(bench, [("results", (name, document()))])
    assert not list(tmp_path.rglob("*evil*"))
    assert [one.name for one in store_results.stored(bench.store)] == ["evil"]


def test_results_are_for_the_owner_alone(bench: Bench) -> None:
    run = kept(bench, files_of())
    ann = bench.visitor("Ann", bench.project())
    stranger = Visitor(bench.app)
    for path in (
        "/results",
        f"/results/{run}",
        f"/results/{run}/cases/0",
        "/leaderboard",
        "/compare",
        f"/results/{run}/files/result",
    ):
        assert ann.get(path).status_code == 403
        assert stranger.get(path).status_code == 303
    for path in ("/results", f"/results/{run}", f"/results/{run}/delete", f"/results/{run}/undo"):
        assert ann.post(path, {"name": "mine"}).status_code == 403
        assert stranger.post(path, {"name": "mine"}).status_code == 401
    assert state(bench, run) == ("run", False)


def test_texts_of_results_are_never_markup(bench: Bench) -> None:
    evil = "<script>alert(1)</script>"
    made = changed("systems.0.name", evil)
    made = changed("systems.0.rows.0.case", evil, made)
    made = changed("notices", [evil], made)
    run = kept(bench, [("results", (f"{evil}.json", made))])
    bench.owner.post(f"/results/{run}", {"name": evil})
    pages = [
        "/results",
        f"/results?changed={run}",
        f"/results/{run}",
        f"/results/{run}/cases/0",
        "/leaderboard",
        f"/compare?one={run}.0&two={run}.1",
    ]
    for path in pages:
        assert evil not in bench.owner.get(path).text, path


# The leaderboard


def test_ranks_intervals_and_letters_are_those_of_the_command_line(bench: Bench) -> None:
    kept(bench, files_of("timelines", "careful", "first"))
    kept(bench, files_of("timelines", "quick", "second"))
    page = bench.owner.get("/leaderboard").text
    results = [decode(document("timelines", name)) for name in ("careful", "quick")]
    rows = {
        system: cells
        for _, system, cells in re.findall(
            r'<tr><td data-value="(\d)">\1</td><th scope="row" data-value="\w+">'
            r'<a href="/results/[0-9a-f]+" dir="auto">(\w+)</a></th>(.*?)</tr>',
            page,
        )
    }
    for metric in contrast(family("timelines"), results, Question()).metrics:
        for one in metric.ranking:
            assert one.interval
            cell = (
                f'<td class="metric-cell" data-value="{one.score}"><b>{one.score:.3f}</b><sup>'
                f'<span class="unseen">letters </span>{one.letters}</sup>.*?'
                f"<small>{one.interval.low:.3f} to {one.interval.high:.3f}[^<]*</small></td>"
            )
            assert re.search(cell, rows[one.system])
    assert [*rows] == ["careful", "quick"]


def test_results_under_other_conditions_are_not_mixed(bench: Bench) -> None:
    kept(bench, files_of("timelines", "careful", "first"))
    second = changed("options.missing", "skip", document("timelines", "quick"))
    second = second.replace(b"option.missing=empty", b"option.missing=skip")
    kept(bench, [("results", ("second.json", second))])
    kept(bench, files_of("ordering"))
    page = bench.owner.get("/leaderboard").text
    assert "was not scored like" in page
    assert "option missing: skip, not empty" in page
    assert "ordering" in page
    assert page.count('class="problems"') == 1


def test_two_runs_of_one_system_stand_beside_each_other(bench: Bench) -> None:
    kept(bench, files_of("timelines", "quick", "monday"))
    kept(
        bench, [("results", ("tuesday.json", changed("notices", ["x"], document(system="quick"))))]
    )
    page = bench.owner.get("/leaderboard").text
    assert "quick (monday)" in page
    assert "quick (tuesday)" in page


def test_a_deleted_result_is_not_ranked(bench: Bench) -> None:
    run = kept(bench, files_of())
    bench.owner.post(f"/results/{run}/delete", {"sure": "yes"})
    assert "no results to rank" in bench.owner.get("/leaderboard").text


# Two runs


def test_two_runs_are_compared_topic_by_topic(bench: Bench) -> None:
    one = kept(bench, files_of("timelines", "careful", "first"))
    two = kept(bench, files_of("timelines", "quick", "second"))
    page = bench.owner.get(f"/compare?one={one}.0&two={two}.0").text
    turned = bench.owner.get(f"/compare?one={two}.0&two={one}.0").text
    results = [decode(document("timelines", name)) for name in ("careful", "quick")]
    made = contrast(family("timelines"), results, Question())
    for metric in made.metrics:
        (pair,) = metric.pairs
        sign = 1 if pair.one == "careful" else -1
        for swing in pair.swings:
            assert f"{sign * swing.difference:+.3f}" in page
            assert f"{-sign * swing.difference:+.3f}" in turned
        assert pair.difference is not None
        assert f"{sign * pair.difference:+.3f}" in page
    links = re.findall(rf'href="(/results/{one}/cases/\d+\?system=0)"', page)
    assert len(set(links)) == made.units
    topics = re.findall(r'<th scope="row">([^<]+)</th>', page)
    first = bench.owner.get(links[0]).text
    assert f"<h1>{topics[0]}" in first


def test_two_systems_of_one_result_are_compared(bench: Bench) -> None:
    run = kept(bench, files_of())
    assert bench.owner.get(f"/compare?one={run}.0&two={run}.2").status_code == 200


def test_what_cannot_be_compared_is_told(bench: Bench) -> None:
    run = kept(bench, files_of())
    other = kept(bench, files_of("ordering"))
    answer = bench.owner.get(f"/compare?one={run}.0&two={run}.0")
    assert (answer.status_code, "the same run" in answer.text) == (422, True)
    answer = bench.owner.get(f"/compare?one={run}.0&two={other}.0")
    assert (answer.status_code, "can&#39;t be compared" in answer.text) == (422, True)
    assert "one run is of timelines, the other of ordering" in answer.text
    for name in (f"{run}.9", "x", "'; DROP TABLE results; --"):
        assert bench.owner.get("/compare", params={"one": name}).status_code == 404


# A folder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[tuple[Bench, Path]]:
    results = tmp_path / "results"
    (results / "news").mkdir(parents=True)
    made = Bench(tmp_path)
    limit, folder = RateLimit(most=10_000), ResultsFolder(results)
    made.app = make_app(Workbench(made.store, PublicAddress(ADDRESS), limit, folder))
    made.owner = Visitor(made.app)
    made.owner.enter(people.invite(made.store, made.boss.id, None))
    yield made, results
    made.store.close()


def test_a_folder_is_taken_in_when_it_is_looked_at(folder: tuple[Bench, Path]) -> None:
    bench, results = folder
    write(demo(), results / "news" / "first.json", "careful")
    (results / "other.json").write_text('{"a": 1}')
    assert "first" in bench.owner.get("/results").text
    write(demo(), results / "news" / "second.json", "quick")
    assert "second" in bench.owner.get("/results").text
    assert [one.folder for one in store_results.stored(bench.store)] == ["news", "news"]
    assert "news: timelines" in bench.owner.get("/leaderboard").text


def test_a_file_that_is_wrong_is_told_and_mended(folder: tuple[Bench, Path]) -> None:
    bench, results = folder
    (results / "run.json").write_bytes(changed("systems", []))
    for _ in range(2):
        page = bench.owner.get("/results").text
        assert "run.json: the result contains no system" in page
        assert str(results) + "/run.json" not in page
    write(demo(), results / "run.json")
    assert "the result contains no system" not in bench.owner.get("/results").text
    assert len(store_results.stored(bench.store)) == 1


def test_what_was_deleted_stays_so_while_its_file_is_there(folder: tuple[Bench, Path]) -> None:
    bench, results = folder
    write(demo(), results / "run.json")
    bench.owner.get("/results")
    (found,) = store_results.stored(bench.store)
    bench.owner.post(f"/results/{found.id}/delete", {"sure": "yes"})
    (results / "run.json").touch()
    bench.owner.get("/results")
    assert not store_results.stored(bench.store)
    (results / "run.json").unlink()
    bench.owner.get("/results")
    assert bench.owner.get(f"/results/{found.id}").status_code == 200


def test_a_large_folder_is_taken_in_bit_by_bit(bench: Bench, tmp_path: Path) -> None:
    results = tmp_path / "many"
    for system in ("careful", "lead", "quick"):
        write(demo(), results / f"{system}.json", system)
    folder = ResultsFolder(results, patience=0)
    for left in (2, 1):
        told = folder.update(bench.store, bench.boss.id)
        assert told == [f"{left} more files are new: open the page again"]
    assert folder.update(bench.store, bench.boss.id) == []
    assert len(store_results.stored(bench.store)) == 3
    again = ResultsFolder(results)
    assert again.update(bench.store, bench.boss.id) == []
    assert len(audit_entries(bench.store, None)) == 3, "what was known is not taken in again"


def test_a_folder_that_has_gone_is_told(folder: tuple[Bench, Path]) -> None:
    bench, results = folder
    (results / "news").rmdir()
    results.rmdir()
    answer = bench.owner.get("/results")
    assert answer.status_code == 200
    assert "there is no folder" in answer.text


def test_links_out_of_the_folder_are_not_followed(
    folder: tuple[Bench, Path], tmp_path: Path
) -> None:
    bench, results = folder
    write(demo(), tmp_path / "outside.json")
    (results / "link.json").symlink_to(tmp_path / "outside.json")
    bench.owner.get("/results")
    assert not store_results.stored(bench.store)
