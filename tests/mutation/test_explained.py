"""Each explanation is of a change that a campaign can draw, and stands below it in the report."""

from pathlib import Path

import pytest
from mutation.campaign import Tried, reason, report
from mutation.explained import EXPLAINED
from mutation.mutants import mutants

import chronoscore

PACKAGE = Path(chronoscore.__file__).parent


@pytest.mark.parametrize("change", EXPLAINED, ids=lambda change: change[0])
def test_the_reason_stands_below_a_mutant_that_lived(change: tuple[str, str]) -> None:
    drawn = mutants(change[0], (PACKAGE / change[0]).read_bytes())
    (mutant,) = (one for one in drawn if reason(one, PACKAGE) == EXPLAINED[change])
    lines = [*report([Tried(mutant, "survived", 3)], PACKAGE)]
    assert lines[-3] == "1 of the other 1 change nothing that can be observed:"
    assert lines[-2].startswith("survived (3 tests): ")
    assert lines[-1] == f"    {EXPLAINED[change]}"
