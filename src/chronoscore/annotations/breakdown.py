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
from msgspec import json

from chronoscore.annotations.columns import Columns, Integers, Label
from chronoscore.annotations.counting import Compared, count_by
from chronoscore.annotations.model import written
from chronoscore.annotations.pairs import Pairs
from chronoscore.annotations.parameters import matched_by, question_of
from chronoscore.annotations.question import compared_features, type_map
from chronoscore.annotations.spans import Sides
from chronoscore.core.errors import UsageError
from chronoscore.core.evidence import NO_VALUE, Parts
from chronoscore.core.metric import Metric

TYPE = ":type"
"""Stands for the type where features are named."""
OF_TARGET, FEATURE = "target:", "feature:"
"""What may stand before a name: that a response counts under the value of its target; that the
name is a feature's, though it is also a word for something else."""
MISSING, SPURIOUS = "(missing)", "(spurious)"
Side: TypeAlias = Literal["target", "response"]
Part: TypeAlias = tuple[str, ...]


def divide(metric: Metric, found: Compared | Sides, by: Sequence[str]) -> list[Parts] | None:
    """The counters of each document by value, for `spans`; parts are named by JSON objects."""
    if metric.definition.name != "spans":
        return None
    features, side = features_of(by)
    if isinstance(found, Sides):
        found = found.compared(question_of(metric.values))
    matched = matched_by(found, metric.values)
    return [
        tuple((json.encode(dict(zip(by, part, strict=True))).decode(), row) for part, row in parts)
        for parts in divided(found, matched, features, side)
    ]


def features_of(by: Sequence[str]) -> tuple[tuple[str, ...], Side]:
    """The features that a breakdown names, and whose value a response counts under.

    >>> features_of(["type", "sex"]), features_of(["target:feature:type"])
    (((':type', 'sex'), 'response'), (('type',), 'target'))
    """
    sides: set[Side] = {"target" if name.startswith(OF_TARGET) else "response" for name in by}
    if len(sides) > 1:
        raise UsageError(
            f"'{', '.join(by)}' names the values of targets and of all annotations: "
            f"write {OF_TARGET} before each name, or before none"
        )
    bare = [name.removeprefix(OF_TARGET) for name in by]
    return tuple(TYPE if n == "type" else n.removeprefix(FEATURE) for n in bare), sides.pop()


def divided(
    compared: Compared, matched: Pairs, features: Sequence[str], side: Side = "response"
) -> list[list[tuple[Part, tuple[int, ...]]]]:
    """The counters of each document by the values of features, as the formulas above have it."""
    codes: dict[Part, int] = {}
    of_key = values_of(compared, compared.keys, features, codes)
    of_response = values_of(compared, compared.responses, features, codes)
    if side == "target":
        none = codes.setdefault((NO_VALUE,) * len(features), len(codes))
        of_response = np.full(len(of_response), none, np.int64)
        of_response[matched.response] = of_key[matched.key]
    mixed = (matched.value >= 2) & (of_key[matched.key] != of_response[matched.response])
    sorted_out = replace(matched, value=matched.value - 2 * mixed)
    names = list(codes)
    order = _in_order(names)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    # Only values that a document has: most documents have few of the values of all.
    cells = [
        columns.document * len(names) + rank[values] if len(columns) else values
        for columns, values in ((compared.keys, of_key), (compared.responses, of_response))
    ]
    met, place = np.unique(np.concatenate(cells), return_inverse=True)
    groups = place[: len(cells[0])], place[len(cells[0]) :]
    counts = count_by(compared, sorted_out, *groups, len(met)).tolist()
    found: list[list[tuple[Part, tuple[int, ...]]]] = [[] for _ in compared.keys.documents]
    for cell, row in zip(met.tolist(), counts, strict=True):
        document, value = divmod(cell, len(names))
        found[document].append((names[order[value]], tuple(row)))
    return found


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
        return NO_VALUE if found is None else written(found)

    parts = (tuple(value(label, name) for name in features) for label in side.labels)
    table = [codes.setdefault(part, len(codes)) for part in parts]
    return np.array(table, np.int64)[side.label] if len(side) else np.zeros(0, np.int64)


def _in_order(names: Sequence[Part]) -> list[int]:
    """Parts by name, those without a value last."""
    return sorted(range(len(names)), key=lambda at: tuple((n == NO_VALUE, n) for n in names[at]))
