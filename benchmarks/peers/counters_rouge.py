# mypy: ignore-errors
"""ROUGE-1 and 2 as one would write it down, a Counter a text, on our plain tokens."""

import json
from collections import Counter
from itertools import pairwise

from benchmarks.stopwatch import drive
from chronoscore.elements.text import rouge155


def read(folder):
    """Gold texts and predicted ones."""
    return json.loads((folder / "pairs.json").read_text(encoding="utf-8"))


def work(data):
    """Mean precision and mean recall over pairs."""
    sums = Counter()
    for gold, predicted in zip(*data, strict=True):
        tokens = rouge155([gold]), rouge155([predicted])
        for n, sides in ((1, tokens), (2, map(pairwise, tokens))):
            golds, found = map(Counter, sides)
            shared = sum(min(count, golds[gram]) for gram, count in found.items())
            sums[f"ROUGE-{n} precision"] += shared / sum(found.values())
            sums[f"ROUGE-{n} recall"] += shared / sum(golds.values())
    return {name: value / len(data[0]) for name, value in sums.items()}


drive(work, read)
