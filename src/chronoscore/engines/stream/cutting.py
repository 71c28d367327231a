"""Cutting the cases of indexed files into chunks, and saying what has no partner."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chronoscore.core.case import some
from chronoscore.core.errors import DataError
from chronoscore.core.labels import Labels
from chronoscore.core.unpacking import plain_name
from chronoscore.engines.stream.chunks import Chunk, Part, Task
from chronoscore.engines.stream.index import NAMELESS, Index

LEAST_BYTES, MOST_BYTES = 1024 * 1024, 4 * 1024 * 1024
"""So much of gold and predictions makes a chunk that lasts some tenths of a second, or two."""
CHUNKS = 64
"""From so many chunks on they grow with the files."""


def named_alike(gold: Index, systems: Mapping[str, Sequence[Index]]) -> dict[str, list[Index]]:
    """Take a file of one case that is only its file's name as that of a gold's only case.

    As the families' readers do; they say so.
    """
    known = set(gold.key.used())
    found: dict[str, list[Index]] = {}
    for name, own in systems.items():
        found[name] = []
        for index in own:
            there, stem = index.key.used(), Path(plain_name(index.path)).stem
            alone = len(known) == 1 and there == [stem] and not index.path.is_dir()
            renamed = replace(index, key=Labels(tuple(known), index.key.at))
            found[name].append(renamed if alone and not gold.path.is_dir() else index)
    return found


def reconciled(
    options: Mapping[str, str], gold: Index, systems: Mapping[str, Sequence[Index]], what: str
) -> list[str]:
    """Say what has no gold, as those who see all files can; `what` is what a case is of.

    What has no prediction is told by the parts, which know the golds of each case.
    """
    known = set(gold.key.used()) - {NAMELESS}
    missing = options.get("missing")
    notices = []
    for name, own in systems.items():
        for trial, index in enumerate(own, 1):
            who = f"{name}, trial {trial}" if len(own) > 1 else name
            there = set(index.key.used()) - {NAMELESS}
            absent, surplus = sorted(known - there), sorted(there - known)
            if known and there and not known & there:
                raise DataError.of(
                    f"{who}: no {what} has both a gold and a prediction: the gold has "
                    f"{some(sorted(known))}, the prediction has {some(surplus)}"
                )
            if absent and missing == "error":
                raise DataError.of(f"{who}: no prediction for {some(absent)}", index.path)
            if surplus:
                many = f"{len(surplus)} {what}{'s' * (len(surplus) != 1)}"
                notices.append(f"{who}: no gold for {many}, not scored: {some(surplus)}")
    return notices


def cut(
    task: Task,
    cases: int,
    gold: Index,
    systems: Mapping[str, Sequence[Index]],
    keys: Sequence[str],
    caseless: frozenset[str] = frozenset(),
) -> Iterator[Chunk]:
    """Cut into chunks of so many cases; 0 for chunks of about the same number of bytes.

    Keys that are no case (`caseless`) go with a chunk of others.
    """
    place = {key: at for at, key in enumerate(keys)}
    sides = [_Side(gold, place)]
    of = {name: [_Side(index, place) for index in own] for name, own in systems.items()}
    sides += [side for own in of.values() for side in own]
    if cases:
        places = [at for at, key in enumerate(keys) if key not in caseless]
        ends = [*places[cases::cases], len(keys)]
    else:
        size = np.cumsum(sum(side.sizes(len(keys)) for side in sides))
        wanted = min(max(size[-1] / CHUNKS, LEAST_BYTES), MOST_BYTES)
        number = max(round(size[-1] / wanted), 1)  # all of one size, so that all end together
        cuts = np.searchsorted(size, size[-1] * np.arange(1, number) / number) + 1
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
        known = np.array([place.get(name, -1) for name in index.key.names] + [-1], np.int32)
        self._place = known[index.key.at]
        self._order = np.argsort(self._place, kind="stable")
        self._sorted = self._place[self._order]

    def sizes(self, cases: int) -> Any:
        """The bytes of each case."""
        kept = self._place >= 0
        return np.bincount(self._place[kept], self.index.lines.length[kept], minlength=cases)

    def part(self, begin: int, end: int) -> Part:
        """The name, lines and key places of some cases."""
        first, last = np.searchsorted(self._sorted, [begin, end])
        places = np.sort(self._order[first:last])  # in the order of the file
        at = self._place[places] - np.int32(begin)
        return plain_name(self.index.path), self.index.lines.take(places), at
