"""The simulation runs, finds again what it recorded, and is what the program and the docs say."""

import sys
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # `python -m pytest` has it there already, plain `pytest` has not

from benchmarks.simulate import METHODS, main  # noqa: E402
from benchmarks.simulation.batches import coverage  # noqa: E402
from benchmarks.simulation.populations import (  # noqa: E402
    ALIGNED,
    SCORES,
    Population,
    Score,
    drawn,
    hard,
)
from benchmarks.simulation.record import Shares, load  # noqa: E402
from chronoscore.engines.intervals import COVERAGE  # noqa: E402

RECORDED = load()
POOLED, MEAN, _ = SCORES


@pytest.fixture(scope="module")
def populations() -> dict[str, Population]:
    return {population.name: population for population in (drawn(), *hard())}


@pytest.mark.parametrize(
    ("name", "method"), [("auto", "jackknife-t"), ("logit", "jackknife-logit")]
)
def test_few_units_are_told_the_lowest_share_on_record(name: str, method: str) -> None:
    table = RECORDED[name]
    assert COVERAGE[method] == {n: round(table.lowest(str(n)), 2) for n in (2, 3, 4, 5)}


def test_the_docs_show_every_table_on_record() -> None:
    page = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    for name, table in RECORDED.items():
        assert f"<!-- simulated: {name} -->" in page
        for line in table.lines():
            assert line in page


@pytest.mark.parametrize("method", ["auto", "logit"])
@pytest.mark.parametrize(
    ("population", "score"),
    [
        ("beta-binomial", POOLED),
        ("skewed", MEAN),
        ("one in six at 0", MEAN),
        ("heavy-tailed", POOLED),
    ],
)
def test_a_cell_covers_as_on_record(
    populations: dict[str, Population], population: str, score: Score, method: str
) -> None:
    table, runs = RECORDED[method], 400
    bounds, _ = METHODS[method]
    recorded = table.rows[f"{population}, {score.label}"][table.columns.index("9")]
    share, _ = coverage(populations[population].all(score), score, 9, runs, bounds)
    assert share == pytest.approx(recorded, abs=4 * sqrt(recorded * (1 - recorded) / runs))


def test_populations_are_what_the_docs_say(populations: dict[str, Population]) -> None:
    rows = {name: one.rows[ALIGNED] for name, one in populations.items()}
    scores = rows["skewed"][..., 0] / rows["skewed"][..., 1]
    assert scores.mean() == pytest.approx(0.2, abs=0.005)  # of Beta(0.4, 1.6)
    assert scores.var() == pytest.approx(0.2 * 0.8 / 3, abs=0.002)
    assert np.log(rows["skewed"][..., 1] / 50).std() == pytest.approx(1, abs=0.02)
    failed = (rows["one in six at 0"][..., [0, 2]] == 0).all(axis=(1, 2)).mean()
    assert failed == pytest.approx(1 / 6, abs=0.01)
    sizes = np.sort(rows["heavy-tailed"][:, 0, 1]) / 20
    assert (sizes > 10).mean() == pytest.approx(10**-1.3, abs=0.003)
    hits = rows["heavy-tailed"][:, 0, 0] / rows["heavy-tailed"][:, 0, 1]
    large = rows["heavy-tailed"][:, 0, 1] > 20 * 10
    assert hits[large].mean() < hits[~large].mean()


def test_a_run_that_differs_by_more_than_chance_is_told() -> None:
    one = Shares("t", 5000, ("4", "9"), {"p, s": (0.95, 0.90)})
    near = Shares("t", 5000, ("4", "9"), {"p, s": (0.94, 0.91)})
    far = Shares("t", 5000, ("4", "9"), {"p, s": (0.95, 0.80)})
    assert one.apart(near) == []
    assert one.apart(far) == ["t, p, s, 9: 0.900, recorded 0.800"]


@pytest.mark.campaign
def test_a_quick_run_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "1"]) == 0
    text = capsys.readouterr().out
    for table in RECORDED.values():
        assert f"**{table.title}**" in text
