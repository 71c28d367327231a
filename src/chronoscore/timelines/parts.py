"""Timelines read in parts: days are counted in each, and told of if there is none in all."""

from collections.abc import Mapping, Sequence

from chronoscore.core.metric import Metric
from chronoscore.core.reading import Reading
from chronoscore.timelines.formats.reading import DAYS, READ, tell_nothing


def doubt_parts(
    _: Sequence[Metric], counts: Mapping[str, int], reading: Reading, __: Sequence[str]
) -> None:
    """Note that no part has a day, as reading all at once does."""
    if counts.get(READ["gold"]) and not counts.get(DAYS["gold"]):
        tell_nothing("the gold", reading, "gold")
    if counts.get(READ["predicted"]) and not counts.get(DAYS["predicted"]):
        tell_nothing("the prediction", reading, "predicted")
