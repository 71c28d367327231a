"""A plugin of pytest that runs only the tests named in a file: `-p mutation.chosen`."""

import json
import os
import resource
from pathlib import Path

import pytest

CHOSEN = "MUTATION_CHOSEN"
"""The environment variable with the file: a list of test ids in JSON."""
MOST = 8 << 30
"""Bytes that the process may address, and bytes of the largest file that it may write."""


def pytest_configure() -> None:
    """Let a mutant that grows without end fail before the machine suffers."""
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE):
        resource.setrlimit(kind, (MOST, MOST))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not named."""
    path = os.environ.get(CHOSEN)
    if path is None:
        return
    names = set(json.loads(Path(path).read_text(encoding="utf-8")))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in names])
    items[:] = [item for item in items if item.nodeid in names]
