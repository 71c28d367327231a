"""A file that is written is whole, or it is what it was before."""

import gc
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from readers.command_line import BAD_DATA, FINE, Ran, run

from chronoscore.core.writing import write_file
from chronoscore.demo import home
from chronoscore.errors import DataError, UsageError

OLD = b"what was there before"


@contextmanager
def small_disk(most: int = 150) -> Iterator[None]:
    """No file can become longer than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.txt"
    write_file(path, "one\n")
    write_file(path, iter([b"t", b"wo"]))
    assert path.read_bytes() == b"two"
    assert listed(tmp_path) == {"deep/file.txt"}


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(0o604)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    path, target = tmp_path / "link", tmp_path / "elsewhere" / "file"
    path.symlink_to(target)
    write_file(path, b"first")  # the link leads nowhere yet
    write_file(path, b"second")
    assert path.is_symlink()
    assert target.read_bytes() == b"second"


@pytest.mark.skipif(os.getuid() == 0, reason="an administrator may write everywhere")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(OLD)
    path.chmod(0o444)
    with pytest.raises(UsageError, match="can't be written: Permission denied"):
        write_file(path, b"new")
    assert path.read_bytes() == OLD


def test_an_error_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise ValueError("no more")

    path = tmp_path / "file"
    path.write_bytes(OLD)
    with pytest.raises(ValueError, match="no more"):
        write_file(path, pieces())
    assert path.read_bytes() == OLD
    assert listed(tmp_path) == {"file"}


def test_a_full_disk_is_one_line_with_the_name_of_the_file(tmp_path: Path) -> None:
    with small_disk(), pytest.raises(DataError) as caught:
        write_file(tmp_path / "file", b"x" * 1000)
    assert str(caught.value).startswith(f"{tmp_path / 'file'}: can't be written: File too large")
    assert not listed(tmp_path)


def test_a_long_name_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("\N{GREEK SMALL LETTER ALPHA}" * 120)
    write_file(path, b"new")
    assert path.read_bytes() == b"new"


def test_streams_are_written_as_they_are(tmp_path: Path) -> None:
    words = ["timelines", home() / "gold.jsonl", home() / "quick.jsonl", "--save", "/dev/stdout"]
    call = [sys.executable, "-m", "chronoscore", *map(str, words)]
    piped = subprocess.run(call, capture_output=True, check=True, cwd=tmp_path).stdout
    assert b'"chronoscore-result"' in piped
    assert b"Date-F1" in piped
    with (tmp_path / "out.txt").open("ab") as file:  # as `>> out.txt`
        subprocess.run(call, stdout=file, stderr=subprocess.DEVNULL, check=True, cwd=tmp_path)
    assert (tmp_path / "out.txt").read_bytes().endswith(piped[-200:])
    assert not Path("/dev/stdout.matches.jsonl").exists()


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo's data and saved results, in a folder to be in."""
    monkeypatch.chdir(tmp_path)
    for path in home().iterdir():
        if path.suffix in (".jsonl", ".csv"):
            Path(path.name).write_bytes(path.read_bytes())
    systems = ("careful.jsonl", "quick.jsonl", "lead.jsonl")
    assert run("timelines", "gold.jsonl", *systems, "--save", "saved.json").code == FINE
    return tmp_path


EVENTS = "--level event --events careful.jsonl --events quick.jsonl --events lead.jsonl"
REPLACING = [
    ("timelines gold.jsonl quick.jsonl --save new/r.json", "new/r.json"),
    ("timelines gold.jsonl quick.jsonl --save new/r.json", "new/r.matches.jsonl"),
    ("timelines gold.jsonl quick.jsonl --report new/r.html", "new/r.html"),
    ("evaluate gold.jsonl quick.jsonl --save new/e.json", "new/e.json"),
    ("evaluate gold.jsonl quick.jsonl --report new/e.html", "new/e.html"),
    ("show saved.json --report new/s.html", "new/s.html"),
    ("merge saved.json --save new/m.json", "new/m.json"),
    ("agreement judgements.csv --report new/a.html", "new/a.html"),
    (
        f"correlate saved.json --people judgements.csv {EVENTS} --report new/c.html",
        "new/c.html",
    ),
    ("annotations gold.jsonl quick.jsonl --counts --tables new/t.json", "new/t.json"),
    ("convert gold.jsonl new/g.csv --to csv", "new/g.csv"),
    ("tlinks convert gold.jsonl new/l.tsv --to tsv", "new/l.tsv"),
]
NEW = [
    "timelines gold.jsonl quick.jsonl --work new",
    "leaderboard saved.json -o new",
    "convert gold.jsonl new --to semeval",
    "convert gold.jsonl new --to bdoc",
    "rubric template quick.jsonl --evaluator ana --to csv -o new",
    "rubric template quick.jsonl --evaluator ana --to xlsx -o new",
    "rubric convert judgements.csv -o new/j.jsonl",
    "rubric convert judgements.csv -o new/j.tsv",
    "rubric convert judgements.csv --to label-studio -o new",
    "demo --data new",
]
SMALL = {"new/config.xml", "new/inputs.json"}
"""Files that fit on the smallest disk, and so are there as a whole."""


def refused(call: str) -> None:
    with small_disk():
        ran: Ran = run(*call.split())
    gc.collect()  # what openpyxl leaves open ends now, not on the small disk of another test
    assert ran.code == BAD_DATA, ran.err
    assert len(ran.problems) == 1, ran.err
    assert "can't be written: File too large" in ran.problems[0]
    assert ".part" not in ran.err


@pytest.mark.parametrize(("call", "target"), REPLACING)
def test_a_full_disk_leaves_the_old_file(call: str, target: str, inputs: Path) -> None:
    Path(target).parent.mkdir()
    Path(target).write_bytes(OLD)
    before = listed(inputs)
    refused(call)
    assert Path(target).read_bytes() == OLD
    assert listed(inputs) == before


@pytest.mark.parametrize("call", NEW)
def test_a_full_disk_leaves_no_half_file(call: str, inputs: Path) -> None:
    before = listed(inputs)
    refused(call)
    assert listed(inputs) - before <= SMALL


def test_a_full_disk_leaves_no_half_backup(tmp_path: Path) -> None:
    source, target = tmp_path / "bench.db", tmp_path / "copies" / "monday.db"
    assert run("serve", "--db", source, "--check").code == FINE
    with small_disk(4096):
        ran = run(["serve", "backup"][0], "backup", target, "--db", source)
    assert ran.code == BAD_DATA
    assert len(ran.problems) == 1
    assert not [name for name in listed(tmp_path) if name.startswith("copies/")]
