"""Our side of all five variants with ROUGE-1 and 2, on text processing named as an argument."""

import sys
from pathlib import Path

import chronoscore
from benchmarks.stopwatch import drive

VARIANTS = ("concat", "agreement", "align", "align+", "align+m:1")


def work(folder: Path) -> dict[str, float]:
    """Score through `chronoscore.score`: read, reconcile, measure, average."""
    text = sys.argv[3] if len(sys.argv) > 3 else "rouge155"
    names = [f"{variant} ROUGE-{n}" for variant in VARIANTS for n in (1, 2)]
    result = chronoscore.score(
        "timelines",
        folder / "gold.jsonl",
        folder / "system.jsonl",
        metrics=[f"{v}(rouge={n},text={text})" for v in VARIANTS for n in (1, 2)],
    )
    return {
        f"{name} {score}": value or 0.0
        for name, summary in zip(names, result.document.systems[0].summaries, strict=True)
        for score, value in summary.scores.items()
    }


if __name__ == "__main__":
    drive(work)
