"""Ordering: tieval 0.1.11, temporal awareness by closure."""

import random
import shutil
from pathlib import Path

from benchmarks.frame import Comparison, Scale, group

SEED = 41
MANY: dict[Scale, tuple[int, int]] = {"tiny": (2, 5), "quick": (10, 20), "full": (60, 40)}
LONG: dict[Scale, tuple[int, int]] = {"tiny": (1, 6), "quick": (1, 60), "full": (1, 300)}


def many_timelines(folder: Path, scale: Scale) -> str:
    """As in the shared task: dozens of targets, a few dozen events each."""
    targets, events = MANY[scale]
    return _timelines(folder, targets, events)


def long_timeline(folder: Path, scale: Scale) -> str:
    """One long chain, where the closure shows."""
    targets, events = LONG[scale]
    return _timelines(folder, targets, events)


def _timelines(folder: Path, targets: int, events: int) -> str:
    shutil.rmtree(folder, ignore_errors=True)
    _write(folder / "trial", 1, 4)
    _write(folder, targets, events)
    return f"{targets} timeline{'s' * (targets > 1)} of {events} events"


def _write(folder: Path, targets: int, events: int) -> None:
    """Gold orders with ties, and predictions that lose, invent and displace some events."""
    source = random.Random(SEED)
    for target in range(targets):
        position, gold, predicted = 1, [], []
        for number in range(events):
            position += source.random() < 0.7
            mention = f"{number}-{source.randint(1, 9)}-event"
            gold.append((position, mention))
            luck = source.random()
            if luck < 0.85:
                moved = source.choice((-2, -1, 1, 2)) if luck < 0.25 else 0
                predicted.append((max(1, position + moved), mention))
            elif luck < 0.9:
                predicted.append((position, f"{number}-0-other"))
        for name, rows in (("gold", gold), ("system", predicted)):
            lines = [f"{p}\t2020\t{mention}" for p, mention in rows]
            path = folder / name / f"target{target:03}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            ordered = sorted(lines, key=_natural)
            path.write_text("\n".join(["title", *ordered]) + "\n", encoding="utf-8")


def _natural(line: str) -> tuple[int, int, str]:
    """The official order of rows, for lines of this making."""
    position, _, mention = line.split("\t")
    return int(position), int(mention.split("-")[0]), mention


GROUP = group(
    "ordering",
    "SemEval-2015 order-only F1 against tieval",
    *(
        Comparison(
            what="order-only F1",
            make=make,
            ours="ordering.py",
            theirs="tieval_ordering.py",
            peer="tieval",
            label="tieval 0.1.11",
        )
        for make in (many_timelines, long_timeline)
    ),
)
