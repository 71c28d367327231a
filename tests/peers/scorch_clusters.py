"""scorch: MUC, B-cubed, both CEAF, BLANC and the CoNLL mean of one document."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from peers.clusterings import Document, draw_document, our_scores, share_mentions
from peers.comparing import Check, Comparison, Raised, outcome
from scorch import scores as theirs

TOLERANCE = 1e-12
ONE_MENTION = (
    "BLANC: where each side has a single mention and so no link, scores 1 if it is the same; ours "
    "is undefined"
)
NO_LINK = (
    "BLANC: where the gold has a single mention and the prediction one cluster, scores 1 since "
    "neither has a non-coreference link; ours is 0"
)
NOTHING_SHARED = "CEAF: divides by zero for F where no mention is shared; ours is 0"
EMPTY = "raises an error where a side has no cluster; we score 0"
METRICS: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "muc": ("MUC", theirs.muc),
    "b3": ("B-cubed", theirs.b_cubed),
    "ceafm": ("CEAF-m", theirs.ceaf_m),
    "ceafe": ("CEAF-e", theirs.ceaf_e),
    "blanc": ("BLANC", lambda *sides: theirs.blanc(*sides, fast=False)),
}


def compare(document: Document) -> Iterator[Comparison]:
    gold, predicted = document
    sides = ([*map(set, gold)], [*map(set, predicted)])
    for name, (quantity, function) in METRICS.items():
        found = outcome(partial(function, *sides))
        precision, recall, f = our_scores(name, [document])
        for at, (part, ours) in enumerate((("recall", recall), ("precision", precision), ("F", f))):
            other = found if isinstance(found, Raised) else float(found[at])
            same = Comparison(f"{quantity} {part}", ours, other, TOLERANCE)
            yield explained(name, same, document) if same.unexplained else same
    found = outcome(lambda: float(theirs.conll2012(*sides)))
    same = Comparison("CoNLL F", our_scores("conll", [document])[2], found, TOLERANCE)
    yield explained("conll", same, document) if same.unexplained else same


def explained(name: str, same: Comparison, document: Document) -> Comparison:
    """Say which documented difference this is, if it is one."""
    gold, predicted = document
    reason, holds = "", False
    if isinstance(same.theirs, Raised) and not (gold and predicted):
        reason, holds = EMPTY, same.ours == 0
    elif name == "blanc" and sum(map(len, gold)) == 1 == sum(map(len, predicted)):
        reason, holds = ONE_MENTION, same.theirs == float(gold == predicted) and same.ours == 0
    elif name == "blanc" and sum(map(len, gold)) == 1 == len(predicted):
        reason, holds = NO_LINK, same.theirs == 1 and same.ours == 0
    elif name in ("ceafm", "ceafe", "conll") and not share_mentions(document):
        reason, holds = NOTHING_SHARED, same.ours == 0
    if not reason:
        return same
    return Comparison(same.quantity, same.ours, same.theirs, reason=reason, holds=holds)


CHECKS = (Check("clusterings of one document", draw_document, compare, 3000),)
