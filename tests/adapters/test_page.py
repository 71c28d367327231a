"""The page on adapters shows the files that are tested, and what a failure really says."""

import re
from pathlib import Path

import pytest

from chronoscore.demo import home
from chronoscore.testing import assert_scores
from chronoscore.timelines import evaluate

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "fits-in.md").read_text(encoding="utf-8")
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_page_shows_the_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert f"```python\n{text}```\n" in PAGE
    assert len(text.splitlines()) < 60


def test_there_are_examples() -> None:
    assert [path.name for path in EXAMPLES] == [
        "chronoscore_metric.py",
        "inspect_scorer.py",
        "test_timelines.py",
    ]


def test_the_page_shows_what_a_failure_says() -> None:
    block = re.search(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    assert block is not None
    result = evaluate(home() / "gold.jsonl", home() / "lead.jsonl")
    with pytest.raises(AssertionError) as caught:
        assert_scores(result, {"AR-1": 0.3, "Date-F1": 0.5})
    assert str(caught.value) == block[1]
