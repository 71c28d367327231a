"""A saved result whose numbers were changed is found out: by its checksum, and by its rows."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, Ran, run

from chronoscore.core.result import encode, load
from chronoscore.demo import home
from chronoscore.engines.merging import merge
from chronoscore.errors import DataError
from chronoscore.families import family
from chronoscore.workbench.result_files import read_saved

GOLD, QUICK, CAREFUL = (home() / f"{name}.jsonl" for name in ("gold", "quick", "careful"))
Edit = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the saved result of two systems with intervals."""
    folder = tmp_path_factory.mktemp("scored")
    words = ["timelines", GOLD, QUICK, CAREFUL, "--interval", "auto", "--by", "topic"]
    assert run(*words, "--save", folder / "run.json").code == FINE
    return folder


@pytest.fixture
def saved(scored: Path, tmp_path: Path) -> Path:
    """A copy of the saved result, to edit."""
    shutil.copytree(scored, tmp_path, dirs_exist_ok=True)
    return tmp_path / "run.json"


def edited(path: Path, edit: Edit, *, sealed: bool = False) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    edit(document)
    if not sealed:
        del document["checksum"]
    path.write_text(json.dumps(document, sort_keys=True), encoding="utf-8")


def score(document: dict[str, Any]) -> None:
    document["systems"][0]["summaries"][0]["scores"]["f1"] += 0.01


def group(document: dict[str, Any]) -> None:
    document["systems"][1]["summaries"][-1]["scores"]["precision"] -= 0.01


def cases(document: dict[str, Any]) -> None:
    document["systems"][1]["summaries"][0]["cases"] += 1


def row(document: dict[str, Any]) -> None:
    name = document["metrics"][-1]["name"]
    document["systems"][0]["rows"][0]["statistics"][name][0] += 1


def gold(document: dict[str, Any]) -> None:
    document["systems"][0]["rows"][0]["gold"] = "0" * 16


def settings(document: dict[str, Any]) -> None:
    document["undefined"] = "one"


def interval(document: dict[str, Any]) -> None:
    document["systems"][0]["summaries"][0]["intervals"]["f1"]["low"] -= 0.01


EDITS: dict[Edit, str] = {
    score: "the rows give",
    group: "precision of",
    cases: "cases, and there are rows of",
    row: "the rows give",
    gold: "the signature names other gold data than the rows have",
    settings: "the signature and the document differ in undefined",
}


def refusals(path: Path) -> list[Ran]:
    folder = path.parent
    return [
        run("compare", path),
        run("merge", path, "--save", folder / "merged.json"),
        run("leaderboard", path, "-o", folder / "site"),
        run("show", path, "--compare", path),
        run("validate", path),
    ]


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_numbers_that_the_rows_do_not_give_are_refused(edit: Edit, saved: Path) -> None:
    edited(saved, edit)
    for ran in refusals(saved):
        assert ran.code == BAD_DATA
        assert f"{saved}: " in ran.err
        assert EDITS[edit] in ran.err
    with pytest.raises(DataError, match=EDITS[edit]):
        read_saved(saved)
    assert not (saved.parent / "site").exists()
    assert not (saved.parent / "merged.json").exists()


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_numbers_that_the_rows_do_not_give_are_shown_with_a_warning(
    edit: Edit, saved: Path, tmp_path: Path
) -> None:
    edited(saved, edit)
    ran = run("show", saved, "--report", tmp_path / "r.html")
    assert ran.code == FINE
    assert any(f"warning: {saved}: " in n and EDITS[edit] in n for n in ran.notices)
    assert "warning: " in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("edit", [*EDITS, interval], ids=lambda edit: edit.__name__)
def test_every_change_makes_the_checksum_wrong(edit: Edit, saved: Path) -> None:
    edited(saved, edit, sealed=True)
    for ran in refusals(saved):
        assert ran.code == BAD_DATA
        assert f"{saved}: the checksum is wrong" in ran.err
    with pytest.raises(DataError, match="the checksum is wrong"):
        read_saved(saved)
    shown = run("show", saved)
    assert shown.code == FINE
    assert f"warning: {saved}: the checksum is wrong" in shown.err


def test_another_layout_of_the_same_document_is_fine(saved: Path, tmp_path: Path) -> None:
    before = run("show", saved)
    edited(saved, lambda _: None, sealed=True)
    assert run("show", saved) == before
    assert "warning" not in before.err
    assert run("validate", saved).code == FINE
    assert run("leaderboard", saved, "-o", tmp_path / "site").code == FINE


