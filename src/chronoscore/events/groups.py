"""What became of unmatched events: parts of a matched event, repeats of one, or nothing at all.

An unmatched predicted event that lies inside a matched gold event and adds something new to it is a
part: the system split the event. One that adds nothing is a repeat. The same from the gold's side:
a gold event inside a matched predicted event was merged into it.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from chronoscore.elements.similarity import shared_counts
from chronoscore.elements.text.columns import Integers, TokenColumns
from chronoscore.elements.text.sequences import common_lengths
from chronoscore.events.comparison import EventBlock

Array = NDArray[np.float64]
ALONE, PART, REPEAT = range(3)


class EventGroups(NamedTuple):
    """The unmatched events of one side: what each is, and the matched event that it belongs to."""

    kind: Integers
    """Of each event of the side: ALONE, PART or REPEAT; ALONE for those that are matched."""
    owner: Integers
    """The event of the other side that it is a part or a repeat of, or -1."""

    def by_case(self, kind: int, cases: Integers, number: int) -> Array:
        """Count the events of a kind by case."""
        return np.bincount(cases[self.kind == kind], minlength=number).astype(np.float64)


def groups_of(block: EventBlock) -> tuple[EventGroups, EventGroups]:
    """Return the groups of the predicted and of the gold events."""
    return block.keep("groups", lambda: (_groups(block, False), _groups(block, True)))


def _groups(block: EventBlock, of_gold: bool) -> EventGroups:
    """Attach unmatched events to the matched events of the other side, in sorted order."""
    cells, pairs = block.cells, block.matched
    own_of, other_of = (cells.column, cells.row) if of_gold else (cells.row, cells.column)
    texts, other = block.tokens[::-1] if of_gold else block.tokens
    mine, theirs = (pairs.column, pairs.row) if of_gold else (pairs.row, pairs.column)
    kind = np.full(len(texts.sizes), ALONE)
    owner = np.full(len(texts.sizes), -1)
    partner = np.full(len(other.sizes), -1)
    partner[theirs] = mine
    is_matched = np.zeros(len(texts.sizes), np.bool_)
    is_matched[mine] = True
    # Only an event that is unmatched, and whose words the other has, can be inside it.
    at = np.flatnonzero(~is_matched[own_of] & (partner[other_of] >= 0))
    if not len(at):
        return EventGroups(kind, owner)
    setting = block.setting
    share = 1 - setting.time_weight + setting.time_weight * block.closeness[at]
    length = np.maximum(texts.sizes[own_of[at]], 1)
    shared = block.keep("words", lambda: shared_counts(*block.tokens, cells))[at]
    is_alike = block.is_possible[at]
    near = np.flatnonzero((shared / length * share >= setting.inside - _ROUNDING) | is_alike)
    at, share, is_alike, length = at[near], share[near], is_alike[near], length[near]
    common = common_lengths(texts, own_of[at], other, other_of[at])
    inside = np.round(common / length * share, 12)
    is_candidate = (inside >= setting.inside) | is_alike
    _attach(
        own_of[at][is_candidate],
        other_of[at][is_candidate],
        inside[is_candidate],
        (texts, other, partner),
        (kind, owner),
        (setting.inside, setting.gain),
    )
    return EventGroups(kind, owner)


_ROUNDING = 1e-9


def _attach(
    unmatched: Integers,
    matched: Integers,
    inside: Array,
    sides: tuple[TokenColumns, TokenColumns, Integers],
    groups: tuple[Integers, Integers],
    limits: tuple[float, float],
) -> None:
    """Give each unmatched event the matched one that it is most inside of.

    Of equally good ones it is that with the first partner.
    """
    texts, other, partner = sides
    kind, owner = groups
    best: dict[int, tuple[float, int]] = {}
    order = np.lexsort((partner[matched], unmatched))
    for u, v, share in zip(
        unmatched[order].tolist(), matched[order].tolist(), inside[order].tolist(), strict=True
    ):
        if u not in best or share > best[u][0]:
            best[u] = (share, v)
    covered: dict[int, Counter[int]] = {}
    for u, (share, v) in best.items():  # in sorted order within a case
        whole = Counter(other.document(v))
        if v not in covered:
            covered[v] = Counter(texts.document(int(partner[v]))) & whole
        more = covered[v] | (Counter(texts.document(u)) & whole)
        gain = (more.total() - covered[v].total()) / max(1, whole.total())
        owner[u] = v
        is_part = share >= limits[0] and round(gain, 12) >= limits[1]
        kind[u] = PART if is_part else REPEAT
        covered[v] = more
