"""Corrected p-values, which two libraries compute as well."""

from collections.abc import Callable, Iterator

import numpy as np
from peers.comparing import Chance, Comparison

from chronoscore.statistics.significance import benjamini_hochberg, holm


def draw_p(chance: Chance, *, undefined: bool) -> list[float]:
    """P-values with ties, 0 and 1; with `undefined`, some of them are NaN."""
    p = np.round(chance.random(int(chance.integers(1, 15))) ** 2, int(chance.choice([2, 16])))
    if undefined:
        p[chance.random(len(p)) < 0.1] = np.nan
    p[chance.random(len(p)) < 0.1] = chance.choice([0.0, 1.0])
    return [float(one) for one in p]


def compare_p(
    p: list[float], theirs: Callable[[list[float], str], list[float]]
) -> Iterator[Comparison]:
    """Compare both corrections; `theirs` gets the values and the name of the method."""
    for quantity, ours, method in (
        ("Holm", holm(p), "holm"),
        ("Benjamini-Hochberg", benjamini_hochberg(p), "fdr_bh"),
    ):
        for one, other in zip(ours, theirs(p, method), strict=True):
            yield Comparison(quantity, one, other, 1e-14)