def test_a_document_without_a_checksum_is_read(saved: Path) -> None:
    before = run("show", saved)
    edited(saved, lambda _: None)
    assert run("show", saved) == before
    assert run("validate", saved).out == f"{saved}: fine, 1 result of 2 systems with 20 rows\n"


def test_rows_that_give_a_score_above_one_are_refused(saved: Path) -> None:
    def triple(document: dict[str, Any]) -> None:
        for system in document["systems"]:
            system["signature"] = system["signature"].replace("|interval=auto", "")
            for row in system["rows"]:
                for hits in row["statistics"].values():
                    hits[0] *= 3

    edited(saved, triple)
    result = load(saved)
    saved.write_bytes(encode(merge(family("timelines"), [("run", result)])))
    for ran in refusals(saved):
        assert ran.code == BAD_DATA
        assert "1.65, expected 0 to 1: score the files again" in ran.err
    assert "expected 0 to 1" in run("show", saved).err


def test_a_byte_order_mark_changes_nothing(saved: Path) -> None:
    saved.write_bytes(b"\xef\xbb\xbf" + saved.read_bytes())
    assert run("validate", saved).out == f"{saved}: fine, 1 result of 2 systems with 20 rows\n"


def test_only_validate_computes_intervals_again(saved: Path) -> None:
    edited(saved, interval)
    assert "warning" not in run("show", saved).err
    ran = run("validate", saved)
    assert ran.code == BAD_DATA
    assert "the intervals of" in ran.err


def test_an_agreement_that_was_edited_is_told_beside_that_of_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "judged.json"
    assert run("rubric", home() / "judgements.csv", "--save", path).code == FINE
    (first, *_) = json.loads(path.read_text(encoding="utf-8"))["agreement"]
    assert (first["criterion"], first["coefficient"]) == ("date", "percent")
    edited(path, lambda document: document["agreement"][0].update(value=0.25))
    ran = run("validate", path)
    assert ran.code == BAD_DATA
    assert f"percent of date is 0.25, rows give {first['value']:.4g}" in ran.err


def test_an_agreement_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "judged.json"
    assert run("rubric", home() / "judgements.csv", "--save", path).code == FINE
    edited(path, lambda document: document["agreement"].append(document["agreement"][0]))
    ran = run("validate", path)
    assert ran.code == BAD_DATA
    assert "the agreement is not on the criteria of the rows" in ran.err


def test_a_baseline_that_was_edited_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "before.json"
    assert run("timelines", GOLD, QUICK, "--save", path).code == FINE
    edited(path, score)
    ran = run("timelines", GOLD, CAREFUL, "--no-worse-than", path)
    assert ran.code == BAD_DATA
    assert "the rows give" in ran.err


def test_an_evaluation_that_was_edited_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    assert run("evaluate", GOLD, QUICK, "--save", path).code == FINE
    assert run("validate", path).code == FINE
    before = run("show", path)
    edited(path, lambda _: None, sealed=True)
    assert run("show", path) == before
    edited(path, lambda document: score(document["results"][0]), sealed=True)
    shown = run("show", path)
    assert "the checksum is wrong" in shown.err
    assert "the rows give" in shown.err
    assert run("validate", path).code == BAD_DATA
    edited(path, lambda _: None)
    ran = run("validate", path)
    assert ran.code == BAD_DATA
    assert "the rows give" in ran.err


def test_matches_of_another_result_are_refused(saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    assert run("ordering", GOLD, QUICK, "--save", other).code == FINE
    matches = saved.with_suffix(".matches.jsonl")
    matches.write_bytes(other.with_suffix(".matches.jsonl").read_bytes())
    for words in (["--explain", "all"], ["--report", tmp_path / "r.html"]):
        ran = run("show", saved, *words)
        assert ran.code == BAD_DATA
        assert f"{matches}: belongs to another result" in ran.err
    assert run("validate", saved).code == BAD_DATA


def test_a_notice_of_a_saved_result_stays_in_its_line(saved: Path) -> None:
    document = json.loads(saved.read_text(encoding="utf-8"))
    document["notices"] = ["fine\nerror: all is lost"]
    del document["checksum"]
    saved.write_text(json.dumps(document), encoding="utf-8")
    ran = run("show", saved)
    assert ran.code == FINE
    assert "notice: fine\\nerror: all is lost" in ran.err.splitlines()


def test_validate_reports_a_field_that_it_does_not_know(saved: Path) -> None:
    document = json.loads(saved.read_text(encoding="utf-8"))
    document["cheksum"] = document.pop("checksum")
    saved.write_text(json.dumps(document), encoding="utf-8")
    ran = run("validate", saved)
    assert ran.code == FINE
    assert f"notice: {saved}: unknown field 'cheksum' is ignored" in ran.err.splitlines()
