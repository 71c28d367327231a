"""The tokens of a text, by the way of reading that the third argument names."""

import sys
from pathlib import Path

from benchmarks.stopwatch import drive
from chronoscore.elements.text import tokeniser


def read(folder: Path) -> str:
    return (folder / "text.txt").read_text(encoding="utf-8")


def work(text: str) -> dict[str, float]:
    return {"tokens": len(tokeniser(sys.argv[3])([text]))}


if __name__ == "__main__":
    drive(work, read)
