"""Draw pairs of a predicted and a gold event for people to judge, each with a known chance.

Every pair of a predicted and a gold event of one topic is a candidate. Candidates are put into
strata by system and by how likely both are the same: those that are matched, those that are
similar, and all others. Each stratum is drawn from without replacement, so that a candidate has
the chance drawn / candidates of its stratum. A larger sample of the same seed holds every smaller
one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.dated.model import DatedEvent, Timeline
from chronoscore.errors import UsageError
from chronoscore.events.comparison import EventBlock, EventSetting
from chronoscore.events.model import order
from chronoscore.statistics.drawing import stream
from chronoscore.statistics.strata import Stratum, allocations, first_allocation, half_width

Kind = Literal["matched", "similar", "other"]
KINDS: Mapping[Kind, float] = {"matched": 0.5, "similar": 0.3, "other": 0.2}
"""The kinds of candidates, with the share of the sample that goes to each."""
WIDTH = 0.05
"""Half the width of the interval that a sample of no stated size aims at."""
MOST_CANDIDATES = 10_000_000
MOST_PAIRS = 20_000
_CELLS_TOGETHER = 1_000_000
"""Candidates that are compared at once, unless one topic has more."""
_SIMILAR = 0.1
"""Text and time together from which on an unmatched candidate is similar."""
_BEST = 3
"""So are the best of each event, if they are like it at all."""

Labels = NDArray[np.int8]
"""The place of each candidate's kind in `KINDS`."""


class CandidateTable(NamedTuple):
    """Events of one system and one gold on one topic: all of their pairs are candidates."""

    system: str
    topic: str
    gold_name: str
    predicted: tuple[DatedEvent, ...]
    gold: tuple[DatedEvent, ...]
    language: str = ""

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return len(self.predicted) * len(self.gold)


class CandidateStratum(NamedTuple):
    """The candidates of one system and one kind."""

    system: str
    kind: Kind
    size: int
    drawn: int

    @property
    def chance(self) -> float:
        """The chance of each candidate to be drawn."""
        return self.drawn / self.size


class DrawnPair(NamedTuple):
    """A pair to judge."""

    system: str
    kind: Kind
    chance: float
    topic: str
    gold: DatedEvent
    predicted: DatedEvent
    gold_first: bool
    """Whether people see the gold event first, which is drawn too."""


@dataclass(frozen=True)
class PairSample:
    """Pairs in the order of the draw, and the strata that they are from."""

    strata: tuple[CandidateStratum, ...]
    pairs: tuple[DrawnPair, ...]


def draw_pairs(tables: Sequence[CandidateTable], number: int, seed: int = 0) -> PairSample:
    """Draw `number` pairs, or without a number as many as give ± `WIDTH` for the matched ones.

    The draw depends on the seed and on the events, and not on the order of files.
    """
    ordered = [_in_order(one) for one in sorted(tables, key=lambda one: one[:3]) if one.size]
    candidates = sum(one.size for one in ordered)
    if not candidates:
        raise UsageError(
            "no predicted event has the topic of a gold event, so that there is no pair: check the "
            "field 'topic' of both"
        )
    if candidates > MOST_CANDIDATES:
        raise UsageError(
            f"the files have {candidates:,} pairs of events of one topic, at most "
            f"{MOST_CANDIDATES:,} can be drawn from at once: give fewer topics or systems"
        )
    if number > MOST_PAIRS:
        raise UsageError(f"{number:,} pairs are to be drawn, at most {MOST_PAIRS:,} can be")
    systems = [*dict.fromkeys(one.system for one in ordered)]
    labels = _labels(ordered, setting_of(ordered))
    sizes: dict[tuple[str, Kind], int] = {(one, kind): 0 for one in systems for kind in KINDS}
    for one, kinds in zip(ordered, labels, strict=True):
        for place, kind in enumerate(KINDS):
            sizes[one.system, kind] += int(np.count_nonzero(kinds == place))
    strata = _allocated(sizes, number)
    pairs = [*chain.from_iterable(_drawn(one, ordered, labels, seed) for one in strata)]
    shuffled = stream("order of pairs", seed).permutation(len(pairs))
    return PairSample(strata, tuple(pairs[at] for at in shuffled.tolist()))


def _in_order(one: CandidateTable) -> CandidateTable:
    """Sort both sides as the matching does, so that places of candidates are those of events."""
    return one._replace(
        predicted=tuple(sorted(one.predicted, key=order)), gold=tuple(sorted(one.gold, key=order))
    )


def setting_of(tables: Sequence[CandidateTable]) -> EventSetting:
    """Return the default setting of `chronoscore events`, or that of other languages."""
    languages = {one.language.partition("-")[0] for one in tables} - {"", "en"}
    return EventSetting(tokens="words", threshold=0.2) if languages else EventSetting()


