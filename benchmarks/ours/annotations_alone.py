"""Our side alone: many spans, made in columns, a tenth of them in each other's way."""

import sys
from pathlib import Path

import numpy as np

from benchmarks.stopwatch import drive
from chronoscore.annotations.columns import Columns, Label
from chronoscore.annotations.family import FAMILY
from chronoscore.annotations.matching.comparing import SpanSides

WHAT, SIZE, A_DOCUMENT = sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
METRIC = FAMILY.metric({"counts": "spans", "curve": "spans-curve"}[WHAT])


def read(folder: Path) -> SpanSides:
    """Gold spans with gaps; predictions right, wrong, moved, or so long that they meet others."""
    size = min(SIZE, 5_000) if folder.name == "trial" else SIZE
    whole = min(A_DOCUMENT, size)
    source = np.random.default_rng(5)
    documents = size // whole
    document = np.repeat(np.arange(documents), whole)
    start = np.cumsum(source.integers(4, 12, (documents, whole)), axis=1).ravel()
    end = start + source.integers(1, 4, len(start))
    label, luck = source.integers(0, 4, len(start)), source.random(len(start))
    names = tuple(f"d{number}" for number in range(documents))
    labels = tuple(Label(kind, {}) for kind in ("EVENT", "TIMEX", "PLACE", "ACTOR"))
    ids = [""] * len(start)
    nothing = np.full(len(start), np.nan)
    gold = Columns(names, document, start, end, label, nothing, labels, ids)
    other = np.where(luck < 0.1, source.integers(0, 4, len(start)), label)
    moved = np.where((luck > 0.1) & (luck < 0.2), end + 1, end)
    moved = np.where(luck > 0.9, moved + source.integers(4, 15, len(start)), moved)
    scores = source.random(len(start)).round(4)
    predicted = Columns(names, document, start, moved, other, scores, labels, ids)
    return SpanSides(lambda: (gold, predicted))


def work(sides: SpanSides) -> dict[str, float]:
    """Measure all documents at once."""
    assert METRIC.definition.measure_batch is not None
    found = METRIC.definition.measure_batch(sides, METRIC.values)
    return {"targets": float(found.statistics[:, 0].sum())}


if __name__ == "__main__":
    drive(work, read)
