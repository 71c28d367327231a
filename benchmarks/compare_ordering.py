"""Ordering: tieval 0.1.11, temporal awareness by closure; and we alone on long timelines."""

import math
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.frame import Bench, Comparison, Cost, Group, Row, Scale, compare, growth, slope
from benchmarks.relations import SHAPES, write

SEED = 41
MANY: dict[Scale, tuple[int, int]] = {"tiny": (2, 5), "quick": (10, 20), "full": (60, 40)}
LONG: dict[Scale, tuple[int, int]] = {"tiny": (1, 6), "quick": (1, 60), "full": (1, 300)}
RELATIONS: dict[Scale, int] = {"tiny": 12, "quick": 100, "full": 800}
SIZES: dict[Scale, tuple[int, ...]] = {
    "tiny": (6, 12),
    "quick": (50, 100, 200),
    "full": (50, 100, 200, 400, 800, 1600, 3200),
}
EVENTS: dict[Scale, tuple[int, ...]] = {
    "tiny": (5, 10),
    "quick": (100, 800),
    "full": (100, 800, 5000),
}
SHAPE_BARS = {"dense": 40}
"""How many times our work tieval should take, at 800 relations; 30 for the other shapes."""
PEER_MOST = {"chain": 800, "interleaved": 800}
"""Relations up to which tieval is run: beyond, it takes minutes to hours on these shapes."""
LONG_BAR = "2 s and 500 MB at 5,000"


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
            lines = [f"{p}\t{_month(p)}\t{mention}" for p, mention in rows]
            path = folder / name / f"target{target:03}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            ordered = sorted(lines, key=_natural)
            path.write_text("\n".join(["title", *ordered]) + "\n", encoding="utf-8")


def _month(position: int) -> str:
    """An anchor: two positions a month, so that some events of one anchor are in order."""
    return f"{1700 + position // 24}-{position // 2 % 12 + 1:02}"


def _natural(line: str) -> tuple[int, int, str]:
    """The official order of rows, for lines of this making."""
    position, _, mention = line.split("\t")
    return int(position), int(mention.split("-")[0]), mention


def relations(shape: str, sizes: Callable[[Scale], int], name: str) -> Comparison:
    """Temporal awareness of two relation lists of one shape."""

    def make(folder: Path, scale: Scale) -> str:
        # Where the peer is quick, several lists make a time that can be told from noise.
        lists = 10 if name == "bar" and shape not in PEER_MOST else 1
        shutil.rmtree(folder, ignore_errors=True)
        write(folder / "trial", shape, 50)
        write(folder, shape, sizes(scale), lists)
        times = f"{lists} times " if lists > 1 else ""
        return f"{shape}, {times}{sizes(scale)} relations"

    make.__name__ = f"relations_{shape}_{name}"
    return Comparison(
        what="awareness of all links",
        make=make,
        ours="relations.py",
        theirs="tieval_relations.py",
        peer="tieval",
        label="tieval 0.1.11",
        note=f"bar: {SHAPE_BARS.get(shape, 30)} times our work, at 800 relations"
        if name == "bar"
        else "",
        once=shape in PEER_MOST,
        unavailable=lambda: (
            "it takes minutes"
            if name.isdecimal() and int(name) > PEER_MOST.get(shape, 9999)
            else ""
        ),
    )


def growth_in_relations(bench: Bench) -> Iterator[Row]:
    """Both sides on longer and longer lists; the last row of a shape says how we grow."""
    for shape in SHAPES:
        work: dict[int, float] = {}
        for size in SIZES[bench.scale]:
            row = compare(relations(shape, lambda _, size=size: size, str(size)), bench)  # type: ignore[misc]
            work[size] = row.ours.work or math.nan
            remark = row.remark
            if size == SIZES[bench.scale][-1]:
                remark += f"; ours grows with relations to the power of {slope(work):.2f}"
            yield Row(f"growth: {row.what}", row.peer, row.ours, row.theirs, remark, row.wrong)


def growth_in_events(bench: Bench) -> Iterator[Row]:
    """SemEval-2015 in mode full on longer and longer timelines, through `chronoscore.score`."""

    def run(events: int) -> Cost:
        folder = bench.folder(f"full_mode_{events}")
        _timelines(folder, 1, events)
        return bench.drive_ours("ordering.py", folder, ("SemEval-full",))

    yield growth("full F1 of one timeline", "events", EVENTS[bench.scale], run, LONG_BAR)


COMPARISONS = (
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
    *(relations(shape, RELATIONS.__getitem__, "bar") for shape in SHAPES),
)


GROUP = Group(
    "ordering",
    "SemEval-2015 order and temporal awareness against tieval, growth, memory",
    COMPARISONS,
    (growth_in_events, growth_in_relations),
)
