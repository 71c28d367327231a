"""Our side of relation lists: temporal awareness of all links given, by exact closure."""

import json
from pathlib import Path

from benchmarks.stopwatch import drive
from chronoscore.ordering.awareness import awareness
from chronoscore.ordering.model import Link


def work(folder: Path) -> dict[str, float]:
    """F1 of all links given, as tieval counts them: it reduces nothing."""
    numbers = {}
    for path in sorted(folder.glob("links*.json")):
        sides = json.loads(path.read_text(encoding="utf-8"))
        gold, system = ([Link(*link) for link in sides[side]] for side in ("gold", "system"))
        matched, total, recalled, wanted = awareness(gold, system, "acl11").counts
        precision, recall = matched / total, recalled / wanted
        both = precision + recall
        numbers[path.stem] = 2 * precision * recall / both if both else 0.0
    return numbers


if __name__ == "__main__":
    drive(work)
