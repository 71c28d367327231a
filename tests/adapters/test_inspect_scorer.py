"""The scorer for inspect_ai, in real evaluations of its mock model."""

import gc
import math
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from chronoscore.timelines import evaluate, score_many

pytestmark = [
    pytest.mark.skipif(
        not find_spec("inspect_ai"), reason="inspect_ai is not installed: `make adapters` runs this"
    ),
    # It calls others in an old way and leaves streams open: told, but not ours to mend.
    pytest.mark.filterwarnings("default"),
]

ROOT = Path(__file__).parents[2]
CAIRO = "2011-01-25: Protests begin in Cairo.\n2011-02-11: Mubarak resigns."
NEAR = '{"date": "2011-01-26", "text": "Protests began in Cairo."}'
MOON = "1969-07-20: The Eagle lands."
GOLD = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
FOUND = {"2011-01-26": ["Protests began in Cairo."]}
DAYS = {"1969-07-20": ["The Eagle lands."]}

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Let the mock model say these outputs, one a sample, and score them by the targets."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "INSPECT_LOG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)

    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from examples.inspect_scorer import timeline_scorer

    def evaluated(
        outputs: list[str],
        targets: Sequence[Any] = (),
        epochs: int = 1,
        task: Any = None,
        **scorer: Any,
    ) -> Any:
        said = [ModelOutput.from_content("mockllm/model", text) for text in outputs]
        for output in said:
            # Else the mock counts tokens, for which it would fetch a vocabulary.
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        samples = [Sample(id=n, input="Go.", target=t) for n, t in enumerate(targets, 1)]
        (log,) = eval(
            task or Task(dataset=samples, scorer=timeline_scorer(**scorer)),
            model=get_model("mockllm/model", custom_outputs=said, memoize=False),
            epochs=epochs,
            max_samples=1,  # the outputs are said in this order
            display="none",
            log_dir=str(tmp_path / "logs"),
        )
        return log

    yield evaluated
    gc.collect()  # what it left open is told here, not in another test


def scores(log: Any) -> list[Any]:
    assert log.status == "success", log.error.message
    return [sample.scores["timeline_scorer"] for sample in log.samples]


def metrics(log: Any) -> dict[str, float]:
    return {
        name: metric.value for each in log.results.scores for name, metric in each.metrics.items()
    }


def test_a_sample_has_our_score_and_its_matches(run: Run) -> None:
    (score,) = scores(run([NEAR], [CAIRO]))
    assert score.value == score_many(GOLD, [FOUND])[0]["AR-1"]["f1"]
    assert score.explanation.splitlines() == [
        "precision 2011-01-26 ~ 2011-01-25, other day: 1.5/3",
        "recall 2011-01-26 ~ 2011-01-25, other day: 1.5/3",
        "recall 2011-01-26 ~ 2011-02-11, nothing shared: 0/2",
    ]


def test_the_page_is_right(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "fits-in.md").read_text(encoding="utf-8")
    block = re.search(r"```python\n(from inspect_ai import Task\n.*?)```", page, re.DOTALL)
    assert block is not None
    monkeypatch.syspath_prepend(ROOT / "examples")
    made: dict[str, Any] = {}
    exec(compile(block[1], "fits-in.md", "exec"), made)
    (score,) = scores(run([CAIRO], task=made["task"]))
    assert score.value == 1


def test_samples_are_averaged_and_beside_it_pooled(run: Run) -> None:
    found = metrics(run([NEAR, MOON], [CAIRO, MOON]))
    topics = {"a": GOLD, "b": DAYS}, {"a": FOUND, "b": DAYS}
    micro = evaluate(*topics, metrics=["AR-1"], average="micro").document.systems[0].summaries[0]
    each = [score_many(g, [p])[0]["AR-1"]["f1"] for g, p in ((GOLD, FOUND), (DAYS, DAYS))]
    assert found["mean"] == pytest.approx(sum(each) / 2)
    assert found["pooled"] == pytest.approx(micro.scores["f1"])
    assert found["pooled"] != pytest.approx(found["mean"])


def test_all_epochs_are_pooled(run: Run) -> None:
    found = metrics(run([CAIRO, "Nothing."], [CAIRO], epochs=2, metric="Date-F1"))
    assert found["mean"] == 0.5
    assert found["pooled"] == pytest.approx(2 / 3)  # 2 of 2 dates right, 2 of 4 found


def test_what_a_model_says_around_it_is_told(run: Run) -> None:
    text = f"Here it is:\n```\n- **2011-01-25:** Protests begin in Cairo.\n{NEAR}\n2011-02-30: No."
    (score,) = scores(run([text], [CAIRO], metric="Date-F1"))
    assert score.value == pytest.approx(0.5)
    assert [line for line in score.explanation.splitlines() if line.startswith("not read")] == [
        "not read: Here it is:",
        "not read: ```",
        "not read: 2011-02-30: No.",
    ]


def test_no_timeline_is_an_empty_one(run: Run) -> None:
    (score,) = scores(run(["I can't tell."], [CAIRO]))
    assert score.value == 0
    assert "not read: I can't tell." in score.explanation


def test_undefined_is_unscored_and_not_zero(run: Run) -> None:
    log = run(["I can't tell.", NEAR], [CAIRO, CAIRO], metric="date-distance")
    undefined, defined = scores(log)
    assert math.isnan(undefined.value)
    assert metrics(log)["mean"] == defined.value


def test_a_target_may_be_a_list_of_lines(run: Run) -> None:
    (score,) = scores(run([CAIRO], [CAIRO.splitlines()]))
    assert score.value == 1


def test_a_target_that_is_no_timeline_fails_the_run(run: Run) -> None:
    log = run([CAIRO], ["Mubarak resigns."])
    assert log.status == "error"
    assert "the target is no timeline: not read: Mubarak resigns." in log.error.message
