"""Importing the package and asking for help load neither numpy nor scipy."""

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy")


def loaded_by(code: str) -> set[str]:
    program = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "code",
    [
        "import chronoscore",
        "from click.testing import CliRunner\n"
        "from chronoscore.cli.main import command\n"
        "assert CliRunner().invoke(command, ['--help']).exit_code == 0",
        "from click.testing import CliRunner\n"
        "from chronoscore.cli.main import command\n"
        "assert CliRunner().invoke(command, ['timelines', '--help']).exit_code == 0",
    ],
    ids=["import", "help", "help of a verb"],
)
def test_start_is_light(code: str) -> None:
    assert not loaded_by(code) & set(HEAVY)
