"""A run loads what it shows: neither numpy for a help text, nor a family that was not asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chronoscore.demo import home

HEAVY = ("numpy", "scipy")


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a call of the command loads; without arguments, those of the package."""
    program = "import chronoscore\n"
    if arguments:
        program = (
            "from chronoscore.cli.main import main\n"
            "import contextlib, io, sys\n"
            f"sys.argv = {['chronoscore', *arguments]!r}\n"
            "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
            "    main()\n"
        )
    done = subprocess.run(
        [sys.executable, "-c", f"{program}import sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "chronoscore"}


@pytest.mark.parametrize("arguments", [(), ("--help",), ("timelines", "--help")])
def test_start_is_light(arguments: tuple[str, ...]) -> None:
    assert not {name.split(".")[0] for name in loaded_by(*arguments)} & set(HEAVY)


FAR = ("annotations", "ordering", "rubric", "evaluation", "workbench", "compat", "reproduction")
"""Rooms that a run of timelines never enters."""

SLOW = ("scipy", "numpy.random", "importlib.metadata", "statistics", "difflib", "gzip", "csv")
"""Modules that are slow to import, and that a plain run does not need."""


@pytest.mark.parametrize(("report", "most"), [(False, 83), (True, 96)])
def test_scoring_timelines_loads_what_it_shows(report: bool, most: int, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    more = ["--report", str(page)] if report else []
    files = [str(home() / f"{name}.jsonl") for name in ("gold", "quick")]
    everything = loaded_by("timelines", *files, *more)
    loaded = ours(everything)
    assert "chronoscore.timelines.family" in loaded
    assert page.exists() == report
    assert len(loaded) < most
    rooms = {name.split(".")[1] for name in loaded - {"chronoscore"}}
    assert not rooms & {*FAR}
    assert not {name for name in loaded if name.startswith("chronoscore.elements.embedding")}
    assert report == any(name.startswith("chronoscore.reports.html") for name in loaded)
    assert not everything & {*SLOW}


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, "1"),
        ({"OPENBLAS_NUM_THREADS": "3"}, "3"),
        ({"OMP_NUM_THREADS": "4"}, "None"),  # which OpenBLAS reads if there is no number of its own
    ],
)
def test_numpy_gets_one_thread_unless_the_user_chose_a_number(
    environment: dict[str, str], threads: str
) -> None:
    program = (
        "import os, sys\n"
        "from chronoscore.cli.main import main\n"
        "sys.argv = ['chronoscore', '--version']\n"
        "try: main()\n"
        "except SystemExit: print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    others = {name: value for name, value in os.environ.items() if name not in names}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**others, **environment},
    )
    assert done.stdout.splitlines()[-1] == threads
