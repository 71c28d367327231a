from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workbench.bench import Bench
from workbench.browsing import ARGUMENTS, CHROMIUM, playwright_or_skip


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_or_skip().sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield opened
        opened.close()
