"""Which list belongs to which target, where a list is one response for all its candidates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chronoscore.annotations.candidates import Candidates, in_range
from chronoscore.annotations.matching import Matcher, Pair
from chronoscore.annotations.model import Annotation, Counts


@dataclass(frozen=True)
class ListMatching:
    """Which list was given to which target, where each list is one response."""

    targets: Sequence[int]
    """The targets that were matched, by their places in the document."""
    lists: Sequence[int]
    """The lists of which something is seen, and the responses that stand for them."""
    responses: Sequence[Annotation]
    matches: Sequence[Pair]
    with_strict: int
    with_lenient: int


def matched_lists(
    found: Candidates,
    matcher: Matcher,
    seen: Mapping[int, int],
    targets: Sequence[int] | None = None,
) -> ListMatching:
    """Match targets with lists of which the first so many candidates are seen, by their places.

    A list is one response, if anything of it is seen. It is worth for a target what the best of
    its candidates seen is worth, and that candidate stands for the list.
    """
    chosen = range(len(found.keys)) if targets is None else targets
    keys = [found.keys[i] for i in chosen]
    lists = sorted(j for j, many in seen.items() if many)
    place_of = {j: place for place, j in enumerate(lists)}
    best_of = dict.fromkeys(lists, 0)
    pairs, strict, lenient = [], 0, 0
    for place, i in enumerate(chosen):
        values: list[int] = []
        for j in found.at.get(i, ()):
            worth = found.worth[i, j][: seen.get(j, 0)]
            value = max(worth, default=-1)
            if value >= 0:
                values += worth
                pairs.append(Pair(place, place_of[j], value))
            if value > 0:
                best_of[j] = worth.index(value)
        strict += 1 in values or 3 in values
        lenient += bool(values)
    responses = [found.lists[j].candidates[best_of[j]] for j in lists]
    pairs.sort()
    matches = _matched(pairs, keys, responses, matcher)
    return ListMatching(chosen, lists, responses, matches, strict, lenient)


def _matched(
    pairs: Sequence[Pair],
    keys: Sequence[Annotation],
    responses: Sequence[Annotation],
    matcher: Matcher,
) -> list[Pair]:
    """Match; a pair that has both its sides for itself is taken by every strategy."""
    at_key, at_response = Counter(p.key for p in pairs), Counter(p.response for p in pairs)
    alone = [p for p in pairs if at_key[p.key] == at_response[p.response] == 1]
    rest = [p for p in pairs if at_key[p.key] > 1 or at_response[p.response] > 1]
    if not rest:
        return alone
    rows, columns = sorted({p.key for p in rest}), sorted({p.response for p in rest})
    row_of = {i: row for row, i in enumerate(rows)}
    column_of = {j: column for column, j in enumerate(columns)}
    chosen = matcher(
        [Pair(row_of[p.key], column_of[p.response], p.value) for p in rest],
        [keys[i] for i in rows],
        [responses[j] for j in columns],
    )
    return sorted([*alone, *(Pair(rows[p.key], columns[p.response], p.value) for p in chosen)])


def counted(found: Candidates, made: ListMatching) -> Counts:
    """The base counters of a matching of lists."""
    matched = {p.response for p in made.matches}
    place_of = {j: place for place, j in enumerate(made.lists)}
    by_value, single = [0, 0, 0, 0], [0, 0, 0, 0]
    for p in made.matches:
        key = found.keys[made.targets[p.key]]
        others = {place_of.get(j) for j in found.near.get(made.targets[p.key], ())} - {None}
        by_value[p.value] += 1
        single[p.value] += not any(
            in_range(made.responses[other], key) for other in others - matched if other is not None
        )
    return Counts(
        targets=len(made.targets),
        responses=len(made.lists),
        correct_strict=by_value[3],
        correct_partial=by_value[2],
        incorrect_strict=by_value[1],
        incorrect_partial=by_value[0],
        single_correct_strict=single[3],
        single_correct_partial=single[2],
        targets_with_strict=made.with_strict,
        targets_with_lenient=made.with_lenient,
    )
