"""Temporary folders: gone with their owner, and soon after an owner that was killed."""

import gc
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chronoscore.engines.resume import (
    LOCK,
    PREFIX,
    WorkFolder,
    make_folder,
    remove_folder,
    sweep,
    temporary_folder,
)

pytest.importorskip("fcntl")
OWNER = """
import time
from chronoscore.engines.resume import temporary_folder
with temporary_folder() as folder:
    (folder / "large").write_text("x")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are, for this test and all that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_a_folder_goes_with_its_owner(place: Path) -> None:
    with temporary_folder() as folder:
        assert folder.parent == place
        assert folder.is_dir()
    assert not list(place.iterdir())


def test_a_folder_goes_when_its_owner_fails(place: Path) -> None:
    with pytest.raises(ValueError, match="spoilt"), temporary_folder():
        raise ValueError("spoilt")
    assert not list(place.iterdir())


def test_a_temporary_work_folder_goes_once_nothing_refers_to_it(place: Path) -> None:
    work = WorkFolder.temporary()
    work.keep("one", b"chunk")
    assert [path.name for path in work.home.glob("chunks/*")] == ["one.chunk"]
    del work
    gc.collect()
    assert not list(place.iterdir())


def test_a_sweep_takes_no_folder_that_is_held(place: Path) -> None:
    home, lock = make_folder()
    assert sweep(place) == []
    assert home.is_dir()
    remove_folder(home, lock)
    assert not home.exists()


def test_a_sweep_takes_no_folder_without_a_lock(place: Path) -> None:
    anyones = place / f"{PREFIX}anyones"
    anyones.mkdir()
    assert sweep(place) == []
    assert anyones.is_dir()


def test_a_killed_owners_folder_is_swept(place: Path) -> None:
    running = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    folder = Path(running.stdout.readline().strip())
    assert (folder / LOCK).is_file()
    assert sweep(place) == []
    running.kill()
    running.wait()
    running.stdout.close()
    assert (folder / "large").is_file()
    assert sweep(place) == [folder]
    assert not list(place.iterdir())


def test_a_run_sweeps_what_a_killed_run_left(tmp_path: Path) -> None:
    """The whole command: killed while it measures, and started again."""
    place = tmp_path / "place"
    place.mkdir()
    lines = [
        json.dumps({"topic": f"t{topic}", "date": f"2011-01-{day:02}", "summary": "fire storm"})
        for topic in range(300)
        for day in range(1, 20)
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "chronoscore", "timelines", str(gold), f"again={gold}"]
    command += ["--engine", "processes", "--workers", "2", "--chunk", "10", "--progress", "json"]
    own = {**os.environ, "TMPDIR": str(place)}
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=own
    )
    assert running.stderr is not None
    for line in running.stderr:
        if '"stage":"measure"' in line:
            break
    running.kill()
    running.wait()
    running.stderr.close()
    assert list(place.glob(f"{PREFIX}*"))
    for _ in range(200):  # its workers notice that nobody asks any more, and end
        subprocess.run(command, capture_output=True, check=True, env=own)
        if not list(place.iterdir()):
            break
        time.sleep(0.1)
    assert not list(place.iterdir())
