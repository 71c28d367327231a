"""The counts of a matching in groups: by type, or by the values of features, and as a confusion.

With v(x) for the value of an annotation, M for the pairs that are matched, and C for those of them
that are correct, the group of the value a has, where a response counts under its own value,

    targets(a)   = |{t : v(t) = a}|
    responses(a) = |{r : v(r) = a}|
    correct(a)   = |{(t, r) in C : v(t) = v(r) = a}|
    incorrect(a) = |{(t, r) in M : v(t) = a}| - correct(a)

so that precision is correct(a) / responses(a) and recall is correct(a) / targets(a). Where a
response counts under the value of its target, v(r) is v(t) for a pair, and a spurious response has
no value. In both views targets, responses and matched pairs add up to those of the whole.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
from msgspec import json

from chronoscore.annotations.columns import Columns, Integers, Label, marked
from chronoscore.annotations.matching.comparing import SpanComparison, SpanSides, count_by
from chronoscore.annotations.matching.meetings import SpanPairs
from chronoscore.annotations.matching.strategies import match
from chronoscore.annotations.model import written
from chronoscore.annotations.parameters import compared_features, question_of, type_map
from chronoscore.core.evidence import NO_VALUE, Parts
from chronoscore.core.metric import Metric
from chronoscore.errors import UsageError

TYPE = ":type"
"""Stands for the type where features are named."""
OF_TARGET, FEATURE = "target:", "feature:"
"""Prefixes of a name: the first counts a response under the value of its target, the second says
that the name is that of a feature, not the word `type`."""
Side: TypeAlias = Literal["target", "response"]
Group: TypeAlias = tuple[str, ...]
Confusion: TypeAlias = Mapping[tuple[Group, Group], int]
"""How often a target of one group is matched with a response of another."""
MISSING, SPURIOUS = ("(missing)",), ("(spurious)",)
"""The group of the response that a missing target has, and of the target of a spurious one."""


def divide(
    metric: Metric, compared: SpanComparison | SpanSides, by: Sequence[str]
) -> list[Parts] | None:
    """Return the counters of each document by value, for `spans`; JSON objects name the groups."""
    if metric.definition.name != "spans":
        return None
    features, side = features_of(by)
    blocks: Iterable[SpanComparison] = (
        compared.blocks(question_of(metric.values))
        if isinstance(compared, SpanSides)
        else [compared]
    )
    return [
        tuple((json.encode(dict(zip(by, group, strict=True))).decode(), row) for group, row in rows)
        for block in blocks
        for rows in divided(block, match(block, metric.values), features, side)
    ]


def features_of(by: Sequence[str]) -> tuple[tuple[str, ...], Side]:
    """Return the features that a breakdown names, and whose value a response counts under.

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
    comparison: SpanComparison, matched: SpanPairs, features: Sequence[str], side: Side = "response"
) -> list[list[tuple[Group, tuple[int, ...]]]]:
    """Return the counters of each document by the values of features (see the formulas above)."""
    codes: dict[Group, int] = {}
    of_key = values_of(comparison, comparison.keys, features, codes)
    of_response = values_of(comparison, comparison.responses, features, codes)
    if side == "target":
        none = codes.setdefault((NO_VALUE,) * len(features), len(codes))
        of_response = np.full(len(of_response), none, np.int64)
        of_response[matched.response] = of_key[matched.key]
    mixed = (matched.value >= 2) & (of_key[matched.key] != of_response[matched.response])
    regraded = replace(matched, value=matched.value - 2 * mixed)
    names = in_order(codes)
    rank = np.empty(len(names), np.int64)
    rank[[codes[name] for name in names]] = np.arange(len(names))
    # Count only the values that occur in a document: most documents have few of all values.
    cells = [
        columns.document * len(names) + rank[values]
        for columns, values in ((comparison.keys, of_key), (comparison.responses, of_response))
    ]
    occurring, place = np.unique(np.concatenate(cells), return_inverse=True)
    groups = place[: len(cells[0])], place[len(cells[0]) :]
    counts = count_by(comparison, regraded, *groups, len(occurring)).tolist()
    rows: list[list[tuple[Group, tuple[int, ...]]]] = [[] for _ in comparison.keys.documents]
    for cell, row in zip(occurring.tolist(), counts, strict=True):
        document, value = divmod(cell, len(names))
        rows[document].append((names[value], tuple(row)))
    return rows


def confusion(
    comparison: SpanComparison, matched: SpanPairs, features: Sequence[str] = (TYPE,)
) -> Confusion:
    """Count the pairs of values that targets and their responses have."""
    codes: dict[Group, int] = {}
    of_key = values_of(comparison, comparison.keys, features, codes)
    of_response = values_of(comparison, comparison.responses, features, codes)
    none = len(codes)
    column = np.full(len(of_key), none, np.int64)
    column[matched.key] = of_response[matched.response]
    spurious = of_response[~marked(len(of_response), matched.response)]
    pairs = [of_key * (none + 1) + column, none * (none + 1) + spurious]
    cells, numbers = np.unique(np.concatenate(pairs), return_counts=True)
    gold, predicted = [*codes, SPURIOUS], [*codes, MISSING]
    return {
        (gold[cell // (none + 1)], predicted[cell % (none + 1)]): number
        for cell, number in zip(cells.tolist(), numbers.tolist(), strict=True)
    }


def values_of(
    comparison: SpanComparison, side: Columns, features: Sequence[str], codes: dict[Group, int]
) -> Integers:
    """Return the code of the group of each annotation; add new groups to `codes`."""
    predicted = side is comparison.responses
    types = type_map(comparison.question.types) if predicted else {}
    predicted_names = (
        dict(compared_features(comparison.question.features).common) if predicted else {}
    )

    def value(label: Label, name: str) -> str:
        if name == TYPE:
            return types.get(label.type, label.type)
        text = label.features.get(predicted_names.get(name, name))
        return NO_VALUE if text is None else written(text)

    groups = (tuple(value(label, name) for name in features) for label in side.labels)
    table = [codes.setdefault(group, len(codes)) for group in groups]
    return np.array(table, np.int64)[side.label]


def in_order(names: Iterable[Group]) -> list[Group]:
    """Sort groups by their names, those without a value last."""
    return sorted(names, key=lambda group: tuple((name == NO_VALUE, name) for name in group))
