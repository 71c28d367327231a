"""Each explanation is of a change that a campaign can draw, and stands below it in the report."""

from pathlib import Path

import pytest
from mutation.campaign import Tried, report
from mutation.explained import EXPLAINED
from mutation.mutants import Mutant, mutants

import chronoscore

PACKAGE = Path(chronoscore.__file__).parent


def _drawn(path: str, before: str, after: str) -> Mutant:
    for one in mutants(path, (PACKAGE / path).read_bytes()):
        if (" ".join(one.before.split()), " ".join(one.after.split())) == (before, after):
            return one
    raise AssertionError(f"{path}: no mutant changes {before} to {after}")


@pytest.mark.parametrize("change", EXPLAINED, ids=lambda change: change[0])
def test_the_reason_stands_below_a_mutant_that_lived(change: tuple[str, str, str]) -> None:
    lines = [*report([Tried(_drawn(*change), "survived", 3)])]
    assert lines[-3] == "1 of the other 1 change nothing that can be observed:"
    assert lines[-2].startswith("survived (3 tests): ")
    assert lines[-1] == f"    {EXPLAINED[change]}"
