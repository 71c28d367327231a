"""What is released: an archive of sources, the wheel built from it, and both run when installed."""

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from chronoscore import __version__

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
SOURCE = ROOT / "src" / "chronoscore"
DATA = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in SOURCE.rglob("*")
    if path.is_file() and path.suffix not in (".py", ".pyc")
)
SMALL_SCORE = (
    "import chronoscore; from chronoscore import timelines; "
    "gold = {'2011-01-25': ['Protests begin in Cairo.']}; "
    "made = timelines.evaluate(gold, gold, metrics=['Date-F1']); "
    "print(chronoscore.__version__, chronoscore.metric('AR-2'), made is not None)"
)


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
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive of sources, and the wheel that was built from that archive."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(archives: Path) -> Path:
    (built,) = archives.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def sources(archives: Path) -> Path:
    (packed,) = archives.glob("*.tar.gz")
    return packed


def test_both_archives_hold_all_code_and_data_and_nothing_else(wheel: Path, sources: Path) -> None:
    for name in ("py.typed", "demo/gold.jsonl", "workbench/store/migrations/1-judging.sql"):
        assert name in DATA  # and so is what a page, a script or a word list needs
    code = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")}
    in_wheel = set(zipfile.ZipFile(wheel).namelist())
    held = {name.removeprefix("chronoscore/") for name in in_wheel if "dist-info" not in name}
    assert held == {*DATA, *code}
    home = f"chronoscore-{__version__}/"
    with tarfile.open(sources) as archive:
        files = {entry.name.removeprefix(home) for entry in archive if entry.isfile()}
    beside = {name for name in files if not name.startswith("src/")}
    assert files - beside == {f"src/chronoscore/{name}" for name in (*DATA, *code)}
    assert beside == {
        *("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "pyproject.toml", "PKG-INFO"),
        ".gitignore",
    }


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith("METADATA"))
    metadata = archive.read(name).decode()
    assert wheel.name == f"chronoscore-{__version__}-py3-none-any.whl"
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "Classifier: Development Status :: 4 - Beta" in metadata
    page = (ROOT / "docs/stability.md").read_text(encoding="utf-8").split("## Python versions")[1]
    declared = re.findall(r"Python :: (3\.\d+)\n", metadata)
    assert declared == re.findall(r"\b3\.\d+\b", page)


def install(folder: Path, archive: Path) -> tuple[Path, Path]:
    """Install an archive into an environment of its own: its command and its Python."""
    venv.create(folder / "env", with_pip=False)
    scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    # Our pip installs into it, and Python compiles only what a command then imports.
    words = ("--python", scripts / "python", "install", "-q", "--no-compile", archive)
    run(sys.executable, "-m", "pip", *words, cwd=folder)
    return scripts / "chronoscore", scripts / "python"


@pytest.mark.campaign
def test_sources_run_in_a_clean_environment(sources: Path, tmp_path: Path) -> None:
    """The wheel that every run installs was built from the sources, too."""
    command, _ = install(tmp_path, sources)
    assert "careful" in run(command, "demo", cwd=tmp_path)


def test_the_wheel_runs_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    command, python = install(tmp_path, wheel)
    assert "careful" in run(command, "demo", cwd=tmp_path)
    assert run(command, "--version", cwd=tmp_path) == f"chronoscore {__version__}\n"
    assert run(python, "-c", SMALL_SCORE, cwd=tmp_path).split()[0] == __version__
    run(command, "demo", "--data", "demo", cwd=tmp_path)
    timelines = ("timelines", "demo/gold.jsonl", "demo/quick.jsonl", "--save", "run.json")
    table = run(command, *timelines, "--format", "csv", cwd=tmp_path)
    assert table.startswith("system,AR-1 P")
    assert "@misc{chronoscore," in run(command, "cite", "run.json", cwd=tmp_path)
    assert_small(python, tmp_path)


def assert_small(python: Path, folder: Path) -> None:
    """Only numpy and scipy are large: what else the core needs stays small."""
    where = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = Path(run(python, "-c", where, cwd=folder).strip())
    size = {
        entry.name: sum(f.stat().st_size for f in entry.rglob("*") if f.is_file())
        for entry in site.iterdir()
        if entry.is_dir() and not entry.name.startswith(("pip", "setuptools", "_distutils", "pkg_"))
    }
    heavy = {name: n for name, n in size.items() if name.startswith(("numpy", "scipy"))}
    assert sum(size.values()) - sum(heavy.values()) < 15e6
    assert sum(size.values()) < 260e6
