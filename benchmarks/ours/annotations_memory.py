"""Our side of annotations after reading: from columns to scores."""

import sys
from pathlib import Path

from benchmarks.stopwatch import drive
from chronoscore.annotations.family import FAMILY, read_cases
from chronoscore.annotations.matching.comparing import SpanSides
from chronoscore.core.problems import Problems
from chronoscore.core.sources import source_of, sources_of

METRIC = FAMILY.metric("spans")


def read(folder: Path) -> SpanSides:
    """All documents of both sides, in columns."""
    paths = {"system": folder / "system.jsonl"}
    sides: SpanSides = read_cases(
        source_of(folder / "gold.jsonl"), sources_of(paths), Problems(), {"missing": "empty"}
    )["system"].columns
    assert sides.columns
    return sides


def work(sides: SpanSides) -> dict[str, float]:
    """Match one to one, count by document, pool."""
    assert METRIC.definition.measure_batch is not None
    rows = METRIC.definition.measure_batch(sides, METRIC.values).statistics
    scores = dict(zip(METRIC.scores, METRIC.link(rows.sum(axis=0)).tolist(), strict=True))
    wanted = ["strict_precision", "strict_recall", "strict_f1"]
    return {name: scores[name] for name in [*wanted, *["lenient_f1"] * ("lenient" in sys.argv)]}


if __name__ == "__main__":
    drive(work, read)
