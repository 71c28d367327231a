"""Workers start fast: they import what the work needs, early, and get parts of one size."""

import gzip
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from engines.runs import inputs_of, manifest_of

from chronoscore import families
from chronoscore.core.family import find_family
from chronoscore.core.problems import Problems
from chronoscore.engines import index, plan, scoring
from chronoscore.engines.index import cut
from chronoscore.engines.plan import Inputs, Plan
from chronoscore.engines.scoring import Scored, score_sources
from chronoscore.engines.settings import Settings
from chronoscore.engines.workers import WorkerPool

NOT_NEEDED = (
    "click",
    "scipy",
    "chronoscore.cli",
    "chronoscore.reports",
    "distributed",
    "program_that_runs",
)
Probe = ModuleType


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Probe]:
    """A module with a job that tells what its worker has imported; the program imports more."""
    (tmp_path / "probe_of_workers.py").write_text(
        "import sys\n"
        "from chronoscore.engines.chunks import measure_packed\n"
        "def modules(_): return sorted(sys.modules)\n"
    )
    (tmp_path / "program_that_runs.py").write_text("")
    program = tmp_path / "program.py"
    program.write_text("import click, program_that_runs\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    main = ModuleType("__main__")
    main.__file__, main.__spec__ = str(program), None
    monkeypatch.setitem(sys.modules, "__main__", main)
    import probe_of_workers  # type: ignore[import-not-found]

    yield probe_of_workers
    del sys.modules["probe_of_workers"]


@pytest.mark.parametrize("name", ["timelines", "events", "annotations", "ordering"])
def test_a_worker_imports_only_what_the_work_needs(name: str, probe: Probe) -> None:
    prepare = partial(find_family, families.family(name).home, {})
    with WorkerPool[int, list[str]](probe.modules, prepare, 1) as pool:
        (found,) = pool.map([1], 1)
    assert isinstance(found, list)
    assert f"chronoscore.{name}.family" in found
    assert [name for name in NOT_NEEDED if name in found] == []


def test_workers_that_were_started_early_do_the_jobs(probe: Probe) -> None:
    with WorkerPool[int, list[str]](probe.modules, early=2) as pool:
        early = [worker.process.pid for worker in pool.workers]
        assert len(list(pool.map(range(4), 2))) == 4
        assert [worker.process.pid for worker in pool.workers] == early
        own = [worker.process for worker in pool.workers]
    assert not any(process.is_alive() for process in own)


def test_a_preparation_that_fails_stops_nothing(probe: Probe) -> None:
    prepare = partial(find_family, "chronoscore.nosuch:FAMILY", {})
    with WorkerPool[int, list[str]](probe.modules, prepare, 1) as pool:
        assert len(list(pool.map([1], 1))) == 1


def written(folder: Path, cases: int) -> Inputs:
    """Cases of one size each."""
    paths = folder / "gold.jsonl", folder / "quick.jsonl"
    for path in paths:
        with path.open("w") as file:
            for case in range(cases):
                line = {"topic": f"t{case:04}", "days": {"2011-01-25": "the canal is closed"}}
                file.write(json.dumps(line) + "\n")
    return inputs_of(paths[0], {"quick": paths[1]})


def chunked(inputs: Inputs, plan: Plan) -> Scored:
    return score_sources(Settings.make(families.family("timelines")), inputs, Problems(), plan)


def test_parts_are_of_one_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = written(tmp_path, 110)
    size = sum(source.size for source in inputs.every)
    monkeypatch.setattr(index, "LEAST_BYTES", size / 1.4)
    monkeypatch.setattr(index, "MOST_BYTES", size / 1.4)
    seen: list[int] = []

    def noted(*given: object) -> object:
        chunks = list(cut(*given))  # type: ignore[arg-type]
        seen.extend(len(chunk.keys) for chunk in chunks)
        return chunks

    monkeypatch.setattr(index, "cut", noted)
    chunked(inputs, Plan("here"))
    assert sum(seen) == 110
    for number in (1.6, 2.6, 5.5):
        seen.clear()
        monkeypatch.setattr(index, "LEAST_BYTES", size / number)
        monkeypatch.setattr(index, "MOST_BYTES", size / number)
        chunked(inputs, Plan("here"))
        assert len(seen) == round(number)
        assert max(seen) - min(seen) <= 1


def test_files_are_cut_from_a_size_on_packed_ones_by_what_they_unpack_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = written(tmp_path, 60)
    size = sum(source.size for source in inputs.every)
    packed = []
    for source in inputs.every:
        packed.append(tmp_path / f"{source.file_name}.gz")
        packed[-1].write_bytes(gzip.compress((tmp_path / source.file_name).read_bytes()))
    assert sum(path.stat().st_size for path in packed) < size / 4
    for made in (inputs, inputs_of(packed[0], {"quick": packed[1]})):
        for large, is_cut in ((size + 1, False), (size, True)):
            monkeypatch.setattr(plan, "LARGE", large)
            run = chunked(made, Plan(workers=1))
            assert (run.manifest is not None) is is_cut
            assert len(run.result.systems[0].rows) == 60


def test_few_bytes_are_measured_here(tmp_path: Path) -> None:
    made = chunked(written(tmp_path, 30), Plan(workers=2, chunk=5))
    assert manifest_of(made).engine == "here"


def test_many_bytes_are_measured_by_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = written(tmp_path, 60)
    size = sum(source.size for source in inputs.every)
    for module, name in (
        (index, "LEAST_BYTES"),
        (scoring, "AUTO_BYTES"),
        (plan, "LARGE"),
    ):
        monkeypatch.setattr(module, name, size // 4)
    made = chunked(inputs, Plan(workers=2))
    assert (manifest_of(made).engine, manifest_of(made).workers) == ("processes", 2)
    assert len(made.result.systems[0].rows) == 60
