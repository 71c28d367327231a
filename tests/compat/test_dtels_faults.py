"""The page about the faults of DTELS: every case gives what the page says."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from chronoscore.api import score
from chronoscore.compat.dtels import events_of

pytest.importorskip("rjieba", reason="needs chronoscore[cjk]")
WHOLE = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
PAGE = WHOLE.partition("\n## DTELS / CCKS-2025\n")[2].partition("\n## ")[0]
(PREPARED,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
_SCORE = re.compile(r"`(event-[a-z0-9]+)` ([0-9.]+)")


class Fault(NamedTuple):
    name: str
    setting: str
    call: str
    answer: str
    ours: Mapping[str, str]


def fault(row: str) -> Fault:
    name, case, answer, ours = row.strip("| ").split(" | ")
    setting, call = re.findall(r"`(.+?)`(?=<br>|$)", case)
    return Fault(name, setting, call, answer.split("`")[1], dict(_SCORE.findall(ours)))


ROWS = [line for line in PAGE.splitlines() if line.startswith("| ")]
FAULTS = [fault(row) for row in ROWS[1:]]


def run(case: Fault) -> tuple[str, dict[str, Any]]:
    names: dict[str, Any] = {}
    exec(f"{PREPARED}\n{case.setting}", names)
    return repr(eval(case.call, names)), names


def test_the_page_has_every_fault() -> None:
    assert len(FAULTS) == 17
    assert sum(bool(case.ours) for case in FAULTS) == 9


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case.name.split(":")[0])
def test_a_fault_gives_what_the_page_says(case: Fault) -> None:
    assert run(case)[0] == case.answer


@pytest.mark.parametrize(
    "case", [case for case in FAULTS if case.ours], ids=lambda case: case.name.split(":")[0]
)
def test_ours_gives_what_the_page_says(case: Fault) -> None:
    _, names = run(case)
    gold, predicted = ({"topic": events_of(names[side])} for side in ("gold", "predicted"))
    result = score("events", gold, predicted, metrics=list(case.ours))
    assert {name: f"{result[name]:.3f}" for name in case.ours} == case.ours
