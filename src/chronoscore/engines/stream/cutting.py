"""Cutting the cases of indexed files into chunks, and saying what has no partner."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chronoscore.core.case import some
from chronoscore.core.errors import DataError
from chronoscore.engines.stream.chunks import Chunk, Task
from chronoscore.engines.stream.index import Index

NAMELESS = ""
"""The key of lines that name no case: events in no text, or a file that is all of one topic."""
CHUNK_BYTES = 4 * 1024 * 1024
"""So much of gold and predictions together makes a chunk that lasts about a second or two."""


def reconciled(
    options: Mapping[str, str], gold: Index, systems: Mapping[str, Sequence[Index]]
) -> list[str]:
    """Say what has no partner, as those who see all files can."""
    known = set(gold.key.used()) - {NAMELESS}
    missing = options.get("missing")
    told = "left out of the score" if missing == "skip" else "counted as empty"
    notices = []
    for name, own in systems.items():
        for trial, index in enumerate(own, 1):
            who = f"{name}, trial {trial}" if len(own) > 1 else name
            there = set(index.key.used()) - {NAMELESS}
            absent, surplus = sorted(known - there), sorted(there - known)
            if known and there and not known & there:
                raise DataError.of(
                    f"{who}: no case has both a gold and a prediction: the gold has "
                    f"{some(sorted(known))}, the prediction has {some(surplus)}"
                )
            if absent and missing == "error":
                raise DataError.of(f"{who}: no prediction for {some(absent)}", index.path)
            if absent:
                notices.append(
                    f"{who}: no prediction for {len(absent)} cases, {told}: {some(absent)}"
                )
            if surplus:
                notices.append(
                    f"{who}: no gold for {len(surplus)} cases, not scored: {some(surplus)}"
                )
    return notices


def cut(
    task: Task,
    cases: int,
    gold: Index,
    systems: Mapping[str, Sequence[Index]],
    keys: Sequence[str],
) -> Iterator[Chunk]:
    """Cut into chunks of so many cases; 0 for chunks of about the same number of bytes."""
    place = {key: at for at, key in enumerate(keys)}
    sides = [_Side(gold, place)]
    of = {name: [_Side(index, place) for index in own] for name, own in systems.items()}
    sides += [side for own in of.values() for side in own]
    if cases:
        ends = [*range(cases, len(keys), cases), len(keys)]
    else:
        size = np.cumsum(sum(side.sizes(len(keys)) for side in sides))
        cuts = np.searchsorted(size, np.arange(CHUNK_BYTES, size[-1], CHUNK_BYTES)) + 1
        ends = sorted({*cuts.tolist(), len(keys)})
    begin = 0
    for end in ends:
        yield Chunk(
            task,
            tuple(keys[begin:end]),
            sides[0].part(begin, end),
            {name: [side.part(begin, end) for side in own] for name, own in of.items()},
        )
        begin = end


class _Side:
    """The lines of one file, sorted by case, so that those of a chunk are a slice."""

    def __init__(self, index: Index, place: Mapping[str, int]) -> None:
        self.index = index
        known = np.array([place.get(name, -1) for name in index.key.names] + [-1], np.int64)
        self._place = known[index.key.at]
        self._order = np.argsort(self._place, kind="stable")
        self._sorted = self._place[self._order]

    def sizes(self, cases: int) -> Any:
        """The bytes of each case."""
        kept = self._place >= 0
        return np.bincount(self._place[kept], self.index.lines.length[kept], minlength=cases)

    def part(self, begin: int, end: int) -> Any:
        """The name, lines and key places of some cases."""
        first, last = np.searchsorted(self._sorted, [begin, end])
        places = np.sort(self._order[first:last])  # in the order of the file
        at = (self._place[places] - begin).tolist()
        return _plain_name(self.index.path), self.index.lines.take(places), tuple(at)


def _plain_name(path: Path) -> str:
    """What a file is called when it is plain lines."""
    stem = path.name
    for ending in (".gz", ".zst", ".parquet", ".jsonl", ".ndjson"):
        stem = stem.removesuffix(ending)
    return f"{stem}.jsonl"
