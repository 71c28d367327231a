"""Many comparisons at once: corrected p-values, letters, and clusters of rank."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan, nan
from string import ascii_letters

Pair = tuple[str, str]


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction: the chance of any false alarm stays below the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(_defined(p), key=lambda place: p[place])
    corrected = [nan] * len(p)
    highest = 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - rank) * p[place]))
        corrected[place] = highest
    return corrected


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's correction: the share of false alarms stays below the level.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    order = sorted(_defined(p), key=lambda place: p[place], reverse=True)
    corrected = [nan] * len(p)
    lowest = 1.0
    for rank, place in enumerate(order):
        lowest = min(lowest, p[place] * len(order) / (len(order) - rank))
        corrected[place] = lowest
    return corrected


def _defined(p: Sequence[float]) -> list[int]:
    """The places of what was tested: an undefined p is no test."""
    return [place for place, value in enumerate(p) if not isnan(value)]


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": list,
}


def letters(ranked: Sequence[str], differ: Mapping[Pair, bool]) -> dict[str, str]:
    """The compact letter display: systems that share a letter do not differ significantly.

    By insertion and absorption (Piepho 2004): each significant pair splits every group that holds
    both, and groups within others are dropped.

    >>> letters(["a", "b", "c"], {("a", "b"): False, ("b", "c"): False, ("a", "c"): True})
    {'a': 'a', 'b': 'ab', 'c': 'b'}
    """
    groups: list[set[str]] = [set(ranked)]
    for (one, two), significant in differ.items():
        if not significant:
            continue
        split: list[set[str]] = []
        for group in groups:
            split += [group - {one}, group - {two}] if {one, two} <= group else [group]
        unique = [g for place, g in enumerate(split) if g and g not in split[:place]]
        groups = [group for group in unique if not any(group < other for other in unique)]
    groups.sort(key=lambda group: sorted(ranked.index(name) for name in group))
    names = [_letter(number) for number in range(len(groups))]
    return {
        name: "".join(letter for letter, group in zip(names, groups, strict=True) if name in group)
        for name in ranked
    }


def _letter(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"


def rank_clusters(ranked: Sequence[str], differ: Mapping[Pair, bool]) -> dict[str, int]:
    """Clusters of rank, the best first: a new one begins where a system is below all above it.

    >>> rank_clusters(["a", "b", "c"], {("a", "b"): False, ("a", "c"): True, ("b", "c"): True})
    {'a': 1, 'b': 1, 'c': 2}
    """

    def apart(one: str, two: str) -> bool:
        return differ.get((one, two), differ.get((two, one), False))

    clusters: dict[str, int] = {}
    current = 1
    for place, name in enumerate(ranked):
        above, below = ranked[:place], ranked[place:]
        if above and all(apart(one, two) for one in above for two in below):
            current += 1
        clusters[name] = current
    return clusters
