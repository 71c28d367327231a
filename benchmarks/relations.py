"""Relation lists of four shapes for the ordering benchmark, each consistent on both sides."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

SEED = 43
Pair = tuple[int, int]


def _random(size: int, source: random.Random) -> Iterator[Pair]:
    """Any two of two thirds as many entities."""
    entities = max(3, 2 * size // 3)
    while True:
        one, two = source.randrange(entities), source.randrange(entities)
        if one != two:
            yield one, two


def _chain(size: int, _: random.Random) -> Iterator[Pair]:
    """Each entity and the next."""
    yield from ((number, number + 1) for number in range(size))


def _dense(size: int, source: random.Random) -> Iterator[Pair]:
    """Four in five of all pairs of few entities."""
    entities = 2
    while entities * (entities - 1) * 2 / 5 < size:
        entities += 1
    pairs = [(one, two) for two in range(entities) for one in range(two)]
    yield from source.sample(pairs, size)


def _interleaved(size: int, source: random.Random) -> Iterator[Pair]:
    """Eight chains told in turn, with a link across now and then."""
    number = 0
    while True:
        yield number, number + 8
        if source.random() < 0.2:
            yield number, number + 8 * source.randint(1, 3) + source.randint(1, 7)
        number += 1


SHAPES: dict[str, Callable[[int, random.Random], Iterator[Pair]]] = {
    "random": _random,
    "chain": _chain,
    "dense": _dense,
    "interleaved": _interleaved,
}


def write(folder: Path, shape: str, size: int, lists: int = 1) -> None:
    """Write pairs of lists, each into a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(lists):
        sides = _pair(shape, size, random.Random(f"{SEED} {shape} {size} {number}"))
        path = folder / f"links{number}.json"
        path.write_text(json.dumps(sides), encoding="utf-8")


def _pair(shape: str, size: int, source: random.Random) -> dict[str, list[tuple[str, str, str]]]:
    """Gold and system: the system loses a fifth, and knows a slightly other order."""
    pairs: dict[Pair, None] = {}
    for one, two in SHAPES[shape](size, source):
        if (two, one) not in pairs:
            pairs[one, two] = None
        if len(pairs) == size:
            break
    entities = 1 + max(max(pair) for pair in pairs)
    gold = [number - number % 7 // 6 for number in range(entities)]  # every seventh is a tie
    system = [place + source.choice((-3, 0, 0, 0, 0, 3)) for place in gold]
    kept = [pair for pair in pairs if source.random() < 0.8]
    return {"gold": _links(list(pairs), gold), "system": _links(kept, system)}


def _links(pairs: Sequence[Pair], places: Sequence[int]) -> list[tuple[str, str, str]]:
    words = {-1: "BEFORE", 0: "SIMULTANEOUS", 1: "AFTER"}
    return [
        (f"e{one}", f"e{two}", words[(places[one] > places[two]) - (places[one] < places[two])])
        for one, two in pairs
    ]
