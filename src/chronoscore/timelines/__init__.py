"""Timeline summaries: what does it say, on which dates?"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

if TYPE_CHECKING:
    from chronoscore.timelines.family import FAMILY as FAMILY
    from chronoscore.timelines.family import read_cases as read_cases
    from chronoscore.timelines.formats.reading import read_timelines as read_timelines
    from chronoscore.timelines.formats.writing import write_timelines as write_timelines
    from chronoscore.timelines.library import PipelineResult as PipelineResult
    from chronoscore.timelines.library import evaluate as evaluate
    from chronoscore.timelines.library import evaluate_all as evaluate_all
    from chronoscore.timelines.library import score as score
    from chronoscore.timelines.library import score_many as score_many
    from chronoscore.timelines.library import timeline as timeline
    from chronoscore.timelines.model import Timeline as Timeline

__getattr__ = lazy_names(
    __name__,
    {
        "chronoscore.timelines.family": ("FAMILY", "read_cases"),
        "chronoscore.timelines.formats.reading": ("read_timelines",),
        "chronoscore.timelines.formats.writing": ("write_timelines",),
        "chronoscore.timelines.library": (
            *("evaluate", "evaluate_all", "score", "score_many", "timeline"),
            "PipelineResult",
        ),
        "chronoscore.timelines.model": ("Timeline",),
    },
)
