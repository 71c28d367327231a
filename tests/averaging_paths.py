"""A metric of timelines and the ways its rows are averaged, for tests of statistics."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronoscore.families import family
from chronoscore.statistics import Undefined
from chronoscore.statistics.averaging import Path
from chronoscore.statistics.labels import labelled
from chronoscore.statistics.ratios import Array
from chronoscore.statistics.resampling import Resampler

DATE_F1 = family("timelines").metric("date-f1")
LEVELS = family("timelines").levels
PATHS = (
    "micro",
    "macro",
    "gold+topic:mean-pr>trial:mean-f",
    "gold:mean-f>topic:mean-f>trial:mean-f",
    "gold:sum>topic:mean-f>trial:mean-f",
)


def tags_of(topics: int, golds: int = 1) -> list[dict[str, str]]:
    """Tags of one trial, a row for each gold of each topic."""
    return [
        {"gold": str(gold), "topic": f"t{topic:02}", "trial": "1"}
        for topic in range(topics)
        for gold in range(golds)
    ]


def row_a_topic(
    rows: Sequence[Sequence[float]] | Array,
    path: str = "macro",
    policy: Undefined = "zero",
    golds: int = 1,
    **more: Any,
) -> Resampler:
    """A system with one trial, and a row for each gold of each topic."""
    tags = labelled(tags_of(len(rows) // golds, golds))
    return Resampler(
        DATE_F1,
        np.array(rows, dtype=np.float64),
        tags,
        tags["topic"],
        path=Path.parse(path, LEVELS),
        policy=policy,
        level="topic",
        **more,
    )
