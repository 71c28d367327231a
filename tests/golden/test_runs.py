"""What the commands print, save and return is what they printed, saved and returned before.

`GOLDEN_WRITE=1 python -m pytest -n 0 tests/golden -k PATTERN` writes the expected files again.
"""

import pytest
from golden.running import CLASSES, EXPECTED, check, outputs
from golden.table import RUNS

BY_NAME = {run.name: run for run in RUNS}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in BY_NAME]
)
def test_an_output_is_as_before(name: str) -> None:
    found = outputs(BY_NAME[name])
    for kind in CLASSES:
        check(f"{kind}/{name}", found.get(kind, ""))


def test_every_expected_file_belongs_to_a_run() -> None:
    assert len(BY_NAME) == len(RUNS)
    named = {path.stem for kind in CLASSES for path in (EXPECTED / kind).glob("*.txt")}
    assert named <= set(BY_NAME)
