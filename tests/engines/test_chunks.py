"""Files that are cut: the same document whatever the engine, the cut or the packing."""

import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from engines.runs import manifest_of, scored
from readers.command_line import run

from chronoscore.core.evidence_table import EvidenceTable, pack, unpack
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.result import encode
from chronoscore.demo import home
from chronoscore.engines import index
from chronoscore.engines.plan import Plan
from chronoscore.engines.scoring import Scored
from chronoscore.engines.settings import IntervalPlan
from chronoscore.engines.workers import Cluster, LostJob, WorkerPool, run_on_cluster
from chronoscore.errors import DataError, UsageError

GOLD = home() / "gold.jsonl"
SYSTEMS = {name: [home() / f"{name}.jsonl"] for name in ("careful", "quick")}
FAMILIES = ("timelines", "events", "ordering", "annotations", "coreference")


def chunked(name: str = "timelines", plan: Plan | None = None, **more: Path) -> Scored:
    systems = {"quick": [more["quick"]]} if "quick" in more else SYSTEMS
    gold, chosen = more.get("gold", GOLD), plan or Plan("here", chunk=2)
    return scored(name, gold, systems, chosen, settings={"chance": IntervalPlan()}, explain=True)


def document(result: Scored) -> bytes:
    return encode(result.result)


def without_notices(data: bytes) -> dict[str, object]:
    return {k: v for k, v in json.loads(data).items() if k != "notices"}


@pytest.mark.parametrize("name", FAMILIES)
def test_chunks_give_the_document_of_whole_files(name: str) -> None:
    """Notices aside, which count over all files where all are seen."""
    whole = document(chunked(name, Plan()))
    assert without_notices(document(chunked(name))) == without_notices(whole)


def test_engines_and_cuts_give_identical_documents() -> None:
    wanted = document(chunked(plan=Plan("here", chunk=1)))
    for chunk in (2, 5, 0):
        assert document(chunked(plan=Plan("here", chunk=chunk))) == wanted
    whole = chunked(plan=Plan("here"))
    for engine in ("processes", "dask"):
        made = chunked(plan=Plan(engine, workers=2, chunk=3))
        assert document(made) == wanted
        assert list(made.matches) == list(whole.matches)
        assert list(made.texts) == list(whole.texts)


def test_order_of_lines_and_shards_change_nothing(tmp_path: Path) -> None:
    wanted = document(chunked())
    lines = {name: home().joinpath(f"{name}.jsonl").read_text().splitlines() for name in SYSTEMS}
    mixed: dict[str, list[Path]] = {}
    for name, own in lines.items():
        folder = tmp_path / name
        folder.mkdir()
        by_topic = sorted(own, key=lambda line: json.loads(line)["topic"], reverse=True)
        half = len(by_topic) // 2
        for at, part in enumerate((by_topic[:half], by_topic[half:])):
            folder.joinpath(f"part-{at}.jsonl").write_text("\n".join(part) + "\n")
        mixed[name] = [folder]
    settings = {"chance": IntervalPlan()}
    made = scored("timelines", GOLD, mixed, Plan("here", chunk=2), settings=settings)
    assert document(made) == wanted


