"""Peers and how they are installed, each into an environment of its own under `.bench/`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / ".bench"


class MissingError(Exception):
    """A peer is not there; the text says why."""


@dataclass(frozen=True)
class Peer:
    """What pip is given, one call after the other, and what had to be found out."""

    installs: tuple[tuple[str, ...], ...]
    needed: str
    fresh: bool = False
    """Install again in every run: our own code changes."""
    commit: str = ""
    """Install this repository as it was at a commit."""


BASE = "chronoscore-b64a168"
"""What our speed at scale is compared with: before texts became columns."""

_NUMPY, _SCIPY, _NLTK = "numpy==2.4.6", "scipy==1.17.1", "nltk==3.10.4"

PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "chronoscore": Peer(
            ((str(ROOT),),), "this checkout, installed as a user would, not editable", fresh=True
        ),
        BASE: Peer(((),), "this repository at an earlier commit", commit=BASE.partition("-")[2]),
        "tilse": Peer(
            (("--no-deps", "tilse==0.2.1"), (_NUMPY, _SCIPY, _NLTK)),
            "evaluation alone needs numpy, scipy and nltk; the wheel brings ROUGE-1.5.5, which "
            "needs Perl with XML::Parser (Debian: libxml-parser-perl)",
        ),
        "tilse-full": Peer(
            (
                (
                    *("tilse==0.2.1", _NUMPY, _SCIPY, _NLTK, "spacy==3.8.18", "textacy==0.13.0"),
                    *("numba==0.68.1", "scikit-learn==1.9.1"),
                ),
            ),
            "what `pip install tilse` brings, for its size",
        ),
        "nervaluate": Peer((("nervaluate==1.2.1",),), "nothing else"),
        "seqeval": Peer(
            (("seqeval==1.2.2", _NUMPY, _SCIPY, "scikit-learn==1.9.1"),),
            "comes as source only, is built by pip; needs scikit-learn",
        ),
        "scipy": Peer((("scipy==1.17.1", _NUMPY),), "numpy"),
        "krippendorff": Peer((("krippendorff==0.9.0", _NUMPY),), "numpy"),
        "evalica": Peer(
            (("evalica==0.4.2", _NUMPY, _SCIPY, "pandas==3.1.1"),), "numpy, scipy and pandas"
        ),
        "rouge-score-rs": Peer((("rouge-score-rs==0.2.1",),), "nothing else"),
        "rouge-score": Peer(
            (("rouge-score==0.1.2", "absl-py==2.5.1", _NLTK, _NUMPY, "six==1.17.0"),),
            "comes as source only, is built by pip; needs nltk",
        ),
        "tieval": Peer(
            (("--no-deps", "tieval==0.1.11", "networkx==3.6.1"),),
            "evaluation alone needs networkx; all its dependencies (cloud clients) are 160 MB",
        ),
    }
)


def clean_environ() -> dict[str, str]:
    """The environment without what `make` and an active environment put into it."""
    mine = ("PIP_CONSTRAINT", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")
    return {name: value for name, value in os.environ.items() if name not in mine}


def environment(peer: str, work: Path = WORK, *, install: bool = True) -> Path:
    """The interpreter of the peer's environment, made and filled if it is not there."""
    recipe = PEERS[peer]
    home = work / peer
    python = home / "bin" / "python"
    stamp, wanted = home / "installed.txt", repr((sys.version, recipe.installs, recipe.commit))
    ready = stamp.exists() and stamp.read_text(encoding="utf-8") == wanted
    if ready and not (recipe.fresh and (home, sys.version) not in _made):
        return python
    if not install:
        raise MissingError(f"{peer} is not installed")
    shutil.rmtree(home, ignore_errors=True)
    source = _archived(recipe.commit, home)
    _run([sys.executable, "-m", "venv", str(home)], peer)
    for arguments in recipe.installs:
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        _run([*pip, *arguments, *source], peer)
    stamp.write_text(wanted, encoding="utf-8")
    _made.add((home, sys.version))
    return python


_made: set[tuple[Path, str]] = set()
"""Environments made in this run."""


def _archived(commit: str, home: Path) -> list[str]:
    """Write the repository at a commit to a file that pip takes."""
    if not commit:
        return []
    home.mkdir(parents=True)
    file = home / f"{commit}.tar.gz"
    command = ["git", "-C", str(ROOT), "archive", "--prefix=source/", "-o", str(file), commit]
    try:
        subprocess.run(command, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise MissingError(f"this clone has no commit {commit}") from None
    return [str(file)]


def _run(command: list[str], peer: str) -> None:
    print(f"installing {peer}: {' '.join(command[-3:])}", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=clean_environ(), timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingError(f"can't be installed: {error}") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        last = (errors or done.stderr.strip().splitlines() or ["no message"])[-1]
        raise MissingError(f"can't be installed: {last[:200]}")


def megabytes(python: Path, without: tuple[str, ...] = ()) -> float:
    """The size of what was installed, without pip's own packages and those named."""
    found = (python.parent.parent / "lib").glob("python*/site-packages")
    skipped = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-", *without)
    return (
        sum(
            file.lstat().st_size
            for site in found
            for entry in site.iterdir()
            if not entry.name.startswith(skipped)
            for file in (entry.rglob("*") if entry.is_dir() else [entry])
            if file.is_file()
        )
        / 1e6
    )