def _labels(tables: Sequence[CandidateTable], setting: EventSetting) -> list[Labels]:
    """Return the kinds of the candidates of each comparison."""
    labels: list[Labels] = []
    for batch in _batches(tables):
        block = EventBlock(
            [Timeline(events=one.predicted) for one in batch],
            [(Timeline(events=one.gold),) for one in batch],
            setting,
            [one.language for one in batch] if any(one.language for one in batch) else (),
            [one.topic for one in batch],
        )
        kinds = np.full(len(block.cells), 2.0)
        both = zip(block.cells.tables(block.together), block.cells.tables(kinds), strict=True)
        for (_, _, together), (_, _, kind) in both:
            kind[_is_similar(together)] = 1.0
        kinds[block.matched.cell] = 0.0
        starts = block.cells.starts.tolist()
        labels += [kinds[first:last].astype(np.int8) for first, last in pairwise(starts)]
    return labels


def _batches(tables: Sequence[CandidateTable]) -> Iterator[list[CandidateTable]]:
    batch: list[CandidateTable] = []
    for one in tables:
        if batch and sum(other.size for other in batch) + one.size > _CELLS_TOGETHER:
            yield batch
            batch = []
        batch.append(one)
    if batch:
        yield batch


def _is_similar(together: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a candidate is near enough, or among the best of one of its events."""
    similar = together > _SIMILAR
    for axis in (0, 1):
        number = together.shape[axis]
        if number > _BEST:
            least = np.partition(together, number - _BEST, axis=axis)
            best = np.take(least, [number - _BEST], axis=axis)
            similar |= (together >= best) & (together > 0)
        else:
            similar |= together > 0
    return np.asarray(similar, np.bool_)


def _allocated(sizes: Mapping[tuple[str, Kind], int], number: int) -> tuple[CandidateStratum, ...]:
    keys = [key for key, size in sizes.items() if size]
    limits, weights = [sizes[key] for key in keys], [KINDS[kind] for _, kind in keys]
    least = sum(next(allocations(limits, weights)))
    if 0 < number < least:
        raise UsageError(
            f"{number} pairs are to be drawn, expected at least {least}: two for each system among "
            "matched, similar and other pairs, or no number"
        )
    if number:
        drawn = first_allocation(limits, weights, lambda drawn: sum(drawn) >= number)
    else:
        likeliest = next(kind for kind in KINDS if kind in {kind for _, kind in keys})
        drawn = _precise(limits, weights, [kind == likeliest for _, kind in keys])
    return tuple(
        CandidateStratum(*key, size, n) for key, size, n in zip(keys, limits, drawn, strict=True)
    )


def _precise(
    sizes: Sequence[int], weights: Sequence[float], counts: Sequence[bool]
) -> tuple[int, ...]:
    """Return the smallest allocation that gives ± `WIDTH` in the strata that count."""

    def enough(drawn: tuple[int, ...]) -> bool:
        strata = [Stratum(sizes[at], drawn[at]) for at, one in enumerate(counts) if one]
        return half_width(strata) <= WIDTH or sum(drawn) >= MOST_PAIRS

    return first_allocation(sizes, weights, enough)


class PlannedWidth(NamedTuple):
    """How sure the share of matched pairs that people call the same will be."""

    system: str
    """Empty for all systems together."""
    matched: int
    drawn: int
    width: float
    needed: int
    """How many pairs of all kinds and systems give ± `WIDTH` here."""


def planned_widths(strata: Sequence[CandidateStratum]) -> list[PlannedWidth]:
    """Return how sure the share will be in all systems together, and in each."""
    sizes, weights = [one.size for one in strata], [KINDS[one.kind] for one in strata]
    systems = dict.fromkeys(one.system for one in strata)
    rows = []
    for system in ("", *systems) if len(systems) > 1 else systems:
        counts = [one.kind == "matched" and system in ("", one.system) for one in strata]
        matched = [one for one, is_counted in zip(strata, counts, strict=True) if is_counted]
        if matched:
            rows.append(
                PlannedWidth(
                    system,
                    sum(one.size for one in matched),
                    sum(one.drawn for one in matched),
                    half_width([Stratum(one.size, one.drawn) for one in matched]),
                    sum(_precise(sizes, weights, counts)),
                )
            )
    return rows


def _drawn(
    stratum: CandidateStratum,
    tables: Sequence[CandidateTable],
    labels: Sequence[Labels],
    seed: int,
) -> Iterator[DrawnPair]:
    """Yield the pairs of a stratum in the order of the draw."""
    place = [*KINDS].index(stratum.kind)
    places = [at for at, one in enumerate(tables) if one.system == stratum.system]
    cells = [np.flatnonzero(labels[at] == place) for at in places]
    ends = np.cumsum([len(some) for some in cells])
    random = stream(f"pairs\0{stratum.system}\0{stratum.kind}", seed)
    for rank in random.permutation(stratum.size)[: stratum.drawn].tolist():
        at = int(np.searchsorted(ends, rank, side="right"))
        one = tables[places[at]]
        cell = int(cells[at][rank - (int(ends[at - 1]) if at else 0)])
        predicted, gold = divmod(cell, len(one.gold))
        sides = one.gold[gold], one.predicted[predicted]
        first = bool(stream(f"side\0{one.topic}\0{sides[0].id}\0{sides[1].id}", seed).integers(2))
        yield DrawnPair(
            stratum.system, stratum.kind, stratum.chance, one.topic, *sides, gold_first=first
        )
