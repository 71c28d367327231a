# mypy: ignore-errors
"""tieval's side of relation lists: temporal awareness."""

import json

from tieval.evaluate import temporal_awareness
from tieval.links import TLink

from benchmarks.stopwatch import drive


def work(folder):
    """F1 of the links of both sides, for each pair of lists."""
    numbers = {}
    for path in sorted(folder.glob("links*.json")):
        sides = json.loads(path.read_text(encoding="utf-8"))
        gold, system = ({TLink(*link) for link in sides[side]} for side in ("gold", "system"))
        numbers[path.stem] = temporal_awareness(system, gold)
    return numbers


drive(work)
