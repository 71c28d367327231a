"""The examples of CONTRIBUTING.md are code that runs, and what the page names exists."""

import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronoscore.core.case import Case
from chronoscore.elements.dated.model import Timeline
from chronoscore.timelines import metrics
from chronoscore.timelines.comparison import compare

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def defined() -> dict[str, Any]:
    """What the Python blocks define, run within the module that they are for."""
    names = dict(vars(metrics))
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(block, "CONTRIBUTING.md", "exec"), names)
    return names


def test_the_metric_of_the_example_measures(defined: dict[str, Any]) -> None:
    gold = Timeline.of({date(2011, 1, 25): ["Protests."], date(2011, 2, 11): ["He resigns."]})
    predicted = Timeline.of({date(2011, 1, 25): ["Protests."]})
    metric = defined["SAME_DATES"]()
    comparison = compare(Case("egypt", (gold,), predicted), metric.setting)
    scores = metric.link(np.array(metric.measure(comparison).statistics, dtype=float))
    assert dict(zip(metric.scores, scores, strict=True)) == pytest.approx(
        {"precision": 1, "recall": 1 / 2, "f1": 2 / 3}
    )


def test_the_parameter_of_the_example_is_one(defined: dict[str, Any]) -> None:
    assert defined["TOLERANCE"].default == 0


def test_commands_and_files_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert set(re.findall(r"`make (\w+)", PAGE)) <= targets
    for path in re.findall(r"`((?:src|tests|docs)/[\w/.]+)`", PAGE):
        assert (ROOT / path).exists(), path
    for path in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / path).exists(), path
