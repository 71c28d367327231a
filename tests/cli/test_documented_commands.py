"""The commands that these pages show run on the demo data, one after the other."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronoscore.cli.main import command

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (
    "agreement",
    "calibrate",
    "correlate",
    "evaluate",
    "judge",
    "judgements",
    "leaderboard",
    "paper",
    "rubric",
)


def shown(page: str) -> list[str]:
    """The commands of a page's console blocks."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ chronoscore ")]


@pytest.mark.parametrize("page", PAGES)
def test_documented_commands_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(command, ["demo", "--data", "demo"])
    lines = shown(page)
    assert lines
    for line in lines:
        if "https://host" in line and "--dry-run" not in line:
            continue  # there is no such server
        done = CliRunner().invoke(command, shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.output, done.exception)
