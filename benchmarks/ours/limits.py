"""What no program can do without on the data of `scale`, as the argument says."""

import sys
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.ours.kernel import TOGETHER, tokenised
from benchmarks.stopwatch import drive

NAMES = ("gold.jsonl", "predicted.jsonl")


def lines(folder: Path) -> dict[str, float]:
    """Read both files."""
    return {"bytes": float(sum(len(line) for name in NAMES for line in (folder / name).open("rb")))}


def decoded(folder: Path) -> list[Any]:
    """Decode each line as an object."""
    decode = msgspec.json.Decoder().decode
    return [decode(line) for name in NAMES for line in (folder / name).open("rb")]


def texts(folder: Path) -> list[str]:
    """The texts of all days."""
    return [text for line in decoded(folder) for day in line["days"].values() for text in day]


def in_blocks(given: list[str]) -> int:
    """Read the tokens of texts, some at once; the number of the texts."""
    return sum(
        len(tokenised(given[first : first + TOGETHER]).sizes)
        for first in range(0, len(given), TOGETHER)
    )


if __name__ == "__main__":
    if sys.argv[3] == "lines":
        drive(lines)
    elif sys.argv[3] == "decode":
        drive(lambda folder: {"lines": float(len(decoded(folder)))})
    else:
        drive(lambda given: {"texts": float(in_blocks(given))}, texts)
