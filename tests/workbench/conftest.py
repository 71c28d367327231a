from collections.abc import Iterator
from pathlib import Path

import pytest
from workbench.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.store.close()
