"""Saved results that are damaged, newer, or lack their matches."""

import codecs
import json
from pathlib import Path
from typing import Any

import pytest
from readers.command_line import BAD_DATA, FINE, USAGE, run
from readers.samples import EVENTS


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A result that was saved."""
    (tmp_path / "a.jsonl").write_text(EVENTS, encoding="utf-8")
    ran = run(
        "timelines", tmp_path / "a.jsonl", tmp_path / "a.jsonl", "--save", tmp_path / "r.json"
    )
    assert ran.code == FINE
    return tmp_path / "r.json"


DAMAGE: dict[str, tuple[Any, str]] = {
    "truncated": (lambda data: data[: len(data) // 2], "the JSON ends too early"),
    "empty": (lambda _: b"", "there is no JSON"),
    "blank": (lambda _: b" \n", "there is no JSON"),
    "binary": (lambda _: b"\x89PNG\0\xff", "binary data"),
    "not JSON": (lambda data: data.replace(b":", b"=", 1), "not JSON: expected ':'"),
    "something else": (lambda _: b'{"id": 1}', "this is not a Chronoscore result document"),
    "a list": (lambda _: b"[]", "this is not a Chronoscore result document"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_result_is_told(saved: Path, damage: str) -> None:
    change, words = DAMAGE[damage]
    saved.write_bytes(change(saved.read_bytes()))
    ran = run("show", saved)
    assert (ran.code, ran.out) == (BAD_DATA, "")
    (problem,) = ran.problems
    assert problem.startswith(str(saved))
    assert f": {words}" in problem


FIELDS = [
    ({"version": 2}, "the result has version 2, this program reads up to 1: update chronoscore"),
    ({"version": None}, "the version is null, expected a whole number"),
    ({"version": 0}, "there never was a result version 0"),
    ({"format": "x"}, "this is not a Chronoscore result document"),
]


@pytest.mark.parametrize(("fields", "words"), FIELDS)
def test_a_result_of_another_version_is_told(
    saved: Path, fields: dict[str, object], words: str
) -> None:
    saved.write_text(json.dumps({**json.loads(saved.read_bytes()), **fields}))
    ran = run("show", saved)
    assert (ran.code, ran.problems) == (BAD_DATA, [f"{saved}: {words}"])


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_a_result_with_other_line_ends_is_the_same(saved: Path, end: str) -> None:
    clean = run("show", saved)
    saved.write_bytes(saved.read_bytes().replace(b"\n", end.encode()))
    assert run("show", saved) == clean


def test_a_result_without_its_matches_can_be_shown_but_not_explained(saved: Path) -> None:
    (saved.parent / "r.matches.jsonl").unlink()
    assert run("show", saved).code == FINE
    ran = run("show", saved, "--explain", "all")
    assert ran.code == BAD_DATA
    assert ran.problems == [f"{saved}: there is no r.matches.jsonl beside it to explain the scores"]


@pytest.mark.parametrize("data", [b'{"x', b"\x89PNG\0", b"\xff\xfe"])
def test_damaged_matches_are_told(saved: Path, data: bytes) -> None:
    sidecar = saved.parent / "r.matches.jsonl"
    sidecar.write_bytes(data)
    ran = run("show", saved, "--explain", "all")
    assert ran.code == BAD_DATA
    assert ran.problems[0].startswith(str(sidecar))


def test_matches_that_are_a_folder_are_told(saved: Path) -> None:
    sidecar = saved.parent / "r.matches.jsonl"
    sidecar.unlink()
    sidecar.mkdir()
    ran = run("show", saved, "--explain", "all")
    assert ran.code == BAD_DATA
    assert str(sidecar) in ran.err


def test_a_case_that_is_not_there_is_told(saved: Path) -> None:
    assert run("show", saved, "--explain", "nope").code == USAGE


def without_scores(document: dict[str, Any]) -> bytes:
    document["systems"][0]["summaries"][0]["scores"] = {}
    return json.dumps(document).encode()


MISFITS: dict[str, Any] = {
    "nested too deeply": lambda _: b"[" * 5000,
    "a wrong kind": lambda document: json.dumps({**document, "systems": 3}).encode(),
    "a version that is text": lambda document: json.dumps({**document, "version": "1"}).encode(),
    "a summary without scores": without_scores,
}


@pytest.mark.parametrize("damage", MISFITS)
def test_a_result_that_does_not_fit_is_told(saved: Path, damage: str) -> None:
    saved.write_bytes(MISFITS[damage](json.loads(saved.read_bytes())))
    ran = run("show", saved)
    assert ran.code == BAD_DATA
    assert "version 1, this program reads up to 1" not in ran.err


def test_matches_in_another_encoding_are_told(saved: Path) -> None:
    sidecar = saved.parent / "r.matches.jsonl"
    sidecar.write_bytes(sidecar.read_bytes().replace(b"precision", b"pr\xe9cision", 1))
    assert run("show", saved, "--explain", "all").code == BAD_DATA


def test_a_result_with_a_byte_order_mark_is_the_same(saved: Path) -> None:
    clean = run("show", saved)
    saved.write_bytes(codecs.BOM_UTF8 + saved.read_bytes())
    assert run("show", saved) == clean
