"""Chronoscore scores event timelines.

>>> import chronoscore
>>> str(chronoscore.metric("AR-2"))
'align+m:1(rouge=2)'

Names are loaded when they are first used: importing the package costs next to nothing.
"""

from typing import TYPE_CHECKING

from chronoscore.core.functions import lazy_names

__version__ = "0.2.0"

if TYPE_CHECKING:
    from chronoscore.api import metric, score
    from chronoscore.core.event import Event
    from chronoscore.core.metric import Metric
    from chronoscore.core.result import ResultDocument, load
    from chronoscore.errors import ChronoscoreError, DataError, UsageError

__all__ = [
    "ChronoscoreError",
    "DataError",
    "Event",
    "Metric",
    "ResultDocument",
    "UsageError",
    "__version__",
    "load",
    "metric",
    "score",
]

__getattr__ = lazy_names(
    __name__,
    {
        "chronoscore.api": ("metric", "score"),
        "chronoscore.errors": ("ChronoscoreError", "DataError", "UsageError"),
        "chronoscore.core.event": ("Event",),
        "chronoscore.core.metric": ("Metric",),
        "chronoscore.core.result": ("ResultDocument", "load"),
    },
)


def __dir__() -> list[str]:
    return __all__
