"""Timeline summaries: what does it say, on which dates?"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

if TYPE_CHECKING:
    from chronoscore.elements.dated.model import Timeline
    from chronoscore.timelines.baselines import FrequentDates, RandomDates
    from chronoscore.timelines.library import (
        PipelineResult,
        dataset,
        evaluate,
        evaluate_all,
        score,
        score_many,
        timeline,
    )
    from chronoscore.timelines.readings import published

__all__ = [
    "FrequentDates",
    "PipelineResult",
    "RandomDates",
    "Timeline",
    "dataset",
    "evaluate",
    "evaluate_all",
    "published",
    "score",
    "score_many",
    "timeline",
]

if not TYPE_CHECKING:  # checkers see the names above, and no others
    __getattr__ = lazy_names(
        __name__,
        {
            "chronoscore.timelines.library": __all__,
            "chronoscore.timelines.baselines": ("FrequentDates", "RandomDates"),
            "chronoscore.elements.dated.model": ("Timeline",),
            "chronoscore.timelines.readings": ("published",),
        },
    )


def __dir__() -> list[str]:
    return __all__
