"""No input that once failed fails again."""

from pathlib import Path

import pytest
from fuzz.recorded import HOME, load
from fuzz.trying import try_input


@pytest.mark.parametrize("path", sorted(HOME.glob("*.json")), ids=lambda path: path.stem)
def test_a_recorded_input_is_answered_as_it_should_be(path: Path, tmp_path: Path) -> None:
    finding = try_input(load(path), tmp_path)
    assert finding is None, finding