@pytest.mark.parametrize("packing", ["gz", "zst", "parquet"])
def test_packed_files_are_read_as_plain_ones(packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"quick.jsonl.{packing}"
    data = home().joinpath("quick.jsonl").read_bytes()
    if packing == "gz":
        path.write_bytes(gzip.compress(data))
    elif packing == "zst":
        path.write_bytes(pytest.importorskip("zstandard").compress(data))
    else:
        arrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "quick.parquet"
        rows = [json.loads(line) for line in data.splitlines()]
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    one = chunked(quick=path)
    two = chunked(quick=home() / "quick.jsonl")
    assert document(one) == document(two)


def test_a_truncated_file_is_a_clear_stop(tmp_path: Path) -> None:
    path = tmp_path / "quick.jsonl.gz"
    path.write_bytes(gzip.compress(home().joinpath("quick.jsonl").read_bytes())[:-40])
    with pytest.raises(DataError, match="cut"):
        chunked(quick=path)


def test_a_cut_zst_file_is_a_clear_stop(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "quick.jsonl.zst"
    path.write_bytes(zstandard.compress(home().joinpath("quick.jsonl").read_bytes())[:-40])
    with pytest.raises(DataError, match=r"cut|readable"):
        chunked(quick=path)


def test_an_unreadable_shard_is_a_clear_stop(tmp_path: Path) -> None:
    folder = tmp_path / "quick"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(home().joinpath("quick.jsonl").read_bytes())
    (folder / "b.jsonl.gz").write_bytes(b"this is no gzip file")
    with pytest.raises(DataError, match="gzip"):
        chunked(quick=folder)


def test_a_file_whose_reading_fails_in_the_middle_is_a_clear_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = index._lines

    def failing(*how: Any) -> Iterator[tuple[int, int, bytes]]:
        yield from islice(lines(*how), 3)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(index, "_lines", failing)
    with pytest.raises(DataError, match=r"gold\.jsonl: can't be read: Input/output error"):
        chunked()


def test_a_bad_case_is_left_out_and_named(tmp_path: Path) -> None:
    lines = home().joinpath("quick.jsonl").read_text().splitlines()
    wrong = next(at for at, line in enumerate(lines) if "apollo-11" in line)
    spoilt = json.loads(lines[wrong]) | {"date": "1969-13-45"}
    path = tmp_path / "quick.jsonl"
    path.write_text("\n".join([*lines[:wrong], json.dumps(spoilt), *lines[wrong + 1 :]]) + "\n")
    made = chunked(quick=path, plan=Plan("here", chunk=4, most_bad=1))
    assert [bad.case for bad in made.bad] == ["apollo-11"]
    assert f"{path}:{wrong + 1}" in made.bad[0].reasons[0]
    rows = made.result.systems[0].rows
    assert rows
    assert not any(row.tags["topic"] == "apollo-11" for row in rows)
    with pytest.raises(DataError, match="not in the calendar"):
        chunked(quick=path, plan=Plan("here", chunk=4))
    with pytest.raises(DataError, match="more than 0 cases are bad"):
        chunked(quick=path, plan=Plan("here", most_bad=0))


def test_bad_cases_among_good_ones_change_nothing_wherever_the_cuts_are(tmp_path: Path) -> None:
    topics = ("apollo-11", "titanic-sinking")
    lines = [json.loads(line) for line in home().joinpath("quick.jsonl").read_text().splitlines()]
    spoilt = [line | {"date": "1969-13-45"} if line["topic"] in topics else line for line in lines]
    path = tmp_path / "quick.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in spoilt))
    alone = chunked(quick=path, plan=Plan("here", chunk=1, most_bad=2))
    assert tuple(bad.case for bad in alone.bad) == topics
    assert len(alone.result.systems[0].rows) > 0
    for chunk in (2, 3, 0):
        made = chunked(quick=path, plan=Plan("here", chunk=chunk, most_bad=2))
        assert made.bad == alone.bad
        assert document(made) == document(alone)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "quick.jsonl"
    path.write_bytes(home().joinpath("quick.jsonl").read_bytes() + b'{"topic": "x", \n')
    made = chunked(quick=path, plan=Plan("here", most_bad=1))
    assert not made.bad
    (line,) = made.unread
    assert line.path == str(path)
    with pytest.raises(DataError, match=f"{re.escape(str(path))}:{line.line}: "):
        chunked(quick=path)


def test_cases_named_in_another_encoding_are_found(tmp_path: Path) -> None:
    lines = [
        {"topic": topic, "date": "2011-01-01", "summary": "la fête commence"}
        for topic in ("été", "fête")
    ]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path = tmp_path / "latin.jsonl"
    path.write_bytes(text.encode("latin-1"))
    latin = Problems(ReadingOptions(encoding="latin-1"))
    made = scored("timelines", path, {"same": path}, Plan("here", chunk=1), problems=latin)
    assert not made.bad
    assert [row.tags["topic"] for row in made.result.systems[0].rows] == ["fête", "été"]
    path.write_bytes(text.encode("utf-16"))
    with pytest.raises(DataError, match="write it as UTF-8"):
        scored("timelines", path, {"same": path}, Plan("here"))


def test_what_was_kept_is_not_measured_again(tmp_path: Path) -> None:
    plan = Plan("here", chunk=2, work=tmp_path / "work")
    first, second = chunked(plan=plan), chunked(plan=plan)
    assert manifest_of(first).reused == 0
    assert manifest_of(second).reused == manifest_of(second).chunks
    assert document(first) == document(second)


def test_a_spoilt_part_is_measured_again(tmp_path: Path) -> None:
    plan = Plan("here", chunk=2, work=tmp_path / "work")
    wanted = document(chunked(plan=plan))
    chunk = next((tmp_path / "work" / "chunks").iterdir())
    chunk.write_bytes(chunk.read_bytes()[:-10])
    again = chunked(plan=plan)
    assert manifest_of(again).reused == manifest_of(again).chunks - 1
    assert document(again) == wanted


def test_changed_inputs_are_noticed_and_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "quick.jsonl"
    lines = home().joinpath("quick.jsonl").read_text().splitlines()
    path.write_text("\n".join(lines) + "\n")
    plan = Plan("here", chunk=1, work=tmp_path / "work")
    scored("timelines", GOLD, {"quick": path}, plan)
    path.write_text("\n".join(lines[1:]) + "\n")
    told: list[str] = []
    made = manifest_of(scored("timelines", GOLD, {"quick": path}, plan, notify=told.append))
    assert made.reused == made.chunks - 1
    assert len(told) == 1
    assert "has changed" in told[0]


def test_a_full_disk_is_a_clear_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="No space left on device"):
        chunked(plan=Plan("here", work=tmp_path / "work"))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_nothing_in_common_is_told() -> None:
    with pytest.raises(UsageError, match="in chunks"):
        chunked(quick=home() / "judgements.csv")


def test_wrong_engines_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronoscore.engines.workers.CONNECTING", "0.5s")
    with pytest.raises(UsageError, match="unknown engine 'magic'; there are: here"):
        chunked(plan=Plan("magic"))
    with pytest.raises(UsageError, match="no Dask scheduler"):
        chunked(plan=Plan("dask://127.0.0.1:9"))


def test_a_table_survives_packing() -> None:
    table = EvidenceTable.of(chunked("annotations").result.systems[0].rows)
    again = unpack(pack(table), EvidenceTable)
    assert again == table
    assert pack(again) == pack(table)
    with pytest.raises(ValueError, match="Expected"):
        unpack(b"\x93nonsense", EvidenceTable)


# Faults, with real processes. Functions are at the top so that workers can import them.


def once_killed(job: tuple[str, int]) -> int:
    """Kill the worker at the first try of an odd job."""
    folder, number = job
    mark = Path(folder) / str(number)
    if number % 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_killed(job: int) -> int:
    if job == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def test_a_killed_workers_jobs_are_run_again(tmp_path: Path) -> None:
    jobs = [(str(tmp_path), number) for number in range(4)]
    with WorkerPool[tuple[str, int], int](once_killed) as pool:
        found = list(pool.map(jobs, 2))
    assert sorted(one for one in found if isinstance(one, int)) == list(range(4))


def test_a_job_that_kills_its_worker_is_given_up_and_named() -> None:
    with WorkerPool[int, int](always_killed) as pool:
        found = list(pool.map(range(6), 2))
    lost = [one for one in found if isinstance(one, LostJob)]
    assert [one.job for one in lost] == [3]
    assert "died 3 times" in lost[0].reason
    assert sorted(one for one in found if isinstance(one, int)) == [0, 1, 2, 4, 5]


def test_dask_runs_a_killed_workers_jobs_again(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    jobs = [(str(tmp_path), number) for number in range(3)]
    found = list(run_on_cluster(once_killed, jobs, Cluster("", 1, tmp_path)))
    assert sorted(one for one in found if isinstance(one, int)) == list(range(3))


def test_dask_gives_up_a_job_that_kills_its_worker_at_the_third_death(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (lost,) = run_on_cluster(always_killed, [3], Cluster("", 1, tmp_path))
    assert isinstance(lost, LostJob)
    assert (lost.job, lost.reason) == (3, "its worker died 3 times")


def test_a_killed_parent_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """The command is killed in the middle; started again, it measures only what is left."""
    generator = random.Random(0)
    gold, quick = tmp_path / "gold.jsonl", tmp_path / "quick.jsonl"
    for path in (gold, quick):
        with path.open("w") as file:
            for topic in range(200):
                for day in sorted(generator.sample(range(1, 28), 10)):
                    words = " ".join(generator.choices(["fire", "storm", "court", "vote"], k=8))
                    line = {"topic": f"t{topic}", "date": f"2011-01-{day:02}", "summary": words}
                    file.write(json.dumps(line) + "\n")
    command = [sys.executable, "-m", "chronoscore", "timelines", str(gold), str(quick)]
    command += ["--engine", "processes", "--chunk", "10", "--work", str(tmp_path / "work")]
    # What a killed process leaves behind goes with the test's own folder.
    own = {**os.environ, "TMPDIR": str(tmp_path)}
    quiet = subprocess.DEVNULL
    running = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=own)
    chunks = tmp_path / "work" / "chunks"
    for _ in range(3000):
        if chunks.exists() and len(list(chunks.glob("*.chunk"))) >= 3:
            break
        time.sleep(0.01)
    running.kill()
    running.wait()
    kept = len(list(chunks.glob("*.chunk")))
    assert kept >= 3
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    manifest = json.loads((tmp_path / "work" / "manifest.json").read_text())
    assert manifest["reused"] >= kept
    assert manifest["chunks"] == 20
    assert done.stdout == run("timelines", gold, quick).out
