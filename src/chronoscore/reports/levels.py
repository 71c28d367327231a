"""What the levels of a curve are: scores, or ranks, which a curve has with a minus.

A curve runs from its highest level down, and the first candidate alone is the strictest limit.
"""

from chronoscore.core.names import parse

_RANKED = ("candidates-accuracy", "max-recall-curve")


def by_rank(metric: str) -> bool:
    """Whether the levels of a metric's curve are ranks, by its name.

    >>> by_rank("candidates-curve(list=L,by=rank)"), by_rank("candidates-curve(list=L)")
    (True, False)
    """
    name, values = parse(metric)
    return name in _RANKED or (name == "candidates-curve" and values.get("by") == "rank")
