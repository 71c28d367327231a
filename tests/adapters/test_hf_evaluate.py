"""The metric module for Hugging Face `evaluate`, loaded by the real package."""

import math
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from chronoscore.timelines import evaluate as ours

MODULE = Path(__file__).parents[2] / "examples" / "hf_evaluate" / "chronoscore_metric.py"
needs_evaluate = pytest.mark.skipif(
    not find_spec("evaluate"), reason="evaluate is not installed: `make adapters` runs this"
)

CAIRO = [
    {"date": "2011-01-25", "text": "Protests begin in Cairo."},
    {"date": "2011-02-11", "text": "Mubarak resigns."},
]
NEAR = [{"date": "2011-01-26", "text": "Protests began in Cairo."}]
MOON = [
    {"date": "1969-07-20", "text": "The Eagle lands."},
    {"date": "1969-07-20", "text": "A step."},
]


@pytest.fixture(scope="module")
def metric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        # What it caches goes into a folder of this run, and nothing is asked of the network.
        patch.setenv("HF_HOME", str(tmp_path_factory.mktemp("hf")))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_EVALUATE_OFFLINE", "1")
        import evaluate

        yield evaluate.load(str(MODULE))


@needs_evaluate
def test_scores_are_ours_by_name(metric: Any) -> None:
    found = metric.compute(predictions=[NEAR, MOON], references=[CAIRO, MOON])
    result = ours({"a": CAIRO, "b": MOON}, {"a": NEAR, "b": MOON})
    assert found == {
        f"{score.metric} {name}": value for score in result for name, value in score.scores.items()
    }
    assert found["Date-F1 f1"] == 0.5


@needs_evaluate
def test_the_page_is_right(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (MODULE.parents[2] / "docs" / "fits-in.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(import evaluate\n.*?)```", page, re.DOTALL)
    assert block is not None
    monkeypatch.chdir(MODULE.parent)
    exec(compile(block[1], "fits-in.md", "exec"), {})


@needs_evaluate
def test_several_references_are_several_golds(metric: Any) -> None:
    found = metric.compute(predictions=[MOON], references=[[MOON, CAIRO]], metrics=["Date-F1"])
    assert found["Date-F1 precision"] == 0.5


@needs_evaluate
def test_batches_add_up_to_the_whole(metric: Any) -> None:
    metric.add_batch(predictions=[NEAR], references=[CAIRO])
    metric.add(prediction=MOON, reference=MOON)
    whole = metric.compute(metrics=["AR-1"])
    at_once = metric.compute(predictions=[NEAR, MOON], references=[CAIRO, MOON], metrics=["AR-1"])
    assert whole == at_once


@needs_evaluate
def test_an_empty_prediction_is_zero_and_undefined_is_nan(metric: Any) -> None:
    given = {"predictions": [[]], "references": [CAIRO], "metrics": ["Date-F1"]}
    assert metric.compute(**given)["Date-F1 f1"] == 0
    assert math.isnan(metric.compute(**given, undefined="skip")["Date-F1 precision"])
