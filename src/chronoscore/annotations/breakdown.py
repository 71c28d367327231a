"""The counts of a matching in parts: by type, or by the values of features, and as a confusion.

With v(x) for the value of an annotation, M for the pairs that are matched, and C for those of them
that are correct, the part of the value a has, where a response counts under its own value,

    targets(a)   = |{t : v(t) = a}|
    responses(a) = |{r : v(r) = a}|
    correct(a)   = |{(t, r) in C : v(t) = v(r) = a}|
    incorrect(a) = |{(t, r) in M : v(t) = a}| - correct(a)

so that precision is correct(a) / responses(a) and recall is correct(a) / targets(a). Where a
response counts under the value of its target, v(r) is v(t) for a pair, and a spurious response has
no value. In both views targets, responses and matched pairs add up to those of the whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from chronoscore.annotations.columns import Columns, Integers, Label
from chronoscore.annotations.counting import Compared, count, count_by
from chronoscore.annotations.model import written
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.question import compared_features, type_map

TYPE = ":type"
"""Stands for the type where features are named."""
NONE = "(none)"
MISSING, SPURIOUS = "(missing)", "(spurious)"
Side: TypeAlias = Literal["target", "response"]
Part: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts by the values of some features, and the counters of each."""

    features: tuple[str, ...]
    names: tuple[Part, ...]
    counts: Integers
    whole: Integers
    """The counters of all together."""
    side: Side
    """Whose value a response counts under: its own, or that of the target it is matched with."""
    mixed: int
    """Correct pairs of two values, which count as incorrect under the target's."""


def broken_down(
    compared: Compared, matched: Pairs, features: Sequence[str], side: Side = "response"
) -> Parts:
    """Count by the values of features, as the formulas above have it."""
    codes: dict[Part, int] = {}
    of_key = values_of(compared, compared.keys, features, codes)
    of_response = values_of(compared, compared.responses, features, codes)
    if side == "target":
        none = codes.setdefault((NONE,) * len(features), len(codes))
        of_response = np.full(len(of_response), none, np.int64)
        of_response[matched.response] = of_key[matched.key]
    mixed = (matched.value >= 2) & (of_key[matched.key] != of_response[matched.response])
    sorted_out = replace(matched, value=matched.value - 2 * mixed)
    counts = count_by(compared, sorted_out, of_key, of_response, len(codes))
    names = list(codes)
    order = [at for at in _in_order(names) if counts[at].any()]
    return Parts(
        features=tuple(features),
        names=tuple(names[at] for at in order),
        counts=counts[order],
        whole=count(compared, matched).sum(axis=0),
        side=side,
        mixed=int(mixed.sum()),
    )


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often a target of one part was matched with a response of another.

    The last row are spurious responses, the last column is missing targets.
    """

    features: tuple[str, ...]
    names: tuple[Part, ...]
    matrix: Integers


def confusion(compared: Compared, matched: Pairs, features: Sequence[str] = (TYPE,)) -> Confusion:
    """Set the values of features of all targets against those of their responses."""
    codes: dict[Part, int] = {}
    of_key = values_of(compared, compared.keys, features, codes)
    of_response = values_of(compared, compared.responses, features, codes)
    size = len(codes)
    column = np.full(len(of_key), size, np.int64)
    column[matched.key] = of_response[matched.response]
    spurious = np.ones(len(of_response), np.bool_)
    spurious[matched.response] = False
    cells = np.concatenate(
        [of_key * (size + 1) + column, size * (size + 1) + of_response[spurious]]
    )
    matrix = np.bincount(cells, minlength=(size + 1) ** 2).reshape(size + 1, size + 1)
    names = list(codes)
    met = matrix.sum(axis=0) + matrix.sum(axis=1)
    order = [at for at in _in_order(names) if met[at]]
    places = [*order, size]
    return Confusion(
        tuple(features), tuple(names[at] for at in order), matrix[np.ix_(places, places)]
    )


def values_of(
    compared: Compared, side: Columns, features: Sequence[str], codes: dict[Part, int]
) -> Integers:
    """The part of each annotation, as a number that the codes name; new parts are added."""
    predicted = side is compared.responses
    types = type_map(compared.question.types) if predicted else {}
    other = dict(compared_features(compared.question.features).common) if predicted else {}

    def value(label: Label, name: str) -> str:
        if name == TYPE:
            return types.get(label.type, label.type)
        found = label.features.get(other.get(name, name))
        return NONE if found is None else written(found)

    parts = (tuple(value(label, name) for name in features) for label in side.labels)
    table = [codes.setdefault(part, len(codes)) for part in parts]
    return np.array(table, np.int64)[side.label] if len(side) else np.zeros(0, np.int64)


def _in_order(names: Sequence[Part]) -> list[int]:
    """Parts by name, those without a value last."""
    return sorted(range(len(names)), key=lambda at: tuple((n == NONE, n) for n in names[at]))
