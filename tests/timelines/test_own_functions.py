"""Kernels, costs, assignments and models of one's own: what goes wrong in them is told."""

from pathlib import Path
from typing import Any

import pytest
from readers.command_line import USAGE, run

from chronoscore.errors import UsageError
from chronoscore.timelines import evaluate

GOLD = {"2011-01-01": ["alpha beta gamma"], "2011-01-10": ["delta epsilon"]}
PREDICTED = {"2011-01-03": ["alpha gamma"], "2011-01-10": ["delta"], "2011-02-01": ["zeta"]}
MODULE = """
import numpy as np

def raises(*given):
    raise KeyError("lost")

def number(*given):
    return 0.5

def nothing(*given):
    return None

def nan(*given):
    return np.full_like(given[-1], np.nan)

def minus(distance):
    return np.full_like(distance, -1)

def much(distance):
    return np.full_like(distance, 2)

def wide(cost, distance):
    return np.full(len(cost), 99)

def below(cost, distance):
    return np.full(len(cost), -2)

def halves(cost, distance):
    return np.full(len(cost), 0.5)

def picky(distance):
    assert distance.size
    return distance * 0 + 1
"""


@pytest.fixture(autouse=True)
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_functions_here.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


WRONG = [
    ("kernel=raises", "raises failed: KeyError: 'lost'"),
    ("kernel=number", "number gave 0.5, expected a table of 3 x 2 numbers"),
    ("kernel=nothing", "nothing gave None, expected a table of 3 x 2 numbers"),
    ("kernel=nan", "nan gave a number that is not finite"),
    ("kernel=minus", "minus gave -1, expected weights from 0 to 1"),
    ("kernel=much", "much gave 2, expected weights from 0 to 1"),
    ("cost=raises", "raises failed: KeyError: 'lost'"),
    ("cost=number", "number gave 0.5, expected a table of 3 x 2 numbers"),
    ("cost=nan", "nan gave a number that is not finite"),
    ("assign=raises", "raises failed: KeyError: 'lost'"),
    ("assign=number", "number gave 0.5, expected a whole number for each of 3 rows"),
    ("assign=halves", "halves gave a table of 3, expected a whole number for each of 3 rows"),
    ("assign=wide", "wide gave column 99, expected -1 to 1"),
    ("assign=below", "below gave column -2, expected -1 to 1"),
    ("overlap=meaning,model=raises", "raises' failed: KeyError: 'lost'"),
]


@pytest.mark.parametrize(("parameters", "words"), WRONG)
def test_what_goes_wrong_in_a_function_is_told(parameters: str, words: str) -> None:
    name, _, function = parameters.rpartition("=")
    with pytest.raises(UsageError) as told:
        evaluate(GOLD, PREDICTED, metrics=[f"align({name}=own_functions_here:{function})"])
    assert words in str(told.value)


def test_an_empty_side_asks_no_function() -> None:
    metric = "align(kernel=own_functions_here:picky)"
    found: Any = evaluate(GOLD, {}, metrics=[metric]).document.systems[0].summaries[0]
    assert found.scores["recall"] == 0


def test_the_command_ends_with_a_message(tmp_path: Path) -> None:
    for name in ("gold.json", "predicted.json"):
        (tmp_path / name).write_text('{"2011-01-01": ["alpha"]}', encoding="utf-8")
    ran = run(
        "timelines",
        tmp_path / "gold.json",
        tmp_path / "predicted.json",
        "-m",
        "align(kernel=own_functions_here:number)",
    )
    assert ran.code == USAGE
    assert "own_functions_here:number gave 0.5" in ran.err


@pytest.mark.parametrize("body", ["1 / 0", "raise SystemExit(0)"])
def test_a_module_that_fails_on_import_is_told(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fails_on_import.py").write_text(body, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="'fails_on_import' can't be imported"):
        evaluate(GOLD, PREDICTED, metrics=["align(kernel=fails_on_import:f)"])
