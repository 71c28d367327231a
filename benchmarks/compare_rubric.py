"""Agreement: krippendorff 0.9.0 and evalica 0.4.2; a large sheet from file to intervals, alone."""

import json
import random
from array import array
from collections.abc import Iterator
from pathlib import Path

from benchmarks.frame import Bench, Comparison, Cost, Group, Row, Scale, growth

SEED = 31
RATERS = 5
UNITS: dict[Scale, int] = {"tiny": 8, "quick": 500, "full": 2000}
EVALUATORS = 20
EVENTS: dict[Scale, int] = {"tiny": 80, "quick": 5_000, "full": 50_000}
BOOTSTRAP: dict[Scale, int] = {"tiny": 20, "quick": 1_000, "full": 5_000}
DRAWS: dict[Scale, int] = {"tiny": 2, "quick": 50, "full": 200}


def alone(folder: Path, scale: Scale) -> str:
    """Ratings from 1 to 3, a tenth of them missing."""
    _ratings(folder / "trial", 8, 0)
    _ratings(folder, UNITS[scale], 0)
    return f"{UNITS[scale]:,} units x {RATERS} raters"


def resampled(folder: Path, scale: Scale) -> str:
    """The same with resamples of the units, as an interval needs them."""
    _ratings(folder / "trial", 8, 1)
    _ratings(folder, UNITS[scale], DRAWS[scale])
    return f"{UNITS[scale]:,} units x {RATERS} raters and {DRAWS[scale]} resamples"


def bootstrap(folder: Path, scale: Scale) -> str:
    """The same; each side draws its own resamples, as many as the file says."""
    _ratings(folder / "trial", 8, 0)
    _ratings(folder, UNITS[scale], 0)
    for home, number in ((folder / "trial", 20), (folder, BOOTSTRAP[scale])):
        (home / "resamples.txt").write_text(str(number), encoding="utf-8")
    return f"{UNITS[scale]:,} units x {RATERS} raters, {BOOTSTRAP[scale]:,} resamples"


def _ratings(folder: Path, units: int, draws: int) -> None:
    source = random.Random(SEED)
    matrix: list[list[int | None]] = [[None] * units for _ in range(RATERS)]
    long = []
    for unit in range(units):
        truth = source.randint(1, 3)
        for rater in range(RATERS):
            if source.random() >= 0.1:
                value = truth if source.random() < 0.7 else source.randint(1, 3)
                matrix[rater][unit] = value
                long.append((f"u{unit:06}", f"r{rater}", value))
    # A unit that nobody rated would be no unit of the long table.
    assert len({unit for unit, _, _ in long}) == units
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (("matrix", matrix), ("long", long)):
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    # Numbers as they are in memory: reading them should not outweigh the work.
    picked = array("i", source.choices(range(units), k=units * draws))
    (folder / "draws.bin").write_bytes(picked.tobytes())


def _sheet(folder: Path, events: int) -> None:
    """A sheet of three systems: ten events an article, judged alike by all but some."""
    source = random.Random(SEED)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "judgements.csv").open("w", encoding="utf-8") as file:
        file.write("event_id,evaluator,system,article_id,event_type,Eval_DateCorrect,")
        file.write("Eval_RootEvent,Eval_EventType,Eval_EventAmbiguity,Eval_Relevance,Comment\n")
        for event in range(events):
            truth = [source.randint(0, 1) for _ in range(3)]
            truth += [source.randint(1, 3) for _ in range(2)]
            for evaluator in range(EVALUATORS):
                said = [
                    value if source.random() < 0.8 else source.randint(at > 2, 1 + 2 * (at > 2))
                    for at, value in enumerate(truth)
                ]
                comment = "actor missing" if source.random() < 0.05 else ""
                file.write(
                    f"ev{event:06},r{evaluator:02},sys{event % 3},art{event // 10:05},"
                    f"type{event % 7},{','.join(map(str, said))},{comment}\n"
                )


def judged(bench: Bench, events: int) -> Cost:
    """A sheet from the file to intervals and agreement."""
    folder = bench.folder(f"judged_{events}")
    _sheet(folder / "trial", 20)
    _sheet(folder, events)
    return bench.drive_ours("judgements.py", folder)


def growth_in_judgements(bench: Bench) -> Iterator[Row]:
    """Larger and larger sheets; the largest is a row by itself."""
    most = EVENTS[bench.scale]
    costs = {}

    def run(events: int) -> Cost:
        costs[events] = judged(bench, events)
        return costs[events]

    row = growth("a sheet", f"events of {EVALUATORS} judgements", (most // 4, most // 2, most), run)
    what = f"EQS, agreement and intervals, {most * EVALUATORS:,} judgements"
    yield Row(what, "none", costs[most])
    yield row


COMPARISONS = (
    *(
        Comparison(
            what="alpha on four scales",
            make=make,
            ours="rubric.py",
            theirs="krippendorff_rubric.py",
            peer="krippendorff",
            label="krippendorff 0.9.0",
            note="it takes a matrix, ours a long table",
        )
        for make in (alone, resampled)
    ),
    Comparison(
        what="alpha on four scales",
        make=alone,
        ours="rubric.py",
        theirs="evalica_rubric.py",
        peer="evalica",
        label="evalica 0.4.2",
        note="it is compiled; it takes a frame, ours a long table",
    ),
    Comparison(
        what="alpha on four scales and a bootstrap interval of the ordinal one",
        make=bootstrap,
        ours="rubric.py",
        own_arguments=("bootstrap",),
        theirs="evalica_rubric.py",
        arguments=("bootstrap",),
        peer="evalica",
        label="evalica 0.4.2",
        note="the alphas; it draws pairs of values (Krippendorff 2006), ours units",
    ),
)
GROUP = Group(
    "rubric",
    "Krippendorff's alpha against krippendorff and evalica, and a large sheet",
    COMPARISONS,
    (growth_in_judgements,),
)
