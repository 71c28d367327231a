"""Chronoscore scores event timelines.

>>> import chronoscore
>>> gold = {"2011-01-25": ["Protests begin in Cairo."], "2011-02-11": ["Mubarak resigns."]}
>>> predicted = {"2011-01-26": ["Protests began in Cairo."], "2011-02-11": ["He resigns."]}
>>> chronoscore.score("timelines", gold, predicted)
<Result: timelines, 1 system, protocol news-tls>
  predicted  AR-1 0.556  AR-2 0.400  Date-F1 0.500

Names are loaded when they are first used: importing the package costs next to nothing.
"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

__version__ = "0.2.0"

if TYPE_CHECKING:
    from chronoscore.api import evaluate, load, metric, score
    from chronoscore.core.event import Event
    from chronoscore.core.metric import Metric
    from chronoscore.core.result import Interval
    from chronoscore.elements.text import tokens
    from chronoscore.elements.time import Time, TimeError
    from chronoscore.errors import ChronoscoreError, DataError, UsageError
    from chronoscore.evaluation.running import Evaluation
    from chronoscore.interface.comparison import Comparison, compare
    from chronoscore.interface.frames import ScoreTable
    from chronoscore.interface.result import Explanation, Result, ScoreValue
    from chronoscore.rubric.library import AgreementResult, agreement

__all__ = [
    "AgreementResult",
    "ChronoscoreError",
    "Comparison",
    "DataError",
    "Evaluation",
    "Event",
    "Explanation",
    "Interval",
    "Metric",
    "Result",
    "ScoreTable",
    "ScoreValue",
    "Time",
    "TimeError",
    "UsageError",
    "__version__",
    "agreement",
    "compare",
    "evaluate",
    "load",
    "metric",
    "score",
    "tokens",
]

if not TYPE_CHECKING:  # checkers see the names above, and no others
    __getattr__ = lazy_names(
        __name__,
        {
            "chronoscore.api": ("evaluate", "load", "metric", "score"),
            "chronoscore.core.event": ("Event",),
            "chronoscore.core.metric": ("Metric",),
            "chronoscore.core.result": ("Interval",),
            "chronoscore.elements.text": ("tokens",),
            "chronoscore.elements.time": ("Time", "TimeError"),
            "chronoscore.errors": ("ChronoscoreError", "DataError", "UsageError"),
            "chronoscore.evaluation.running": ("Evaluation",),
            "chronoscore.interface.comparison": ("Comparison", "compare"),
            "chronoscore.interface.frames": ("ScoreTable",),
            "chronoscore.interface.result": ("Explanation", "Result", "ScoreValue"),
            "chronoscore.rubric.library": ("AgreementResult", "agreement"),
        },
    )


def __dir__() -> list[str]:
    return __all__
