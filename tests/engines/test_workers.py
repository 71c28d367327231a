"""Workers start fast: they import what the work needs, early, and get parts of one size."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from chronoscore import families
from chronoscore.core.reading import Reading
from chronoscore.engines import processes
from chronoscore.engines.settings import Settings
from chronoscore.engines.stream import Inputs, Plan, Streamed, cutting, running, stream
from chronoscore.engines.stream.cutting import cut
from chronoscore.families import family

NOT_NEEDED = (
    "click",
    "scipy",
    "chronoscore.cli",
    "chronoscore.reports",
    "chronoscore.engines.stream.running",
    "program_that_runs",
)
Probe = ModuleType


@pytest.fixture
def probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Probe]:
    """A module with a job that tells what its worker has imported; the program imports more."""
    (tmp_path / "probe_of_workers.py").write_text(
        "import sys\n"
        "from chronoscore.engines.stream.chunks import measure_packed\n"
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


@pytest.mark.parametrize("name", ["timelines", "annotations", "ordering"])
def test_a_worker_imports_only_what_the_work_needs(name: str, probe: Probe) -> None:
    prepare = partial(families.part_family, name, {})
    with processes.crew(probe.modules, prepare, 1) as crew:
        (found,) = processes.run_with(crew, [1], 1)
    assert isinstance(found, list)
    assert f"chronoscore.{name}.family" in found
    assert [name for name in NOT_NEEDED if name in found] == []


def test_workers_that_were_started_early_do_the_jobs(probe: Probe) -> None:
    with processes.crew(probe.modules, object, 2) as crew:
        early = [worker.process.pid for worker in crew.workers]
        assert len(list(processes.run_with(crew, range(4), 2))) == 4
        assert [worker.process.pid for worker in crew.workers] == early
        own = [worker.process for worker in crew.workers]
    assert not any(process.is_alive() for process in own)


def test_a_preparation_that_fails_stops_nothing(probe: Probe) -> None:
    with processes.crew(probe.modules, partial(families.family, "nosuch"), 1) as crew:
        assert len(list(processes.run_with(crew, [1], 1))) == 1


def written(folder: Path, cases: int) -> Inputs:
    """Cases of one size each."""
    paths = folder / "gold.jsonl", folder / "quick.jsonl"
    for path in paths:
        with path.open("w") as file:
            for case in range(cases):
                line = {"topic": f"t{case:04}", "days": {"2011-01-25": "the canal is closed"}}
                file.write(json.dumps(line) + "\n")
    return Inputs("timelines", paths[0], {"quick": [paths[1]]}, trials=True)


def streamed(inputs: Inputs, plan: Plan) -> Streamed:
    return stream(Settings.make(family("timelines")), inputs, Reading(), plan)


def test_parts_are_of_one_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = written(tmp_path, 110)
    size = sum(path.stat().st_size for path in inputs.all())
    monkeypatch.setattr(cutting, "LEAST_BYTES", size / 1.4)
    monkeypatch.setattr(cutting, "MOST_BYTES", size / 1.4)
    seen: list[int] = []

    def noted(*given: object) -> object:
        chunks = list(cut(*given))  # type: ignore[arg-type]
        seen.extend(len(chunk.keys) for chunk in chunks)
        return chunks

    monkeypatch.setattr(running, "cut", noted)
    streamed(inputs, Plan("here"))
    assert sum(seen) == 110
    for number in (1.6, 2.6, 5.5):
        seen.clear()
        monkeypatch.setattr(cutting, "LEAST_BYTES", size / number)
        monkeypatch.setattr(cutting, "MOST_BYTES", size / number)
        streamed(inputs, Plan("here"))
        assert len(seen) == round(number)
        assert max(seen) - min(seen) <= 1


def test_few_bytes_are_measured_here(tmp_path: Path) -> None:
    made = streamed(written(tmp_path, 30), Plan(workers=2, chunk=5))
    assert made.manifest.engine == "here"


def test_many_bytes_are_measured_by_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = written(tmp_path, 60)
    size = sum(path.stat().st_size for path in inputs.all())
    for module, name in (
        (cutting, "LEAST_BYTES"),
        (running, "LEAST_BYTES"),
        (running, "AUTO_BYTES"),
        (sys.modules["chronoscore.engines.stream.measuring"], "AUTO_BYTES"),
    ):
        monkeypatch.setattr(module, name, size // 4)
    made = streamed(inputs, Plan(workers=2))
    assert (made.manifest.engine, made.manifest.workers) == ("processes", 2)
    assert len(made.scored.result.systems[0].rows) == 60
