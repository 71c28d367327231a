"""Agreement: the package krippendorff 0.9.0."""

import json
import random
from array import array
from pathlib import Path

from benchmarks.frame import Comparison, Scale, group

SEED = 31
RATERS = 5
UNITS: dict[Scale, int] = {"tiny": 8, "quick": 500, "full": 2000}
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


GROUP = group(
    "rubric",
    "Krippendorff's alpha against the package krippendorff, alone and resampled",
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
)
