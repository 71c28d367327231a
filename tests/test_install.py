"""The built wheel installs into a clean environment and runs there."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"


def run(*command: object, cwd: Path) -> str:
    environment = {**os.environ, "PIP_CONSTRAINT": str(CONSTRAINTS), "PYTHONPATH": ""}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_code_and_data_only(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "chronoscore/py.typed" in names
    assert "chronoscore/demo/gold.jsonl" in names
    assert "chronoscore/elements/text/data/wordnet_exceptions.txt" in names
    assert "chronoscore/workbench/store/migrations/1-judging.sql" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "docs"))]


def test_wheel_runs_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    scripts = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin")
    # Our pip installs into it, and Python compiles only what a command then imports.
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python")
    run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=tmp_path)
    assert "careful" in run(scripts / "chronoscore", "demo", cwd=tmp_path)
    assert run(scripts / "chronoscore", "--version", cwd=tmp_path).startswith("chronoscore ")
    run(scripts / "chronoscore", "demo", "--data", "demo", cwd=tmp_path)
    table = run(
        scripts / "chronoscore",
        "timelines",
        "demo/gold.jsonl",
        "demo/quick.jsonl",
        "--format",
        "csv",
        cwd=tmp_path,
    )
    assert table.startswith("system,AR-1 P")
    # numpy and scipy are all that is heavy: what else the core needs stays small.
    site = run(
        scripts / "python",
        "-c",
        "import sysconfig; print(sysconfig.get_paths()['purelib'])",
        cwd=tmp_path,
    ).strip()
    size = {
        entry.name: sum(f.stat().st_size for f in entry.rglob("*") if f.is_file())
        for entry in Path(site).iterdir()
        if entry.is_dir() and not entry.name.startswith(("pip", "setuptools", "_distutils", "pkg_"))
    }
    heavy = {name: n for name, n in size.items() if name.startswith(("numpy", "scipy"))}
    assert sum(size.values()) - sum(heavy.values()) < 15e6
    assert sum(size.values()) < 260e6
