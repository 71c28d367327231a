"""What commands write does not depend on the hash seed of Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chronoscore.demo import home

GOLD, CAREFUL, QUICK = (str(home() / f"{name}.jsonl") for name in ("gold", "careful", "quick"))
SHEET = str(home() / "judgements.csv")
COMMANDS = {
    "timelines": ["timelines", GOLD, CAREFUL, QUICK, "--interval", "bootstrap", "--by", "topic"],
    "evaluate": ["evaluate", GOLD, CAREFUL],
    "rubric": ["rubric", SHEET, "--by", "evaluator"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_two_hash_seeds_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        line = [*COMMANDS[name], "--save", "result.json", "--report", "page.html"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1700000000"}
        done = subprocess.run(
            [sys.executable, "-m", "chronoscore", *line],
            cwd=folder,
            env=environment,
            capture_output=True,
            check=True,
        )
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        written.append((done.stdout, files))
    assert {"result.json", "page.html"} <= {*written[0][1]}
    assert written[0] == written[1]
