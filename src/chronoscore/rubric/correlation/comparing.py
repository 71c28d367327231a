"""Does one metric follow people better than another? Every pair, on the items of both."""

from collections.abc import Sequence
from itertools import combinations
from math import isnan

import numpy as np
from msgspec.structs import replace

from chronoscore.rubric.correlation.document import Tested
from chronoscore.rubric.correlation.items import Items
from chronoscore.rubric.correlation.plan import Plan
from chronoscore.rubric.correlation.scores import Scores
from chronoscore.statistics.corrections import holm
from chronoscore.statistics.correlation import Coefficient, coefficient, perm_both, williams

_DRAWS, _FEWER, _MANY = 10_000, 1_000, 150
"""Of the permutation test, and on more than 150 items."""


def compared(scores: Sequence[Scores], people: Items, plan: Plan) -> list[Tested]:
    """Test each pair of metrics by the first coefficient that is shown."""
    chosen = coefficient(plan.shown[0])
    found = [_pair(one, two, people, chosen, plan.seed) for one, two in combinations(scores, 2)]
    known = iter(holm([one.p for one in found if one.p is not None]))
    return [one if one.p is None else replace(one, p_corrected=next(known)) for one in found]


def _pair(one: Scores, two: Scores, people: Items, chosen: Coefficient, seed: int) -> Tested:
    keys = sorted(people.keys() & one.values.keys() & two.values.keys())
    human = np.array([people[key].value for key in keys])
    first, second = (np.array([metric.values[key] for key in keys]) for metric in (one, two))
    untested = Tested(
        one=one.label,
        two=two.label,
        coefficient=chosen.name,
        items=len(keys),
        difference=None,
        p=None,
        p_corrected=None,
        smallest_p=None,
        exact=False,
        williams_t=None,
        williams_p=None,
        reason=chosen.reason(human, first) or chosen.reason(human, second),
    )
    if untested.reason:
        return untested
    names = tuple(f"{system}\0{name}" for system, name in keys)
    draws = _DRAWS if len(keys) <= _MANY else _FEWER
    swapped = perm_both(human, first, second, chosen.compute, names=names, seed=seed, draws=draws)
    tested = williams(human, first, second)
    return replace(
        untested,
        difference=swapped.difference,
        p=swapped.p,
        smallest_p=swapped.smallest,
        exact=swapped.exact,
        williams_t=None if isnan(tested.t) else tested.t,
        williams_p=None if isnan(tested.p) else tested.p,
        reason=f"Williams: {tested.reason}" if tested.reason else "",
    )
