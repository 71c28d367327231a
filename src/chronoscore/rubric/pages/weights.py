"""Tables of how far the ranking of systems depends on the weights."""

from chronoscore.reports.table import Table, signed
from chronoscore.rubric.weights import WeightSensitivity

_ERROR = 0.01
"""Twice the standard error of a share of 10,000 draws, at most."""


def weight_tables(document: WeightSensitivity) -> list[Table]:
    """Pairs of systems, which alone are written as CSV; then ranks, near weights and the flip."""
    return [_pairs(document), _systems(document), _near(document), _nearest(document)]


def _share(value: float) -> str:
    """Write a share so that it is 0 or 1 only if it is so exactly.

    >>> _share(0.5), _share(1.0), _share(0.9999), _share(0.00004)
    ('0.500', '1.000', '>0.999', '<0.001')
    """
    if 0 < value < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def _pairs(document: WeightSensitivity) -> Table:
    rows = (
        (
            *(pair.one, pair.two, pair.difference, pair.one_ahead, pair.two_ahead, pair.ties),
            pair.flip.moved if pair.flip else "-",
        )
        for pair in document.pairs
    )
    return Table.of(
        f"{document.score} by other weights: which of two systems is ahead, by share of weightings",
        ("first", "second", "difference", "first ahead", "second ahead", "tie", "to equal"),
        rows,
        [
            f"{document.weightings:,} weightings drawn uniformly (seed {document.seed}); a share "
            f"is sure to ±{_ERROR}",
            "difference: by the codebook's weights",
            "to equal: how much weight, of 1 in all, must move until they are equal",
            "-: the first is at least as good on every criterion, so no weights reverse it",
        ],
    )


def _systems(document: WeightSensitivity) -> Table:
    rows = (
        (
            *(rank, one.system, one.score, _share(one.best)),
            str(one.ranks[0])
            if one.ranks[0] == one.ranks[1]
            else f"{one.ranks[0]} to {one.ranks[1]}",
        )
        for rank, one in enumerate(document.systems, 1)
    )
    remarks = [f"this ranking holds under {_share(document.holds)} of the weightings"]
    others = [one for one in document.rankings if one.ranking != _ranking(document)]
    remarks += [f"{_share(one.share)} give {', '.join(one.ranking)}" for one in others[:3]]
    return Table.of(
        "the ranking, and the ranks under other weights",
        ("rank", "system", document.score, "best in", "ranks"),
        rows,
        remarks,
    )


def _ranking(document: WeightSensitivity) -> tuple[str, ...]:
    return tuple(one.system for one in document.systems)


def _near(document: WeightSensitivity) -> Table:
    rows = (
        (
            f"±{near.within:.0%}",
            *(_share(near.holds), _share(near.best_holds), "yes" if near.always else "no"),
        )
        for near in document.near
    )
    return Table.of(
        "near the codebook's weights",
        ("weights within", "ranking holds", "best stays", "always"),
        rows,
        ["always: the ranking is the same under all such weights, drawn or not"],
    )


def _nearest(document: WeightSensitivity) -> Table:
    """The criteria of the best system and of the one that needs the least to catch up with it."""
    pair = document.nearest
    best = document.systems[0]
    rival = next(one for one in document.systems[1:] if pair is None or one.system == pair.two)
    flip = pair.flip if pair else None
    new_weights = flip.weights if flip else document.weights
    lines = zip(
        *(document.criteria, document.weights, new_weights, best.means, rival.means), strict=True
    )
    moved = flip is not None
    return Table.of(
        f"the nearest weights under which {rival.system} catches up with {best.system}"
        if moved
        else f"{best.system} is at least as good as every other system on every criterion",
        (
            *("criterion", "weight", "new weight" if moved else None, "change" if moved else None),
            *(best.system, rival.system),
        ),
        ((name, old, new, signed(new - old), *means) for name, old, new, *means in lines),
        [
            *([f"{flip.moved:.3f} of all weight moves"] if flip else []),
            "below the systems: the means of the criteria, from 0 to 1",
        ],
    )
