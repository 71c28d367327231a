"""Where the test vectors are: our own beside the tests, others outside the repository."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent / "vectors"
REPOSITORY = Path(__file__).parents[1]


@cache
def free(name: str) -> Any:
    """A vector file of our own, for example ``timelines/edge.json``."""
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def real_home() -> Path | None:
    """The folder of the public vectors, or None where they are not on this machine."""
    home = Path(os.environ.get("CHRONOSCORE_VECTORS", REPOSITORY.parent / "shared" / "vectors"))
    return home / "real" if (home / "real").is_dir() else None


def real(name: str) -> Path:
    """A file or folder of public data; the calling test is skipped where there is none."""
    home = real_home()
    if home is None:
        pytest.skip("public vectors not found (set CHRONOSCORE_VECTORS to their folder)")
    return home / name
