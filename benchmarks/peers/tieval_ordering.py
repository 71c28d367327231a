# mypy: ignore-errors
"""tieval's side of ordering: temporal awareness of each timeline's chain of links."""

from itertools import pairwise

from tieval.evaluate import temporal_awareness
from tieval.links import TLink

from benchmarks.stopwatch import drive


def read(path):
    """The chain over neighbours; tieval can't read the tab format. Mentions occur once each."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        position, _, *mentions = line.split("\t")
        rows += [(int(position), mention) for mention in mentions]
    return {
        TLink(one, two, "BEFORE" if first < second else "SIMULTANEOUS")
        for (first, one), (second, two) in pairwise(rows)
    }


def work(folder):
    """F1 of each target; rows are sorted in the files already."""
    return {
        path.stem: temporal_awareness(read(folder / "system" / path.name), read(path))
        for path in sorted((folder / "gold").glob("*.txt"))
    }


drive(work)
